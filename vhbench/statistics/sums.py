"""A score as sums: what each answer adds above and below the line. Value, interval and difference follow from these.

A score is ``sum(top) / sum(bottom)``, or a weighted mean of such ratios over strata. :class:`Sums` holds a row for each
unit: an answer, or a pair of answers that count together. Two runs on the same questions are subtracted question by
question (:meth:`Sums.by_question`, :func:`difference`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from vhbench.statistics import intervals, multiple_testing
from vhbench.statistics.clustering import Clustering, Floats, Places
from vhbench.statistics.intervals import Interval, WeightedRatio

Scale = Literal["share", "length", "count", "constant"]
"""Unit of a score: a share from 0 to 1; a mean length; a number of questions; a share that no answer changes."""


class Score(NamedTuple):
    """A score as tables and reports print it: shares in percent, lengths and counts as they are.

    Attributes:
        value: None where it is undefined or withheld, which is not 0.
        interval: of 95 %, None where there is none.
        note: why the interval is wide, "" for nothing.
    """

    value: float | None
    interval: tuple[float, float] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sums:
    """A score of a run, taken apart.

    Attributes:
        top: what each unit adds above the line.
        bottom: what it adds below the line, 0 where the score is not about it.
        trials: how many answers it stands for in the interval.
        rows: the place of each unit among the answers; of a pair that of the original.
        questions: how many questions there are, for a score that is a number of them.
        fixed: whether what is below the line is the same whatever is answered.
        scale: unit of the score.
        clusters: which units stand and fall together; None where the units are questions of several runs.
        strata: of a mean over strata, the stratum of each unit, -1 for none; None where there is only one.
        weights: of each stratum in that mean.
    """

    top: Floats
    bottom: Floats
    trials: Floats
    rows: Places
    questions: int = 0
    fixed: bool = True
    scale: Scale = "share"
    clusters: Clustering | None = None
    strata: Places | None = None
    weights: tuple[float, ...] = (1.0,)

    @property
    def value(self) -> float:
        """The score: a share, a length, or a number of questions."""
        times = self.questions if self.scale == "count" else 1
        return float(
            sum(weight * times * self.top[own].sum() / self.bottom[own].sum() for own, weight in self._strata())
        )

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval over clusters, in the unit of the value."""
        if self.scale in ("constant", "count"):
            return None
        if self.scale == "length":
            return intervals.lengths(self.top, clusters=self.clusters)
        ratios = [
            WeightedRatio(self.top[own], self.bottom[own], own, weight, float(self.trials[own].sum()))
            for own, weight in self._strata()
        ]
        return intervals.mean_of_ratios(ratios, clusters=self.clusters)

    @property
    def factor(self) -> float:
        """By what the value is multiplied where it is printed."""
        return 1.0 if self.scale in ("length", "count") else 100.0

    @property
    def score(self) -> Score:
        """The score as it is printed."""
        interval = self.interval
        if interval is None:
            return Score(self.factor * self.value)
        return Score(self.factor * self.value, (self.factor * interval.low, self.factor * interval.high), interval.note)

    @property
    def about(self) -> npt.NDArray[np.bool_]:
        """Which units the score is about; where that depends on what is answered, all."""
        inside = np.ones(len(self.top), dtype=bool) if self.strata is None else self.strata >= 0
        return inside & (self.bottom > 0) if self.fixed else inside

    @property
    def outcomes(self) -> Floats | None:
        """From 0 to 1 for each unit, where the score is the mean of these over what it is about; None elsewhere."""
        counted = self.bottom[self.about]
        if not self.fixed or self.strata is not None or len(set(counted.tolist())) > 1:
            return None
        return self.top / np.maximum(self.bottom, 1)

    @property
    def parts(self) -> Floats:
        """What each unit adds to the value, where what is below the line is fixed: the numbers add up to it."""
        parts = np.zeros(len(self.top))
        for own, weight in self._strata():
            parts[own] = weight * self.top[own] / self.bottom[own].sum()
        return parts

    @property
    def pulls(self) -> Floats:
        """How far each unit pulls the value (linearization), and an equal share of the value: they add up to it."""
        pulls, score = np.zeros(len(self.top)), 0.0
        for own, weight in self._strata():
            top, bottom = self.top[own], self.bottom[own]
            rate = top.sum() / bottom.sum()
            pulls[own] = weight * (top - rate * bottom) / bottom.sum()
            score += weight * rate
        about = self.about
        return pulls + np.where(about, score / about.sum(), 0.0)

    def by_question(self, owner: Places, questions: int) -> "Sums":
        """Return the same score with a row for each question, repetitions added up: 0 where it is not about one.

        Args:
            owner: the question of each answer, by a number that all runs on these questions share.
            questions: how many there are.
        """
        own = owner[self.rows]

        def laid(values: Floats) -> Floats:
            return np.bincount(own, weights=values, minlength=questions).astype(np.float64)

        strata: Places | None = None
        if self.strata is not None:
            strata = np.full(questions, -1)
            strata[own] = self.strata
        return replace(
            self,
            top=laid(self.top),
            bottom=laid(self.bottom),
            trials=laid(self.trials),
            rows=np.arange(questions),
            clusters=None,
            strata=strata,
        )

    def within(self, places: Places) -> "Sums | None":
        """Return the score over some of the questions of :meth:`by_question`; None where it is undefined there."""
        if self.strata is not None or not self.bottom[places].sum():
            return None
        columns = {name: getattr(self, name)[places] for name in ("top", "bottom", "trials", "rows")}
        return replace(self, **columns)

    def change_from(self, first: "Sums") -> Floats:
        """Return what each question changes in the score since another run: the numbers add up to the difference.

        Where what is below the line depends on what is answered, a / b - c / d is ((a - c) - r (b - d)) / m with the
        mean r of both rates and the mean m of b and d. So an answer that is the same changes nothing.
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
    """Return the interval of the difference of two runs in a score, the other less the first, in its unit.

    Args:
        first: the run that is subtracted, by question.
        other: from which, on the same questions.
        clusters: of the questions that the score is about.
    """
    after, before, about = other.outcomes, first.outcomes, first.about
    if after is not None and before is not None:
        return intervals.difference(after[about], before[about], clusters=clusters)
    change = (other.pulls - first.pulls)[about] * about.sum()
    return intervals.of_change(change, np.ones(len(change)), clusters=clusters, shares=first.scale == "share")


def ranks(runs: Sequence[Sums], clusters: Clustering, *, higher_is_better: bool) -> list[tuple[int, int]]:
    """Return the best and the worst rank that the data leave open to each run: each two compared, Holm over all pairs.

    Args:
        runs: by question, on the same questions.
        clusters: of the questions.
        higher_is_better: which end is rank 1.
    """
    sign = 1.0 if higher_is_better else -1.0

    def change(one: int, other: int) -> Floats:
        each = sign * runs[one].change_from(runs[other])
        return each * len(each)

    return multiple_testing.ranks_of(change, len(runs), clusters)
