"""The full grid of a task, with counts and 95 % intervals, as JSON beside lmms-eval's results; all in percent.

lmms-eval's table takes one number per metric; everything else goes into ``<date>_<task>_report.json``.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vhbench.benchmarks import Family, Task, benchmark, load
from vhbench.records import as_records
from vhbench.schema import Record
from vhbench.tasks import datasets, unparsed
from vhbench.tasks.metrics import ode_captions, yes_no
from vhbench.tasks.metrics.measuring import Measured, measure
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import metrics_of
from vhbench.tasks.metrics.withholding import reason_of

Records = Sequence[Record]

_NOTES: Mapping[str, Callable[[Measured], dict[str, Any]]] = {
    "yes_no": yes_no.notes,
    "caption": lambda measured: {"counters": ode_captions.counters(measured)},
}
"""Family → what its numbers say besides scores."""


def measure_task(records: Records, family: Family, metrics: Sequence[Metric] | None = None) -> Measured:
    """Measure the answers to a task, captions in the words of the split that the tasks would ask.

    Args:
        records: of one benchmark.
        family: of the task.
        metrics: which of the family's; None for all.
    """
    chosen = metrics_of(family.name) if metrics is None else metrics
    name = records[0].benchmark
    searched = any({"claims", "words"} & {*metric.needs} for metric in chosen)
    return measure(
        records,
        chosen,
        columns={column for columns in family.cells for column in columns},
        positive=benchmark(name).positive,
        claimed=ode_captions.counter(datasets.vocabulary(name)) if searched else None,
    )


def grid(records: Records, task: Task) -> dict[str, Any]:
    """Return a task's numbers: of all its records together, and of each cell of each grouping.

    Each has ``n``, the task's metrics by name and their ``intervals``, with ``interval_notes`` where one is wide for a
    reason; ``interval`` is that of the accuracy. Where too many requests failed, ``withheld`` says so, and scores are
    None: of the whole, and of a cell in which they did.
    """
    family = task.family
    assert family is not None, f"{task.name} is a group"
    ordered = sorted(as_records(records), key=lambda record: record.id)
    measured = measure_task(ordered, family)
    return {
        "benchmark": ordered[0].benchmark,
        "withheld": reason_of(ordered),
        "overall": numbers(measured, family.name),
        "unread": unparsed.summary(ordered),
        "cells": {" x ".join(columns): _cells(measured, columns, family.name) for columns in family.cells},
        **{name: load(function)(ordered) for name, function in family.extra.items()},
    }


def numbers(measured: Measured, family: str) -> dict[str, Any]:
    """Return the metrics of some answers, by name, with their intervals and what their scores say besides."""
    scores = measured.scores
    found: dict[str, Any] = {"n": measured.n, **{name: score.value for name, score in scores.items()}}
    found["intervals"] = {name: score.interval for name, score in scores.items()}
    found["interval_notes"] = {name: score.note for name, score in scores.items() if score.note}
    if "accuracy" in scores:
        found["interval"] = scores["accuracy"].interval
    return found | (_NOTES[family](measured) if family in _NOTES and not measured.withheld else {})


def _cells(measured: Measured, columns: Sequence[str], family: str) -> list[Mapping[str, Any]]:
    return [
        dict(zip(columns, key, strict=True)) | numbers(cell, family) for key, cell in measured.cells(columns).items()
    ]


def written_with(results: Path, task: str) -> Path:
    """Return the report of a task that was written with lmms-eval's results, ``<date>_results.json``."""
    return results.with_name(f"{results.name.removesuffix('_results.json')}_{task}_report.json")


def write(report: dict[str, Any], task: str, args: Any) -> None:
    """Write a report beside the results of a run; nothing where the run writes no results."""
    from vhbench.adapters.lmms_eval import write_beside_results

    write_beside_results(args, f"{task}_report", {"task": task, **report})
