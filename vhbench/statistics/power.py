"""Power of paired comparisons: the smallest difference that is detected, and the questions that another one needs.

The sign-flip test of ``compare`` divides a difference x by the root of its summed squares over clusters. With the
standard error s and the sum h of the clusters' squared shares of the questions (Kish), these squares sum to
s²(1 - h) + x²h: the *observed* x is part of them. So x is significant from c s √((1 - h) / (1 - c²h)) on, with the
critical value c of the whole family, and a true difference D is detected with 80 % power if it is z s larger, with the
normal quantile z. With f times as many clusters, s² and h are divided by f.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Self

from vhbench.statistics.clustering import Clusters, Floats, Numbers, cluster_sums, total_of

_Z = 0.8416212335729143  # normal quantile of the power, 80 %


@dataclass(frozen=True, slots=True)
class Precision:
    """Precision of an estimated difference."""

    error: float  # standard error
    kish: float  # sum of the squared shares of the clusters
    critical: float  # critical value of the family

    @classmethod
    def of(cls, change: Floats, covered: Numbers, clusters: Clusters, critical: float, inflation: float = 1.0) -> Self:
        """Estimate the precision, given each question's contribution to the difference; they sum to it.

        ``covered`` is 1 for each question that the score covers, else 0; ``critical`` the critical value of the family
        (:class:`vhbench.statistics.multiple_testing.SignFlips`); ``inflation`` the ratio of the variance to that of
        independent clusters.
        """
        sums, questions = cluster_sums([change, covered], clusters)
        share = questions / questions.sum()
        kish = total_of(share**2)
        spread = total_of((sums - sums.sum() * share) ** 2) * inflation
        return cls(sqrt(spread / max(1 - kish, 1e-9)), kish, critical)

    @property
    def detectable(self) -> float | None:
        """Smallest difference detected with 80 % power; None where too few clusters allow none, or nothing varies.

        >>> import numpy as np
        >>> change = np.array([0.05, -0.05] * 50) / 5
        >>> round(Precision.of(change, np.ones(100), np.arange(100), 1.96).detectable, 3)
        0.284
        """
        return None if self.error < 1e-9 else self._detectable(1.0)

    def growth(self, difference: float) -> float:
        """Return how many times as many clusters detect a difference with 80 % power.

        >>> import numpy as np
        >>> precision = Precision.of(np.array([0.05, -0.05] * 50) / 5, np.ones(100), np.arange(100), 1.96)
        >>> round(precision.growth(precision.detectable), 9), round(precision.growth(0.1))
        (1.0, 8)
        """
        least, most = 0.0, 1 / max(self.critical**2 * self.kish, 1e-9)  # of 1 / f
        for _ in range(60):
            middle = (least + most) / 2
            reach = self._detectable(middle)
            least, most = (middle, most) if reach is not None and reach < difference else (least, middle)
        return 1 / most

    def _detectable(self, part: float) -> float | None:
        """Return the difference that 1 / part times as many clusters detect; None where they are too few."""
        kish, rest = self.kish * part, 1 - self.critical**2 * self.kish * part
        if rest <= 0:
            return None
        return self.error * sqrt(part) * (_Z + self.critical * sqrt((1 - kish) / rest))
