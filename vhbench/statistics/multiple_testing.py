"""Joint tests of several hypotheses.

Among a run's many cells some differ by chance. So the differences of several cells of one run are tested together: the
signs of whole clusters are flipped, each cluster's in all cells at once, and a difference is significant if its
statistic exceeds the largest that chance produces anywhere in the family (max-t, step-down: Westfall and Young 1993,
Romano and Wolf 2005). The probability of *any* false positive in a family is then at most :data:`ALPHA`.

An interval is for its cell alone, and may exclude 0 without significance.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vhbench.seeding import rng
from vhbench.statistics import intervals
from vhbench.statistics.clustering import Clusters, Floats, Numbers, cluster_sums

ALPHA = 0.05  # family-wise error rate
DRAWS = 9_999  # number of sampled sign flips
TOO_FEW = 5  # too few differing clusters to test: of 2 ** 5 signs two match, so p = 0.0625
_ENUMERATED = 14  # clusters up to which all signs are enumerated
_CHUNK = 1 << 22  # signs per chunk


def not_testable(discordant: int) -> str:
    """Return why a difference with so few discordant clusters is not testable."""
    return f"n/a ({discordant} discordant cluster{'' if discordant == 1 else 's'}, need {TOO_FEW + 1})"


class Verdict(NamedTuple):
    """Test result of a cell."""

    p: float | None  # adjusted for the whole family; None where too few clusters differ to test
    discordant_clusters: int  # number of clusters that differ
    note: str = ""  # reason why it is not testable, "" if it is

    @property
    def significant(self) -> bool:
        """Whether the difference is significant."""
        return self.p is not None and self.p <= ALPHA


class SignFlipResult(NamedTuple):
    """Result of a sign-flip test."""

    alone: float  # p-value of this claim alone
    family: Verdict  # adjusted verdict
    critical: float  # critical value of the family, see `SignFlips`
    inflation: float  # as given


def sign_flip_test(change: Floats, inflation: Numbers | None = None, *, seed: int = 0) -> list[SignFlipResult]:
    """Test a family of claims together, and each alone; arguments are as of :func:`sign_flips`.

    >>> test = sign_flip_test(np.column_stack([np.ones(8), [1, -1] * 4, [1, 1] + [0] * 6]))[2]
    >>> test.alone, test.family
    (0.5, Verdict(p=None, discordant_clusters=2, note='n/a (2 discordant clusters, need 6)'))
    """
    change = np.where(np.abs(change) < 1e-12, 0.0, change)
    differ = np.count_nonzero(change, axis=0).tolist()
    tested = np.array([k > TOO_FEW for k in differ], dtype=bool)
    larger = np.ones(len(differ)) if inflation is None else np.asarray(inflation, dtype=np.float64)
    alone, adjusted = np.ones(len(differ)), list[float]()
    alone[tested], adjusted, critical = sign_flips(change[:, tested], larger[tested], seed=seed)
    for place in (place for place, k in enumerate(differ) if k <= _ENUMERATED):
        alone[place] = sign_flips(change[:, [place]], larger[[place]], seed=seed).alone[0]  # exactly
    p_values = dict(zip(np.flatnonzero(tested).tolist(), adjusted, strict=True))
    return [
        SignFlipResult(
            float(alone[place]),
            Verdict(p_values[place], k) if place in p_values else Verdict(None, k, not_testable(k)),
            critical,
            float(larger[place]),
        )
        for place, k in enumerate(differ)
    ]


class SignFlips(NamedTuple):
    """P-values of claims, unadjusted and adjusted for the family, and the family's critical value.

    The largest statistic of a family, a sum over clusters divided by the root of their summed squares, exceeds that by
    chance with probability :data:`ALPHA`.
    """

    alone: list[float]
    adjusted: list[float]
    critical: float


def sign_flips(change: Floats, inflation: Numbers | None = None, *, seed: int = 0) -> SignFlips:
    """Flip the signs of whole clusters, in all claims of a family at once.

    The change has the shape (clusters, claims): each cluster's sum in each claim. If at most 14 clusters differ
    anywhere all signs are enumerated, otherwise :data:`DRAWS` are sampled. The inflation of a claim's variance by ties
    between clusters, None for 1, reduces the observed statistic.

    >>> sign_flips(np.column_stack([np.ones(8), [1, -1] * 4])).adjusted
    [0.015625, 1.0]
    """
    change = change[np.any(change != 0, axis=1)]
    if change.size == 0:
        return SignFlips([1.0] * change.shape[1], [1.0] * change.shape[1], np.inf)
    change = change[np.lexsort(change.T[::-1])]  # makes the draws independent of the order of clusters
    scale = np.sqrt(np.maximum((change**2).sum(axis=0), 1e-12))
    larger = np.sqrt(1.0 if inflation is None else np.asarray(inflation, dtype=np.float64))
    observed = np.abs(change.sum(axis=0)) / scale / larger
    order = np.argsort(-observed, kind="stable")
    total, reached, alone, first = 0, np.zeros(len(observed)), np.zeros(len(observed)), list[Floats]()
    for signs in _signs(len(change), seed):
        turned = np.abs(signs @ change)[:, order] / scale[order]
        largest = np.maximum.accumulate(turned[:, ::-1], axis=1)[:, ::-1]  # of a claim and those after it
        first.append(largest[:, 0])
        reached += (largest >= observed[order] - 1e-9).sum(axis=0)
        alone[order] += (turned >= observed[order] - 1e-9).sum(axis=0)
        total += len(signs)
    sampled = len(change) > _ENUMERATED  # then the observed statistic counts as one more draw
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate((reached + sampled) / (total + sampled))
    critical = float(np.quantile(np.concatenate(first), 1 - ALPHA, method="higher"))
    return SignFlips(((alone + sampled) / (total + sampled)).tolist(), adjusted.tolist(), critical)


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm (1979), a simple method with less power.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted: list[float] = holm_each(np.asarray(p, dtype=np.float64)[:, None])[:, 0].tolist()
    return adjusted


def holm_each(p: Floats) -> Floats:
    """Return :func:`holm` for many families at once; shape (claims, families)."""
    order = np.argsort(p, axis=0, kind="stable")
    steps = (len(p) - np.arange(len(p)))[:, None]
    adjusted = np.empty_like(p)
    ordered = np.minimum(np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * steps, axis=0), 1)
    np.put_along_axis(adjusted, order, ordered, axis=0)
    return adjusted


def paired_t_p_value(change: Numbers, clusters: Clusters | None = None) -> float:
    """Return the two-sided p-value of the t-test of :func:`intervals.difference`.

    If all clusters change by the same amount there is no variance to compare with, and p is that of the sign-flip test.

    >>> round(paired_t_p_value([1, 1, 1, 0]), 3), paired_t_p_value([1] * 8), paired_t_p_value([0] * 8)
    (0.058, 0.0078125, 1.0)
    """
    from scipy.special import stdtr  # imported here, as it loads more slowly than all metrics

    each = np.asarray(change, dtype=np.float64)
    sums, rows = cluster_sums([each, np.ones(len(each))], clusters)
    if len(rows) < 2:
        return 1.0
    t = intervals.with_ties(intervals.paired(sums, rows), (each - each.mean()) / len(each), clusters)
    if t.error == 0:
        return 1.0 if abs(t.mean) < 1e-12 else 2.0 ** (1 - len(rows))
    return float(2 * stdtr(t.df, -abs(t.mean) / t.error))


def _signs(clusters: int, seed: int) -> Iterator[Floats]:
    """Yield the clusters' signs, a row per flip: all of them, or a random sample."""
    if clusters <= _ENUMERATED:
        yield np.asarray(1 - 2 * ((np.arange(2**clusters)[:, None] >> np.arange(clusters)) & 1), dtype=np.float64)
        return
    random = rng(seed, "signs")
    step = max(1, _CHUNK // clusters)
    for start in range(0, DRAWS, step):
        yield np.asarray(1 - 2 * random.integers(2, size=(min(step, DRAWS - start), clusters)), dtype=np.float64)
