"""The columns of other people's tables are known by their names."""

from typing import Any

import pytest

from vhbench.runs.column_aliases import answered, asked
from vhbench.schema import VhbenchError


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"id": "q", "answer": "yes", "response": "No."}, {"id": "q", "answer": "yes", "response": "No."}),
        # POPE's questions with what a model said beside them
        (
            {"question_id": 1, "text": "Is there a dog?", "label": "no", "response": "No"},
            {"id": 1, "question": "Is there a dog?", "answer": "no", "response": "No"},
        ),
        # VLMEvalKit's multiple choice, with the columns that it has in Excel
        (
            {"index": 0.0, "question": "What?", "A": "cat", "B": "dog", "C": None, "answer": "B", "prediction": "B."},
            {"id": 0, "question": "What?", "choices": ["cat", "dog"], "answer": "B", "response": "B."},
        ),
        # VLMEvalKit's yes/no, from CSV
        (
            {"index": "7", "question": "A dog?", "answer": "Yes", "category": "x", "prediction": "yes, it is"},
            {"id": "7", "question": "A dog?", "answer": "yes", "response": "yes, it is"},
        ),
        # LLaVA's answers
        ({"question_id": 3, "prompt": "A dog?", "text": "No"}, {"id": 3, "question": "A dog?", "response": "No"}),
        # SEED-Bench
        (
            {"question_id": 3, "choice_a": "red", "choice_b": "blue", "answer": "A", "prediction": "Blue"},
            {"id": 3, "choices": ["red", "blue"], "answer": "A", "response": "Blue"},
        ),
        # options in one cell; an answer in words
        (
            {"ID": 1, "Options": "(a) Open (b) Closed", "Answer": "closed", "Response": "x"},
            {"id": 1, "choices": ["Open", "Closed"], "answer": "B", "response": "x"},
        ),
        (
            {"id": 1, "options": "['it\\'s', \"b\"]", "answer": "(b)", "output": "x"},
            {"id": 1, "choices": ["it's", "b"], "answer": "B", "response": "x"},
        ),
        ({"id": 1, "negated": "True", "response": True}, {"id": 1, "negated": True, "response": "True"}),
        ({"id": 1, "gt_answer": "0", "model_prediction": "No"}, {"id": 1, "answer": "no", "response": "No"}),
        ({"id": 1, "response": None}, {"id": 1, "response": ""}),
        ({"id": 1, "response": float("nan")}, {"id": 1, "response": ""}),
        ({"id": 1, "response": ["Yes"]}, {"id": 1, "response": "Yes"}),
        # our own records keep what was read
        (
            {"id": 1, "response": "Yes, sir", "prediction": "yes"},
            {"id": 1, "response": "Yes, sir", "prediction": "yes"},
        ),
    ],
)
def test_answers_that_carry_their_questions(row: dict[str, Any], found: dict[str, Any]) -> None:
    assert answered(row, "row 1", joined=False) == found


@pytest.mark.parametrize(
    ("row", "response"),
    [
        ({"id": 1, "answer": "No, sir"}, "No, sir"),
        ({"id": 1, "text": "No, sir"}, "No, sir"),
        ({"id": 1, "answer": "yes", "prediction": "No, sir"}, "No, sir"),
        ({"id": 1, "answer": "yes", "response": "No, sir"}, "No, sir"),
    ],
)
def test_where_questions_stand_elsewhere_the_answer_is_the_models(row: dict[str, Any], response: str) -> None:
    assert answered(row, "row 1", joined=True)["response"] == response


def test_questions() -> None:
    assert asked({"question_id": 1, "text": "A dog?", "label": "Yes"}, "row 1") == {
        "id": 1,
        "question": "A dog?",
        "answer": "yes",
    }


@pytest.mark.parametrize("empty", [None, float("nan")])
def test_a_cell_without_a_value_is_no_field(empty: float | None) -> None:
    row = {"id": 1, "answer": "no", "response": "", "mode": empty}
    found = answered(row, "row 1", joined=True)
    assert found["response"] == ""
    assert "mode" not in found


def test_a_row_that_is_longer_than_the_header() -> None:
    with pytest.raises(VhbenchError, match="row 3: expected as many fields as columns, got more"):
        answered({"id": "1", "response": "yes", None: ["x"]}, "row 3", joined=False)  # type: ignore[dict-item]


def test_a_list_of_megabytes_in_a_cell_is_refused() -> None:
    with pytest.raises(VhbenchError, match="row 1: expected choices of at most 1,048,576 characters, got 2,000,001"):
        answered({"id": 1, "choices": "[" + "[]" * 1_000_000, "answer": "A", "response": "x"}, "row 1", joined=False)


def test_a_column_that_names_the_image_names_the_cluster() -> None:
    row = {"id": 1, "answer": "no", "response": "No", "image": "7.jpg"}
    assert answered(row, "row 1", joined=False)["scene_ids"] == ("7.jpg",)
    assert answered({**row, "image": 7}, "row 1", joined=False)["scene_ids"] == ("7",)
    assert "scene_ids" not in answered(row, "row 1", joined=True), "the questions' own file names the images"
    assert "scene_ids" not in answered({**row, "image": "/9j/" + "A" * 1000}, "row 1", joined=False), "base64"
    assert answered({**row, "scene_ids": ["s"]}, "row 1", joined=False)["scene_ids"] == ["s"]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"id": 1, "truth": ["dog"], "hallu": ["cat"]}, "caption"),
        ({"id": 1, "dis_truth": ["dog"], "truth": "yes", "hallu": ["cat"]}, "caption"),
        ({"id": 1, "truth": "yes", "hallu": ["cat"]}, None),  # the answer to a question
        ({"id": 1, "truth": ["dog"]}, None),
    ],
)
def test_captions_of_ode_and_amber_are_known_by_their_lists(row: dict[str, Any], kind: str | None) -> None:
    found = asked(row, "row 1")
    assert found.get("kind") == kind
    if kind:
        assert found == {"id": 1, "kind": "caption", "objects": ["dog"], "candidates": ["cat"]}
