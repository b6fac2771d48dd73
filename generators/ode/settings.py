"""Settings: how English speaks of environments, and which of them nobody would take for one another."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vhbench import english
from vhbench.schema import Scene


@dataclass(frozen=True, slots=True)
class Setting:
    """An environment in words.

    Attributes:
        family: settings of one family look alike.
        place: where a thing is that is there ("on a street").
        shown: what the picture shows ("a street").
    """

    family: str
    place: str
    shown: str


def _table(family: str, *rows: str) -> dict[str, Setting]:
    """Read rows "word: preposition noun phrase"."""
    found = {}
    for row in rows:
        word, _, place = row.partition(": ")
        found[word] = Setting(family, place, place.split(" ", 1)[1])
    return found


SETTINGS: Mapping[str, Setting] = {
    **_table("kitchen", "kitchen: in a kitchen"),
    **_table("bathroom", "bathroom: in a bathroom"),
    **_table("room", "living room: in a living room", "bedroom: in a bedroom", "room: in a room"),
    **_table("work", "classroom: in a classroom", "office: in an office"),
    **_table("stage", "stage: on a stage"),
    **_table("city", "street: on a street", "airport: at an airport", "railway: by a railway"),
    **_table("sport", "court: on a sports court", "track: on a running track"),
    **_table("green", "grass: on grass", "forest: in a forest", "park: in a park", "mountain: on a mountain"),
    **_table("dry", "desert: in a desert"),
    **_table("snow", "snow: in snow", "glacier: on a glacier"),
    **_table("water", "beach: on a beach", "sea: in the sea", "lake: by a lake", "river: by a river"),
    **_table(
        "water", "island: on an island", "pier: on a pier", "reef: at a coral reef", "waterfront: on a waterfront"
    ),
    **_table("sky", "sky: in the sky"),
}
"""Environment → its words."""

INDOORS = frozenset({"kitchen", "bathroom", "room", "work", "stage"})

_DISTINCT: frozenset[frozenset[str]] = frozenset(
    frozenset(pair)
    for pair in (
        ("kitchen", "bathroom"),
        ("kitchen", "stage"),
        ("bathroom", "stage"),
        ("bathroom", "work"),
        ("stage", "work"),
        ("city", "dry"),
        ("city", "snow"),
        ("sport", "snow"),
        ("sport", "water"),
        ("sport", "dry"),
        ("dry", "snow"),
        ("green", "dry"),
        ("city", "water"),
    )
)
"""Pairs of families that cannot be mistaken for one another, besides indoors and outdoors. Families that meet in one
view (a lake below mountains, a park in a city) are not among them."""


def unlike(first: str, second: str) -> bool:
    """Tell whether a picture set in the first environment certainly does not show the second.

    >>> unlike("beach", "kitchen"), unlike("kitchen", "office"), unlike("lake", "sea"), unlike("sky", "sea")
    (True, False, False, False)
    """
    a, b = SETTINGS.get(first), SETTINGS.get(second)
    if a is None or b is None:
        return False
    if (a.family in INDOORS) != (b.family in INDOORS):
        return True
    return frozenset({a.family, b.family}) in _DISTINCT


def place(word: str) -> str:
    """Return where a thing is: "on a street"; "in a cave" for words that the table lacks."""
    return SETTINGS[word].place if word in SETTINGS else f"in {english.with_article(word)}"


def shown(word: str) -> str:
    """Return what a picture shows: "a street", "the sea"."""
    return SETTINGS[word].shown if word in SETTINGS else english.with_article(word)


def annotate(scene: Scene) -> Scene:
    """Return an exact scene that also knows its setting, and the settings that it certainly does not show.

    Settings that people might disagree about (a mountain behind a lake) leave ``known``.
    """
    here = {scene.environment} - {""}
    if scene.environment == "grass" and "snow" in scene.areas:
        here = set()  # nothing of the grass is to be seen
    present = scene.categories() | here
    absent = {word for word in SETTINGS if unlike(scene.environment, word)} - present
    doubtful = SETTINGS.keys() - absent - present
    areas = (*scene.areas, *sorted(here - set(scene.areas)))
    return replace(scene, areas=areas, known=(scene.known - doubtful) | here | absent)
