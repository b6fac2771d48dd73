"""A run prepared for comparison: reported scores, and the contribution of each question."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vhbench.compare import scoring
from vhbench.compare.scoring import Group
from vhbench.files import short_digest
from vhbench.provenance import Provenance
from vhbench.records import as_records, split_repetition
from vhbench.runs import Responses
from vhbench.runs.run_claims import claims_of, conflicting_claims
from vhbench.schema import Record, VhbenchError
from vhbench.statistics.sums import Score, Sums
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import metrics_of

Places = npt.NDArray[np.int64]
Cell = tuple[tuple[str, object], ...]  # columns of a subset, with their values


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions of a group without texts, the same for all runs."""

    about: Sequence[Record]  # one record per question with what it shares with others, in the order of ids
    # digest of each question's options, reference answer and images, and of its text, empty if unknown
    digests: Sequence[tuple[bytes, bytes]]
    cells: Mapping[Cell, Places]  # subset → indices of its questions


@dataclass(frozen=True, slots=True)
class MeasuredGroup:
    """Scores of one run on a group of questions."""

    metrics: Sequence[Metric]
    questions: Questions
    scores: Mapping[str, Score]  # metric → score, as in the run's report
    apart: Mapping[str, Sums]  # metric → contribution of each question, over repetitions
    cells: Mapping[Cell, Score]  # subset → its score in the group's first metric
    withheld: str | None  # reason why the score is withheld
    repetitions: int  # number of responses per question
    # numbers of tokens of the responses; None where no response has one
    tokens: Mapping[str, float | None] | None = None


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One run."""

    name: str
    groups: Mapping[Group, MeasuredGroup]  # group → its scores
    provenance: Mapping[str, Provenance] = field(default_factory=dict)  # task → provenance of its responses, if known
    notes: Sequence[str] = ()


def read_run(name: str, path: Path, questions: Path | None = None, *, cells: bool = True) -> ScoredRun:
    """Read and score the responses of a run, by default with subsets; raise VhbenchError if one cannot be scored."""
    by_group: dict[Group, list[Record]] = defaultdict(list)
    responses = Responses(path, questions)
    for task, record in responses.by_task():
        by_group[scoring.group_of(task, record)].append(record)
    if not by_group:
        raise VhbenchError(f"{path}: {scoring.no_answers_message(responses)}")
    if responses.uneven:
        raise VhbenchError(f"{path}: {responses.uneven[0]}; a comparison needs equal numbers of responses")
    if questions is None:
        scoring.check_captions(responses, by_group)
    groups = {group: measure(by_group[group], group, questions, cells=cells) for group in sorted(by_group)}
    for total, members in scoring.totals(by_group).items():
        every = {record.id: record for member in members for record in by_group[member]}
        groups[total] = measure(every.values(), total, questions, cells=False)
    notes = list(responses.notes)
    claims = claims_of(path)
    for group, measured in groups.items():
        scores = {metric: score.value for metric, score in measured.scores.items()}
        notes += conflicting_claims(group.task, claims.get(group.task, {}), scores)
    if missing := sum(responses.missing.values()) if questions is not None else 0:
        number = sum(responses.asked.values())
        notes.append(f"{missing:,} of {number:,} questions have no response (the first: {responses.first_missing!r})")
    notes += [f"left out: {count:,} {kind}" for kind, count in sorted(responses.left_out.items())]
    return ScoredRun(name, groups, dict(responses.provenance), notes)


def measure(records: Iterable[Record], group: Group, split: Path | None = None, *, cells: bool = True) -> MeasuredGroup:
    """Score the parsed responses of one run on a group of questions; ``cells`` scores subsets, too.

    The caption vocabulary is that of ``split``, by default of the one that the tasks use.
    """
    ordered = sorted(as_records(records), key=lambda record: record.id)
    groupings = scoring.cells_of(group)
    every = {column for columns in groupings for column in columns}
    measured = scoring.measured(ordered, group, split, every)
    metrics = [metric for metric in compared(group) if metric.name in {one.name for one in measured.metrics}]
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
        measured.withheld,
        round(len(ordered) / (int(owner.max()) + 1)),
        measured.token_counts,
    )


def compared(group: Group) -> tuple[Metric, ...]:
    """Return the compared metrics; for foreign benchmarks only the first."""
    metrics = tuple(metric for metric in metrics_of(group.family) if metric.compared)
    return metrics if group.benchmark else metrics[:1]


def _questions(ordered: Sequence[Record], owner: Places, groupings: Sequence[Sequence[str]]) -> Questions:
    """Return the questions, from the first response to each."""
    first = np.unique(owner, return_index=True)[1].tolist()
    records = [ordered[place] for place in first]
    cells: dict[Cell, list[int]] = defaultdict(list)
    for columns in groupings:
        for place, record in enumerate(records):
            cells[tuple((column, getattr(record, column)) for column in columns)].append(place)
    names = ("benchmark", "perturbation", "scene_ids", "criterion", "question_type", "pressure")
    pairs = [split_repetition(r.pair_id)[1] for r in records]
    about = [
        Record(split_repetition(r.id)[1], pair_id=pair, **{name: getattr(r, name) for name in names})
        for r, pair in zip(records, pairs, strict=True)
    ]
    return Questions(about, [_digests(r) for r in records], {cell: np.array(own) for cell, own in cells.items()})


def _digests(record: Record) -> tuple[bytes, bytes]:
    """Return a digest that distinguishes different questions of the same id."""
    content = (record.kind, record.answer, record.choices, record.objects, record.scene_ids)
    return short_digest(repr(content)), short_digest(record.question) if record.question else b""
