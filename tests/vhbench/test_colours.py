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


def test_the_whole_table() -> None:
    """Colour → those that may be called by its name under one light, and further ones under any light."""
    expected = {
        "red": ("orange pink brown", "purple"),
        "orange": ("red yellow brown", "pink"),
        "yellow": ("orange brown", "green white"),
        "green": ("blue", "yellow gray"),
        "blue": ("green purple", "black gray"),
        "purple": ("blue pink", "red black gray"),
        "pink": ("red purple", "orange brown white"),
        "brown": ("red orange yellow", "pink black gray"),
        "black": ("", "blue purple brown gray"),
        "white": ("", "yellow pink gray"),
        "gray": ("", "green blue purple brown black white"),
    }
    for colour, (plain, light) in expected.items():
        others = [other for other in COLOURS if other != colour]
        assert {other for other in others if is_similar_colour(colour, other)} == set(f"{plain} {light}".split())


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
