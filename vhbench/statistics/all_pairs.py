"""Pairwise differences between many models on the same questions, for leaderboards.

The numbers equal those of :func:`vhbench.statistics.intervals.difference`, which ``vhbench compare`` reports for two
runs. Each model's cluster sums are computed once, so the half a million differences of a hundred models take seconds.
Where few clusters differ, a pair is passed to that function itself.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vhbench.statistics import intervals, multiple_testing
from vhbench.statistics.clustering import Clustering, Floats, Places
from vhbench.statistics.sums import Sums

_SAME = 1e-12  # difference of shares that is rounding error


@dataclass(frozen=True, slots=True)
class AllPairs:
    """Differences of many models in one score."""

    value: Floats  # shape (models, models): the row's score minus the column's, from -1 to 1
    low: Floats  # lower end of its 95 % interval; NaN without one
    high: Floats  # upper end
    p: Floats  # p-value of t over clusters; NaN where too few clusters differ to test
    # p-value of the claim that one is better: the larger of ``p`` and that with the missing predictions of the lower
    # score right; 1 where these would reverse it
    claim: Floats
    discordant_clusters: Places  # number of clusters in which they differ

    def interval(self, one: int, other: int) -> tuple[float, float] | None:
        """Return the interval of one model's score minus the other's."""
        ends = float(self.low[one, other]), float(self.high[one, other])
        return None if np.isnan(ends[0]) else ends


Compared = tuple[list[int], list[AllPairs], npt.NDArray[np.bool_], Floats, dict[int, tuple[int, int]]]


def compare(
    sums: Mapping[int, Sums | None],
    clusters: Clustering,
    ranked: Container[int],
    *,
    higher_is_better: bool | None,
    parts: Iterable[tuple[Places, Clustering]] = (),
) -> Compared:
    """Compare every two models in a score, overall and in parts of its questions.

    ``sums`` has the contribution of each question to a model's score, None without a score; ``parts`` the questions of
    each part, with their clusters. Models that are not ``ranked`` are baselines. A direction None counts as True.

    Returns:
        The models with a score; their differences, overall and per part; which of these are significant, and their
        adjusted p-values, as of :func:`claimed`; and the rank range of each ranked model.
    """
    scored = {model: one for model, one in sums.items() if one is not None and one.outcomes is not None}
    members = list(scored)
    if not members:
        return [], [], np.zeros((0, 0, 0), dtype=bool), np.zeros((0, 0, 0)), {}
    about = np.flatnonzero(scored[members[0]].about)
    table = np.stack([np.asarray(one.outcomes, dtype=np.float64) for one in scored.values()])
    best = np.stack([np.asarray(one.at_best.outcomes, dtype=np.float64) for one in scored.values()])
    pairs = [differences(table[:, about], clusters.at(about), best[:, about])]
    for places, own in parts:
        inside = np.isin(places, about)
        covered = places[inside]
        pairs.append(differences(table[:, covered], own.at(np.flatnonzero(inside)), best[:, covered]))
    is_ranked = [model in ranked for model in members]
    significant, adjusted = claimed(pairs, is_ranked)
    better = significant[0] & ((pairs[0].value > 0) == (higher_is_better is not False))
    ranks = rank_ranges(better, np.flatnonzero(is_ranked).tolist())
    return members, pairs, significant, adjusted, {members[at]: own for at, own in ranks.items()}


def rank_ranges(better: npt.NDArray[np.bool_], models: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return the rank range of some models, given whether each is significantly better than each other.

    >>> rank_ranges(np.array([[False, False, True], [False] * 3, [False] * 3]), [0, 1, 2])
    {0: (1, 2), 1: (1, 3), 2: (2, 3)}
    """
    return {m: (1 + int(better[models, m].sum()), len(models) - int(better[m, models].sum())) for m in models}


def differences(outcomes: Floats, clusters: Clustering, best: Floats | None = None) -> AllPairs:
    """Compare every two models.

    Outcomes have the shape (models, questions), from 0 to 1, with a row of NaN for a model without a score; ``best``
    has every missing prediction right, None without missing ones.
    """
    models, size = outcomes.shape
    numbers = clusters.numbers.astype(np.intp)
    occupied = np.bincount(numbers) > 0
    rows = np.bincount(numbers).astype(np.float64)[occupied]
    with np.errstate(invalid="ignore"):
        means = outcomes.mean(axis=1) if size else np.full(models, np.nan)
    value = means[:, None] - means[None]
    low, high, p = (np.full((models, models), np.nan) for _ in range(3))
    columns = [np.bincount(numbers, weights=row, minlength=len(occupied))[occupied] for row in outcomes]
    sums = np.stack(columns).astype(np.float64)
    differ = np.stack([np.count_nonzero(np.abs(own - sums) > _SAME, axis=1) for own in sums])
    if len(rows) >= 2:
        tied = _tied(outcomes - means[:, None], clusters) / size**2
        for one in range(models):
            low[one], high[one], p[one] = _above(one, outcomes, sums, rows, differ[one], tied[one], clusters)
    claim = p.copy()
    if best is not None:
        missing = np.any(best != outcomes, axis=1)
        for one, other in np.argwhere((p <= multiple_testing.ALPHA) & (value > 0) & missing).tolist():
            change = outcomes[one] - best[other]
            again = multiple_testing.paired_t_p_value(change, clusters) if change.sum() > 0 else 1.0
            claim[one, other] = claim[other, one] = max(p[one, other], again)
    return AllPairs(value, low, high, p, claim, differ)


def _above(
    one: int, outcomes: Floats, sums: Floats, rows: Floats, differ: Places, tied: Floats, clusters: Clustering
) -> Floats:
    """Return lower and upper end of one model's score minus each other's, and the p-value: shape (3, models)."""
    from scipy.special import stdtr, stdtrit  # imported here, as it loads more slowly than everything else

    total = rows.sum()
    change = sums[one] - sums
    average = change.sum(axis=1) / total
    pull = (change - average[:, None] * rows) / total / np.sqrt(1 - rows / total)
    squares = pull**2
    spread, fourth = squares.sum(axis=1), (squares**2).sum(axis=1)
    few = (differ < intervals.FEW_DIFFER) | (spread < _SAME**2)
    df = intervals.paired(rows, rows).df  # of the clusters alone, as the rows have no variance
    variance = spread
    if clusters.ties is not None:
        variance = (spread + np.maximum(0.0, tied)) / (1 - 2 * clusters.ties.shape[1] / outcomes.shape[1] ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):  # where nothing differs
        left = 2 / np.maximum(fourth / spread**2 - 1 / len(rows), 1e-9)
        degrees = np.maximum(1.0, np.minimum(np.minimum(len(rows) - 1.0, left), df))
        error = np.sqrt(variance)
        reach = stdtrit(degrees, (1 + intervals.LEVEL) / 2) * error
        p = 2 * stdtr(degrees, -np.abs(average) / error)
    rows_out = np.stack([np.maximum(-1.0, average - reach), np.minimum(1.0, average + reach), p])
    rows_out[:, few | np.isnan(average)] = np.nan
    for other in np.flatnonzero(few & ~np.isnan(average)).tolist():
        alone = intervals.difference(outcomes[one], outcomes[other], clusters=clusters)
        tested = differ[other] > multiple_testing.TOO_FEW
        change_p = multiple_testing.paired_t_p_value(outcomes[one] - outcomes[other], clusters) if tested else np.nan
        rows_out[:, other] = (*alone.ends, change_p) if alone else np.nan
    return np.asarray(rows_out, dtype=np.float64)


def _tied(off: Floats, clusters: Clustering) -> Floats:
    """Return per two models the sum that tied questions add to the difference's variance."""
    models = len(off)
    if clusters.ties is None:
        return np.zeros((models, models))
    from scipy.sparse import csr_array

    one, other = clusters.ties
    shape = (off.shape[1], off.shape[1])
    ties = csr_array((np.ones(2 * len(one)), (np.concatenate([one, other]), np.concatenate([other, one]))), shape=shape)
    gram = off @ (ties @ off.T)
    diagonal = np.diag(gram)
    return np.asarray(diagonal[:, None] + diagonal[None] - 2 * gram, dtype=np.float64)


def claimed(pairs: Sequence[AllPairs], ranked: Sequence[bool]) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Return which differences are significant (Holm), and adjusted p-values, 1 where too few clusters differ to test.

    Pairs are those of all questions, and of each part. Both results have the shape (1 + parts, models, models); the
    models' ranks follow from the first. The family for all questions is all pairs of models; for parts it is the parts
    of a pair. Pairs with a baseline, one not ``ranked``, are a separate family: more baselines do not move ranks. A
    difference whose interval has 0, or that missing predictions might explain, is not significant.
    """
    p = np.stack([np.nan_to_num(pair.claim, nan=1.0) for pair in pairs])
    adjusted = np.ones_like(p)
    one, other = np.triu_indices(len(ranked), 1)
    models = np.array(ranked, dtype=bool)
    among = models[one] & models[other]
    for members in (np.flatnonzero(among), np.flatnonzero(~among)):
        adjusted[0, one[members], other[members]] = multiple_testing.holm(p[0, one[members], other[members]].tolist())
    adjusted[1:, one, other] = multiple_testing.holm_each(p[1:, one, other])
    adjusted[:, other, one] = adjusted[:, one, other]
    apart = np.stack([(pair.low > 0) | (pair.high < 0) for pair in pairs])
    return (adjusted <= multiple_testing.ALPHA) & apart, adjusted


def drop(public: Floats, fresh: Floats, weights: tuple[Floats, Floats] | None = None) -> Floats:
    """Return each question's contribution to the public–fresh gap, from outcomes of 0 to 1.

    Each split has its own questions, the public ones first. The mean of the result is the gap, and each value minus
    that mean is the question's pull on it. Clustering all questions jointly pairs clusters common to both splits, an
    image or a fact; the rest varies independently. The weights of either split have sum 1, and are uniform by default.

    >>> drop(np.array([1.0, 1.0]), np.array([1.0, 0.0])).tolist()
    [0.5, 0.5, -0.5, 1.5]
    """
    one, other = weights or (np.full(len(public), 1 / len(public)), np.full(len(fresh), 1 / len(fresh)))
    before, after = one @ public, other @ fresh
    off = np.concatenate([one * (public - before), -other * (fresh - after)])
    return np.asarray(len(off) * off + (before - after), dtype=np.float64)
