"""What is nearer covers what is farther, pixel by pixel, and nothing is drawn outside the image."""

from dataclasses import replace

import numpy as np
import pytest

from vhbench.generators.scenes.drawings import render
from vhbench.generators.scenes.drawings.render import Placed, paint, silhouettes
from vhbench.generators.scenes.drawings.sprites import Look, Shadow, Sprite
from vhbench.generators.scenes.environments.backdrops import Backdrop

GREY = Backdrop("room", "", np.full((4, 6, 3), 100, np.uint8), (), haze=(250, 0, 100), light=(1.0, 1.0, 1.0))
FAR = Placed(0, Look("far"), x=1, y=0, longest=3, depth=0.25, grounded=False)
NEAR = Placed(1, Look("near"), x=3, y=2, longest=3, depth=0.5, grounded=False)


def square(look: Look, longest: int) -> Sprite:
    """Return a square whose colour tells the look; half of the right column is covered."""
    colour = {"far": (200, 0, 50), "near": (0, 200, 50)}[look.word]
    alpha = np.full((longest, longest), 255, np.uint8)
    alpha[:, -1] = 51
    return Sprite(np.full((longest, longest, 3), colour, np.uint8), alpha, alpha >= 128)


def spot(look: Look, longest: int) -> Shadow:
    """Return a shadow of one pixel, left of the square's second row."""
    return Shadow(np.array([[51]], np.uint8), (-1, 1))


@pytest.fixture(autouse=True)
def _squares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "sprite", square)
    monkeypatch.setattr(render, "shadow", spot)


def test_a_pixel_is_owned_by_the_nearest_that_covers_it() -> None:
    owned = silhouettes([NEAR, FAR], 6, 4)
    assert owned.owner.tolist() == [[0, 2, 2, 0, 0, 0], [0, 2, 2, 0, 0, 0], [0, 2, 2, 1, 1, 0], [0, 0, 0, 1, 1, 0]]
    assert owned.windows == [(slice(2, 4), slice(3, 6)), (slice(0, 3), slice(1, 4))]
    assert (owned.whole.tolist(), owned.in_frame.tolist()) == ([6, 6], [4, 6])
    assert owned.hidden.tolist() == [[0, 0], [0, 0]]
    assert [part.dtype for part in (owned.owner, owned.whole, owned.hidden)] == [np.uint8, np.int64, np.int64]
    nearer = silhouettes([replace(NEAR, x=2, y=1), FAR], 6, 4)
    assert nearer.owner.tolist() == [[0, 2, 2, 0, 0, 0], [0, 2, 1, 1, 0, 0], [0, 2, 1, 1, 0, 0], [0, 0, 1, 1, 0, 0]]
    assert nearer.hidden.tolist() == [[0, 0], [2, 0]]  # the second is covered by the first


def test_of_equal_depths_the_later_is_nearer() -> None:
    same = [replace(NEAR, x=0, y=0), replace(FAR, x=0, y=0, depth=NEAR.depth)]
    assert set(silhouettes(same, 6, 4).owner.ravel()) == {0, 2}
    assert paint(same, GREY)[0, 0].tolist() == [200, 0, 50]
    assert paint(same[::-1], GREY)[0, 0].tolist() == [0, 200, 50]


@pytest.mark.parametrize(
    ("x", "y", "frame", "patch"),
    [
        (1, 2, ((2, 4), (1, 4)), ((0, 2), (0, 3))),  # inside
        (-1, -1, ((0, 1), (0, 2)), ((1, 2), (1, 3))),  # cut at the top left
        (5, 4, ((4, 5), (5, 6)), ((0, 1), (0, 1))),  # cut at the bottom right
        (-7, 1, ((1, 3), (0, 0)), ((0, 2), (7, 7))),  # beyond the left edge
        (8, 9, ((9, 9), (8, 8)), ((0, 0), (0, 0))),  # beyond the bottom right
    ],
)
def test_the_overlap_of_a_patch_with_the_frame(x: int, y: int, frame: tuple, patch: tuple) -> None:
    expected = tuple(tuple(slice(*ends) for ends in axes) for axes in (frame, patch))
    assert render._overlap(x, y, (2, 3), (5, 6)) == expected


def test_drawings_are_blended_by_their_opacity_over_their_shadows() -> None:
    image = paint([replace(FAR, grounded=True)], GREY)
    assert image.shape == (4, 6, 3)
    red, green, blue = (image[..., i].tolist() for i in range(3))
    assert red == [[100, 200, 200, 120, 100, 100], [80, 200, 200, 120, 100, 100], [100, 200, 200, 120, 100, 100],
                   [100] * 6]  # fmt: skip
    assert green[0] == [100, 0, 0, 80, 100, 100]
    assert blue[1] == [80, 50, 50, 90, 100, 100]
    assert (GREY.pixels == 100).all()
    assert (paint([replace(FAR, x=-9, grounded=True), replace(FAR, x=6)], GREY) == 100).all()


@pytest.mark.parametrize(
    ("haze", "tint", "light", "lit"),
    [
        (0.0, None, (1.0, 1.0, 1.0), [200, 0, 51]),
        (0.0, None, (0.5, 1.0, 0.5), [100, 0, 26]),  # 25.5 is rounded up
        (0.5, None, (1.0, 1.0, 1.0), [225, 0, 76]),  # halfway to the backdrop's haze
        (0.25, (0.0, 8.0, 51.0), (0.5, 1.0, 1.0), [75, 2, 51]),  # a quarter of the way to its own tint, after the light
        (1.0, (0.0, 8.0, 51.0), (1.0, 1.0, 1.0), [0, 8, 51]),
    ],
)
def test_colours_under_a_light_and_in_haze(haze: float, tint: tuple | None, light: tuple, lit: list[int]) -> None:
    rgb = np.full((1, 2, 3), (200, 0, 51), np.uint8)
    found = render._lit(rgb, replace(FAR, haze=haze, tint=tint), replace(GREY, light=light))
    assert found.tolist() == [[lit, lit]]


def test_products_are_divided_by_255_and_rounded() -> None:
    assert render._divided(np.array([0, 127, 128, 254, 255, 382, 383, 65025], np.uint16)).tolist() == [
        0, 0, 1, 1, 1, 1, 2, 255,
    ]  # fmt: skip


def test_shadows_and_drawings_are_cut_at_every_edge() -> None:
    canvas = GREY.pixels.copy()
    render._darken(canvas, np.full((2, 3), 51, np.uint8), (4, 3))
    assert canvas[..., 0].tolist() == [[100] * 6, [100] * 6, [100] * 6, [100, 100, 100, 100, 80, 80]]
    canvas = GREY.pixels.copy()
    render._darken(canvas, np.full((2, 3), 51, np.uint8), (-1, -1))
    assert canvas[..., 0].tolist() == [[80, 80, 100, 100, 100, 100], [100] * 6, [100] * 6, [100] * 6]
    corner = paint([replace(FAR, x=4, y=2), replace(FAR, x=-2, y=-2)], GREY)
    assert corner[..., 0].tolist() == [[120, 100, 100, 100, 100, 100], [100] * 6, *[[100] * 4 + [200, 200]] * 2]
