"""Clusters of dependent rows, and sums over them."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench.schema import VhbenchError

Floats = npt.NDArray[np.float64]
Numbers = Sequence[float] | npt.NDArray[np.generic]
Places = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Clustering:
    """Clusters of dependent rows."""

    numbers: Places  # cluster number of each row
    note: str = ""  # caveat about the clusters for readers, "" for none
    ties: Places | None = None  # shape (2, pairs): dependent rows in different clusters

    def at(self, places: npt.NDArray[np.integer[Any] | np.bool_]) -> "Clustering":
        """Return the clusters of some rows, by index or mask; ties to other rows are left out."""
        numbers = self.numbers[places]
        if self.ties is None:
            return Clustering(numbers, self.note)
        where = np.full(len(self.numbers), -1)
        where[places] = np.arange(len(numbers))
        ties = where[self.ties]
        return Clustering(numbers, self.note, ties[:, (ties >= 0).all(axis=0)])

    def variance(self, apart: float, pull: Floats) -> float:
        """Return the variance of a sum, given that for independent clusters, including the contribution of tied rows.

        ``pull`` is each row's contribution to the deviation of the sum. It is divided by the share of row pairs that
        are not tied, as the variance of G equal clusters is by 1 - 1 / G: deviations from an estimate sum to 0.
        """
        if self.ties is None:
            return apart
        one, other = self.ties
        tied = max(0.0, 2 * total_of(pull[one] * pull[other]))
        return (apart + tied) / (1 - 2 * len(one) / len(pull) ** 2)


Clusters = Clustering | Sequence[Hashable] | Places


def cluster_sums(columns: Iterable[Numbers], clusters: Clusters | None) -> list[Floats]:
    """Return the sums of columns over clusters, without empty clusters.

    >>> cluster_sums([[1, 2, 3], [1, 1, 1]], ["a", "b", "a"])
    [array([4., 2.]), array([2., 1.])]
    """
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    numbers, size, _ = numbered(clusters, len(arrays[0]) if arrays else 0)
    occupied = summed(np.ones(len(arrays[0]) if arrays else 0), numbers, size) > 0
    return [summed(array, numbers, size)[occupied] for array in arrays]


def numbered(clusters: Clusters | None, rows: int) -> tuple[Places | None, int, str]:
    """Return each row's cluster number (None: independent), their count, and the note."""
    if clusters is None:
        return None, rows, ""
    note = clusters.note if isinstance(clusters, Clustering) else ""
    labels = clusters.numbers if isinstance(clusters, Clustering) else clusters
    if len(labels) != rows:
        raise VhbenchError(f"{len(labels)} clusters for {rows} values: one each is needed")
    if isinstance(labels, np.ndarray):
        return labels.astype(np.intp, copy=False), int(labels.max(initial=-1)) + 1, note
    order: dict[Hashable, int] = {}
    numbers = np.fromiter((order.setdefault(name, len(order)) for name in labels), np.intp, rows)
    return numbers, len(order), note


def summed(column: Floats, numbers: Places | None, size: int) -> Floats:
    """Return the sum of a column over each cluster."""
    if not np.isfinite(column).all():
        raise VhbenchError("an interval needs finite numbers; found NaN or infinity")
    return column if numbers is None else np.bincount(numbers, weights=column, minlength=size).astype(np.float64)


def total_of(values: Floats) -> float:
    """Sum in sorted order, so that the order of clusters cannot change the last digit."""
    return float(np.sort(values).sum())


def tied_weight(weights: Floats, clusters: Clusters | None) -> float:
    """Return what ties add to Kish's sum of squared weights, as if tied rows, of unknown correlation, were equal."""
    if not isinstance(clusters, Clustering) or clusters.ties is None:
        return 0.0
    one, other = clusters.ties
    return 2 * total_of(weights[one] * weights[other])
