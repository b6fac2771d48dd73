"""Multiple choice over several images, as in MIOH (Min et al., CVPR 2026, arXiv 2608.30653).

``aggregate`` is the paper's: per task the unweighted mean over the pressures (easy, NI, HP, HN; 8 and 10 images are one
NI), then the unweighted mean over the tasks. It excludes HP+HN, and questions with no more images than easy ones, which
are points of a curve.

A response names a letter ("B", "(B)", "Answer: B") or an option's text; if it names none or several, it is unparsed and
counts as incorrect, like failed requests and refusals; their shares are reported. Questions without options and with
the answer yes or no are parsed as yes/no questions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vhbench.benchmarks import pressure_family
from vhbench.language import parsing
from vhbench.records import is_cut_off
from vhbench.schema import Record, VhbenchError
from vhbench.statistics.sums import Sums
from vhbench.tasks.metrics.measuring import Measured, measure, report_scores
from vhbench.tasks.metrics.metric import Answer

GROUPS = ("question_type", "pressure", "mode", "task")
_APART = ("accuracy", "aggregate", "chance")
"""Metrics whose intervals and notes have separate keys in the result, or that have none."""


def score(records: Iterable[Record | Mapping[str, Any]], *, allow_failed: bool = False) -> dict[str, Any]:
    """Score answered multiple-choice questions.

    Args:
        records: records or mappings with ``id``, ``choices``, ``answer`` (a letter) and ``response`` or
            ``prediction``; ``question_type``, ``task``, ``mode``, ``pressure`` define their subsets.
        allow_failed: report the scores even if more than 1 % of the requests failed.

    Returns:
        ``accuracy``, ``chance`` (of a uniform guess), ``unparsed``, ``failed``, ``refused``, ``cut_off``, ``n``,
        ``interval``, ``interval_note``; ``intervals`` and ``interval_notes`` of the shares without a prediction;
        ``bounds`` of the accuracy; ``warnings``; ``aggregate`` with its ``aggregate_interval``,
        ``aggregate_interval_note`` and ``tasks``; ``by``: the same but the aggregate per question type, pressure, mode
        and task; ``cells``: a list with the same per question type × pressure × mode × task; ``letters``: share of each
        option letter in the predictions and in the answers (position bias); ``predictions``: id → letter. Undefined
        values are None; ``withheld`` is the reason for other None values, see :mod:`vhbench.tasks.metrics.withholding`.

    Raises:
        VhbenchError: for a reference answer that is not an option's letter, or fewer than two options.

    >>> rows = [
    ...     {"id": 1, "choices": ["cat", "dog"], "answer": "A", "response": "A.", "task": "existence"},
    ...     {"id": 2, "choices": ["cat", "dog"], "answer": "B", "response": "cat", "task": "existence"},
    ...     {"id": 3, "choices": ["2", "3"], "answer": "B", "response": "three", "task": "counting"},
    ... ]
    >>> result = score(rows)
    >>> round(result["accuracy"], 3), result["aggregate"], result["tasks"]  # 2 of 3; mean of 1/2 and 1
    (0.667, 0.75, {'counting': 1.0, 'existence': 0.5})
    """
    whole = measure(records, "multiple_choice", columns=GROUPS, read=_read, allow_failed=allow_failed)
    aggregate, sums = whole.score("aggregate", percent=False), whole.sums("aggregate")
    result = _summary(whole) | {
        "aggregate": aggregate.value,
        "aggregate_interval": aggregate.interval,
        "aggregate_interval_note": aggregate.note,
        "tasks": {} if sums is None else _of_tasks(whole, sums),
    }
    scores = report_scores(whole)
    for name in ("intervals", "interval_notes"):
        result[name] = {metric: entry for metric, entry in scores[name].items() if metric not in _APART}
    result |= {"bounds": scores["bounds"], "warnings": whole.warnings}
    result["by"] = {name: {key: _summary(own) for (key,), own in whole.cells((name,)).items()} for name in GROUPS}
    result["by"]["pressure_family"] = {key: _summary(own) for key, own in _families(whole).items()}
    cells = whole.cells(GROUPS).items()
    result["cells"] = [{**dict(zip(GROUPS, names, strict=True)), **_summary(cell)} for names, cell in cells]
    result["letters"] = {
        "predictions": _letter_shares(whole, lambda answer: answer.outcome),
        "answers": _letter_shares(whole, lambda answer: answer.record.answer),
    }
    result["predictions"] = dict(zip(whole.answers.ids, whole.predictions, strict=True))
    return result


def parse(text: str, choices: Sequence[str] = (), *, question: str = "") -> str:
    """Return the letter that a response names, "" if none or several; yes or no without options.

    >>> parse("**Answer: C**", ["1", "2", "3"]), parse("None of the above.", ["cat", "dog", "None of the above"])
    ('C', 'C')
    >>> parse("Yes, in both.")
    'yes'
    """
    return parsing.parse("multiple_choice" if choices else "yes_no", text, choices, question=question)


def _read(record: Record) -> Record:
    """Return a record with its prediction: a letter, or yes or no without options."""
    allowed, upper = _allowed(record), bool(record.choices)
    label, gold = (
        text.upper() if upper else text.lower() for text in (record.prediction.strip(), record.answer.strip())
    )
    if label not in allowed:
        label = record.failure or parse(record.response or record.prediction, record.choices, question=record.question)
    if label in (record.prediction, record.failure) and gold == record.answer:
        return record
    failure = record.failure if label == record.failure else ""
    cut = is_cut_off(record)
    return replace(record, answer=gold, prediction="" if failure else label, failure=failure, cut_off=cut)


def _allowed(record: Record) -> list[str]:
    """Return the possible answers to a question, after checking its reference answer."""
    if not record.choices:
        answer = record.answer.strip().lower()
        allowed = ["yes", "no"]
    else:
        answer = record.answer.strip().upper()
        try:
            allowed = list(parsing.letters_of(len(record.choices)))
        except VhbenchError as error:
            raise VhbenchError(f"question {record.id!r}: {error}") from error
    if len(allowed) < 2 or answer not in allowed:
        expected = f"an answer of {', '.join(allowed)}" if record.choices else "answer options, or the answer yes or no"
        raise VhbenchError(f"question {record.id!r}: expected {expected}; got {record.answer!r}")
    return allowed


def _summary(measured: Measured) -> dict[str, Any]:
    accuracy = measured.score("accuracy", percent=False)
    others = {metric.name: measured.value(metric) for metric in measured.metrics if metric.name not in _APART}
    return {
        "accuracy": accuracy.value,
        "interval": accuracy.interval,
        "interval_note": None if measured.withheld else accuracy.note,
        "chance": None if (chance := measured.count(measured.metric("chance"))) is None else chance.value,
        **others,
        "n": measured.n,
        "withheld": measured.withheld,
    }


def _of_tasks(measured: Measured, sums: Sums) -> dict[str, float]:
    """Return the aggregate's mean over the pressures of each task."""
    assert sums.strata is not None
    kinds = [measured.answers.kinds[code].record.task for code in measured.answers.codes[sums.rows].tolist()]
    rates: dict[str, list[float]] = {}
    for number in range(len(sums.weights)):
        own = np.flatnonzero(sums.strata == number)
        rates.setdefault(kinds[own[0]], []).append(float(sums.top[own].mean()))
    return {task: float(np.mean(of_pressures)) for task, of_pressures in rates.items()}


def _families(measured: Measured) -> dict[str, Measured]:
    """Return the scores of each family of pressures."""
    families: dict[str, list[np.ndarray]] = {}
    for (pressure,), cell in measured.cells(("pressure",)).items():
        families.setdefault(pressure_family(pressure), []).append(cell.places)
    return {name: measured.within(np.sort(np.concatenate(own))) for name, own in sorted(families.items())}


def _letter_shares(measured: Measured, letter: Callable[[Answer], str]) -> dict[str, float]:
    """Return the share of each letter, for questions with options."""
    counts = measured.tally(lambda answer: letter(answer) if answer.options else None)
    total = sum(count for name, count in counts.items() if name is not None)
    return {name or "unknown": counts[name] / total for name in sorted(name for name in counts if name is not None)}
