"""Environments: their English wording and which of them are visually distinct."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vhbench import tsv
from vhbench.language import inflection
from vhbench.schema import Scene


@dataclass(frozen=True, slots=True)
class SettingWords:
    """Wording of an environment: a row of ``environments.tsv``.

    Attributes:
        word: environment.
        family: group of visually similar settings; "" if it occurs in several (a floor, the ground).
        place: prepositional phrase ("on a street").
        made_by: objects and their counts of which a rendering needs one entry to be recognizable.
    """

    word: str
    family: str
    place: str
    made_by: Mapping[str, int]

    @property
    def shown(self) -> str:
        """Noun phrase ("a street")."""
        return self.place.split(" ", 1)[1]


def _counted(cell: str) -> dict[str, int]:
    """Parse "bed" or "chair:3,board"."""
    parts = (part.partition(":") for part in tsv.words(cell))
    return {name: int(number or 1) for name, _, number in parts}


PLACES: Mapping[str, SettingWords] = {
    row.word: row for row in tsv.records(Path(__file__).with_suffix(".tsv"), SettingWords, {"made_by": _counted})
}
"""Environment → its wording."""

SETTINGS: Mapping[str, SettingWords] = {word: words for word, words in PLACES.items() if words.family}
"""Environments that fill a whole image, which makes others absent."""

INDOORS = frozenset({"kitchen", "bathroom", "room", "work", "stage"})

_NOTHING_OVER = frozenset({"sky", "floor", "wall"})
"""Environments without visible sky above."""

_DISTINCT = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "kitchen/bathroom kitchen/stage bathroom/stage bathroom/work stage/work city/dry city/snow city/water "
        "sport/snow sport/water sport/dry dry/snow green/dry"
    ).split()
)
"""Pairs of visually distinct families, besides indoors against outdoors.

Families that share a view (a lake below mountains, a park in a city) are excluded.
"""


def unlike(first: str, second: str) -> bool:
    """Return whether an image set in the first environment cannot show the second.

    >>> unlike("beach", "kitchen"), unlike("kitchen", "office"), unlike("lake", "sea"), unlike("sky", "sea")
    (True, False, False, False)
    """
    a, b = SETTINGS.get(first), SETTINGS.get(second)
    if a is None or b is None:
        return False
    if (a.family in INDOORS) != (b.family in INDOORS):
        return True
    return frozenset({a.family, b.family}) in _DISTINCT


def place(word: str, state: str = "", *, aloft: bool = True, over: bool = False) -> str:
    """Return the location phrase of an environment; words outside the table take "in".

    Args:
        word: environment.
        state: its adjective, or "".
        aloft: whether the objects can fly; others are under the sky.
        over: whether the objects are in the sky above outdoor places.

    >>> place("sea", "calm", over=True), place("kitchen", over=True)
    ('over the calm sea', 'in a kitchen')
    >>> place("street"), place("sea", "calm"), place("airport", "busy"), place("sky", aloft=False), place("cave")
    ('on a street', 'in the calm sea', 'at a busy airport', 'under the sky', 'in a cave')
    """
    words = PLACES.get(word)
    where = words.place if words else f"in {inflection.with_article(word)}"
    if word == "sky" and not aloft:
        where = "under the sky"
    if over and words and word not in _NOTHING_OVER and words.family not in INDOORS:
        where = f"over {where.split(' ', 1)[1]}"
    if not state:
        return where
    preposition, named = where.split(" ", 1)
    article, _, noun = named.partition(" ")
    if article in ("a", "an"):
        return f"{preposition} {inflection.a(f'{state} {noun}')}"
    return f"{preposition} {article} {state} {noun}" if article == "the" else f"{preposition} {state} {named}"


def shown(word: str) -> str:
    """Return the noun phrase of an environment: "a street", "the sea"."""
    return PLACES[word].shown if word in PLACES else inflection.with_article(word)


def has_defining_object(scene: Scene) -> bool:
    """Return whether a rendered setting has its defining objects; most need none."""
    needed = PLACES[scene.environment].made_by if scene.environment in PLACES else {}
    return not needed or any(
        sum(thing.category == word for thing in scene.objects) >= number for word, number in needed.items()
    )


def is_recognizable(scene: Scene) -> bool:
    """Return whether the setting is recognizable: a bedroom needs a bed, grass no snow."""
    return has_defining_object(scene) and not (scene.environment == "grass" and "snow" in scene.areas)


def annotate(scene: Scene) -> Scene:
    """Add the setting, and the settings it excludes, to an exact scene.

    Settings that annotators might disagree about (a mountain behind a lake) are removed from ``known``.
    """
    here = {scene.environment} - {""} if is_recognizable(scene) else set[str]()
    painted = scene.areas if here else tuple(area for area in scene.areas if area != scene.environment)
    present = scene.categories() - {scene.environment} | set(painted) | here
    absent = {word for word in SETTINGS if unlike(scene.environment, word)} - present
    doubtful = SETTINGS.keys() - absent - present
    areas = (*painted, *sorted(here - set(painted)))
    return replace(scene, areas=areas, known=(scene.known - doubtful) | here | absent)
