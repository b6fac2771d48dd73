"""The drawings: safe plain SVG, tight, and in the colour that was asked for."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from vhbench.generators.scenes import catalog, paints
from vhbench.generators.scenes.drawings import artwork

ELEMENTS = {"svg", "g", "path", "rect", "circle", "ellipse", "defs", "clipPath"}
ATTRIBUTES = {
    "viewBox", "color", "class", "fill", "fill-rule", "fill-opacity", "stroke", "stroke-width", "stroke-opacity",
    "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "transform", "opacity", "id", "clip-path", "d", "x", "y",
    "width", "height", "rx", "ry", "cx", "cy", "r", "data-of",
}  # fmt: skip
FILES = sorted(artwork.ART.glob("*.svg"))
WITH_DEFAULT = [entry for entry in catalog.CATALOG.values() if entry.default_colour]
DRAWN = [entry for entry in catalog.CATALOG.values() if entry.drawing]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_art_is_plain_svg(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "<!" not in text  # no document type, so no entities
    assert "<?" not in text
    root = ET.fromstring(text)
    for element in root.iter():
        assert element.tag.rpartition("}")[2] in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES  # nothing that runs, links or loads
        for value in element.attrib.values():
            assert not re.search(r"url\((?!#)|https?:|javascript|data:", value)
    slots = [element for element in root.iter() if element.get("class") == "slot"]
    assert bool(slots) == bool(root.get("color"))


def test_every_file_is_in_the_catalog_and_the_other_way_round() -> None:
    assert {path.stem for path in FILES} == {
        artwork.stem(entry, state) for entry in DRAWN for state in ("", *entry.states)
    }


@pytest.mark.parametrize("entry", DRAWN, ids=lambda entry: entry.word)
def test_drawings_are_tight_and_have_a_slot_where_colours_are_allowed(entry: catalog.Entry, picture) -> None:
    drawing = artwork.draw(entry.word)
    alpha = picture(drawing, size=200, margin=20)[..., 3] > 20
    rows, columns = alpha.any(1).nonzero()[0], alpha.any(0).nonzero()[0]
    scale = 200 / max(drawing.width, drawing.height)
    reached = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]) - 20
    assert np.abs(reached - [0, 0, drawing.width * scale, drawing.height * scale]).max() <= 3.5
    assert bool(entry.colours) <= bool(artwork.load(entry.drawing).slot)


@pytest.mark.parametrize("entry", [e for e in catalog.CATALOG.values() if e.colours], ids=lambda entry: entry.word)
def test_at_least_half_of_the_visible_area_has_the_colour(entry: catalog.Entry, visible) -> None:
    shares = {
        name: paints.shares(visible(artwork.draw(entry.word, colour=name))).get(name, 0) for name in entry.colours
    }
    assert {name: share for name, share in shares.items() if share < 0.5} == {}


@pytest.mark.parametrize("entry", WITH_DEFAULT, ids=lambda entry: entry.word)
def test_the_default_colour_is_the_one_that_is_seen(entry: catalog.Entry, visible) -> None:
    assert paints.shares(visible(artwork.draw(entry.word)))[entry.default_colour] >= 0.5


def test_slots_change_and_the_rest_stays() -> None:
    own, blue = artwork.draw("car").svg, artwork.draw("car", colour="blue").svg
    assert "#d63a33" in own
    assert "#d63a33" not in blue
    assert "#bfe0ee" in blue  # the windows are not the slot


def test_ids_of_two_drawings_never_clash() -> None:
    one, two = (artwork.draw("zebra", action=action).svg for action in ("", "running"))
    assert not set(re.findall(r'id="([^"]+)"', one)) & set(re.findall(r'id="([^"]+)"', two))


def test_scale_is_the_same_for_all_actions() -> None:
    standing, lying = artwork.draw("man"), artwork.draw("man", action="lying")
    assert standing.metres == lying.metres
    assert standing.height * standing.metres == pytest.approx(1.78)
    assert lying.width > lying.height
