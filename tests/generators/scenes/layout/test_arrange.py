"""Where things go on a stage of 100 × 100 pixels with its horizon at 40; all numbers are worked out by hand."""

import math
from types import SimpleNamespace

import pytest
from small_stage import FLAT, draw_rectangles, layout, spot, wish

from vhbench.generators.scenes.environments.environment import Band
from vhbench.generators.scenes.layout import arrange
from vhbench.generators.scenes.layout.plan import Refusal

pytestmark = pytest.mark.usefixtures("rectangles")
GROUND = FLAT.bands["ground"]  # from 0.6 to 1, across 4 … 96 pixels


@pytest.fixture
def rectangles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every drawing is a square as large as it is told: one metre at the horizon's foot is one pixel."""
    draw_rectangles(monkeypatch)
    monkeypatch.setattr(arrange, "_sizing", lambda look, metres, width, height: (metres, 50.0))


def test_hosts_come_first_then_what_is_hidden_and_what_is_large() -> None:
    cover, cup = wish("bush", spec=-1), wish("cup", spec=0)
    table, dog, hidden, perched = (
        wish("table", spec=1),
        wish("dog", spec=2),
        wish("apple", spec=3, hard=("occluded",)),
        wish("elephant", spec=4, perch=1),
    )
    order = arrange._placing_order([cover, cup, table, dog, hidden, perched], ((0, "on", 1), (2, "left of", 1)))
    assert [one.entry.word for one in order] == ["apple", "table", "dog", "elephant", "cup", "bush"]
    twins = [wish("dog", spec=1), wish("dog", spec=0)]
    assert arrange._placing_order(twins, ()) == twins
    stacked = [wish("cup", spec=0), wish("elephant", spec=1)]  # the cup is a host and a guest
    assert arrange._placing_order(stacked, ((0, "on", 2), (1, "on", 0))) == stacked


def test_what_others_are_around_comes_before_larger_ones() -> None:
    """Two elephants placed first may leave no room for the cup to the left of one and the right of the other."""
    cup, *around = wish("cup", spec=0), *(wish("elephant", spec=i) for i in (1, 2, 3))
    sides = (0, "left of", 1), (0, "right of", 2), (3, "left of", 0)
    assert arrange._placing_order([*around, cup], sides) == [cup, *around]
    assert arrange._placing_order([*around, cup], sides[:2]) == [*around, cup], "two leave room"


@pytest.mark.parametrize(
    ("predicate", "low", "high"),
    [
        ("next to", 0.77, 0.83),
        ("in front of", 0.82, 1.0),
        ("behind", 0.6, 0.78),
        ("above", 0.6, 0.6),  # the anchor's top, at 0.5, is above the band
        ("below", 0.8, 1.0),
        ("left of", 0.6, 1.0),
    ],
)
def test_relations_bound_how_near_a_thing_stands(predicate: str, low: float, high: float) -> None:
    anchor = spot(40, 50, 20, 30)
    for number, base in ((0.0, low), (1.0, high)):
        found = arrange._pick_base(layout(numbers=(number,)), wish(), GROUND, [(predicate, anchor)])
        assert found == pytest.approx(base)


def test_what_is_above_stays_above() -> None:
    low = arrange._pick_base(layout(numbers=(1.0,)), wish("kite"), FLAT.bands["air"], [("above", spot(40, 20, 9, 9))])
    assert low == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("thing", "low", "high"),
    [
        (wish("dog"), 0.6, 1.0),
        (wish("dog", hard=("small",)), 0.6, 0.8),
        (wish("cup", "ground"), 0.74, 1.0),  # small things come nearer
        (wish("cup", "ground", hard=("small",)), 0.6, 0.8),
        (wish("cup", "water"), 0.6, 1.0),
    ],
)
def test_size_bounds_how_near_a_thing_stands(thing, low: float, high: float) -> None:
    assert arrange._pick_base(layout(numbers=(0.0,)), thing, GROUND, []) == pytest.approx(low)
    assert arrange._pick_base(layout(numbers=(1.0,)), thing, GROUND, []) == pytest.approx(high)


@pytest.mark.parametrize(
    ("thing", "low", "high"),
    [
        (wish(hard=("small",)), 0.66 * math.sqrt(0.5), 0.92 * math.sqrt(0.5)),
        (wish(size="tiny"), 4.2, 5.2),
        (wish(size="small"), 7.2, 10.625),
        (wish(size="medium"), 15, 28.05),
        (wish(size="large"), 37, 46),
    ],
)
def test_a_size_that_was_asked_for_is_met(thing, low: float, high: float) -> None:
    if "small" in thing.hard:
        low, high = 10 * low, 10 * high  # sqrt(0.005) of a hundred pixels
    assert arrange._scale(layout(numbers=(0.0,)), thing, 0.8) == pytest.approx(low)
    assert arrange._scale(layout(numbers=(1.0,)), thing, 0.8) == pytest.approx(high)


@pytest.mark.parametrize(
    ("thing", "base", "options", "scale"),
    [
        ("dog", 0.8, {}, 0.95 * 0.4 * 100),
        ("dog", 0.8, {"zoom": 0.5}, 0.95 * 0.4 * 50),
        ("dog", 0.6, {"indoor": True}, 0.95 * 0.2 * 130),
        ("dog", 0.8, {"indoor": True}, 0.95 * 0.4 * 130),
        ("elephant", 0.9, {}, 50),  # no more than half of the frame
        ("dog", 0.42, {"zoom": 2.0}, 0.95 * 0.06 * 200),
        ("dog", 0.3, {}, 7.8),  # on the horizon nothing vanishes
        ("cup", 0.9, {}, 7.8),
    ],
)
def test_sizes_shrink_towards_the_horizon(thing: str, base: float, options, scale: float) -> None:
    assert arrange._scale(layout(**options), wish(thing, "ground"), base) == pytest.approx(scale)


def test_what_hangs_or_flies_has_one_scale_and_parts_are_large_enough() -> None:
    metres = wish("kite").entry.size_m
    for base in (0.1, 0.9):
        assert arrange._scale(layout(), wish("kite"), base) == pytest.approx(max(7.8, metres * 0.3 * 100))
    for hard in ("occluded", "truncated"):
        assert arrange._scale(layout(), wish("cup", "ground", hard=(hard,)), 0.9) == pytest.approx(12)


@pytest.mark.parametrize(
    ("shape", "unit", "most"),
    [
        ((40, 40), 0.78 * 4 * 0.5 / 2, 66),  # 0.66 of the height
        # A quarter as high as wide: at most 0.72 of the width, and a mean of half that; the unit shrinks less.
        ((10, 40), 0.78 * 0.25**0.3, 36),
        ((40, 10), 0.78 * 0.25**0.3, 33),
    ],
)
def test_a_drawing_has_its_own_scale(monkeypatch: pytest.MonkeyPatch, shape, unit: float, most: float) -> None:
    monkeypatch.undo()
    draw_rectangles(monkeypatch, *shape)
    drawing = SimpleNamespace(width=4.0, height=1.0, metres=0.5)
    monkeypatch.setattr(arrange.artwork, "draw", lambda word, **options: drawing)
    sizing = arrange._sizing.__wrapped__  # not what is cached of the real drawing
    assert sizing(wish().look, 4.0, 100, 100) == pytest.approx((unit, most))


@pytest.mark.parametrize(
    ("predicate", "low", "high"),
    [
        ("", 14, 86),
        ("left of", 14, 37),  # 0.65 mean widths of 20 left of the anchor's middle, at 50
        ("right of", 63, 86),
        ("in front of", 37, 63),
        ("behind", 37, 63),
        ("above", 38, 62),
        ("below", 38, 62),
    ],
)
def test_relations_bound_where_a_thing_stands(predicate: str, low: float, high: float) -> None:
    anchor = spot(40, 50, 20, 30)
    for number, centre in ((0.0, low), (1.0, high)):
        band = Band(0.6, 1.0, (0.14, 0.86), (0.14, 0.86))
        tied = [(predicate, anchor)] if predicate else []
        assert arrange._pick_centre(layout(numbers=(number,)), band, 0.8, 20, tied) == pytest.approx(centre)


def test_apart_is_beside_without_overlap() -> None:
    made = layout(numbers=(1.0,), apart=True)
    assert arrange._pick_centre(made, GROUND, 0.8, 20, [("left of", spot(40, 50, 20, 30))]) == pytest.approx(29.6)
    made = layout(numbers=(0.0,), apart=True)
    assert arrange._pick_centre(made, GROUND, 0.8, 10, [("right of", spot(40, 50, 20, 30))]) == pytest.approx(65.3)


@pytest.mark.parametrize(
    ("apart", "left", "right", "options", "room"),
    [  # the narrowest medium thing has 15 pixels, of which the frame may cut off a few
        (True, 40, 54, {"size": "medium"}, False),
        (True, 40, 55, {"size": "medium"}, True),
        (True, 40, 54, {"size": "medium", "hard": ("truncated",)}, True),
        (False, 40, 40, {"size": "medium"}, False),  # it may reach over a fifth of both widths
        (False, 40, 41, {"size": "medium"}, True),
        (True, 86, 120, {"size": "medium"}, False),
        (True, 85, 120, {"size": "medium"}, True),
    ],
)
def test_sides_without_room_for_the_narrowest_form_are_not_searched(apart, left, right, options, room) -> None:
    made = layout(spot(left - 20, 50, 20, 30, spec=1), spot(right, 50, 20, 30, spec=2), apart=apart)
    made.requested, between = ((0, "right of", 1), (0, "left of", 2)), wish("dog", **options)
    assert arrange._may_fit(made, between, list(arrange.ties(made, between))) is room
    if not room:
        made.random = None  # type: ignore[assignment]  # would be needed to propose a place
        assert arrange._find_place(made, between) is None


@pytest.mark.parametrize(("numbers", "centre"), [((0.4, 0.0), 29.6), ((0.4, 1.0), 26), ((0.5, 0.0), 70.4)])
def test_next_to_is_a_gap_on_either_side(numbers: tuple[float, ...], centre: float) -> None:
    found = arrange._pick_centre(layout(numbers=numbers), GROUND, 0.8, 20, [("next to", spot(40, 50, 20, 30))])
    assert found == pytest.approx(centre)


def test_a_thing_stays_in_its_band_and_in_the_frame() -> None:
    assert arrange._pick_centre(layout(numbers=(0.0,)), GROUND, 0.8, 40, []) == pytest.approx(20)
    assert arrange._pick_centre(layout(numbers=(1.0,)), GROUND, 0.8, 40, []) == pytest.approx(80)
    tight = [("left of", spot(0, 50, 20, 30)), ("right of", spot(80, 50, 20, 30))]
    # From 103 to -3 nothing is left: the middle of the two is tried, and found wanting.
    assert arrange._pick_centre(layout(numbers=(0.0,)), GROUND, 0.8, 20, tight) == pytest.approx(50)
    assert arrange._reach(Band(0.5, 1.0, (0.2, 0.8), (0.0, 1.0)), 0.75, 100) == pytest.approx((10, 90))
    assert arrange._reach(Band(0.5, 1.0, (0.2, 0.8), (0.0, 1.0)), 0.5, 100) == pytest.approx((20, 80))


@pytest.mark.parametrize(
    ("numbers", "middle"), [((0.0, 0.4), 105), ((1.0, 0.4), 95), ((0.0, 0.5), -3), ((1.0, 0.5), 7)]
)
def test_the_frame_leaves_a_part_of_the_silhouette(numbers: tuple[float, ...], middle: float) -> None:
    """Of 40 columns, the 16th is the first up to which 0.4 lie, and the 26th for 0.65: so 15 or 25 are before it."""
    assert arrange._cut_by_frame(layout(numbers=numbers), wish().look, 40) == pytest.approx(middle)


def test_a_thing_on_the_ground_stands_on_its_foot() -> None:
    placed = arrange._spot(layout(spot(0, 0, 9, 9)), wish(), 50, 0.8, (21, 30)).placed
    assert (placed.x, placed.y, placed.longest) == (40, 50, 30)
    assert placed.depth == pytest.approx(0.800001, abs=1e-9)  # later things are a little nearer
    assert (placed.grounded, placed.lifted, placed.look.sunk) == (True, False, 0)
    assert placed.haze == pytest.approx(0.2 * (1 - 0.4 / 0.6) - 0.05, abs=1e-5)
    assert arrange._spot(layout(), wish(), 50, 0.4, (20, 30)).placed.haze == pytest.approx(0.15)
    assert arrange._spot(layout(), wish(), 50, 0.99, (20, 30)).placed.haze == 0
    assert arrange._spot(layout(indoor=True), wish(), 50, 0.4, (20, 30)).placed.haze == 0


@pytest.mark.parametrize(("place", "depth"), [("air", 0.5), ("wall", 0.05), ("sky", 0.02)])
def test_a_thing_in_the_air_hangs_around_its_middle(place: str, depth: float) -> None:
    found = arrange._spot(layout(), wish("kite", place), 50, 0.3, (20, 30))
    assert (found.placed.x, found.placed.y, found.height, found.base) == (40, 15, 30, 0.3)
    assert (found.placed.depth, found.placed.haze) == (depth, 0)
    assert (found.placed.grounded, found.placed.lifted) == (False, True)


@pytest.mark.parametrize(("word", "sunk", "height"), [("boat", 0.06, 47), ("elephant", 0.22, 39)])
def test_a_thing_in_water_is_under_it_in_part(word: str, sunk: float, height: int) -> None:
    found = arrange._spot(layout(), wish(word, "water"), 50, 0.8, (20, 50))
    assert (found.placed.look.sunk, found.height, found.placed.longest) == (sunk, height, 50)
    assert (found.placed.y, found.placed.grounded, found.placed.lifted) == (80 - height, False, False)


def test_a_thing_on_another_stands_on_its_surface() -> None:
    host = spot(20, 40, 40, 40, 0.8, word="table", spec=1)
    left, right, top, bottom = host.wish.entry.surface or (0, 0, 0, 0)
    cup = wish("cup", "table", hard=("occluded",))  # 12 pixels, of which 0.85 are left: 10
    found = arrange._on_top(layout(host, numbers=(0.0,)), cup, host)
    assert found is not None
    assert (found.width, found.height) == (10, 10)
    assert found.placed.x == round(20 + 40 * left)
    assert found.placed.y == round(40 + 40 * top - 10)
    assert (found.placed.host, found.placed.lifted, found.placed.grounded) == (0, True, True)
    assert found.placed.depth == pytest.approx(0.8 + 0.0005 + 0.0004 * top)
    found = arrange._on_top(layout(host, numbers=(1.0,)), cup, host)
    assert found is not None
    assert found.placed.x == round(20 + 40 * right - 10)
    assert found.placed.y == round(40 + 40 * bottom - 10)
    large = arrange._on_top(layout(host), wish("elephant", "ground"), host)
    assert large is not None
    assert large.width == round(40 * (right - left))  # it is made to fit
    wide = arrange._on_top(layout(host, numbers=(1.0,)), wish("dog", size="large"), host)
    assert wide is not None
    assert (wide.width, wide.placed.x) == (round(0.85 * 46), round(20 + 40 * left))  # a size that was asked for stays
    with pytest.raises(Refusal, match="object cannot carry another"):
        arrange._on_top(layout(host), cup, spot(0, 0, 9, 9, word="apple"))


def test_who_sits_on_another_lets_the_legs_hang() -> None:
    host = spot(20, 40, 40, 40, word="table", spec=1)
    feet = []
    for action in ("", "sitting"):
        person = wish("man", size="medium")
        person = arrange.replace(person, look=arrange.replace(person.look, action=action))
        found = arrange._on_top(layout(host, numbers=(0.0,)), person, host)
        assert found is not None
        feet.append(found.base * 100)
    assert feet[1] - feet[0] == pytest.approx(0.14 * round(0.85 * 15))


def test_a_cover_stands_in_front_of_its_target() -> None:
    target = spot(40, 60, 20, 20, 0.8, hard=("occluded",), spec=1)
    found = arrange._cover(layout(target, numbers=(0.0,)), wish(), target)
    assert found is not None
    assert found.base == pytest.approx(0.815)
    scale = round(0.8 * 0.95 * 0.415 * 100)
    assert (found.width, found.height) == (scale, scale)
    assert found.placed.x == round(50 - 0.6 * (20 + scale) / 2 - scale / 2)
    high = arrange._cover(layout(target, numbers=(1.0,)), wish(), target)
    assert high is not None
    assert (high.base, high.width) == (1.0, 50 * 5 // 4)
    flying = spot(40, 10, 20, 20, 0.5, word="kite", place="air", spec=1)
    flying.base = 0.2
    over = arrange._cover(layout(flying, numbers=(1.0,)), wish("kite"), flying)
    assert over is not None
    assert over.base == pytest.approx(0.3)
    assert over.placed.depth == pytest.approx(0.501)
    assert arrange._cover(layout(target), wish("kite", "sky"), target) is None


@pytest.mark.parametrize(
    ("cover", "target", "hidden"),
    [
        (wish("bush", spec=-1), {"hard": ("occluded",)}, True),
        (wish("bush", spec=-1), {}, False),
        (wish("apple", spec=2), {"hard": ("occluded",)}, False),  # too small
        (wish("bush", spec=1), {"hard": ("occluded",)}, False),  # one of its own kind
    ],
)
def test_what_shall_be_hidden_is_found(cover, target, hidden: bool) -> None:
    made = layout(spot(40, 60, 20, 20, spec=1, **target))
    assert arrange._to_be_hidden(made, cover) is (made.spots[0] if hidden else None)
    if hidden:
        arrange.place(made, spot(49, 60, 20, 20, 0.9))
        assert arrange._to_be_hidden(made, cover) is None  # half is hidden already


def test_things_get_their_places_or_the_spec_is_refused() -> None:
    wishes = [wish("dog", spec=0), wish("car", spec=1)]
    placed = arrange.arrange(layout(numbers=(0.1, 0.3, 0.9, 0.9)), wishes)
    assert [(one.entry.word, thing.spec) for one, thing in placed] == [("car", 1), ("dog", 0)]
    with pytest.raises(Refusal, match="no room for an object") as refused:
        arrange.arrange(layout(), [wish("dog", spec=number) for number in range(2)])  # always the same place
    assert refused.value.detail == {"category": "dog", "hard": []}
