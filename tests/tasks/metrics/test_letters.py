"""A model that follows the letter of an option is named."""

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
        ("D" * 80, ""),  # "None of the above" may be chosen for what it says
    ],
)
def test_a_favoured_letter_is_named(responses: str, named: str) -> None:
    rows = [
        {"id": n, "choices": CHOICES, "answer": "ABCD"[n % 4], "response": text, "scene_ids": [f"s{n}"]}
        for n, text in enumerate(responses)
    ]
    assert score(rows)["warnings"] == ([f"predictions follow the letter: {named}"] if named else [])
