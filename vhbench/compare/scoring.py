"""Scores of answers that are there already, with kinds and benchmarks told apart: the metrics that the tasks use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vhbench import splits
from vhbench.benchmarks import BENCHMARKS, Grouping, benchmark, of_task
from vhbench.records import split_repetition
from vhbench.runs import Responses, check_same_split
from vhbench.runs.questions import is_split
from vhbench.schema import Record, VhbenchError
from vhbench.splits import answer_keys
from vhbench.store import PackedRecords
from vhbench.tasks import datasets
from vhbench.tasks.metrics import multiple_choice, ode_captions, symmetric_accuracy, yes_no
from vhbench.tasks.metrics.measuring import Measured, measure

Words = Mapping[str, Iterable[str]]


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How answers are scored.

    Attributes:
        positive: the class that precision and recall are about; "" for the benchmark's, and yes where there is none.
        split: a split, or the key of a hidden edition, that captions have their vocabulary from; None for the split
            that the tasks would ask.
        allow_failed: tell scores even where more than 1 % of the requests failed.
    """

    positive: Literal["", "yes", "no"] = ""
    split: Path | None = None
    allow_failed: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """Answers that are scored together.

    Attributes:
        task: of lmms-eval, or the config of a split; "" where nothing tells it.
        benchmark: of ours; "" for another.
        family: how they are scored, a key of :data:`vhbench.tasks.metrics.registry.METRICS`.
    """

    task: str
    benchmark: str
    family: str

    @property
    def title(self) -> str:
        """What the group is called."""
        named = self.task or self.benchmark or "answers"
        return named if self.benchmark and self.task else f"{named}, {_KINDS[self.family]}"


_KINDS = {"caption": "captions", "yes_no": "yes/no", "multiple_choice": "multiple choice", "pairs": "pairs"}


def score_all(responses: Responses, how: ScoringOptions) -> dict[Group, dict[str, Any]]:
    """Return the scores of each task, benchmark and kind of question that a file or a run holds.

    Raises:
        VhbenchError: if there is no answer to a question with a right answer, or captions have no vocabulary.
    """
    groups: dict[Group, PackedRecords] = {}
    alike: dict[tuple[str, str, str], PackedRecords] = {}  # what the group of an answer follows from
    for task, record in responses.by_task():
        key = task, record.benchmark, record.kind
        if key not in alike:
            alike[key] = groups.setdefault(group_of(task, record), PackedRecords())
        alike[key].add(record)
    if not groups:
        raise VhbenchError(f"{responses.path}: {no_answers_message(responses)}")
    if how.split is None:
        check_captions(responses, groups)
    return {group: score_group(groups.pop(group), group, how) for group in sorted(groups)}


def check_captions(responses: Responses, groups: Iterable[Group]) -> None:
    """Raise if captions are to another split than that which the tasks would ask, whose words they are scored with."""
    for group in groups:
        if group.family == "caption" and (told := responses.provenance.get(group.task)):
            data = datasets.resolve(told.benchmark)
            check_same_split(told, data.path, data.manifest)


def group_of(task: str, record: Record) -> Group:
    """Return the group of an answer.

    >>> group_of("", Record("q", kind="yes_no", answer="no", benchmark="vhexpansion")).family
    'pairs'
    """
    entry = BENCHMARKS.get(record.benchmark)
    if entry is not None and record.kind in entry.families:
        owned = of_task(task)
        return Group(task if owned is entry else "", entry.name, entry.families[record.kind].name)
    if not record.kind:
        raise VhbenchError(
            f"question {record.id!r} has no right answer (yes, no or one of its options) and no objects: name a file "
            "or a split that has them with --questions"
        )
    return Group(task, "", record.kind)


def no_answers_message(responses: Responses) -> str:
    """Say that no answer is left to score, and what was left out."""
    left = ", ".join(f"{count} {what}" for what, count in sorted(responses.left_out.items()))
    kind = f" of the kind {responses.kind}" if responses.kind else ""
    return f"no answers{kind} to score" + (f"; left out: {left}" if left else "")


def captions(records: Iterable[Record], split: Path | None, **how: Any) -> dict[str, Any]:
    """Return ODE's scores of captions, with the vocabulary of a split; None for the one that the tasks would ask."""
    if split is None:
        records = _of_the_split(records, datasets.resolve("ode").path)
    return ode_captions.score(records, vocabulary=vocabulary(split), **how)


def _of_the_split(records: Iterable[Record], split: Path) -> Iterator[Record]:
    """Yield the records; raise where one is of another split, whose vocabulary is another."""
    asked = splits.read_ids(split)
    for record in records:
        if split_repetition(record.id)[1] not in asked:
            raise VhbenchError(
                f"answer {record.id!r} is to no question of {split}, with whose words captions would be scored; name "
                "the split that was asked with --questions DIR"
            )
        yield record


def vocabulary(split: Path | None) -> Words:
    """Return the words that captions are searched for.

    Raises:
        VhbenchError: if the split has none.
    """
    if split is None:
        return datasets.vocabulary("ode")
    if answer_keys.is_key(split):
        return answer_keys.read_head(split).vocabulary
    if not is_split(split):
        raise VhbenchError(f"{split} is no split: captions need the vocabulary of one; name its folder (--questions)")
    return datasets.vocabulary_of(split, splits.read_manifest(split))


def score_group(records: Iterable[Record], group: Group, how: ScoringOptions) -> dict[str, Any]:
    """Return the scores of some answers, as the public function of their family does."""
    if group.family == "caption":
        check_vocabulary(group, how.split)
        return captions(records, how.split, allow_failed=how.allow_failed)
    if group.family == "yes_no":
        return yes_no.score_records(records, positive=positive_of(group, how), allow_failed=how.allow_failed)
    score = multiple_choice.score if group.family == "multiple_choice" else symmetric_accuracy.score
    return score(records, allow_failed=how.allow_failed)


def measured(records: Sequence[Record], group: Group, how: ScoringOptions, columns: Iterable[str] = ()) -> Measured:
    """Measure answers that have their predictions, for cells by these columns."""
    claimed = None
    if group.family == "caption":
        check_vocabulary(group, how.split)
        if how.split is None:
            list(_of_the_split(records, datasets.resolve("ode").path))
        claimed = ode_captions.counter(vocabulary(how.split))
    return measure(records, group.family, columns=columns, positive=positive_of(group, how), claimed=claimed)


def cells_of(group: Group) -> tuple[Grouping, ...]:
    """Return the columns by which reports have cells."""
    families = BENCHMARKS[group.benchmark].families.values() if group.benchmark else ()
    return next((family.cells for family in families if family.name == group.family), ())


def positive_of(group: Group, how: ScoringOptions) -> str:
    """Return the class that precision and recall are about."""
    return how.positive or (benchmark(group.benchmark).positive if group.benchmark else "yes")


def check_vocabulary(group: Group, split: Path | None) -> None:
    """Raise if captions have no vocabulary."""
    if group.benchmark != "ode" and split is None:
        raise VhbenchError(f"{group.title}: captions need a vocabulary; name the split that was asked with --questions")
