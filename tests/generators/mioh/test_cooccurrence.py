"""What goes with what in five scenes, counted by hand."""

from fractions import Fraction

import numpy as np
import pytest

from vhbench.generators.mioh.cooccurrence import Cooccurrence
from vhbench.generators.mioh.pressures import PressureThresholds
from vhbench.generators.mioh.scene_columns import SceneColumns, pack, unpack
from vhbench.schema import Scene, SceneObject, VhbenchError

ALL = frozenset({"bus", "cat", "dog"})
BUS, CAT, DOG = range(3)
THIRD, HALF, MOST = (float(np.float32(Fraction(*parts))) for parts in ((1, 3), (1, 2), (2, 3)))


def scene(name: str, shown: str, known: frozenset[str] = ALL, areas: str = "") -> Scene:
    objects = tuple(SceneObject(i, word, (10.0 * i, 10, 5, 5), 25) for i, word in enumerate(shown.split()))
    return Scene(name, b"image", 100, 100, objects, areas=frozenset(areas.split()), known=known, countable=known)


SCENES = [scene("1", "dog cat"), scene("2", "dog cat"), scene("3", "dog bus"), scene("4", "bus"), scene("5", "cat")]


def made(scenes: list[Scene] = SCENES, **options) -> Cooccurrence:
    return Cooccurrence(SceneColumns(scenes), PressureThresholds(), **options)


def test_pairs_are_counted_and_shares_estimated_where_there_are_three_scenes() -> None:
    found = made()
    assert found.columns.categories == ["bus", "cat", "dog"]
    assert found.together.tolist() == [[2, 0, 1], [0, 3, 2], [1, 2, 3]]
    assert found.chance.tolist() == [[0, 0, THIRD], [0, 0, MOST], [0, MOST, 0]]  # the bus is in two scenes only
    assert found.things.tolist() == [True] * 3


def test_a_scene_that_leaves_a_category_open_does_not_count_against_it() -> None:
    found = made([*SCENES[:2], scene("3", "dog bus", ALL - {"cat"}), *SCENES[3:]])
    assert found.chance[CAT, DOG] == 1
    assert found.chance[BUS, DOG] == pytest.approx(1 / 3)


def test_company_is_sorted_by_number_and_consists_of_things() -> None:
    assert made().company("dog") == ["cat", "bus"]
    assert made().company("dog", 1) == ["cat"]
    assert made().company("cat") == ["dog"]
    known = ALL | {"sky"}
    found = made([scene(str(n), "dog cat", known, "sky") for n in range(3)] + [scene("4", "dog bus", known)])
    assert found.together[DOG].tolist() == [1, 3, 4, 3]
    assert found.things.tolist() == [True, True, True, False]
    assert found.company("dog") == ["cat", "bus"]


def test_a_scene_scores_what_its_most_suggestive_category_does() -> None:
    found = made()
    assert found.score(CAT).tolist() == [MOST, MOST, MOST, 0, 0]
    assert found.score(BUS).tolist() == [THIRD, THIRD, THIRD, 0, 0]
    assert found.score(DOG).tolist() == [MOST, MOST, 0, 0, MOST]


def test_far_and_near_are_quantiles_of_the_scenes_without_it() -> None:
    found = made()  # no cat: scenes 3 and 4, which score 2/3 and 0
    assert found._levels(CAT) == pytest.approx((1 / 3, 0.8 * 2 / 3))
    far, near = found.split(CAT, found.columns.absent(CAT))
    assert (np.flatnonzero(far).tolist(), np.flatnonzero(near).tolist()) == ([3], [2])
    tied = made([*SCENES[:3], *(scene(str(n), "dog bus" if n == 4 else "bus") for n in range(4, 8))])
    assert tied._levels(CAT) == (0, 0.5)  # scenes 3 and 4 have a dog, as half of all with a cat; both are the most
    far, near = tied.split(CAT, tied.columns.absent(CAT))
    assert (np.flatnonzero(far).tolist(), np.flatnonzero(near).tolist()) == ([4, 5, 6], [2, 3])
    assert made([scene(str(n), "dog", frozenset({"dog"})) for n in range(2)])._levels(0) == (0.0, 1.0)  # none lacks it
    found = made([scene("1", "cat"), scene("2", "bus")])
    assert found._levels(CAT) == (0.0, pytest.approx(0.1))  # near is at least what counts as going together
    far, near = found.split(CAT, found.columns.absent(CAT))
    assert (far.any(), near.any()) == (True, False)


def test_a_category_set_aside_suggests_nothing() -> None:
    found = made()
    no = pack(found.columns.absent(CAT))

    def split(*aside: str) -> list[list[int]]:
        return [np.flatnonzero(unpack(bits, 5)).tolist() for bits in found.split_beside(CAT, no, aside)]

    assert split() == split("bus") == [[3], [2]]
    assert split("dog") == [[2, 3], []]


def test_only_what_suggests_counts() -> None:
    assert made(suggesting={"cat"}).chance.tolist() == [[0, 0, 0], [0, 0, 0], [0, MOST, 0]]
    assert not made(suggesting=()).chance.any()


def test_shares_may_come_from_other_scenes() -> None:
    known = frozenset({"dog", "cat", "hat"})
    others = [scene(str(n), "dog cat" if n else "dog hat", known) for n in range(4)]
    found = made(statistics=others)
    assert found.chance.tolist() == [[0, 0, 0], [0, 0, 0.75], [0, 1, 0]]
    assert found.together.tolist() == made().together.tolist()
    with pytest.raises(VhbenchError, match="cover none of the categories"):
        made(statistics=[scene("1", "hat", frozenset({"hat"}))])
