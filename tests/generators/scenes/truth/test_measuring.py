"""Boxes, sizes, colours and contrast of small pictures that were made by hand."""

import golden_drawings
import numpy as np
import pytest

from vhbench import masks
from vhbench.generators.scenes import paints
from vhbench.generators.scenes.drawings.render import Placed, Silhouettes
from vhbench.generators.scenes.drawings.sprites import Look
from vhbench.generators.scenes.truth import measuring
from vhbench.generators.scenes.truth.measuring import Extent, seen_colour, size_name

RED, BLUE, BLACK, WHITE = (tuple(paints.channels(paints.paint(name))) for name in ("red", "blue", "black", "white"))


def placed(word: str = "car", *, depth: float = 0.8, **options) -> Placed:
    return Placed(0, options.pop("look", Look(word)), 0, 0, 10, depth, **options)


def owned(owner: list[list[int]], whole: list[int], in_frame: list[int], hidden=(), **options) -> Silhouettes:
    everywhere = (slice(0, len(owner)), slice(0, len(owner[0])))
    things = options.get("things", [placed()] * len(whole))
    windows = options.get("windows", [everywhere] * len(whole))
    overlap = np.array(hidden or np.zeros((len(whole), len(whole))), np.int64)
    return Silhouettes(things, np.array(owner, np.uint8), windows, np.array(whole), np.array(in_frame), overlap)


def test_what_is_visible_is_measured() -> None:
    first, second, third = measuring.measure(owned([[0, 1, 1, 0], [0, 1, 2, 0], [0, 0, 2, 2]], [8, 4, 5], [6, 4, 5]))
    assert first.box == (1, 0, 2, 2)
    assert first.area == 3
    assert first.visible.tolist() == [[True, True], [True, False]]
    assert (first.visible_fraction, first.in_frame_fraction) == (0.5, 0.75)
    assert (second.box, second.visible_fraction, second.in_frame_fraction) == ((2, 1, 2, 2), 0.75, 1)
    assert (third.box, third.area, third.visible_fraction, third.in_frame_fraction) == ((0, 0, 0, 0), 0, 0, 1)


def test_a_window_is_told_from_the_frame() -> None:
    [found] = measuring.measure(owned([[0, 0, 0, 0], [0, 0, 1, 1]], [2], [2], windows=[(slice(1, 2), slice(1, 4))]))
    assert found.box == (2, 1, 2, 1)
    [outside] = measuring.measure(owned([[0, 0]], [3], [0]))
    assert (outside.visible_fraction, outside.in_frame_fraction) == (0, 0)


@pytest.mark.parametrize(
    ("side", "name"),
    [
        (1, "tiny"), (5, "tiny"), (5.4, ""), (6.5, ""), (6.6, "small"), (11, "small"), (11.25, ""), (13.7, ""),
        (13.75, "medium"), (29.6, "medium"), (29.8, ""), (36, ""), (36.4, "large"), (95, "large"), (100, "large"),
    ],
)  # fmt: skip
def test_sizes_have_a_tenth_between_them(side: float, name: str) -> None:
    assert size_name((0, 0, side, side), 100, 100) == name
    assert size_name((0, 0, side * 2, side / 2), 200, 50) == name


@pytest.mark.parametrize(
    ("declared", "parts", "colour", "sure"),
    [
        ("red", {RED: 10}, "red", True),
        ("red", {RED: 5, BLACK: 3, WHITE: 2}, "red", True),
        ("red", {RED: 5, BLACK: 4, WHITE: 1}, "red", False),  # a second colour of two fifths
        ("red", {RED: 3, BLACK: 7}, "red", False),  # the only hue
        ("red", {RED: 3, BLUE: 2, BLACK: 5}, "red", False),
        ("red", {RED: 3, BLUE: 3, BLACK: 4}, "", False),
        ("red", {RED: 2, BLACK: 8}, "", False),
        ("red", {BLUE: 10}, "", False),
        ("black", {BLACK: 4, RED: 3, BLUE: 3}, "", False),  # black, white and gray are no hues
        ("black", {BLACK: 5, RED: 3, BLUE: 2}, "black", True),
    ],
)
def test_a_colour_is_that_of_half_or_the_most_of_any_hue(declared: str, parts, colour: str, sure: bool) -> None:
    pixels = np.array([rgb for rgb, number in parts.items() for _ in range(number)], np.uint8)
    assert seen_colour(declared, pixels) == (colour, sure)


def seen(rows: int, columns: int, *, at: tuple[int, int] = (0, 0), visible: float = 1, in_frame: float = 1) -> Extent:
    box = (float(at[0]), float(at[1]), float(columns), float(rows))
    return Extent(box, rows * columns, np.ones((rows, columns), np.bool_), visible, in_frame)


def picture(colour: tuple[int, ...], rows: int = 20, columns: int = 20) -> np.ndarray:
    return np.full((rows, columns, 3), colour, np.uint8)


def test_a_thing_is_described_as_it_is_seen() -> None:
    made = measuring.scene_object(7, placed("car", look=Look("car", "blue")), seen(4, 8, at=(2, 3)), picture(BLUE))
    assert (made.id, made.category, made.box, made.area) == (7, "car", (2, 3, 8, 4), 32)
    assert made.attributes == (("colour", "blue"), ("size", "medium"))
    assert made.known_attributes == {"colour", "size"}
    mask = masks.decode(made.mask)
    assert mask.shape == (20, 20)
    assert mask[3:7, 2:10].all()
    assert mask.sum() == 32


@pytest.mark.parametrize(
    ("thing", "colour", "told", "known"),
    [
        (Look("car"), RED, {"colour": "red"}, {"colour"}),  # its default colour
        (Look("car"), BLUE, {}, set()),
        (Look("dog", action="running"), BLUE, {"action": "running"}, {"action"}),
        (Look("dog"), BLUE, {"action": "standing"}, {"action"}),
        (Look("bird"), BLUE, {"colour": "blue"}, {"colour"}),  # nothing is told of what flies
        (Look("man", "red"), RED, {"action": "standing"}, {"action"}),  # the colour of clothes
        (Look("umbrella", "red", state="open"), RED, {"colour": "red", "state": "open"}, {"colour", "state"}),
    ],
)
def test_attributes_are_told_where_they_are_seen(thing: Look, colour, told: dict[str, str], known: set[str]) -> None:
    made = measuring.scene_object(1, placed(look=thing), seen(4, 8), picture(colour))
    assert dict(made.attributes) == {**told, "size": "medium"}
    assert made.known_attributes == known | {"size"}


@pytest.mark.parametrize(("visible", "in_frame", "whole"), [(0.8, 0.8, True), (0.79, 1, False), (1, 0.79, False)])
def test_the_state_of_what_is_hidden_is_not_known(visible: float, in_frame: float, whole: bool) -> None:
    umbrella = placed(look=Look("umbrella", "red", state="open"))
    made = measuring.scene_object(1, umbrella, seen(4, 8, visible=visible, in_frame=in_frame), picture(RED))
    assert dict(made.attributes)["state"] == "open"
    assert ("state" in made.known_attributes) is whole
    assert "colour" in made.known_attributes


def test_bodies_tell_what_hides_what() -> None:
    """The second covers 5 of the first's 10 pixels, which are 5 of its own 20; the third stands on the second."""
    things = [placed(depth=0.5), placed(depth=0.7), placed(depth=0.8, host=1, lifted=True)]
    truth = owned([[1]], [10, 25, 8], [10, 20, 8], [[0, 5, 0], [0, 0, 4], [0, 0, 0]], things=things)
    objects = [measuring.scene_object(i + 1, thing, seen(2, 2), picture(RED)) for i, thing in enumerate(things)]
    far, middle, near = measuring.bodies(objects, truth)
    assert (far.hides, far.over, far.host, far.lifted) == ({}, {}, None, False)
    assert (middle.hides, middle.over) == ({1: 0.5}, {1: 0.25})
    assert (near.hides, near.over) == ({2: 0.2}, {2: 0.5})
    assert (near.host, near.lifted, near.id, near.depth) == (2, True, 3, 0.8)
    truth = owned([[1]], [10], [10], things=[placed(host=0)])
    assert measuring.bodies(objects[:1], truth)[0].host == 1


def test_contrast_is_the_difference_from_the_rim() -> None:
    """White on black is 100 apart; half of it in white and half in black, on a white rim, is 50."""
    canvas = picture((0, 0, 0), 40, 40)
    thing = seen(10, 10, at=(15, 15))
    assert measuring.contrast(canvas, thing) == 0
    canvas[15:25, 15:25] = 255
    assert measuring.contrast(canvas, thing) == pytest.approx(100, abs=0.01)
    canvas[:] = 255
    canvas[15:20, 15:25] = 0
    assert measuring.contrast(canvas, thing) == pytest.approx(50, abs=0.01)
    assert measuring.contrast(canvas, seen(40, 40)) == 0  # there is nothing around it


def test_the_rim_is_a_tenth_of_the_longer_side_and_at_least_four_pixels() -> None:
    canvas = picture((0, 0, 0), 100, 100)
    canvas[40:60, 40:60] = (9, 9, 9)
    canvas[36:64, 36:64][canvas[36:64, 36:64] == 0] = 200
    assert measuring.surroundings(canvas, seen(20, 20, at=(40, 40))) == (200, 200, 200)
    wide = picture((0, 0, 0), 100, 100)
    wide[34:66, 14:86] = 100
    wide[40:60, 20:80] = 9
    assert measuring.surroundings(wide, seen(20, 60, at=(20, 40))) == (100, 100, 100)  # six pixels around
    cut = picture((50, 60, 70), 10, 10)
    cut[0:4, 0:4] = 0
    assert measuring.surroundings(cut, seen(4, 4)) == (50, 60, 70)


def test_large_things_are_sampled_on_a_grid() -> None:
    canvas = np.zeros((200, 200, 3), np.uint8)
    canvas[20:180, 20:180] = 255
    canvas[21:180:2] = 77  # every other row is passed over, and every other column
    within, around = measuring._sampled(canvas, seen(160, 160, at=(20, 20)))
    assert within.shape == (80 * 80, 3)
    assert (within == 255).all()
    assert len(around) == 96 * 96 - 80 * 80  # 16 pixels on each side
    assert measuring._grid(20, 160, 16, 2, 200) == (slice(4, 196, 2), (0, 8))
    assert measuring._grid(3, 10, 4, 1, 15) == (slice(0, 15, 1), (0, 3))
    assert measuring._grid(5, 10, 4, 3, 100) == (slice(1, 19, 3), (2, 2))


def test_no_scene_changes() -> None:
    assert golden_drawings.scenes() == golden_drawings.golden("scenes")
