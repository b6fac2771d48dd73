"""Published benchmarks: what is read of each form, and what a bad row is told."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from vhbench.adapters.published_benchmarks import (
    _mme_texts,
    files_of,
    read_hallusionbench,
    read_mme,
    read_mmvp,
    read_naturalbench,
    read_pope,
    read_vhtest,
)
from vhbench.schema import Question, Rejection, VhbenchError


def png(colour: str = "red") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def images(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        (folder / name).write_bytes(png())
    return folder


def write(path: Path, *rows: object, end: str = "\n") -> Path:
    path.write_bytes("".join(json.dumps(row) + end for row in rows).encode())
    return path


POPE = {"question_id": 1, "image": "a.png", "text": "Is there a dog in the image?", "label": "yes"}


def test_pope_json_lines_with_windows_line_ends(tmp_path: Path, images: Path) -> None:
    file = write(tmp_path / "coco_pope_popular.json", POPE, {**POPE, "question_id": 2, "label": "no"}, end="\r\n")
    first, second = read_pope(file, images)
    assert (first.id, first.question_type, first.answer) == ("popular-1", "popular", "yes")
    assert (second.id, second.answer, second.images) == ("popular-2", "no", (images / "a.png",))


def test_a_question_of_pope_without_a_number_has_that_of_its_row(tmp_path: Path, images: Path) -> None:
    unnumbered = {name: value for name, value in POPE.items() if name != "question_id"}
    file = write(tmp_path / "coco_pope_random.json", {**POPE, "question_id": 7}, unnumbered)
    assert [question.id for question in read_pope(file, images)] == ["random-7", "random-2"]


def test_a_folder_of_the_three_pope_files(tmp_path: Path, images: Path) -> None:
    for category in ("random", "popular", "adversarial"):
        write(tmp_path / f"coco_pope_{category}.json", POPE)
    assert [q.id for q in read_pope(tmp_path, images)] == ["adversarial-1", "popular-1", "random-1"]


def test_pope_as_parquet_with_images_keeps_equal_bytes_once(tmp_path: Path) -> None:
    row = {
        "id": "0",
        "question_id": "1",
        "question": "Is there a dog in the image?",
        "answer": "no",
        "image_source": "COCO_1",
        "image": {"bytes": png(), "path": "x.png"},
        "category": "random",
    }
    pq.write_table(pa.Table.from_pylist([row, {**row, "question_id": "2"}]), tmp_path / "test-0.parquet")
    first, second = read_pope(tmp_path, None)
    assert (first.id, first.answer, first.scene_ids) == ("random-1", "no", ("COCO_1",))
    assert first.images[0] is second.images[0]


def test_the_real_pope_files_are_read_whole(reference: Path, tmp_path: Path) -> None:
    source = reference / "POPE" / "coco" / "coco_pope_adversarial.json"
    for name in {json.loads(line)["image"] for line in source.read_text().splitlines()}:
        (tmp_path / name).touch()
    questions = list(read_pope(source, tmp_path))
    assert len(questions) == 3_000
    assert sum(q.answer == "yes" for q in questions) == 1_500


def test_mmvp_with_its_label_errors_corrected(tmp_path: Path) -> None:
    (tmp_path / "MMVP Images").mkdir()
    rows = ["Index,Question,Options,Correct Answer", "1,Is the dog awake or asleep?,(a) Awake (b) Asleep,(b)"]
    rows += ["99,Are the tusks long or short?,(a) long (b) short,(a)"]
    for name in ("1.jpg", "99.jpg"):
        (tmp_path / "MMVP Images" / name).write_bytes(png())
    (tmp_path / "Questions.csv").write_text("\n".join(rows))
    first, wrong = read_mmvp(tmp_path, None)
    assert (first.choices, first.answer, first.kind) == (("Awake", "Asleep"), "B", "multiple_choice")
    assert wrong.answer == "B"


def test_vhtest_reads_one_table_per_mode(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["image_path", "yes_or_no_question", "yes_or_no_ground_truth"])
    book.active.append(["color_0.png", "Is the car red?", "y"])
    (tmp_path / "YNQ_Benchmark").mkdir()
    book.save(tmp_path / "YNQ_Benchmark" / "color.xlsx")
    (tmp_path / "Images" / "color").mkdir(parents=True)
    (tmp_path / "Images" / "color" / "color_0.png").write_bytes(png())
    (question,) = read_vhtest(tmp_path / "YNQ_Benchmark", None)
    assert (question.id, question.answer, question.question_type) == ("color-1", "yes", "color")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "maybe"}, "row 2: field 'label': expected yes or no"),
        ({"label": ""}, "row 2: no field 'label' or 'answer'; there are question_id, image, text, label"),
        ({"text": None}, "row 2: no field 'text' or 'question'"),
        ({"text": ["x"]}, "row 2: field 'text': expected text, got list"),
        ({"image": "none.png"}, "row 2: no image 'none.png' in"),
        ({"image": "../secret.png"}, "row 2: image '../secret.png' leads out of"),
        ({"image": 2.5}, "row 2: field 'image': expected one image, got float"),
        ({"category": "rare"}, "row 2: category: expected one of random, popular, adversarial"),
    ],
)
def test_a_bad_row_of_pope_is_named(tmp_path: Path, images: Path, change: dict[str, object], message: str) -> None:
    file = write(tmp_path / "pope_random.jsonl", POPE, {**POPE, **change})
    with pytest.raises(VhbenchError) as caught:
        list(read_pope(file, images))
    assert f"pope_random.jsonl, {message}" in str(caught.value)


def test_a_vhtest_table_is_named_by_its_mode(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="begins with a mode: existence, shape"):
        list(read_vhtest(write(tmp_path / "fog.jsonl", POPE), None))


MME_ASKED = "Is there a {} in the picture? Please answer yes or no."


@pytest.fixture
def mme_folder(tmp_path: Path) -> Path:
    """Two subtasks: one with images and texts side by side, one with a folder for each."""
    flat, apart = tmp_path / "color", tmp_path / "scene"
    for inside in (flat, apart / "images", apart / "questions_answers_YN"):
        inside.mkdir(parents=True)
    (flat / "0001.png").write_bytes(png())
    (flat / "0001.txt").write_text(f"{MME_ASKED.format('red cup')}\tYes\n{MME_ASKED.format('blue cup')}\tNo\n\n")
    (apart / "images" / "a_b.jpg").write_bytes(png())
    lines = [MME_ASKED.format("hall") + "\tNo", MME_ASKED.format("street") + "\tYes"]
    (apart / "questions_answers_YN" / "a_b.txt").write_text("\r\n".join(lines))
    (tmp_path / "readme.txt").write_text("no question")
    return tmp_path


def test_mme_folders_of_both_layouts(mme_folder: Path) -> None:
    found = list(read_mme(mme_folder, None))
    assert [(q.id, q.question_type, q.answer) for q in found] == [
        ("color-0001-1", "color", "yes"),
        ("color-0001-2", "color", "no"),
        ("scene-a_b-1", "scene", "no"),
        ("scene-a_b-2", "scene", "yes"),
    ]
    assert found[0].question == MME_ASKED.format("red cup")
    assert found[2].images == (mme_folder / "scene" / "images" / "a_b.jpg",)
    assert {q.scene_ids for q in found} == {("color-0001",), ("scene-a_b",)}
    assert [q.id for q in read_mme(mme_folder / "scene", None)] == ["scene-a_b-1", "scene-a_b-2"]
    assert [file.name for file in _mme_texts(mme_folder)] == ["0001.txt", "a_b.txt"]


def test_mme_parquet_with_images(tmp_path: Path) -> None:
    rows = [
        {"question_id": "color/0001.png", "image": {"bytes": png(), "path": None}, "question": MME_ASKED.format(thing),
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
        ("Is it red? Yes\n", "0001.txt, line 1: expected a question, a tab and Yes or No, got 'Is it red? Yes'"),
        ("Is it red?\tperhaps\n", "0001.txt, line 1: field 'answer': expected yes or no"),
    ],
)
def test_mme_a_bad_line_is_named(mme_folder: Path, text: str, message: str) -> None:
    (mme_folder / "color" / "0001.txt").write_text(text)
    with pytest.raises(VhbenchError) as caught:
        list(read_mme(mme_folder, None))
    assert message in str(caught.value)


def test_mme_a_text_without_its_image_is_named(mme_folder: Path) -> None:
    (mme_folder / "scene" / "images" / "a_b.jpg").unlink()
    with pytest.raises(VhbenchError, match=r"a_b\.txt: no image a_b\.jpg or \.png next to it or in .*images"):
        list(read_mme(mme_folder, None))


def test_mme_another_encoding_is_told_in_one_line(mme_folder: Path) -> None:
    file = next(iter(sorted(mme_folder.rglob("*.txt"))))
    file.write_bytes("Is there a café?\tYes\n".encode("latin-1"))
    with pytest.raises(VhbenchError, match=r"not UTF-8 text"):
        list(read_mme(mme_folder, None))


HALLUSION: dict[str, Any] = {
    "category": "VD", "subcategory": "illusion", "visual_input": "1", "set_id": "0", "figure_id": "1",
    "sample_note": "ring", "question_id": "2", "question": "Is the left ring larger than the right ring?",
    "gt_answer_details": "The rings are of the same size.", "gt_answer": "0",
    "filename": "./hallusion_bench/VD/illusion/0_1.png",
}  # fmt: skip
BLIND = {**HALLUSION, "category": "VS", "subcategory": "chart", "visual_input": "0", "filename": None, "gt_answer": "1"}


def published(folder: Path, *rows: dict[str, Any]) -> Path:
    inside = folder / "hallusion_bench" / "VD" / "illusion"
    inside.mkdir(parents=True, exist_ok=True)
    (inside / "0_1.png").write_bytes(b"\x89PNG")
    (folder / "HallusionBench.json").write_text(json.dumps(list(rows)))
    return folder


def test_hallusionbench_rows_without_an_image_are_counted_and_left_out(tmp_path: Path) -> None:
    folder = published(tmp_path, HALLUSION, {**HALLUSION, "question_id": "3", "gt_answer": "1"}, BLIND)
    first, second, blind = read_hallusionbench(folder, None)
    assert isinstance(first, Question)
    assert isinstance(second, Question)
    assert (first.id, first.answer, first.question_type) == ("VD_illusion_0_1_2", "no", "VD-illusion")
    assert (second.id, second.answer) == ("VD_illusion_0_1_3", "yes")
    assert first.scene_ids == second.scene_ids == ("VD_illusion_0_1",)
    assert first.images == (tmp_path / "hallusion_bench" / "VD" / "illusion" / "0_1.png",)
    assert blind == Rejection("VS_chart_0_1_2", "no_image", {"question": HALLUSION["question"]})


def test_hallusionbench_images_may_lie_elsewhere(tmp_path: Path) -> None:
    images = published(tmp_path / "there", HALLUSION) / "hallusion_bench"
    table = tmp_path / "HallusionBench.json"
    table.write_text(json.dumps([HALLUSION]))
    for place in (images, images.parent):
        [question] = read_hallusionbench(table, place)
        assert isinstance(question, Question)
        assert question.images == (images / "VD" / "illusion" / "0_1.png",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gt_answer": "2"}, "row 1: field 'gt_answer': expected yes or no"),
        ({"filename": "./hallusion_bench/VD/9_9.png"}, "row 1: no image 'hallusion_bench/VD/9_9.png' in"),
        ({"set_id": None}, "row 1: no field 'set_id'"),
    ],
)
def test_hallusionbench_a_bad_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = published(tmp_path, {**HALLUSION, **change})
    with pytest.raises(VhbenchError) as caught:
        list(read_hallusionbench(folder, None))
    assert message in str(caught.value)


def group(index: int, kind: str, *answers: str) -> dict[str, Any]:
    return {
        "Index": index, "Image_0": {"bytes": png("red"), "path": None}, "Image_1": {"bytes": png("blue"), "path": None},
        "Question_0": "Is the square red?", "Image_0_Question_0": answers[0], "Image_1_Question_0": answers[1],
        "Question_1": "Is the square blue?", "Image_0_Question_1": answers[2], "Image_1_Question_1": answers[3],
        "Question_Type": kind, "Source": "drawn",
    }  # fmt: skip


def test_a_naturalbench_group_gives_four_cases_and_multiple_choice_is_left_out(tmp_path: Path) -> None:
    rows = [group(0, "yes_no", "Yes", "No", "No", "Yes"), group(1, "multiple_choice", "A", "B", "B", "A")]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "train-00000-of-00001.parquet")
    *cases, left_out = read_naturalbench(tmp_path, None)
    assert all(isinstance(case, Question) for case in cases)
    assert [(c.id, c.question, c.answer) for c in cases if isinstance(c, Question)] == [
        ("0-0-0", "Is the square red?", "yes"),
        ("0-0-1", "Is the square blue?", "no"),
        ("0-1-0", "Is the square red?", "no"),
        ("0-1-1", "Is the square blue?", "yes"),
    ]
    images = [c.images[0] for c in cases if isinstance(c, Question)]
    assert images[0] is images[1]
    assert images[2] is images[3] != images[0]
    assert left_out == Rejection("1", "no_yes_no_question", {"type": "multiple_choice"})


def test_the_files_of_each_source(mme_folder: Path, tmp_path: Path) -> None:
    texts = [mme_folder / "color/0001.txt", mme_folder / "scene/questions_answers_YN/a_b.txt"]
    assert files_of(mme_folder) == texts
    (tmp_path / "pope").mkdir()
    files = [write(tmp_path / "pope" / f"{name}.jsonl", POPE) for name in ("random", "adversarial")]
    (tmp_path / "pope/notes.md").write_text("notes")
    (tmp_path / "pope/folder.json").mkdir()
    assert files_of(tmp_path / "pope") == files[::-1]
    assert files_of(files[0]) == files[:1]
    parquet = tmp_path / "naturalbench/data/train-00000-of-00001.parquet"
    parquet.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([group(0, "yes_no", "Yes", "No", "No", "Yes")]), parquet)
    assert files_of(tmp_path / "naturalbench") == [parquet]


def test_what_is_no_folder_of_mme_has_no_texts(tmp_path: Path, images: Path) -> None:
    assert _mme_texts(write(tmp_path / "pope.jsonl", POPE)) == []
    assert _mme_texts(images) == []


def test_hallusionbench_as_parquet_contains_its_images(tmp_path: Path) -> None:
    row = {**HALLUSION, "filename": None, "image": {"bytes": png(), "path": None}}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "image-00000-of-00001.parquet")
    [question] = read_hallusionbench(tmp_path, None)
    assert isinstance(question, Question)
    assert (question.id, question.answer, question.images) == ("VD_illusion_0_1_2", "no", (png(),))
