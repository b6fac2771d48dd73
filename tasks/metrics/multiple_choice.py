"""Multiple choice over several images, as MIOH scores it (Min et al., CVPR 2026, arXiv 2608.30653).

``aggregate`` is the paper's: per task the unweighted mean over the pressures (easy, NI, HP, HN; 8 and 10 images are one
NI), then the unweighted mean over the tasks. HP+HN is reported but is not part of it, nor are questions with as many
images as easy ones or fewer, which are points of a curve.

A response names a letter ("B", "(B)", "Answer: B") or an option's text; if it names none, or several, it is unknown and
wrong, and its share is reported; so is that of failed requests and refusals. Questions without options whose answer is
yes or no are read as such.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from vhbench.benchmarks import pressure_family
from vhbench.language import parsing
from vhbench.records import Numbered, are, each_record, is_cut_off
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals
from vhbench.statistics.clusters import Shared
from vhbench.tasks.metrics import withholding
from vhbench.tasks.metrics.rates import average

GROUPS = ("question_type", "pressure", "mode", "task")
LEFT_OUT_OF_AGGREGATE = ("hp+hn", "curve")

Cell = tuple[str, ...]
"""The values of GROUPS."""


def score(records: Iterable[Record | Mapping[str, Any]], *, allow_failed: bool = False) -> dict[str, Any]:
    """Score answered multiple-choice questions.

    Args:
        records: records or mappings with ``id``, ``choices``, ``answer`` (a letter) and ``response`` or
            ``prediction``; ``question_type``, ``task``, ``mode``, ``pressure`` say which cell they belong to.
        allow_failed: tell the scores even where more than 1 % of the requests failed.

    Returns:
        ``accuracy``, ``chance`` (of a uniform guess), ``unparsed``, ``failed``, ``refused``, ``cut_off``, ``n``,
        ``interval``, ``interval_note``; ``intervals`` and ``interval_notes`` of what was not read; ``aggregate`` with
        its ``aggregate_interval``, ``aggregate_interval_note`` and ``tasks``; ``by``: the same but the aggregate per
        question type, pressure, mode and task; ``cells``: a list with the same per question type × pressure × mode ×
        task; ``letters``: share of each option letter in the predictions and in the answers (position bias);
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
    table = _Choices.of(records)
    why = table.reason(table.every, allow_failed)

    def grouped(key: Callable[[Cell], Any]) -> dict[Any, dict[str, Any]]:
        groups = table.grouped(key)
        return {name: table.summary(own, why or table.reason(own, allow_failed)) for name, own in groups.items()}

    result = table.summary(table.every, why) | _aggregate(table, none=why is not None)
    result |= intervals.stated({name: table.interval_of(name) for name in withholding.COUNTED})
    result["by"] = {name: grouped(itemgetter(place)) for place, name in enumerate(GROUPS)}
    result["by"]["pressure_family"] = grouped(lambda cell: pressure_family(cell[GROUPS.index("pressure")]))
    result["cells"] = [{**dict(zip(GROUPS, names, strict=True)), **cell} for names, cell in grouped(tuple).items()]
    words, listed = list(table.words), np.flatnonzero(table.listed)
    result["letters"] = {
        "predictions": _letter_shares(table.said[listed], words),
        "answers": _letter_shares(table.right[listed], words),
    }
    told = ["" if word in ("failed", "refused") else word for word in words]
    result["predictions"] = dict(zip(table.ids, (told[said] for said in table.said.tolist()), strict=True))
    return result


def chance(records: Iterable[Record]) -> float | None:
    """Return what guessing evenly among the options gives: the ``chance`` of :func:`score`, and nothing else.

    Raises:
        VhbenchError: for an answer that is not one of the options' letters, or fewer than two options.
    """
    return average([1 / len(_allowed(record)) for record in records])


def parse(text: str, choices: Sequence[str] = (), *, question: str = "") -> str:
    """Return the letter that a response names, "" if none or several; yes or no where there are no options.

    >>> parse("**Answer: C**", ["1", "2", "3"]), parse("None of the above.", ["cat", "dog", "None of the above"])
    ('C', 'C')
    >>> parse("Yes, in both.")
    'yes'
    """
    return parsing.parse("multiple_choice" if choices else "yes_no", text, choices, question=question)


@dataclass(frozen=True, slots=True)
class _Choices:
    """The columns of all answers: a million rows with their words would not fit into the memory.

    Attributes:
        ids: of the questions.
        said: the letter (or yes, or no) of each answer, "" where it is unknown, "failed", "refused"; by its number.
        right: the letter of each right answer, by its number.
        words: letter or word → its number.
        chance: of guessing it.
        listed: whether there were options.
        cut: whether the words stop midway.
        cells: the cell of each, by its number in ``names``.
        shared: what each shares with others.
        names: cell → its number.
    """

    ids: list[str]
    said: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    words: dict[str, int]
    chance: npt.NDArray[np.float64]
    listed: npt.NDArray[np.bool_]
    cut: npt.NDArray[np.bool_]
    cells: npt.NDArray[np.int64]
    shared: Shared
    names: dict[Cell, int]

    @classmethod
    def of(cls, records: Iterable[Record | Mapping[str, Any]]) -> Self:
        """Read each record once."""
        ids, words = list[str](), dict[str, int]()
        said, right = Numbered(words), Numbered(words)
        chance, listed, cut, cells, shared = array("d"), array("b"), array("b"), Numbered(), Shared()
        cell, faults = attrgetter(*GROUPS), list[VhbenchError]()
        for record in each_record(records):  # which tells first of a question that occurs twice
            try:
                answer, options = _answered(record)
            except VhbenchError as fault:
                faults = faults or [fault]
                continue
            ids.append(record.id)
            said.add(answer)
            gold = record.answer.strip()
            right.add(gold.upper() if record.choices else gold.lower())
            chance.append(1 / options)
            listed.append(bool(record.choices))
            cut.append(is_cut_off(record))
            cells.add(cell(record))
            shared.add(record)
        if faults:
            raise faults[0]
        marks = np.array(listed, dtype=bool), np.array(cut, dtype=bool)
        columns = np.array(chance), *marks, cells.numbers(), shared
        return cls(ids, said.numbers(), right.numbers(), words, *columns, names=cells.words)

    @property
    def every(self) -> npt.NDArray[np.intp]:
        """The places of all rows."""
        return np.arange(len(self.ids))

    def grouped(self, key: Callable[[Cell], Any]) -> dict[Any, npt.NDArray[np.intp]]:
        """Return group → the places of its rows; ``key`` tells the group of a cell."""
        groups: dict[Any, list[int]] = {}
        for cell, number in self.names.items():
            groups.setdefault(key(cell), []).append(number)
        return {name: np.flatnonzero(np.isin(self.cells, groups[name])) for name in sorted(groups)}

    def reason(self, places: npt.NDArray[np.intp], allow_failed: bool) -> str | None:
        """Return why no score of these rows is told."""
        failed = int(are(self.said[places], "failed", self.words).sum())
        return withholding.reason(failed, len(places), allow_failed=allow_failed)

    def correct(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Tell which of these rows are right."""
        return np.asarray(self.said[places] == self.right[places])

    def lost(self, name: str, places: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Tell which of these rows are among those that a share of :data:`withholding.COUNTED` counts."""
        if name not in withholding.WORDS:
            return np.asarray(self.cut[places])
        return are(self.said[places], withholding.WORDS[name], self.words)

    def interval_of(self, name: str) -> intervals.Interval | None:
        """Return the interval of such a share."""
        return intervals.mean(self.lost(name, self.every), clusters=self.shared.among(self.every))

    def summary(self, places: npt.NDArray[np.intp], why: str | None) -> dict[str, Any]:
        """Return the numbers of these rows."""
        right = self.correct(places)
        interval = intervals.mean(right, clusters=self.shared.among(places))
        found = {
            "accuracy": average(right.tolist()),
            "interval": None if interval is None else interval.ends,
            "interval_note": "" if interval is None else interval.note,
            "chance": average(self.chance[places].tolist()),
            **{name: average(self.lost(name, places).tolist()) for name in withholding.COUNTED},
            "n": len(places),
        }
        return withholding.withhold(found, ("accuracy", "interval", "interval_note"), why)


def _answered(record: Record) -> tuple[str, int]:
    """Return what a record says, and among how many options."""
    allowed = _allowed(record)
    said = record.prediction.strip()
    said = said.lower() if not record.choices else said.upper()
    if said not in allowed:
        said = record.failure or parse(record.response or record.prediction, record.choices, question=record.question)
    return said, len(allowed)


def _allowed(record: Record) -> list[str]:
    """Return all that can be said to a question, of which its right answer must be one."""
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
        raise VhbenchError(f"question {record.id!r}: the answer {record.answer!r} is not one of {', '.join(allowed)}")
    return allowed


def aggregate_cells(of: Sequence[tuple[str, str]]) -> tuple[npt.NDArray[np.int64], list[tuple[str, float]]]:
    """Return how the aggregate weighs: a mean over the families of pressures of a task, then over the tasks.

    Args:
        of: task and pressure of each row.

    Returns:
        the number of each row's cell, -1 where the aggregate leaves it out; and the task and the weight of each cell.

    >>> cells, weights = aggregate_cells([("counting", "easy"), ("counting", "hp"), ("position", "easy")])
    >>> cells.tolist(), weights
    ([0, 1, 2], [('counting', 0.25), ('counting', 0.25), ('position', 0.5)])
    """
    families = [(task, pressure_family(pressure)) for task, pressure in of]
    cells = sorted({cell for cell in families if cell[1] not in LEFT_OUT_OF_AGGREGATE})
    numbers = {cell: number for number, cell in enumerate(cells)}
    in_task = Counter(task for task, _ in cells)
    places = np.array([numbers.get(cell, -1) for cell in families], dtype=np.int64)
    return places, [(task, 1 / len(in_task) / in_task[task]) for task, _ in cells]


def _aggregate(table: _Choices, *, none: bool) -> dict[str, Any]:
    """Compute the paper's aggregate, with its interval."""
    names = sorted(table.names, key=table.names.__getitem__)
    task, pressure = GROUPS.index("task"), GROUPS.index("pressure")
    of_names, weights = aggregate_cells([(name[task], name[pressure]) for name in names])
    if none or not weights:
        return {"aggregate": None, "aggregate_interval": None, "aggregate_interval_note": "", "tasks": {}}
    of_rows = of_names[table.cells]
    counted = np.flatnonzero(of_rows >= 0)
    own, right = of_rows[counted], table.correct(counted)
    cells, shares = list[intervals.WeightedRatio](), dict[str, list[float]]()
    for number, (name, weight) in enumerate(weights):
        places = np.flatnonzero(own == number)
        shares.setdefault(name, []).append(float(right[places].mean()))
        cells.append(intervals.WeightedRatio(right[places], places=places, weight=weight))
    tasks = {name: float(np.mean(of_pressures)) for name, of_pressures in shares.items()}
    interval = intervals.mean_of_ratios(cells, clusters=table.shared.among(counted))
    return {
        "aggregate": float(np.mean(list(tasks.values()))),
        "aggregate_interval": None if interval is None else interval.ends,
        "aggregate_interval_note": "" if interval is None else interval.note,
        "tasks": tasks,
    }


def _letter_shares(letters: npt.NDArray[np.int64], words: Sequence[str]) -> dict[str, float]:
    counts = {words[number]: int(count) for number, count in zip(*np.unique(letters, return_counts=True), strict=True)}
    return {letter or "unknown": counts[letter] / len(letters) for letter in sorted(counts)}
