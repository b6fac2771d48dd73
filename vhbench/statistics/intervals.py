"""95 % intervals for every score, by one formula without random numbers.

Questions about the same images are dependent, so the units are not answers but their *clusters*
(:mod:`vhbench.statistics.clusters`). A score p in [0, 1], sum(top) / sum(bottom) over clusters, gets

1. a residual for each cluster, (top - p · bottom) / (sum(bottom) · sqrt(1 - its share of the bottom)): linearisation
   with the correction CR2 (Bell and McCaffrey 2002);
2. the effective number of answers, n = p(1 - p) / sum(residual²), at most the number of answers;
3. as many independent trials: n, reduced by (z / t)² for the degrees of freedom of CR2 (Korn and Graubard 1998), but no
   fewer than the clusters, which are all the trials if the answers about an image are always equal (Kish 1965);
4. the exact interval for so many trials (Clopper and Pearson 1934). Its lower end is at most that of a score of 1, its
   upper end at least that of a score of 0, which rest on the clusters alone: one more error never narrows what a
   perfect score leaves open.

``tests/by_hand/interval_coverage.py`` measures the coverage: with few clusters intervals are conservative, and ``note``
gives the reason. Every function returns an :class:`Interval`, or None where the score or its spread is undefined: no
data, a denominator of zero, a single cluster with unequal outcomes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, sqrt
from typing import NamedTuple

import numpy as np

from vhbench.schema import VhbenchError
from vhbench.statistics.clustering import (
    Clustering,
    Clusters,
    Floats,
    Numbers,
    Places,
    cluster_sums,
    numbered,
    summed,
    tied_weight,
    total_of,
)

LEVEL = 0.95
FEW_CLUSTERS, FEW_DEGREES, FEW_DIFFER = 10, 9, 10
LEAST_OF_LENGTHS = 30  # number of clusters below which an interval is wide, with a note
WELL_KNOWN = 100  # degrees of freedom to accept underdispersion of clusters, as F1 and precision have it
_NOTHING = 1e-24  # variance that is rounding error
_SAME = 1e-12  # difference of shares that is rounding error
_ALIKE = "exact binomial CI (all outcomes identical)"
_NO_CHANGE = "all clusters have the same outcome"


class Interval(NamedTuple):
    """Confidence interval."""

    low: float  # lower end
    high: float  # upper end
    note: str = ""  # why it is wide, or another caveat; "" for none

    @property
    def ends(self) -> tuple[float, float]:
        """Return both ends, as in reports."""
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class WeightedRatio:
    """Part of a mean over cells: a ratio of sums, with its weight."""

    top: Numbers  # numerator of each row of the cell
    bottom: Numbers | None = None  # denominator of each row; None counts the rows
    places: Places | None = None  # indices of the cell's rows among all clustered rows; None for all, in order
    weight: float = 1.0  # its weight in the mean; all weights sum to 1
    most: float | None = None  # number of answers, an upper limit of its information; None for the sum of ``bottom``


def mean(values: Numbers, *, clusters: Clusters | None = None, level: float = LEVEL) -> Interval | None:
    """Return the interval of a mean of numbers from 0 to 1, an accuracy or a rate, with a coverage of ``level``.

    Clusters are named or numbered, for each row; None for independent rows.

    >>> mean([1, 1, 1, 1, 1]).ends  # five of five: the lower end is 0.025 ** (1 / 5)
    (0.47817624..., 1.0)
    >>> mean([]) is None
    True
    """
    return mean_of_ratios([WeightedRatio(values)], clusters=clusters, level=level)


def ratio(
    top: Numbers, bottom: Numbers, *, most: float | None = None, clusters: Clusters | None = None
) -> Interval | None:
    """Return the interval of sum(top) / sum(bottom), which is at most 1, such as CHAIR_i over captions, or F1.

    ``most`` is the number of answers, mentions or objects; None for the sum of ``bottom``. F1, which is 2TP / (2TP + FP
    + FN), is based on TP + FP + FN answers.

    >>> ratio([1, 0], [0, 0]) is None
    True
    """
    if len(top) != len(bottom):
        raise VhbenchError(f"{len(top)} numerators for {len(bottom)} denominators: one each is needed")
    return mean_of_ratios([WeightedRatio(top, bottom, most=most)], clusters=clusters)


def mean_of_ratios(
    cells: Sequence[WeightedRatio], *, clusters: Clusters | None = None, level: float = LEVEL
) -> Interval | None:
    """Return the interval of a weighted mean over cells, which may share clusters.

    A cell with one cluster has no deviation, and counts as one trial.

    >>> cells = [WeightedRatio([1, 0], weight=0.5, places=np.array([0, 1])),
    ...          WeightedRatio([1], weight=0.5, places=np.array([2]))]
    >>> mean_of_ratios(cells, clusters=["a", "b", "c"]).note
    '3 clusters'
    """
    rows = max((len(c.top) if c.places is None else int(c.places.max(initial=-1)) + 1 for c in cells), default=0)
    numbers, size, note = numbered(clusters, rows)
    parts = [_CellSums.of(cell, numbers, size) for cell in cells]
    if not parts or any(part.total <= 0 for part in parts):
        return None  # the score itself is undefined
    estimate = min(1.0, max(0.0, fsum(part.weight * part.rate for part in parts)))
    weights = sum((part.weight * part.share for part in parts), np.zeros(size))
    filled, spread = int(np.count_nonzero(weights)), estimate * (1 - estimate)
    alike = spread < _SAME
    if filled < 2 and not alike:
        return None
    shares, off = np.zeros(rows), np.zeros(rows)
    for cell, part in zip(cells, parts, strict=True):
        places, bottom = np.arange(rows) if cell.places is None else cell.places, _bottom(cell)
        shares[places] += part.weight * bottom / part.total
        off[places] += part.weight * (np.asarray(cell.top, np.float64) - part.rate * bottom) / part.total
    fewest = 1 / (total_of(weights**2) + tied_weight(shares, clusters))
    df = max(1.0, _satterthwaite(weights)) if filled > 1 else 1.0
    variance = total_of(sum((part.pull(sqrt(spread)) for part in parts), np.zeros(size)) ** 2)
    if isinstance(clusters, Clustering):
        variance = clusters.variance(variance, off)
    # Few clusters estimate their variance poorly: then assume no more information than the answers have.
    least = spread * fsum(part.weight**2 / part.most for part in parts) * min(1.0, WELL_KNOWN / df)
    trials = fewest
    if not alike:
        trials = max(fewest, spread / max(variance, least) * (quantile(inf, level) / quantile(df, level)) ** 2)
    low, high = binomial_ends(estimate, trials, level)
    low, high = min(low, binomial_ends(1.0, fewest, level)[0]), max(high, binomial_ends(0.0, fewest, level)[1])
    return Interval(low, high, _joined(_ALIKE if alike else _few(filled, df), note))


def difference(first: Numbers, second: Numbers, *, clusters: Clusters | None = None) -> Interval | None:
    """Return the interval of a mean of paired differences, first - second, of outcomes from 0 to 1.

    It is the t interval; if fewer than ten clusters differ, the wider of it and of the one from the two shares' own
    intervals (MOVER: Newcombe 1998, Zou and Donner 2008). Without variance, it is as wide as the exact interval of a
    share that was never observed.

    >>> difference([0] * 10, [0] * 10).ends  # 1 - 0.025 ** (1 / 10) to either side
    (-0.30849710..., 0.30849710...)
    >>> difference([1], [0]) is None  # a single case says nothing of others
    True
    """
    if len(first) != len(second):
        raise VhbenchError(f"{len(first)} values are paired with {len(second)}: one each is needed")
    change, each = np.subtract(first, second, dtype=np.float64), np.ones(len(first))
    interval = of_change(change, each, clusters=clusters, shares=True)
    before, after, pairs = cluster_sums([first, second, each], clusters)
    differ = int(np.count_nonzero(np.abs(before - after) > _SAME))
    if interval is None or differ >= FEW_DIFFER or np.ptp((before - after) / pairs) < _SAME:
        return interval
    wide = _mover(before, after, pairs)
    few = f"outcomes differ in {differ} of {len(pairs)} clusters"
    note = clusters.note if isinstance(clusters, Clustering) else ""
    return Interval(max(-1.0, min(interval.low, wide.low)), min(1.0, max(interval.high, wide.high)), _joined(few, note))


def of_change(
    change: Numbers, about: Numbers, *, clusters: Clusters | None = None, shares: bool = False
) -> Interval | None:
    """Return the interval of sum(change) / sum(about), the difference of two F1, say.

    The change is that of each question in the score, linearised, times the number of covered questions, for which
    ``about`` is 1. It is the t interval over clusters; None for a single cluster. Without variance, it is as wide as
    that of :func:`difference` if the scores are ``shares``, from 0 to 1, and None otherwise.

    >>> of_change([0.5, 0, -0.5, 1], [1, 1, 1, 1]).ends
    (-0.77..., 1.27...)
    >>> of_change([-1] * 10, [1] * 10, shares=True).ends == difference([0] * 10, [1] * 10).ends
    True
    """
    numbers, size, cluster_note = numbered(clusters, len(change))
    sums, rows = (summed(np.asarray(c, dtype=np.float64), numbers, size) for c in (change, about))
    occupied = rows > 0
    if np.count_nonzero(occupied) < 2:
        return None
    total, each = total_of(rows), np.asarray(about, dtype=np.float64)
    off = (np.asarray(change, dtype=np.float64) - total_of(sums) / total * each) / total
    t = with_ties(paired(sums[occupied], rows[occupied]), off, clusters)
    least, most = (-1.0, 1.0) if shares else (-inf, inf)
    if t.error == 0 and not shares:
        return None
    if t.error == 0:  # as of a share that was never observed: clusters are trials, tied ones joined
        filled = rows[occupied]
        kish = 1 / (total_of((filled / total_of(filled)) ** 2) + tied_weight(each / each.sum(), clusters))
        reach, note = binomial_ends(0.0, kish, LEVEL)[1], _NO_CHANGE
    else:
        reach, note = quantile(t.df, LEVEL) * t.error, _few(int(occupied.sum()), t.df)
    return Interval(max(least, t.mean - reach), min(most, t.mean + reach), _joined(note, cluster_note))


def lengths(values: Numbers, *, clusters: Clusters | None = None) -> Interval | None:
    """Return the interval of a mean of unbounded counts, such as words per caption; None if the counts do not vary.

    Lengths are skewed: occasionally a caption does not end, and a few captions may have no such case. With ten of them
    t had a coverage of 0.66 if a tenth of the captions is ten times as long, and 0.86 if lengths are log-normal. So the
    ends are the wider ones of t on the counts and on their logarithms. With at least
    :data:`LEAST_OF_LENGTHS` clusters, its coverage was 0.92; with fewer there is none.

    >>> lengths([10, 12, 14, 16]) is None, lengths([10, 12, 14, 16] * 8).ends
    (True, (12.18..., 13.84...))
    """
    interval = of_change(values, np.ones(len(values)), clusters=clusters)
    _, size, _ = numbered(clusters, len(values))
    mean = total_of(np.asarray(values, dtype=np.float64)) / len(values) if len(values) else 0.0
    if interval is None or mean <= 0 or size < LEAST_OF_LENGTHS:
        return None
    reach = (interval.high - mean) / mean
    return Interval(min(interval.low, mean * exp(-reach)), max(interval.high, mean * exp(reach)), interval.note)


class Paired(NamedTuple):
    """A mean over clusters, its standard error (0 if constant) and degrees of freedom."""

    mean: float
    error: float
    df: float


def paired(change: Floats, rows: Floats) -> Paired:
    """Return the mean over at least two clusters, given the sum and the number of rows of each.

    >>> paired(np.array([1.0, 0.0, 2.0]), np.array([2.0, 2.0, 2.0]))
    Paired(mean=0.5, error=0.288675..., df=2.0)
    """
    total = total_of(rows)
    average = total_of(change) / total
    pull = (change - average * rows) / total / np.sqrt(1 - rows / total)
    squares = pull**2
    spread, most = total_of(squares), len(rows) - 1.0
    if spread >= _NOTHING:  # from the spread of the squared residuals
        most = min(most, 2 / max(total_of(squares**2) / spread**2 - 1 / len(rows), 1e-9))
    df = max(1.0, min(most, _satterthwaite(rows / total)))
    return Paired(average, 0.0 if spread < _NOTHING else sqrt(spread), df)


def with_ties(t: Paired, pull: Floats, clusters: Clusters | None) -> Paired:
    """Return the mean with the error due to ties; ``pull``: each row's part of its deviation."""
    if t.error == 0 or not isinstance(clusters, Clustering):
        return t
    return t._replace(error=sqrt(clusters.variance(t.error**2, pull)))


@dataclass(frozen=True, slots=True)
class _CellSums:
    """A summed cell: its score, each cluster's share of the bottom, and its deviation."""

    rate: float
    share: Floats
    off: Floats
    total: float
    weight: float
    most: float

    @classmethod
    def of(cls, cell: WeightedRatio, numbers: Places | None, size: int) -> "_CellSums":
        groups = numbers if cell.places is None else cell.places if numbers is None else numbers[cell.places]
        top = summed(np.asarray(cell.top, dtype=np.float64), groups, size)
        bottom = summed(_bottom(cell), groups, size)
        total = total_of(bottom)
        if total <= 0:
            return cls(0.0, bottom, bottom, 0.0, cell.weight, 0.0)
        rate = total_of(top) / total
        if not -1e-9 <= rate <= 1 + 1e-9:
            raise VhbenchError(f"an interval of a share needs a score from 0 to 1, not {rate:.6g}")
        most = total if cell.most is None else cell.most
        return cls(rate, bottom / total, (top - rate * bottom) / total, total, cell.weight, most)

    def pull(self, trial: float) -> Floats:
        """Return each cluster's pull on the score; ``trial``: that of a cell's only cluster."""
        alone = self.share > 1 - 1e-9
        pull = self.off / np.sqrt(np.where(alone, 1, 1 - self.share))
        return self.weight * np.where(alone, trial, pull)


def _satterthwaite(share: Floats) -> float:
    """Return CR2's degrees of freedom for a weighted mean; clusters - 1 for equal shares."""
    squares = share**2
    b = squares / np.maximum(1 - share, 1e-9)
    return 1 / (total_of(squares) + total_of(b) ** 2 - total_of(b**2))


def quantile(df: float, level: float) -> float:
    """Return the t quantile of a two-sided interval."""
    from scipy.special import stdtrit  # imported here: it loads more slowly than all metrics, scipy.stats even more

    return float(stdtrit(df, (1 + level) / 2))


def _bottom(cell: WeightedRatio) -> Floats:
    return np.ones(len(cell.top)) if cell.bottom is None else np.asarray(cell.bottom, np.float64)


def binomial_ends(rate: float, trials: float, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a rate in independent trials, not necessarily whole numbers."""
    from scipy.special import betaincinv

    right, wrong, tail = rate * trials, (1 - rate) * trials, (1 - level) / 2
    low = 0.0 if rate < _SAME else float(betaincinv(right, wrong + 1, tail))
    high = 1.0 if rate > 1 - _SAME else float(betaincinv(right + 1, wrong, 1 - tail))
    return low, high


def _mover(before: Floats, after: Floats, pairs: Floats) -> Interval:
    numbers, total = np.arange(len(pairs)), total_of(pairs)
    one, two = (mean_of_ratios([WeightedRatio(side, pairs)], clusters=numbers) for side in (before, after))
    assert one is not None
    assert two is not None
    p, q = total_of(before) / total, total_of(after) / total
    a, b = before - p * pairs, after - q * pairs
    both = sqrt(total_of(a**2) * total_of(b**2))
    r = total_of(a * b) / both if both > 0 else 0.0
    d, e, f, g = p - one.low, two.high - q, one.high - p, q - two.low
    low = p - q - sqrt(max(0.0, d * d - 2 * r * d * e + e * e))
    return Interval(low, p - q + sqrt(max(0.0, f * f - 2 * r * f * g + g * g)))


def _few(clusters: int, df: float) -> str:
    if clusters < FEW_CLUSTERS:
        return f"{clusters} clusters"
    return f"{df:.0f} degrees of freedom" if df < FEW_DEGREES else ""


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
