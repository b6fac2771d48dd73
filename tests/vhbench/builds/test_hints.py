"""Nothing but the picture and the words tells an answer: not where a question stands, nor what it is called."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import islice
from pathlib import Path

import blind_guesses
import pytest
from blind_guesses import FEATURES, SEEDS, Edition

from vhbench.builds.ode import OdeBuild
from vhbench.builds.row_ids import RowNames
from vhbench.builds.vhexpansion_sources import read_split
from vhbench.generators.ode.questions import LEVELS
from vhbench.schema import Question, Row
from vhbench.tasks import text_only


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """An edition of ODE for each seed."""
    found = [tmp_path_factory.mktemp(f"edition{seed}") for seed in SEEDS]
    for seed, folder in zip(SEEDS, found, strict=True):
        blind_guesses.build("ode", folder, seed)
    return found


@pytest.fixture(scope="module", params=blind_guesses.BENCHMARKS)
def editions(request: pytest.FixtureRequest, folders: list[Path]) -> list[Edition]:
    for seed, folder in zip(SEEDS, folders, strict=True):
        if request.param != "ode":
            blind_guesses.build(request.param, folder, seed)
    return [blind_guesses.read(folder / request.param) for folder in folders]


@pytest.mark.parametrize("feature", FEATURES)
def test_what_is_no_picture_and_no_word_tells_nothing(editions: list[Edition], feature: str) -> None:
    gain, spread = blind_guesses.right_guesses(editions, FEATURES[feature])
    print(f"{100 * gain:+.1f} ± {100 * spread:.1f} points")
    assert sum(map(len, editions)) > 400
    assert gain <= blind_guesses.SURELY * spread, f"{100 * gain:.1f} points above chance, by {feature}"


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
    guesses = text_only.guess(asked, lambda questions: [q.scene_ids[0] for q in questions])
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
