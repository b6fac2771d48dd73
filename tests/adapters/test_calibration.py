"""Models that calibrate look at every image, once."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from datasets import Dataset, Features, Image, List, Value
from PIL import Image as Pillow
from PIL import ImageFile

from vhbench.adapters.calibration import Blind, Coin, OneImage, Oracle, Presence, Yes, YesChat
from vhbench.images import to_png
from vhbench.schema import Scene, SceneObject
from vhbench.tasks import prompts

FEATURES = Features(
    {"id": Value("string"), "kind": Value("string"), "scene_ids": List(Value("string")), "images": List(Image())}
)


def rows(*images: list[bytes]) -> Dataset:
    """Return a task's documents, each with some images."""
    columns = {"id": [str(i) for i in range(len(images))], "kind": ["yes_no"] * len(images)}
    shown = [[{"bytes": image, "path": None} for image in own] for own in images]
    return Dataset.from_dict({**columns, "scene_ids": [[""] * len(own) for own in images], "images": shown}, FEATURES)


def asked(model: Any, docs: Any, look: Any) -> list[str]:
    """Let a model answer all rows; ``look`` makes of each what a model is given."""
    model.task_dict = {"t": {"test": docs}}
    given = ("", {}, look) if model.is_simple else ("", look, {})
    answers: list[str] = model.generate_until(
        [SimpleNamespace(args=(*given, i, "t", "test")) for i in range(len(docs))]
    )
    return answers


def picture(shade: int) -> bytes:
    return to_png(Pillow.new("RGB", (8, 6), (shade, shade, shade)))


class Shown(list[Pillow.Image]):
    """Images of a split's row, with their digests."""

    digests: list[bytes]


def checked(docs: Dataset) -> list[dict[str, Any]]:
    """Return rows as a checked split has them: the digests of images are known before these are decoded."""
    found = []
    for row in docs:
        images = Shown(row["images"])
        images.digests = [image.tobytes() for image in images]
        found.append({**row, "images": images})
    return found


@pytest.mark.parametrize("kind", [Yes, YesChat])
def test_an_image_of_several_questions_is_decoded_once(kind: type) -> None:
    one, other = picture(10), picture(200)
    sizes: list[list[tuple[int, int]]] = []

    def look(doc: Any) -> None:
        sizes.append([image.size for image in prompts.to_visual(doc)])

    assert asked(kind(), checked(rows([one, other], [other], [one, one])), look) == ["yes"] * 3
    assert sizes == [[(8, 6), (8, 6)], [(1, 1)], [(1, 1), (1, 1)]]


@pytest.mark.parametrize("spoilt", [b"no image", picture(10)[:48]], ids=["none", "cut off"])
def test_a_broken_image_ends_the_run_wherever_it_stands(spoilt: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", False)  # which some classes of models change for all
    with pytest.raises(OSError, match=r"identify|truncated"):
        asked(Yes(), rows([picture(10)], [picture(10), spoilt]), prompts.to_visual)


def test_images_that_are_files_are_all_decoded(tmp_path: Path) -> None:
    (tmp_path / "good.png").write_bytes(picture(10))
    (tmp_path / "bad.png").write_bytes(b"no image")
    shown = [[{"bytes": None, "path": str(tmp_path / name)}] for name in ("good.png", "bad.png")]
    docs = rows([], []).remove_columns("images").add_column("images", shown, feature=FEATURES["images"])
    with pytest.raises(OSError, match="identify"):
        asked(Yes(), docs, prompts.to_visual)


@pytest.mark.parametrize(
    ("kind", "choices", "answer", "expected"),
    [
        ("multiple_choice", ["cat", "dog", "owl"], "A", "B"),
        ("multiple_choice", ["cat", "dog", "owl"], "C", "A"),
        ("yes_no", [], "yes", "no"),
        ("caption", [], "", "A picture of cat."),
    ],
)
def test_an_oracle_that_errs_names_the_next_option(kind: str, choices: list[str], answer: str, expected: str) -> None:
    doc = {"kind": kind, "choices": choices, "answer": answer, "objects": ["dog"], "candidates": ["cat"]}
    where = {"task": "existence", "mode": "selective", "pressure": "hn", "criterion": "", "question_type": "E1"}
    right = answer or "A picture of dog."
    for wrong in ("existence/hn", "position:selective"):
        assert Oracle(wrong=wrong).answer(doc | where) == expected
    for wrong in ("", "existence/hp", "existence/comparative:E2"):
        assert Oracle(wrong=wrong).answer(doc | where) == right


def doc(kind: str = "yes_no", answer: str = "yes", **options: Any) -> dict[str, Any]:
    empty = {
        "task": "existence",
        "mode": "",
        "pressure": "hn",
        "criterion": "",
        "question_type": "E1",
        "negated": False,
    }
    return {"id": "q", "kind": kind, "answer": answer, "objects": ["dog"], "candidates": ["cat"], **empty, **options}


def test_the_oracle_is_wrong_where_all_words_of_a_case_hold() -> None:
    choice = doc("multiple_choice", "C", choices=["a", "b", "c"])
    for wrong, answers in (("", ["yes", "C"]), ("existence/hn", ["no", "A"]), ("existence/ep:counting", ["yes", "C"])):
        model = Oracle(wrong=wrong)
        assert [model.answer(doc()), model.answer(choice)] == answers, wrong
        caption = "A picture of cat." if wrong == "existence/hn" else "A picture of dog."
        assert model.answer(doc("caption", "")) == caption
    assert Oracle(wrong="counting:E1").answer(doc(answer="no")) == "yes"
    with pytest.raises(ValueError, match="form: expected one of"):
        Oracle(form="song")
    with pytest.raises(ValueError, match="no model_args"):
        Oracle(mood="x")


def test_a_coin_says_yes_as_often_as_it_is_told_and_anew_in_each_repetition() -> None:
    coin = Coin(p="0.75", seed="3")  # type: ignore[arg-type]
    said = [coin.answer(doc(id=str(number))) for number in range(400)]
    assert 270 < said.count("yes") < 330
    assert [coin.answer(doc(id=str(number))) for number in range(400)] == said
    coin.repetition = 2
    assert [coin.answer(doc(id=str(number))) for number in range(400)] != said
    assert {Coin(p=1).answer(doc(id=str(n))) for n in range(9)} == {"yes"}
    assert {Coin(p=0).answer(doc(id=str(n))) for n in range(9)} == {"no"}
    letters = {Coin().answer(doc("multiple_choice", choices=["a", "b", "c"], id=str(n))) for n in range(40)}
    assert letters == {"A", "B", "C"}
    assert Coin(p=1).answer(doc("caption")) == "A picture of dog and cat."
    assert Coin(p=0).answer(doc("caption")) == "A picture."
    with pytest.raises(ValueError, match="p: expected a probability"):
        Coin(p=1.01)


def test_the_blind_one_counts_answers_by_type_and_negation() -> None:
    columns = {
        "question_type": ["E1", "E1", "E1", "E1", "E1", "E2"],
        "negated": [False, False, False, True, True, False],
        "answer": ["no", "yes", "yes", "yes", "no", "D"],
    }
    model = Blind()
    model.prepare(Dataset.from_dict(columns))
    assert [model.answer(doc()), model.answer(doc(negated=True)), model.answer(doc(question_type="E2"))] == [
        "yes", "no", "D",
    ]  # fmt: skip
    model.prepare(Dataset.from_dict({name: values[:1] for name, values in columns.items()}))
    assert model.answer(doc()) == "no"
    assert model.answer(doc("caption")) == "A picture."
    assert [Yes().answer(doc(kind)) for kind in ("yes_no", "multiple_choice", "caption")] == [
        "yes", "A", "A picture of dog and cat.",
    ]  # fmt: skip


def requests(docs: list[dict[str, Any]], look: Any, chat: bool = False) -> list[Any]:
    """Return one request per row, as lmms-eval makes them for a simple or a chat model."""
    given = ("", look, {}) if chat else ("", {}, look)
    return [SimpleNamespace(args=(*given, number, "t", "test")) for number in range(len(docs))]


def test_repeated_requests_are_numbered_by_row() -> None:
    class Counting(Coin):
        def answer(self, doc: Any) -> str:
            return f"{doc['id']}{self.repetition}"

    docs = [doc(id="a", images=[]), doc(id="b", images=[])]
    seen: list[str] = []
    model = Counting()
    model.task_dict = {"t": {"test": docs}, "u": {"test": docs}}
    asked = [*requests(docs, lambda row: seen.append(row["id"]))] * 2
    asked.append(SimpleNamespace(args=("", {}, lambda row: None, 0, "u", "test")))
    assert model.generate_until(asked) == ["a1", "b1", "a2", "b2", "a1"]
    assert seen == ["a", "b", "a", "b"]


def test_other_requests_and_options_are_refused() -> None:
    model = Yes(max_batch_size=3, batch_size=7, device="cuda")
    assert (model.batch_size, str(model.device)) == (7, "cpu")
    with pytest.raises(NotImplementedError, match="expected generate_until; vhbench has no other requests"):
        model.generate_until_multi_round([])
    with pytest.raises(ValueError, match=r"^Yes has no model_args \['a', 'b'\]$"):
        Yes(b=1, a=2)
    for p in (-0.1, 1.1):
        with pytest.raises(ValueError, match="expected a probability from 0 to 1"):
            Coin(p=p)


class Scenes:
    """Two images: a dog, and two cats."""

    def __init__(self) -> None:
        def scene(name: str, *words: str) -> Scene:
            things = tuple(SceneObject(i, word, (0, 0, 9, 9), 81) for i, word in enumerate(words, 1))
            return Scene(name, b"", 64, 64, things, known=frozenset({"dog", "cat"}), countable=frozenset({"cat"}))

        self.scenes = {"s": scene("s", "dog"), "t": scene("t", "cat", "cat")}


def test_restricted_oracles_answer_what_their_view_shows() -> None:
    one, presence = OneImage(), Presence(seed="5")  # type: ignore[arg-type]
    one.scenes = presence.scenes = Scenes().scenes

    def said(model: Any, question: str, *shown: str) -> list[str]:
        asked = doc(benchmark="mioh", question=question, choices=[], scene_ids=list(shown))
        return [model.answer({**asked, "id": str(number)}) for number in range(40)]

    some, every = "Is there a cat in any of the images?", "Is there a cat in every image?"
    exactly = "Are there exactly two cats in the image?"
    assert set(said(one, some, "t", "s")) == {"yes"}
    assert set(said(one, some, "s", "t")) == {"yes", "no"}, "it does not see the second"
    assert set(said(presence, every, "t", "s")) == {"no"}
    assert set(said(presence, exactly, "s")) == {"no"}
    guessed = said(presence, exactly, "t")
    assert set(guessed) == {"yes", "no"}, "it does not count"
    assert guessed == said(presence, exactly, "t")
    presence.repetition = 2
    assert guessed != said(presence, exactly, "t")
    presence.repetition, presence.seed = 1, 6
    assert guessed != said(presence, exactly, "t")
    assert Presence(seed="5").seed == 5  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^Presence answers MIOH's questions only, not those of ode$"):
        presence.answer(doc(benchmark="ode"))
