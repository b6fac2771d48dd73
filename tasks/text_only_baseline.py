"""Text-only baseline of a split, and of the questions of a run, by subset."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from vhbench import splits
from vhbench.benchmarks import BENCHMARKS
from vhbench.columns import RECORD
from vhbench.records import split_repetition, to_record
from vhbench.schema import Record
from vhbench.statistics import wording
from vhbench.statistics.clusters import clusters_of
from vhbench.tasks import text_only
from vhbench.tasks.question_words import options_of
from vhbench.tasks.text_only import LEAST_CLUSTERS, FoldPredictions, TextOnlyBaseline

GROUPINGS = (
    ("task",),
    ("criterion", "task"),
    ("criterion", "question_type"),
    ("mode", "task"),
    ("question_type",),
    ("source",),
)
"""Subsets with their own baseline, if they have enough clusters."""

ALL = "all questions"
PAIRS = "pairs, both halves correct"

_READ = tuple(name for name in RECORD if name not in ("objects", "candidates", "neutral"))


def of_split(directory: Path) -> dict[str, TextOnlyBaseline]:
    """Return the text-only baselines of a split by subset; empty if it has too few clusters."""
    return of_questions(_records(directory))


def _records(directory: Path) -> Iterator[Record]:
    return (to_record(row) for _, row in splits.read_columns(directory, _READ))


def across_seeds(directory: Path, other: Path) -> Iterator[tuple[str, str, str]]:
    """Yield table rows, header first: subset, questions, accuracy of the answers learnt from the other split.

    Each question text gets its most frequent answer in a split of another seed, among its own options; a tie or a new
    text counts as a uniform guess. Within a split, words that are balanced by design hide what a model could learn from
    another one.
    """
    learnt: dict[str, Counter[str]] = defaultdict(Counter)
    for record in _records(other):
        learnt[record.question][_text_of(record, record.answer)] += 1
    hits: dict[str, list[float]] = defaultdict(list)
    for record in _records(directory):
        if record.answer in (options := options_of(record)):
            known = [learnt[record.question][_text_of(record, option)] for option in options]
            best = [option for option, times in zip(options, known, strict=True) if times == max(known)]
            hit = (record.answer in best) / len(best)
            for name in (ALL, _named(columns := GROUPINGS[2], [getattr(record, column) for column in columns])):
                hits[name].append(hit)
    yield "subset", "questions", "majority answer per text, from another seed"
    for name in sorted(hits, key=lambda name: (name != ALL, name)):
        yield name, f"{len(hits[name]):,}", f"{100 * sum(hits[name]) / len(hits[name]):.1f} %"


def _text_of(record: Record, answer: str) -> str:
    """Return an option's text instead of its letter, which changes from one question to the next."""
    return dict(zip(ascii_uppercase, record.choices, strict=False)).get(answer, answer)


def of_questions(records: Iterable[Record]) -> dict[str, TextOnlyBaseline]:
    """Return the text-only baselines of questions by subset: "task existence", "criterion fictional, task existence".

    A subset equal to an earlier one is left out. Repetitions count once. The last results are cached, as they do not
    depend on responses.
    """
    first = (record for record in records if not split_repetition(record.id)[0])
    questions = tuple(Record(**{name: getattr(record, name) for name in _READ}) for record in first)
    if len(questions) > text_only.MOST:  # too many to cache
        return _compute(questions)
    return dict(_cached(tuple(sorted(questions, key=lambda record: record.id))))


def _compute(questions: tuple[Record, ...]) -> dict[str, TextOnlyBaseline]:
    guesses = text_only.guess(questions, lambda own: clusters_of(own).numbers.tolist())
    return {} if guesses is None else dict(_floors(guesses))


_cached = lru_cache(maxsize=len(BENCHMARKS))(_compute)


def overall(records: Iterable[Record], *, pairs: bool) -> TextOnlyBaseline | None:
    """Return the text-only baseline of all questions, or of pairs, in which both answers must be correct."""
    return of_questions(records).get(PAIRS if pairs else ALL)


def of_records(records: Iterable[Record]) -> dict[str, dict[str, Any]]:
    """Return the text-only baselines of the questions of a run by subset, in percent."""
    return {cell: floor.in_percent() for cell, floor in of_questions(records).items()}


def baseline_sentences(cells: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the cells whose text-only baseline, as :func:`of_records` returned it, is significantly above chance."""
    for cell, floor in cells.items():
        if floor["leaks_answers"]:
            value, ends = wording.number(floor["text_only_baseline"]), wording.confidence(floor["interval"])
            yield f"Text-only baseline above chance, {cell}: {value} %, {ends}, chance {floor['chance']:.1f} %"


def table(directory: Path) -> list[list[str]]:
    """Return table rows of a split: subset, questions, chance, text-only baseline with interval."""
    cells = of_split(directory).items()
    return [[cell, f"{floor.n:,}", f"{100 * floor.chance:.1f}", _value_text(floor)] for cell, floor in cells]


def sentences(directory: Path) -> Iterator[str]:
    """Yield a split's text-only baseline of all questions, and of each cell where it is significantly above chance."""
    floors = of_split(directory)
    whole = floors.get(ALL)
    if whole is None:
        yield f"n/a (fewer than {LEAST_CLUSTERS} clusters)"
        return
    yield f"{_value_text(whole)} %, chance {100 * whole.chance:.1f} %"
    for cell, floor in floors.items():
        if cell != ALL and floor.leaks_answers:
            yield f"{_value_text(floor)} % in {cell}, chance {100 * floor.chance:.1f} %, n = {floor.n:,}"


def _floors(guesses: FoldPredictions) -> Iterator[tuple[str, TextOnlyBaseline]]:
    seen = set[bytes]()
    cells = [(ALL, guesses.every)]
    for columns in GROUPINGS:
        cells += [(_named(columns, key), places) for key, places in guesses.by(columns).items() if any(key)]
    among = len({places.tobytes() for _, places in cells}) + 1
    for name, places in cells:
        if places.tobytes() not in seen and (floor := guesses.floor(places, among)) is not None:
            yield name, floor
        seen.add(places.tobytes())
    if (pairs := guesses.pairs(cells=among)) is not None:
        yield PAIRS, pairs


def _named(columns: Sequence[str], key: Sequence[Any]) -> str:
    return ", ".join(f"{column.replace('_', ' ')} {value}" for column, value in zip(columns, key, strict=True) if value)


def _value_text(floor: TextOnlyBaseline) -> str:
    ends = "" if floor.interval is None else f" [{100 * floor.interval[0]:.1f}, {100 * floor.interval[1]:.1f}]"
    return f"{100 * floor.value:.1f}{ends}"
