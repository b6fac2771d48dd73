"""The full grid of a task, with counts and 95 % intervals, as JSON beside lmms-eval's results; all in percent.

lmms-eval's table takes one number per metric; everything else goes into ``<date>_<task>_report.json``.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from vhbench.benchmarks import Metric, Task, load
from vhbench.records import as_records
from vhbench.schema import Record
from vhbench.tasks import unparsed
from vhbench.tasks.headline import score_of
from vhbench.tasks.metrics.scores import Score
from vhbench.tasks.metrics.withholding import reason_of

Records = Sequence[Record]


def grid(records: Records, task: Task) -> dict[str, Any]:
    """Return a task's numbers: of all its records together, and of each cell of each grouping.

    Each has ``n``, the task's metrics by name and their ``intervals``, with ``interval_notes`` where one is wide for a
    reason; ``interval`` is that of the accuracy. Where too
    many requests failed, ``withheld`` says so, and scores are None: of the whole, and of a cell in which they did.
    """
    family = task.family
    assert family is not None, f"{task.name} is a group"
    ordered = sorted(as_records(records), key=lambda record: record.id)
    in_cells = [metric for metric in family.metrics if metric.in_cells]
    withheld = reason_of(ordered)
    return {
        "benchmark": ordered[0].benchmark,
        "withheld": withheld,
        "overall": numbers(ordered, family.metrics, withheld),
        "unread": unparsed.summary(ordered),
        "cells": {" x ".join(columns): _cells(ordered, columns, in_cells, withheld) for columns in family.cells},
        **{name: load(function)(ordered) for name, function in family.extra.items()},
    }


def numbers(records: Records, metrics: Iterable[Metric], withheld: str | None) -> dict[str, Any]:
    """Return the metrics of some records, by name, with their intervals and what their scores say besides."""
    scores: dict[str, Score] = {metric.name: score_of(metric, records, withheld) for metric in metrics}
    found: dict[str, Any] = {"n": len(records), **{name: score.value for name, score in scores.items()}}
    found["intervals"] = {name: score.interval for name, score in scores.items()}
    found["interval_notes"] = {name: score.wide for name, score in scores.items() if score.wide}
    if "accuracy" in scores:
        found["interval"] = scores["accuracy"].interval
    for score in scores.values():
        found |= score.notes
    return found


def _cells(
    records: Records, columns: Sequence[str], metrics: Sequence[Metric], withheld: str | None
) -> list[dict[str, Any]]:
    groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for record in records:
        groups[tuple(getattr(record, column) for column in columns)].append(record)
    return [dict(zip(columns, key, strict=True)) | numbers(groups[key], metrics, withheld) for key in sorted(groups)]


def written_with(results: Path, task: str) -> Path:
    """Return the report of a task that was written with lmms-eval's results, ``<date>_results.json``."""
    return results.with_name(f"{results.name.removesuffix('_results.json')}_{task}_report.json")


def write(report: dict[str, Any], task: str, args: Any) -> None:
    """Write a report beside the results of a run; nothing where the run writes no results."""
    from vhbench.adapters.lmms_eval import write_beside_results

    write_beside_results(args, f"{task}_report", {"task": task, **report})
