"""One run, ready to be compared: its scores as the reports have them, and what each question adds to them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench.benchmarks import ACCURACY, BENCHMARKS, Family, Metric
from vhbench.compare import scoring
from vhbench.compare.scoring import Group
from vhbench.files import short_digest
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.provenance import Provenance
from vhbench.records import as_records, split_repetition
from vhbench.runs import Responses
from vhbench.schema import Record, VhbenchError
from vhbench.tasks import headline, per_sample_scores
from vhbench.tasks.datasets import number_of_questions
from vhbench.tasks.metrics import ode_captions
from vhbench.tasks.metrics.scores import Score
from vhbench.tasks.metrics.withholding import reason_of
from vhbench.tasks.per_sample_scores import Contributions

Places = npt.NDArray[np.int64]
Cell = tuple[tuple[str, Any], ...]
"""The columns of a cell, with their values."""

IN_WORDS = "words"
"""The only score that is no share: words a caption."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What a group of answers answers to, without the words: the same for all runs.

    Attributes:
        about: a record for each question that says what it shares with others, in order of their ids.
        digests: of each question's options, right answer and images, and of its words, empty where these are unknown.
        cells: the cells of the group's reports → the places of their questions.
    """

    about: Sequence[Record]
    digests: Sequence[tuple[bytes, bytes]]
    cells: Mapping[Cell, Places]

    @property
    def ids(self) -> list[str]:
        """The ids, without repetitions."""
        return [record.id for record in self.about]


@dataclass(frozen=True, slots=True)
class MeasuredGroup:
    """The answers of one run to a group of questions.

    Attributes:
        questions: what was asked.
        scores: metric → the score, as the run's report has it.
        apart: metric → what each question adds to it, repetitions together.
        cells: cell → its score in the group's first metric.
        withheld: why there is no score, or None.
        repetitions: how often each question was asked.
    """

    questions: Questions
    scores: Mapping[str, Score]
    apart: Mapping[str, Contributions]
    cells: Mapping[Cell, Score]
    withheld: str | None
    repetitions: int


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run.

    Attributes:
        name: what it is called.
        groups: the answers that are scored together → what was measured of them.
        provenance: task → where its answers come from, as far as its samples tell.
        notes: what is to be said before the scores.
    """

    name: str
    groups: Mapping[Group, MeasuredGroup]
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    notes: Sequence[str] = ()


def read_run(name: str, path: Path, questions: Path | None = None, *, cells: bool = True) -> MeasuredRun:
    """Read the answers of a run, and measure them.

    Args:
        name: what the run is called.
        path: a folder that lmms-eval wrote, or a file of responses in any form.
        questions: the split that was asked, where the responses do not tell.
        cells: whether cells are scored too.

    Raises:
        VhbenchError: if nothing can be read, or an answer cannot be scored.
    """
    found: dict[Group, list[Record]] = defaultdict(list)
    responses = Responses(path, questions, count_questions=number_of_questions)
    for task, record in responses.by_task():
        found[scoring.group_of(task, record)].append(record)
    if not found:
        raise VhbenchError(f"{path}: {scoring.nothing(responses)}")
    if responses.uneven:
        raise VhbenchError(f"{path}: {responses.uneven[0]}; to compare it, each must be answered equally often")
    if questions is None:
        scoring.check_captions(responses, found)
    groups = {group: measure(found[group], group, questions, cells=cells) for group in sorted(found)}
    notes = list(responses.notes)
    if missing := sum(responses.missing.values()) if questions is not None else 0:
        asked = sum(responses.asked.values())
        notes.append(f"{missing:,} of {asked:,} questions have no answer (the first: {responses.first_missing!r})")
    notes += [f"left out: {count:,} {what}" for what, count in sorted(responses.left_out.items())]
    return MeasuredRun(name, groups, dict(responses.provenance), notes)


def measure(records: Iterable[Record], group: Group, split: Path | None = None, *, cells: bool = True) -> MeasuredGroup:
    """Measure the answers of one run to a group of questions.

    Args:
        records: the answers, each with its prediction.
        group: which they are.
        split: whose words captions are searched for; None for the split that the tasks would ask.
        cells: whether cells are scored too.
    """
    ordered = sorted(as_records(records), key=lambda record: record.id)
    names = [split_repetition(record.id)[1] for record in ordered]
    place = {name: number for number, name in enumerate(sorted(set(names)))}
    owner = np.array([place[name] for name in names])
    withheld, how = reason_of(ordered), _Scorer.of(group, split)
    scores = how.scores(ordered, withheld)
    counts = [ode_captions.count(record, how.vocabulary) for record in ordered] if how.vocabulary else ()
    apart = {}
    for name, score in scores.items():
        if score.value is not None and (found := per_sample_scores.of(name, ordered, counts)) is not None:
            apart[name] = found.by_question(owner, len(place))
    asked = _questions(ordered, owner, how.groupings)
    of_cells: dict[Cell, Score] = {}
    if cells:
        for cell, own in asked.cells.items():
            inside = np.isin(owner, own)
            members = [record for record, here in zip(ordered, inside, strict=True) if here]
            (of_cells[cell],) = how.scores(members, withheld, how.metrics[:1]).values()
    return MeasuredGroup(asked, scores, apart, of_cells, withheld, round(len(ordered) / len(place)))


@dataclass(frozen=True, slots=True)
class _Scorer:
    """How a group is scored: by the functions of the tasks, captions with the words of their split."""

    family: Family | None
    split: Path | None
    vocabulary: Vocabulary | None

    @classmethod
    def of(cls, group: Group, split: Path | None) -> "_Scorer":
        families = BENCHMARKS[group.benchmark].families.values() if group.benchmark else ()
        family = next((family for family in families if family.name == group.family), None)
        if group.family != "caption":
            return cls(family, split, None)
        if family is None and split is None:
            raise VhbenchError(
                f"{group.title}: captions need a vocabulary; name the split that was asked (--questions)"
            )
        return cls(family, split, ode_captions.matcher(scoring.vocabulary(split)))

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What is compared: scores that can be taken apart; of other benchmarks' questions the accuracy."""
        known = {*per_sample_scores.APART, *(per_sample_scores.OF_CAPTIONS if self.vocabulary is not None else ())}
        every = (ACCURACY,) if self.family is None else self.family.metrics
        return tuple(metric for metric in every if metric.name in known)

    @property
    def groupings(self) -> Sequence[Sequence[str]]:
        """The columns by which the report has cells."""
        return () if self.family is None else self.family.cells

    def scores(
        self, records: Sequence[Record], withheld: str | None, metrics: Sequence[Metric] | None = None
    ) -> dict[str, Score]:
        """Return scores as the report has them, by the metrics' names."""
        found = {}
        captions: Mapping[str, Any] | None = None
        for metric in self.metrics if metrics is None else metrics:
            if metric.name not in per_sample_scores.OF_CAPTIONS:
                found[metric.name] = headline.score_of(metric, records, withheld)
            elif withheld or reason_of(records):
                found[metric.name] = Score(None)
            else:
                captions = captions or scoring.captions(records, self.split)
                found[metric.name] = headline.as_score(captions, metric.name)
        return found


def _questions(ordered: Sequence[Record], owner: Places, groupings: Sequence[Sequence[str]]) -> Questions:
    """Keep of the first answer to each question what was asked."""
    first = np.unique(owner, return_index=True)[1].tolist()
    asked = [ordered[place] for place in first]
    cells: dict[Cell, list[int]] = defaultdict(list)
    for columns in groupings:
        for place, record in enumerate(asked):
            cells[tuple((column, getattr(record, column)) for column in columns)].append(place)
    about = [
        Record(
            split_repetition(r.id)[1],
            benchmark=r.benchmark,
            pair_id=split_repetition(r.pair_id)[1],
            perturbation=r.perturbation,
            scene_ids=r.scene_ids,
        )
        for r in asked
    ]
    return Questions(about, [_digests(r) for r in asked], {cell: np.array(own) for cell, own in cells.items()})


def _digests(record: Record) -> tuple[bytes, bytes]:
    """Return what tells one question from another of the same id."""
    told = (record.kind, record.answer, record.choices, record.objects, record.scene_ids)
    return short_digest(repr(told)), short_digest(record.question) if record.question else b""
