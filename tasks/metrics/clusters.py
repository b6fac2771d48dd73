"""Which answers stand and fall together: one rule for scores, analyses and comparisons.

What shares an image, or asks about the same fact, stands together, and so does what is tied by others (connected
components). A fact is the test case in all its forms (negated, perturbed, repeated); of MIOH what tied questions and
pressed twins are about. A row that names neither images nor a case stands alone, with its repetitions.

The clusters of some answers follow from these answers' rows alone, so that a cell, a task and a comparison of the same
questions have the same ones; what was answered plays no part.
"""

from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Self

import numpy as np
import numpy.typing as npt

from vhbench.schema import Record
from vhbench.tasks.metrics.intervals import Clustering
from vhbench.tasks.metrics.records import fact_of, split_repetition

_BYTES = 8  # of a digest: two of a million names are the same once in 40 million such files


def clusters_of(records: Iterable[Record]) -> Clustering:
    """Return the cluster of each record.

    >>> rows = [Record("a", scene_ids=("s1", "s2")), Record("b", scene_ids=("s2", "s3")), Record("c"), Record("2#c")]
    >>> found = clusters_of(rows).numbers
    >>> bool(found[0] == found[1] != found[2] == found[3])
    True
    """
    return Shared.of(records).among()


class Shared:
    """What each of many rows shares with others, in little room: a million rows with their names would not fit."""

    def __init__(self) -> None:
        self._names = bytearray()
        self._counts = array("i")

    @classmethod
    def of(cls, records: Iterable[Record]) -> Self:
        """Take all records."""
        found = cls()
        for record in records:
            found.add(record)
        return found

    def add(self, *records: Record) -> None:
        """Take the next row: a record, or several that make one value, such as a question and its pressed twin."""
        before = len(self._names)
        for record in records:
            for name in names_of(record):
                self._names += blake2b(name.encode(errors="surrogatepass"), digest_size=_BYTES).digest()
        self._counts.append((len(self._names) - before) // _BYTES)

    def among(self, places: npt.NDArray[np.integer] | None = None) -> Clustering:
        """Return the clusters among some rows, or all: in an order that does not depend on that of the rows."""
        names = np.frombuffer(bytes(self._names), dtype="<u8")
        counts = np.array(self._counts, dtype=np.int64)
        starts = np.cumsum(counts) - counts
        if places is not None:
            starts, counts = starts[places], counts[places]
        own = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        known, numbers = np.unique(names[own], return_inverse=True)
        first = np.cumsum(counts) - counts
        if (counts == 1).all():
            return Clustering(numbers)
        return _components(numbers, first, counts, len(known))


def names_of(record: Record) -> Iterator[str]:
    """Yield what a record is about, the fact first: rows that have a name in common are not independent.

    >>> list(names_of(Record("q/jpeg", pair_id="q/jpeg", perturbation="jpeg", scene_ids=("s1", "s2"))))
    ['fact q', 'image s1', 'image s2']
    >>> list(names_of(Record("2#q")))
    ['question q']
    """
    if fact := fact_of(record):
        yield f"fact {fact}"
    for image in record.scene_ids:
        yield f"image {image}"
    if not fact and not record.scene_ids:
        yield f"question {split_repetition(record.id)[1]}"


def _components(
    numbers: npt.NDArray[np.int64], first: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], names: int
) -> Clustering:
    """Put together what is tied: the names of each row belong to one cluster."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    fact = numbers[first]
    ties = (np.ones(len(numbers), dtype=np.int8), (np.repeat(fact, counts), numbers))
    label = connected_components(coo_array(ties, shape=(names, names)), directed=False)[1]
    found = label[fact].astype(np.int64)
    rows = len(found)
    if np.bincount(found).max(initial=0) * 2 <= rows:
        return Clustering(found)
    # One cluster of nearly all would say nothing. Unless one image is in nearly all rows, the facts stand for it.
    images = np.delete(numbers, first)
    if np.bincount(images).max(initial=0) * 2 > rows:
        return Clustering(found)
    apart = np.unique(fact, return_inverse=True)[1].astype(np.int64)
    return Clustering(apart, "clusters are facts, which share images")
