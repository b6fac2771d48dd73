"""What follows from bounds on two numbers, (least, most): True, False, or None where it stays open."""

import pytest

from vhbench.audit.phrases import holds
from vhbench.audit.question_solver import _ahead, _same, choice
from vhbench.audit.restricted_oracles import VIEWS, left_open
from vhbench.schema import Question, Scene, SceneObject


@pytest.mark.parametrize(
    ("one", "two", "ahead", "same"),
    [
        ((3, 3), (2, 2), True, False),
        ((2, 2), (3, 3), False, False),
        ((2, 2), (2, 2), False, True),
        ((0, 0), (0, 0), False, False),  # the same number, but none is shown
        ((1, 9), (0, 0), True, False),
        ((0, 0), (1, 9), False, False),
        ((3, 5), (1, 2), True, False),
        ((1, 3), (3, 5), False, None),
        ((1, 4), (3, 5), None, None),
        ((3, 5), (1, 3), None, None),
        ((1, 9), (1, 9), None, None),
    ],
)
def test_what_bounds_tell_of_two_numbers(
    one: tuple[float, float], two: tuple[float, float], ahead: bool | None, same: bool | None
) -> None:
    assert _ahead(one, two) is ahead
    assert _same(one, two) is _same(two, one) is same


@pytest.mark.parametrize(("option", "expected"), [("0", False), ("1", None), ("two", None)])
def test_things_that_are_not_counted_are_at_least_one(option: str, expected: bool | None) -> None:
    cup = SceneObject(0, "cup", (0, 0, 9, 9), 81)
    uncounted = Scene("some", b"", 99, 99, (cup,), known=frozenset({"cup"}))
    assert choice("How many cups are there in all images together?", option, [uncounted]) is expected
    assert choice(f"Which image shows exactly {option} cups?", "Image 1", [uncounted]) is expected


@pytest.mark.parametrize(("word", "answer"), [("more", "B"), ("fewer", "A")])
def test_from_presence_an_image_without_any_has_fewer(word: str, answer: str) -> None:
    cup = SceneObject(0, "cup", (0, 0, 9, 9), 81)
    without, with_cups = (
        Scene(name, b"", 99, 99, things, known=frozenset({"cup"}), countable=frozenset({"cup"}))
        for name, things in (("none", ()), ("some", (cup,)))
    )
    question = Question(
        "q",
        question=f"Which image shows {word} cups, Image 1 or Image 2?",
        answer=answer,
        kind="multiple_choice",
        choices=("Image 1", "Image 2", "Both show the same number", "Neither shows any"),
        images=(),
        scene_ids=("none", "some"),
    )
    assert left_open(question, [without, with_cups], VIEWS["presence"]) == (answer,)


@pytest.mark.parametrize("phrase", ["cup to the left of a bowl", "bowl to the left of a cup"])
def test_a_relation_to_an_absent_object_is_false_whatever_is_known_of_the_other(phrase: str) -> None:
    empty = Scene("empty", b"", 99, 99, (), known=frozenset({"cup"}))
    assert holds(phrase, empty) is False
