"""Shared by the benchmarks: a figure with its baseline and goal, measured processes, and the printed table."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""Compile installed modules once; otherwise each measured process would compile them again."""

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
REFERENCE = Path(os.environ.get("VHBENCH_REFERENCE", ROOT.parent / "shared" / "reference"))
COMMAND = "import sys; from vhbench.cli import main; sys.argv[0] = 'vhbench'; main()"
"""Python code of the ``vhbench`` command."""

READS = "import sys, pyarrow.parquet as pq; [pq.read_table(path) for path in sys.argv[1:]]"
"""Python code that reads Parquet files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measurement, its goals, and the value of a baseline in the same run."""

    work: str
    ours: float
    unit: str = "s"  # more is better for "…/s", less is better for all others
    bound: float | None = None  # goal of the value
    baseline: str = ""
    theirs: float | None = None  # the baseline's value, in the same unit
    times: float | None = None  # goal of the ratio: at least so many times as good as the baseline

    @property
    def ratio(self) -> float | None:
        """How many times as good as the baseline; None without one."""
        if self.theirs is None:
            return None
        return self.ours / self.theirs if self._is_rate else self.theirs / self.ours

    @property
    def held(self) -> bool:
        """Whether every goal is reached."""
        bound = self.bound is None or (self.ours >= self.bound if self._is_rate else self.ours <= self.bound)
        times = self.times is None or (self.ratio is not None and self.ratio >= self.times)
        return bound and times

    @property
    def goal(self) -> str:
        """The goals in words; "" without one."""
        bound = "" if self.bound is None else f"{'≥' if self._is_rate else '≤'} {self.bound:g} {self.unit}"
        times = "" if self.times is None else f"≥ {self.times:g} ×"
        return ", ".join(filter(None, (bound, times)))

    @property
    def _is_rate(self) -> bool:
        return self.unit.endswith("/s")


def report(figures: Iterable[Figure]) -> None:
    """Print each figure with its ratio and goals; exit with code 1 if a goal is missed."""
    held = True
    for figure in figures:
        against = f"{figure.ratio:.3g} × {figure.baseline} ({figure.theirs:.3g})" if figure.ratio else ""
        missed = "" if figure.held else "   MISSED"
        print(f"{figure.work:<58}{figure.ours:>8.3g} {figure.unit:<9} {against:<60} {figure.goal}{missed}", flush=True)
        held &= figure.held
    sys.exit(not held)


@dataclass(frozen=True, slots=True)
class Used:
    """Peak memory in GB, seconds by the clock, and seconds of the processor."""

    gigabytes: float
    seconds: float
    processor: float


def run(code: str, *words: object) -> Used:
    """Run Python code with command-line words in a process of its own, without its output; return what it took.

    The caller must be small: Linux counts its memory as the peak of the process that it starts.
    """
    start = time.perf_counter()
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    command = [sys.executable, "-c", code, *map(str, words)]
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    assert status == 0, f"{code} {words} failed"
    return Used(used.ru_maxrss / 1e6, time.perf_counter() - start, used.ru_utime + used.ru_stime)


def apart(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Used]:
    """Call a function in a new process; return its result and what it took."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_measured, function, *arguments).result()


def _measured(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Used]:
    start, work = time.perf_counter(), time.process_time()
    result = function(*arguments)
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    peak = int(found[1]) / 1e6 if found else 0.0
    return result, Used(peak, time.perf_counter() - start, time.process_time() - work)


def best(*functions: Callable[[], object], rounds: int = 3) -> list[float]:
    """Return the least processor time of each function, in seconds; the functions take turns."""
    times = [float("inf")] * len(functions)
    for _ in range(rounds):
        for index, function in enumerate(functions):
            start = time.process_time()
            function()
            times[index] = min(times[index], time.process_time() - start)
    return times
