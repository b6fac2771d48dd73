"""What a metric is: a function that counts one answer, and how the counts are added up and reported."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from vhbench.schema import Record
from vhbench.statistics.sums import Scale

DERIVED = {
    "options": ("choices",),
    "claims": ("response", "objects", "candidates", "neutral"),
    "words": ("response", "objects"),
    "caption": ("response", "objects"),  # without words a request failed; a hidden edition keeps the objects back
}
"""What a metric may need that is no column of a record → the columns that it is made of."""

ALWAYS = ("answer", "prediction", "failure", "negated", "perturbation")
"""The columns of a record that ``count`` may always read."""

PAYLOAD = ("id", "benchmark", "kind", "answer", "prediction", "failure", "pair_id", "perturbation", "scene_ids")
"""The columns that lmms-eval carries for every metric."""


class Claims(NamedTuple):
    """What a caption claims, counted by :func:`vhbench.tasks.metrics.ode_captions.count`.

    Attributes:
        mentions: words for concepts that can be judged.
        hallucinated: of these, for concepts that are absent.
        captions: 1 if the response is a caption at all.
        hallucinating: 1 if any mention is hallucinated.
        objects: concepts in the image.
        covered: of these, how many are mentioned.
        concepts: different concepts that are mentioned and can be judged.
        candidates: of these, how many are likely hallucinations.
        asked: 1.
        given: 1 unless the request failed or was refused.
        words: of the caption.
        cut_off: 1 if the caption stops midway.
        failed: 1 if the request failed.
        refused: 1 if the model refused.
    """

    mentions: int = 0
    hallucinated: int = 0
    captions: int = 0
    hallucinating: int = 0
    objects: int = 0
    covered: int = 0
    concepts: int = 0
    candidates: int = 0
    asked: int = 0
    given: int = 0
    words: int = 0
    cut_off: int = 0
    failed: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a metric sees it.

    Attributes:
        record: the answered question, with the columns :data:`ALWAYS`, those that the metrics of its family need, and
            those of its cells; all others are empty.
        options: how many answer options the question lists; 0 for yes or no.
        cut_off: whether the response visibly stops midway.
        claims: what a caption claims.
        twin: the answer to the negated question, for a metric of pairs.
    """

    record: Record
    options: int = 0
    cut_off: bool = False
    claims: Claims = Claims()  # noqa: RUF009 - immutable
    twin: "Answer | None" = None

    @property
    def said(self) -> str:
        """The prediction, "" where there is none; "failed" or "refused" where there is no answer."""
        return self.record.failure or self.record.prediction

    @property
    def correct(self) -> bool:
        """Whether the prediction is the reference answer."""
        return self.said == self.record.answer


class Facts(NamedTuple):
    """What a metric may know besides the answer. It follows from the questions alone.

    Attributes:
        positive: the class that precision and recall are about, "yes" or "no".
    """

    positive: str = "no"


class Count(NamedTuple):
    """What an answer, or a pair, adds to a score.

    Attributes:
        top: above the line.
        bottom: below the line; 0 where there is nothing to count this time.
        trials: how many answers it stands for in the interval; None for ``bottom``.
    """

    top: float
    bottom: float = 1.0
    trials: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One score of a family of tasks: in lmms-eval's table, reports, ``score``, ``compare`` and the leaderboard.

    Attributes:
        name: in all of these.
        title: on pages for people; "" for the name with spaces.
        count: what an answer adds; None where the metric is not about the question, whatever is answered.
        higher_is_better: None where neither more nor less is better: then runs have no ranks in it.
        needs: columns of a record, or names in :data:`DERIVED`, that it needs beyond :data:`PAYLOAD`.
        units: what is counted: each answer, or each complete pair (``answer.twin`` is set).
        fixed: whether ``bottom`` is the same whatever is answered.
        scale: unit of the score. A constant has neither interval nor rank.
        stratum: task and stratum of an answer, for an unweighted mean over strata and then over tasks; None leaves it
            out.
        defined: the score is undefined unless this holds for one question.
        always: report it even where scores are withheld because too many requests failed.
        in_cells: whether each cell of a report has it.
        compared: whether ``compare`` and the leaderboard have it.
        brief: whether the leaderboard's main table has it beside the headline.
        headline: whether models are ranked by it; otherwise by the first metric of the family.
        parts: metrics of whose values ``formula`` makes this one; ``count`` is then not used.
        formula: from these values to the score.
    """

    name: str
    count: Callable[[Answer, Facts], Count | None] = field(default=lambda answer, facts: None, repr=False)
    title: str = ""
    higher_is_better: bool | None = True
    needs: tuple[str, ...] = ()
    units: Literal["answers", "pairs"] = "answers"
    fixed: bool = True
    scale: Scale = "share"
    stratum: Callable[[Answer], tuple[str, str] | None] | None = field(default=None, repr=False)
    defined: Callable[[Answer, Facts], bool] | None = field(default=None, repr=False)
    always: bool = False
    in_cells: bool = True
    compared: bool = True
    brief: bool = False
    headline: bool = False
    parts: "tuple[Metric, ...]" = field(default=(), repr=False)
    formula: Callable[..., float] | None = field(default=None, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a record that it needs beyond :data:`PAYLOAD`."""
        return tuple(column for name in self.needs for column in DERIVED.get(name, (name,)))

    @property
    def label(self) -> str:
        """The name on pages for people."""
        return self.title or self.name.replace("_", " ")
