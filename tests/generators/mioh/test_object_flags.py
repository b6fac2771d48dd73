"""Which objects are asked about, and are easy or hard to see: every threshold on both sides."""

from dataclasses import replace

import pytest

from vhbench.generators.mioh.facts import Has
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.pressures import PressureThresholds
from vhbench.schema import Scene, SceneObject

LIMITS = PressureThresholds(
    small=1 / 64, large=1 / 16, tiny=1 / 32, related=1 / 128, hidden=0.5, clear=0.75, cut=0.5, margin=1 / 8
)
EASY, MEDIUM, HARD = {"asked", "easy", "soft", "related"}, {"asked", "soft", "related"}, {"asked", "hard", "related"}


def flags(*objects: SceneObject, size: tuple[int, int] = (1024, 1024)) -> list[set[str]]:
    words = frozenset(one.category for one in objects)
    pool = ScenePool([Scene("s", b"image", *size, objects, known=words, countable=words)], LIMITS)
    return [{name for name, rows in pool._flags.items() if rows[place]} for place in range(len(objects))]


def thing(width: float, height: float, x: float = 300, y: float = 300, **options) -> SceneObject:
    seen = {"visible_fraction": 1.0, "in_frame_fraction": 1.0} | options
    return SceneObject(0, "dog", (x, y, width, height), width * height, **seen)


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (thing(256, 256), EASY),  # a sixteenth
        (thing(255, 256), MEDIUM),
        (thing(128, 128), MEDIUM),  # a 64th
        (thing(127, 128), HARD),
        (thing(128, 64), HARD),  # a 128th
        (thing(128, 63), HARD - {"related"}),
        (thing(32, 512), MEDIUM),  # a 32nd of the side
        (thing(31, 1000), set()),
        (thing(1000, 31, 0), set()),
        (thing(58, 58), HARD - {"related"}),
        (thing(57, 57), set()),  # less than a fifth of what is small
        (thing(256, 256, visible_fraction=0.75), EASY),
        (thing(256, 256, visible_fraction=0.74), MEDIUM),
        (thing(256, 256, visible_fraction=0.5), MEDIUM),
        (thing(256, 256, visible_fraction=0.49), HARD),
        (thing(256, 256, in_frame_fraction=0.5), EASY),
        (thing(256, 256, in_frame_fraction=0.49), HARD),
        (thing(127, 128, visible_fraction=0.49), set()),  # small and hidden
        (thing(127, 128, in_frame_fraction=0.49), set()),
        (thing(256, 256, crowd=True), MEDIUM),
        (thing(127, 128, crowd=True), {"asked", "soft", "related"}),
    ],
)
def test_thresholds_of_areas_and_of_what_is_visible(one: SceneObject, found: set[str]) -> None:
    assert flags(one) == [found]


@pytest.mark.parametrize(
    ("x", "y", "width", "cut"),
    [
        (10, 400, 200, True),  # it touches the frame, and its centre is less than an eighth from it
        (11, 400, 200, False),
        (10, 400, 235, True),
        (10, 400, 236, False),
        (814, 400, 200, True),
        (813, 400, 200, False),
        (778, 400, 236, False),
        (400, 10, 200, True),
        (400, 11, 200, False),
        (400, 814, 200, True),
        (400, 813, 200, False),
    ],
)
def test_what_the_frame_seems_to_cut_off(x: float, y: float, width: float, cut: bool) -> None:
    height = 200 if y in (10, 11, 813, 814) else 400
    [found] = flags(thing(width, height, x, y, in_frame_fraction=None))
    assert ("hard" in found) is cut
    assert "asked" in found


@pytest.mark.parametrize(("others", "found"), [(7, HARD), (6, EASY)])
def test_a_mask_that_fills_less_than_others_of_its_category_is_partly_hidden(others: int, found: set[str]) -> None:
    same = [replace(thing(512, 512), id=n, visible_fraction=None) for n in range(others)]
    less = replace(same[0], id=others, area=same[0].area * 0.4)
    assert flags(*same, less)[-1] == found
    assert flags(*same, replace(less, area=less.area * 1.25))[-1] == (MEDIUM if others == 7 else EASY)


def test_sides_are_measured_by_the_longer_one_of_the_image() -> None:
    assert flags(thing(32, 256), size=(1024, 512)) == [MEDIUM]
    assert flags(thing(31, 256), size=(1024, 512)) == [set()]
    assert flags(thing(31, 256), size=(512, 1024)) == [set()]


def carried(*shares: float) -> tuple[bool, bool]:
    """Return whether photos of a black thing of the first share, and red ones, are easy or hard negatives of "red"."""
    sides = [1024 * share**0.5 for share in shares]
    things = tuple(
        replace(thing(side, side, x=20 + 250 * i, y=20), category=f"thing {i}", id=i,
                attributes=(("colour", "red" if i else "black"),), known_attributes=frozenset({"colour"}))
        for i, side in enumerate(sides)
    )  # fmt: skip
    words = frozenset(one.category for one in things)
    shown = replace(things[0], attributes=(("colour", "red"),)), *things[2:], replace(things[1], attributes=())
    scenes = [Scene(name, b"", 1024, 1024, own, known=words, countable=words) for name, own in
              (("false", things), ("true", shown))]  # fmt: skip
    binding = ScenePool(scenes, LIMITS).binding(Has("thing 0", "colour", "red"))
    return bool(binding.soft.any()), bool(binding.hard.any())


def test_a_distractor_shows_the_value_on_something_as_easy_to_see_as_the_thing() -> None:
    """Else the sizes of what has the value would tell photos in which the thing has it, which is large or small."""
    assert carried(1 / 16, 1 / 16) == (True, False)
    assert carried(1 / 16, 1 / 100) == (False, False)  # a large thing beside a small red one
    assert carried(1 / 100, 1 / 100) == (False, True)
    assert carried(1 / 100, 1 / 16) == (False, False)
