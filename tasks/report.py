"""The full grid of a task, with counts and 95 % intervals, as JSON beside lmms-eval's results; all in percent.

lmms-eval's table takes one number per metric; everything else goes into ``<task>_report.json``.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from vhbench.schema import Record
from vhbench.tasks.metrics import intervals, ode_captions, yes_no

Numbers = Callable[[Sequence[Record]], dict[str, Any]]

CELLS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "ode": (("pairing",), ("criterion", "pairing"), ("question_type",), ("criterion", "pairing", "question_type")),
    "mioh": (("task",), ("mode",), ("pressure",), ("task", "pressure"), ("question_type", "pressure")),
    "vhexpansion": (("source", "perturbation"), ("source", "perturbation", "negated")),
}
"""Benchmark → the groupings of its grid, coarse to fine."""

CAPTION_CELLS: tuple[tuple[str, ...], ...] = (("criterion",), ("pairing",), ("criterion", "pairing"))
"""The groupings of ODE's captions."""

POSITIVE = "no"
"""ODE's positive class, as AMBER's: what matters is to notice that something is not there."""


def grid(records: Sequence[Record]) -> dict[str, Any]:
    """Return accuracy (percent), count, share unparsed and interval for each cell of each grouping.

    ODE's cells also have precision, recall and F1 of :data:`POSITIVE`, each with its interval.
    """
    benchmark = records[0].benchmark
    return {"benchmark": benchmark, **_grid(records, CELLS[benchmark], yes_no_cell if benchmark == "ode" else cell)}


def captions(records: Sequence[Record], vocabulary: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """Return CHAIR, Hal (``chair_s``), Cover and Cog in percent, with intervals, overall and for each cell.

    Args:
        records: ODE's answered caption questions.
        vocabulary: concept → the words that name it, as in the split's manifest.
    """

    def numbers(part: Sequence[Record]) -> dict[str, Any]:
        result = ode_captions.score(part, vocabulary=vocabulary)
        rates = _percentages(result, tuple(ode_captions.RATES))
        return {"n": len(part), **rates, "counters": result["counters"]}

    return {"benchmark": "ode", **_grid(records, CAPTION_CELLS, numbers)}


def yes_no_cell(records: Sequence[Record]) -> dict[str, Any]:
    """Return the numbers of a cell of yes/no questions, and a warning where its precision measures nothing."""
    answered = [
        {"id": r.id, "answer": r.answer, "prediction": r.prediction, "scene_ids": r.scene_ids, "response": r.prediction}
        for r in records
    ]
    result = yes_no.score_records(answered, positive=POSITIVE)
    rates = _percentages(result, ("precision", "recall", "f1"))
    return {**cell(records), "positive": POSITIVE, **rates, "warnings": result["warnings"]}


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


def _grid(records: Sequence[Record], groupings: Sequence[tuple[str, ...]], numbers: Numbers) -> dict[str, Any]:
    """Return the numbers of all records together, and of each cell of each grouping."""
    ordered = sorted(records, key=lambda record: record.id)
    cells = {" x ".join(names): _cells(ordered, names, numbers) for names in groupings}
    return {"overall": numbers(ordered), "cells": cells}


def _cells(records: Sequence[Record], names: Sequence[str], numbers: Numbers) -> list[dict[str, Any]]:
    groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for record in records:
        groups[tuple(getattr(record, part) for part in names)].append(record)
    return [dict(zip(names, key, strict=True)) | numbers(groups[key]) for key in sorted(groups)]


def _percentages(result: Mapping[str, Any], rates: Sequence[str]) -> dict[str, Any]:
    """Return rates, and their intervals, in percent; None where they are undefined."""
    ends = {rate: result["intervals"][rate] for rate in rates}
    return {
        **{rate: None if result[rate] is None else 100 * result[rate] for rate in rates},
        "intervals": {rate: None if pair is None else [100 * end for end in pair] for rate, pair in ends.items()},
    }
