"""Progress on long work: a bar with rate and remaining time on a terminal, plain lines elsewhere."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from tqdm import tqdm

T = TypeVar("T")

LINE_EVERY = 10.0
"""Seconds between two plain lines."""

_LINE = "{desc}: {n_fmt} of {total_fmt}{unit}, {rate_fmt}, {elapsed} so far, {remaining} left{postfix}"


class Progress(tqdm):  # type: ignore[misc]
    """Counts finished work and tells about it on stderr.

    >>> with Progress("drawing", total=3, unit="scenes", enabled=False) as progress:
    ...     progress.advance()

    Args:
        what: what is being done, in a word or two.
        total: how much there is to do, None where nobody knows.
        unit: what is counted: "shards", "rows", or "bytes", which are shown as kB and MB.
        enabled: False keeps silent.
    """

    monitor_interval = 0  # no thread of tqdm's own, which would not survive a fork

    def __init__(self, what: str, *, total: int | None, unit: str, enabled: bool = True) -> None:
        large = unit == "bytes"
        look: dict[str, Any] = {"unit": "B" if large else unit, "unit_scale": large}
        if not sys.stderr.isatty():
            line = _LINE if large else _LINE.replace("{unit}", " {unit}")
            look |= {"file": _Lines(), "mininterval": LINE_EVERY, "delay": LINE_EVERY, "bar_format": line}
        super().__init__(desc=what, total=total, disable=not enabled, miniters=1, **look)

    def advance(self, amount: int = 1, note: str = "") -> None:
        """Count work as done; ``note`` stands behind the numbers."""
        if note and not self.disable:
            self.set_postfix_str(note, refresh=False)
        self.update(amount)


def following(items: Iterable[T], what: str, total: int, unit: str, *, enabled: bool = True) -> Iterator[T]:
    """Yield items, and count each as done when the next one is asked for. See :class:`Progress`."""
    with Progress(what, total=total, unit=unit, enabled=enabled) as progress:
        for item in items:
            yield item
            progress.advance()


class _Lines:
    """Writes each new state of a bar in a line of its own, as logs want it."""

    def write(self, text: str) -> None:
        if text.strip():
            print(text.strip(), file=sys.stderr)

    def flush(self) -> None:
        sys.stderr.flush()
