"""What follows from bounds on two numbers, (least, most): True, False, or None where it stays open."""

import pytest

from vhbench.audit.restricted_oracles import _ahead, _same


@pytest.mark.parametrize(
    ("one", "two", "ahead", "same"),
    [
        ((3, 3), (2, 2), True, False),
        ((2, 2), (3, 3), False, False),
        ((2, 2), (2, 2), False, True),
        ((0, 0), (0, 0), False, False),  # the same number, but none is shown
        ((1, 9), (0, 0), True, False),
        ((0, 0), (1, 9), False, False),
        ((3, 5), (1, 2), True, False),
        ((1, 3), (3, 5), False, None),
        ((1, 4), (3, 5), None, None),
        ((3, 5), (1, 3), None, None),
        ((1, 9), (1, 9), None, None),
    ],
)
def test_what_bounds_tell_of_two_numbers(
    one: tuple[float, float], two: tuple[float, float], ahead: bool | None, same: bool | None
) -> None:
    assert _ahead(one, two) is ahead
    assert _same(one, two) is _same(two, one) is same
