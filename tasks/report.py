"""Full report of a task with counts and 95 % intervals, as JSON next to lmms-eval's results; all in percent.

lmms-eval's table takes one number per metric; everything else goes into ``<date>_<task>_report.json``.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vhbench.benchmarks import Family, Task, benchmark, load
from vhbench.records import as_records, split_repetition
from vhbench.schema import Record
from vhbench.tasks import datasets, unparsed
from vhbench.tasks.metrics import ode_captions, yes_no
from vhbench.tasks.metrics.measuring import Measured, measure, report_scores
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import metrics_of

Records = Sequence[Record]

_NOTES: Mapping[str, Callable[[Measured], dict[str, Any]]] = {
    "yes_no": yes_no.notes,
    "caption": lambda measured: {"counters": ode_captions.counters(measured)},
}
"""Family → function for further fields of its numbers."""


def measure_task(records: Records, family: Family, metrics: Sequence[Metric] | None = None) -> Measured:
    """Compute all or some metrics of a task, with the caption vocabulary of the split that the tasks use."""
    chosen = metrics_of(family.name) if metrics is None else metrics
    name = records[0].benchmark
    searched = any({"claims", "words"} & {*metric.needs} for metric in chosen)
    return measure(
        records,
        chosen,
        columns={column for columns in family.cells for column in columns},
        positive=benchmark(name).positive,
        claimed=load(benchmark(name).claims)(datasets.vocabulary(name)) if searched else None,
    )


def grid(records: Records, task: Task) -> dict[str, Any]:
    """Return a task's numbers, overall and for each subset.

    Each has ``n``, the task's metrics by name, their ``intervals``, and ``interval_notes`` on why one is wide;
    ``interval`` is that of the accuracy. ``bounds`` are scores with every missing prediction wrong, and right.
    ``rotations`` is the number of option rotations per question. ``withheld`` is the reason if too many
    requests failed, overall or in a subset; its scores are then None.
    """
    family = task.family
    assert family is not None, f"{task.name} is a group"
    ordered = sorted(as_records(records), key=lambda record: record.id)
    measured = measure_task(ordered, family)
    variants = {split_repetition(record.id).variant for record in ordered}
    rotations = max((number for kind, number in variants if kind == "r"), default=0)
    extra = {name: load(function)(ordered) for name, function in family.extra.items()}
    return {
        "benchmark": ordered[0].benchmark,
        "withheld": measured.withheld,
        "overall": numbers(measured, family.name),
        "unread": unparsed.summary(ordered, measured.warnings),
        "tokens": measured.token_counts,
        "cells": {" x ".join(columns): _cells(measured, columns, family.name) for columns in family.cells},
        **({"rotations": rotations} if rotations else {}),
        **{name: entry for name, entry in extra.items() if entry is not None},
    }


def numbers(measured: Measured, family: str) -> dict[str, Any]:
    """Return the metrics by name, with intervals and further fields."""
    scores = {"n": measured.n, **report_scores(measured, percent=True)}
    if "accuracy" in scores:
        scores["interval"] = scores["intervals"]["accuracy"]
    return scores | (_NOTES[family](measured) if family in _NOTES and not measured.withheld else {})


def _cells(measured: Measured, columns: Sequence[str], family: str) -> list[Mapping[str, Any]]:
    return [
        dict(zip(columns, key, strict=True)) | numbers(cell, family) for key, cell in measured.cells(columns).items()
    ]


def written_with(results: Path, task: str) -> Path:
    """Return the path of a task's report written with lmms-eval's ``<date>_results.json``."""
    return results.with_name(f"{results.name.removesuffix('_results.json')}_{task}_report.json")


def write(report: dict[str, Any], task: str, args: Any) -> None:
    """Write a report next to the results of a run, if the run writes results."""
    from vhbench.adapters.lmms_eval import write_beside_results

    write_beside_results(args, f"{task}_report", {"task": task, **report})
