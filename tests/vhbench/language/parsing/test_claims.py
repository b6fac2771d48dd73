"""Claims of yes/no questions, read by hand."""

from math import inf
from typing import Any

import pytest

from vhbench.language.parsing.claims import claim

EXISTS = {"exists": True}


@pytest.mark.parametrize(
    ("question", "stems", "subject", "rest"),
    [
        ("Is there a dog in the image?", "dog", 0, EXISTS),
        ("Is there no dog in the image?", "dog", 0, {**EXISTS, "denied": True}),
        ("Does the image show a kitchen?", "kitchen", 0, EXISTS),
        ("Can you see a boat?", "boat", 0, EXISTS),
        ("Are there exactly two dogs in the image?", "dog", 0, {**EXISTS, "count": (2, 2)}),
        ("Are there at least three chairs?", "chair", 0, {**EXISTS, "count": (3, inf)}),
        ("Is there a cat or a dog?", "cat dog", 0, {**EXISTS, "either": ["cat", "dog"]}),
        ("Is the dog in the image brown?", "dog brown", 1, {}),
        ("Are the two dogs in the image sitting?", "dog sit", 1, {"all": True}),
        ("Are all the children happy?", "child happy", 1, {"all": True}),
        ("Is the plate to the left of the cup?", "plat left cup", 1, {}),
        ("Does the man look at the dog?", "man look dog", 1, {}),
        ("Is the man not wearing a hat?", "man wear hat", 1, {"denied": True}),
        ("Does the chart show that sales rose?", "sal ris", 1, {}),
        ("Is it false that the cup is red?", "cup red", 1, {"denied": True, "word": "false"}),
        ("Is x larger than 5?", "x larger than five", 1, {"value": (pytest.approx(5), inf)}),
        ("Is it possible to see the sky?", "possibl see sky", 0, {}),
    ],
)
def test_what_a_question_claims(question: str, stems: str, subject: int, rest: dict[str, Any]) -> None:
    found = claim(question)
    assert found is not None
    assert (" ".join(found.stems), found.subject) == (stems, subject)
    either = [" ".join(one.stems) for one in found.either]
    told = {
        name: getattr(found, name) for name in ("exists", "denied", "count", "value", "all", "word", "year", "quoted")
    }
    empty = {"exists": False, "denied": False, "count": None, "value": None, "all": False, "word": "", "year": ""}
    assert told | {"either": either} == {**empty, "quoted": False, "either": [], **rest}


@pytest.mark.parametrize("question", ["Why is the dog brown?", "Describe the image.", ""])
def test_what_is_no_yes_no_question_claims_nothing(question: str) -> None:
    assert claim(question) is None
