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
    ("x", "y", "verdict"), [(50, 100, True), (60, 110, True), (80, 100, None), (95, 100, False), (45, 170, False)]
)
def test_next_to_is_a_small_gap(x, y, verdict):
    a, b = body(1, A), body(2, (float(x), float(y), 40.0, 40.0))
    assert PREDICATES["next to"](a, b) is verdict
    assert PREDICATES["next to"](b, a) is verdict


def test_a_predicate_that_a_pair_leaves_open_is_not_known():
    held, known = judge([body(1, A), body(2, (20.0, 100.0, 40.0, 40.0)), body(3, (300.0, 100.0, 40.0, 40.0))])
    assert "left of" not in known
    assert "on" in known
    assert [(r.subject, r.object) for r in held if r.predicate == "left of"] == [(1, 3), (2, 3)]
