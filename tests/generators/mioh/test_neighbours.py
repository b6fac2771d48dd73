"""What is seen beside what, counted image by image."""

from dataclasses import replace

import numpy as np
import pytest

from vhbench.generators.mioh.facts import Fact, Has, Related
from vhbench.generators.mioh.neighbours import Neighbours
from vhbench.generators.mioh.pools import ScenePool
from vhbench.schema import Relation, Scene, SceneObject


@pytest.fixture(scope="module")
def pool(scenes: list[Scene]) -> ScenePool:
    return ScenePool(scenes[:200])  # fewer images than are looked through, so that every one counts


def test_neighbours_are_seen_together_and_apart(pool: ScenePool) -> None:
    facts: list[Fact] = [*pool.attribute_facts()]
    neighbours = Neighbours(facts, pool)
    where = [
        {part: {*pool.scenes_of(bits).tolist()} for part, bits in neighbours.parts(fact).items()} for fact in facts
    ]
    for fact, own in list(zip(facts, where, strict=True))[::5]:
        near = neighbours.near(fact)
        for other, its, often in zip(facts, where, near, strict=True):
            together = (
                (own["easy"], its["seen"]), (own["easy"], its["near"]), (own["near"], its["easy"]),
                (own["hard"], its["seen"]),
            )  # fmt: skip
            apart = own["easy"] & its["calm"] and its["easy"] & own["calm"]
            expected = sum(np.log1p(min(8, len(one & another))) for one, another in together)
            shown = other != fact and own["easy"] & its["seen"] and apart
            assert often == pytest.approx(expected if shown else 0), (fact, other)


def test_what_types_share_is_worked_out_once(pool: ScenePool) -> None:
    made = [pool.shared(("a", 1), lambda: object()) for _ in range(2)]
    assert made[0] is made[1]
    assert pool.shared(("a", 2), lambda: object()) is not made[0]


def test_right_of_is_left_of_from_the_other_side(pool: ScenePool) -> None:
    sides = [fact for fact in pool.relation_facts() if fact.predicate == "right of"]
    assert sides
    for fact in sides:
        right, left = pool.truth(fact), pool.truth(Related(fact.anchor, "left of", fact.subject))
        assert np.array_equal(right.yes, left.yes)
        for place in pool.scenes_of(right.yes)[:20]:
            things = pool.scenes[int(place)].objects
            assert any(
                one.category == fact.subject and other.category == fact.anchor
                and one.box[0] >= other.box[0] + other.box[2]
                for one in things for other in things
            )  # fmt: skip


def test_what_annotators_say_of_sides_against_the_boxes_settles_nothing() -> None:
    names = frozenset({"dog", "car"})
    things = (SceneObject(0, "dog", (10, 10, 30, 30), 900), SceneObject(1, "car", (60, 10, 30, 30), 900))
    listed = ((), (Relation(0, "left of", 1),), (Relation(1, "right of", 0),), (Relation(0, "right of", 1),),
              (Relation(1, "left of", 0),))  # fmt: skip
    scenes = [
        Scene(str(i), b"", 100, 100, things, relations=said, known=names, countable=names)
        for i, said in enumerate(listed)
    ]
    pool = ScenePool(scenes)
    for fact in (Related("dog", "left of", "car"), Related("car", "right of", "dog")):
        truth = pool.truth(fact)
        assert [pool.scenes_of(bits).tolist() for bits in (truth.yes, truth.no)] == [[0, 1, 2], []]
        truth = pool.truth(Related(fact.anchor, fact.predicate, fact.subject))
        assert [pool.scenes_of(bits).tolist() for bits in (truth.yes, truth.no)] == [[], [0, 1, 2]]


def _row_of(name: str, words: tuple[str, ...], red: tuple[int, ...] = ()) -> Scene:
    """Return an image with things from left to right, those at ``red`` red and the others blue."""
    things = tuple(
        SceneObject(
            i, word, (30.0 * i, 10, 25, 60), 1500, attributes=(("colour", "red" if i in red else "blue"),),
            known_attributes=frozenset({"colour"}), visible_fraction=1.0, in_frame_fraction=1.0,
        )
        for i, word in enumerate(words)
    )  # fmt: skip
    known = frozenset({"dog", "car", "cup"})
    return Scene(name, b"", 300, 100, things, known=known, countable=known)


def test_a_side_is_true_of_all_pairs_and_false_in_the_mirrored_image() -> None:
    orders = [
        ("dog", "dog", "car"),
        ("car", "dog", "dog"),
        ("dog", "car", "dog"),
        ("dog", "car"),
        ("dog", "dog", "cup"),
    ]
    pool = ScenePool([_row_of(str(i), words) for i, words in enumerate(orders)])
    truth = pool.truth(Related("dog", "left of", "car"))
    assert [pool.scenes_of(bits).tolist() for bits in (truth.yes, truth.no)] == [[0], [1, 4]]
    turned = pool.truth(Related("dog", "right of", "car"))
    assert [pool.scenes_of(bits).tolist() for bits in (turned.yes, turned.no)] == [[1], [0, 3, 4]]


def test_images_with_an_attribute_and_without_it_show_as_many_things_and_carriers() -> None:
    """A red dog among two red things is told from red things beside a dog that is not red, one dog in each."""
    scenes = [
        _row_of("true", ("dog", "cup", "car"), red=(0, 1)),
        _row_of("true, three red", ("dog", "cup", "car"), red=(0, 1, 2)),
        _row_of("true, two dogs", ("dog", "dog", "cup"), red=(0, 2)),
        _row_of("false", ("dog", "cup", "car"), red=(1, 2)),
        _row_of("false, one red", ("dog", "cup", "car"), red=(1,)),
        _row_of("no dog", ("cup", "car"), red=(0,)),
    ]
    pool, fact = ScenePool(scenes), Has("dog", "colour", "red")
    truth, binding = pool.truth(fact), pool.binding(fact)
    assert [pool.scenes_of(bits).tolist() for bits in (truth.yes, truth.no)] == [[0], [3, 4, 5]]
    assert [pool.scenes_of(bits).tolist() for bits in (binding.there, binding.soft)] == [[0, 3], [3]]
    assert pool.scenes_of(binding.odd).tolist() == [1, 2, 4]
    assert binding.number == 2  # one dog, two red things


def test_a_fact_whose_true_and_false_images_have_no_numbers_in_common_has_no_images() -> None:
    scenes = [_row_of("true", ("dog", "cup"), red=(0, 1)), _row_of("false", ("dog", "cup"), red=(1,))]
    truth = ScenePool(scenes).truth(Has("dog", "colour", "red"))
    assert [ScenePool(scenes).scenes_of(bits).tolist() for bits in (truth.yes, truth.easy)] == [[], []]


def test_an_image_of_a_red_dog_shows_another_thing_that_could_be_red() -> None:
    """Where the dog is not red, something else is: whoever counts such things would know the answer."""
    dog, cup = _row_of("true", ("dog", "cup"), red=(0,)).objects
    cups = {"true": cup, "grey": replace(cup, known_attributes=frozenset()),
            "small": replace(cup, box=(30.0, 10, 15, 15), area=225)}  # fmt: skip
    far = replace(dog, box=(0.0, 10, 15, 15), area=225)  # hard to see, so the other thing has to be, too
    scenes = [_row_of("alone", ("dog",), red=(0,)), _row_of("false", ("dog", "cup"), red=(1,)),
              replace(_row_of("far", ()), objects=(far, cup)),
              *(replace(_row_of(name, ()), objects=(dog, other)) for name, other in cups.items())]  # fmt: skip
    pool = ScenePool(scenes)
    truth = pool.truth(Has("dog", "colour", "red"))
    assert [pool.scenes_of(bits).tolist() for bits in (truth.yes, truth.easy, truth.no)] == [[3, 5], [3], [1]]


def test_where_sides_are_planned_no_other_relation_is_asked_about() -> None:
    names = frozenset({"dog", "car"})
    things = (SceneObject(0, "dog", (10, 10, 30, 30), 900), SceneObject(1, "car", (60, 10, 30, 30), 900))
    front = (Relation(0, "in front of", 1),)
    scenes = [Scene(f"{i}", b"", 100, 100, things, front, known=names, countable=names) for i in range(3)]
    of_all, of_planned = (
        {fact.predicate for fact in ScenePool(scenes, sided_pairs=pairs).relation_facts()}
        for pairs in (None, frozenset({names}))
    )
    assert of_all == {"left of", "right of", "in front of"}
    assert of_planned == {"left of", "right of"}
