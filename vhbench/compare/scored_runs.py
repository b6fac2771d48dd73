"""One run, ready to be compared: its scores as the reports have them, and what each question adds to them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vhbench.compare import scoring
from vhbench.compare.scoring import Group, ScoringOptions
from vhbench.files import short_digest
from vhbench.provenance import Provenance
from vhbench.records import as_records, split_repetition
from vhbench.runs import Responses
from vhbench.schema import Record, VhbenchError
from vhbench.statistics.sums import Score, Sums
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import metrics_of
from vhbench.tasks.metrics.withholding import reason_of

Places = npt.NDArray[np.int64]
Cell = tuple[tuple[str, object], ...]
"""The columns of a cell, with their values."""


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
        metrics: what was measured.
        questions: what was asked.
        scores: metric → the score, as the run's report has it.
        apart: metric → what each question adds to it, repetitions together.
        cells: cell → its score in the group's first metric.
        withheld: why there is no score, or None.
        repetitions: how often each question was asked.
    """

    metrics: Sequence[Metric]
    questions: Questions
    scores: Mapping[str, Score]
    apart: Mapping[str, Sums]
    cells: Mapping[Cell, Score]
    withheld: str | None
    repetitions: int


@dataclass(frozen=True, slots=True)
class ScoredRun:
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


def read_run(name: str, path: Path, questions: Path | None = None, *, cells: bool = True) -> ScoredRun:
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
    responses = Responses(path, questions)
    for task, record in responses.by_task():
        found[scoring.group_of(task, record)].append(record)
    if not found:
        raise VhbenchError(f"{path}: {scoring.no_answers_message(responses)}")
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
    return ScoredRun(name, groups, dict(responses.provenance), notes)


def measure(records: Iterable[Record], group: Group, split: Path | None = None, *, cells: bool = True) -> MeasuredGroup:
    """Measure the answers of one run to a group of questions.

    Args:
        records: the answers, each with its prediction.
        group: which they are.
        split: whose words captions are searched for; None for the split that the tasks would ask.
        cells: whether cells are scored too.
    """
    ordered = sorted(as_records(records), key=lambda record: record.id)
    groupings = scoring.cells_of(group)
    every = {column for columns in groupings for column in columns}
    measured = scoring.measured(ordered, group, ScoringOptions(split=split), every)
    metrics = compared(group)
    by_question = {metric.name: measured.by_question(metric) for metric in metrics}
    of_cells: dict[Cell, Score] = {}
    for columns in groupings if cells else ():
        for values, cell in measured.cells(columns).items():
            of_cells[tuple(zip(columns, values, strict=True))] = cell.score(metrics[0])
    owner = measured.answers.owner
    return MeasuredGroup(
        metrics,
        _questions(ordered, owner, groupings),
        {metric.name: measured.score(metric) for metric in metrics},
        {name: sums for name, sums in by_question.items() if sums is not None},
        of_cells,
        reason_of(ordered),
        round(len(ordered) / (int(owner.max()) + 1)),
    )


def compared(group: Group) -> tuple[Metric, ...]:
    """Return the metrics in which runs are compared; of other benchmarks' questions the first."""
    metrics = tuple(metric for metric in metrics_of(group.family) if metric.compared)
    return metrics if group.benchmark else metrics[:1]


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
