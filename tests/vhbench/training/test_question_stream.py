"""A stream asks fresh questions without end, in pairs, about one part of the concepts alone."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from editions import Editions
from vhbench import rewards
from vhbench.builds import sharding
from vhbench.builds.mioh import MiohBuild
from vhbench.files import read_image
from vhbench.schema import Question, Row, Scene, VhbenchError
from vhbench.seeding import rng
from vhbench.training import leakage, question_stream, reward_check
from vhbench.training.options import RlOptions
from vhbench.training.question_stream import _BLOCKS, stream, training_row
from vhbench.training.question_stream import questions as questions_of

SIDE = 64
SMALL = RlOptions(part="1/2", size=SIDE)


MIOH_TYPES = ("E1", "E5", "C1")
"""Types of questions that few scenes suffice for: trying all 26 takes ten seconds a block."""


@pytest.fixture(scope="module", autouse=True)
def small_blocks() -> Iterator[None]:
    """Draw few scenes, and ask a few types of MIOH's questions."""
    build = question_stream._build
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(question_stream, "_ODE_PAIRS", 2)
        patch.setattr(question_stream, "_MIOH_SCENES", 50)
        types = {"mioh": {"types": MIOH_TYPES}}
        patch.setattr(question_stream, "_build", lambda name, **options: build(name, **options, **types.get(name, {})))
        yield


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    """Return questions of all three benchmarks."""
    return list(islice(questions_of(SMALL), 240))


@pytest.fixture(scope="module")
def one_of_each(questions: list[Question]) -> list[Question]:
    """Return a question of each benchmark, type and number of options: a reward does not depend on what is shown."""
    return [*{(q.benchmark, q.question_type, len(q.choices)): q for q in questions}.values()]


def test_questions_come_in_pairs_of_both_answers(questions: list[Question]) -> None:
    pairs = list(zip(questions[::2], questions[1::2], strict=True))
    assert {q.benchmark for q in questions} == {"ode", "mioh", "vhexpansion"}
    for one, other in pairs:
        assert one.kind == other.kind != "caption"
        if one.kind == "yes_no":
            assert {one.answer, other.answer} == {"yes", "no"}
            assert (one.question_type, one.pressure) == (other.question_type, other.pressure)
    tied = [one.pair_id == other.pair_id for one, other in pairs if one.benchmark != "mioh"]
    assert all(tied)
    assert len({q.id for q in questions}) == len(questions)


def test_the_same_seed_asks_the_same_and_another_one_draws_anew() -> None:
    ode = replace(SMALL, benchmark=("ode",))
    first, again, other = (list(islice(questions_of(one), 60)) for one in (ode, ode, replace(ode, seed=1)))
    assert first == again
    assert not {s for q in first for s in q.scene_ids} & {s for q in other for s in q.scene_ids}
    assert not {q.images for q in first} & {q.images for q in other}


@pytest.mark.parametrize(
    ("name", "column", "easiest"), [("ode", "criterion", "standard"), ("vhexpansion", "perturbation", "")]
)
def test_levels_are_added_one_by_one(name: str, column: str, easiest: str) -> None:
    """A block has the levels that are open when it begins."""
    values = (getattr(q, column) for q in questions_of(replace(SMALL, benchmark=(name,), curriculum=30)))
    assert set(islice(values, 30)) == {easiest}
    assert next(value for value in values if value != easiest)


def test_pressures_are_added_and_a_block_asks_each_case_once() -> None:
    """Under other pressures and with other numbers of images, it has the same text and the same answer."""
    asked = questions_of(replace(SMALL, benchmark=("mioh",), curriculum=30))
    assert {q.pressure for q in islice(asked, 30)} == {"easy"}
    block = list(islice((q for q in asked if q.pressure != "easy"), 24))
    assert {q.pressure[:2] for q in block} == {"ni"}
    assert len({(q.question_type, q.pair_id) for q in block}) == 24
    assert max(len(q.images) for q in block) > 4


@pytest.fixture(scope="module")
def mioh_test(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mioh")
    types = ("E1", "E5")
    build = MiohBuild(source=("scenes:40",), cells="1", part="2/2", seed=4, size=SIDE, types=types, allow_missing=True)
    sharding.run(build, out, progress=False)
    return out / "mioh"


@pytest.mark.parametrize("name", _BLOCKS)
def test_it_shares_no_image_scene_or_concept_with_the_other_part(
    name: str, editions: Editions, mioh_test: Path, tmp_path: Path
) -> None:
    """By the truth of the scenes that it draws, and by the fingerprints of their images."""
    build = _BLOCKS[name](SMALL, int(rng(0, "stream", name, 0).integers(2**31)), 8, tmp_path)
    build.check()
    made = [item for shard in range(build.shards) for item in build.make(shard)]
    scenes = {item.id: item for item in made if isinstance(item, Scene)}
    taught = leakage.contents_of([item.question for item in made if isinstance(item, Row)], scenes)
    assert len(taught.concepts) > 20
    for test in (editions.test, mioh_test):
        leakage.refuse(taught, leakage.read_contents(test), ("the stream", str(test)))
    with pytest.raises(VhbenchError, match=r"the stream shares .* concept"):
        leakage.refuse(taught, leakage.read_contents(editions.train), ("the stream", "train"))


def test_what_it_must_not_share_is_refused_or_left_out(editions: Editions) -> None:
    ode = replace(SMALL, benchmark=("ode",))
    assert next(questions_of(replace(ode, test=(str(editions.test),))))
    with pytest.raises(VhbenchError, match=r"--test .*: is about concepts of this part \("):
        questions_of(replace(ode, test=(str(editions.train),)))
    scored = next(questions_of(ode))
    first = next(questions_of(replace(ode, test=(str(editions.train),), share_concepts=True)))
    assert first == scored
    for bad, told in (({"part": "1/1"}, "at least 2"), ({"benchmark": ("amber",)}, "expected one of ode, mioh")):
        with pytest.raises(VhbenchError, match=told):
            questions_of(replace(ode, **bad))  # type: ignore[arg-type]


def test_rows_ask_as_the_evaluation_does(questions: list[Question]) -> None:
    several = next(q for q in questions if len(q.images) > 1)
    row = training_row(several, SMALL)
    parts = row["prompt"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "image"] * len(several.images) + ["text"]
    assert parts[-1]["text"].startswith(several.question)
    assert row["images"] == [read_image(image) for image in several.images]
    asked = training_row(several, replace(SMALL, form="tagged"))["prompt"][0]["content"][-1]["text"]
    assert asked.endswith("in <answer></answer>.")
    first = next(stream("ode", part="1/2", size=SIDE, abstain=0.0))
    assert (first["abstain"], first["images"][0].size) == (0.0, (SIDE, SIDE))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("form", ["short", "tagged"])
def test_no_policy_earns_more_than_a_guess(strict: bool, form: str, one_of_each: list[Question]) -> None:
    """In both prompts, whatever the answers of the questions are."""
    rows = [training_row(q, replace(SMALL, form=form, strict=strict, abstain=0.0)) for q in one_of_each]
    assert {row["kind"] for row in rows} == {"yes_no", "multiple_choice"}
    lines, above = reward_check.table(rows)
    assert above == []
    table = {name: list(map(float, cells)) for name, *cells in lines[1:]}
    assert table["chance level"] == [0, 0]
    assert table["correct answers"] == [1, 1]
    assert table["always yes"][0] == table["always A"][1] == table["I don't know"][0] == 0
    assert len(table) >= 20


def test_a_policy_above_the_level_is_named(one_of_each: list[Question], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [training_row(q, replace(SMALL, abstain=0.1)) for q in one_of_each]
    assert reward_check.table(rows)[1] == ["I don't know"]
    rows = [training_row(q, SMALL) for q in one_of_each]
    monkeypatch.setattr(rewards, "reward", lambda kind, text, answer, *_, **__: float(answer in text.replace("Y", "y")))
    assert {"all options", "option list", "prompt echo", "hedging"} <= set(reward_check.table(rows)[1])
