"""All scores of some answers and of each cell: what reports, ``score``, ``compare`` and the leaderboard share.

    measured = measure(records, "yes_no", columns=("criterion", "pairing"))
    measured.scores["accuracy"]                  # Score(value, interval, note), in percent; None where undefined
    measured.sums("accuracy")                    # Sums: value and interval as shares; None where undefined or withheld
    measured.withheld                            # why scores are withheld (then their values are None), or None
    for values, cell in measured.cells(("criterion", "pairing")).items():
        cell.n, cell.scores["f1"]                # a cell is Measured as well
    measured.by_question("accuracy")             # the same with a row for each question, for statistics.sums.difference

Nothing is computed before it is asked for. :mod:`vhbench.tasks.metrics.registry` lists the metrics of each family.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from vhbench.schema import Record
from vhbench.statistics.sums import Score, Sums
from vhbench.tasks.metrics import withholding
from vhbench.tasks.metrics.answers import Answers, Claimed, Places
from vhbench.tasks.metrics.metric import Answer, Facts, Metric
from vhbench.tasks.metrics.registry import metrics_of


class Measured:
    """The scores of some answers.

    Attributes:
        answers: all answers that were read.
        metrics: of their family.
        places: which of them are meant.
        positive: the class that precision and recall are about.
    """

    def __init__(
        self,
        answers: Answers,
        metrics: Sequence[Metric],
        places: Places,
        positive: str = "no",
        *,
        withheld: str | None = None,
        allow_failed: bool = False,
    ) -> None:
        """Describe some of the answers; ``withheld`` says why scores are withheld of all of them."""
        self.answers, self.metrics, self.places, self.positive = answers, metrics, places, positive
        self._withheld, self._allow_failed = withheld, allow_failed

    @property
    def n(self) -> int:
        """How many answers there are."""
        return len(self.places)

    @property
    def kinds(self) -> list[tuple[Answer, int]]:
        """The different answers among them, and how often each is given."""
        codes, counts = np.unique(self.answers.codes[self.places], return_counts=True)
        return [(self.answers.kinds[code], count) for code, count in zip(codes.tolist(), counts.tolist(), strict=True)]

    def tally(self, key: Callable[[Answer], Any]) -> Counter[Any]:
        """Return how often each value of a key occurs."""
        found = Counter[Any]()
        for kind, count in self.kinds:
            found[key(kind)] += count
        return found

    @property
    def predictions(self) -> list[str]:
        """The prediction of each, "" where there is none."""
        said = [kind.record.prediction for kind in self.answers.kinds]
        return [said[code] for code in self.answers.codes[self.places].tolist()]

    @cached_property
    def withheld(self) -> str | None:
        """Why the scores are withheld, None if they are not."""
        failed = int(self.answers.holds(lambda answer: answer.record.failure == "failed", self.places).sum())
        return self._withheld or withholding.reason(failed, self.n, allow_failed=self._allow_failed)

    @property
    def facts(self) -> Facts:
        """What the questions say."""
        return Facts(self.positive)

    @cached_property
    def pairs(self) -> Places:
        """The complete pairs, the originals first; shape (pairs, 2)."""
        return self.answers.pairs_of(self.places)[0]

    @cached_property
    def scores(self) -> Mapping[str, Score]:
        """The scores as they are printed, by metric."""
        return {metric.name: self.score(metric) for metric in self.metrics}

    def metric(self, name: str) -> Metric:
        """Return a metric by its name."""
        return next(metric for metric in self.metrics if metric.name == name)

    def score(self, metric: Metric) -> Score:
        """Return a score as it is printed."""
        if metric.formula is not None:
            value = self.value(metric)
            return Score(None if value is None else 100 * value)
        found = self.sums(metric)
        return Score(None) if found is None else found.score

    def value(self, metric: Metric | str) -> float | None:
        """Return a score as a fraction (or a length, or a count); None where it is undefined or withheld."""
        metric = self.metric(metric) if isinstance(metric, str) else metric
        if metric.formula is None:
            found = self.sums(metric)
            return None if found is None else found.value
        parts = [self.value(part) for part in metric.parts]
        return None if None in parts else metric.formula(*parts)

    def sums(self, metric: Metric | str) -> Sums | None:
        """Return a score, taken apart; None where it is undefined, withheld, or made of others by a formula."""
        metric = self.metric(metric) if isinstance(metric, str) else metric
        if metric.formula is not None or (self.withheld and not metric.always):
            return None
        return self.count(metric)

    def count(self, metric: Metric) -> Sums | None:
        """Return a score, taken apart, whether it is withheld or not; None where it is undefined."""
        units = self.pairs if metric.units == "pairs" else self.places
        counts = self.answers.counted(metric, units, self.facts)
        about = ~np.isnan(counts[:, 1])
        if metric.scale == "length":
            about &= counts[:, 1] > 0
        strata, weights = self._strata(metric, about)
        if not about.all():
            units, counts = units[about], counts[about]
            strata = strata if strata is None else strata[about]
        bottom = np.ascontiguousarray(counts[:, 1])
        below = [bottom] if strata is None else [bottom[strata == number] for number in range(len(weights))]
        if not below or not all(own.sum() > 0 for own in below) or not self._defined(metric):
            return None
        answers, first = self.answers, units if metric.units == "answers" else units[:, 0]
        return Sums(
            np.ascontiguousarray(counts[:, 0]),
            bottom,
            np.ascontiguousarray(counts[:, 2]),
            first,
            len(np.unique(answers.owner[first])) if metric.scale == "count" else 0,
            metric.fixed,
            metric.scale,
            None if metric.scale in ("constant", "count") else answers.clusters(units),
            strata,
            weights,
        )

    def by_question(self, metric: Metric | str) -> Sums | None:
        """Return what :meth:`sums` does with a row for each question of all answers, for a comparison of two runs."""
        found, owner = self.sums(metric), self.answers.owner
        return None if found is None else found.by_question(owner, int(owner.max()) + 1)

    def within(self, places: Places, metrics: Sequence[Metric] | None = None) -> "Measured":
        """Return the scores of some of the answers, all or some of them."""
        how: dict[str, Any] = {"withheld": self.withheld, "allow_failed": self._allow_failed}
        return Measured(self.answers, metrics or self.metrics, places, self.positive, **how)

    def cells(self, columns: Sequence[str]) -> dict[tuple[Any, ...], "Measured"]:
        """Return the values of some columns, in order, and the scores that answers with these values have in cells."""
        metrics = [metric for metric in self.metrics if metric.in_cells]
        return {key: self.within(own, metrics) for key, own in self.answers.groups(columns, self.places).items()}

    def _strata(self, metric: Metric, about: np.ndarray) -> tuple[Places | None, tuple[float, ...]]:
        """Return the stratum of each unit and the weights: a mean over the strata of a task, then over the tasks."""
        if metric.stratum is None:
            return None, (1.0,)
        kinds = [metric.stratum(kind) for kind in self.answers.kinds]
        codes = self.answers.codes[self.places]
        known = sorted({name for kind, _ in self.kinds if (name := metric.stratum(kind)) is not None})
        tasks = [task for task, _ in known]
        number = {name: place for place, name in enumerate(known)}
        strata = np.array([-1 if name is None else number.get(name, -1) for name in kinds], dtype=np.int64)[codes]
        about &= strata >= 0
        return strata, tuple(1 / len(set(tasks)) / tasks.count(task) for task in tasks)

    def _defined(self, metric: Metric) -> bool:
        test, facts = metric.defined, self.facts
        return test is None or bool(self.answers.holds(lambda answer: test(answer, facts), self.places).any())


def measure(
    records: Iterable[Record | Mapping[str, Any]],
    family: str | Sequence[Metric],
    *,
    columns: Iterable[str] = (),
    positive: str = "no",
    claimed: Claimed | None = None,
    read: Callable[[Record], Record] | None = None,
    allow_failed: bool = False,
) -> Measured:
    """Measure the answers of a run to the questions of one family of tasks.

    Args:
        records: each with its prediction, unless ``read`` sets it.
        family: whose metrics, or these themselves.
        columns: by which cells are asked for.
        positive: the class that precision and recall are about.
        claimed: what a caption claims (:func:`vhbench.tasks.metrics.ode_captions.counter`).
        read: sets the prediction of a record, as a reference implementation parses it.
        allow_failed: report scores even where more than 1 % of the requests failed.

    Raises:
        VhbenchError: for an answer that cannot be counted.
    """
    metrics = metrics_of(family) if isinstance(family, str) else tuple(family)
    answers = Answers(records, metrics, columns, claimed, read)
    return Measured(answers, metrics, answers.every, positive, allow_failed=allow_failed)


def report_scores(measured: Measured) -> dict[str, Any]:
    """Return all scores as fractions by metric, with ``intervals`` and their ``interval_notes``, as results have them.

    >>> found = report_scores(measure([{"id": "a", "answer": "no", "prediction": "no"}], "yes_no"))
    >>> found["accuracy"], found["intervals"]["precision"], found["recall"], found["yes_rate"]
    (1.0, (0.025..., 1.0), 1.0, 0.0)
    """
    values: dict[str, float | None] = {}
    ends: dict[str, tuple[float, float] | None] = {}
    notes: dict[str, str] = {}
    for metric in measured.metrics:
        found = None if metric.formula else measured.sums(metric)
        values[metric.name] = measured.value(metric) if found is None else found.value
        interval = None if found is None else found.interval
        ends[metric.name] = None if interval is None else interval.ends
        if interval is not None and interval.note:
            notes[metric.name] = interval.note
    return {**values, "intervals": ends, "interval_notes": notes}
