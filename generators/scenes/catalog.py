"""What can be drawn: one table, ``catalog.tsv``, with a row per thing.

A row's ``word`` is the benchmark's word for the thing (AMBER's spelling where AMBER has it); ``name`` is the English
that questions use and that the scenes' truth holds. Two words for one thing are one row with synonyms, so that no
scene says of one thing that it is both present and absent.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from vhbench.generators.scenes.paints import COLOURS
from vhbench.schema import VhbenchError

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
    return _index().get(word.strip().lower().replace("_", " "))


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


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return the readable names of everything that can be drawn."""
    return frozenset(entry.name for entry in CATALOG.values())


def _read(path: Path) -> Mapping[str, Entry]:
    with path.open(encoding="utf-8", newline="") as file:
        entries = [_entry(row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return {entry.word: entry for entry in entries}


def _entry(row: Mapping[str, str]) -> Entry:
    return Entry(
        word=row["word"],
        name=row["name"],
        synonyms=_words(row["synonyms"]),
        drawing=row["drawing"],
        size_m=float(row["size_m"]),
        place=_place(row["place"], row["word"]),
        habitat=row["habitat"],
        colours=COLOURS if row["colours"] == "any" else _words(row["colours"]),
        default_colour=row["default_colour"],
        actions=_words(row["actions"]),
        states=_words(row["states"]),
        coco=row["coco"],
        countable=row["countable"] == "yes",
        flip=row["flip"] == "yes",
        surface=_box(row["surface"]),
        implies=_words(row["implies"]),
        confusable=_words(row["confusable"]),
        parts=_words(row["parts"]),
    )


def _place(value: str, word: str) -> Place:
    for place in PLACES:
        if place == value:
            return place
    raise VhbenchError(f"{TABLE.name}: {word}: place {value!r} must be one of {', '.join(PLACES)}")


def _box(cell: str) -> Box | None:
    if not cell:
        return None
    left, right, top, bottom = (float(part) for part in cell.split(","))
    return left, right, top, bottom


def _words(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(",")) if cell else ()


@lru_cache(maxsize=1)
def _index() -> Mapping[str, Entry]:
    """Map every word to its entry: words win over names, names over synonyms, synonyms over COCO categories."""
    index: dict[str, Entry] = {}
    for names in (_by_word, _by_name, _by_synonym, _by_coco):
        for entry in CATALOG.values():
            for name in names(entry):
                index.setdefault(name.lower().replace("_", " "), entry)
    return index


def _by_word(entry: Entry) -> tuple[str, ...]:
    return (entry.word,)


def _by_name(entry: Entry) -> tuple[str, ...]:
    return (entry.name,)


def _by_synonym(entry: Entry) -> tuple[str, ...]:
    return entry.synonyms


def _by_coco(entry: Entry) -> tuple[str, ...]:
    return (entry.coco,) if entry.coco else ()


CATALOG: Mapping[str, Entry] = _read(TABLE)
"""Word → entry."""
