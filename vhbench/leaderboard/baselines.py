"""Baselines of a board: oracle, image-blind baselines, chance, and restricted oracles."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np

from vhbench.adapters.calibration_forms import caption
from vhbench.audit import restricted_oracles
from vhbench.files import cached
from vhbench.leaderboard.question_index import Places, QuestionIndex
from vhbench.records import to_record
from vhbench.seeding import rng
from vhbench.splits import answer_keys
from vhbench.statistics.clusters import clusters_of
from vhbench.tasks import text_only_baseline

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline that answers every question."""

    name: str  # name on the site
    kind: str  # description in a phrase
    answers: Callable[[QuestionIndex], list[str]]  # function that returns its answer to each question of an edition


@dataclass(frozen=True, slots=True)
class FixedBaseline:
    """A baseline of which only the score is known, in percent."""

    name: str
    kind: str
    value: float


def _oracle(questions: QuestionIndex) -> list[str]:
    return [row["answer"] or caption(row["objects"]) for row in questions.rows]


def _yes(questions: QuestionIndex) -> list[str]:
    answers = {"yes_no": "yes", "multiple_choice": "A"}
    return [answers.get(row["kind"]) or caption([*row["objects"], *row["candidates"]]) for row in questions.rows]


def _tossed(row: Row) -> str:
    random = rng(0, "coin", row["id"])
    if row["kind"] == "yes_no":
        return "yes" if random.random() < 0.5 else "no"
    if row["kind"] == "multiple_choice":
        return ascii_uppercase[int(random.integers(len(row["choices"])))]
    return caption([word for word in (*row["objects"], *row["candidates"]) if random.random() < 0.5])


def _blind(questions: QuestionIndex) -> list[str]:
    """Return the most frequent reference answer of each question's type and polarity in the edition."""
    counts: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    kinds = [(row["kind"], row["question_type"], row["negated"]) for row in questions.rows]
    for kind, row in zip(kinds, questions.rows, strict=True):
        counts[kind][row["answer"]] += 1
    usual = {kind: min(tally, key=lambda answer: (-tally[answer], answer)) for kind, tally in counts.items()}
    return [usual[kind] or caption([]) for kind in kinds]


BLIND, CHANCE, TEXT_ONLY, ONE_IMAGE = "Blind", "Chance", "Text-only baseline", "One image"
# baselines on every board; their answers follow from the edition alone
GUESSERS: tuple[Baseline, ...] = (
    Baseline("Oracle", "always gives the reference answer", _oracle),
    Baseline(BLIND, "most frequent answer to each question type, without images", _blind),
    Baseline("Always yes", "always yes, or the first option", _yes),
    Baseline("Coin", "uniformly random answers", lambda questions: list(map(_tossed, questions.rows))),
)
MOST_FOR_WORDS = 2_000  # maximum number of questions for the text-only baseline: 10,000 of MIOH take many minutes
REFERENCES = (*(guesser.name for guesser in GUESSERS), CHANCE, TEXT_ONLY, ONE_IMAGE)  # names of all baselines


def levels(questions: QuestionIndex) -> list[FixedBaseline]:
    """Return chance, the text-only baseline and, for several images, the single-image oracle; cached."""
    if answer_keys.is_key(questions.source) or questions.main.family.name == "caption":
        return [_chance(questions)] if questions.main.family.name != "caption" else []

    def make(_: list[int]) -> list[list[tuple[str, str, float]]]:
        baselines = [_chance(questions), *_text_only(questions), *_one_image(questions)]
        return [[(one.name, one.kind, one.value) for one in baselines]]

    (rows,) = cached("board", [["levels-2", questions.edition.content_hash, questions.edition.task]], make)
    return [FixedBaseline(*level) for level in rows]


def chance(questions: QuestionIndex, places: Sequence[int] | Places) -> float:
    """Return the expected headline score of uniform guessing on some of the questions, from 0 to 1."""
    if questions.main.headline == "symmetric_accuracy":
        return 0.25
    return float(np.mean(questions.chances[places])) if len(places) else 0.0


def _chance(questions: QuestionIndex) -> FixedBaseline:
    pairs = questions.main.headline == "symmetric_accuracy"
    kind = "guesses both questions of each pair uniformly" if pairs else "guesses uniformly among the answers"
    return FixedBaseline(CHANCE, kind, 100 * chance(questions, questions.main.places))


def _text_only(questions: QuestionIndex) -> list[FixedBaseline]:
    sample, pairs = _whole_clusters(questions, MOST_FOR_WORDS), questions.main.headline == "symmetric_accuracy"
    floor = text_only_baseline.overall((to_record(questions.rows[place]) for place in sample), pairs=pairs)
    some = "" if len(sample) == len(questions.rows) else f" of {len(sample):,} questions"
    kind = f"cross-validated accuracy from the question text alone{some}"
    return [] if floor is None else [FixedBaseline(TEXT_ONLY, kind, 100 * floor.value)]


def _whole_clusters(questions: QuestionIndex, most: int) -> list[int]:
    """Return all questions, or of more than ``most`` a random sample of whole clusters."""
    if len(questions.rows) <= most:
        return list(range(len(questions.rows)))
    numbers = clusters_of(questions.about).numbers
    sizes, sample, total = np.bincount(numbers), set[int](), 0
    for number in rng(0, "text-only baseline", questions.edition.content_hash).permutation(len(sizes)).tolist():
        if 0 < sizes[number] <= most - total:
            sample.add(number)
            total += int(sizes[number])
    return [place for place, number in enumerate(numbers.tolist()) if number in sample]


def _one_image(questions: QuestionIndex) -> list[FixedBaseline]:
    """Return the accuracy of an oracle that sees only the first image a question names; multi-image questions only."""
    if questions.edition.task or max((len(row["scene_ids"]) for row in questions.rows), default=0) < 2:
        return []
    cells = restricted_oracles.of_split(questions.source).get("one image", {}).values()
    if sum(cell.number for cell in cells) < len(questions.rows):
        return []  # the split has no scenes
    right = sum(cell.right for cell in cells)
    return [FixedBaseline(ONE_IMAGE, "oracle restricted to a single image", 100 * right / len(questions.rows))]
