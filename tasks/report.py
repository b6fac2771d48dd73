"""The full grid of a task, with counts and 95 % intervals, as JSON beside lmms-eval's results.

lmms-eval's table takes one number per metric; everything else goes into ``<task>_report.json``.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from vhbench.schema import Record
from vhbench.tasks.metrics import intervals

CELLS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "ode": (("criterion", "pairing"), ("question_type",), ("criterion", "pairing", "question_type")),
    "mioh": (("task",), ("mode",), ("pressure",), ("task", "pressure"), ("question_type", "pressure")),
    "vhexpansion": (("source", "perturbation"), ("source", "perturbation", "negated")),
}
"""Benchmark → the groupings of its grid, coarse to fine."""

_NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "ode": ("criterion", "task"),
    "mioh": ("task", "mode", "pressure"),
    "vhexpansion": ("source", "perturbation"),
}


def grid(records: Sequence[Record]) -> dict[str, Any]:
    """Return accuracy (percent), count, share unparsed and interval for each cell of each grouping."""
    ordered = sorted(records, key=lambda record: record.id)
    benchmark = ordered[0].benchmark
    cells = {" x ".join(names): _cells(ordered, names) for names in CELLS[benchmark]}
    return {"benchmark": benchmark, "overall": cell(ordered), "cells": cells}


def cell(records: Sequence[Record]) -> dict[str, Any]:
    """Return the numbers of one cell."""
    right = [float(record.prediction == record.answer) for record in records]
    interval = intervals.mean(right, clusters=[" ".join(record.scene_ids) or record.id for record in records])
    return {
        "n": len(records),
        "accuracy": 100 * sum(right) / len(right),
        "interval": None if interval is None else [100 * end for end in interval],
        "unparsed": 100 * sum(not record.prediction for record in records) / len(records),
    }


def name(records: Sequence[Record]) -> str:
    """Return the task whose rows these are, from what they have in common.

    >>> name([Record("a", benchmark="ode", criterion="random", task="existence")])
    'ode_random_existence'
    >>> name([Record("a", benchmark="mioh", mode="selective", task="existence", pressure="hp", question_type="E5"),
    ...       Record("b", benchmark="mioh", mode="selective", task="counting", pressure="easy", question_type="C4")])
    'mioh_selective'
    """
    benchmark = records[0].benchmark
    parts = {
        "ode": ("criterion", "task"),
        "mioh": ("task", "mode", "pressure"),
        "vhexpansion": ("source", "perturbation"),
    }
    shared = []
    for part in parts[benchmark]:
        values = {str(getattr(record, part)) for record in records}
        if part == "pressure":
            values = {"ni" if value.startswith("ni") else value for value in values}
        shared += [value for value in values if len(values) == 1 and value]
    return "_".join([benchmark, *shared])


def write(report: Mapping[str, Any], task: str, args: Any) -> Path | None:
    """Write a report beside the results of a run; return its path, or None where the run writes no results."""
    from vhbench.adapters.lmms_eval import results_folder

    folder = results_folder(args)
    if folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{task}_report.json"
    path.write_bytes(orjson.dumps({"task": task, **report}, option=orjson.OPT_INDENT_2))
    return path


def _cells(records: Sequence[Record], names: Sequence[str]) -> list[dict[str, Any]]:
    groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for record in records:
        groups[tuple(getattr(record, part) for part in names)].append(record)
    return [dict(zip(names, key, strict=True)) | cell(groups[key]) for key in sorted(groups)]
