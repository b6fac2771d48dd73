"""What a model's words say."""

import pytest

from vhbench.language import parsing

IMAGES = ["Both", "Neither", "Image 1", "Image 2"]


@pytest.mark.parametrize(
    ("expected", "texts"),
    [
        (
            "yes",
            ["Yes", "yes, it is not red", "**Yes**", "The answer is yes.", "<think>no</think>Yes", "\\boxed{yes}", "y"],
        ),
        (
            "no",
            ["No", "no!", "There is no dog.", "I don't see it", "It isn’t there", "Sure, I do not see", "Ｎｏ", "Nope"],
        ),
        ("no", ["Based on the image, there is no dog.", "Certainly not.", "Not really", '{"answer": "No"}', "\nNo\n"]),
        (
            "",
            ["", "I know", "Norway", "nothing like that", "Maybe", "Yes and no", "not sure", "I don't know", "No idea"],
        ),
        ("", ["There is a dog with no collar?", "It is not true that there is no dog", "No doubt about it", "The dog"]),
    ],
)
def test_yes_no_words(expected: str, texts: list[str]) -> None:
    for text in texts:
        assert parsing.yes_no(text) == expected, text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("True", "yes"),
        ("True.", "yes"),
        ("**False**", "no"),
        ("False, there is none", "no"),
        ("The answer is: False", "no"),
        ("True to life, it is red", ""),
        ("A false wall", ""),
        # What is described is not what was asked: unknown, and its share is reported.
        ("There is a dog.", ""),
        ("A dog.", ""),
        ("There is a dog in the image, not a cat", ""),
        ("Sure, based on the image, there is no dog", "no"),
    ],
)
def test_answers_that_are_neither_word(text: str, expected: str) -> None:
    assert parsing.yes_no(text) == expected


@pytest.mark.parametrize("text", ["0" * 5_000, "9" * 5_000 + ".", "1" * 5_000 + "§"])
def test_a_number_of_thousands_of_digits_is_no_answer(text: str) -> None:
    assert parsing.parse("yes_no", text, question="Is there a dog?") == ""
    assert parsing.parse("yes_no", text, question="Are there 3 dogs?") == ""
    assert parsing.parse("multiple_choice", text, ("0", "1", "2"), question="How many dogs are there?") == ""


LONG = 50_000


@pytest.mark.parametrize(
    "text",
    [
        *("!" * LONG + "x", "." * LONG + "x", "-" * LONG + "x", "<" * LONG, "</" * LONG, "answer" + " " * LONG + "x"),
        *("answer is" + ":" * LONG + "x", "answer is " + "'(" * LONG, "not" + "!" * LONG + "x", "based on " * LONG),
        *("<think>" * LONG, "A or " * LONG, "yes and " * LONG, "option " * LONG, "no" + " " * LONG + "x", "ﷺ" * LONG),
    ],
    ids=lambda text: repr(text[:10]),
)
def test_a_runaway_answer_comes_to_an_end(text: str) -> None:
    """Where a pattern goes back over a run of signs once for each of its ends, this takes minutes."""
    assert parsing.yes_no(text) in ("yes", "no", "")
    assert parsing.letter(text, IMAGES) in (*"ABCD", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("Answer: D", "D"),
        ("The correct answer is (C).", "C"),
        ("C. Image 1", "C"),
        ("image 2", "D"),
        ("Both Image 1 and Image 2 show it.", "A"),
        ("Neither image.", "B"),
        ("the first image", "C"),
        ("A or B", ""),
        ("A dog is there", ""),
        ("not A", ""),
        ("Image 1 or Image 2", ""),
        ("E", ""),
        ("", ""),
    ],
)
def test_letters(text: str, expected: str) -> None:
    assert parsing.letter(text, IMAGES) == expected


@pytest.mark.parametrize(
    ("kind", "response", "choices", "expected"),
    [
        ("yes_no", "I do not see a dog.", (), "no"),
        ("multiple_choice", "the second image", IMAGES, "D"),
        ("caption", "No dog is there.", (), ""),
    ],
)
def test_the_kind_of_a_question_says_how_its_answer_is_read(
    kind: str, response: str, choices: tuple[str, ...], expected: str
) -> None:
    assert parsing.parse(kind, response, choices) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes", "yes"),
        (" no. ", "no"),
        ("T", ""),
        ("true", "yes"),
        ("N", "no"),
        ("no, none", ""),
        ("1", "yes"),
        ("0", "no"),
        ("", ""),
    ],
)
def test_a_table_says_yes_or_no_and_nothing_else(text: str, expected: str) -> None:
    assert parsing.label(text) == expected


def test_the_references_are_there_with_their_faults() -> None:
    said = "Nothing is known"
    assert {name: parser(said) for name, parser in parsing.YES_NO.items()} == {
        "default": "",
        "pope": "yes",
        "ode": "no",
        "amber": "",
        "vhtest": "no",
        "lmms_eval": "",
    }
