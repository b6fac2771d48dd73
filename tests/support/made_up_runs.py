"""Made-up runs on the starter splits, from which golden numbers are computed: every answer follows from a seed."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from logged_run import write_run

from vhbench import splits
from vhbench.builds.starter import starter
from vhbench.seeding import rng

BENCHMARKS = ("ode", "mioh", "vhexpansion")
RUNS = ("clean", "messy", "failing", "one_failed")
"""Answers that all parse; refused, truncated and unparsed ones; 4 % failed requests; a single failed request."""

Row = Mapping[str, Any]
_REFUSAL = "I'm sorry, but I can't help with that."


def response(run: str, row: Row) -> str:
    """Return what a run answers to a question, right in about four of five."""
    random = rng(7, run, row["id"])
    failed = run == "failing" and random.random() < 0.04
    if failed or (run == "one_failed" and _is_chosen(row)):
        return ""
    fate = random.random() if run == "messy" else 1.0
    if fate < 0.05:
        return _REFUSAL
    if fate < 0.1:
        return "Perhaps." if row["kind"] != "caption" else "A picture of nothing"
    words = _caption(row, random) if row["kind"] == "caption" else _choice(row, random, 0.7 if run == "messy" else 0.8)
    return words if fate > 0.15 else f"{words} and the"


def _is_chosen(row: Row) -> bool:
    """Choose one question of each benchmark, in a cell of fewer than 100."""
    chosen = {"ode": "attribute", "mioh": "counting", "vhexpansion": "existence"}[row["benchmark"]]
    return bool(row["task"] == chosen and row["id"] == _FIRST.setdefault(row["benchmark"], row["id"]))


_FIRST: dict[str, str] = {}


def _caption(row: Row, random: Any) -> str:
    words = [word for word in row["objects"] if random.random() < 0.8]
    words += [word for word in row["candidates"] if random.random() < 0.25]
    return f"A picture of {' and '.join(words or ['nothing'])}."


def _choice(row: Row, random: Any, share: float) -> str:
    options = "ABCDEFGH"[: len(row["choices"])] if row["choices"] else ("yes", "no")
    is_right = random.random() < share
    return str(row["answer"] if is_right else options[int(random.integers(len(options)))])


def write(folder: Path, run: str) -> Path:
    """Write the samples of a run on all starter splits, as lmms-eval logs them."""
    _FIRST.clear()
    for name in BENCHMARKS:
        split = starter(name)
        for task in splits.read_manifest(split).rows:
            write_run(folder, split, task, _sayer(run), config=task)
    return folder


def _sayer(run: str) -> Callable[[Row], str]:
    return lambda row: response(run, row)
