"""JSON becomes a record."""

import pytest

from vhbench.records import as_records, to_record, to_records
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
