"""Noun phrases on a scene whose answers are known by hand."""

from dataclasses import replace

import pytest

from vhbench.audit.phrases import (
    Maybe,
    all_of,
    any_of,
    asked_phrases,
    category,
    count,
    has,
    holds,
    negation,
    pairs,
    related,
    to_number,
)
from vhbench.schema import Relation, Scene, SceneObject


def thing(number: int, category: str, x: float, colour: str = "", *, known: tuple[str, ...] = ()) -> SceneObject:
    attributes = (("colour", colour),) if colour else ()
    return SceneObject(
        number, category, (x, 0.0, 10.0, 10.0), 100.0, attributes=attributes, known_attributes=frozenset(known)
    )


# A red and a blue cup left of a dog; an uncounted pair of skis; grass; neither a cat nor a hot dog.
SCENE = Scene(
    "s",
    b"",
    100,
    100,
    (
        thing(1, "cup", 0, "red", known=("colour",)),
        thing(2, "cup", 20, "blue", known=("colour",)),
        thing(3, "dog", 50, "brown"),
        thing(4, "skis", 70),
    ),
    relations=(Relation(3, "on", 4), Relation(1, "near", 3)),
    environment="Park",
    areas=("grass",),
    known=frozenset({"cup", "dog", "skis", "cat", "hot dog"}),
    countable=frozenset({"cup", "dog", "cat"}),
    known_predicates=frozenset({"near"}),
)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("a cup", True),
        ("the Cups", True),
        ("cat", False),
        ("zebra", None),
        ("grass", True),
        ("park", True),
        ("pair of skis", True),
        ("two cups", True),
        ("2 cups", True),
        ("3 cups", False),
        ("one cup", False),
        ("0 cats", True),
        ("two skis", None),
        ("two hot dogs", False),
        ("red cup", True),
        ("green cup", False),
        ("black dog", None),
        ("black cat", False),
        ("light green hot dog", False),
        ("dog that is brown", True),
        ("red zebra", None),
        ("cup to the left of a dog", True),
        ("dog to the left of a cup", False),
        ("dog to the right of a cup", True),
        ("dog on the skis", True),
        ("cup near a dog", True),
        ("dog near a cup", False),
        ("dog behind a cup", None),
        ("cup near the cat", False),
        ("zebra to the left of a cat", False),
        ("zebra to the left of a dog", None),
        ("cat next to a zebra", False),
        ("dog next to a zebra", None),
    ],
)
def test_a_phrase_holds_as_far_as_the_scene_tells(phrase: str, expected: Maybe) -> None:
    assert holds(phrase, SCENE) is expected


def test_three_valued_logic() -> None:
    assert [any_of(values) for values in ([], [False, None], [False, None, True], [False])] == [
        False,
        None,
        True,
        False,
    ]
    assert [all_of(values) for values in ([], [True, None], [True, None, False], [True])] == [True, None, False, True]
    assert [negation(value) for value in (True, False, None)] == [False, True, None]


def test_the_category_of_a_phrase() -> None:
    other = replace(SCENE, known=frozenset({"zebra"}))
    assert [category(phrase, [SCENE]) for phrase in ("the cups", "rolls of grass", "Parks", "zebra")] == [
        "cup", "grass", "Park", "",
    ]  # fmt: skip
    assert category("zebras", [SCENE, other]) == "zebra"


def test_instances_are_counted_where_all_are_annotated() -> None:
    assert [count(name, SCENE) for name in ("cup", "cat", "hot dog", "skis", "zebra")] == [2, 0, 0, None, None]
    assert [to_number(word) for word in ("0", "12", "zero", "three", "many")] == [0, 12, 0, 3, None]


def test_an_object_without_a_category_may_have_the_value() -> None:
    unnamed = replace(SCENE, objects=(*SCENE.objects, thing(5, "", 90, "green")))
    assert [has("cup", value, unnamed) for value in ("red", "green", "pink")] == [True, None, False]
    assert has("", "red", SCENE) is None


def test_the_pairs_that_a_phrase_may_be_about() -> None:
    phrases = ("cup to the left of a dog", "dog to the left of a cat", "cups near the skis", "red cup", "green cup")
    assert [pairs(phrase, SCENE) for phrase in phrases] == [2, 0, 2, 2, 0]
    assert pairs("red zebra", SCENE) == 0


def test_an_opposite_or_turned_relation_between_two_single_objects_denies_one() -> None:
    def scene(cats: int, predicate: str = "above") -> Scene:
        animals = (thing(1, "dog", 0), *(thing(number + 2, "cat", 20) for number in range(cats)))
        known = frozenset({"dog", "cat"})
        return replace(
            SCENE, objects=animals, relations=(Relation(1, predicate, 2),), known=known, countable=known,
            known_predicates=frozenset(),
        )  # fmt: skip

    assert [related("dog", name, "cat", scene(1)) for name in ("above", "below", "on")] == [True, False, None]
    assert [related("cat", name, "dog", scene(1)) for name in ("above", "below", "on")] == [False, None, None]
    assert [related("dog", name, "cat", scene(2)) for name in ("above", "below")] == [True, None]
    assert related("cat", "on", "dog", scene(1, "on")) is False
    assert related("cat", "near", "dog", scene(1, "near")) is None


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((0,), (10,), True),  # one ends where the other begins
        ((0,), (9,), None),  # they overlap, with centres on the right sides
        ((0,), (0.01,), False),  # the same centre, but for rounding
        ((0,), (0.02,), None),
        ((30,), (0,), False),
        ((0, 30), (15,), True),  # one pair suffices
        ((5, 30), (10,), None),
        ((10, 30), (10,), False),
    ],
)
def test_boxes_tell_left_and_right(left: tuple[float, ...], right: tuple[float, ...], expected: Maybe) -> None:
    places = [*(("dog", x) for x in left), *(("cat", x) for x in right)]
    animals = tuple(thing(number, name, x) for number, (name, x) in enumerate(places))
    known = frozenset({"dog", "cat"})
    scene = replace(SCENE, objects=animals, relations=(), known=known, countable=known)
    assert related("dog", "left of", "cat", scene) is expected
    assert related("cat", "right of", "dog", scene) is expected
    assert related("dog", "far from", "cat", scene) is None
    if expected is False:
        assert related("dog", "left of", "cat", replace(scene, countable=frozenset())) is None


def test_the_phrases_of_a_question() -> None:
    assert asked_phrases('How many images shows "exactly two dogs" in every image?') == ("two dogs",)
    assert asked_phrases("Is there a red cup in any of the images?", ()) == ("red cup",)
    assert asked_phrases("Where is the dog?", ("Image 1", "I don't know")) == ("dog",)
    assert asked_phrases("Which is it?", ("Both show a dog", "a cup")) == ("cup",)
    assert asked_phrases("Which is it?") == ()
