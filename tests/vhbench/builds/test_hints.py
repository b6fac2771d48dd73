"""Nothing but the picture and the words tells an answer: not where a question stands, nor what it is called.

An attacker learns from nine editions what goes with which answer, and guesses the tenth.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from math import sqrt
from pathlib import Path

import pytest
from paper_mioh import PaperMioh

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild
from vhbench.builds.row_names import RowNames
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.builds.vhexpansion_sources import read_split
from vhbench.files import read_image
from vhbench.generators.mioh.drafts import UNKNOWN
from vhbench.generators.ode.questions import LEVELS
from vhbench.schema import TIE, Question, Row
from vhbench.tasks.metrics import word_floor

SEEDS = range(10)

Edition = Sequence[tuple[str, Question]]
"""The rows of a split in the order of its files, each with its config."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """An edition of ODE for each seed."""
    found = [tmp_path_factory.mktemp(f"edition{seed}") for seed in SEEDS]
    for seed, folder in zip(SEEDS, found, strict=True):
        levels = ("existence", "attribute", "relation")
        sharding.run(OdeBuild(pairs=3, size=64, seed=seed, levels=levels), folder, progress=False)
    return found


@pytest.fixture(scope="module", params=["ode", "mioh", "vhexpansion"])
def editions(request: pytest.FixtureRequest, folders: list[Path]) -> list[Edition]:
    for seed, folder in zip(SEEDS, folders, strict=True):
        if request.param == "mioh":
            sharding.run(PaperMioh(seed=seed), folder, progress=False)
        elif request.param == "vhexpansion":
            perturb = ("jpeg_compression",)
            made = VHExpansionBuild(source=f"ode:{folder / 'ode'}", perturb=perturb, seed=seed)
            sharding.run(made, folder, progress=False)
    rows = (splits.read_rows(folder / request.param) for folder in folders)
    return [[(row.config, row.question) for row in edition] for edition in rows]


def places(edition: Edition) -> Iterator[tuple[int, int, Question]]:
    """Yield each question with its place in its config, and among those in a row about the same images."""
    for _, rows in groupby(edition, key=lambda row: row[0]):
        place = 0
        for _, group in groupby((question for _, question in rows), key=lambda question: question.images):
            for within, question in enumerate(group):
                yield place, within, question
                place += 1


FEATURES: dict[str, Callable[[int, int, Question], object]] = {
    "parity of the place": lambda place, within, q: place % 2,
    "place": lambda place, within, q: place,
    "place among those of the image": lambda place, within, q: within,
    "parity of the place among those of the image": lambda place, within, q: within % 2,
    "parity of the id": lambda place, within, q: int(q.id, 16) % 2,
    "last character of the id": lambda place, within, q: q.id[-1],
    "first character of the id": lambda place, within, q: q.id[0],
    "last character of the pair": lambda place, within, q: q.pair_id.partition("/")[0][-1],
    "whether the id is below the pair's": lambda place, within, q: q.id < q.pair_id,
    "length of the question": lambda place, within, q: len(q.question) // 6,
    "length of the id": lambda place, within, q: len(q.id),
    "size of the image": lambda place, within, q: len(read_image(q.images[0])) % 2,
}


def right_guesses(editions: Sequence[Edition], feature: Callable[[int, int, Question], object]) -> tuple[float, float]:
    """Return by how much more guesses are right than by chance, and its standard error; forms of a case go together."""
    seen = [
        [(q, (len(q.choices), feature(place, within, q))) for place, within, q in places(edition)]
        for edition in editions
    ]
    gains: dict[object, list[float]] = defaultdict(list)
    for number, edition in enumerate(seen):
        counts: dict[object, Counter[str]] = defaultdict(Counter)
        for other in (*seen[:number], *seen[number + 1 :]):
            for question, key in other:
                counts[key][question.answer] += 1
        for question, key in edition:
            best = counts[key].most_common(1)
            guess = best[0][0] if best else "yes"
            case = question.pair_id.rpartition(TIE)[2].partition("/")[0]
            possible = (key[0] or 2) - (UNKNOWN in question.choices)  # "I don't know" is never right
            gains[number, case].append((guess == question.answer) - 1 / possible)
    total = sum(map(len, gains.values()))
    return sum(map(sum, gains.values())) / total, sqrt(sum(sum(values) ** 2 for values in gains.values())) / total


@pytest.mark.parametrize("feature", FEATURES)
def test_what_is_no_picture_and_no_word_tells_nothing(editions: list[Edition], feature: str) -> None:
    gain, spread = right_guesses(editions, FEATURES[feature])
    assert sum(map(len, editions)) > 400
    assert gain <= 3.5 * spread, f"{100 * gain:.1f} points above chance, by {feature}"


def test_the_first_cases_of_a_split_have_as_many_yeses_as_noes(folders: list[Path]) -> None:
    for folder in folders[:3]:
        first = islice(read_split(folder / "ode", None), 16)
        assert Counter(question.answer for question in first) == {"yes": 8, "no": 8}


@pytest.fixture(scope="module", params=["starter", "amber"])
def asked(request: pytest.FixtureRequest, reference: Path) -> list[Question]:
    source = "starter" if request.param == "starter" else f"amber:{reference / 'AMBER'}"
    build = OdeBuild(graph=(source,), pairs=6, size=64, seed=12, levels=LEVELS)
    rows = [row for shard in range(build.shards) for row in build.make(shard) if isinstance(row, Row)]
    return [row.question for row in rows if row.question.answer]


def test_each_word_of_an_attribute_is_as_often_right_as_wrong(asked: list[Question]) -> None:
    told: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for question in asked:
        if question.task == "attribute":
            words = question.question.rstrip("?").split()
            known = {"number": words[3:4], "action": words[-1:]}
            word = known.get(question.question_type) or (words[2:] if words[-1] == "image" else words[-1:])
            told[question.criterion, question.question_type, " ".join(word)][question.answer] += 1
    assert {kind for _, kind, _ in told} == {"state", "action", "number"}
    assert {key: counts for key, counts in told.items() if counts["yes"] != counts["no"]} == {}


def test_words_alone_reach_little_in_each_criterion(asked: list[Question]) -> None:
    guesses = word_floor.guess(asked, lambda questions: [q.scene_ids[0] for q in questions])
    assert guesses is not None
    floors = {**guesses.by(("criterion",)), **guesses.by(("criterion", "task"))}
    found = {cell: guesses.floor(places) for cell, places in floors.items()}
    assert {cell[0] for cell in found} == {"standard", "long_tail", "random", "fictional"}
    told = {cell: floor.value for cell, floor in found.items() if floor is not None}
    assert max(told.values()) <= 0.6, told


def test_names_are_without_meaning_and_tie_what_drafts_tie() -> None:
    names = RowNames(7, "mioh")
    row = Row("a", Question("e5~e1-12-hp", images=(b"",), question="", answer="A", kind="yes_no", pair_id="e5~e1-12"))
    base = replace(row, question=replace(row.question, id="e1-12-easy", pair_id="e1-12"))
    given, tied = names.given(base).question, names.given(row).question
    assert tied.pair_id.partition("~")[2] == given.pair_id
    assert all(len(name) == 16 and int(name, 16) >= 0 for name in (given.id, given.pair_id, tied.id))
    assert names.given(replace(base, question=replace(base.question, pair_id=""))).question.pair_id == ""
    assert names.order != RowNames(8, "mioh").order
