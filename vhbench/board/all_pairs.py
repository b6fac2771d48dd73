"""By how much each of many models is above each other one on the same questions: every pair of a board.

The numbers are those of :func:`vhbench.tasks.metrics.intervals.difference`, which ``vhbench compare`` gives for two
runs. What two models have in common with the clusters is summed up once for each of them, so that the half a million
differences of a hundred models take seconds. Where few clusters differ, each pair is handed to that function itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vhbench.tasks.metrics import intervals
from vhbench.tasks.metrics.intervals import Clustering, Floats, Interval

_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class AllPairs:
    """Differences of many models in one score.

    Attributes:
        value: shape (models, models): the row's score less the column's, from -1 to 1.
        low: the lower end of its 95 % interval; NaN where there is none.
        high: the upper end.
    """

    value: Floats
    low: Floats
    high: Floats

    def interval(self, one: int, other: int) -> tuple[float, float] | None:
        """Return the interval of one model's score less the other's."""
        ends = float(self.low[one, other]), float(self.high[one, other])
        return None if np.isnan(ends[0]) else ends


def differences(outcomes: Floats, clusters: Clustering) -> AllPairs:
    """Compare each two models.

    Args:
        outcomes: shape (models, questions), from 0 to 1; a row of NaN for a model without a score.
        clusters: of the questions.
    """
    models, size = outcomes.shape
    numbers = clusters.numbers.astype(np.intp)
    held = np.bincount(numbers) > 0
    rows = np.bincount(numbers).astype(np.float64)[held]
    with np.errstate(invalid="ignore"):
        means = outcomes.mean(axis=1) if size else np.full(models, np.nan)
    value = means[:, None] - means[None]
    low, high = np.full((models, models), np.nan), np.full((models, models), np.nan)
    if len(rows) >= 2:
        sums = np.stack([np.bincount(numbers, weights=row, minlength=len(held))[held] for row in outcomes])
        tied = _tied(outcomes - means[:, None], clusters) / size**2
        for one in range(models):
            for other, (least, most) in _above(one, outcomes, sums, rows, tied[one], clusters):
                low[one, other], high[one, other] = least, most
    return AllPairs(value, low, high)


def _above(
    one: int, outcomes: Floats, sums: Floats, rows: Floats, tied: Floats, clusters: Clustering
) -> Sequence[tuple[int, tuple[float, float]]]:
    """Return the intervals of one model's score less that of each other."""
    total = rows.sum()
    change = sums[one] - sums
    average = change.sum(axis=1) / total
    pull = (change - average[:, None] * rows) / total / np.sqrt(1 - rows / total)
    squares = pull**2
    spread, fourth = squares.sum(axis=1), (squares**2).sum(axis=1)
    differ = np.count_nonzero(np.abs(change) > _SAME, axis=1)
    own = intervals.paired(rows, rows).df  # of the clusters alone, as nothing spreads there
    found = list[tuple[int, tuple[float, float]]]()
    for other in range(len(outcomes)):
        if np.isnan(average[other]):
            continue
        if differ[other] < intervals.FEW_DIFFER or spread[other] < _SAME**2:
            alone = intervals.difference(outcomes[one], outcomes[other], clusters=clusters)
            found += [(other, alone.ends)] if alone else []
            continue
        left = 2 / max(fourth[other] / spread[other] ** 2 - 1 / len(rows), 1e-9)
        degrees = max(1.0, min(len(rows) - 1.0, left, own))
        variance = spread[other]
        if clusters.ties is not None:
            variance = (variance + max(0.0, tied[other])) / (1 - 2 * clusters.ties.shape[1] / outcomes.shape[1] ** 2)
        reach = _quantile(degrees) * np.sqrt(variance)
        found.append((other, (max(-1.0, average[other] - reach), min(1.0, average[other] + reach))))
    return found


def _tied(off: Floats, clusters: Clustering) -> Floats:
    """Return for each two models what tied questions add to the variance of their difference, as a sum."""
    models = len(off)
    if clusters.ties is None:
        return np.zeros((models, models))
    from scipy.sparse import csr_array

    one, other = clusters.ties
    shape = (off.shape[1], off.shape[1])
    ties = csr_array((np.ones(2 * len(one)), (np.concatenate([one, other]), np.concatenate([other, one]))), shape=shape)
    gram = off @ (ties @ off.T)
    own = np.diag(gram)
    return np.asarray(own[:, None] + own[None] - 2 * gram, dtype=np.float64)


def _quantile(df: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + intervals.LEVEL) / 2))


def drop(public: Floats, fresh: Floats, clusters: Clustering) -> tuple[float, Interval | None]:
    """Return a score on a public edition less that on a fresh one, and its interval.

    Each edition has its own questions. What stands together over both, an image or a fact that both have, is one
    cluster, so that it counts as paired; all else varies by itself.

    Args:
        public: outcomes of the public edition, from 0 to 1.
        fresh: of the fresh one.
        clusters: of all questions, the public ones first.

    >>> from vhbench.tasks.metrics.intervals import Clustering
    >>> value, interval = drop(np.ones(20), np.array([1.0, 0.0] * 10), Clustering(np.arange(40)))
    >>> value, [round(end, 2) for end in interval.ends]
    (0.5, [0.27, 0.73])
    """
    value = float(public.mean() - fresh.mean())
    count = len(public) + len(fresh)
    off = np.concatenate([(public - public.mean()) / len(public), -(fresh - fresh.mean()) / len(fresh)])
    change = count * off + value
    return value, intervals.of_change(change, np.ones(count), clusters=clusters, shares=True)
