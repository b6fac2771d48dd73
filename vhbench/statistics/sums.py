"""Scores as sums in numerator and denominator, for values, intervals, differences.

A score is ``sum(top) / sum(bottom)``, or a weighted mean of such ratios over strata. :class:`Sums` has a row per unit:
an answer, or a pair of answers that count together. Two runs on the same questions are subtracted question by question
(:meth:`Sums.by_question`, :func:`difference`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from vhbench.statistics import intervals
from vhbench.statistics.clustering import Clustering, Floats, Places
from vhbench.statistics.intervals import Interval, WeightedRatio

# unit of a score: share; mean length; number of questions; answer-independent share
Scale = Literal["share", "length", "count", "constant"]


class Score(NamedTuple):
    """Score as printed in tables and reports: shares in percent, lengths and counts unscaled."""

    value: float | None  # None where it is undefined or withheld, which is not 0
    interval: tuple[float, float] | None = None  # 95 % interval, None without one
    note: str = ""  # why the interval is wide, "" for none
    # the score as it is, with every missing prediction wrong, and with every one right; None if none is missing, or if
    # the score has no such bounds
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of a run's score."""

    top: Floats  # numerator of each unit
    bottom: Floats  # denominator of each unit, 0 where the score does not cover it
    trials: Floats  # number of answers that it represents in the interval
    rows: Places  # index of each unit among the answers; of a pair that of the original
    questions: int = 0  # number of questions, for a score in questions
    fixed: bool = True  # whether the denominator is independent of the answers
    scale: Scale = "share"  # unit of the score
    # clusters of dependent units; None where the units are questions of several runs
    clusters: Clustering | None = None
    strata: Places | None = None  # stratum of each unit for a mean over strata, -1 for none; None for a single one
    weights: tuple[float, ...] = (1.0,)  # of each stratum in that mean
    best: Floats | None = None  # numerator with every missing prediction right; None without bounds

    @property
    def at_best(self) -> "Sums":
        """The sums with every missing prediction right."""
        if self.best is None or np.array_equal(self.best, self.top):
            return self
        return replace(self, top=self.best)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Score with every missing prediction wrong, and with every one right; None if none is missing."""
        return None if self.at_best is self else (self.value, self.at_best.value)

    @property
    def value(self) -> float:
        """The score: a share, a length, or a number of questions."""
        times = self.questions if self.scale == "count" else 1
        tops = ((fsum(self.top[rows].tolist()), rows, weight) for rows, weight in self._strata())  # exact in any order
        return float(sum(weight * times * top / self.bottom[rows].sum() for top, rows, weight in tops))

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval over clusters, in the unit of the value."""
        if self.scale in ("constant", "count"):
            return None
        if self.scale == "length":
            return intervals.lengths(self.top, clusters=self.clusters)
        ratios = [
            WeightedRatio(self.top[rows], self.bottom[rows], rows, weight, float(self.trials[rows].sum()))
            for rows, weight in self._strata()
        ]
        return intervals.mean_of_ratios(ratios, clusters=self.clusters)

    @property
    def factor(self) -> float:
        """Factor of the printed value."""
        return 1.0 if self.scale in ("length", "count") else 100.0

    @property
    def score(self) -> Score:
        """The score as printed."""
        return self.scaled(self.factor)

    def scaled(self, factor: float) -> Score:
        """Return the score times a factor."""
        interval, bounds = self.interval, self.bounds
        ends = None if interval is None else (factor * interval.low, factor * interval.high)
        limits = None if bounds is None else (factor * bounds[0], factor * bounds[1])
        return Score(factor * self.value, ends, interval.note if interval else "", limits)

    @property
    def about(self) -> npt.NDArray[np.bool_]:
        """Units that the score covers; all, where that depends on the answers."""
        inside = np.ones(len(self.top), dtype=bool) if self.strata is None else self.strata >= 0
        return inside & (self.bottom > 0) if self.fixed else inside

    @property
    def outcomes(self) -> Floats | None:
        """Outcome of each unit from 0 to 1, if the score is their mean; else None."""
        counted = self.bottom[self.about]
        if not self.fixed or self.scale == "length" or self.strata is not None or len(set(counted.tolist())) > 1:
            return None
        return self.top / np.maximum(self.bottom, 1)

    @property
    def parts(self) -> Floats:
        """Contribution of each unit to the value, for a fixed denominator: they sum to it."""
        parts = np.zeros(len(self.top))
        for rows, weight in self._strata():
            parts[rows] = weight * self.top[rows] / self.bottom[rows].sum()
        return parts

    @property
    def pulls(self) -> Floats:
        """Linearized pull of each unit on the value, plus an equal share: they sum to it."""
        pulls, score = np.zeros(len(self.top)), 0.0
        for rows, weight in self._strata():
            top, bottom = self.top[rows], self.bottom[rows]
            rate = top.sum() / bottom.sum()
            pulls[rows] = weight * (top - rate * bottom) / bottom.sum()
            score += weight * rate
        about = self.about
        return pulls + np.where(about, score / about.sum(), 0.0)

    def by_question(self, owner: Places, questions: int) -> "Sums":
        """Return the score with a row per question (``owner``: question of each answer), 0 if not covered."""
        owners = owner[self.rows]

        def laid(values: Floats) -> Floats:
            return np.bincount(owners, weights=values, minlength=questions).astype(np.float64)

        strata: Places | None = None
        if self.strata is not None:
            strata = np.full(questions, -1)
            strata[owners] = self.strata
        return replace(
            self,
            top=laid(self.top),
            bottom=laid(self.bottom),
            trials=laid(self.trials),
            rows=np.arange(questions),
            clusters=None,
            strata=strata,
            best=None if self.best is None else laid(self.best),
        )

    def within(self, places: Places) -> "Sums | None":
        """Return the score over some questions of :meth:`by_question`; None where undefined."""
        if self.strata is not None or not self.bottom[places].sum():
            return None
        columns = {name: getattr(self, name)[places] for name in ("top", "bottom", "trials", "rows")}
        return replace(self, **columns, best=None if self.best is None else self.best[places])

    def change_from(self, first: "Sums") -> Floats:
        """Return each question's change since another run: they sum to the difference.

        If the denominator depends on the answers, a / b - c / d is ((a - c) - r (b - d)) / m with the mean r of both
        rates and the mean m of b and d. So an unchanged answer contributes nothing.
        """
        if self.fixed:
            return self.parts - first.parts
        top, bottom = self.top - first.top, self.bottom - first.bottom
        totals = self.bottom.sum(), first.bottom.sum()
        rate = (self.top.sum() / totals[0] + first.top.sum() / totals[1]) / 2
        return np.asarray((top - rate * bottom) / (sum(totals) / 2), dtype=np.float64)

    def _strata(self) -> Iterator[tuple[Places, float]]:
        if self.strata is None:
            yield np.arange(len(self.top)), self.weights[0]
            return
        for number, weight in enumerate(self.weights):
            yield np.flatnonzero(self.strata == number), weight


def difference(first: Sums, other: Sums, clusters: Clustering) -> Interval | None:
    """Return the interval of the score difference of two runs on the same questions, other minus first, in its unit.

    The clusters are of the questions that the score covers.
    """
    after, before, about = other.outcomes, first.outcomes, first.about
    if after is not None and before is not None:
        return intervals.difference(after[about], before[about], clusters=clusters)
    change = (other.pulls - first.pulls)[about] * about.sum()
    return intervals.of_change(change, np.ones(len(change)), clusters=clusters, shares=first.scale == "share")
