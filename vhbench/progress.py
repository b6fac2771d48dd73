"""Progress reports: a bar with rate and remaining time, or plain lines in logs."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from tqdm import tqdm

T = TypeVar("T")

LINE_EVERY = 10.0  # seconds between two plain lines
_LINE = "{desc}: {n_fmt} of {total_fmt}{unit}, {rate_fmt}, {elapsed} elapsed, {remaining} left{postfix}"


class Progress(tqdm):  # type: ignore[misc]
    """Counter of finished work that reports on stderr.

    >>> with Progress("drawing", total=3, unit="scenes", enabled=False) as progress:
    ...     progress.advance()

    The ``total`` is None if unknown; "bytes" are shown as kB and MB.
    """

    monitor_interval = 0  # no tqdm monitor thread, which would not survive a fork

    def __init__(self, task: str, *, total: int | None, unit: str, enabled: bool = True) -> None:
        large = unit == "bytes"
        look: dict[str, Any] = {"unit": "B" if large else unit, "unit_scale": large}
        if not sys.stderr.isatty():
            line = _LINE if large else _LINE.replace("{unit}", " {unit}")
            look |= {"file": _Lines(), "mininterval": LINE_EVERY, "delay": LINE_EVERY, "bar_format": line}
        super().__init__(desc=task, total=total, disable=not enabled, miniters=1, **look)

    def advance(self, amount: int = 1, note: str = "") -> None:
        """Count work as done; ``note`` follows the numbers."""
        if note and not self.disable:
            self.set_postfix_str(note, refresh=False)
        self.update(amount)


def following(items: Iterable[T], task: str, total: int, unit: str, *, enabled: bool = True) -> Iterator[T]:
    """Yield items, counting each when the next one is requested. See :class:`Progress`."""
    with Progress(task, total=total, unit=unit, enabled=enabled) as progress:
        for item in items:
            yield item
            progress.advance()


class _Lines:
    """Stream that writes each state of a bar as a line, for logs."""

    def write(self, text: str) -> None:
        if text.strip():
            print(text.strip(), file=sys.stderr)

    def flush(self) -> None:
        sys.stderr.flush()
