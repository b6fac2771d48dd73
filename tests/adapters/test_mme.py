"""MME in its two published forms."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from vhbench.adapters.mme import read_mme, text_files
from vhbench.schema import VhbenchError


def png(colour: str = "red") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "PNG")
    return buffer.getvalue()


ASKED = "Is there a {} in the picture? Please answer yes or no."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two subtasks: one with images and texts side by side, one with a folder for each."""
    flat, apart = tmp_path / "color", tmp_path / "scene"
    for inside in (flat, apart / "images", apart / "questions_answers_YN"):
        inside.mkdir(parents=True)
    (flat / "0001.png").write_bytes(png())
    (flat / "0001.txt").write_text(f"{ASKED.format('red cup')}\tYes\n{ASKED.format('blue cup')}\tNo\n\n")
    (apart / "images" / "a_b.jpg").write_bytes(png())
    lines = [ASKED.format("hall") + "\tNo", ASKED.format("street") + "\tYes"]
    (apart / "questions_answers_YN" / "a_b.txt").write_text("\r\n".join(lines))
    (tmp_path / "readme.txt").write_text("no question")
    return tmp_path


def test_folders_of_both_layouts(folder: Path) -> None:
    found = list(read_mme(folder, None))
    assert [(q.id, q.question_type, q.answer) for q in found] == [
        ("color-0001-1", "color", "yes"),
        ("color-0001-2", "color", "no"),
        ("scene-a_b-1", "scene", "no"),
        ("scene-a_b-2", "scene", "yes"),
    ]
    assert found[0].question == ASKED.format("red cup")
    assert found[2].images == (folder / "scene" / "images" / "a_b.jpg",)
    assert {q.scene_ids for q in found} == {("color-0001",), ("scene-a_b",)}
    assert [q.id for q in read_mme(folder / "scene", None)] == ["scene-a_b-1", "scene-a_b-2"]
    assert [file.name for file in text_files(folder)] == ["0001.txt", "a_b.txt"]


def test_parquet_with_images(tmp_path: Path) -> None:
    rows = [
        {"question_id": "color/0001.png", "image": {"bytes": png(), "path": None}, "question": ASKED.format(thing),
         "answer": answer, "category": "color"}
        for thing, answer in (("red cup", "Yes"), ("blue cup", "No"))
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "test-00000-of-00001.parquet")
    first, second = read_mme(tmp_path, None)
    assert (first.id, second.id) == ("color-0001-1", "color-0001-2")
    assert (first.answer, second.answer, first.question_type) == ("yes", "no", "color")
    assert first.images[0] is second.images[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Is it red? Yes\n", "0001.txt, line 1: 'Is it red? Yes'; must be a question, a tab and Yes or No"),
        ("Is it red?\tperhaps\n", "0001.txt, line 1: field 'answer' is 'perhaps'; must be yes or no"),
    ],
)
def test_a_bad_line_is_named(folder: Path, text: str, message: str) -> None:
    (folder / "color" / "0001.txt").write_text(text)
    with pytest.raises(VhbenchError) as caught:
        list(read_mme(folder, None))
    assert message in str(caught.value)


def test_a_text_without_its_image_is_named(folder: Path) -> None:
    (folder / "scene" / "images" / "a_b.jpg").unlink()
    with pytest.raises(VhbenchError, match=r"a_b\.txt: no image a_b\.jpg or \.png beside it or in .*images"):
        list(read_mme(folder, None))


def test_another_encoding_is_told_in_one_line(folder: Path) -> None:
    file = next(iter(sorted(folder.rglob("*.txt"))))
    file.write_bytes("Is there a café?\tYes\n".encode("latin-1"))
    with pytest.raises(VhbenchError, match=r"must be UTF-8 text, but has the byte 0xE9 .* save it as UTF-8"):
        list(read_mme(folder, None))
