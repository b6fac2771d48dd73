"""Columnar storage of responses for metrics, compact for a million rows.

Responses identical in all columns that a metric reads share one :class:`~vhbench.tasks.metrics.metric.Answer`. A metric
counts each of these once, and the counts are distributed to the rows.
"""

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench.language import parsing
from vhbench.records import each_record, is_cut_off, outcome_of, split_repetition
from vhbench.schema import Record, VhbenchError
from vhbench.statistics.clustering import Clustering
from vhbench.statistics.clusters import Shared
from vhbench.tasks.metrics.metric import ALWAYS, DERIVED, Answer, Claims, Count, Facts, Metric
from vhbench.tasks.metrics.withholding import ResponseCounts

Places = npt.NDArray[np.int64]
Claimed = Callable[[Record], Claims]  # function from a caption record to its claims


class Answers:
    """Parsed responses to some questions."""

    def __init__(
        self,
        records: Iterable[Record | Mapping[str, Any]],
        metrics: Sequence[Metric],
        columns: Iterable[str] = (),
        claimed: Claimed | None = None,
        read: Callable[[Record], Record] | None = None,
        shared: Shared | None = None,
    ) -> None:
        """Parse records; the parameters are those of :func:`vhbench.tasks.metrics.measuring.measure`.

        Raises:
            VhbenchError: for an invalid record, an id that occurs twice or, if a metric counts pairs, questions that
                do not form a pair.
        """
        needs = sorted({name for metric in metrics for name in metric.needs} - {*DERIVED})
        names = list(dict.fromkeys((*ALWAYS, *needs, *columns)))
        options, none_options = (any(name in m.needs for m in metrics) for name in ("options", "none"))
        paired = any(metric.units == "pairs" for metric in metrics)
        key, kinds, codes = attrgetter(*names), dict[tuple[Any, int, bool, Claims, str, str, int], int](), array("q")
        pairs, halves = dict[Hashable, int](), array("q")
        self.ids, self.shared, unpaired = list[str](), shared or Shared(), ""
        self.responses, self.variants = ResponseCounts(), set[str]()
        for record in map(read, each_record(records)) if read else each_record(records):
            many, claims = len(record.choices) if options else 0, claimed(record) if claimed else None
            if claims is None and outcome_of(record) == "abstained":
                record = replace(record, failure="abstained")
            none = _none_of(tuple(record.choices)) if none_options else ""
            self.responses.add(record, claims)
            variant, number = split_repetition(record.id).variant if "#" in record.id else ("", 0)
            self.variants.add(variant)
            forms = (_chosen(record) if variant == "r" else "", number if variant == "w" else 0)
            kind = (key(record), many, is_cut_off(record), claims or Claims(), none, *forms)
            codes.append(kinds.setdefault(kind, len(kinds)))
            self.ids.append(record.id)
            if shared is None:
                self.shared.add(record)
            if paired:
                unpaired = unpaired or ("" if record.pair_id else record.id)
                pair = (record.pair_id, record.perturbation) if record.perturbation else record.pair_id
                halves.append(pairs.setdefault(pair, len(pairs)))
        if unpaired:
            raise VhbenchError(f"question {unpaired!r}: expected a pair_id for its negated twin")
        self.kinds = [
            Answer(Record("", **dict(zip(names, values, strict=True))), many, cut, counts, None, none, chosen, wording)
            for values, many, cut, counts, none, chosen, wording in kinds
        ]
        self.codes, self.names = np.array(codes, dtype=np.int64), names
        self.pair = np.array(halves, dtype=np.int64)
        self.twins = _twins(self, list(pairs)) if paired else np.zeros((0, 2), dtype=np.int64)
        self._counts: dict[tuple[str, Facts, bool], npt.NDArray[np.float64]] = {}

    @property
    def every(self) -> Places:
        """Indices of all rows."""
        return np.arange(len(self.codes))

    @cached_property
    def owner(self) -> Places:
        """Question of each row: its index among the sorted ids without repetitions."""
        names = [split_repetition(name)[1] for name in self.ids]
        number = {name: place for place, name in enumerate(sorted(set(names)))}
        return np.fromiter((number[name] for name in names), np.int64, len(names))

    def holds(self, test: Callable[[Answer], bool], places: Places) -> npt.NDArray[np.bool_]:
        """Return which of some rows pass a test."""
        return np.fromiter(map(test, self.kinds), np.bool_, len(self.kinds))[self.codes[places]]

    def groups(self, columns: Sequence[str], places: Places) -> dict[tuple[Any, ...], Places]:
        """Return the values of some columns, in order, with the indices of their rows."""
        value = attrgetter(*(f"record.{column}" for column in columns))
        values = [value(kind) if len(columns) > 1 else (value(kind),) for kind in self.kinds]
        distinct = {values[code] for code in np.unique(self.codes[places])}
        order = {key: number for number, key in enumerate(sorted(distinct))}
        own = np.array([order.get(key, -1) for key in values], dtype=np.int64)[self.codes[places]]
        sort = np.argsort(own, kind="stable")
        ends = np.searchsorted(own[sort], np.arange(len(order) + 1))
        return {key: places[np.sort(sort[ends[number] : ends[number + 1]])] for key, number in order.items()}

    def pairs_of(self, places: Places) -> tuple[Places, int]:
        """Return the complete pairs among some rows, originals first, and the number of incomplete ones."""
        own = self.twins[np.unique(self.pair[places])] if len(places) and len(self.twins) else self.twins[:0]
        complete = own[(own >= 0).all(axis=1)]
        return complete, len(own) - len(complete)

    def variants_of(self, places: Places) -> Places:
        """Return the questions with responses to all their variants among some rows; shape (questions, variants)."""
        by_question: dict[str, dict[int, int]] = {}
        for place in places.tolist():
            name = split_repetition(self.ids[place])
            repetition = name.prefix.split("#")[0] if name.prefix.count("#") > 1 else ""  # of `lmms-eval --repeats`
            by_question.setdefault(f"{repetition}#{name.question}", {})[name.variant[1]] = place
        every = range(1, 1 + max(chain.from_iterable(by_question.values()), default=1))
        whole = [[own[number] for number in every] for own in by_question.values() if own.keys() >= set(every)]
        return np.array(whole, dtype=np.int64).reshape(-1, len(every))

    def counted(self, metric: Metric, units: Places, facts: Facts, *, best: bool = False) -> npt.NDArray[np.float64]:
        """Return top, bottom and trials of some rows, or of pairs or questions of rows; NaN if a metric does not apply.

        With ``best``, every missing prediction counts as right.
        """
        if metric.units == "answers":
            key = metric.name, facts, best
            if key not in self._counts:
                self._counts[key] = _table([metric.count(kind, facts) for kind in self._kinds(best)])
            return self._counts[key][self.codes[units]]
        kinds = self._kinds(best)
        known, number = np.unique(self.codes[units], axis=0, return_inverse=True)
        counts = []
        for codes in known.tolist():
            first, *others = (kinds[code] for code in codes)
            more = {"twin": others[0]} if metric.units == "pairs" else {"others": tuple(others)}
            counts.append(metric.count(replace(first, **more), facts))
        return _table(counts)[number.reshape(-1)]

    def _kinds(self, best: bool) -> list[Answer]:
        """Return the kinds of answers; if ``best``, with every missing prediction right."""
        return [kind.at_best for kind in self.kinds] if best else self.kinds

    def clusters(self, units: Places) -> Clustering:
        """Return the clusters of some rows, or of pairs of rows, cached."""
        return self._among(units.tobytes(), units.shape)

    @cached_property
    def _among(self) -> Callable[[bytes, tuple[int, ...]], Clustering]:
        among = self.shared.among
        return lru_cache(maxsize=4)(lambda data, shape: among(np.frombuffer(data, np.int64).reshape(shape)))


def _chosen(record: Record) -> str:
    """Return the text of the predicted option, "" without a prediction."""
    at = ord(record.prediction) - ord("A") if len(record.prediction) == 1 else -1
    return record.choices[at] if 0 <= at < len(record.choices) else ""


@lru_cache(maxsize=4_096)
def _none_of(choices: tuple[str, ...]) -> str:
    """Return the letter of the option "none of the above", or "neither"; "" without one."""
    letter = parsing.parse("multiple_choice", "Neither of them.", choices) if choices else ""
    return "" if letter and choices[ord(letter) - ord("A")].strip().lower() == "no" else letter


def _table(counts: Sequence[Count | None]) -> npt.NDArray[np.float64]:
    """Return counts as rows; NaN for none."""
    none = (np.nan, np.nan, np.nan)
    rows = [none if c is None else (c.top, c.bottom, c.bottom if c.trials is None else c.trials) for c in counts]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def _twins(answers: Answers, names: Sequence[Any]) -> Places:
    """Return pair → indices of the original and its negation, -1 if missing."""
    negated = answers.holds(lambda answer: answer.record.negated, answers.every)
    pairs, ids = answers.pair, answers.ids
    _, first, half_of = np.unique(2 * pairs + negated, return_index=True, return_inverse=True)
    if len(again := np.flatnonzero(first[half_of] != np.arange(len(ids)))):
        place, other = again[0], first[half_of[again[0]]]
        which = "negated" if negated[place] else "original"
        name = _name(names[pairs[place]])
        raise VhbenchError(f"pair {name!r}: expected one {which} question, got {ids[other]!r} and {ids[place]!r}")
    twins = np.full((len(names), 2), -1)
    twins[pairs, negated.astype(np.int64)] = np.arange(len(ids))
    yes = answers.holds(lambda answer: answer.record.answer == "yes", answers.every)
    whole = twins[(twins >= 0).all(axis=1)]
    for original, negation in whole[yes[whole[:, 0]] == yes[whole[:, 1]]].tolist():
        raise VhbenchError(
            f"pair {_name(names[pairs[negation]])!r}: expected opposite answers to {ids[original]!r} and its negation "
            f"{ids[negation]!r}, got {'yes' if yes[negation] else 'no'!r} for both"
        )
    return twins


def _name(pair: str | tuple[str, str]) -> str:
    """Return the id of a pair, without its perturbation."""
    return pair if isinstance(pair, str) else pair[0]
