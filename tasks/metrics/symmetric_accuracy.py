"""Symmetric accuracy: does a right answer survive negation? From VHExpansion (Liu et al. 2024).

A pair is a test case and its negated twin, whose right answers are opposite. Symmetric accuracy is the share of pairs
with both right. A guesser who says yes with probability p, where a share q of the cases have the answer yes, gets

* accuracy 1 + (2p - 1)q - p (Theorem 1), which moves with q and rewards a bias that fits it;
* symmetric accuracy p(1 - p) (Theorem 2), whatever q is: at most 1/4.

Both theorems are about a guesser who treats a question and its twin alike. A model that tells the two apart by their
words, and looks at no image, gets more: who says yes to every original and no to every twin has a share q of all pairs
right. So each half counts with its own rates of yes and of no (what is neither is never right), and what a model could
have without looking is its *blind level*: its own pairs of answers, dealt to other cases.

Rows are tied by ``pair_id`` and, where images are perturbed, ``perturbation``. Where a run is partial, what tells of
pairs is over those that are whole, and those that lack a half are counted; what tells of answers (accuracy, the share
of yes, what was not read, new cases) is over all of them. This is the one home of that rule: lmms-eval's table,
reports, ``vhbench score``, analyses and comparisons ask here, or count all answers.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from vhbench.language.parsing import Parser, yes_no_reader
from vhbench.records import Numbered, are, binary_answer, each_record, is_cut_off
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals
from vhbench.statistics.clusters import Shared
from vhbench.tasks.metrics import withholding
from vhbench.tasks.metrics.rates import average

Places = npt.NDArray[np.int64]
"""Where rows stand among all."""

Measured = tuple[dict[str, float | None], dict[str, intervals.Interval | None]]
"""Numbers by name, and their intervals."""

_TOLD = (*withholding.COUNTED, "gold_yes")
"""What is told even where scores are withheld."""


def score(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    parser: str | Parser = "default",
    allow_failed: bool = False,
    by: Sequence[str] = (),
) -> dict[str, Any]:
    """Score answered yes/no questions and their negated twins.

    Args:
        records: records or mappings with ``id``, ``pair_id``, ``negated``, ``answer``, ``response`` or ``prediction``,
            and, for perturbed images, ``perturbation``.
        parser: how a response without a prediction is read, see :mod:`vhbench.language.parsing`.
        allow_failed: tell the scores even where more than 1 % of the requests failed.
        by: fields to split the scores by: ``result["by"]["mode"]["quoted"]["symmetric_accuracy"]``.

    Returns:
        As fractions or None. Over complete pairs: ``symmetric_accuracy``, its ``blind_level`` (:func:`blind_level`)
        and ``chance`` (:func:`chance`), ``gold_yes`` (q). Over all answers: ``accuracy``, ``yes_rate`` (p),
        ``unparsed``, ``failed``, ``refused``, ``cut_off``; ``original_accuracy`` and ``chance_accuracy``
        (:func:`chance_accuracy`) of the rows that are not negated; ``new_successful``: wrong answers to new
        cases (negated or perturbed), without failed requests and refusals, in which nothing was hallucinated.
        ``pairs``, ``incomplete_pairs``; ``intervals``, ``interval_notes``; ``by_perturbation`` with the same for each;
        ``withheld``: why scores are None, see :mod:`vhbench.tasks.metrics.withholding`, or None.

    Raises:
        VhbenchError: for a row without pair_id, a pair with two equal halves, or one whose answers are not opposite;
            for a field that a record does not have, or that is empty in all of them.

    >>> rows = [
    ...     {"id": "a", "pair_id": "a", "answer": "yes", "prediction": "yes"},
    ...     {"id": "b", "pair_id": "a", "answer": "no", "prediction": "no", "negated": True},
    ...     {"id": "c", "pair_id": "c", "answer": "no", "prediction": "yes"},
    ...     {"id": "d", "pair_id": "c", "answer": "yes", "prediction": "yes", "negated": True},
    ... ]
    >>> result = score(rows)
    >>> result["symmetric_accuracy"], result["accuracy"], result["yes_rate"], result["blind_level"]
    (0.5, 0.75, 0.75, 0.25)
    """
    table = _Halves.of(records, parser, by)
    why = table.reason(table.every, allow_failed)
    result = table.scored(table.every, why)
    result["by_perturbation"] = {}
    for kind in sorted(table.kinds):
        own = np.flatnonzero(table.perturbations == table.kinds[kind])
        result["by_perturbation"][kind] = table.scored(own, why or table.reason(own, allow_failed))
    result["by"] = {
        field: {value: table.scored(own, why or table.reason(own, allow_failed)) for value, own in table.parts(field)}
        for field in by
    }
    return result


def chance_accuracy(yes_rate: float, gold_yes: float, no_rate: float | None = None) -> float:
    """Return the accuracy of a guesser (Theorem 1).

    Args:
        yes_rate: how often yes is said.
        gold_yes: share of the questions whose answer is yes.
        no_rate: how often no is said; None where all else is no, and every answer can be read.

    >>> chance_accuracy(1.0, 0.7)  # always yes, where 70 % of the answers are yes
    0.7
    >>> chance_accuracy(0.5, 0.5, 0.25)  # a quarter of the answers cannot be read
    0.375
    """
    no_rate = 1 - yes_rate if no_rate is None else no_rate
    return gold_yes * yes_rate + (1 - gold_yes) * no_rate


def chance(first: tuple[float, float], second: tuple[float, float], gold_yes: float) -> float:
    """Return the symmetric accuracy of a guesser who answers every question by itself.

    Args:
        first: how often yes and how often no is said to the originals.
        second: the same of their negated twins.
        gold_yes: share of the originals whose answer is yes.

    >>> chance((0.3, 0.7), (0.3, 0.7), 0.9)  # both halves alike: p(1 - p), Theorem 2
    0.21
    >>> chance((1.0, 0.0), (0.0, 1.0), 0.5)  # yes to originals, no to twins: half of the pairs are right
    0.5
    """
    return gold_yes * first[0] * second[1] + (1 - gold_yes) * first[1] * second[0]


def blind_level(pairs: Sequence[tuple[str, str]], gold_yes: float) -> float:
    """Return the symmetric accuracy that these pairs of answers have where they are dealt to the cases blindly.

    It is :func:`chance` where twins are answered independently of one another. A model that contradicts no question by
    its twin has more: to toss a coin for each case, and to answer the twin accordingly, gets half of them.

    Args:
        pairs: what was said to the original and to its twin, of every pair.
        gold_yes: share of the originals whose answer is yes.

    >>> blind_level([("yes", "no"), ("no", "yes")], 0.5)
    0.5
    >>> blind_level([("yes", "no"), ("no", "yes"), ("yes", "yes"), ("no", "")], 0.5)
    0.25
    """
    affirmed, denied = (sum(pair == said for pair in pairs) for said in (("yes", "no"), ("no", "yes")))
    return _dealt(affirmed, denied, gold_yes) / len(pairs)


def _dealt(affirmed: int, denied: int, gold_yes: float) -> float:
    """Return how many pairs are right where so many that affirm a case, and that deny it, are dealt blindly."""
    return gold_yes * affirmed + (1 - gold_yes) * denied


def complete_pairs(records: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Return the pairs of which both halves are there, the originals first, in the order in which they begin.

    >>> rows = [Record("a", pair_id="p"), Record("b", pair_id="p", negated=True), Record("c", pair_id="q")]
    >>> [(first.id, twin.id) for first, twin in complete_pairs(rows)]
    [('a', 'b')]
    """
    halves: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        halves.setdefault((record.pair_id, record.perturbation), []).append(record)
    pairs = (sorted(pair, key=lambda record: record.negated) for pair in halves.values() if len(pair) == 2)
    return [(first, twin) for first, twin in pairs]


@dataclass(frozen=True, slots=True)
class _Halves:
    """The columns of all answers: a million rows with their words would not fit into the memory.

    Attributes:
        ids: of the questions.
        said: by their numbers in ``words``: "yes", "no", "" where that is unknown, "failed", "refused".
        gold: "yes" or "no", by its number there.
        words: word → its number.
        pairs: the pair of each, by its number.
        perturbations: of each, by its number in ``kinds``.
        negated: whether it is a negated question.
        cut: whether the words of each stop midway.
        shared: what each shares with others.
        kinds: perturbation → its number.
        twins: pair → the places of the original and of its negation, -1 where there is none.
        values: field → value → its number, of the fields by which scores are split.
        split: field → the number of the value of each.
    """

    ids: list[str]
    said: Places
    gold: Places
    words: Mapping[str, int]
    pairs: Places
    perturbations: Places
    negated: npt.NDArray[np.bool_]
    cut: npt.NDArray[np.bool_]
    shared: Shared
    kinds: Mapping[str, int]
    twins: Places
    values: Mapping[str, Mapping[str, int]]
    split: Mapping[str, Places]

    @classmethod
    def of(cls, records: Iterable[Record | Mapping[str, Any]], parser: str | Parser, by: Sequence[str]) -> Self:
        """Read each record once, and tie the halves of the pairs."""
        if unknown := sorted(set(by) - {field.name for field in fields(Record)}):
            raise VhbenchError(f"a record has no field {unknown[0]!r} to split the scores by")
        split = {name: Numbered() for name in by}
        read = yes_no_reader(parser)
        ids, negated, cut, words = list[str](), array("b"), array("b"), dict[str, int]()
        said, gold = Numbered(words), Numbered(words)
        pairs, perturbations, shared, faults = Numbered(), Numbered(), Shared(), list[VhbenchError]()
        for row in each_record(records):
            if not row.pair_id and not faults:
                faults.append(VhbenchError(f"question {row.id!r} has no pair_id, which ties it to its negated twin"))
            ids.append(row.id)
            said.add(row.failure or row.prediction or read(row.response, row.question))
            gold.add(_gold(row, faults))
            negated.append(row.negated)
            cut.append(is_cut_off(row))
            pairs.add((row.pair_id, row.perturbation) if row.perturbation else row.pair_id)
            perturbations.add(row.perturbation)
            shared.add(row)
            for name, column in split.items():
                column.add(str(getattr(row, name)))
        if faults:
            raise faults[0]
        halves, places = np.array(negated, dtype=bool), pairs.numbers()
        right = gold.numbers()
        twins = _twins(ids, right, halves, places, list(pairs.words), list(words))
        columns = places, perturbations.numbers(), halves, np.array(cut, dtype=bool), shared
        values = {name: column.words for name, column in split.items()}
        parts = {name: column.numbers() for name, column in split.items()}
        return cls(
            ids,
            said.numbers(),
            right,
            words,
            *columns,
            kinds=perturbations.words,
            twins=twins,
            values=values,
            split=parts,
        )

    @property
    def every(self) -> Places:
        """The places of all rows."""
        return np.arange(len(self.ids))

    def parts(self, field: str) -> Iterator[tuple[str, Places]]:
        """Yield the values of a field, and the places of the rows that have each."""
        values = sorted(value for value in self.values[field] if value)
        if not values:
            raise VhbenchError(f"--by {field}: no row says anything in this field")
        for value in values:
            yield value, np.flatnonzero(self.split[field] == self.values[field][value])

    def reason(self, places: Places, allow_failed: bool) -> str | None:
        """Return why no score of these rows is told."""
        failed = int(self._are(self.said[places], "failed").sum())
        return withholding.reason(failed, len(places), allow_failed=allow_failed)

    def _are(self, column: Places, word: str) -> npt.NDArray[np.bool_]:
        """Tell which of some answers are a word."""
        return are(column, word, self.words)

    def _share(self, column: Places, word: str) -> float:
        return float(self._are(column, word).mean())

    def scored(self, places: Places, why: str | None) -> dict[str, Any]:
        """Return the numbers of these answers, and of the complete pairs of which they are halves."""
        own = self.twins[np.unique(self.pairs[places])] if len(places) else self.twins[:0]
        complete = own[(own >= 0).all(axis=1)]
        (of_pairs, first), (of_answers, ends) = self._of_pairs(complete), self._of_answers(places)
        scores = of_pairs | of_answers
        alone = {"pairs": len(complete), "incomplete_pairs": len(own) - len(complete)}
        found = {**scores, **alone, **intervals.stated(first | ends)}
        return withholding.withhold(found, (name for name in scores if name not in _TOLD), why)

    def _of_pairs(self, complete: Places) -> Measured:
        """Return what is told of complete pairs, the originals first, and the intervals."""
        rows = complete.reshape(-1)
        said, gold = self.said[rows], self.gold[rows]
        right = said == gold
        both, q = right[::2] & right[1::2], average(self._are(gold[::2], "yes").tolist())
        scores = {"symmetric_accuracy": average(both.tolist()), "gold_yes": q, **self._guessed(said, q)}
        return scores, {"symmetric_accuracy": intervals.mean(both, clusters=self.shared.among(complete))}

    def _of_answers(self, places: Places) -> Measured:
        """Return what is told of all answers, whether their twins are there or not, and the intervals."""
        said, gold = self.said[places], self.gold[places]
        right = said == gold
        first = np.flatnonzero(~self.negated[places])
        new = self.negated[places] | (self.perturbations[places] != self.kinds.get("", -1))
        answered = ~(self._are(said, "failed") | self._are(said, "refused"))
        clusters = self.shared.among(places)
        measured = {
            "accuracy": (right, clusters),
            "original_accuracy": (right[first], self.shared.among(places[first])),
            **{
                name: (self._are(said, word), clusters)
                for name, word in {"yes_rate": "yes", **withholding.WORDS}.items()
            },
            "cut_off": (self.cut[places], clusters),
        }
        scores = {
            **{name: average(column.tolist()) for name, (column, _) in measured.items()},
            "chance_accuracy": self._guessed_accuracy(said[first], gold[first]),
            # A wrong answer to a new question: it was answered, and nothing is hallucinated in what is no answer.
            "new_successful": int((~right & new & answered).sum()),
        }
        return scores, {name: intervals.mean(column, clusters=of) for name, (column, of) in measured.items()}

    def _guessed(self, said: Places, gold_yes: float | None) -> dict[str, float | None]:
        """Return what answers like these are worth where nobody looks; they are in pairs, the originals first."""
        if gold_yes is None:
            return dict.fromkeys(("blind_level", "chance"))
        halves = said[::2], said[1::2]
        first, twins = ((self._share(half, "yes"), self._share(half, "no")) for half in halves)
        affirmed, denied = (
            int((self._are(halves[0], one) & self._are(halves[1], other)).sum())
            for one, other in (("yes", "no"), ("no", "yes"))
        )
        blind = _dealt(affirmed, denied, gold_yes) / len(halves[0])
        return {"blind_level": blind, "chance": chance(first, twins, gold_yes)}

    def _guessed_accuracy(self, said: Places, gold: Places) -> float | None:
        """Return the accuracy of a guesser who says yes and no as often."""
        if not len(said):
            return None
        return chance_accuracy(self._share(said, "yes"), self._share(gold, "yes"), self._share(said, "no"))


def _gold(row: Record, faults: list[VhbenchError]) -> str:
    """Return a right answer; a fault of it waits, as a question without a pair is told first."""
    try:
        return binary_answer(row)
    except VhbenchError as fault:
        faults.append(fault)
        return ""


def _twins(
    ids: Sequence[str],
    gold: Places,
    negated: npt.NDArray[np.bool_],
    pairs: Places,
    names: Sequence[Any],
    words: Sequence[str],
) -> Places:
    """Tie the halves: pair → the places of the original and of its negation, -1 where there is none."""
    _, first, half_of = np.unique(2 * pairs + negated, return_index=True, return_inverse=True)
    if len(again := np.flatnonzero(first[half_of] != np.arange(len(ids)))):
        place, other = again[0], first[half_of[again[0]]]
        which = "negated" if negated[place] else "original"
        name = _name(names[pairs[place]])
        raise VhbenchError(f"pair {name!r} has two {which} halves: {ids[other]!r} and {ids[place]!r}")
    twins = np.full((len(names), 2), -1)
    twins[pairs, negated.astype(np.int64)] = np.arange(len(ids))
    whole = twins[(twins >= 0).all(axis=1)]
    for original, negation in whole[gold[whole[:, 0]] == gold[whole[:, 1]]].tolist():
        raise VhbenchError(
            f"pair {_name(names[pairs[negation]])!r}: the twins {ids[original]!r} and {ids[negation]!r} have the same "
            f"answer {words[gold[negation]]!r}; a negated question has the opposite one"
        )
    return twins


def _name(pair: str | tuple[str, str]) -> str:
    """Return the id of a pair, without its perturbation."""
    return pair if isinstance(pair, str) else pair[0]
