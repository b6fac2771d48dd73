"""Failed requests and refusals are no answers: no credit in any metric, and no score where many failed."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from vhbench.schema import Record
from vhbench.tasks.metrics import amber, chair, multiple_choice, ode_captions, symmetric_accuracy, yes_no

DEAD = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Error code: 404 - There is no vision tower"
REFUSAL = "I cannot see the image."
WORDS = {"dog": ["puppy"], "cat": [], "boat": []}

Rows = Sequence[dict[str, Any]]


def yes_no_rows(said: Sequence[Any]) -> Rows:
    """Every other question is about something that is not there."""
    return [{"id": str(i), "answer": "yes" if i % 2 else "no", "response": text} for i, text in enumerate(said)]


def twin_rows(said: Sequence[Any]) -> Rows:
    return [
        {**row, "pair_id": str(i // 2), "negated": i % 2 == 1, "response": text}
        for i, (row, text) in enumerate(zip(yes_no_rows(said), said, strict=True))
    ]


def choice_rows(said: Sequence[Any]) -> Rows:
    return [
        {"id": str(i), "choices": ["a dog", "a cat"], "answer": "A", "response": text, "task": "existence"}
        for i, text in enumerate(said)
    ]


def caption_rows(said: Sequence[Any]) -> Rows:
    return [
        {"id": str(i), "kind": "caption", "objects": ["dog", "cat"], "candidates": ["boat"], "response": text}
        | ({"response": f"A {'very ' * i}nice dog"} if text == "dog" else {})
        for i, text in enumerate(said)
    ]


def amber_rows(said: Sequence[Any]) -> Rows:
    shared = {"kind": "yes_no", "question_type": "existence"}
    return [{**row, **shared} for row in yes_no_rows(said)]


def chair_score(rows: Rows, **how: Any) -> dict[str, Any]:
    captions = [{"image_id": row["id"], "caption": row["response"]} for row in rows]
    return chair.score(captions, {row["id"]: row["objects"] for row in rows}, synonyms=WORDS, **how)


def amber_score(rows: Rows, **how: Any) -> dict[str, Any]:
    result = amber.score_records(rows, **how)
    return {**result, "accuracy": result["scores"]["Exsitence"]["Accuracy"]}


METRICS: dict[str, tuple[Callable[..., dict[str, Any]], Callable[[Sequence[Any]], Rows], str, str]] = {
    "yes_no": (lambda rows, **how: yes_no.score_records(rows, positive="no", **how), yes_no_rows, "f1", "No"),
    "symmetric": (symmetric_accuracy.score, twin_rows, "symmetric_accuracy", "Yes"),
    "multiple_choice": (multiple_choice.score, choice_rows, "accuracy", "A"),
    "ode_captions": (
        lambda rows, **how: ode_captions.score(rows, vocabulary=WORDS, **how),
        caption_rows,
        "chair_s",
        "dog",
    ),
    "chair": (chair_score, caption_rows, "CHAIR_s", "dog"),
    "amber": (amber_score, amber_rows, "accuracy", "No"),
}
"""Metric → function, its rows, a score of it, and something that a model says."""

every = pytest.mark.parametrize("name", METRICS)


@every
@pytest.mark.parametrize("nothing", [DEAD, "", None, 'Error: can only concatenate str (not "NoneType") to str'])
def test_a_dead_endpoint_has_no_score(name: str, nothing: str | None) -> None:
    score, rows, headline, _ = METRICS[name]
    result = score(rows([nothing] * 4))
    assert result[headline] is None
    assert (result["failed"], result["refused"]) == (1, 0)
    assert result.get("unparsed", 0) == 0
    assert result["withheld"].startswith("4 of 4 requests failed (100.0 %), more than 1 %: scores are withheld")


@every
def test_every_fifth_failed_is_too_many_unless_that_is_allowed(name: str) -> None:
    score, rows, headline, said = METRICS[name]
    texts = [DEAD if i % 5 == 4 else said for i in range(20)]
    result = score(rows(texts))
    assert (result[headline], result["failed"]) == (None, 0.2)
    assert result["withheld"].startswith("4 of 20 requests")
    allowed = score(rows(texts), allow_failed=True)
    assert allowed[headline] is not None
    assert allowed["withheld"] is None


@every
def test_one_in_a_hundred_is_wrong_and_no_more(name: str) -> None:
    score, rows, headline, said = METRICS[name]
    result = score(rows([said] * 99 + [DEAD]))
    assert result["withheld"] is None
    assert result[headline] is not None
    assert result["failed"] == 0.01


@every
def test_who_refuses_gets_no_credit(name: str) -> None:
    score, rows, headline, _ = METRICS[name]
    result = score(rows([REFUSAL] * 4))
    assert (result["failed"], result["refused"], result["withheld"]) == (0, 1, None)
    assert result[headline] is None if headline in ("chair_s", "CHAIR_s") else result[headline] == 0


@pytest.mark.parametrize("name", ["ode_captions", "chair"])
def test_refusing_half_of_the_captions_makes_none_of_the_others_better(name: str) -> None:
    score, rows, headline, _ = METRICS[name]
    cover = "cover" if name == "ode_captions" else "recall"
    mentions = headline.replace("_s", "_i")
    given = score(rows(["A dog on a boat.", "A dog and a cat."]))
    assert (given[headline], given[cover]) == (0.5, 0.75)
    half = score(rows(["A dog on a boat.", "A dog and a cat.", REFUSAL, REFUSAL]))
    assert (half[headline], half[mentions]) == (given[headline], given[mentions])
    assert (half[cover], half["refused"]) == (0.375, 0.5)


def test_amber_counts_captions_that_were_given() -> None:
    rows = [*caption_rows(["A dog on a boat.", "A dog and a cat.", REFUSAL])]
    found = amber.score_records(rows, evaluation_type="g")
    assert found["printed"]["Generative Task"] == {"CHAIR": 25.0, "Cover": 50.0, "Hal": 50.0, "Cog": 50.0}
    assert found["scores"]["Generative Task (paper)"]["Hal"] == 0.5
    assert found["refused"] == pytest.approx(1 / 3)


def test_a_failed_request_is_no_new_case_and_neither_is_a_refusal() -> None:
    rows = twin_rows(["no", "no", "no", "no", *["no", "yes"] * 98, "no", DEAD, "no", REFUSAL])
    result = symmetric_accuracy.score(rows)
    assert result["withheld"] is None
    assert result["new_successful"] == 2, "of the four that are wrong"


def test_a_part_in_which_requests_failed_is_withheld_alone() -> None:
    rows = [
        dict(row, criterion="fictional" if i == 199 else "random")
        for i, row in enumerate(yes_no_rows(["No"] * 199 + [DEAD]))
    ]
    found = yes_no.score_records(rows, positive="no", by=["criterion"])
    assert found["accuracy"] == 0.5
    assert found["by"]["criterion"]["random"]["accuracy"] == pytest.approx(100 / 199)
    assert found["by"]["criterion"]["fictional"]["accuracy"] is None


def test_precision_does_not_reward_silence() -> None:
    rows = yes_no_rows(["No", "Yes", REFUSAL, REFUSAL])
    found = yes_no.score_records(rows, positive="no")
    assert (found["accuracy"], found["recall"], found["yes_rate"]) == (0.5, 0.5, 0.25)
    assert found["counters"]["lost_positive"] == found["counters"]["lost_negative"] == 1


def test_the_references_know_no_failures() -> None:
    found = yes_no.score([DEAD, "Yes"], ["no", "yes"], positive="yes", parser="pope", compat=True)
    assert (found["predictions"], found["failed"], found["withheld"]) == (["no", "yes"], 0, None)


def test_a_prediction_that_was_read_from_a_fault_does_not_count() -> None:
    record = Record("q", answer="no", response=DEAD, prediction="no")
    assert yes_no.score_records([record], positive="no", allow_failed=True)["accuracy"] == 0


def test_a_row_with_a_prediction_alone_did_not_fail() -> None:
    rows = [
        {"id": "a", "answer": "no", "prediction": "no"},
        {"id": "b", "answer": "no", "prediction": "", "response": ""},
    ]
    found = yes_no.score_records(rows, positive="no", allow_failed=True)
    assert (found["accuracy"], found["failed"]) == (0.5, 0.5)


@pytest.mark.parametrize("said", ["<think>The image shows", "<think>A dog.</think>", "...", "**"])
def test_what_says_nothing_is_no_caption_without_a_fault(said: str) -> None:
    for found in (ode_captions.score(caption_rows([said]), vocabulary=WORDS), chair_score(caption_rows([said]))):
        assert {found.get(name) for name in ("chair_s", "chair_i", "CHAIR_s", "CHAIR_i")} == {None}
        assert (found["counters"]["captions"], found["failed"], found["refused"]) == (0, 0, 0)
    both = ode_captions.score(caption_rows([said, "A boat."]), vocabulary=WORDS)
    assert both["chair_s"] == 1, "the share of captions with a fault is not halved"
    assert both["cover"] == 0


OVERLOADED = "The model is overloaded. Please try again later."


def errors(number: int) -> str:
    """Copies of an error differ in time and request."""
    return f"Server busy (request {number:05d}x, 2026-01-01T00:00:{number % 60:02d}Z)"


def loops(number: int) -> str:
    """Each image starts another loop."""
    return f"Image {number} shows " + f"thing {number} and " * 30 + "thi"


@every
@pytest.mark.parametrize(
    "said", [lambda i: OVERLOADED, lambda i: "N/A", errors, loops], ids=["overloaded", "n/a", "errors", "loops"]
)
def test_repeated_texts_without_an_answer_give_no_score(name: str, said: Callable[[int], str]) -> None:
    score, rows, metric, _ = METRICS[name]
    found = score(rows([said(i) for i in range(80)]))
    assert found[metric] is None
    assert found["withheld"] is not None
    assert score(rows([said(i) for i in range(80)]), allow_failed=True)["withheld"] is None


def test_the_reason_names_the_most_frequent_texts() -> None:
    waiting = "One moment please."
    found = multiple_choice.score(choice_rows([waiting] * 25 + ["N/A"] * 20 + ["A"] * 35))
    assert found["withheld"] == (
        "45 of 80 responses repeat a text without an answer, more than 50 %: scores are withheld; 25 times "
        f"{waiting!r}; 20 times 'N/A'"
    )


def test_an_outage_for_a_part_of_the_run_is_counted_as_failed() -> None:
    """Errors have no objects: as captions they would lower CHAIR."""
    found = ode_captions.score(caption_rows([OVERLOADED] * 3 + ["A cat."] * 77), vocabulary=WORDS)
    assert found["withheld"].startswith("3 of 80 requests failed (3.8 %)")


def test_captions_in_another_language_give_no_score() -> None:
    said = [f"图片中有{'很' * i}多东西。" for i in range(80)]
    found = ode_captions.score(caption_rows(said), vocabulary=WORDS)
    assert found["withheld"].startswith("80 of 80 captions contain no word of the vocabulary, more than 50 %")


@pytest.mark.parametrize(
    "said",
    [
        "Un homme avec un dog et {} chats dans une rue", "Een man met een dog en {} katten op het strand",
        "Un uomo con un dog e {} gatti sulla spiaggia", "Un hombre con un dog y {} gatos en la playa",
        "Ein Mann mit einem Dog und {} Katzen auf dem Boot", "Um homem com um dog e {} gatos na praia",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["ode_captions", "chair"])
def test_captions_in_another_language_that_name_an_object_give_no_score(name: str, said: str) -> None:
    score, rows, metric, _ = METRICS[name]
    found = score(rows([said.format("x " * number) for number in range(80)]))
    assert found[metric] is None
    withheld = "80 of 80 captions are not in English, more than 50 %: scores are withheld; the first: "
    assert found["withheld"] == withheld + repr(said.format(""))


@pytest.mark.parametrize(
    "said", ["dog, cat, many {}tables", "Man riding bicycle, {}dog standing", "Dog {}in Los Angeles at La Jolla"]
)
def test_english_captions_without_function_words_give_a_score(said: str) -> None:
    score, rows, metric, _ = METRICS["ode_captions"]
    found = score(rows([said.format(f"{number} ") for number in range(80)]))
    assert (found["withheld"], found[metric]) == (None, 0)


@pytest.mark.parametrize("said", ["Error {}", "A dog, code {}"])
def test_captions_that_differ_in_a_long_number_are_identical(said: str) -> None:
    score, rows, _, _ = METRICS["ode_captions"]
    found = score(rows([said.format(1234 + number) for number in range(80)]))
    assert found["withheld"].startswith("80 of 80 captions are identical, more than 50 %")


def test_the_same_answer_to_each_question_is_a_score() -> None:
    assert yes_no.score_records(yes_no_rows(["Yes"] * 80), positive="no")["accuracy"] == 0.5
    assert symmetric_accuracy.score(twin_rows(["Yes"] * 80))["symmetric_accuracy"] == 0
    assert multiple_choice.score(choice_rows(["A"] * 80))["accuracy"] == 1


def test_half_of_the_responses_without_an_answer_is_a_score_with_bounds() -> None:
    found = yes_no.score_records(yes_no_rows(["N/A"] * 40 + ["No"] * 40), positive="no")
    assert (found["accuracy"], found["bounds"]["accuracy"]) == (0.25, (0.25, 0.75))
    assert "40 of 80 responses (50.0 %) could not be parsed" in found["warnings"][-1]


def test_an_abstention_is_counted_apart_and_costs_less_than_a_wrong_answer() -> None:
    said = ["No"] * 10 + ["Yes"] * 2 + ["I cannot tell from the image."] * 6 + ["A boat."] * 2
    rows = [row | {"answer": "no"} for row in yes_no_rows(said)]
    found = yes_no.score_records(rows, positive="no")
    assert (found["accuracy"], found["abstained"], found["unparsed"]) == (0.5, 0.3, 0.1)
    assert found["answered_accuracy"] == pytest.approx(10 / 12)
    assert found["penalized_accuracy"] == pytest.approx((10 - 2 - 2) / 20)
    assert found["bounds"]["accuracy"] == (0.5, 0.6), "an abstention is an answer, and not the right one"


def test_whether_a_wrong_object_is_preferred_to_none() -> None:
    choices = ["dog", "cat", "bird", "None of the above"]
    said = ["D", "D", "A", "I cannot tell.", "A", "D"]
    rows = [
        {"id": str(i), "choices": choices, "answer": "D" if i < 4 else "A", "response": text}
        for i, text in enumerate(said)
    ]
    found = multiple_choice.score(rows)
    assert (found["none_recall"], found["none_rejected"]) == (0.5, 0.25)
    assert found["penalized_accuracy"] == pytest.approx((3 - 2 / 3) / 6)
    assert multiple_choice.score(choice_rows(["A"] * 4))["none_recall"] is None


@pytest.mark.parametrize(
    ("text", "withheld"),
    [
        ("A dog and {} cats", None),
        ("A dog and two cats", "captions are identical"),
        ("Request {} is queued.", "captions are identical"),
        ("\u7b2c{}\u5f20\u56fe\u7247\u7e41\u5fd9", "captions are identical"),
    ],
)
def test_captions_that_differ_in_their_numbers_are_not_identical(text: str, withheld: str | None) -> None:
    score, rows, _, _ = METRICS["ode_captions"]
    why = score(rows([text.format(number) for number in range(2, 22)]))["withheld"]
    assert why is None if withheld is None else withheld in why


def test_numbers_in_a_script_without_spaces_do_not_make_captions_identical() -> None:
    score, rows, _, _ = METRICS["ode_captions"]
    said = [
        f"\u56fe{subject}\u6709{number}\u4e2a" for number in range(4) for subject in "\u732b\u72d7\u724c\u9e1f\u6811"
    ]
    assert "identical" not in score(rows(said))["withheld"]


@pytest.mark.parametrize("name", ["yes_no", "multiple_choice"])
def test_the_first_error_is_in_the_reason(name: str) -> None:
    text = "The model is overloaded. Please try again later."
    if name == "yes_no":
        found = yes_no.score_records(yes_no_rows([text] * 20), positive="no")
    else:
        found = multiple_choice.score(choice_rows([text] * 20))
    assert f"; the first: {text!r}" in found["withheld"]


def test_the_first_loop_is_shown() -> None:
    loops = ["word" + "s" * number + " the" * 20 for number in range(20)]
    said = multiple_choice.score(choice_rows(loops))["withheld"]
    assert said.startswith("20 of 20 responses are loops without an answer, more than 50 %: scores are withheld")
    assert said.endswith("; the first: " + repr(loops[0]))


def test_captions_without_a_word_of_the_vocabulary_are_pointed_out() -> None:
    """They name nothing, and so nothing that is not there: 9 of 20 lower CHAIR from 100 to 55 %."""
    said = ["N/A"] * 9 + [f"A boat and {'very ' * number}big waves." for number in range(11)]
    found = ode_captions.score(caption_rows(said), vocabulary=WORDS)
    assert (found["withheld"], found["chair_s"]) == (None, 0.55)
    warning = "9 of 20 captions (45.0 %) contain no word of the vocabulary, and so no hallucination; the first: 'N/A'"
    assert found["warnings"] == [warning]
    assert ode_captions.score(caption_rows(said[6:]), vocabulary=WORDS)["warnings"] == [
        "3 of 14 captions (21.4 %) contain no word of the vocabulary, and so no hallucination; the first: 'N/A'"
    ]
    assert ode_captions.score(caption_rows(said[7:]), vocabulary=WORDS)["warnings"] == [], "2 of 13 are few"
