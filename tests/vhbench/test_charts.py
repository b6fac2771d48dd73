"""What every picture keeps to: one mark at each place, colours that fade, words that can be read."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from vhbench import charts
from vhbench.charts import Dot, Tile
from vhbench.schema import VhbenchError


def values(chart: Any) -> list[dict[str, Any]]:
    """Return the data that a chart draws."""
    found = chart.to_dict()
    layers = found.get("layer", [found])
    held = [part.get("data", found.get("data", {})) for part in layers]
    lists = [data["values"] if "values" in data else found["datasets"][data["name"]] for data in held]
    return [row for rows in lists for row in rows]


def test_the_wider_an_interval_the_paler_its_cell() -> None:
    full, half, none = (charts.shade(-1, width)[0] for width in (0, 0.5, 1))
    assert (full, half, none) == ("#d55e00", "#eaae80", "#ffffff")
    assert charts.shade(-1, None)[0] == "#ffffff", "of others nothing is known"
    assert charts.shade(0, 0)[0] == "#ffffff"
    assert charts.shade(7, 0)[0] == charts.shade(1, 0)[0] == "#0072b2"


def test_the_contrast_is_that_of_wcag() -> None:
    # As published: #767676 is the lightest grey that can be read on white at 4.5; pure red on white has 4.0.
    found = [charts.contrast(colour, "#ffffff") for colour in ("#767676", "#777777", "#ff0000", "#ffffff")]
    assert found == pytest.approx([4.542, 4.478, 3.998, 1], abs=0.0005)


@example(0.875, 0, 0)  # a blue on which neither ink nor white can be read
@given(st.floats(-2, 2), st.floats(0, 2), st.floats(0, 2))
def test_less_is_never_brighter_than_more(position: float, width: float, more: float) -> None:
    def strength(colour: str) -> float:
        return charts.contrast(colour, charts.WHITE)

    near, far = charts.shade(position, width), charts.shade(position, width + more)
    assert strength(far[0]) <= strength(near[0]) + 1e-9
    assert charts.contrast(*near) >= 4.5, "WCAG AA for text"


def test_whiskers_end_at_the_axis_and_lines_without_an_interval_have_none() -> None:
    dots = [Dot("a", 2.0, 0.0, 99.0, "2.0 [0.0, 99.0]"), Dot("b", 1.0, None, None, "1.0")]
    rows = values(charts.dots(dots, "Title", across=(0.5, 4), neutral=1, doubling=True))
    first, second = {row["row"]: row for row in rows if "row" in row}.values()
    assert (first["low"], first["value"], first["high"], first["text"]) == (0.5, 2.0, 4, "2.0 [0.0, 99.0]")
    assert (second["low"], second["high"]) == (None, None)


def test_a_picture_has_a_white_ground_and_two_pixels_for_one(tmp_path: Path) -> None:
    cells = [Tile("r", "c", 1.0, "1 (5)", *charts.shade(1, 0)), Tile("r", "d", None)]
    charts.save(charts.heat_map(cells, "Title", columns=["c", "d"]), tmp_path / "p.png")
    with Image.open(tmp_path / "p.png") as picture:
        assert picture.width > 4 * charts.TILE[0]
        colours = {colour[:3]: count for count, colour in picture.convert("RGB").getcolors(1 << 24) or ()}
    assert colours[255, 255, 255] > picture.width * picture.height / 2
    assert colours[0, 0x72, 0xB2] > 4 * charts.TILE[0] * charts.TILE[1] / 2


def test_no_line_hides_another() -> None:
    with pytest.raises(VhbenchError, match="got 'a' twice"):
        charts.dots([Dot("a", 1, None, None, ""), Dot("a", 2, None, None, "")], "Title")


def test_a_picture_says_first_what_is_to_be_known_first() -> None:
    told = charts.heading(
        "ODE: 8 questions", ["partial: " + "8 of 80 questions were answered. " * 5, *"abcde"]
    ).to_dict()
    assert told["text"] == "ODE: 8 questions"
    assert told["subtitle"][0].startswith("partial: 8 of 80")
    assert max(map(len, told["subtitle"])) <= 110
    assert told["subtitle"][-1] == "… and 2 more: see the file next to it"
    assert "subtitle" not in charts.heading("ODE: 80 questions").to_dict()
