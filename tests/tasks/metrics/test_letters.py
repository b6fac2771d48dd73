"""A model that follows the letter of an option is named."""

from collections.abc import Callable

import pytest

from vhbench.tasks.metrics.multiple_choice import score

CHOICES = ["cat", "dog", "cow", "None of the above"]


@pytest.mark.parametrize(
    ("responses", "named"),
    [
        ("A" * 80, "A is 100.0 % of the predictions, and correct in 25.0 % of the questions"),
        ("BACD" * 10 + "BBBB" * 10, "B is 62.5 % of the predictions, and correct in 25.0 % of the questions"),
        ("ABCD" * 20, ""),
        ("DCBA" * 20, ""),  # always wrong, but no letter is favoured
        ("B" * 40 + "ABCD" * 10, "B is 62.5 % of the predictions, and correct in 25.0 % of the questions"),
        ("D" * 80, ""),  # "None of the above" may be chosen for what it says
    ],
)
def test_a_favoured_letter_is_named(responses: str, named: str) -> None:
    rows = [
        {"id": n, "choices": CHOICES, "answer": "ABCD"[n % 4], "response": text, "scene_ids": [f"s{n}"]}
        for n, text in enumerate(responses)
    ]
    assert score(rows)["warnings"] == ([f"predictions follow the letter: {named}"] if named else [])


def test_a_favoured_letter_that_is_never_correct_is_named() -> None:
    rows = [
        {
            "id": n,
            "choices": ["cat", "dog", "cow", "hen"],
            "answer": "ABC"[n % 3],
            "response": "D",
            "scene_ids": [f"s{n}"],
        }
        for n in range(60)
    ]
    told = "D is 100.0 % of the predictions, and correct in 0.0 % of the questions"
    assert score(rows)["warnings"] == [f"predictions follow the letter: {told}"]


@pytest.mark.parametrize(
    ("letter", "named"),
    [
        (lambda question, rotation: "ABCD"[question % 4], True),  # another letter per question, kept while options move
        (lambda question, rotation: "ABCD"[(question + rotation) % 4], False),  # the option
        (lambda question, rotation: "ABCD"[hash((question, rotation)) % 4], False),
    ],
)
def test_a_letter_that_a_question_keeps_over_rotations_is_named(letter: Callable[[int, int], str], named: bool) -> None:
    options = ["cat", "dog", "cow", "hen"]
    rows = [
        {
            "id": f"r{rotation + 1}#q{question}",
            "choices": [options[(place - rotation) % 4] for place in range(4)],
            "answer": "ABCD"[(question + rotation) % 4],
            "response": letter(question, rotation),
            "scene_ids": [f"s{question}"],
        }
        for question in range(40)
        for rotation in range(4)
    ]
    told = (
        "predictions follow the letter: 100.0 % of the questions have the same letter in all rotations of the options"
    )
    assert score(rows)["warnings"] == ([told] if named else [])
