"""Catalog of renderable objects: ``catalog.tsv``, with one row per object.

``word`` is the benchmark's word for the object (AMBER's spelling if it exists there); ``name`` is the English used in
questions and ground truth. Two words for one object are one row with synonyms, so that a scene never lists an object as
both present and absent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from vhbench.colours import COLOURS
from vhbench.schema import VhbenchError
from vhbench.tsv import numbers, records, words

Place = Literal["ground", "floor", "table", "wall", "air", "water", "sky"]
"""Position class of an object: on the ground, flat on it (floor), on a table, on a wall, …"""

PLACES: tuple[Place, ...] = get_args(Place)

Box = tuple[float, float, float, float]

TABLE = Path(__file__).with_name("catalog.tsv")  # the catalog file
DEFAULT_ACTION = "standing"  # action of a creature without a requested action


@dataclass(frozen=True, slots=True)
class Entry:
    """Renderable object."""

    word: str  # the key, AMBER's word if there is one
    name: str  # readable English, COCO's category name if there is one
    synonyms: tuple[str, ...]  # other words for the same object
    drawing: str  # stem of the file in ``art/``, or "" for a parametric creature
    size_m: float  # longer side of the default drawing, in metres
    place: Place
    # Usual surroundings: "indoor", "outdoor", a word that the environment must render ("rail" for a train), or "" for
    # any. It only affects choices a spec leaves open; a spec may request a couch on a beach.
    habitat: str
    colours: tuple[str, ...]  # it may be rendered in; empty if the colour is fixed (a banana is yellow)
    default_colour: str  # colour that covers at least half of the default drawing, or ""
    actions: tuple[str, ...]  # as gerunds ("running"); "" is :data:`DEFAULT_ACTION`
    states: tuple[str, ...]  # the drawing's own first; others are separate drawings, ``<drawing>_<state>.svg``
    coco: str  # COCO's category, or ""
    countable: bool  # whether its instances may be counted
    flip: bool  # whether it may be mirrored
    surface: Box | None  # where others may rest on it: left, right, top, bottom as fractions of its box; or None
    implies: tuple[str, ...]  # words that hold for it as well ("man" → "person")
    confusable: tuple[str, ...]  # near-synonyms and lookalikes: if one is shown, the other is not used as absent
    # Words for parts of its drawing (a car's windows): neither used as absent nor counted if it is shown; a window,
    # however, does not make a car unknown.
    parts: tuple[str, ...]


def lookup(word: str) -> Entry | None:
    """Return the entry of a word, readable name, synonym or COCO category, or None."""
    return _BY_WORD.get(plain(word))


def find(word: str) -> Entry:
    """Return the entry of a word; raise VhbenchError if the catalog has no such name."""
    entry = lookup(word)
    if entry is None:
        raise VhbenchError(f"cannot draw {word!r}: not among the {len(CATALOG)} things of {TABLE.name}")
    return entry


def readable(word: str) -> str:
    """Return the ground-truth name of a word; words without a drawing are returned unchanged."""
    entry = lookup(word)
    return entry.name if entry else word


def plain(word: str) -> str:
    """Return the lookup form of a word: lower case, with spaces."""
    return word.strip().lower().replace("_", " ")


def _place(cell: str) -> str:
    if cell not in PLACES:
        raise ValueError(f"unknown place {cell!r}, expected one of {', '.join(PLACES)}")
    return cell


READERS: Mapping[str, Callable[[str], Any]] = {
    "place": _place,
    "size_m": float,
    "colours": lambda cell: COLOURS if cell == "any" else words(cell),
    "countable": "yes".__eq__,
    "flip": "yes".__eq__,
    "surface": lambda cell: numbers(cell) or None,
    **dict.fromkeys(("synonyms", "actions", "states", "implies", "confusable", "parts"), words),
}
"""Column → parser of its cells, unless they are text."""

CATALOG: Mapping[str, Entry] = {entry.word: entry for entry in records(TABLE, Entry, READERS)}  # word → entry
_NAMES: list[tuple[str, Entry]] = [
    *((e.word, e) for e in CATALOG.values()),
    *((e.name, e) for e in CATALOG.values()),
    *((word, e) for e in CATALOG.values() for word in e.synonyms),
    *((e.coco, e) for e in CATALOG.values() if e.coco),
]
_BY_WORD = {plain(word): entry for word, entry in reversed(_NAMES)}
"""Any word → entry; words take precedence over names, synonyms and COCO categories."""
