"""What changes between two answers to the same, cell by cell: differences, and which of them can be claimed.

One home for what a pressure costs, what a perturbation costs and how two runs differ: the interval of each cell from
its own rows, and one test of all cells together (:mod:`vhbench.statistics.multiple_testing`).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from vhbench.schema import Record
from vhbench.statistics import intervals, multiple_testing
from vhbench.statistics.clustering import Clustering, Floats, Places
from vhbench.statistics.clusters import Shared

Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True)
class PairedOutcomes:
    """Outcomes before and after, from 0 to 1, and what each pair of them is about.

    Attributes:
        first: right before.
        second: right after.
        about: the answers that each pair was made of, whose images and facts tell which pairs stand together.
    """

    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)
    about: list[Sequence[Record]] = field(default_factory=list)

    def add(self, first: float, second: float, *about: Record) -> None:
        """Take the next pair."""
        self.first.append(float(first))
        self.second.append(float(second))
        self.about.append(about)

    def shared(self) -> Shared:
        """Return what the pairs share."""
        found = Shared()
        for records in self.about:
            found.add(*records)
        return found


def difference(pairs: PairedOutcomes) -> dict[str, Any]:
    """Return ``n``, the ``mean`` of first less second, its 95 % ``interval`` and the interval's ``note``.

    >>> pairs = PairedOutcomes()
    >>> pairs.add(1, 0, Record("a"))
    >>> difference(pairs)
    {'n': 1, 'mean': 1.0, 'interval': None, 'note': ''}
    """
    change = np.subtract(pairs.first, pairs.second)
    found = intervals.difference(pairs.first, pairs.second, clusters=pairs.shared().among())
    return {
        "n": len(change),
        "mean": float(change.mean()) if len(change) else None,
        "interval": None if found is None else list(found.ends),
        "note": "" if found is None else found.note,
    }


def joint_test(cells: Mapping[Key, PairedOutcomes], *, seed: int = 0) -> dict[Key, dict[str, Any]]:
    """Return the difference of each cell, and what can be claimed of it where all cells are tested together.

    Returns:
        for each cell what :func:`difference` does, and ``certain``: whether the claim is made that anything changed;
        ``p``, adjusted for all cells, None where too few clusters differ for any claim; ``differ``: how many do. The
        verdict is ``certain`` alone: the interval is for its cell, and may leave 0 out.

    >>> pairs = PairedOutcomes()
    >>> for number in range(8):
    ...     pairs.add(1, 0, Record(f"q{number}"))
    >>> found = joint_test({"hp": pairs, "hn": PairedOutcomes()})
    >>> found["hp"]["certain"], found["hp"]["p"], found["hn"]["note"]
    (True, 0.0078125, 'too few differ (0)')
    """
    everything = Shared()
    for pairs in cells.values():
        for records in pairs.about:
            everything.add(*records)
    clusters, changes = everything.among(), [np.subtract(pairs.first, pairs.second) for pairs in cells.values()]
    ends = np.cumsum([0, *map(len, changes)]).tolist()
    places = [np.arange(start, end) for start, end in pairwise(ends)]
    larger = inflation(zip(places, changes, strict=True), clusters)
    claims = [
        multiple_testing.PairedClaim(change, clusters.numbers[own].tolist(), larger)
        for own, change in zip(places, changes, strict=True)
    ]
    found: dict[Key, dict[str, Any]] = {}
    for (key, pairs), verdict in zip(cells.items(), multiple_testing.verdicts(claims, seed=seed), strict=True):
        told = difference(pairs)
        claimed = {"certain": verdict.certain, "p": verdict.p, "differ": verdict.differ}
        found[key] = told | claimed | ({"note": verdict.note} if verdict.note else {})
    return found


def inflation(claims: Iterable[tuple[Places, Floats]], clusters: Clustering) -> float:
    """Return by how much tied pairs raise the variance of the claims' sums: one number, as that of a claim is noise.

    Claims where tied pairs happen to disagree do not make up for those where they agree.

    Args:
        claims: where the pairs of each stand among all, and what each pair changes.
        clusters: of all pairs.
    """
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
