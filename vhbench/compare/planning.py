"""Number of questions that a comparison of two runs needs (``vhbench plan``)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt
from pathlib import Path

import numpy as np

from vhbench import benchmarks, splits
from vhbench.columns import RECORD
from vhbench.compare.scored_runs import MeasuredGroup, ScoredRun, measure, read_run
from vhbench.compare.scoring import Group, group_of
from vhbench.records import to_record
from vhbench.schema import Record, VhbenchError
from vhbench.seeding import rng
from vhbench.statistics import multiple_testing
from vhbench.statistics.clustering import Floats, cluster_sums
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.power import Precision
from vhbench.tasks import datasets
from vhbench.tasks.metrics.registry import headline_of

ALIKE = 0.2  # assumed share of an image in how difficult its questions are, without a pilot
_SIMULATED = 2_000  # number of clusters from which one simulated pilot is enough


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What a comparison on a task detects, and what it needs."""

    task: str
    metric: str
    questions: int  # number of its questions
    images: int  # number of their images
    clusters: int  # number of clusters of dependent questions
    # smallest difference detected with 80 % power, in points; None where it is unknown or unlimited
    detectable: float | None = None
    needed_questions: int | None = None  # number of questions that the asked difference needs; None where it is unknown
    needed_images: int | None = None  # number of images, likewise


def plan(
    detect: float,
    *,
    split: Path | None = None,
    pilot: Sequence[str] = (),
    accuracy: float = 0.8,
    tasks: Collection[str] = (),
    seed: int = 0,
) -> tuple[list[TaskPlan], str]:
    """Plan tasks, all by default, from a pilot of one or two runs or a split; return also what the plan is based on.

    The difference to ``detect`` is in points. Without a pilot, ``accuracy`` is the assumed share of correct answers,
    and the split by default that which the tasks use.
    """
    if pilot:
        runs = [read_run(path, Path(path), split, cells=False) for path in pilot]
        return _from_pilot(runs, detect, tasks=tasks, seed=seed), f"from the pilot {' and '.join(pilot)}"
    named = [owner.name for name in tasks if (owner := benchmarks.of_task(name))] or list(benchmarks.BENCHMARKS)
    paths = [split] if split else [datasets.resolve(name).path for name in dict.fromkeys(named)]
    plans = [_from_split(path, detect, accuracy=accuracy, tasks=tasks, seed=seed) for path in paths]
    shared = f"{100 * ALIKE:.0f} % of the variance in difficulty due to the image"
    assumed = f"accuracy {100 * accuracy:.0f} %, independent errors, {shared}"
    return [one for own in plans for one in own], f"assumed: {assumed}"


def _from_pilot(
    runs: Sequence[ScoredRun], detect: float, *, tasks: Collection[str] = (), seed: int = 0
) -> list[TaskPlan]:
    """Plan from one pilot run, or from the differences of two on the same questions."""
    names = _members(tasks)
    common = [group for group in runs[0].groups if all(group in run.groups for run in runs)]
    chosen = [group for group in common if not names or group.task in names]
    if not chosen:
        raise VhbenchError(f"expected a pilot of {', '.join(tasks) or 'the same tasks'}; it has none of them")
    return [_plan(group, [[run.groups[group] for run in runs]], detect, seed) for group in chosen]


def _from_split(
    split: Path, detect: float, *, accuracy: float, tasks: Collection[str] = (), seed: int = 0
) -> list[TaskPlan]:
    """Plan from the questions of a split, with simulated answers of two models that err independently."""
    plans = list[TaskPlan]()
    names = _members(tasks)
    for task, rows in _tasks(split).items():
        if names and task not in names:
            continue
        group = group_of(task, rows[0])
        sized = _sized(group, rows)
        if group.family == "caption" or sized.clusters == 1:  # nothing varies between clusters
            plans.append(sized)
            continue
        number = ceil(_SIMULATED / sized.clusters)
        answered = (_answered(rows, accuracy, rng(seed, "plan", task, place)) for place in range(number))
        plans.append(_plan(group, [[measure(answers, group, cells=False)] for answers in answered], detect, seed))
    if not plans:
        raise VhbenchError(f"{split}: expected {', '.join(tasks)}; it has none of them")
    return plans


def _tasks(split: Path) -> Mapping[str, Sequence[Record]]:
    """Return the questions of each task of a split."""
    manifest = splits.read_manifest(split)
    known = {
        name: task for name, task in benchmarks.tasks(manifest.benchmark).items() if task.family and not task.variants
    }
    subsets = [task for task in known.values() if task.keep is not None]
    by_task: dict[str, list[Record]] = defaultdict(list)
    for config, row in splits.read_columns(split, list(RECORD)):
        names = [task.name for task in subsets if task.keeps(row.__getitem__)]
        if not names or (config in known and known[config].keep is None):
            names.append(config)
        for name in names:
            by_task[name].append(to_record(row))
    return dict(sorted(by_task.items()))


def _members(names: Iterable[str]) -> set[str]:
    """Return tasks, with those of groups."""
    members = set[str]()
    for name in names:
        task = benchmarks.task(name)
        members |= _members(task.members) if task.members else {name}
    return members


def _answered(rows: Sequence[Record], accuracy: float, random: np.random.Generator) -> Iterator[Record]:
    from scipy.special import ndtri

    names = sorted({image for row in rows for image in row.scene_ids})
    hard = dict(zip(names, random.standard_normal(len(names)).tolist(), strict=True))
    for row, own in zip(rows, random.standard_normal(len(rows)).tolist(), strict=True):
        shared = sum(hard[image] for image in row.scene_ids) / sqrt(max(1, len(row.scene_ids)))
        right = sqrt(ALIKE) * shared + sqrt(1 - ALIKE) * own < ndtri(accuracy)
        wrong = {"yes": "no", "no": "yes"}.get(row.answer, "B" if row.answer == "A" else "A")
        yield replace(row, prediction=row.answer if right else wrong)


def _sized(group: Group, rows: Sequence[Record]) -> TaskPlan:
    images = {image for row in rows for image in row.scene_ids}
    clusters = len(np.unique(clusters_of(rows).numbers))
    return TaskPlan(group.task or group.title, headline_of(group.family).name, len(rows), len(images), clusters)


def _plan(group: Group, samples: Sequence[Sequence[MeasuredGroup]], detect: float, seed: int) -> TaskPlan:
    """Plan a task from samples of one run, or two."""
    sized = _sized(group, samples[0][0].questions.about)
    known = [set.intersection(*(set(one.apart) for one in runs)) for runs in samples]
    metrics = [metric.name for metric in samples[0][0].metrics if all(metric.name in names for names in known)]
    if sized.metric not in metrics:
        return sized
    numbers, size = clusters_of(samples[0][0].questions.about).numbers, sized.questions
    clusters = np.concatenate([number * size + numbers for number in range(len(samples))])
    covered = np.tile(samples[0][0].apart[sized.metric].about, len(samples))
    columns = {name: np.concatenate([_change(runs, name) for runs in samples]) for name in metrics}
    sums = np.column_stack(cluster_sums(list(columns.values()), clusters))
    critical = multiple_testing.sign_flip_test(sums, seed=seed)[0].critical
    # The samples are independent copies of the questions: their mean has so many times more clusters.
    seen = Precision.of(columns[sized.metric] / len(samples), covered, clusters, critical)
    here = replace(seen, error=seen.error * sqrt(len(samples)), kish=seen.kish * len(samples))
    if seen.error < 1e-9 or critical == inf:  # nothing varies, or too few clusters can differ
        return sized
    growth, least = here.growth(detect / 100), here.detectable
    questions, images = (ceil(growth * count) for count in (sized.questions, sized.images))
    return replace(sized, detectable=least and 100 * least, needed_questions=questions, needed_images=images)


def _change(runs: Sequence[MeasuredGroup], metric: str) -> Floats:
    """Return each question's part in the difference of two runs; of one, as if another one erred independently."""
    first, *other = (run.apart[metric] for run in runs)
    if other:
        return other[0].change_from(first)
    about = first.about
    return sqrt(2) * (first.pulls - np.where(about, first.pulls[about].mean(), 0.0))
