"""Sampling weights of training questions from a model's errors in ``vhbench analyse``."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vhbench.files import read_json
from vhbench.schema import Question, VhbenchError

FLOOR = 0.05
"""Weight of a cell without errors, so that it is not forgotten."""

_UNKNOWN = 0.5
"""Weight of a cell that the analysis does not cover."""

Table = Mapping[str, Any]


def read_weakness(path: Path, benchmark: str = "") -> Callable[[Question], float]:
    """Return a weight function for questions: the model's error rate in their cell.

    ODE: by criterion and level, raised for pairs of which one concept is often hallucinated given the other. MIOH: by
    question type and pressure. VHExpansion: by source and perturbation.

    Args:
        path: a file of ``vhbench analyse``: ode_analysis.json, mioh_analysis.json, vhexpansion_analysis.json.
        benchmark: benchmark of the questions; "" for any.

    Raises:
        VhbenchError: if it is no such file, is of another benchmark, or has withheld scores.
    """
    found = read_json(path)
    for field, (name, weigh) in _READERS.items():
        if isinstance(found, dict) and isinstance(found.get(field), dict):
            if benchmark not in ("", name):
                raise VhbenchError(f"--weakness {path}: is an analysis of {name}; the questions are of {benchmark}")
            if not found[field]:
                raise VhbenchError(
                    f"{path}: expected scores of subsets; got none ({found.get('withheld') or 'no subsets'})"
                )
            table: Table = found
            return lambda question: max(FLOOR, weigh(table, question))
    raise VhbenchError(
        f"{path}: expected an analysis, as written by `vhbench analyse ode RESULTS` (or mioh, vhexpansion)"
    )


def _ode(found: Table, question: Question) -> float:
    cell = found["curve"].get(question.criterion, {}).get(question.task, {})
    rate = _value(cell, "chair_s") if question.kind == "caption" else _wrong(_value(cell, "accuracy"))
    return (_UNKNOWN if rate is None else rate) * (1 + _imagined(found.get("lift", {}), question))


def _imagined(lift: Table, question: Question) -> float:
    """Return the lift of a hallucination given the visible concepts; 0 without one.

    For a question with answer no: of its target; for others, of likely hallucinations.
    """
    best = 0.0
    for fact in question.objects:
        for word, told in lift.get(fact, {}).items():
            named = re.search(rf"\b{re.escape(word)}\b", question.question)
            asked = named if question.answer == "no" else word in question.candidates
            if asked and isinstance(told, Mapping) and told.get("lift"):
                best = max(best, float(told["lift"]) - 1)
    return best


def _mioh(found: Table, question: Question) -> float:
    return _or_unknown(_value(found["grid"].get(question.question_type, {}), question.pressure, "mean"))


def _vhexpansion(found: Table, question: Question) -> float:
    accuracy = found["sources"].get(question.source, {}).get(question.perturbation or "clean", {}).get("accuracy")
    return _or_unknown(None if accuracy is None else accuracy / 100)


def _or_unknown(right: float | None) -> float:
    return _UNKNOWN if right is None else 1 - right


def _wrong(right: float | None) -> float | None:
    return None if right is None else 1 - right


def _value(cell: Table, name: str, inner: str = "value") -> float | None:
    told = cell.get(name)
    value = told.get(inner) if isinstance(told, Mapping) else None
    return float(value) if isinstance(value, (int, float)) else None


_READERS: Mapping[str, tuple[str, Callable[[Table, Question], float]]] = {
    "curve": ("ode", _ode),
    "grid": ("mioh", _mioh),
    "sources": ("vhexpansion", _vhexpansion),
}
"""Field of only one benchmark's analysis → the benchmark and its weight function."""
