"""Faults of captions and unbalanced answers, by hand: every bound on both sides."""

from collections import Counter

import pytest

from vhbench.audit.auditing import Audit, _caption_faults, _check_answer, imbalances
from vhbench.schema import Question, Scene, SceneObject

SCENE = Scene(
    "s", b"", 9, 9, (SceneObject(1, "dog", (0, 0, 1, 1), 1),), areas=("sky",), known=frozenset({"dog", "cat", "sky"})
)
VOCABULARY = ("dog", "sky", "cat", "boat", "kite")
TEXT = {"question": "Describe it.", "answer": ""}
RIGHT = {"objects": ("dog", "sky"), "candidates": ("cat",), "neutral": ("boat", "kite")}


def faults(**changed: tuple[str, ...]) -> list[str]:
    return list(
        _caption_faults(Question("q", kind="caption", images=(b"",), **TEXT, **{**RIGHT, **changed}), SCENE, VOCABULARY)
    )


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        ({"neutral": ("boat", "kite", "hat")}, []),  # a word that no one asked for is not known either
        ({"objects": ("dog",)}, ["objects lacks what the scene shows: sky"]),
        ({"objects": ("dog", "sky", "cat")}, ["objects names what the scene does not show: cat"]),
        ({"candidates": ("dog", "sky")}, ["candidates names what the scene shows: dog, sky"]),
        ({"candidates": ("boat",)}, ["candidates names what the scene does not know to be absent: boat"]),
        ({"neutral": ("boat", "kite", "cat")}, ["neutral names what the scene knows: cat"]),
        ({"neutral": ("boat",)}, ["neutral lacks words of the vocabulary that the scene does not know: kite"]),
        ({"objects": tuple("abcde") + RIGHT["objects"]}, ["objects names what the scene does not show: a, b, c, d, e"]),
        (
            {"objects": tuple("gfedcba") + RIGHT["objects"]},
            ["objects names what the scene does not show: a, b, c, d, e and 2 more"],
        ),
    ],
)
def test_words_of_a_caption(changed: dict[str, tuple[str, ...]], found: list[str]) -> None:
    assert faults(**changed) == found


def unbalanced(kind: str, options: int, **counts: int) -> list[str]:
    return list(imbalances(Audit(letters={"c": {(kind, options): Counter(counts)}})))


def test_a_share_may_be_four_standard_errors_from_a_fair_one() -> None:
    """Of 100 answers a half has an error of 5 %; of 100 of four options a quarter has one of 4.3 %."""
    assert unbalanced("yes_no", 0, yes=69, no=31) == []
    assert unbalanced("yes_no", 0, yes=71, no=29) == [
        "c: answer 'no' is correct in 29% of 100, expected 50%",
        "c: answer 'yes' is correct in 71% of 100, expected 50%",
    ]
    assert unbalanced("multiple_choice", 4, A=42, B=22, C=18, D=18) == []
    assert unbalanced("multiple_choice", 4, A=43, B=21, C=18, D=18) == [
        "c: option of 4 'A' is correct in 43% of 100, expected 25%"
    ]
    assert unbalanced("multiple_choice", 3, A=50, B=50) == ["c: option of 3 'C' is correct in 0% of 100, expected 33%"]


def test_few_answers_are_no_reason_for_a_warning() -> None:
    assert unbalanced("yes_no", 0, yes=39) == []
    assert len(unbalanced("yes_no", 0, yes=40)) == 2


def test_an_answer_is_right_wrong_or_open() -> None:
    result = Audit()
    asked = {"kind": "yes_no", "images": (b"",), "scene_ids": ("s",)}
    for number, (text, answer) in enumerate(
        [("Is there a dog in the image?", "yes"), ("Is there a cat in the image?", "yes"), ("Is it art?", "no")]
    ):
        question = Question(str(number), question=text, answer=answer, **asked)  # type: ignore[arg-type]
        _check_answer(question, [SCENE], result)
        _check_answer(question, [], result)
    assert result.right == 1
    assert result.open == {"yes_no": 4}
    assert result.faults == ["row '1': reference answer 'yes' to 'Is there a cat in the image?' contradicts scene s"]
