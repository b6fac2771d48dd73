"""Multiple choice over several images, as MIOH scores it (Min et al., CVPR 2026, arXiv 2608.30653).

``aggregate`` is the paper's: per task the unweighted mean over the pressures (easy, NI, HP, HN; all numbers of images
are one NI), then the unweighted mean over the tasks. HP+HN is reported but is not part of it.

A response names a letter ("B", "(B)", "Answer: B") or an option's text; if it names none, or several, it is unknown and
wrong, and its share is reported; so is that of failed requests and refusals. Questions without options whose answer is
yes or no are read as such.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from vhbench import answers
from vhbench.benchmarks import pressure_family
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals, withholding
from vhbench.tasks.metrics.rates import average
from vhbench.tasks.metrics.records import as_records, resampling_unit

GROUPS = ("question_type", "pressure", "mode", "task")
LEFT_OUT_OF_AGGREGATE = "hp+hn"

Answered = tuple[Record, str, str, float]
"""A record, what it says ("failed", "refused" where that is no answer), what is right, the chance of guessing it."""


def score(
    records: Iterable[Record | Mapping[str, Any]], *, allow_failed: bool = False, seed: int = 0
) -> dict[str, Any]:
    """Score answered multiple-choice questions.

    Args:
        records: records or mappings with ``id``, ``choices``, ``answer`` (a letter) and ``response`` or
            ``prediction``; ``question_type``, ``task``, ``mode``, ``pressure`` say which cell they belong to.
        allow_failed: tell the scores even where more than 1 % of the requests failed.
        seed: of the bootstrap intervals; image sets are resampled.

    Returns:
        ``accuracy``, ``chance`` (of a uniform guess), ``unparsed``, ``failed``, ``refused``, ``n``, ``interval``;
        ``aggregate`` with its ``aggregate_interval`` and ``tasks``; ``by``: the same but the aggregate per question
        type, pressure, mode and task; ``cells``: a list with the same per question type × pressure × mode × task;
        ``letters``: share of each option letter in the predictions and in the answers (position bias);
        ``predictions``: id → letter. Undefined is None; ``withheld`` says why a score is None that is not undefined,
        see :mod:`vhbench.tasks.metrics.withholding`.

    Raises:
        VhbenchError: for an answer that is not one of the options' letters, or fewer than two options.

    >>> rows = [
    ...     {"id": 1, "choices": ["cat", "dog"], "answer": "A", "response": "A.", "task": "existence"},
    ...     {"id": 2, "choices": ["cat", "dog"], "answer": "B", "response": "cat", "task": "existence"},
    ...     {"id": 3, "choices": ["2", "3"], "answer": "B", "response": "three", "task": "counting"},
    ... ]
    >>> result = score(rows)
    >>> round(result["accuracy"], 3), result["aggregate"], result["tasks"]  # 2 of 3; mean of 1/2 and 1
    (0.667, 0.75, {'counting': 1.0, 'existence': 0.5})
    """
    rows = [_answered(record) for record in as_records(records)]
    why = _reason(rows, allow_failed)

    def grouped(key: Callable[[Record], Any]) -> dict[Any, dict[str, Any]]:
        groups = _grouped(rows, key)
        return {name: _summary(groups[name], seed, why or _reason(groups[name], allow_failed)) for name in groups}

    result = _summary(rows, seed, why) | _aggregate([] if why else rows, seed)
    result["by"] = {name: grouped(attrgetter(name)) for name in GROUPS}
    result["by"]["pressure_family"] = grouped(lambda record: pressure_family(record.pressure))
    cells = grouped(attrgetter(*GROUPS))
    result["cells"] = [{**dict(zip(GROUPS, names, strict=True)), **cell} for names, cell in cells.items()]
    result["letters"] = {
        "predictions": _letter_shares([row[1] for row in rows if row[0].choices]),
        "answers": _letter_shares([row[2] for row in rows if row[0].choices]),
    }
    result["predictions"] = {row[0].id: "" if row[0].failure else row[1] for row in rows}
    return result


def parse(text: str, choices: Sequence[str] = (), *, question: str = "") -> str:
    """Return the letter that a response names, "" if none or several; yes or no where there are no options.

    >>> parse("**Answer: C**", ["1", "2", "3"]), parse("None of the above.", ["cat", "dog", "None of the above"])
    ('C', 'C')
    >>> parse("Yes, in both.")
    'yes'
    """
    return answers.parse("multiple_choice" if choices else "yes_no", text, choices, question=question)


def _answered(record: Record) -> Answered:
    if not record.choices:
        answer = record.answer.strip().lower()
        allowed = ["yes", "no"]
    else:
        answer = record.answer.strip().upper()
        allowed = [chr(ord("A") + i) for i in range(len(record.choices))]
    if len(allowed) < 2 or answer not in allowed:
        raise VhbenchError(f"question {record.id!r}: the answer {record.answer!r} is not one of {', '.join(allowed)}")
    said = record.prediction.strip()
    said = said.lower() if not record.choices else said.upper()
    if said not in allowed:
        said = record.failure or parse(record.response or record.prediction, record.choices, question=record.question)
    return record, said, answer, 1 / len(allowed)


def _reason(rows: Sequence[Answered], allow_failed: bool) -> str | None:
    return withholding.reason_of((row[0] for row in rows), allow_failed=allow_failed)


def _summary(rows: Sequence[Answered], seed: int, why: str | None) -> dict[str, Any]:
    right = [said == answer for _, said, answer, _ in rows]
    found = {
        "accuracy": average(right),
        "interval": intervals.mean(right, clusters=[resampling_unit(row[0]) for row in rows], seed=seed),
        "chance": average([row[3] for row in rows]),
        **{name: average([row[1] == word for row in rows]) for name, word in withholding.WORDS.items()},
        "n": len(rows),
    }
    return withholding.withhold(found, ("accuracy", "interval"), why)


def _aggregate(rows: Sequence[Answered], seed: int) -> dict[str, Any]:
    """Compute the paper's aggregate, with its interval; cells that are empty, also in a resample, do not count."""
    counted = [row for row in rows if row[0].pressure != LEFT_OUT_OF_AGGREGATE]
    if not counted:
        return {"aggregate": None, "aggregate_interval": None, "tasks": {}}
    cells = [(record.task, pressure_family(record.pressure)) for record, *_ in counted]
    names = sorted(set(cells))
    asked = np.array([[cell == name for name in names] for cell in cells], dtype=float)
    right = asked * np.array([[said == answer] for _, said, answer, _ in counted])
    tasks = {task: [i for i, name in enumerate(names) if name[0] == task] for task, _ in names}

    def by_task(sums: intervals.Floats) -> intervals.Floats:
        right, asked = sums[:, : len(names)], sums[:, len(names) :]
        share = np.divide(right, asked, out=np.full_like(right, np.nan), where=asked > 0)
        return np.column_stack([_mean_of_known(share[:, place]) for place in tasks.values()])

    def overall(sums: intervals.Floats) -> intervals.Floats:
        return _mean_of_known(by_task(sums))

    columns, units = np.hstack([right, asked]), [resampling_unit(row[0]) for row in counted]
    total = columns.sum(axis=0, keepdims=True)
    return {
        "aggregate": float(overall(total)[0]),
        "aggregate_interval": intervals.statistic(columns, overall, clusters=units, seed=seed),
        "tasks": dict(zip(tasks, by_task(total)[0].tolist(), strict=True)),
    }


def _mean_of_known(values: intervals.Floats) -> intervals.Floats:
    """Average each row over what is known in it; NaN where nothing is."""
    return np.asarray(np.ma.masked_invalid(values).mean(axis=1).filled(np.nan))


def _grouped(rows: Sequence[Answered], key: Callable[[Record], Any]) -> dict[Any, list[Answered]]:
    groups: dict[Any, list[Answered]] = {}
    for row in rows:
        groups.setdefault(key(row[0]), []).append(row)
    return dict(sorted(groups.items()))


def _letter_shares(letters: Sequence[str]) -> dict[str, float]:
    counts = Counter(letters)
    return {letter or "unknown": counts[letter] / len(letters) for letter in sorted(counts)}
