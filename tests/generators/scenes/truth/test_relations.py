"""The geometric rules, by hand: two boxes, one verdict."""

import pytest

from vhbench.generators.scenes.truth.relations import PREDICATES, Body, judge


def body(number, box, depth=0.8, *, lifted=False, host=None, hides=None, over=None):
    return Body(number, box, depth, lifted, host, hides or {}, over or {})


A = (0.0, 100.0, 40.0, 40.0)


@pytest.mark.parametrize(
    ("x", "verdict"),
    [(100, True), (24, True), (20, None), (5, None), (4, False), (0, False), (-60, False)],
)
def test_left_is_where_most_of_it_is(x, verdict):
    a, b = body(1, A), body(2, (float(x), 100.0, 40.0, 40.0))
    assert PREDICATES["left of"](a, b) is verdict
    assert PREDICATES["right of"](b, a) is verdict


def test_on_is_what_was_put_there_and_open_for_what_looks_like_it():
    table = body(1, (0.0, 100.0, 100.0, 60.0))
    assert PREDICATES["on"](body(2, (40.0, 80.0, 20.0, 30.0), lifted=True, host=1), table) is True
    assert PREDICATES["on"](body(2, (40.0, 80.0, 20.0, 30.0), depth=0.9), table) is None
    assert PREDICATES["on"](body(2, (200.0, 80.0, 20.0, 30.0)), table) is False
    assert PREDICATES["on"](table, body(2, (40.0, 80.0, 20.0, 30.0), lifted=True, host=1)) is False


@pytest.mark.parametrize(
    ("covered", "over", "x", "verdict"),
    [
        (0.10, 0.1, 0, True),
        (0.09, 0.1, 0, None),
        (0.01, 0.6, 0, True),
        (0.01, 0.1, 0, None),
        (0, 0, 30, None),
        (0, 0, 60, False),
    ],
)
def test_in_front_hides_a_part(covered, over, x, verdict):
    near = body(1, (float(x), 110.0, 40.0, 40.0), 0.9, hides={2: covered}, over={2: over})
    far = body(2, A, 0.7)
    assert PREDICATES["in front of"](near, far) is verdict
    assert PREDICATES["behind"](far, near) is verdict
    assert PREDICATES["in front of"](far, near) is False


def test_above_is_off_the_ground():
    kite = body(1, (10.0, 0.0, 30.0, 30.0), lifted=True)
    dog, far = body(2, A), body(3, (0.0, 40.0, 20.0, 20.0), 0.6)
    assert PREDICATES["above"](kite, dog) is True
    assert PREDICATES["below"](dog, kite) is True
    assert PREDICATES["above"](dog, kite) is False
    assert PREDICATES["above"](far, dog) is None  # farther away on the same ground, over the other in the picture
    assert PREDICATES["above"](body(3, (200.0, 40.0, 20.0, 20.0), 0.6), dog) is False


@pytest.mark.parametrize(
    ("box", "lifted", "verdict"),
    [
        ((0, 73, 30, 30), True, True),  # its lower edge is 3 below the other's upper one, a tenth of its height
        ((0, 73.5, 30, 30), True, None),
        ((0, 73, 30, 30), False, None),
        ((0, 73.5, 30, 30), False, False),
        ((0, 98, 30, 30), True, False),  # its centre is 7 higher, a fifth of the mean height
        ((0, 97, 30, 30), True, None),
        ((0, 87, 60, 14), True, True),  # its height is the smaller: 1.4
        ((0, 88, 60, 14), True, None),
        ((40, 52.5, 30, 30), True, True),  # beside it, its centre is 1.5 mean heights higher
        ((40, 53, 30, 30), True, None),
        ((40, 53, 30, 30), False, False),
        ((39, 53, 30, 30), True, True),
        ((39, 53, 30, 30), False, None),
    ],
)
def test_above_is_clear_of_it_and_over_it_or_far_up(box, lifted, verdict):
    assert PREDICATES["above"](body(1, box, lifted=lifted), body(2, A)) is verdict


@pytest.mark.parametrize(
    ("x", "y", "verdict"),
    [
        (50, 100, True), (60, 110, True), (61, 100, None), (80, 100, None), (89, 100, None), (90, 100, False),
        (95, 100, False), (45, 120, True), (45, 121, None), (45, 159, None), (45, 160, False), (45, 170, False),
    ],
)  # fmt: skip
def test_next_to_is_a_small_gap(x, y, verdict):
    a, b = body(1, A), body(2, (float(x), float(y), 40.0, 40.0))
    assert PREDICATES["next to"](a, b) is verdict
    assert PREDICATES["next to"](b, a) is verdict


def test_next_to_is_measured_by_the_smaller_and_not_told_of_what_hides_carries_or_flies():
    large, small = body(1, (0.0, 0.0, 100.0, 140.0)), body(2, (112.0, 116.0, 30.0, 20.0))  # whose mean side is 25
    assert PREDICATES["next to"](large, small) is True
    assert PREDICATES["next to"](large, body(2, (113.0, 116.0, 30.0, 20.0))) is None
    assert PREDICATES["next to"](large, body(2, (112.0, 107.0, 30.0, 20.0))) is None
    for held in ({"lifted": True}, {"host": 1}, {"hides": {1: 0.1}}):
        assert PREDICATES["next to"](large, body(2, small.box, **held)) is None
        assert PREDICATES["next to"](body(2, small.box, **held), large) is None


@pytest.mark.parametrize(
    ("x", "y", "verdict"),
    [
        (-10, 90, None), (-11, 90, False), (90, 90, None), (91, 90, False),
        (40, 67, None), (40, 66, False), (40, 127, None), (40, 128, False),
    ],
)  # fmt: skip
def test_what_looks_as_if_it_were_on_has_its_foot_in_the_box(x, y, verdict):
    """The box is 100 wide; its upper edge is at 100, its lower one at 160; 3 of 60 more or fewer are allowed for."""
    table = body(1, (0.0, 100.0, 100.0, 60.0))
    assert PREDICATES["on"](body(2, (float(x), float(y), 20.0, 30.0)), table) is verdict


@pytest.mark.parametrize(
    ("x", "options", "verdict"),
    [
        (36, {}, False),  # they share a tenth of the narrower
        (35.5, {}, None),
        (0, {"depth": 0.7}, None),  # as near
        (0, {"depth": 0.69}, False),
        (0, {"over": {2: 0.5}}, True),
        (0, {"over": {2: 0.49}}, None),
        (0, {"hides": {2: 0.5}, "host": 2}, None),
        (36, {"hides": {2: 0.01}}, None),
    ],
)
def test_what_is_nearer_and_overlaps_may_be_in_front(x, options, verdict):
    near, far = body(1, (x, 100.0, 60.0, 40.0), **{"depth": 0.9, **options}), body(2, A, 0.7)
    assert PREDICATES["in front of"](near, far) is verdict
    assert PREDICATES["in front of"](body(1, near.box, 0.9), body(2, A, 0.7, hides={1: 0.01})) is False


def test_a_predicate_that_a_pair_leaves_open_is_not_known():
    held, known = judge([body(1, A), body(2, (20.0, 100.0, 40.0, 40.0)), body(3, (300.0, 100.0, 40.0, 40.0))])
    assert "left of" not in known
    assert "on" in known
    assert [(r.subject, r.object) for r in held if r.predicate == "left of"] == [(1, 3), (2, 3)]
