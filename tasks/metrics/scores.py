"""What a metric says to lmms-eval's table and to the reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vhbench.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class Score:
    """A number of the table.

    Attributes:
        value: in percent, or a count; None where it is undefined, which is not 0.
        interval: its 95 % interval in the same unit, where one is known.
        notes: what else the report says in this place.
        wide: why the interval is wide, "" where there is nothing to say.
    """

    value: float | None
    interval: tuple[float, float] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    wide: str = ""


def measured(value: float, interval: Interval | None, scale: int = 1) -> Score:
    """Return a number with its interval, both ``scale`` times as large.

    >>> measured(0.5, Interval(0.25, 0.75, "4 clusters"), scale=100)
    Score(value=50.0, interval=(25.0, 75.0), notes={}, wide='4 clusters')
    """
    if interval is None:
        return Score(scale * value)
    return Score(scale * value, (scale * interval.low, scale * interval.high), wide=interval.note)


def in_percent(interval: Sequence[float] | None) -> tuple[float, float] | None:
    """Return the interval of a share in percent.

    >>> in_percent((0.25, 0.5)), in_percent(None)
    ((25.0, 50.0), None)
    """
    return None if interval is None else (100 * interval[0], 100 * interval[1])
