"""Creatures: every action looks different from standing, and is drawn the same every time."""

import math

import golden_drawings
import numpy as np
import pytest

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.creatures import people
from vhbench.generators.scenes.creatures.creature import CREATURES, VARIANTS, creature
from vhbench.generators.scenes.creatures.sketch import polar
from vhbench.generators.scenes.drawings import artwork

SIDE = 96
LIMIT = 0.80
"""Greatest overlap (intersection over union) of an action's silhouette with that of standing."""


def silhouette(picture, word: str, action: str, variant: int = 0) -> np.ndarray:
    """Return a creature's outline at a common scale, on a canvas with room to shift it."""
    standing = artwork.draw(word)
    drawing = artwork.draw(word, action=action, variant=variant)
    side = max(drawing.width, drawing.height) / max(standing.width, standing.height) * SIDE
    alpha = picture(drawing, size=round(side), margin=0)[..., 3] > 127
    canvas = np.zeros((SIDE * 3, SIDE * 3), dtype=bool)
    rows, columns = alpha.any(1).nonzero()[0], alpha.any(0).nonzero()[0]
    shape = alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    top, left = SIDE * 3 // 2 - shape.shape[0] // 2, SIDE * 3 // 2 - shape.shape[1] // 2
    canvas[top : top + shape.shape[0], left : left + shape.shape[1]] = shape
    return canvas


def best_overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Return the greatest IoU over all shifts, so that it does not matter where the two are drawn."""
    transform = np.fft.rfft2(one) * np.conj(np.fft.rfft2(other))
    common = float(np.fft.irfft2(transform, s=one.shape).max())
    return common / (float(one.sum()) + float(other.sum()) - common)


def test_every_stroke_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the digests where a drawing shall change, which changes hashes of splits."""
    assert golden_drawings.creatures() == golden_drawings.golden("creatures")


@pytest.mark.parametrize("word", CREATURES)
def test_every_action_differs_from_standing(word: str, picture) -> None:
    actions = catalog.find(word).actions
    assert len(actions) >= 5
    standing = silhouette(picture, word, "")
    overlaps = {action: best_overlap(standing, silhouette(picture, word, action)) for action in actions}
    assert {action: round(value, 2) for action, value in overlaps.items() if value > LIMIT} == {}


@pytest.mark.parametrize(("word", "variant"), [("dog", 0), ("giraffe", 0), ("woman", 0), ("woman", 2), ("child", 6)])
def test_actions_differ_from_one_another(word: str, variant: int, picture) -> None:
    shapes = {action: silhouette(picture, word, action, variant) for action in ("", *catalog.find(word).actions)}
    names = list(shapes)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            assert best_overlap(shapes[one], shapes[other]) < 0.9, (one, other)


@pytest.mark.parametrize("word", people.FIGURES)
def test_every_posture_of_a_person_is_drawn_from_three_sides(word: str) -> None:
    for action in ("", *catalog.find(word).actions):
        drawn = [people._person(word, "", action, variant) for variant in range(VARIANTS)]
        assert {who.head.view for who in drawn} == {"front", "quarter", "side"}, action
        assert {who.stance.front for who in drawn if who.head.view == "front"} == {True}, action
        assert {who.stance.front for who in drawn if who.head.view == "side"} == {False}, action


@pytest.mark.parametrize("word", people.FIGURES)
def test_hands_hold_the_knees_or_one_another(word: str, monkeypatch) -> None:
    """Each palm, 2.2 of 100 units beyond the wrist, is on what it holds; the bones of the arm keep their lengths."""
    palms: list[tuple[float, float]] = []
    monkeypatch.setattr(people, "_hand", lambda _, who, wrist, turn, *rest: palms.append(polar(wrist, turn, 2.2)))
    for action, variant in (("sitting", 0), ("sitting", 2), ("crouching", 1), ("crouching", 2), ("", 1)):
        palms.clear()
        people.person(word, "", action, variant)
        who = people._person(word, "", action, variant)
        far, near = (who.joints(side)[1] for side in (-1, 1)) if action else (palms[1], palms[0])
        assert math.dist(palms[0], far) < 5 * who.unit, (action, variant)
        assert math.dist(palms[1], near) < 5 * who.unit, (action, variant)


def test_a_hand_that_holds_something_bends_the_arm_outwards() -> None:
    root, held = (0.0, 0.0), (0.0, -20.0)
    for side in (-1, 1):
        elbow, wrist = people._bent(root, held, 1.0, side)
        assert (math.dist(root, elbow), math.dist(elbow, wrist)) == pytest.approx((16.5, 13.5))
        assert wrist == pytest.approx((0, -16.6))
        assert elbow[0] * side > 5
    assert people._bent(root, (0.0, -50.0), 1.0, 1)[1] == pytest.approx((0, -29.5))  # out of reach


def test_overlap_of_a_shape_with_itself_is_one(picture) -> None:
    shape = silhouette(picture, "cat", "")
    assert best_overlap(shape, np.roll(shape, (5, -9), (0, 1))) == pytest.approx(1)


@pytest.mark.parametrize("word", CREATURES)
def test_creatures_are_tight_and_stand_on_the_ground(word: str, picture) -> None:
    for action in ("", *catalog.find(word).actions):
        drawing = artwork.draw(word, action=action)
        alpha = picture(drawing, size=150, margin=15)[..., 3] > 60
        rows, columns = alpha.any(1).nonzero()[0], alpha.any(0).nonzero()[0]
        scale = 150 / max(drawing.width, drawing.height)
        assert abs(rows[0] - 15) <= 2
        assert abs(columns[0] - 15) <= 2
        assert abs(rows[-1] + 1 - 15 - drawing.height * scale) <= 2
        assert abs(columns[-1] + 1 - 15 - drawing.width * scale) <= 2


def test_variants_differ_and_repeat() -> None:
    looks = {creature("woman", "", "", variant)[0] for variant in range(VARIANTS)}
    assert len(looks) >= 5
    assert creature("woman", "", "", 3) == creature("woman", "", "", 3 + VARIANTS)
    assert creature("cow", "", "", 0)[0] != creature("cow", "", "", 1)[0]
