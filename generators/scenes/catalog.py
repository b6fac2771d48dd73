"""What can be drawn: one table, ``catalog.tsv``, with a row per thing.

A row's ``word`` is the benchmark's word for the thing (AMBER's spelling where AMBER has it); ``name`` is the English
that questions use and that the scenes' truth holds. Two words for one thing are one row with synonyms, so that no
scene says of one thing that it is both present and absent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from vhbench.colours import COLOURS
from vhbench.schema import VhbenchError
from vhbench.tsv import numbers, records, words

Place = Literal["ground", "floor", "table", "wall", "air", "water", "sky"]
"""Where a thing stands: on the ground, flat on it (floor), on a table or the ground, on a wall, in the air …"""

PLACES: tuple[Place, ...] = get_args(Place)

Box = tuple[float, float, float, float]

TABLE = Path(__file__).with_name("catalog.tsv")
"""The catalog's rows."""

DEFAULT_ACTION = "standing"
"""What a creature does when no action is asked for."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be drawn.

    Attributes:
        word: the key, AMBER's word where there is one.
        name: readable English, COCO's category name where there is one.
        synonyms: other words for the same thing.
        drawing: stem of the file in ``art/``, or "" for a parametric creature.
        size_m: the longer side of the default drawing, in metres.
        place: where it stands.
        habitat: where it is usually seen: "indoor", "outdoor", a word that the environment must paint ("rail" for a
            train), or "" for anywhere. A preference for what a spec leaves open; a spec may ask for a couch on a beach.
        colours: names it may be painted in; empty for identity-locked drawings (a banana is yellow).
        default_colour: the colour that covers at least half of the default drawing, or "".
        actions: what it can be shown doing, as gerunds ("running"); "" is :data:`DEFAULT_ACTION`.
        states: the states it can be shown in ("open", "closed"), that of the drawing itself first; the others are
            drawings of their own, ``<drawing>_<state>.svg``.
        coco: COCO's category, or "".
        countable: whether its instances may be counted.
        flip: whether it may be mirrored.
        surface: where other things may stand on it, as (left, right, top, bottom) fractions of its box, or None.
        implies: words that are true of it as well ("man" → "person").
        confusable: near-synonyms and lookalikes: where one of the two is shown, the other must not be asked as absent.
        parts: words for what its drawing contains (a car's windows): not asked as absent where it is shown, nor
            counted; but a window does not put a car in doubt.
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
    """Return the entry that a word, readable name, synonym or COCO category stands for, or None."""
    return _BY_WORD.get(plain(word))


def find(word: str) -> Entry:
    """Return the entry that a word stands for.

    Raises:
        VhbenchError: if nothing in the catalog has that name.
    """
    entry = lookup(word)
    if entry is None:
        raise VhbenchError(f"cannot draw {word!r}: not among the {len(CATALOG)} things of {TABLE.name}")
    return entry


def readable(word: str) -> str:
    """Return the name under which scenes know a word; words without a drawing stay as they are."""
    entry = lookup(word)
    return entry.name if entry else word


def plain(word: str) -> str:
    """Return the form in which words are looked up: lower case, with spaces."""
    return word.strip().lower().replace("_", " ")


def _place(cell: str) -> str:
    if cell not in PLACES:
        raise ValueError(f"place {cell!r} must be one of {', '.join(PLACES)}")
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
"""Column → what reads its cells, unless they are text."""

CATALOG: Mapping[str, Entry] = {entry.word: entry for entry in records(TABLE, Entry, READERS)}
"""Word → entry."""

_NAMES: list[tuple[str, Entry]] = [
    *((e.word, e) for e in CATALOG.values()),
    *((e.name, e) for e in CATALOG.values()),
    *((word, e) for e in CATALOG.values() for word in e.synonyms),
    *((e.coco, e) for e in CATALOG.values() if e.coco),
]
_BY_WORD = {plain(word): entry for word, entry in reversed(_NAMES)}
"""Any word → entry: words win over names, names over synonyms, synonyms over COCO categories."""
