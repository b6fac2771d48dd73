"""NaturalBench as published: Parquet with two images and two questions in a row."""

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from vhbench.adapters.naturalbench import read_naturalbench
from vhbench.schema import Question, Rejection


def picture(colour: str) -> dict[str, Any]:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "JPEG")
    return {"bytes": buffer.getvalue(), "path": None}


def group(index: int, kind: str, *answers: str) -> dict[str, Any]:
    return {
        "Index": index, "Image_0": picture("red"), "Image_1": picture("blue"),
        "Question_0": "Is the square red?", "Image_0_Question_0": answers[0], "Image_1_Question_0": answers[1],
        "Question_1": "Is the square blue?", "Image_0_Question_1": answers[2], "Image_1_Question_1": answers[3],
        "Question_Type": kind, "Source": "drawn",
    }  # fmt: skip


def test_a_group_gives_four_cases_and_multiple_choice_is_left_out(tmp_path: Path) -> None:
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
