"""Symmetric accuracy: does a right answer survive negation? From VHExpansion (Liu et al. 2024).

A pair is a test case and its negated twin, whose right answers are opposite. Symmetric accuracy is the share of pairs
with both right. A guesser who says yes with probability p, where a share q of the cases have the answer yes, gets

* accuracy 1 + (2p - 1)q - p (Theorem 1), which moves with q and rewards a bias that fits it;
* symmetric accuracy p(1 - p) (Theorem 2), whatever q is: at most 1/4.

Rows are tied by ``pair_id`` and, where images are perturbed, ``perturbation``. Pairs that lack a half are counted and
left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vhbench.answers import Parser, yes_no_reader
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals, withholding
from vhbench.tasks.metrics.rates import average
from vhbench.tasks.metrics.records import as_records, binary_answer, resampling_unit

Pair = tuple[Record, Record]

_TOLD = (*withholding.COUNTED, "gold_yes")
"""What is told even where scores are withheld."""


def score(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    parser: str | Parser = "default",
    allow_failed: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Score answered yes/no questions and their negated twins.

    Args:
        records: records or mappings with ``id``, ``pair_id``, ``negated``, ``answer``, ``response`` or ``prediction``,
            and, for perturbed images, ``perturbation``.
        parser: how a response without a prediction is read, see :mod:`vhbench.answers`.
        allow_failed: tell the scores even where more than 1 % of the requests failed.
        seed: of the bootstrap intervals, see :func:`vhbench.tasks.metrics.records.resampling_unit`.

    Returns:
        Over complete pairs, as fractions or None: ``symmetric_accuracy``, ``accuracy``, ``original_accuracy`` (of the
        rows that are neither negated nor perturbed), ``yes_rate`` (p), ``chance`` p(1-p), ``chance_accuracy``
        1+(2p-1)q-p, ``unparsed``, ``failed``, ``refused``; ``gold_yes`` (q); ``new_successful``: wrong answers to new
        cases (negated or perturbed), without failed requests and refusals, in which nothing was hallucinated;
        ``pairs``, ``incomplete_pairs``; ``intervals``; ``by_perturbation`` with the same for each; ``withheld``: why
        scores are None, see :mod:`vhbench.tasks.metrics.withholding`, or None.

    Raises:
        VhbenchError: for a row without pair_id, a pair with two equal halves, or one whose answers are not opposite.

    >>> rows = [
    ...     {"id": "a", "pair_id": "a", "answer": "yes", "prediction": "yes"},
    ...     {"id": "b", "pair_id": "a", "answer": "no", "prediction": "no", "negated": True},
    ...     {"id": "c", "pair_id": "c", "answer": "no", "prediction": "yes"},
    ...     {"id": "d", "pair_id": "c", "answer": "yes", "prediction": "yes", "negated": True},
    ... ]
    >>> result = score(rows)
    >>> result["symmetric_accuracy"], result["accuracy"], result["yes_rate"], result["chance"]
    (0.5, 0.75, 0.75, 0.1875)
    """
    rows = as_records(records)
    pairs, incomplete = _pairs(rows)
    read = yes_no_reader(parser)
    said = {row.id: row.failure or row.prediction or read(row.response, row.question) for row in rows}
    why = withholding.reason_of(rows, allow_failed=allow_failed)
    result = _scored(pairs, incomplete, said, seed, why)
    result["by_perturbation"] = {}
    for kind in sorted({row.perturbation for row in rows}):
        own = [pair for pair in pairs if pair[0].perturbation == kind]
        alone = [row for row in incomplete if row.perturbation == kind]
        here = (row for row in rows if row.perturbation == kind)
        reason = why or withholding.reason_of(here, allow_failed=allow_failed)
        result["by_perturbation"][kind] = _scored(own, alone, said, seed, reason)
    return result


def chance_accuracy(yes_rate: float, gold_yes: float) -> float:
    """Return the accuracy of a guesser (Theorem 1).

    >>> chance_accuracy(1.0, 0.7)  # always yes, where 70 % of the answers are yes
    0.7
    """
    return 1 + (2 * yes_rate - 1) * gold_yes - yes_rate


def chance(yes_rate: float) -> float:
    """Return the symmetric accuracy of a guesser (Theorem 2).

    >>> chance(0.5), chance(1.0)
    (0.25, 0.0)
    """
    return yes_rate * (1 - yes_rate)


def _pairs(rows: Sequence[Record]) -> tuple[list[Pair], list[Record]]:
    """Tie the halves; return the complete pairs (original first) and the rows without a twin."""
    halves: dict[tuple[str, str], dict[bool, Record]] = {}
    for row in rows:
        if not row.pair_id:
            raise VhbenchError(f"question {row.id!r} has no pair_id, which ties it to its negated twin")
        pair = halves.setdefault((row.pair_id, row.perturbation), {})
        if row.negated in pair:
            half = "negated" if row.negated else "original"
            raise VhbenchError(f"pair {row.pair_id!r} has two {half} halves: {pair[row.negated].id!r} and {row.id!r}")
        pair[row.negated] = row
    for pair in halves.values():
        if len(pair) == 2 and binary_answer(pair[False]) == binary_answer(pair[True]):
            raise VhbenchError(
                f"pair {pair[True].pair_id!r}: the twins {pair[False].id!r} and {pair[True].id!r} have the same answer "
                f"{pair[True].answer!r}; a negated question has the opposite one"
            )
    complete = [(pair[False], pair[True]) for pair in halves.values() if len(pair) == 2]
    return complete, [row for pair in halves.values() if len(pair) == 1 for row in pair.values()]


def _scored(
    pairs: Sequence[Pair], incomplete: Sequence[Record], said: Mapping[str, str], seed: int, why: str | None
) -> dict[str, Any]:
    rows = [row for pair in pairs for row in pair]
    right = [said[row.id] == binary_answer(row) for row in rows]
    both = [a and b for a, b in zip(right[::2], right[1::2], strict=True)]
    originals = [i for i, row in enumerate(rows) if not row.negated and not row.perturbation]
    units = [resampling_unit(row) for row in rows]
    measured = {
        "symmetric_accuracy": (both, units[::2]),
        "accuracy": (right, units),
        "original_accuracy": ([right[i] for i in originals], [units[i] for i in originals]),
        "yes_rate": ([said[row.id] == "yes" for row in rows], units),
        **{name: ([said[row.id] == word for row in rows], units) for name, word in withholding.WORDS.items()},
    }
    values = {name: average(column) for name, (column, _) in measured.items()}
    p, q = values["yes_rate"], average([binary_answer(original) == "yes" for original, _ in pairs])
    scores = {
        **values,
        "gold_yes": q,
        "chance": None if p is None else chance(p),
        "chance_accuracy": None if p is None or q is None else chance_accuracy(p, q),
        "new_successful": sum(_is_new_case(row) and said[row.id] != binary_answer(row) for row in rows),
    }
    ends = {name: intervals.mean(column, clusters=of, seed=seed) for name, (column, of) in measured.items()}
    found = {**scores, "pairs": len(pairs), "incomplete_pairs": len(incomplete), "intervals": ends}
    return withholding.withhold(found, (name for name in scores if name not in _TOLD), why)


def _is_new_case(row: Record) -> bool:
    """Tell whether a wrong answer is a hallucination that was found anew: it is an answer, and to a new question."""
    return not row.failure and (row.negated or bool(row.perturbation))
