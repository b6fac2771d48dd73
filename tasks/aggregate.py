"""Metric lists and aggregation functions of the YAML task files.

``metric_list: !function vhbench.tasks.aggregate.ode_fictional_caption`` makes lmms-eval read the module attribute of
this name when it loads the task (:func:`__getattr__`). It passes the payloads of ``prompts.process_results`` in the
order in which its processes finish; they are sorted by id here, and each id counts once.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from vhbench.benchmarks import of_task, task
from vhbench.provenance import KEY, missing, one_of
from vhbench.records import split_repetition, to_records
from vhbench.schema import Record, VhbenchError
from vhbench.tasks import datasets, report, submission
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import listed

Items = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Aggregation:
    """Aggregates one metric of a task over its rows; that of the first metric also writes the task's report."""

    task: str
    metric: Metric
    reports: bool  # whether this metric's payloads are whole records, from which the report is made

    def __call__(self, items: Items, args: Any = None) -> float | None:
        """Return the value for the table: a percentage or a count; None if undefined, withheld or unknown."""
        samples, family = records(items), task(self.task).family
        assert family is not None
        if any(map(submission.is_label_hidden, samples)):
            if self.reports:
                submission.write(samples, self.task, args)
            return None
        if self.reports:
            repetitions = 1 + max((len(item.get("repeats", ())) for item in items), default=0)
            grid = _origin(items, self.task) | report.grid(samples, task(self.task)) | {"repetitions": repetitions}
            report.write(grid, self.task, args)
            labels = _published(grid)
            incomplete = grid["partial"] and f"partial: {grid['partial']}"
            for line in filter(None, (incomplete, grid["withheld"], *grid["unread"]["warnings"], labels)):
                print(f"vhbench: {self.task}: {line}", file=sys.stderr)
            for item in items if grid["withheld"] else ():  # lmms-eval would derive a standard error from these
                item.pop("score", None)
                item.pop("accuracy", None)
            return cast("float | None", grid["overall"][self.metric.name])
        return report.measure_task(samples, family, [self.metric]).scores[self.metric.name].value


def metric_list(name: str) -> list[dict[str, Any]]:
    """Return the metrics of a task in lmms-eval's format; raise if it is a group, or of no benchmark."""
    family, variants = task(name).family, task(name).variants
    if family is None:
        raise VhbenchError(f"{name}: expected a task, got a group; its members have metrics")
    return [
        {
            "metric": metric.name,
            "aggregation": Aggregation(name, metric, reports=place == 0),
            "higher_is_better": metric.higher_is_better,
        }
        for place, metric in enumerate(listed(family.name, split_repetition("".join(variants[:1])).variant[0]))
    ]


def __getattr__(name: str) -> list[dict[str, Any]]:
    """Return the metrics of the task of this name."""
    if of_task(name) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return metric_list(name)


def records(items: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Convert payloads to records, sorted by id, without duplicates (padding of several processes repeats some).

    Repetitions are adjacent: their joint score is the mean of their scores.
    """
    by_id = {record.id: record for item in items for record in to_records(item)}
    return [by_id[key] for key in sorted(by_id)]


def _published(grid: Mapping[str, Any]) -> str:
    """Return a line with the scores before labels were repaired; "" if none was."""
    if (published := grid.get("pairs", {}).get("published_labels")) is None:
        return ""
    withdrawn = datasets.resolve(grid["benchmark"]).manifest.rejections.get("label_withdrawn", 0)
    names = [name for name in published if name != "relabelled" and published[name] is not None]
    scores = ", ".join(f"{name} {100 * published[name]:.1f} %" for name in names)
    return f"{published['relabelled']:,} labels corrected, {withdrawn:,} withdrawn; with the published labels: {scores}"


def _origin(items: Items, task: str) -> dict[str, Any]:
    """Return the head of a report: missing responses, and provenance."""
    provenance = one_of((item.get(KEY) for item in items), task)
    answered = len({item["id"] for item in items})
    lost = None if provenance is None else missing(answered, provenance.asked, provenance.of)
    return {"partial": lost, KEY: None if provenance is None else provenance.to_json() | {"answered": answered}}
