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
    """Renderable object.

    Attributes:
        word: the key, AMBER's word if there is one.
        name: readable English, COCO's category name if there is one.
        synonyms: other words for the same object.
        drawing: stem of the file in ``art/``, or "" for a parametric creature.
        size_m: longer side of the default drawing, in metres.
        place: position class.
        habitat: usual surroundings: "indoor", "outdoor", a word that the environment must render ("rail" for a train),
            or "" for any. It only affects choices a spec leaves open; a spec may request a couch on a beach.
        colours: colours it may be rendered in; empty if the colour is fixed (a banana is yellow).
        default_colour: colour that covers at least half of the default drawing, or "".
        actions: supported actions, as gerunds ("running"); "" is :data:`DEFAULT_ACTION`.
        states: supported states ("open", "closed"), the drawing's own first; others are separate drawings,
            ``<drawing>_<state>.svg``.
        coco: COCO's category, or "".
        countable: whether its instances may be counted.
        flip: whether it may be mirrored.
        surface: where other objects may rest on it, as (left, right, top, bottom) fractions of its box, or None.
        implies: words that hold for it as well ("man" → "person").
        confusable: near-synonyms and lookalikes: if one of the two is shown, the other must not be used as absent.
        parts: words for parts of its drawing (a car's windows): neither used as absent nor counted if it is shown; a
            window, however, does not make a car unknown.
    """

    word: str
    name: str
    synonyms: tuple[str, ...]
    drawing: str
    size_m: float
    place: Place
    habitat: str
    colours: tuple[str, ...]
    default_colour: str
    actions: tuple[str, ...]
    states: tuple[str, ...]
    coco: str
    countable: bool
    flip: bool
    surface: Box | None
    implies: tuple[str, ...]
    confusable: tuple[str, ...]
    parts: tuple[str, ...]


def lookup(word: str) -> Entry | None:
    """Return the entry of a word, readable name, synonym or COCO category, or None."""
    return _BY_WORD.get(plain(word))


def find(word: str) -> Entry:
    """Return the entry of a word.

    Raises:
        VhbenchError: if the catalog has no such name.
    """
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
