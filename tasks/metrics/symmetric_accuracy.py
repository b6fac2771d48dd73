"""Symmetric accuracy over questions and their negated twins, from VHExpansion (Liu et al. 2024).

A pair is a test case and its negated twin with the opposite reference answer. Symmetric accuracy is the share of pairs
with both answers correct. Guessing yes with probability p, if a share q of the cases have the answer yes, gets

* accuracy 1 + (2p - 1)q - p (Theorem 1), which depends on q and rewards a matching bias;
* symmetric accuracy p(1 - p) (Theorem 2), independent of q and at most 1/4.

Both theorems assume the same behaviour on a question and its twin. A model that distinguishes them by their text,
without the image, gets more: yes to every original and no to every twin is correct in a share q of the pairs. So each
half has its own rates of yes and no (other predictions are incorrect), and the score without the image is the
*permutation baseline*: the model's own answer pairs, permuted across cases.

Rows are paired by ``pair_id`` and ``perturbation``. In a partial run, scores of pairs cover complete pairs, and
incomplete ones are counted; scores of single responses (accuracy, yes rate, unparsed, new cases) cover all. This rule
is defined here only; lmms-eval's table, reports, ``vhbench score``, analyses and comparisons use it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vhbench.language.parsing import Parser, yes_no_reader
from vhbench.records import binary_answer
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics.measuring import Measured, measure, report_scores
from vhbench.tasks.metrics.metric import Answer, Count, Facts, Metric
from vhbench.tasks.metrics.registry import YES_SHARE


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
        parser: parser of responses without a prediction, see :mod:`vhbench.language.parsing`.
        allow_failed: report the scores even if more than 1 % of the requests failed.
        by: fields to split the scores by: ``result["by"]["mode"]["wrapped"]["symmetric_accuracy"]``.

    Returns:
        As fractions or None. Over complete pairs: ``symmetric_accuracy``, its ``permutation_baseline`` and ``chance``
        (:mod:`vhbench.tasks.metrics.registry`) and ``gold_yes`` (q). Over all answers: ``accuracy``, ``yes_rate`` (p),
        ``unparsed``, ``failed``, ``refused``, ``cut_off``; ``original_accuracy`` and ``chance_accuracy``
        (:func:`chance_accuracy`) of the rows that are not negated; ``new_successful``: wrong answers to new cases
        (negated or perturbed), without failed requests and refusals, in which nothing was hallucinated. ``pairs``,
        ``incomplete_pairs``; ``mix``: wording of the twin ("natural", "llm", "wrapped") → share of the complete pairs;
        ``intervals``, ``interval_notes``; ``by_perturbation`` with the same for each; ``withheld``: reason why scores
        are None, see :mod:`vhbench.tasks.metrics.withholding`, or None. ``published_labels``, if some were repaired:
        their number, and three of the scores with the labels before.

    Raises:
        VhbenchError: for a row without pair_id, a pair with two originals or two negations, or with equal reference
            answers; for an unknown field, or one that is empty in all records.

    >>> rows = [
    ...     {"id": "a", "pair_id": "a", "answer": "yes", "prediction": "yes"},
    ...     {"id": "b", "pair_id": "a", "answer": "no", "prediction": "no", "negated": True},
    ...     {"id": "c", "pair_id": "c", "answer": "no", "prediction": "yes"},
    ...     {"id": "d", "pair_id": "c", "answer": "yes", "prediction": "yes", "negated": True},
    ... ]
    >>> result = score(rows)
    >>> result["symmetric_accuracy"], result["accuracy"], result["yes_rate"], result["permutation_baseline"]
    (0.5, 0.75, 0.75, 0.25)
    """
    parse = yes_no_reader(parser)

    def read(record: Record) -> Record:
        answer = binary_answer(record) if record.pair_id else record.answer  # a missing pair is reported first
        if (record.failure or record.prediction) and answer == record.answer:
            return record
        outcome = record.failure or record.prediction or parse(record.response, record.question)
        return replace(record, answer=answer, prediction="" if record.failure else outcome)

    columns = {"mode", "criterion", *by}
    whole = measure(records, "pairs", columns=columns, read=read, allow_failed=allow_failed)
    result = _scored(whole) | _published_labels(whole)
    result["by_perturbation"] = {kind: _scored(own) for kind, own in _groups(whole, "perturbation")}
    result["by"] = {field: {value: _scored(own) for value, own in _parts(whole, field)} for field in by}
    return result


def _as_published(answer: Answer) -> bool:
    """Return whether a prediction is the label before repair."""
    relabelled = answer.record.criterion == "relabelled"
    return answer.outcome == ({"yes": "no", "no": "yes"}[answer.record.answer] if relabelled else answer.record.answer)


def _pair_as_published(answer: Answer, facts: Facts) -> Count:
    assert answer.twin is not None
    return Count(_as_published(answer) and _as_published(answer.twin))


_PUBLISHED = (
    Metric(name="published_accuracy", count=lambda answer, facts: Count(_as_published(answer))),
    Metric(
        name="published_original_accuracy",
        count=lambda answer, facts: None if answer.record.negated else Count(_as_published(answer)),
    ),
    Metric(name="published_symmetric_accuracy", count=_pair_as_published, units="pairs"),
)


def _published_labels(whole: Measured) -> dict[str, Any]:
    """Return the scores with the labels before repair, of questions not withdrawn; empty if none was repaired."""
    repaired = whole.tally(lambda kind: kind.record.criterion == "relabelled" and not kind.record.negated)[True]
    if not repaired or whole.withheld:
        return {}
    sums = {metric.name.removeprefix("published_"): whole.count(metric) for metric in _PUBLISHED}
    scores = {name: None if total is None else total.value for name, total in sums.items()}
    return {"published_labels": {**scores, "relabelled": repaired}}


def chance_accuracy(yes_rate: float, gold_yes: float, no_rate: float | None = None) -> float:
    """Return the expected accuracy of guessing at these rates, no being 1 - yes by default (Theorem 1).

    >>> chance_accuracy(1.0, 0.7)  # always yes, where 70 % of the answers are yes
    0.7
    >>> chance_accuracy(0.5, 0.5, 0.25)  # a quarter of the answers cannot be read
    0.375
    """
    no_rate = 1 - yes_rate if no_rate is None else no_rate
    return gold_yes * yes_rate + (1 - gold_yes) * no_rate


def complete_pairs(records: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Return the complete pairs, originals first, in the order of their first question.

    >>> rows = [Record("a", pair_id="p"), Record("b", pair_id="p", negated=True), Record("c", pair_id="q")]
    >>> [(first.id, twin.id) for first, twin in complete_pairs(rows)]
    [('a', 'b')]
    """
    halves: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        halves.setdefault((record.pair_id, record.perturbation), []).append(record)
    pairs = (sorted(pair, key=lambda record: record.negated) for pair in halves.values() if len(pair) == 2)
    return [(first, twin) for first, twin in pairs]


def _groups(measured: Measured, field: str) -> list[tuple[Any, Measured]]:
    """Return the values of a field with all scores of their rows, including those of pairs."""
    groups = measured.answers.groups((field,), measured.places).items()
    return [(value, measured.within(places)) for (value,), places in groups]


def _parts(measured: Measured, field: str) -> list[tuple[str, Measured]]:
    """Return the values of a field with the scores of their rows."""
    groups = [(str(value), own) for value, own in _groups(measured, field) if value or value is False]
    if not groups:
        raise VhbenchError(f"--by {field}: expected a field with values in at least one row")
    return groups


def _scored(measured: Measured) -> dict[str, Any]:
    """Return the scores of some responses and of their complete pairs."""
    scores = report_scores(measured)
    new, gold = measured.count(measured.metric("new_cases")), measured.count(YES_SHARE)
    complete, incomplete = measured.answers.pairs_of(measured.places)
    metrics = [metric for metric in measured.metrics if metric.scale != "count"]
    originals = complete[:, 0]
    counts = measured.within(originals).tally(lambda kind: kind.record.mode)
    return {
        **{metric.name: scores[metric.name] for metric in metrics},
        "gold_yes": None if gold is None else gold.value,
        "chance_accuracy": None if measured.withheld else _guessed_accuracy(measured),
        "new_successful": None if measured.withheld or new is None else int(new.top.sum()),
        "pairs": len(complete),
        "incomplete_pairs": incomplete,
        "mix": {mode: counts[mode] / len(originals) for mode in sorted(counts) if mode},
        "intervals": {m.name: scores["intervals"][m.name] for m in metrics if m.scale != "constant"},
        **{name: scores[name] for name in ("interval_notes", "bounds")},
        "warnings": measured.warnings,
        "withheld": measured.withheld,
    }


def _guessed_accuracy(measured: Measured) -> float | None:
    """Return the expected accuracy of guessing with the same rates of yes and no."""
    first = [(kind, count) for kind, count in measured.kinds if not kind.record.negated]
    n = sum(count for _, count in first)
    if not n:
        return None
    yes, no = (sum(count for kind, count in first if kind.outcome == word) / n for word in ("yes", "no"))
    gold = sum(count for kind, count in first if kind.record.answer == "yes") / n
    return chance_accuracy(yes, gold, no)
