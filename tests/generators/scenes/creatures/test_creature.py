"""Creatures: every action looks different from standing, and is drawn the same every time."""

import golden_drawings
import numpy as np
import pytest

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.creatures.creature import CREATURES, VARIANTS, creature
from vhbench.generators.scenes.drawings import artwork

SIDE = 96
LIMIT = 0.80
"""Greatest overlap (intersection over union) of an action's silhouette with that of standing."""


def silhouette(picture, word: str, action: str) -> np.ndarray:
    """Return a creature's outline at a common scale, on a canvas with room to shift it."""
    standing = artwork.draw(word)
    drawing = artwork.draw(word, action=action)
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


@pytest.mark.parametrize("word", ["dog", "giraffe", "woman"])
def test_actions_differ_from_one_another(word: str, picture) -> None:
    shapes = {action: silhouette(picture, word, action) for action in catalog.find(word).actions}
    names = list(shapes)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            assert best_overlap(shapes[one], shapes[other]) < 0.9, (one, other)


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
