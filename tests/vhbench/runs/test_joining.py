"""A file of responses is joined with its questions: each response with one, repetitions apart."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from vhbench.benchmarks import BENCHMARKS
from vhbench.runs import Responses, task_of
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


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (0, 2, 4, 1, 3, 5), (5, 3, 1, 0, 2, 4)])
def test_repetitions_have_their_number_in_both_ids_in_any_order(tmp_path: Path, order: Sequence[int]) -> None:
    said = [("d1", "yes"), ("2#d1", "no"), ("d2", "no"), ("2#d2", "yes"), ("m", "A"), ("2#m", "B")]
    found = joined(tmp_path, *(said[number] for number in order))
    told = [(record.id, record.pair_id, record.prediction) for record in found]
    assert [told[order.index(number)] for number in range(6)] == [
        ("d1", "d", "yes"),
        ("2#d1", "2#d", "no"),
        ("d2", "d", "no"),
        ("2#d2", "2#d", "yes"),
        ("m", "", "A"),
        ("2#m", "", "B"),
    ]
    assert found.uneven == []


def test_a_failed_first_repetition_is_kept_where_the_second_did_not_fail(tmp_path: Path) -> None:
    found = joined(tmp_path, ("2#d1", "yes"), ("d1", ""), ("d2", "no"), ("2#d2", "no"), ("m", "A"), ("2#m", "B"))
    assert ("d1", "failed") in [(record.id, record.failure) for record in found]
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


def test_questions_of_other_kinds_are_named_instead_of_an_id(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"questions\.jsonl: expected questions of the kind caption, got none$"):
        list(joined(tmp_path, ("d1", "yes"), kind="caption"))


@pytest.mark.parametrize(("tokens", "cut_off"), [(0, False), (MOST - 1, False), (MOST, True), (4096, True)])
def test_an_empty_response_that_spent_its_tokens_was_cut_off(tmp_path: Path, tokens: int, cut_off: bool) -> None:
    said = lines(tmp_path / "said.jsonl", [{"id": "d1", "response": "", "tokens": tokens}])
    found = Responses(said, questions=lines(tmp_path / "questions.jsonl", QUESTIONS[:1]))
    assert [record.cut_off for record in found] == [cut_off]


@pytest.mark.parametrize(("tokens", "cut_off"), [(63, [False, False]), (64, [True, False]), (512, [True, True])])
def test_the_limit_of_a_caption_is_its_task_s(tmp_path: Path, tokens: int, cut_off: list[bool]) -> None:
    about = {"kind": "caption", "benchmark": "chair", "objects": ["dog"], "question": "Describe the image."}
    asked = [{"id": f"7-{limit}", "question_type": f"{limit}_tokens", **about} for limit in (64, 512)]
    said = [{"id": row["id"], "response": "", "tokens": tokens} for row in asked]
    questions = lines(tmp_path / "questions.jsonl", asked)
    assert [one.cut_off for one in Responses(lines(tmp_path / "said.jsonl", said), questions=questions)] == cut_off


@pytest.mark.parametrize(
    ("row", "cut_off"),
    [
        ({"tokens": MOST}, True),
        ({"tokens": MOST, "finish_reason": "stop"}, False),
        ({"tokens": MOST + 1}, False),  # of a run with another limit
        ({"tokens": MOST - 1}, False),
        ({"tokens": 9, "finish_reason": "length"}, True),
    ],
)
def test_a_response_of_exactly_the_most_tokens_was_cut_off_unless_its_row_says_why_it_ended(
    tmp_path: Path, row: dict[str, Any], cut_off: bool
) -> None:
    said = lines(tmp_path / "said.jsonl", [{"id": "d1", "response": "Let me look at the dog", **row}])
    found = Responses(said, questions=lines(tmp_path / "questions.jsonl", QUESTIONS[:1]))
    assert [record.cut_off for record in found] == [cut_off]


def test_without_questions_a_response_has_what_its_row_has(tmp_path: Path) -> None:
    said = lines(tmp_path / "said.jsonl", [QUESTIONS[0] | {"response": "No, there is none."}])
    assert list(Responses(said)) == [
        Record(
            "d1", question="Is there a dog?", answer="yes", kind="yes_no", benchmark="ode", pair_id="d", prediction="no"
        )
    ]


@dataclass
class Judge:
    """A judge that has one reply to everything, and keeps what it was handed."""

    reply: str
    seen: list[str] = field(default_factory=list)
    asked: int = 0

    def replies(self, records: Sequence[Record]) -> Iterator[str]:
        self.seen += [record.id for record in records]
        return iter([self.reply] * len(records))


def test_a_judge_is_handed_captions_and_what_the_rules_cannot_read(tmp_path: Path) -> None:
    judge = Judge("B")
    found = joined(tmp_path, ("d1", "Yes."), ("m", "The one that barks."), ("d2", ""), judge=judge)
    told = {record.id: (record.prediction, record.response) for record in found}
    assert judge.seen == ["m"]
    assert told == {"d1": ("yes", ""), "m": ("B", ""), "d2": ("", "")}


def test_a_judged_caption_keeps_its_words(tmp_path: Path) -> None:
    caption = {"id": "c", "kind": "caption", "objects": ["dog"], "benchmark": "ode", "response": "A dog runs."}
    [record] = Responses(lines(tmp_path / "said.jsonl", [caption]), judge=Judge("dog"))  # type: ignore[arg-type]
    assert (record.prediction, record.response) == ("dog", "A dog runs.")


def test_a_table_of_captions_has_the_objects_of_ode_and_amber(tmp_path: Path) -> None:
    questions = lines(tmp_path / "questions.jsonl", [{"id": 7, "truth": ["dog"], "hallu": ["cat"]}])
    said = lines(tmp_path / "said.jsonl", [{"id": 7, "response": "A dog."}])
    [record] = Responses(said, questions=questions)
    assert (record.id, record.objects, record.candidates, record.response) == ("7", ("dog",), ("cat",), "A dog.")


def test_the_task_of_a_samples_file_is_what_follows_the_date() -> None:
    assert task_of(Path("x/20260101_samples_ode_fictional.jsonl")) == "ode_fictional"
    assert task_of(Path("20260101_samples_my_samples_task.jsonl")) == "my_samples_task"
