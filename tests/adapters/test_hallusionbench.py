"""HallusionBench as published: a list of rows, images in folders by category."""

import json
from pathlib import Path
from typing import Any

import pytest

from vhbench.adapters.hallusionbench import read_hallusionbench
from vhbench.schema import Question, Rejection, VhbenchError

ROW: dict[str, Any] = {
    "category": "VD", "subcategory": "illusion", "visual_input": "1", "set_id": "0", "figure_id": "1",
    "sample_note": "ring", "question_id": "2", "question": "Is the left ring larger than the right ring?",
    "gt_answer_details": "The rings are of the same size.", "gt_answer": "0",
    "filename": "./hallusion_bench/VD/illusion/0_1.png",
}  # fmt: skip
BLIND = {**ROW, "category": "VS", "subcategory": "chart", "visual_input": "0", "filename": None, "gt_answer": "1"}


def published(folder: Path, *rows: dict[str, Any]) -> Path:
    inside = folder / "hallusion_bench" / "VD" / "illusion"
    inside.mkdir(parents=True, exist_ok=True)
    (inside / "0_1.png").write_bytes(b"\x89PNG")
    (folder / "HallusionBench.json").write_text(json.dumps(list(rows)))
    return folder


def test_rows_without_an_image_are_counted_and_left_out(tmp_path: Path) -> None:
    folder = published(tmp_path, ROW, {**ROW, "question_id": "3", "gt_answer": "1"}, BLIND)
    first, second, blind = read_hallusionbench(folder, None)
    assert isinstance(first, Question)
    assert isinstance(second, Question)
    assert (first.id, first.answer, first.question_type) == ("VD_illusion_0_1_2", "no", "VD-illusion")
    assert (second.id, second.answer) == ("VD_illusion_0_1_3", "yes")
    assert first.scene_ids == second.scene_ids == ("VD_illusion_0_1",)
    assert first.images == (tmp_path / "hallusion_bench" / "VD" / "illusion" / "0_1.png",)
    assert blind == Rejection("VS_chart_0_1_2", "no_image", {"question": ROW["question"]})


def test_images_may_lie_elsewhere(tmp_path: Path) -> None:
    images = published(tmp_path / "there", ROW) / "hallusion_bench"
    table = tmp_path / "HallusionBench.json"
    table.write_text(json.dumps([ROW]))
    for place in (images, images.parent):
        [question] = read_hallusionbench(table, place)
        assert isinstance(question, Question)
        assert question.images == (images / "VD" / "illusion" / "0_1.png",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gt_answer": "2"}, "row 1: field 'gt_answer' is '2'; must be 1 or 0"),
        ({"filename": "./hallusion_bench/VD/9_9.png"}, "row 1: no image 'hallusion_bench/VD/9_9.png' in"),
        ({"set_id": None}, "row 1: no field 'set_id'"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = published(tmp_path, {**ROW, **change})
    with pytest.raises(VhbenchError) as caught:
        list(read_hallusionbench(folder, None))
    assert message in str(caught.value)
