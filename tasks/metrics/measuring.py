"""All scores of responses and subsets, shared by reports, ``score``, ``compare`` and the leaderboard.

    measured = measure(records, "yes_no", columns=("criterion", "pairing"))
    measured.scores["accuracy"]                  # Score(value, interval, note), in percent; None where undefined
    measured.sums("accuracy")                    # Sums: value and interval as shares; None where undefined or withheld
    measured.withheld                            # why scores are withheld (then their values are None), or None
    for values, cell in measured.cells(("criterion", "pairing")).items():
        cell.n, cell.scores["f1"]                # a subset is Measured as well
    measured.by_question("accuracy")             # the same with a row for each question, for statistics.sums.difference

Scores are computed lazily. :mod:`vhbench.tasks.metrics.registry` lists the metrics of each family.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from vhbench.schema import Record, VhbenchError
from vhbench.statistics.clusters import Shared
from vhbench.statistics.multiple_testing import paired_t_p_value
from vhbench.statistics.sums import Score, Sums
from vhbench.tasks.metrics import withholding
from vhbench.tasks.metrics.answers import Answers, Claimed, Places
from vhbench.tasks.metrics.metric import Answer, Facts, Metric
from vhbench.tasks.metrics.registry import metrics_of

MANY_UNPARSED = 0.2  # share of unparsed responses above which a warning is printed

LETTER_BIAS, LETTER_LEVEL = 0.1, 0.001
"""Excess of a letter's share in the predictions that is warned of, and the level at which it must be significant."""


class Measured:
    """Scores of the responses at some places among all parsed ones."""

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
        """Create the scores of a set; ``withheld`` is the reason for withholding those of all responses."""
        self.answers, self.metrics, self.places, self.positive = answers, metrics, places, positive
        self.facts, self._withheld, self._allow_failed = Facts(positive), withheld, allow_failed

    @property
    def n(self) -> int:
        """Number of responses."""
        return len(self.places)

    @property
    def kinds(self) -> list[tuple[Answer, int]]:
        """Distinct responses and their counts."""
        codes, counts = np.unique(self.answers.codes[self.places], return_counts=True)
        return [(self.answers.kinds[code], count) for code, count in zip(codes.tolist(), counts.tolist(), strict=True)]

    def tally(self, key: Callable[[Answer], Any]) -> Counter[Any]:
        """Return the counts of the values of a key."""
        counts = Counter[Any]()
        for kind, count in self.kinds:
            counts[key(kind)] += count
        return counts

    @property
    def predictions(self) -> list[str]:
        """Predictions, "" if missing."""
        by_kind = [kind.record.prediction for kind in self.answers.kinds]
        return [by_kind[code] for code in self.answers.codes[self.places].tolist()]

    @cached_property
    def withheld(self) -> str | None:
        """Reason why scores are withheld, or None."""
        if self._allow_failed or self._withheld:
            return self._withheld
        if self.n == len(self.answers.codes):
            return self.answers.responses.reason
        failed = int(self.answers.holds(lambda answer: answer.record.failure == "failed", self.places).sum())
        return withholding.reason(failed, self.n)

    @property
    def warnings(self) -> list[str]:
        """Warnings about truncated responses, and about many that cannot be parsed."""
        cut = int(self.answers.holds(lambda answer: answer.cut_off, self.places).sum())
        unread = int(self.answers.holds(lambda answer: answer.outcome == "" and not answer.cut_off, self.places).sum())
        lines = []
        if cut > withholding.ALLOWED * self.n:
            share = f"{cut} of {self.n} responses ({100 * cut / self.n:.1f} %)"
            lines.append(f"{share} are truncated; raise the token limit with --gen_kwargs max_new_tokens=N")
        if any(metric.bounded for metric in self.metrics) and unread > MANY_UNPARSED * self.n and not self.withheld:
            share = f"{unread} of {self.n} responses ({100 * unread / self.n:.1f} %)"
            lines.append(f"{share} could not be parsed; the bounds show how far the score depends on them")
        if self.n == len(self.answers.codes) and not self.withheld and (wordless := self.answers.responses.warning):
            lines.append(wordless)
        return [*lines, *self._letter_bias(), *self._kept_letters()]

    def _letter_bias(self) -> Iterator[str]:
        """Yield a line per option letter that is predicted far more often than it is correct.

        "None of the above" does not count: it is always the last option, and may be chosen for what it says.
        """
        chosen = self.answers.holds(
            lambda kind: kind.options > 0 and bool(kind.record.prediction) and not kind.record.failure, self.places
        )
        with_options = self.places[chosen]
        kinds = (self.answers.kinds[code] for code in np.unique(self.answers.codes[with_options]))
        letters = sorted({letter for kind in kinds for letter in (kind.record.answer, kind.record.prediction)} - {""})
        for letter in letters:
            others = with_options[~self.answers.holds(_equals("none", letter), with_options)]
            picks, right = (
                self.answers.holds(_equals(column, letter), others) for column in ("record.prediction", "record.answer")
            )
            excess = picks.astype(float) - right
            if len(others) and excess.mean() > LETTER_BIAS:
                p = paired_t_p_value(excess, self.answers.clusters(others))
                if p < LETTER_LEVEL / len(letters):
                    shares = f"{100 * picks.mean():.1f} % of the predictions, and correct in {100 * right.mean():.1f} %"
                    yield f"predictions follow the letter: {letter} is {shares} of the questions"

    def _kept_letters(self) -> Iterator[str]:
        """Yield a line if more questions than by guessing have one letter in all rotations, for different options."""
        if self.answers.variants != {"r"}:
            return
        rows = self.variants
        questions = [[self.answers.kinds[code] for code in codes] for codes in self.answers.codes[rows].tolist()]
        moved = np.array([len({kind.record.answer for kind in row}) > 1 for row in questions], dtype=bool)
        same_letter = [
            len({kind.record.prediction for kind in row}) == 1 < len({kind.chosen for kind in row}) for row in questions
        ]
        by_guessing = [max(1, row[0].options) ** (1.0 - len(row)) for row in questions]
        excess = np.subtract(same_letter, by_guessing, dtype=np.float64)[moved]
        if not len(excess) or excess.mean() <= LETTER_BIAS:
            return
        if paired_t_p_value(excess, self.answers.clusters(rows[moved])) < LETTER_LEVEL:
            share = f"{100 * np.mean(np.array(same_letter)[moved]):.1f} % of the questions"
            yield f"predictions follow the letter: {share} have the same letter in all rotations of the options"

    @property
    def token_counts(self) -> dict[str, float | None] | None:
        """How many tokens the responses took, None where no response has a count: ``responses`` with a count; ``p95``.

        ``p95`` is the 95th percentile of the counts, whose mean is the metric ``tokens``; ``per_correct`` is the number
        of tokens per correct response, None for captions or without one.
        """
        counted = [(kind, count) for kind, count in self.kinds if kind.record.tokens]
        if not counted:
            return None
        counts = np.repeat([kind.record.tokens for kind, _ in counted], [count for _, count in counted])
        correct = sum(count for kind, count in counted if kind.correct and kind.record.answer)
        per_correct = float(counts.sum()) / correct if correct else None
        return {"responses": len(counts), "p95": float(np.percentile(counts, 95)), "per_correct": per_correct}

    @cached_property
    def pairs(self) -> Places:
        """Complete pairs, originals first; shape (pairs, 2)."""
        return self.answers.pairs_of(self.places)[0]

    @cached_property
    def variants(self) -> Places:
        """Questions with responses to all their variants; shape (questions, variants)."""
        return self.answers.variants_of(self.places)

    @cached_property
    def scores(self) -> Mapping[str, Score]:
        """Printed scores by metric."""
        return {metric.name: self.score(metric) for metric in self.metrics}

    def metric(self, name: str) -> Metric:
        """Return a metric by its name."""
        return next(metric for metric in self.metrics if metric.name == name)

    def score(self, metric: Metric | str, *, percent: bool = True) -> Score:
        """Return a score as printed, or as a fraction."""
        metric = self.metric(metric) if isinstance(metric, str) else metric
        if metric.formula is not None:
            value = self.value(metric)
            return Score(None if value is None else (100 if percent else 1) * value)
        sums = self.sums(metric)
        return Score(None) if sums is None else sums.score if percent else sums.scaled(1.0)

    def value(self, metric: Metric | str) -> float | None:
        """Return a score as a fraction (or a length, or a count); None if undefined or withheld."""
        metric = self.metric(metric) if isinstance(metric, str) else metric
        if metric.formula is None:
            sums = self.sums(metric)
            return None if sums is None else sums.value
        parts = [self.value(part) for part in metric.parts]
        return None if None in parts else metric.formula(*parts)

    def sums(self, metric: Metric | str) -> Sums | None:
        """Return the sums of a score; None if undefined, withheld, or computed from others by a formula."""
        metric = self.metric(metric) if isinstance(metric, str) else metric
        if metric.formula is not None or (self.withheld and not metric.always):
            return None
        return self.count(metric)

    def count(self, metric: Metric) -> Sums | None:
        """Return the sums of a score, even if withheld; None if undefined."""
        units = self.places if metric.units == "answers" else self.pairs if metric.units == "pairs" else self.variants
        counts = self.answers.counted(metric, units, self.facts)
        best = self.answers.counted(metric, units, self.facts, best=True) if metric.bounded else counts
        about = ~np.isnan(counts[:, 1])
        if metric.scale == "length":
            about &= counts[:, 1] > 0
        strata, weights = self._strata(metric, about)
        if not about.all():
            units, counts, best = units[about], counts[about], best[about]
            strata = strata if strata is None else strata[about]
        bottom = np.ascontiguousarray(counts[:, 1])
        below = [bottom] if strata is None else [bottom[strata == number] for number in range(len(weights))]
        if not below or not all(own.sum() > 0 for own in below):
            return None
        if (test := metric.defined) and not any(test(kind, self.facts) for kind, _ in self.kinds):
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
            np.ascontiguousarray(best[:, 0]) if metric.bounded else None,
        )

    def by_question(self, metric: Metric | str) -> Sums | None:
        """Return :meth:`sums` with one row per question of all responses, for comparing runs."""
        sums, owner = self.sums(metric), self.answers.owner
        return None if sums is None else sums.by_question(owner, int(owner.max()) + 1)

    def within(self, places: Places, metrics: Sequence[Metric] | None = None) -> "Measured":
        """Return the scores of a subset of the responses."""
        options: dict[str, Any] = {"withheld": self.withheld, "allow_failed": self._allow_failed}
        return Measured(self.answers, metrics or self.metrics, places, self.positive, **options)

    def cells(self, columns: Sequence[str]) -> dict[tuple[Any, ...], "Measured"]:
        """Return the values of some columns, in order, with the scores of their subsets."""
        metrics = [metric for metric in self.metrics if metric.in_cells]
        return {key: self.within(own, metrics) for key, own in self.answers.groups(columns, self.places).items()}

    def _strata(self, metric: Metric, about: np.ndarray) -> tuple[Places | None, tuple[float, ...]]:
        """Return strata and weights of the units, for a mean over the strata of a task, then over tasks."""
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


def _equals(name: str, value: str) -> Callable[[Answer], bool]:
    get = attrgetter(name)
    return lambda answer: bool(get(answer) == value)


def measure(
    records: Iterable[Record | Mapping[str, Any]],
    family: str | Sequence[Metric],
    *,
    columns: Collection[str] = (),
    positive: str = "no",
    claimed: Claimed | None = None,
    read: Callable[[Record], Record] | None = None,
    allow_failed: bool = False,
    shared: Shared | None = None,
) -> Measured:
    """Compute the metrics of the responses to one family of tasks.

    Args:
        records: records with predictions, unless ``read`` sets them.
        family: family of metrics, or the metrics themselves.
        columns: columns that define subsets.
        positive: positive class of precision and recall.
        claimed: counter of a caption's claims (:func:`vhbench.tasks.metrics.ode_captions.counter`).
        read: function that sets the prediction of a record, as a reference implementation parses it.
        allow_failed: report scores even if more than 1 % of the requests failed.
        shared: names that the records share, where they are known; None to collect them.

    Raises:
        VhbenchError: for a record that cannot be counted, or an unknown column.
    """
    metrics = metrics_of(family) if isinstance(family, str) else tuple(family)
    if unknown := sorted({*columns} - {field.name for field in fields(Record)}):
        raise VhbenchError(f"expected a field of a record to split the scores by, got {unknown[0]!r}")
    answers = Answers(records, metrics, columns, claimed, read, shared)
    applicable = [metric for metric in metrics if not metric.variants or {metric.variants} == answers.variants]
    return Measured(answers, applicable, answers.every, positive, allow_failed=allow_failed)


def report_scores(measured: Measured, *, percent: bool = False) -> dict[str, Any]:
    """Return all scores as fractions, or as printed, by metric, with ``intervals``, ``interval_notes``, ``bounds``.

    >>> scores = report_scores(measure([{"id": "a", "answer": "no", "prediction": "no"}], "yes_no"))
    >>> scores["accuracy"], scores["intervals"]["precision"], scores["recall"], scores["yes_rate"]
    (1.0, (0.025..., 1.0), 1.0, 0.0)
    """
    scores = {metric.name: measured.score(metric, percent=percent) for metric in measured.metrics}
    return {
        **{name: score.value for name, score in scores.items()},
        "intervals": {name: score.interval for name, score in scores.items()},
        "interval_notes": {name: score.note for name, score in scores.items() if score.note},
        "bounds": {name: score.bounds for name, score in scores.items() if score.bounds},
    }
