"""Samples of lmms-eval's own tasks, in the forms in which lmms-eval 0.7 writes them."""

from typing import Any

import pytest

from vhbench.runs.samples import _options as options
from vhbench.runs.samples import is_sample, payload, rows_of

LETTER = "\nAnswer with the option's letter from the given choices directly."


def sample(prompt: str, target: str, said: Any, **payload: Any) -> dict[str, Any]:
    return {"doc_id": 4, "target": target, "filtered_resps": said, "doc_hash": "x", "input": prompt, **payload}


@pytest.mark.parametrize(
    ("logged", "question", "choices", "answer"),
    [
        # pope, mme
        (sample("Is there a dog?\nAnswer with a single word or phrase.", "yes", "Yes"), "Is there a dog?", [], "yes"),
        (sample("Is this Rome? Please answer yes or no.\nAnswer briefly.", "No", ["Yes"]), "Is this Rome?", [], "no"),
        # hallusion_bench_image: the target is a sentence
        (
            sample("Is it flat?", "It is round.", "No", aAcc={"question": "Is it flat?", "gt_answer": "0"}),
            "Is it flat?",
            [],
            "no",
        ),
        # mmvp, seedbench, scienceqa, ai2d, mmbench
        (sample("Is it open?\nA. Open\nB. Closed" + LETTER, "B", "B"), "Is it open?", ["Open", "Closed"], "B"),
        (sample("Is it open? (a) Open (b) Closed" + LETTER, "(b)", "b"), "Is it open?", ["Open", "Closed"], "B"),
        (
            sample("Context: A. Smith did it.\nWhich?\nA. a\nB. b\nC. c" + LETTER, "C", "C"),
            "Context: A. Smith did it.\nWhich?",
            ["a", "b", "c"],
            "C",
        ),
        # cv_bench, blink
        (sample("Only A, B.\nHow many?\n(A) 1\n(B) 0", "(B)", "(B)"), "Only A, B.\nHow many?", ["1", "0"], "B"),
        # mmstar, naturalbench: within a line
        (sample("Which?\nOptions: A: white, B: red, C: x" + LETTER, "B", "B"), "Which?", ["white", "red", "x"], "B"),
        (sample("Where? Option: A:on it; B:below; Please output it.", "A", "A"), "Where?", ["on it", "below"], "A"),
        # options in the picture alone
        (sample("Which part is the stem?", "C", "C"), "Which part is the stem?", [f"option {x}" for x in "ABCD"], "C"),
    ],
)  # fmt: skip
def test_question_options_and_right_answer(
    logged: dict[str, Any], question: str, choices: list[str], answer: str
) -> None:
    assert is_sample(logged)
    assert payload(logged) is None
    (row,) = rows_of(logged)
    assert (row["id"], row["question"], row["choices"], row["answer"]) == ("4", question, choices, answer)
    assert row["kind"] == ("multiple_choice" if choices else "yes_no")


@pytest.mark.parametrize("target", ["3", "Downhill", "a red car"])
def test_an_open_question_has_no_kind(target: str) -> None:
    (row,) = rows_of(sample("How many lanes?", target, "3"))
    assert row["kind"] == ""


def test_what_the_model_said_is_read_and_not_what_a_filter_left() -> None:
    (row,) = rows_of(sample("Which?\nA. root\nB. leaf", "B", "A", resps=["B. leaf, not A."]))
    assert row["response"] == "B. leaf, not A."


def test_repetitions_are_rows() -> None:
    logged = sample("Is it?", "yes", "Yes", resps=["Yes", "No"])
    assert [(row["id"], row["response"]) for row in rows_of(logged)] == [("4", "Yes"), ("2#4", "No")]


@pytest.mark.parametrize("said", [[["Yes"]], [[["Yes"]]], ["Yes"], "Yes"])
def test_lists_around_an_answer_are_taken_away(said: Any) -> None:
    (row,) = rows_of(sample("Is it?", "yes", said))
    assert row["response"] == "Yes"


def test_a_letter_in_the_words_of_a_question_is_no_option() -> None:
    assert options("Did A. Smith and C. Jones meet?") == ("Did A. Smith and C. Jones meet?", [])


def test_a_long_prompt_is_read_at_once() -> None:
    assert options("A." * 500_000)[1] == []
    assert options("(A" * 500_000)[1] == []
    assert options(" " * 1_000_000)[1] == []


def test_a_record_is_the_longest_entry_with_its_fields() -> None:
    record = {"id": "q", "response": "yes", "prediction": "yes"}
    assert payload({"doc_id": 1, "accuracy": record, "f1": record | {"words": 3}}) == record | {"words": 3}
    assert payload({"doc_id": 1, "accuracy": {"id": "q", "response": "yes"}}) is None
    assert payload({"doc_id": 1, "accuracy": {"id": "q", "response": "yes"}}, logged=True) is not None
    assert payload({"id": "q", "response": "yes", "prediction": "yes"}) is None  # a row of a file, not a sample
