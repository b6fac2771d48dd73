"""LLaVA's JSON: a row for each turn, with what was said before; what has another form is told."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from PIL import Image

from vhbench.images import to_png
from vhbench.schema import CANARY, VhbenchError
from vhbench.seeding import rng
from vhbench.training.mixing import read_mix

PNG = to_png(Image.new("RGB", (4, 4)))


def turn(who: str, value: Any) -> dict[str, Any]:
    return {"from": who, "value": value}


TALK = [turn("human", "<image>\nWhat is it?"), turn("gpt", "A dog."), turn("human", "Which?"), turn("gpt", "A poodle.")]


def read(folder: Path, *rows: Any) -> Any:
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / "a.png").write_bytes(PNG)
    path = folder / "general.json"
    path.write_bytes(orjson.dumps(list(rows)))
    return read_mix(path, folder / "images")


def test_each_turn_is_a_row(tmp_path: Path) -> None:
    (first, second), blind = read(tmp_path, {"id": "7", "image": "a.png", "conversations": TALK})
    assert first.prompt == ({"type": "image", "text": ""}, {"type": "text", "text": "What is it?"})
    assert (first.answer, first.images, first.form) == ("A dog.", (PNG,), "general")
    assert [message["role"] for message in second.asked] == ["user", "assistant", "user"]
    assert second.answer == "A poodle."
    assert len({first.id, second.id}) == 2
    assert not blind


def test_conversations_without_an_image_are_counted(tmp_path: Path) -> None:
    rows, blind = read(tmp_path, {"conversations": TALK[2:]}, {"image": ["a.png"], "conversations": TALK})
    assert (len(rows), blind) == (2, 1)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"image": "b.png", "conversations": TALK}, "row 1: no image 'b.png' below"),
        ({"image": 3, "conversations": TALK}, "row 1: no image 3 below"),
        ({"image": "../general.json", "conversations": TALK}, "leads out of"),
        (
            {"image": "a.png", "conversations": TALK[:1]},
            r"row 1: conversations: expected a list of turns of human and gpt, got \[\{",
        ),
        ({"image": "a.png"}, "row 1: conversations: expected a list of turns of human and gpt, got None"),
        ({"image": "a.png", "conversations": [TALK[1], TALK[0]]}, "human and gpt in turn"),
        ({"image": "a.png", "conversations": [TALK[0], turn("gpt", "")]}, "human and gpt in turn"),
        ({"image": "a.png", "conversations": [TALK[0], turn("gpt", "An <image>.")]}, "no answer with <image>"),
        (
            {"image": ["a.png", "a.png"], "conversations": TALK},
            "expected one <image> per image, all in the first turn, got 1 for 2 images",
        ),
        ({"image": "a.png", "conversations": [turn("human", CANARY), TALK[1]]}, "row 1: holds the canary"),
    ],
)
def test_what_is_wrong_is_told_with_its_row(tmp_path: Path, row: dict[str, Any], told: str) -> None:
    with pytest.raises(VhbenchError, match=told):
        read(tmp_path, row)


def test_so_many_are_drawn(tmp_path: Path) -> None:
    read(tmp_path)
    talks = [{"id": str(i), "image": "a.png", "conversations": TALK} for i in range(12)]
    path = tmp_path / "general.json"
    path.write_bytes(orjson.dumps(talks))
    draws = [[row.id for row in read_mix(path, tmp_path / "images", 3, seed=seed)[0]] for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    assert len(set(draws[0])) == 3
    with pytest.raises(VhbenchError, match="--mix-number 25: the file has only 24 rows"):
        read_mix(path, tmp_path / "images", 25)


def test_no_image_is_opened_that_is_not_drawn(tmp_path: Path) -> None:
    read(tmp_path)
    rows = [{"id": "there", "image": "a.png", "conversations": TALK[:2]}]
    path = tmp_path / "general.json"
    path.write_bytes(orjson.dumps([*rows, {"id": "gone", "image": "gone.png", "conversations": TALK[:2]}]))
    seeds = [seed for seed in range(9) if int(rng(seed, "mix").permutation(2)[0]) == 0]
    assert [read_mix(path, tmp_path / "images", 1, seed=seed)[0][0].answer for seed in seeds] == ["A dog."] * len(seeds)
    with pytest.raises(VhbenchError, match=r"row 2: no image 'gone.png'"):
        read_mix(path, tmp_path / "images")


def test_what_is_no_image_is_told(tmp_path: Path) -> None:
    read(tmp_path)
    (tmp_path / "images" / "b.png").write_bytes(b"no picture")
    with pytest.raises(VhbenchError, match=r"row 1, image b.png: image cannot be decoded"):
        read(tmp_path, {"image": "b.png", "conversations": TALK})


def test_images_that_are_not_wanted_are_left_out(tmp_path: Path) -> None:
    read(tmp_path, {"image": "a.png", "conversations": TALK})
    rows, _ = read_mix(tmp_path / "general.json", tmp_path / "images", keep=lambda image, seen, place: False)
    assert rows == []
    with pytest.raises(VhbenchError, match="--mix-number 1: the file has only 0 rows"):
        read_mix(tmp_path / "general.json", tmp_path / "images", 1, keep=lambda image, seen, place: False)
