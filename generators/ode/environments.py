"""Environments: their English wording and which of them are visually distinct.

A graph of one's own may add places, plurals and opposites, see :class:`Wording`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from vhbench import tsv
from vhbench.language import inflection
from vhbench.schema import Scene


@dataclass(frozen=True, slots=True)
class SettingWords:
    """Wording of an environment: a row of ``environments.tsv``."""

    word: str
    family: str  # group of visually similar settings; "" if it occurs in several (a floor, the ground)
    place: str  # prepositional phrase ("on a street")
    made_by: Mapping[str, int]  # objects and their counts of which a rendering needs one entry to be recognizable

    @property
    def indoors(self) -> bool:
        """Whether it is inside a building."""
        return self.family in INDOORS


def _counted(cell: str) -> dict[str, int]:
    """Parse "bed" or "chair:3,board"."""
    parts = (part.partition(":") for part in tsv.words(cell))
    return {name: int(number or 1) for name, _, number in parts}


PLACES: Mapping[str, SettingWords] = {
    row.word: row for row in tsv.records(Path(__file__).with_suffix(".tsv"), SettingWords, {"made_by": _counted})
}
"""Environment → its wording."""

INDOORS = frozenset({"kitchen", "bathroom", "room", "work", "stage"})

_NOTHING_OVER = frozenset({"sky", "floor", "wall"})  # environments without visible sky above

_DISTINCT = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "kitchen/bathroom kitchen/stage bathroom/stage bathroom/work stage/work city/dry city/snow city/water "
        "sport/snow sport/water sport/dry dry/snow green/dry forest/sea forest/beach forest/pier forest/reef river/sea "
        "river/beach river/pier river/reef"
    ).split()
)
"""Pairs of visually distinct families, or environments, besides indoors against outdoors.

Families that share a view (a lake below mountains, a park in a city) are excluded.
"""


_BEFORE_A_PLACE = re.compile(
    r"((?:next|close) to|(?:in front|on top|outside|inside) of|\S+(?: \S+)*?(?= (?:an?|the) )|\S+) "
)


def _parted(phrase: str) -> tuple[str, str]:
    """Return the preposition of a place, of one or several words, and its noun phrase.

    >>> _parted("next to the yard"), _parted("at road works"), _parted("in front of yards")
    (('next to', 'the yard'), ('at', 'road works'), ('in front of', 'yards'))
    """
    preposition = _BEFORE_A_PLACE.match(phrase)
    assert preposition, "a place is a phrase"
    return preposition[1], phrase[preposition.end() :]


@dataclass(frozen=True)
class Wording:
    """English of a graph's concepts, and what excludes what."""

    places: Mapping[str, SettingWords] = field(default_factory=lambda: PLACES)  # environment → its wording
    plurals: Mapping[str, str] = field(default_factory=dict)  # noun → its plural, if irregular
    mass: frozenset[str] = frozenset()  # nouns without article and number
    opposites: Mapping[str, frozenset[str]] = field(default_factory=dict)  # place or attribute → what excludes it

    @cached_property
    def settings(self) -> Mapping[str, SettingWords]:
        """Environments that fill a whole image, which makes others absent."""
        return {word: row for word, row in self.places.items() if row.family or word in self.opposites}

    def unlike(self, first: str, second: str) -> bool:
        """Return whether an image set in the first environment cannot show the second.

        >>> unlike = DEFAULT.unlike
        >>> unlike("beach", "kitchen"), unlike("kitchen", "office"), unlike("lake", "sea"), unlike("sky", "sea")
        (True, False, False, False)
        >>> unlike("forest", "sea"), unlike("pier", "river"), unlike("park", "lake")
        (True, True, False)
        """
        if second in self.opposites.get(first, ()):
            return True
        a, b = self.places.get(first), self.places.get(second)
        if a is None or b is None or not a.family or not b.family:
            return False
        if (a.family in INDOORS) != (b.family in INDOORS):
            return True
        return not _DISTINCT.isdisjoint({frozenset({a.family, b.family}), frozenset({first, second})})

    def place(self, word: str, state: str = "", *, aloft: bool = True, over: bool = False) -> str:
        """Return the location phrase of an environment, with its adjective, if any.

        Without ``aloft``, objects cannot fly and are under the sky; with ``over``, they are in the air above a place.

        >>> place = DEFAULT.place
        >>> place("sea", "calm", over=True), place("kitchen", over=True)
        ('over the calm sea', 'in a kitchen')
        >>> place("street"), place("sea", "calm"), place("airport", "busy"), place("sky", aloft=False)
        ('on a street', 'in the calm sea', 'at a busy airport', 'under the sky')
        >>> place("crossroads"), place("motorway", "wet")  # not in the table
        ('in a scene with crossroads', 'in a scene with a wet motorway')
        """
        words = self.places.get(word)
        if words is None:
            return f"in a scene with {inflection.with_article(f'{state} {word}'.strip())}"
        where = words.place
        if word == "sky" and not aloft:
            where = "under the sky"
        if over and word not in _NOTHING_OVER and words.family not in INDOORS:
            where = f"over {_parted(where)[1]}"
        if not state:
            return where
        preposition, named = _parted(where)
        article, _, noun = named.partition(" ")
        if article in ("a", "an"):
            return f"{preposition} {inflection.a(f'{state} {noun}')}"
        return f"{preposition} {article} {state} {noun}" if article == "the" else f"{preposition} {state} {named}"

    def description(self, word: str, state: str = "") -> str:
        """Return the noun phrase of an environment: "a street", "the calm sea"."""
        if word in self.places:
            return _parted(self.place(word, state))[1]
        return inflection.with_article(f"{state} {word}".strip())

    def one(self, noun: str, before: Iterable[str] = ()) -> str:
        """Return a noun with its article, after some adjectives: "a red lorry"."""
        named = " ".join((*before, noun))
        return named if noun in self.mass else inflection.with_article(named)

    def several(self, number: int, noun: str, before: Iterable[str] = ()) -> str:
        """Return a number of objects: "two red lorries".

        >>> Wording(plurals={"cul-de-sac": "culs-de-sac"}).several(2, "cul-de-sac", ["quiet"])
        'two quiet culs-de-sac'
        """
        if number > 1 and noun in self.plurals:
            return " ".join((inflection.NUMBERS[number], *before, self.plurals[noun]))
        return inflection.count_phrase(number, " ".join((*before, noun)))

    def countable(self, noun: str) -> bool:
        """Return whether a noun takes numbers."""
        return noun not in self.mass and inflection.countable(noun)

    def annotate(self, scene: Scene) -> Scene:
        """Add the setting, and the settings it excludes, to an exact scene.

        Settings that annotators might disagree about (a mountain behind a lake) are removed from ``known``.
        """
        here = {scene.environment} - {""} if is_recognizable(scene) else set[str]()
        painted = scene.areas if here else tuple(area for area in scene.areas if area != scene.environment)
        present = scene.categories() - {scene.environment} | set(painted) | here
        absent = {word for word in self.settings if self.unlike(scene.environment, word)} - present
        doubtful = self.settings.keys() - absent - present
        areas = (*painted, *sorted(here - set(painted)))
        return replace(scene, areas=areas, known=(scene.known - doubtful) | here | absent)


DEFAULT = Wording()
SETTINGS, place, description, annotate = DEFAULT.settings, DEFAULT.place, DEFAULT.description, DEFAULT.annotate


def has_defining_object(scene: Scene) -> bool:
    """Return whether a rendered setting has its defining objects; most need none."""
    needed = PLACES[scene.environment].made_by if scene.environment in PLACES else {}
    return not needed or any(
        sum(thing.category == word for thing in scene.objects) >= number for word, number in needed.items()
    )


def is_recognizable(scene: Scene) -> bool:
    """Return whether the setting is recognizable: a bedroom needs a bed, grass no snow."""
    return has_defining_object(scene) and not (scene.environment == "grass" and "snow" in scene.areas)
