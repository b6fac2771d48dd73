"""What a metric says to lmms-eval's table and to the reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Score:
    """A number of the table.

    Attributes:
        value: in percent, or a count; None where it is undefined, which is not 0.
        interval: its 95 % interval in the same unit, where one is known.
        notes: what else the report says in this place.
    """

    value: float | None
    interval: tuple[float, float] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


def in_percent(interval: Sequence[float] | None) -> tuple[float, float] | None:
    """Return the interval of a share in percent.

    >>> in_percent((0.25, 0.5)), in_percent(None)
    ((25.0, 50.0), None)
    """
    return None if interval is None else (100 * interval[0], 100 * interval[1])
