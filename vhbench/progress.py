"""Progress on long work: a bar with rate and remaining time on a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as RichProgress
from rich.text import Text

LINE_EVERY = 10.0
"""Seconds between two plain lines."""


class Progress:
    """Counts finished work and tells about it on stderr.

    >>> with Progress("drawing", total=3, unit="scenes", enabled=False) as progress:
    ...     progress.advance()

    Args:
        what: what is being done, in a word or two.
        total: how much there is to do.
        unit: what is counted: "shards", "rows", or "bytes", which are shown as kB and MB.
        enabled: False keeps silent.
    """

    def __init__(self, what: str, *, total: int, unit: str, enabled: bool = True) -> None:
        self._what, self._total, self._unit, self._enabled = what, total, unit, enabled
        self._done = 0
        self._bar: RichProgress | None = None
        self._start = self._last = time.monotonic()

    def __enter__(self) -> Self:
        self._start = self._last = time.monotonic()
        console = Console(stderr=True)
        if self._enabled and console.is_terminal:
            self._bar = RichProgress(*_columns(self._unit), console=console)
            self._bar.add_task(self._what, total=self._total, note="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._enabled and error is None and self._last != self._start:
            self._line("")

    def advance(self, amount: int = 1, note: str = "") -> None:
        """Count work as done; ``note`` stands behind the numbers."""
        self._done += amount
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], advance=amount, note=note)
        elif self._enabled and time.monotonic() - self._last >= LINE_EVERY:
            self._last = time.monotonic()
            self._line(note)

    def _line(self, note: str) -> None:
        seconds = max(time.monotonic() - self._start, 1e-9)
        rate = self._done / seconds
        parts = [f"{self._what}: {self._amount(self._done)} of {self._amount(self._total)} {self._unit}"]
        parts.append(f"{self._amount(round(rate))}/s" if rate >= 1 else f"{rate * 60:.1f}/min")
        if self._done < self._total and rate:
            parts.append(f"{_clock((self._total - self._done) / rate)} left")
        else:
            parts.append(f"{_clock(seconds)} in all")
        print(", ".join([*parts, *([note] if note else [])]), file=sys.stderr, flush=True)

    def _amount(self, number: int) -> str:
        return decimal(number) if self._unit == "bytes" else f"{number:,}"


class _Rate(ProgressColumn):
    """Work per second, or per minute where that is less than one."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:,.1f}/s" if speed >= 1 else f"{speed * 60:.1f}/min")


def _columns(unit: str) -> list[ProgressColumn]:
    amount: list[ProgressColumn] = [DownloadColumn(), TransferSpeedColumn()]
    if unit != "bytes":
        amount = [MofNCompleteColumn(), TextColumn(unit), _Rate()]
    note = TextColumn("{task.fields[note]}", style="dim")
    return [TextColumn("{task.description}"), BarColumn(), *amount, TimeRemainingColumn(), note]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"
