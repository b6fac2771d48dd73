"""Shares and averages that are None where they are undefined; many rates of one table of counts, with intervals."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench.statistics import intervals
from vhbench.statistics.clustering import Clusters
from vhbench.statistics.intervals import Interval

Column = Sequence[float] | npt.NDArray[np.generic]  # one number per question, caption or pair


def share(part: float, whole: float) -> float | None:
    """Return part / whole, None where the whole is 0."""
    return part / whole if whole else None


def average(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing; the order of the values cannot change its last digit."""
    return fsum(values) / len(values) if len(values) else None


def percent(value: float | None) -> float | None:
    """Return a share in percent with one decimal."""
    return None if value is None else round(value * 100, 1)


def of_sums(
    columns: Mapping[str, Column], rates: Mapping[str, tuple[str, str]], *, clusters: Clusters | None = None
) -> dict[str, Any]:
    """Return each rate, the sum of one column by the sum of another, with ``intervals`` and their notes.

    >>> of_sums({"wrong": [1, 0], "said": [2, 2]}, {"chair": ("wrong", "said")})["chair"]
    0.25
    """
    sums = {name: float(np.sum(column)) for name, column in columns.items()}
    result: dict[str, Any] = {name: share(sums[top], sums[bottom]) for name, (top, bottom) in rates.items()}
    rate_intervals = {
        name: intervals.ratio(columns[top], columns[bottom], clusters=clusters) for name, (top, bottom) in rates.items()
    }
    return result | with_notes(rate_intervals)


def with_notes(by_name: Mapping[str, Interval | None]) -> dict[str, Any]:
    """Return intervals as results have them: ``intervals``, name → ends, and ``interval_notes``, of those with a note.

    >>> with_notes({"accuracy": Interval(0.2, 0.8, "3 clusters"), "f1": None})
    {'intervals': {'accuracy': (0.2, 0.8), 'f1': None}, 'interval_notes': {'accuracy': '3 clusters'}}
    """
    ends = {name: interval and interval.ends for name, interval in by_name.items()}
    notes = {name: interval.note for name, interval in by_name.items() if interval and interval.note}
    return {"intervals": ends, "interval_notes": notes}
