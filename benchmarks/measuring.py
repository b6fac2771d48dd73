"""What benchmarks share: a figure beside its baseline and its goal, and a command's peak memory and time."""

import os
import sys
import time
from dataclasses import dataclass

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""What is installed is compiled once; where that is forbidden, each process that is measured would compile it anew."""

_RUN = "import sys; from vhbench.cli import main; sys.argv[0] = 'vhbench'; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measurement, what it may be, and what a baseline needed in the same run.

    Attributes:
        work: what was done, in a few words.
        ours: the measured value.
        unit: of the value; of "…/s" more is better, of all others ("s", "GB", "kB") less.
        bound: the goal of the value itself: at least that much of "…/s", at most that much of others.
        baseline: what the value is compared with.
        theirs: the baseline's value.
        times: the goal of the ratio: at least so many times as good as the baseline.
        beyond: the goal of the difference: at most so much more than the baseline.
    """

    work: str
    ours: float
    unit: str = "s"
    bound: float | None = None
    baseline: str = ""
    theirs: float | None = None
    times: float | None = None
    beyond: float | None = None

    @property
    def rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s")

    @property
    def ratio(self) -> float | None:
        """How many times as good as the baseline; None without one."""
        if self.theirs is None:
            return None
        return self.ours / self.theirs if self.rate else self.theirs / self.ours

    @property
    def held(self) -> bool:
        """Whether every goal is reached."""
        bound = self.bound is None or (self.ours >= self.bound if self.rate else self.ours <= self.bound)
        times = self.times is None or (self.ratio is not None and self.ratio >= self.times)
        beyond = self.beyond is None or (self.theirs is not None and self.ours - self.theirs <= self.beyond)
        return bound and times and beyond

    @property
    def goal(self) -> str:
        """What is to be reached, in words; "" where nothing is."""
        bound = "" if self.bound is None else f"{'≥' if self.rate else '≤'} {self.bound:g} {self.unit}"
        times = "" if self.times is None else f"≥ {self.times:g} ×"
        beyond = "" if self.beyond is None else f"≤ {self.beyond:g} {self.unit} more"
        return ", ".join(filter(None, (bound, times, beyond)))


@dataclass(frozen=True, slots=True)
class Used:
    """What a command took: GB at its peak, seconds by the clock, and of the processor."""

    gigabytes: float
    seconds: float
    processor: float


def measure(name: str, *words: object, quiet: bool = False) -> Used:
    """Run ``vhbench`` with these words, print and return what it took; ``quiet`` leaves out what it says."""
    start = time.perf_counter()
    command = [sys.executable, "-c", _RUN, *map(str, words)]
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)] if quiet else []
    child = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    took = Used(used.ru_maxrss / 1e6, time.perf_counter() - start, used.ru_utime + used.ru_stime)
    print(
        f"  {name:<34} {took.gigabytes:5.2f} GB  {took.seconds:5.0f} s  processor {took.processor:5.0f} s",
        file=sys.stderr,
        flush=True,
    )
    assert status == 0, f"{name} failed"
    return took
