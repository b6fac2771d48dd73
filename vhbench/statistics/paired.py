"""Paired differences between outcomes, cell by cell, with joint tests.

Used for pressures, perturbations and comparisons of runs: each cell's interval comes from its own rows, and one test
covers all cells (:mod:`vhbench.statistics.multiple_testing`).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from vhbench.schema import Record
from vhbench.statistics import intervals, multiple_testing
from vhbench.statistics.clustering import Clustering, Floats, Places, summed
from vhbench.statistics.clusters import Shared

Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True)
class PairedOutcomes:
    """Outcomes before and after, from 0 to 1, with the records of each pair."""

    first: list[float] = field(default_factory=list)  # correct before
    second: list[float] = field(default_factory=list)  # correct after
    # answers of each pair, whose images and facts define the clusters
    about: list[Sequence[Record]] = field(default_factory=list)

    def add(self, first: float, second: float, *about: Record) -> None:
        """Add the next pair."""
        self.first.append(float(first))
        self.second.append(float(second))
        self.about.append(about)


def _clusters(cells: Iterable[PairedOutcomes]) -> Clustering:
    """Return the clusters of all pairs."""
    shared = Shared()
    for pairs in cells:
        for records in pairs.about:
            shared.add(*records)
    return shared.among()


def difference(pairs: PairedOutcomes) -> dict[str, Any]:
    """Return ``n``, ``mean`` (first minus second), its 95 % ``interval`` and ``note``.

    >>> pairs = PairedOutcomes()
    >>> pairs.add(1, 0, Record("a"))
    >>> difference(pairs)
    {'n': 1, 'mean': 1.0, 'interval': None, 'note': ''}
    """
    change = np.subtract(pairs.first, pairs.second)
    interval = intervals.difference(pairs.first, pairs.second, clusters=_clusters([pairs]))
    return {
        "n": len(change),
        "mean": float(change.mean()) if len(change) else None,
        "interval": None if interval is None else list(interval.ends),
        "note": "" if interval is None else interval.note,
    }


def joint_test(cells: Mapping[Key, PairedOutcomes]) -> dict[Key, dict[str, Any]]:
    """Return each cell's :func:`difference`, with a joint test over all cells.

    ``p`` is adjusted for all cells, None where there are too few ``discordant_clusters`` to test; ``significant``: it
    is at most 5 %. The interval is not adjusted, so it may exclude 0 where the change is not significant.

    >>> pairs = PairedOutcomes()
    >>> for number in range(8):
    ...     pairs.add(1, 0, Record(f"q{number}"))
    >>> tests = joint_test({"hp": pairs, "hn": PairedOutcomes()})
    >>> tests["hp"]["significant"], tests["hp"]["p"], tests["hn"]["note"]
    (True, 0.0078125, 'n/a (0 discordant clusters, need 6)')
    """
    changes = [np.subtract(pairs.first, pairs.second) for pairs in cells.values()]
    ends = np.cumsum([0, *map(len, changes)]).tolist()
    places = [np.arange(start, end) for start, end in pairwise(ends)]
    tests = joint_sign_flips(list(zip(places, changes, strict=True)), _clusters(cells.values()))
    results: dict[Key, dict[str, Any]] = {}
    for (key, pairs), (_, claim, *_) in zip(cells.items(), tests, strict=True):
        test = {"significant": claim.significant, "p": claim.p, "discordant_clusters": claim.discordant_clusters}
        results[key] = difference(pairs) | test | ({"note": claim.note} if claim.note else {})
    return results


def joint_sign_flips(
    claims: Sequence[tuple[Places, Floats]], clusters: Clustering, *, seed: int = 0
) -> list[multiple_testing.SignFlipResult]:
    """Test claims jointly, each given by the indices of its pairs among all, and their changes.

    See :func:`vhbench.statistics.multiple_testing.sign_flip_test`; clusters are of all pairs.
    """
    size = int(clusters.numbers.max(initial=-1)) + 1
    sums = [summed(change, clusters.numbers[places], size) for places, change in claims]
    larger = [_inflation(claims, clusters)] * len(claims)
    return multiple_testing.sign_flip_test(np.column_stack(sums), larger, seed=seed) if sums else []


def _inflation(claims: Iterable[tuple[Places, Floats]], clusters: Clustering) -> float:
    """Return the variance inflation by tied pairs, pooled: disagreeing ones do not offset those that agree."""
    if clusters.ties is None:
        return 1.0
    one, other = clusters.ties
    apart = tied = 0.0
    for places, change in claims:
        pull = np.zeros(len(clusters.numbers))
        pull[places] = change - change.mean() if len(change) else change
        apart += float(np.sort(np.bincount(clusters.numbers, weights=pull) ** 2).sum())
        tied += max(0.0, 2 * float(np.sort(pull[one] * pull[other]).sum()))
    return 1 + tied / apart if apart > 1e-12 else 1.0
