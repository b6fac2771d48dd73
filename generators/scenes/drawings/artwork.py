"""Vector markup by word, from the files in ``art/`` with their colour slots filled.

A file is plain SVG. Elements with ``class="slot"`` belong to the colour slot. The root's ``color`` attribute is the
slot's base colour, of which the slot's fills and strokes are shades. Recolouring a drawing shifts all of them.
"""

import re
import xml.etree.ElementTree as ET
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache

from vhbench.generators.scenes import materials, paints
from vhbench.generators.scenes.catalog import TABLE, Entry, find
from vhbench.generators.scenes.creatures.creature import creature, usual_size

ART = TABLE.with_name("art")  # folder of the drawings
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")
_PREFIX, _SLOT = "\ue000", "\ue001"  # placeholders that occur in no drawing
_SHADE = re.compile(f'{_SLOT}(#[^"]*)')


@dataclass(frozen=True, slots=True)
class Drawing:
    """Vector markup without ``<svg>``, tight around (0, 0) to (width, height), y downwards."""

    svg: str  # markup; ids have a unique prefix, so that drawings can share a document
    width: float  # in drawing units
    height: float  # in drawing units
    metres: float  # length of one drawing unit; constant over a creature's actions


@dataclass(frozen=True, slots=True)
class Art:
    """Parsed file of ``art/``: root, view box and slot colour ("" if it has none)."""

    root: ET.Element
    box: tuple[float, float, float, float]
    slot: str


@lru_cache(maxsize=4096)
def draw(word: str, *, colour: str = "", action: str = "", state: str = "", variant: int = 0) -> Drawing:
    """Draw an object of the catalog in one of its colours, actions and states; raise for an unknown word.

    "" is the drawing's own colour, standing, and the first state. The variant is a creature's hair, skin or spots.
    """
    entry = find(word)
    if entry.drawing:
        return _draw_art(entry, colour, state)
    body, width, height = creature(entry.word, colour, action, variant)
    return Drawing(body, width, height, entry.size_m / usual_size(entry.word))


@cache
def load(stem: str) -> Art:
    """Parse a file of ``art/``."""
    root = ET.parse(ART / f"{stem}.svg").getroot()  # noqa: S314 (our own file)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    left, top, width, height = (float(part) for part in root.attrib["viewBox"].split())
    return Art(root, (left, top, width, height), root.get("color", ""))


def stem(entry: Entry, state: str = "") -> str:
    """Return the stem of the ``art/`` file for an entry in a state."""
    return entry.drawing if state in ("", *entry.states[:1]) else f"{entry.drawing}_{state}"


def _draw_art(entry: Entry, colour: str, state: str) -> Drawing:
    stem_of_state = stem(entry, state)
    art, usual = load(stem_of_state), load(entry.drawing)
    left, top, width, height = art.box
    body = _template(stem_of_state).replace(_PREFIX, f"{stem_of_state}-{colour or 'own'}-")
    body = _SHADE.sub(lambda match: paints.reshade(match[1], art.slot, colour) if colour else match[1], body)
    body = materials.label_all(body, entry.drawing, art.slot)
    shift = f"translate({-left:g} {-top:g})"
    return Drawing(f'<g transform="{shift}">{body}</g>', width, height, entry.size_m / max(usual.box[2:]))


@cache
def _template(stem: str) -> str:
    """Return a file's markup with placeholders for id prefixes and before slot shades."""
    parts = (_marked(deepcopy(child)) for child in load(stem).root)
    return "".join(ET.tostring(part, encoding="unicode").strip() for part in parts)


def _marked(part: ET.Element) -> ET.Element:
    for element in part.iter():
        is_slot = element.attrib.pop("class", "") == "slot"
        element.text = element.tail = None
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, _PREFIX + value)
            elif value.startswith("url("):
                element.set(key, _REFERENCE.sub(rf"url(#{_PREFIX}\1)", value))
            elif is_slot and key in ("fill", "stroke", "stop-color") and value.startswith("#"):
                element.set(key, _SLOT + value)
    return part
