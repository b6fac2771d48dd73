"""What covers what on a stage of rectangles, and which places will do; all numbers are worked out by hand."""

import numpy as np
import pytest
from small_stage import FLAT, draw_rectangles, layout, spot

from vhbench.generators.scenes.environments.environment import Band
from vhbench.generators.scenes.layout import acceptance
from vhbench.generators.scenes.layout.acceptance import acceptable
from vhbench.generators.scenes.layout.stage import mirror, share_among, ties, visible_share

pytestmark = pytest.mark.usefixtures("rectangles")


@pytest.fixture
def rectangles(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_rectangles(monkeypatch)


def test_a_mirrored_band_lies_on_the_other_side() -> None:
    bands = mirror(FLAT.__class__("e", print, ("s",), 0.5, {"ground": Band(0.6, 0.9, (0.1, 0.4), (0.2, 1.0))}, ()))
    assert bands.bands["ground"] == Band(0.6, 0.9, (0.6, 0.9), (0.0, 0.8))


def test_a_coarse_silhouette_has_a_cell_for_four_pixels() -> None:
    thing = spot(-5, 9, 20, 41)
    assert thing.coarse.shape == (10, 5)
    assert thing.at == (-2, 2)
    assert spot(0, 0, 3, 3).coarse.shape == (1, 1)


@pytest.mark.parametrize(
    ("near", "share"),
    [
        (spot(20, 0, 40, 40, 0.9), 0.5),
        (spot(20, 0, 40, 40, 0.7), 1.0),  # farther away
        (spot(20, 0, 40, 40, 0.8), 1.0),  # as far: neither hides the other
        (spot(40, 0, 40, 40, 0.9), 1.0),  # they touch
        (spot(0, 40, 40, 40, 0.9), 1.0),
        (spot(20, 20, 40, 40, 0.9), 0.75),
        (spot(-20, -20, 40, 40, 0.9), 0.75),
        (spot(0, 0, 40, 40, 0.9), 0.0),
    ],
)
def test_what_is_nearer_hides_what_it_overlaps(near, share: float) -> None:
    far = spot(0, 0, 40, 40)
    assert visible_share(far, near) == share_among(far, [near]) == share
    placed = layout(far, near)
    assert far.visible_share == share
    assert near.visible_share == (0.5 if near.placed.depth < 0.8 else 1)
    assert placed.spots == [far, near]


def test_what_several_things_hide_adds_up_once() -> None:
    far, left, middle = spot(0, 0, 40, 40), spot(-20, 0, 40, 40, 0.9), spot(0, 0, 32, 40, 0.95)
    layout(left, far)  # it counts alike whichever came first
    assert far.visible_share == 0.5
    assert visible_share(far, middle) == pytest.approx(0.2)
    assert share_among(far, [left, middle]) == pytest.approx(0.2)
    assert visible_share(far, spot(60, 0, 20, 20, 0.95)) == 0.5


def test_relations_are_told_from_the_side_of_the_wish() -> None:
    dog, cat, other = spot(0, 0, 10, 10, spec=0), spot(20, 0, 10, 10, spec=1), spot(40, 0, 10, 10, spec=1)
    made = layout(dog, cat, other, requested=((0, "left of", 1), (2, "on", 1), (2, "above", 0)))
    assert list(ties(made, dog.wish)) == [
        ("left of", cat),
    ]  # one of several is enough
    assert list(ties(made, cat.wish)) == [("right of", dog)]
    assert list(ties(made, spot(0, 0, 1, 1, spec=2).wish)) == [("on", cat), ("above", dog)]
    made = layout(cat, other, requested=((1, "behind", 0),))
    assert list(ties(made, dog.wish)) == [("in front of", cat), ("in front of", other)]


@pytest.mark.parametrize(
    ("x", "y", "share"), [(0, 0, 0), (80, 80, 0), (-5, 0, 0.25), (0, 90, 0.5), (90, 90, 0.75), (-30, 0, 1), (0, 120, 1)]
)
def test_what_lies_outside_of_the_frame(x: int, y: int, share: float) -> None:
    assert acceptance._outside(layout(), spot(x, y, 20, 20)) == pytest.approx(share)


@pytest.mark.parametrize(("x", "clear"), [(40, True), (25, True), (24, False), (0, False), (-24, False), (-25, True)])
def test_beside_is_more_than_six_tenths_of_the_mean_width(x: int, clear: bool) -> None:
    other = spot(0, 0, 40, 40)  # mean width 40, so 24.8 pixels
    assert acceptance._clearly_beside(layout(other), spot(x, 0, 40, 40)) is clear
    assert acceptance._clearly_beside(layout(other), spot(x, 0, 40, 40, host=0))


@pytest.mark.parametrize(
    ("thing", "requested", "strict", "wanted"),
    [
        ({}, (), True, 0.96),
        ({}, (), False, 0.8),
        ({"hard": ("occluded",)}, (), True, 0.32),
        ({"spec": 1}, ((0, "on", 1),), True, 0.5),
        ({"spec": 1}, ((0, "left of", 1),), True, 0.96),
    ],
)
def test_how_much_must_be_seen(thing, requested, strict: bool, wanted: float) -> None:
    made = layout(requested=requested)
    assert acceptance._least_visible(made, spot(0, 0, 9, 9, **thing), carries=False, strict=strict) == wanted
    assert acceptance._least_visible(made, spot(0, 0, 9, 9, **thing), carries=True, strict=strict) == 0.5


def test_strict_places_are_free_and_clear() -> None:
    made = layout(spot(10, 50, 20, 20, spec=5))
    assert acceptable(made, spot(40, 50, 20, 20), None, strict=True)
    assert not acceptable(made, spot(90, 50, 20, 20), None, strict=True)
    assert acceptable(made, spot(90, 50, 20, 20, hard=("truncated",)), None, strict=True)
    hiding = spot(26, 50, 20, 20, 0.9)  # hides a fifth, and lies clearly beside
    assert not acceptable(made, hiding, None, strict=True)
    assert acceptable(made, hiding, None, strict=False)
    assert not acceptable(made, spot(22, 50, 20, 20, 0.9), None, strict=False)  # hides two fifths
    assert acceptable(made, spot(22, 50, 20, 20, 0.9, host=0), None, strict=False)
    assert not acceptable(made, spot(22, 50, 20, 20, 0.7), None, strict=False)  # two fifths of it are hidden
    above = spot(10, 10, 20, 20)
    assert not acceptable(made, above, None, strict=True)
    apart = layout(*(spot(x, 80, 20, 20) for x in (0, 20, 40, 60)))
    assert acceptable(apart, above, None, strict=True)  # among many, what is above another will do


@pytest.mark.parametrize(("x", "fits"), [(8, False), (12, True), (20, True), (24, False)])
def test_a_target_keeps_three_to_five_tenths(x: int, fits: bool) -> None:
    """Of its ten coarse columns 2, 3, 5 or 6 are left."""
    target = spot(0, 20, 40, 40, hard=("occluded",), spec=1)
    assert acceptable(layout(target), spot(x, 20, 40, 40, 0.9), target, strict=True) is fits


def test_relations_are_judged_at_once() -> None:
    made = layout(spot(50, 50, 20, 20, spec=1), requested=((0, "left of", 1),))
    assert acceptable(made, spot(10, 50, 20, 20), None, strict=True)
    assert not acceptable(made, spot(80, 50, 20, 20), None, strict=False)
    assert acceptable(made, spot(35, 50, 20, 20, 0.7), None, strict=False)
    made.apart = True
    assert not acceptable(made, spot(35, 50, 20, 20, 0.7), None, strict=False)  # they overlap sideways
    assert acceptable(made, spot(30, 50, 20, 20, 0.7), None, strict=False)
    behind = layout(spot(50, 50, 20, 20, spec=1), requested=((0, "behind", 1),))
    assert acceptable(behind, spot(60, 45, 20, 20, 0.7), None, strict=False)
    assert not acceptable(behind, spot(60, 45, 20, 20, 0.9), None, strict=False)


def test_a_body_is_what_is_in_the_frame_and_what_it_hides() -> None:
    far, near = spot(0, 0, 40, 40, 0.7), spot(20, 0, 20, 20, 0.9, host=0)
    made = layout(far, near)
    body = acceptance._body(made, near, 1, {0: far})
    assert body.hides == {0: 0.25}  # a quarter of the far one
    assert body.over == {0: 1.0}  # all of its own
    assert (body.box, body.depth, body.host, body.id) == ((20, 0, 20, 20), 0.9, 0, 1)
    assert acceptance._body(made, far, 0, {1: near}).hides == {}
    assert acceptance._body(made, spot(-10, 90, 20, 20), 0, {}).box == (0, 90, 10, 10)
    assert np.array_equal(far.coarse, np.ones((10, 10), np.bool_))
