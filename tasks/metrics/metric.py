"""Definition of a metric: a function that counts one response, and how counts are aggregated and reported."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from vhbench.schema import Record
from vhbench.statistics.sums import Scale

DERIVED = {
    "options": ("choices",),
    "none": ("choices",),
    "claims": ("response", "objects", "candidates", "neutral"),
    "words": ("response", "objects", "candidates"),
    "caption": ("response", "objects", "candidates"),  # no response: a failed request; no words: a hidden test set
}
"""Derived input of a metric → the record columns from which it is computed."""

ALWAYS = ("answer", "prediction", "failure", "negated", "perturbation")  # record columns that ``count`` may always read

PAYLOAD = ("id", "benchmark", "kind", "answer", "prediction", "failure", "pair_id", "perturbation", "scene_ids")
"""Record columns in lmms-eval's payload of every metric."""


class Claims(NamedTuple):
    """Counts of a caption's claims, by :func:`vhbench.tasks.metrics.ode_captions.count`."""

    mentions: int = 0  # words for judgeable concepts
    hallucinated: int = 0  # of these, for concepts that are absent
    captions: int = 0  # 1 if the response is a caption
    hallucinating: int = 0  # 1 if any mention is hallucinated
    objects: int = 0  # concepts in the image
    covered: int = 0  # number of these that are mentioned
    concepts: int = 0  # distinct judgeable concepts that are mentioned
    candidates: int = 0  # number of these that are likely hallucinations
    asked: int = 0  # always 1
    given: int = 0  # 1 unless the request failed or was refused
    named: int = 0  # 1 if it names anything of the vocabulary
    words: int = 0  # number of words
    cut_off: int = 0  # 1 if the caption is truncated
    failed: int = 0  # 1 if the request failed
    refused: int = 0  # 1 if the model refused
    not_judged: int = 0  # mentions of things whose presence is unknown, in the vocabulary or outside it


@dataclass(frozen=True, slots=True)
class Answer:
    """A response as the input of a metric."""

    # The answered question, with the columns :data:`ALWAYS`, those that the metrics of its family need, and those of
    # its subsets; all others are empty.
    record: Record
    options: int = 0  # number of answer options; 0 for yes or no
    cut_off: bool = False  # whether the response is visibly truncated
    claims: Claims = Claims()  # noqa: RUF009 - immutable
    twin: "Answer | None" = None  # response to the negated question, for metrics of pairs
    none: str = ""  # letter of the option "none of the above"; "" without one
    chosen: str = ""  # text of the chosen option of a question with rotated options; "" without one
    wording: int = 0  # number of the wording of the answer instruction; 0 in tasks with one wording
    others: "tuple[Answer, ...]" = ()  # responses to the further variants of the question, for metrics of variants

    @property
    def outcome(self) -> str:
        """Prediction, "" if missing; "failed", "refused" or "abstained" without an answer."""
        return self.record.failure or self.record.prediction

    @property
    def correct(self) -> bool:
        """Whether the prediction is the reference answer."""
        return self.outcome == self.record.answer

    @property
    def at_best(self) -> "Answer":
        """The same with the right prediction, if it has none; a refusal remains one."""
        if self.outcome not in ("", "failed"):
            return self
        return replace(self, record=replace(self.record, prediction=self.record.answer, failure=""))


class Facts(NamedTuple):
    """Context of a metric that follows from the questions alone."""

    positive: str = "no"  # positive class of precision and recall, "yes" or "no"


class Count(NamedTuple):
    """Contribution of a response, or a pair, to a score."""

    top: float  # contribution to the numerator
    bottom: float = 1.0  # contribution to the denominator; 0 if it does not count
    trials: float | None = None  # number of trials in the interval; None for ``bottom``


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One score of a family of tasks: in lmms-eval's table, reports, ``score``, ``compare`` and the leaderboard."""

    name: str
    # From a response to its count; None from it if the metric does not apply to the question.
    count: Callable[[Answer, Facts], Count | None] = field(default=lambda answer, facts: None, repr=False)
    title: str = ""  # displayed title; "" for the name with spaces
    higher_is_better: bool | None = True  # direction; None without one, and then it has no ranks
    needs: tuple[str, ...] = ()  # record columns, or names in :data:`DERIVED`, that it needs beyond :data:`PAYLOAD`
    # Counted unit: each response, each complete pair (``answer.twin`` is set), or each question with responses to all
    # its variants (``answer.others`` is set).
    units: Literal["answers", "pairs", "variants"] = "answers"
    variants: Literal["", "r", "w"] = ""  # kind of variants that it is about: rotations, wordings; "" for all responses
    fixed: bool = True  # whether ``bottom`` does not depend on the response
    scale: Scale = "share"  # unit of the score; a constant has neither interval nor rank
    # Task and stratum of a response, for an unweighted mean over strata and then over tasks; None excludes it.
    stratum: Callable[[Answer], tuple[str, str] | None] | None = field(default=None, repr=False)
    # Must hold for at least one question, else the score is undefined.
    defined: Callable[[Answer, Facts], bool] | None = field(default=None, repr=False)
    always: bool = False  # whether to report it even if scores are withheld because of failed requests
    in_cells: bool = True  # whether subsets of a report include it
    compared: bool = True  # whether ``compare`` and the leaderboard include it
    brief: bool = False  # whether the leaderboard's main table includes it next to the headline
    headline: bool = False  # whether it ranks models; otherwise the first metric of the family does
    listed: bool = True  # whether lmms-eval's table and the leaderboard include it
    bounded: bool = False  # whether the report gives the score if every missing prediction were right
    # Metrics from whose values ``formula`` computes this one; ``count`` is then not used.
    parts: "tuple[Metric, ...]" = field(default=(), repr=False)
    formula: Callable[..., float] | None = field(default=None, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Record columns that it needs beyond :data:`PAYLOAD`."""
        return tuple(column for name in self.needs for column in DERIVED.get(name, (name,)))

    @property
    def label(self) -> str:
        """Displayed name."""
        return self.title or self.name.replace("_", " ")
