"""Exact interval of a share of clustered answers (Korn and Graubard 1998).

It is Clopper and Pearson's with the effective number of answers: their number, divided by the design effect (variance
between clusters over that of independent answers, at least 1) and reduced for few clusters as Korn and Graubard do.
Where all outcomes are equal, clusters are the trials (Kish 1965). With one answer per cluster, it is Clopper and
Pearson's own.
"""

import numpy as np

from vhbench.statistics.clustering import Clusters, Numbers, cluster_sums, total_of
from vhbench.statistics.intervals import LEVEL, Interval, binomial_ends, quantile


def clopper_pearson(values: Numbers, *, clusters: Clusters | None = None) -> Interval | None:
    """Return the exact interval of a share.

    Args:
        values: outcome of each answer, 0 or 1.
        clusters: cluster of each answer; None for independent answers.

    Returns:
        None without answers, or for a single cluster with different outcomes.

    >>> clopper_pearson([1] * 3 + [0] * 7).ends
    (0.0667..., 0.6524...)
    >>> clopper_pearson([1, 1, 1], clusters=["a", "a", "a"]).ends  # one image, one trial
    (0.025..., 1.0)
    """
    tops, sizes = cluster_sums([values, np.ones(len(values))], clusters)
    answers, count = total_of(sizes), len(sizes)
    if not count:
        return None
    share = total_of(tops) / answers
    if 0 < share < 1:
        if count < 2:
            return None
        between = total_of((tops - share * sizes) ** 2) * count / (count - 1)
        effect = between / (share * (1 - share) * answers * answers / (answers - 1))
        few = quantile(answers - 1, LEVEL) / quantile(count - 1, LEVEL)
        trials = min(answers, answers / max(effect, 1e-12) * few**2)
    else:
        trials = answers**2 / total_of(sizes**2)
    return Interval(*binomial_ends(share, trials, LEVEL), f"{count} cluster{'s' * (count > 1)}" if count < 10 else "")
