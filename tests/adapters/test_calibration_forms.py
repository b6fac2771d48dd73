"""The forms in which an oracle says what it knows: whole responses."""

import pytest

from vhbench.adapters.calibration_forms import FORMS, as_statement, caption

YES_NO = {"kind": "yes_no", "question": "Is there a dog in the image?", "choices": [], "candidates": []}
CHOICE = {"kind": "multiple_choice", "question": "Which is it?", "choices": ["cat", "owl", "dog"], "candidates": []}
CAPTION = {"kind": "caption", "question": "", "choices": [], "candidates": ["boat"]}
DOG = "A picture of dog."


@pytest.mark.parametrize(
    ("form", "no", "letter", "text"),
    [
        ("plain", "no", "B", DOG),
        ("sentence", "There is no dog in the image.", "The answer is owl.", DOG),
        ("markdown", "## Answer\n\n**No**", "## Answer\n\n**B**", DOG),
        ("json", '{"answer": "no"}', '{"answer": "B"}', '{"caption": "A picture of dog."}'),
        ("boxed", "$\\boxed{\\text{No}}$", "$\\boxed{\\text{B}}$", DOG),
        (
            "thought",
            "<think>\nThe answer is yes. But wait, look again.\n</think>\n\nno",
            "<think>\nThe answer is A. The answer is C. But wait, look again.\n</think>\n\nB",
            "<think>\nA picture of boat. But wait, look again.\n</think>\n\nA picture of dog.",
        ),
    ],
)
def test_what_is_said_in_each_form(form: str, no: str, letter: str, text: str) -> None:
    assert FORMS[form](YES_NO, "no") == no
    assert FORMS[form](CHOICE, "B") == letter
    assert FORMS[form](CAPTION, caption(["dog"])) == text


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Are there no dogs in the image?", "There are no dogs in the image.", "There are dogs in the image."),
        ("Is there no dog in the image?", "There is no dog in the image.", "There is a dog in the image."),
        (
            "Are there exactly two dogs in the image?",
            "There are exactly two dogs in the image.",
            "There are not exactly two dogs in the image.",
        ),
        (
            "Is there a dog in every image?",
            "There is a dog in every image.",
            "There is not a dog in every image.",
        ),
        (
            "Is there a dog in any of the images?",
            "There is a dog in at least one of the images.",
            "There is no dog in any of the images.",
        ),
        ("Does the image show a park?", "The image shows a park.", "The image does not show a park."),
        ("Is it false that the dog is wet?", "The dog is not wet.", "The dog is wet."),
    ],
)
def test_the_statement_behind_a_question(question: str, yes: str, no: str) -> None:
    assert (as_statement(question, True), as_statement(question, False)) == (yes, no)


def test_a_caption_without_words_names_nothing() -> None:
    assert caption([]) == "A picture."


def test_a_wording_without_a_pattern_is_answered_in_a_word() -> None:
    assert as_statement("Is an owl missing from all of the images?", True) == "Yes."
    assert as_statement("Is an owl missing from all of the images?", False) == "No."
