"""JSON becomes a record, and so does a question with its response."""

from typing import Any

import pytest

from vhbench.records import answered, as_records, resampling_unit, settled, target_of, to_record, to_records
from vhbench.schema import Record, VhbenchError


def test_numbers_are_their_digits_and_fields_of_others_are_passed_over() -> None:
    row = {"id": 7, "choices": ["a", 2], "negated": True, "response": "No.", "model": 7, "answer": None}
    assert to_record(row) == Record("7", choices=("a", "2"), negated=True, response="No.")


def test_half_of_a_character_is_a_question_mark() -> None:
    assert to_record({"id": "q", "question": "yes\ud800"}).question == "yes?"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"answer": "yes"}, "row 1 has no 'id'"),
        ({"id": "q", "negated": "perhaps"}, "row 1: negated is 'perhaps'"),
        ({"id": "q", "kind": "essay"}, "row 1: kind: expected one of"),
        ({"id": "q", "answer": {}}, "row 1: answer is {}"),
        ("q", "row 1 is 'q', not a Record"),
    ],
)
def test_what_is_no_record_is_named(row: object, fault: str) -> None:
    with pytest.raises(VhbenchError) as refused:
        to_record(row, "row 1")  # type: ignore[arg-type]
    assert str(refused.value).startswith(fault)


@pytest.mark.parametrize(
    ("response", "prediction", "failure", "left"),
    [
        ("Yes.", "yes", "", "yes"),
        ("[LMMS_EVAL_REQUEST_FAILED] 404", "", "failed", ""),
        ("[LMMS_EVAL_REQUEST_FAILED] 404", "no", "failed", ""),
        ("I'm sorry, but I can't help with that.", "", "refused", ""),
        ("", "", "failed", ""),
        ("", "no", "", "no"),
    ],
)
def test_what_failed_or_was_refused_is_told_and_predicts_nothing(
    response: str, prediction: str, failure: str, left: str
) -> None:
    record = settled(Record("q", kind="yes_no", response=response, prediction=prediction), empty=True)
    assert (record.failure, record.prediction) == (failure, left)


def test_repetitions_are_records_of_their_own_with_numbered_ids() -> None:
    payload = {"id": "q", "pair_id": "p", "prediction": "no", "repeats": [{"prediction": "yes"}, {"prediction": ""}]}
    assert [(record.id, record.pair_id, record.prediction) for record in to_records(payload)] == [
        ("q", "p", "no"),
        ("2#q", "2#p", "yes"),
        ("3#q", "3#p", ""),
    ]


def test_an_id_may_occur_once() -> None:
    with pytest.raises(VhbenchError, match="id 'b' occurs twice \\(again in row 2\\)"):
        as_records([{"id": "a"}, Record("b"), {"id": "b"}])


@pytest.mark.parametrize(
    ("how", "cut_off", "tokens"),
    [
        ({}, False, 0),
        ({"tokens": 7}, False, 7),
        ({"tokens": 7, "limit": 8}, False, 7),
        ({"tokens": 8, "limit": 8}, True, 8),
        ({"limit": 0}, False, 0),
        ({"cut_off": True}, True, 0),
    ],
)
def test_a_response_that_reaches_its_limit_is_truncated(how: dict[str, Any], cut_off: bool, tokens: int) -> None:
    asked = {"id": "q", "kind": "yes_no", "question": "Is there a dog?", "answer": "no", "choices": ()}
    found = answered(asked, "Yes.", **how)
    assert (found.prediction, found.failure) == ("yes", "")
    assert (found.cut_off, found.tokens) == (cut_off, tokens)


def test_the_target_of_a_caption_is_what_is_to_be_seen() -> None:
    row = {"objects": ["dog", "cup"], "answer": "", "kind": "caption"}
    assert target_of(row) == "dog, cup"
    assert target_of(row | {"kind": "yes_no", "answer": "no"}) == "no"


def test_a_record_is_resampled_with_its_image_or_its_fact() -> None:
    assert resampling_unit(Record("2#q", scene_ids=("s1",), pair_id="p")) == "s1"
    assert resampling_unit(Record("q", scene_ids=("s1", "s2"))) == "s1 s2"
    assert resampling_unit(Record("2#q", scene_ids=("s1", "s2"), pair_id="2#p")) == "p"
