"""95 % intervals for every score: cluster bootstrap by image set, exact where the sample is small.

Questions about the same images stand and fall together, so what is resampled is the *cluster* (the image set), with
all its questions. Three cases, all deterministic for a given seed:

* every cluster is one all-or-nothing trial, and there are few of them or all came out alike → exact binomial
  (Clopper and Pearson 1934);
* up to seven clusters → the bootstrap distribution itself, by enumerating every resample with its probability;
* otherwise → ``draws`` bootstrap resamples, vectorised (Efron 1979; percentile interval).

Two clusters with equal sums are interchangeable, so a resample is a multinomial draw over the *distinct* sums, and only
clusters whose sums few others share are picked one by one: 10,000 draws over 10,000 answers take milliseconds.

Every function gives ``(low, high)``, or None where the score or its spread is undefined: no data, a denominator of
zero, a single cluster.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import combinations
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from vhbench.schema import VhbenchError
from vhbench.seeding import rng

Interval = tuple[float, float]
Floats = npt.NDArray[np.float64]
Numbers = Sequence[float] | npt.NDArray[np.generic]
Statistic = Callable[[Floats], Floats]
Clusters = Sequence[Hashable] | npt.NDArray[np.integer]

DRAWS = 10_000
LEVEL = 0.95
EXACT_TRIALS = 100
EXACT_CLUSTERS = 7
_WORTH_A_BINOMIAL = 16
_CHUNK = 1 << 15  # picks at a time: a quarter of a megabyte, which stays in the cache and costs no new pages


class Resampling(TypedDict, total=False):
    """What every interval can be told.

    Attributes:
        clusters: the image set of each question, or its number in an array; None where every question stands alone.
        seed: of the resampling, 0 by default.
        draws: number of resamples, :data:`DRAWS` by default.
        level: coverage, :data:`LEVEL` by default: a 95 % interval.
    """

    clusters: Clusters | None
    seed: int
    draws: int
    level: float


def mean(values: Numbers, **how: Unpack[Resampling]) -> Interval | None:
    """Return the interval of a mean: an accuracy, a rate.

    >>> mean([1, 1, 1, 1, 1])  # five of five: the lower end is 0.025 ** (1 / 5)
    (0.47817624..., 1.0)
    >>> mean([]) is None
    True
    """
    return ratio(values, np.ones(len(values)), **how)


def difference(values: Numbers, **how: Unpack[Resampling]) -> Interval | None:
    """Return the interval of the mean of paired differences, each from -1 to 1: right before, minus right after.

    Unlike a share of right answers it may lie on either side of 0, so that one case that turned wrong proves nothing,
    although none turned right. Where all clusters came out alike, nothing varies to resample; the interval then reaches
    as far as the exact one of a share that was never (always) seen.

    >>> difference([1] + [0] * 49)  # one of fifty turned wrong
    (0.0, 0.06)
    >>> difference([0] * 10)  # 1 - 0.025 ** (1 / 10) to either side
    (-0.30849710..., 0.30849710...)
    >>> difference([1]) is None  # a single case says nothing of others
    True
    """
    return _interval(np.column_stack([values, np.ones(len(values))]), _quotient, _all_alike, **how)


def ratio(numerators: Numbers, denominators: Numbers, **how: Unpack[Resampling]) -> Interval | None:
    """Return the interval of sum(numerators) / sum(denominators), such as CHAIR_i over captions.

    >>> ratio([1, 0], [0, 0]) is None
    True
    """
    if len(numerators) != len(denominators):
        raise VhbenchError(f"{len(numerators)} numerators for {len(denominators)} denominators: one each is needed")
    return _interval(np.column_stack([numerators, denominators]), _quotient, _binomial, **how)


def statistic(columns: npt.NDArray[np.generic], function: Statistic, **how: Unpack[Resampling]) -> Interval | None:
    """Return the interval of any function of column sums, such as F1 of the counts of a confusion matrix.

    Args:
        columns: shape (questions, k): what is summed.
        function: maps sums of shape (resamples, k) to scores of shape (resamples,), NaN where undefined.
        how: see :class:`Resampling`.
    """
    return _interval(columns, function, lambda sums, level: None, **how)


def binomial(right: int, trials: int, level: float = LEVEL) -> Interval | None:
    """Return the exact (Clopper-Pearson) interval of a proportion, None for no trial.

    >>> binomial(0, 10)  # nothing of ten: the upper end is 1 - 0.025 ** (1 / 10)
    (0.0, 0.30849710...)
    """
    from scipy.special import betaincinv  # here, as it takes longer to load than all metrics; scipy.stats far longer

    if trials == 0:
        return None
    tail, wrong = (1 - level) / 2, trials - right
    low = float(betaincinv(right, wrong + 1, tail)) if right else 0.0
    high = 1 - float(betaincinv(wrong, right + 1, tail)) if wrong else 1.0
    return low, high


def _interval(
    columns: npt.NDArray[np.generic],
    function: Statistic,
    exact: Callable[[Floats, float], Interval | None],
    *,
    clusters: Clusters | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> Interval | None:
    sums = _cluster_sums(np.asarray(columns, dtype=np.float64), clusters)
    if not len(sums) or np.isnan(function(sums.sum(axis=0, keepdims=True))[0]):
        return None
    return exact(sums, level) or _bootstrap(sums, function, seed=seed, draws=draws, level=level)


def _cluster_sums(columns: Floats, clusters: Clusters | None) -> Floats:
    if not np.isfinite(columns).all():
        raise VhbenchError("an interval needs finite numbers; found NaN or infinity")
    if clusters is None:
        return columns
    if len(clusters) != len(columns):
        raise VhbenchError(f"{len(clusters)} clusters for {len(columns)} values: one each is needed")
    if isinstance(clusters, np.ndarray):
        codes, size = clusters.astype(np.intp, copy=False), int(clusters.max(initial=-1)) + 1
    else:
        number: dict[Hashable, int] = {}
        codes = np.array([number.setdefault(cluster, len(number)) for cluster in clusters], dtype=np.intp)
        size = len(number)
    if size == len(columns) == len(np.unique(codes)):
        return columns  # each stands alone
    sums = np.zeros((size, columns.shape[1]))
    np.add.at(sums, codes, columns)
    return sums[np.bincount(codes, minlength=size) > 0]  # a part of all answers leaves numbers unused


def _binomial(sums: Floats, level: float) -> Interval | None:
    """Treat clusters as trials where each is all right or all wrong and all are of one size; empty ones are none."""
    sums = sums[sums.any(axis=1)]
    sizes = sums[:, 1]
    right = sums[:, 0] == sizes
    if (sizes != sizes[0]).any() or not (right | (sums[:, 0] == 0)).all():
        return None
    hits = int(right.sum())
    if len(sums) > EXACT_TRIALS and 0 < hits < len(sums):
        return None
    return binomial(hits, len(sums), level)


def _all_alike(sums: Floats, level: float) -> Interval | None:
    means = _quotient(sums)
    if len(sums) < 2 or (means != means[0]).any():
        return None
    reach = 1 - ((1 - level) / 2) ** (1 / len(sums))
    return max(-1.0, float(means[0]) - reach), min(1.0, float(means[0]) + reach)


def _bootstrap(sums: Floats, function: Statistic, *, seed: int, draws: int, level: float) -> Interval | None:
    if len(sums) < 2:
        return None
    # Sorted distinct sums: the order of the rows cannot change the draws.
    kinds, count = np.unique(sums, axis=0, return_counts=True)
    if len(sums) <= EXACT_CLUSTERS:
        totals, weights = _all_resamples(kinds, count)
    else:
        totals, weights = _some_resamples(kinds, count, seed, draws), np.ones(draws)
    return _quantiles(function(totals), weights, level)


def _some_resamples(kinds: Floats, count: npt.NDArray[np.intp], seed: int, draws: int) -> Floats:
    """Draw the totals of ``draws`` resamples, shape (draws, columns).

    How often the frequent kinds are drawn comes from one multinomial; what is left is picked cluster by cluster. Both
    are the same distribution: a kind costs a binomial per resample, a cluster a pick.
    """
    generator = rng(seed, "bootstrap")
    size = int(count.sum())
    often = count >= _WORTH_A_BINOMIAL
    rare = np.repeat(kinds[~often], count[~often], axis=0)
    shares = np.append(count[often], len(rare)) / size
    drawn = generator.multinomial(size, shares, size=draws)
    totals: Floats = drawn[:, :-1] @ kinds[often]
    if len(rare):
        step = max(1, _CHUNK // len(rare))
        for start in range(0, draws, step):
            totals[start : start + step] += _picked(rare, drawn[start : start + step, -1], generator)
    return totals


def _picked(rows: Floats, sizes: npt.NDArray[np.int64], generator: np.random.Generator) -> Floats:
    """Sum ``sizes[i]`` rows picked at random, for each i."""
    picks = generator.integers(len(rows), size=int(sizes.sum()))
    starts = np.cumsum(sizes) - sizes
    filled = np.flatnonzero(sizes)
    totals = np.zeros((len(sizes), rows.shape[1]))
    if len(picks):
        for column in range(rows.shape[1]):
            values = np.take(rows[:, column], picks)
            totals[filled, column] = np.add.reduceat(values, starts[filled])
    return totals


def _all_resamples(kinds: Floats, count: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Enumerate how often each kind can be drawn (stars and bars), with the multinomial probability."""
    from scipy.special import gammaln, xlogy

    size = int(count.sum())
    bars = combinations(range(size + len(kinds) - 1), len(kinds) - 1)
    drawn = np.array([np.diff([-1, *bar, size + len(kinds) - 1]) - 1 for bar in bars])
    weights = np.exp(gammaln(size + 1) + (xlogy(drawn, count / size) - gammaln(drawn + 1)).sum(axis=1))
    return drawn @ kinds, weights


def _quotient(totals: Floats) -> Floats:
    out = np.full(len(totals), np.nan)
    np.divide(totals[:, 0], totals[:, 1], out=out, where=totals[:, 1] != 0)
    return out


def _quantiles(scores: Floats, weights: Floats, level: float) -> Interval | None:
    known = ~np.isnan(scores)
    if not known.any():
        return None
    order = np.argsort(scores[known], kind="stable")
    scores, weights = scores[known][order], weights[known][order]
    mass = np.cumsum(weights) / weights.sum()
    tail = (1 - level) / 2
    low, high = np.searchsorted(mass, [tail - 1e-12, 1 - tail - 1e-12])
    return float(scores[low]), float(scores[min(int(high), len(scores) - 1)])
