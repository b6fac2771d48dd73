"""Ranks of models pair by pair, against which those of leaderboards are checked."""

from collections.abc import Callable

import numpy as np

from vhbench.statistics.clustering import Clusters, Floats, cluster_sums
from vhbench.statistics.multiple_testing import ALPHA, TOO_FEW, holm, paired_t_p_value


def ranks_of(
    change: Callable[[int, int], Floats], models: int, clusters: Clusters | None = None
) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each model, jointly with confidence 1 - ``ALPHA``.

    Each two models are compared on the same questions (t over clusters, Holm over all pairs of models). A model's rank
    is at least one more than the number of significantly better ones, and at most the number of models that are not
    significantly worse. Ranks of resamples fail where models are equally good.

    Args:
        change: function from the numbers of two models to the change of each question.
        models: number of models.
        clusters: cluster of each question. If at most ``TOO_FEW`` differ, neither of two is significantly better.

    >>> table = np.array([[1, 0]] * 5 + [[1, 1]] * 15)
    >>> ranks_of(lambda one, other: table[:, one] - table[:, other], 2)
    [(1, 2), (1, 2)]
    """
    pairs = [(one, other) for one in range(models) for other in range(one)]
    changes = [change(one, other) for one, other in pairs]
    differ = [np.count_nonzero(np.abs(cluster_sums([each], clusters)[0]) > 1e-9) for each in changes]
    adjusted = holm(
        [paired_t_p_value(each, clusters) if k > TOO_FEW else 1.0 for each, k in zip(changes, differ, strict=True)]
    )
    better, worse = [0] * models, [0] * models
    for (one, other), each, p in zip(pairs, changes, adjusted, strict=True):
        if p <= ALPHA:
            up, down = (one, other) if each.sum() > 0 else (other, one)
            worse[up] += 1
            better[down] += 1
    return [(1 + above, models - below) for above, below in zip(better, worse, strict=True)]
