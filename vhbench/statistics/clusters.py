"""Clusters of dependent answers: one rule for scores, analyses and comparisons.

Answers that share an image or ask about the same fact are in one cluster, and so are chains of them (connected
components). A fact is the test case in all its forms (negated, perturbed, repeated); in MIOH it is that of tied
questions and pressed twins. A row without images and case is a cluster with its repetitions.

Where questions draw their images from one pool, such chains connect everything. A chain is a component with more than a
tenth of all rows, in which at most a quarter of row pairs share anything and no image or fact is in more than a quarter
of its rows. Within a chain the facts are the clusters, and the dependence between rows of different facts is added to
the variance (:attr:`vhbench.statistics.Clustering.ties`; Aronow, Samii and Assenova
2015 do so for dyads). ``tests/by_hand/interval_coverage.py`` measures its coverage.

Clusters depend on the rows alone, not on the answers, so a cell, a task and a comparison over the same questions have
the same ones.
"""

from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from vhbench.files import short_digest
from vhbench.records import fact_of, split_repetition
from vhbench.schema import Record
from vhbench.statistics.clustering import Clustering

# note on an interval with dependent clusters
CHAINED = "clustered by fact, allowing for dependence through shared images"

_LARGE, _SPARSE = 10, 4
_MOST_PAIRS = 20_000_000
_BYTES = 8  # of a digest
_FEW_ROWS = 20_000  # maximum number of rows for which clusters are cached


def clusters_of(records: Iterable[Record]) -> Clustering:
    """Return the cluster of each record.

    >>> rows = [Record("a", scene_ids=("s1", "s2")), Record("b", scene_ids=("s2", "s3")), Record("c"), Record("2#c")]
    >>> numbers = clusters_of(rows).numbers
    >>> bool(numbers[0] == numbers[1] != numbers[2] == numbers[3])
    True
    """
    return Shared.of(records).among()


class Shared:
    """Compact names shared between rows; full names of a million rows would not fit."""

    def __init__(self) -> None:
        self._names = bytearray()
        self._counts = array("i")

    @classmethod
    def of(cls, records: Iterable[Record]) -> Self:
        """Add all records."""
        shared = cls()
        for record in records:
            shared.add(record)
        return shared

    def add(self, *records: Record) -> None:
        """Add the next row: a record, or several for one value (a question and its twin)."""
        before = len(self._names)
        for record in records:
            for name in names_of(record):
                self._names += short_digest(name)
        self._counts.append((len(self._names) - before) // _BYTES)

    def among(self, places: npt.NDArray[np.integer] | None = None) -> Clustering:
        """Return the clusters among some rows, or all, numbered independently of the rows' order.

        Indices of shape (values, rows) are of values that come from several rows each.
        """
        names = np.frombuffer(bytes(self._names), dtype="<u8")
        counts = np.array(self._counts, dtype=np.int64)
        starts = np.cumsum(counts) - counts
        rows = len(counts) if places is None else len(places)
        if not rows:
            return Clustering(np.zeros(0, dtype=np.int64))
        if places is not None:
            starts, counts = starts[places.reshape(-1)], counts[places.reshape(-1)]
        indices = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        distinct, numbers = np.unique(names[indices], return_inverse=True)
        counts = counts.reshape(rows, -1).sum(axis=1)
        if (counts == 1).all():
            return Clustering(numbers)
        if len(counts) > _FEW_ROWS:
            return _clustering(numbers, counts, len(distinct))
        return _cached_clustering(numbers.tobytes(), counts.tobytes(), len(distinct))


@lru_cache(maxsize=512)  # all metrics of a cell, and all models on a leaderboard, share the same rows
def _cached_clustering(numbers: bytes, counts: bytes, names: int) -> Clustering:
    return _clustering(np.frombuffer(numbers, np.int64), np.frombuffer(counts, np.int64), names)


def _clustering(numbers: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], names: int) -> Clustering:
    """Return the connected components, with chains split up; ``numbers``: names of all rows, ``counts`` per row."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    home = numbers[np.cumsum(counts) - counts]  # the first name of each row, its fact
    ones = np.ones(len(numbers), dtype=np.int32)
    ties = csr_array((ones, (np.repeat(home, counts), numbers)), shape=(names, names))
    tied = connected_components(ties, directed=False)[1][home].astype(np.int64)
    has = csr_array((ones, (np.repeat(np.arange(len(counts)), counts), numbers)), shape=(len(counts), names))
    has.data[:] = 1  # a row's repeated name counts once
    sizes, components, pairs = np.bincount(tied), tied, []
    for component in np.flatnonzero(sizes * _LARGE > len(tied)):
        rows = np.flatnonzero(tied == component)
        if (chained := _chained(has[rows])) is not None:
            components = np.where(tied == component, len(sizes) + home, components)
            pairs.append(rows[chained])
    labels = np.unique(components, return_inverse=True)[1].astype(np.int64)
    if not pairs:
        return Clustering(labels)
    one, other = np.concatenate(pairs, axis=1)
    apart = labels[one] != labels[other]
    return Clustering(labels, CHAINED, np.stack([one[apart], other[apart]]))


def _chained(has: Any) -> npt.NDArray[np.int64] | None:
    """Return the pairs of rows that share a name, if few pairs do; otherwise None."""
    from scipy.sparse import triu

    uses = np.asarray(has.sum(axis=0)).reshape(-1).astype(np.int64)
    if uses.max() * _SPARSE > has.shape[0] or (uses**2).sum() > _MOST_PAIRS:
        return None
    one, other = triu(has @ has.T, k=1).nonzero()
    few = (2 * len(one) + has.shape[0]) * _SPARSE <= has.shape[0] ** 2
    return np.stack([one, other]) if few else None


def names_of(record: Record) -> Iterator[str]:
    """Yield a record's fact, then its images: rows that share one are dependent.

    >>> list(names_of(Record("q/jpeg", pair_id="q/jpeg", perturbation="jpeg", scene_ids=("s1", "s2"))))
    ['fact q', 'image s1', 'image s2']
    >>> list(names_of(Record("2#q")))
    ['question q']
    """
    fact = fact_of(record) if record.pair_id else ""
    if fact:
        yield f"fact {fact}"
    for image in record.scene_ids:
        yield f"image {image}"
    if not fact and not record.scene_ids:
        yield f"question {split_repetition(record.id)[1]}"
