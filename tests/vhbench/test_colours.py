"""Which colours are near one another: no question takes them for a certain difference."""

from itertools import permutations

import pytest

from vhbench.colours import COLOURS, is_similar_colour
from vhbench.generators.mioh.attributes import close
from vhbench.generators.scenes import paints


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("red", "orange", True),
        ("orange", "brown", True),
        ("dark blue", "blue", True),
        ("light grey", "gray", True),
        ("light red", "dark pink", True),
        ("grey", "silver", True),
        ("red", "green", False),
        ("black", "white", False),
        ("yellow", "purple", False),
    ],
)
def test_near_colours(one: str, other: str, expected: bool) -> None:
    assert is_similar_colour(one, other) is is_similar_colour(other, one) is expected


def test_every_colour_has_one_that_is_certainly_another() -> None:
    for colour in COLOURS:
        assert is_similar_colour(colour, colour)
        assert len([other for other in COLOURS if not is_similar_colour(colour, other)]) >= 2


def test_mioh_takes_no_near_colours_for_a_difference() -> None:
    for one, other in permutations(COLOURS, 2):
        assert close(one, other) is is_similar_colour(one, other)
    assert close("wool", "fabric")
    assert not close("wool", "red")


def test_drawings_are_painted_in_the_colours_that_are_asked_about() -> None:
    assert tuple(paints._PALETTE) == COLOURS
