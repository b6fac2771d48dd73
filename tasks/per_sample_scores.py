"""What each question adds to a score: what a comparison of two runs on the same questions is made of.

A score of a task (:mod:`vhbench.tasks.headline`) is a mean, a ratio of sums or a mean of such over cells. Here it is
taken apart into one number for each answer, which add up to it, so that two runs can be subtracted question by
question. The score itself is never computed from these numbers.

Where what is below the line is the same whatever is answered, a number is what the answer adds, and 0 where the score
is not about it. Elsewhere (precision, F1, CHAIR …) it is the score's linearisation: how far the answer pulls it, and an
equal share of the score.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from vhbench.benchmarks import benchmark
from vhbench.records import said
from vhbench.schema import Record
from vhbench.tasks.metrics import ode_captions
from vhbench.tasks.metrics.multiple_choice import aggregate_cells
from vhbench.tasks.metrics.symmetric_accuracy import complete_pairs

Records = Sequence[Record]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contributions:
    """A score, taken apart.

    Attributes:
        top: what each answer adds above the line.
        bottom: what it adds below the line, 0 where the score is not about it.
        fixed: whether what is below the line is the same whatever is answered.
        strata: of a mean over cells, the cell of each answer, -1 for none; None where there is one cell only.
        weights: of each cell in that mean.
    """

    top: Floats
    bottom: Floats
    fixed: bool
    strata: npt.NDArray[np.int64] | None = None
    weights: tuple[float, ...] = (1.0,)

    @property
    def parts(self) -> Floats:
        """What each answer adds to the score: the numbers add up to it."""
        if not self.fixed:
            return self.pulls
        parts = np.zeros(len(self.top))
        for own, weight in self._cells():
            parts[own] = weight * self.top[own] / self.bottom[own].sum()
        return parts

    @property
    def pulls(self) -> Floats:
        """The same, linearised: how far each answer pulls the score, and an equal share of the score."""
        pulls, score = np.zeros(len(self.top)), 0.0
        for own, weight in self._cells():
            top, bottom = self.top[own], self.bottom[own]
            rate = top.sum() / bottom.sum()
            pulls[own] = weight * (top - rate * bottom) / bottom.sum()
            score += weight * rate
        about = self.about
        return pulls + np.where(about, score / about.sum(), 0.0)

    def change_from(self, first: "Contributions") -> Floats:
        """Return what each answer changes in the score since another run: the numbers add up to the difference.

        Where what is below the line depends on what is answered, a / b - c / d is ((a - c) - r (b - d)) / m with the
        mean r of both rates and the mean m of b and d. So an answer that is the same changes nothing.
        """
        if self.fixed:
            return self.parts - first.parts
        top, bottom = self.top - first.top, self.bottom - first.bottom
        totals = self.bottom.sum(), first.bottom.sum()
        rate = (self.top.sum() / totals[0] + first.top.sum() / totals[1]) / 2
        return np.asarray((top - rate * bottom) / (sum(totals) / 2), dtype=np.float64)

    @property
    def about(self) -> npt.NDArray[np.bool_]:
        """Which answers the score is about; where that depends on what is answered, all."""
        inside = np.ones(len(self.top), dtype=bool) if self.strata is None else self.strata >= 0
        return inside & (self.bottom > 0) if self.fixed else inside

    @property
    def outcomes(self) -> Floats | None:
        """From 0 to 1 for each answer, where the score is the mean of these over what it is about; None elsewhere."""
        counted = self.bottom[self.about]
        if not self.fixed or self.strata is not None or len(set(counted.tolist())) > 1:
            return None
        return self.top / np.maximum(self.bottom, 1)

    def within(self, places: npt.NDArray[np.int64]) -> "Contributions | None":
        """Return the score of some of the answers, taken apart; None where it is undefined."""
        if self.strata is not None or not self.bottom[places].sum():
            return None
        return Contributions(self.top[places], self.bottom[places], self.fixed)

    def by_question(self, owner: npt.NDArray[np.int64], questions: int) -> "Contributions":
        """Add up what the answers to each question add."""

        def summed(values: Floats) -> Floats:
            return np.bincount(owner, weights=values, minlength=questions).astype(np.float64)

        strata = self.strata
        if strata is not None:
            strata = strata[np.unique(owner, return_index=True)[1]]
        return Contributions(summed(self.top), summed(self.bottom), self.fixed, strata, self.weights)

    def _cells(self) -> Iterator[tuple[npt.NDArray[np.bool_], float]]:
        for number, weight in enumerate(self.weights):
            own = np.ones(len(self.top), dtype=bool) if self.strata is None else self.strata == number
            yield own, weight


def of(metric: str, records: Records, counts: Sequence[Mapping[str, int]] = ()) -> Contributions | None:
    """Take a score of some records apart; None where it is undefined.

    Args:
        metric: its name, one of :data:`APART` or of the rates of captions.
        records: of a task.
        counts: of captions, what :func:`vhbench.tasks.metrics.ode_captions.count` counts in each.

    >>> rows = [Record("a", answer="no", prediction="no"), Record("b", answer="no", prediction="yes")]
    >>> of("accuracy", rows).parts
    array([0.5, 0. ])
    """
    if metric in OF_CAPTIONS:
        top, bottom = OF_CAPTIONS[metric]
        return _ratio([one[top] for one in counts], [one[bottom] for one in counts], fixed=metric == "cover")
    return APART[metric](records)


def _mean(hits: Sequence[float], about: Sequence[bool] | None = None) -> Contributions | None:
    """A mean over answers that are the same whatever is answered."""
    return _ratio(hits, [True] * len(hits) if about is None else about, fixed=True)


def _ratio(top: Sequence[float], bottom: Sequence[float], *, fixed: bool = False) -> Contributions | None:
    above, below = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    return Contributions(np.where(below > 0, above, 0.0), below, fixed) if below.sum() else None


def _accuracy(records: Records) -> Contributions | None:
    return _mean([said(record) == record.answer for record in records])


def _yes_rate(records: Records) -> Contributions | None:
    return _mean([record.prediction == "yes" for record in records])


def _rate_of(name: str, records: Records) -> Contributions | None:
    positive = benchmark(records[0].benchmark).positive
    told = [record.prediction == positive for record in records]
    true = [record.answer == positive for record in records]
    both = [float(a and b) for a, b in zip(told, true, strict=True)]
    if name == "recall":
        return _mean(both, true)
    if name == "precision":
        return _ratio(both, told)
    if not any(true):
        return None  # nothing can be recalled
    return _ratio([2 * hit for hit in both], [float(a) + float(b) for a, b in zip(told, true, strict=True)])


def _original(records: Records) -> Contributions | None:
    first = [not record.negated for record in records]
    return _mean([record.prediction == record.answer for record in records], first)


def _symmetric(records: Records) -> Contributions | None:
    """A pair counts where its original stands, if both halves are there."""
    pairs = {first.id: (first, twin) for first, twin in complete_pairs(records)}
    hits = [all(said(half) == half.answer for half in pairs.get(record.id, ())) for record in records]
    return _mean(hits, [record.id in pairs for record in records])


def _aggregate(records: Records) -> Contributions | None:
    """The mean over the pressures of a task, then over the tasks."""
    strata, weights = aggregate_cells([(record.task, record.pressure) for record in records])
    if not weights:
        return None
    hits = np.array([said(record) == record.answer for record in records], dtype=np.float64)
    return Contributions(hits, np.ones(len(records)), True, strata, tuple(weight for _, weight in weights))


def _words(records: Records) -> Contributions | None:
    given = [not record.failure for record in records]
    lengths = [ode_captions.words_of(r) for r in records]
    return _ratio(lengths, given)


OF_CAPTIONS = ode_captions.RATES
"""The rates of captions, which are taken apart by what was counted in each."""

APART: Mapping[str, Callable[[Records], Contributions | None]] = {
    "accuracy": _accuracy,
    "yes_rate": _yes_rate,
    "precision": partial(_rate_of, "precision"),
    "recall": partial(_rate_of, "recall"),
    "f1": partial(_rate_of, "f1"),
    "original_accuracy": _original,
    "symmetric_accuracy": _symmetric,
    "aggregate": _aggregate,
    "words": _words,
}
"""Name of a metric → what takes it apart; a metric that is not here is not compared."""
