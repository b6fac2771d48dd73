"""Scores of existing responses by benchmark and kind, with the metrics of the tasks."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.benchmarks import BENCHMARKS, Grouping, benchmark, load, of_task
from vhbench.benchmarks import task as task_named
from vhbench.records import split_repetition
from vhbench.runs import Responses, check_same_split
from vhbench.runs.questions import annotated_words, has_vocabulary, is_split
from vhbench.runs.run_claims import claims_of, conflicting_claims
from vhbench.schema import Record, VhbenchError
from vhbench.splits import answer_keys
from vhbench.store import PackedRecords
from vhbench.tasks import datasets
from vhbench.tasks.metrics import multiple_choice, ode_captions, symmetric_accuracy, yes_no
from vhbench.tasks.metrics.measuring import Measured, measure
from vhbench.tasks.metrics.registry import metrics_of

Words = Mapping[str, Iterable[str]]


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """Responses that are scored together."""

    task: str  # lmms-eval task, or config of a split; "" if unknown
    benchmark: str  # benchmark of vhbench; "" for another
    family: str  # family of metrics, a key of `METRICS`
    variants: str = ""  # kind of the questions' variants, as of `split_repetition`

    @property
    def title(self) -> str:
        """Title of the group."""
        named = self.task or self.benchmark or "answers"
        kind = "" if self.benchmark and self.task else f", {_KINDS[self.family]}"
        return named + kind + _VARIANTS[self.variants]


_VARIANTS = {"": "", "r": ", rotated options", "w": ", several wordings"}
_KINDS = {"caption": "captions", "yes_no": "yes/no", "multiple_choice": "multiple choice", "pairs": "pairs"}


def score_all(responses: Responses, *, positive: str = "", allow_failed: bool = False) -> dict[Group, dict[str, Any]]:
    """Return the scores of each task, benchmark and kind of question in a file or run.

    ``positive`` is the positive class of precision and recall, "" for that of the benchmark, or yes without one;
    ``allow_failed`` reports scores even if more than 1 % of the requests failed. Captions are scored with the
    vocabulary of the questions, if these are a split or a key, else of the split that the tasks use.

    Raises:
        VhbenchError: if no question has a reference answer, or captions have no vocabulary.
    """
    split = responses.questions if has_vocabulary(responses.questions) else None
    groups: dict[Group, PackedRecords] = {}
    alike: dict[tuple[str, ...], PackedRecords] = {}  # the fields that determine the group
    for task, record in responses.by_task():
        key = task, record.benchmark, record.kind, split_repetition(record.id).variant[0], record.question_type
        if key not in alike:
            alike[key] = groups.setdefault(group_of(task, record), PackedRecords())
        alike[key].add(record)
    if not groups:
        raise VhbenchError(f"{responses.path}: {no_answers_message(responses)}")
    if split is None:
        check_captions(responses, groups)
    for total, members in totals(groups).items():
        if len(members) > 1:
            groups[total] = PackedRecords.union(groups[member] for member in members)
    options: dict[str, Any] = {"positive": positive, "split": split, "allow_failed": allow_failed}
    scored = {group: score_group(groups.pop(group), group, **options) for group in sorted(groups)}
    if responses.judge is None and not positive:
        claims = {task: own for run in (responses.path, *responses.further) for task, own in claims_of(run).items()}
        for group, result in scored.items():
            shares = [metric.name for metric in metrics_of(group.family) if metric.scale == "share"]
            scores = {name: 100 * result[name] for name in shares if result.get(name) is not None}
            responses.notes += conflicting_claims(group.task, claims.get(group.task, {}), scores)
    return scored


def whole(group: Group) -> Group:
    """Return the group of all questions of a benchmark, family and token limit.

    >>> [whole(Group(task, task.split("_")[0], "caption")).task for task in ("ode_fictional_caption", "chair_64")]
    ['', 'chair_64']
    """
    limited = group.benchmark and group.task and task_named(group.task).max_new_tokens
    return group if limited else replace(group, task="")


def totals(groups: Collection[Group]) -> dict[Group, list[Group]]:
    """Return the groups that stand for whole benchmarks, with their parts."""
    parts: dict[Group, list[Group]] = {}
    for group in sorted(groups):
        if group.benchmark and not group.variants and whole(group) not in groups:
            parts.setdefault(whole(group), []).append(group)
    return parts


def check_captions(responses: Responses, groups: Iterable[Group]) -> None:
    """Check that captions belong to the split that the tasks use, whose vocabulary scores them."""
    for group in groups:
        if group.family == "caption" and (source := responses.provenance.get(group.task)):
            data = datasets.resolve(source.benchmark)
            check_same_split(source, data.path, data.manifest)


def group_of(task: str, record: Record) -> Group:
    """Return the group of a record; answers under different token limits are never pooled.

    >>> group_of("", Record("q", kind="yes_no", answer="no", benchmark="vhexpansion")).family
    'pairs'
    >>> group_of("chair_captions", Record("q", kind="caption", benchmark="chair", question_type="64_tokens")).task
    'chair_64'
    """
    entry, variants = BENCHMARKS.get(record.benchmark), split_repetition(record.id).variant[0]
    if entry is not None and record.kind in entry.families:
        limited, named = entry.limited_task(partial(getattr, record)), task if of_task(task) is entry else ""
        return Group(limited.name if limited else named, entry.name, entry.families[record.kind].name, variants)
    if not record.kind:
        raise VhbenchError(
            f"question {record.id!r}: expected a reference answer (yes, no or one of its options) or objects; give a "
            "file or split that has them with --questions"
        )
    return Group(task, "", record.kind, variants)


def no_answers_message(responses: Responses) -> str:
    """Return the message for responses of which none can be scored."""
    left = ", ".join(f"{count} {what}" for what, count in sorted(responses.left_out.items()))
    kind = f" of the kind {responses.kind}" if responses.kind else ""
    return f"no answers{kind} to score" + (f"; left out: {left}" if left else "")


def captions(
    records: Iterable[Record], split: Path | None, *, of: str = "", allow_failed: bool = False
) -> dict[str, Any]:
    """Return caption scores, with the vocabulary of a split or key; None for the split that the tasks use.

    Their benchmark is ``of``, "" for that of the split, or ODE; ``allow_failed`` is as of :func:`score_all`.
    """
    name = of or _benchmark_of(split)
    if split is None:
        split = datasets.resolve(name).path
        records = datasets.belonging(records, split, "--questions")
    claims = load(benchmark(name).claims)
    return ode_captions.score(records, vocabulary=vocabulary(split), claims=claims, allow_failed=allow_failed)


def _benchmark_of(split: Path | None) -> str:
    """Return the benchmark of a split or key; ODE for other files."""
    if split is not None and answer_keys.is_key(split):
        return answer_keys.read_head(split).benchmark
    return splits.read_manifest(split).benchmark if split is not None and is_split(split) else "ode"


def vocabulary(split: Path) -> Words:
    """Return the caption vocabulary of a split, a hidden test set's key, or annotations; raise VhbenchError if none."""
    if answer_keys.is_key(split):
        return answer_keys.read_head(split).vocabulary
    if (words := annotated_words(split)) is None:
        return datasets.vocabulary_of(split, splits.read_manifest(split))
    if not words:
        raise VhbenchError(f"{split}: expected a split folder with a caption vocabulary (--questions)")
    return words


def score_group(
    records: Iterable[Record],
    group: Group,
    *,
    positive: str = "",
    split: Path | None = None,
    allow_failed: bool = False,
) -> dict[str, Any]:
    """Return the scores of records, as the public function of their family does."""
    if group.family == "caption":
        check_vocabulary(group, split)
        return captions(records, split, of=group.benchmark, allow_failed=allow_failed)
    if group.family == "yes_no":
        return yes_no.score_records(records, positive=positive or _positive_of(group), allow_failed=allow_failed)
    score = multiple_choice.score if group.family == "multiple_choice" else symmetric_accuracy.score
    return score(records, allow_failed=allow_failed)


def measured(records: Sequence[Record], group: Group, path: Path | None, columns: Collection[str] = ()) -> Measured:
    """Compute metrics of records with predictions, with subsets by these columns."""
    claimed = None
    if group.family == "caption":
        check_vocabulary(group, path)
        name = group.benchmark or _benchmark_of(path)
        split = path or datasets.resolve(name).path
        if path is None:
            list(datasets.belonging(records, split, "--questions"))
        claimed = load(benchmark(name).claims)(vocabulary(split))
    return measure(records, group.family, columns=columns, positive=_positive_of(group), claimed=claimed)


def cells_of(group: Group) -> tuple[Grouping, ...]:
    """Return the columns that define the subsets of reports."""
    families = BENCHMARKS[group.benchmark].families.values() if group.benchmark else ()
    return next((family.cells for family in families if family.name == group.family), ())


def _positive_of(group: Group) -> str:
    """Return the positive class of precision and recall."""
    return benchmark(group.benchmark).positive if group.benchmark else "yes"


def check_vocabulary(group: Group, split: Path | None) -> None:
    """Check that captions have a vocabulary."""
    if not group.benchmark and split is None:
        raise VhbenchError(f"{group.title}: expected a caption vocabulary; give the evaluated split with --questions")
