"""A file of responses is joined with its questions: each response with one, repetitions apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from vhbench.benchmarks import BENCHMARKS
from vhbench.runs import Responses
from vhbench.schema import Record, VhbenchError

QUESTIONS = [
    {"id": "d1", "pair_id": "d", "question": "Is there a dog?", "answer": "yes", "kind": "yes_no", "benchmark": "ode"},
    {"id": "d2", "pair_id": "d", "question": "Is there no dog?", "answer": "no", "kind": "yes_no", "benchmark": "ode"},
    {"id": "m", "question": "Which?", "choices": ["cat", "dog"], "answer": "B", "kind": "multiple_choice"},
]


MOST = BENCHMARKS["ode"].families["yes_no"].max_new_tokens


def lines(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def joined(tmp_path: Path, *responses: tuple[str, str], **more: Any) -> Responses:
    """Responses by id, and the three questions."""
    rows = [{"id": name, "response": said} for name, said in responses]
    return Responses(
        lines(tmp_path / "said.jsonl", rows), questions=lines(tmp_path / "questions.jsonl", QUESTIONS), **more
    )


def test_each_response_is_read_with_its_question(tmp_path: Path) -> None:
    found = joined(tmp_path, ("m", "(B) dog"), ("d2", "Yes, there is no dog."), ("d1", "Yes."))
    told = {record.id: (record.prediction, record.answer, record.pair_id) for record in found}
    assert told == {"m": ("B", "B", ""), "d2": ("yes", "no", "d"), "d1": ("yes", "yes", "d")}
    assert (found.asked.total(), found.missing.total(), found.count) == (3, 0, 3)


def test_questions_without_a_response_are_missing(tmp_path: Path) -> None:
    found = joined(tmp_path, ("d2", "no"))
    assert [record.id for record in found] == ["d2"]
    assert (found.asked.total(), found.missing.total(), found.first_missing) == (3, 2, "d1")


def test_repetitions_have_their_number_in_both_ids(tmp_path: Path) -> None:
    found = joined(tmp_path, ("d1", "yes"), ("2#d1", "no"), ("d2", "no"), ("2#d2", "yes"), ("m", "A"), ("2#m", "B"))
    told = [(record.id, record.pair_id, record.prediction) for record in found]
    assert told == [
        ("d1", "d", "yes"),
        ("2#d1", "2#d", "no"),
        ("d2", "d", "no"),
        ("2#d2", "2#d", "yes"),
        ("m", "", "A"),
        ("2#m", "", "B"),
    ]
    assert found.uneven == []


def test_unequal_repetitions_are_named(tmp_path: Path) -> None:
    found = joined(tmp_path, ("d1", "yes"), ("2#d1", "no"), ("d2", "no"), ("m", "A"))
    assert len(list(found)) == 4
    [note] = found.uneven
    assert "ode: partial: 1 to 2 questions have an answer in each of 2 repetitions" in note


def test_a_rotated_question_has_its_options_in_the_order_that_was_asked(tmp_path: Path) -> None:
    [record] = joined(tmp_path, ("r2#m", "A"))
    assert (record.choices, record.answer, record.prediction) == (("dog", "cat"), "A", "A")


@pytest.mark.parametrize("twice", ["d1", "2#d1", "r2#m"])
def test_two_responses_to_a_question_are_an_error(tmp_path: Path, twice: str) -> None:
    said = [("d1", "yes"), (twice, "yes"), (twice, "no")] if twice == "2#d1" else [(twice, "A"), (twice, "B")]
    with pytest.raises(VhbenchError, match=f"id '{twice}' occurs twice; expected one response per question"):
        list(joined(tmp_path, *said))


def test_an_unknown_id_is_an_error_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"said\.jsonl, row 2: expected the id of one of 3 questions in .*, got 'x'"):
        list(joined(tmp_path, ("d1", "yes"), ("x", "yes")))


@pytest.mark.parametrize(("tokens", "cut_off"), [(0, False), (MOST - 1, False), (MOST, True), (4096, True)])
def test_an_empty_response_that_spent_its_tokens_was_cut_off(tmp_path: Path, tokens: int, cut_off: bool) -> None:
    said = lines(tmp_path / "said.jsonl", [{"id": "d1", "response": "", "tokens": tokens}])
    found = Responses(said, questions=lines(tmp_path / "questions.jsonl", QUESTIONS[:1]))
    assert [record.cut_off for record in found] == [cut_off]


def test_without_questions_a_response_has_what_its_row_has(tmp_path: Path) -> None:
    said = lines(tmp_path / "said.jsonl", [QUESTIONS[0] | {"response": "No, there is none."}])
    assert list(Responses(said)) == [
        Record(
            "d1", question="Is there a dog?", answer="yes", kind="yes_no", benchmark="ode", pair_id="d", prediction="no"
        )
    ]
