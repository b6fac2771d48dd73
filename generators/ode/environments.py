"""Settings: how English speaks of environments, and which of them nobody would take for one another."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vhbench import tsv
from vhbench.language import inflection
from vhbench.schema import Scene


@dataclass(frozen=True, slots=True)
class SettingWords:
    """An environment in words: a row of ``environments.tsv``.

    Attributes:
        word: the environment.
        family: settings of one family look alike; "" for what may be in any of them (a floor, the ground).
        place: where a thing is that is there ("on a street").
        made_by: things without any of which a drawing of it could be another place, and how many of them.
    """

    word: str
    family: str
    place: str
    made_by: Mapping[str, int]

    @property
    def shown(self) -> str:
        """What the picture shows ("a street")."""
        return self.place.split(" ", 1)[1]


def _counted(cell: str) -> dict[str, int]:
    """Read "bed" or "chair:3,board"."""
    parts = (part.partition(":") for part in tsv.words(cell))
    return {name: int(number or 1) for name, _, number in parts}


PLACES: Mapping[str, SettingWords] = {
    row.word: row for row in tsv.records(Path(__file__).with_suffix(".tsv"), SettingWords, {"made_by": _counted})
}
"""Environment → its words."""

SETTINGS: Mapping[str, SettingWords] = {word: words for word, words in PLACES.items() if words.family}
"""Those that are the setting of a whole picture, so that another one can be told to be absent."""

INDOORS = frozenset({"kitchen", "bathroom", "room", "work", "stage"})

_NOTHING_OVER = frozenset({"sky", "floor", "wall"})
"""Over these there is no sky to be seen."""

_DISTINCT = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "kitchen/bathroom kitchen/stage bathroom/stage bathroom/work stage/work city/dry city/snow city/water "
        "sport/snow sport/water sport/dry dry/snow green/dry"
    ).split()
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


def place(word: str, state: str = "", *, aloft: bool = True, over: bool = False) -> str:
    """Return where a thing is; words that the table lacks are places that one can be in.

    Args:
        word: the environment.
        state: an adjective of it, or "".
        aloft: whether what is there can fly; what cannot is under the sky.
        over: whether it is up in the sky that is over places outdoors.

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
    """Return what a picture shows: "a street", "the sea"."""
    return PLACES[word].shown if word in PLACES else inflection.with_article(word)


def is_made(scene: Scene) -> bool:
    """Tell whether a drawn setting can be told by what is in it; most can be told by what is painted."""
    needed = PLACES[scene.environment].made_by if scene.environment in PLACES else {}
    return not needed or any(
        sum(thing.category == word for thing in scene.objects) >= number for word, number in needed.items()
    )


def is_told(scene: Scene) -> bool:
    """Tell whether one sees in which setting a scene is: not in a bedroom without a bed, nor on grass under snow."""
    return is_made(scene) and not (scene.environment == "grass" and "snow" in scene.areas)


def annotate(scene: Scene) -> Scene:
    """Return an exact scene that also knows its setting, and the settings that it certainly does not show.

    Settings that people might disagree about (a mountain behind a lake) leave ``known``.
    """
    here = {scene.environment} - {""} if is_told(scene) else set[str]()
    painted = scene.areas if here else tuple(area for area in scene.areas if area != scene.environment)
    present = scene.categories() - {scene.environment} | set(painted) | here
    absent = {word for word in SETTINGS if unlike(scene.environment, word)} - present
    doubtful = SETTINGS.keys() - absent - present
    areas = (*painted, *sorted(here - set(painted)))
    return replace(scene, areas=areas, known=(scene.known - doubtful) | here | absent)
