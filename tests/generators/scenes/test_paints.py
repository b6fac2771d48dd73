"""Colour names: paint and pixels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.colours import COLOURS
from vhbench.generators.scenes import paints


def rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


@pytest.mark.parametrize("name", COLOURS)
@pytest.mark.parametrize("light", [1.0, 0.9, 0.8])
def test_paint_is_called_by_its_name_even_in_light_shade(name: str, light: float) -> None:
    pixel = np.array([rgb(paints.paint(name))]) * light
    expected = {name, "gray"} if name == "white" else {name}
    assert paints.shares(pixel.astype(np.uint8)).keys() <= expected


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ("#ff0000", "red"), ("#8b0000", "red"), ("#ffa500", "orange"), ("#ffff00", "yellow"), ("#ffd700", "yellow"),
        ("#008000", "green"), ("#90ee90", "green"), ("#0000ff", "blue"), ("#87ceeb", "blue"), ("#000080", "blue"),
        ("#800080", "purple"), ("#ffc0cb", "pink"), ("#ff69b4", "pink"), ("#8b4513", "brown"), ("#d2b48c", "brown"),
        ("#000000", "black"), ("#1a1a1a", "black"), ("#ffffff", "white"), ("#f5f5f5", "white"), ("#808080", "gray"),
    ],
)  # fmt: skip
def test_css_colours_have_the_names_people_give_them(colour: str, name: str) -> None:
    assert paints.shares(np.array([rgb(colour)], dtype=np.uint8)) == {name: 1}


@given(st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=1, max_size=30))
def test_every_pixel_has_one_of_the_names(pixels: list[tuple[int, int, int]]) -> None:
    shares = paints.shares(np.array(pixels, dtype=np.uint8))
    assert sum(shares.values()) == pytest.approx(1)
    assert shares.keys() <= set(COLOURS)


@given(st.sampled_from(COLOURS), st.sampled_from(["#d63a33", "#a82a25", "#7d1f1b"]))
def test_shades_keep_their_order(name: str, shade: str) -> None:
    base = paints.parse_hex(paints.reshade("#d63a33", "#d63a33", name))[2]
    assert paints.parse_hex(paints.reshade(shade, "#d63a33", name))[2] <= base + 0.01
