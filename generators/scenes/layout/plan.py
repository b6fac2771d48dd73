"""Planning: from a spec to wished-for drawings with colours and position classes.

Specs that no layout can satisfy are refused here.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vhbench.generators.scenes.catalog import Entry, Place, lookup, readable
from vhbench.generators.scenes.drawings.sprites import Look
from vhbench.generators.scenes.environments.atlas import ENVIRONMENTS, find_environment
from vhbench.generators.scenes.environments.backdrops import VARIANTS
from vhbench.generators.scenes.environments.environment import Environment
from vhbench.generators.scenes.truth import measuring, relations
from vhbench.generators.scenes.truth.known_words import VOCABULARY, clash, rivals
from vhbench.language import inflection
from vhbench.schema import ObjectSpec, SceneSpec, VhbenchError

MOST_THINGS = 10  # maximum number of objects per scene
HARD = ("small", "occluded", "truncated", "low_contrast")  # hard positives that a spec may request

_SUBSTITUTES: Mapping[Place, tuple[Place, ...]] = {
    "ground": ("ground", "water", "air"),
    "floor": ("floor", "ground", "water", "air"),
    "table": ("table", "ground", "water", "air"),
    "water": ("water", "ground", "air"),
    "wall": ("wall", "ground", "water", "air"),
    "air": ("air", "sky"),
    "sky": ("sky", "air"),
}
"""Position class → fallbacks, by preference, if the environment lacks the class.

Fictional scenes request elephants at sea; these are rendered up to the belly in water.
"""

_OCCLUDERS = (
    *("bush", "tree", "box", "car", "rock", "cabinet", "sofa", "bench", "bookshelf", "umbrella"),
    *("kite", "plane", "parasail", "balloon", "curtain", "drawing", "mirror", "board", "boat", "yacht"),
)
"""Objects that may be added as occluders if the spec names none."""

TABLES = ("table", "tablecloth", "bar", "desk", "dresser")
"""Objects on which small objects are placed without a request."""

_DOWN = frozenset({"ground", "floor", "table", "water"})
_ALOFT = frozenset({"air", "sky"})

_OPPOSITES = (("left of", "right of"), ("in front of", "behind"), ("above", "below"), ("next to", "next to"))
INVERSE = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}  # predicate → its converse
_VARIANTS = 12
_RARE = {"night": 1.0, "dim": 1.0}  # states sampled less often than the other states


class Refusal(Exception):
    """Reason why a spec cannot be rendered: a short label for counting, with details."""

    def __init__(self, reason: str, **detail: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Wish:
    """Object to be placed in the image."""

    spec: int  # index of its ObjectSpec, -1 for an added occluder
    entry: Entry
    place: Place
    look: Look
    size: str = ""
    hard: tuple[str, ...] = ()
    perch: int = -1  # index of the ObjectSpec on which it preferably stands, -1 for none


@dataclass(frozen=True)
class Locale:
    """Setting of a scene; ``variant`` is one rendering of it, see :func:`backdrop`."""

    environment: Environment
    state: str
    variant: int = 0

    @cached_property
    def areas(self) -> tuple[str, ...]:
        """Words rendered in it."""
        return self.environment.areas(self.state)

    @cached_property
    def painted(self) -> frozenset[str]:
        """Words rendered in it, and drawing names they could denote."""
        return frozenset(self.areas).union(map(readable, self.areas))

    @cached_property
    def doubtful(self) -> frozenset[str]:
        """Words that must not be used as absent in it."""
        return self.painted.union(*map(rivals, self.areas))


_LOCALES = [Locale(environment, state) for environment in ENVIRONMENTS.values() for state in environment.states]


def check(spec: SceneSpec) -> list[Entry]:
    """Return the catalog entries of a spec's objects; refuse what no drawing can show.

    Raises VhbenchError if the spec is malformed.
    """
    for side in (spec.width, spec.height):
        if not 64 <= side <= 4096:
            raise VhbenchError(f"scene {spec.id}: {spec.width}x{spec.height} pixels: sides must lie in 64 … 4096")
    entries = [_entry(thing, f"scene {spec.id}: {thing.category}") for thing in spec.objects]
    total = sum(thing.count for thing in spec.objects)
    if total > MOST_THINGS:
        raise Refusal("too many objects", count=total, most=MOST_THINGS)
    for index, predicate, other in spec.relations:
        if not (0 <= index < len(entries) and 0 <= other < len(entries) and index != other):
            where = f"scene {spec.id}: relation ({index}, {predicate}, {other})"
            raise VhbenchError(f"{where} must join two of its objects")
        _require(predicate, relations.PREDICATES, f"scene {spec.id}", "relation")
    _check_relations(spec, entries)
    names = {entry.name for entry in entries}
    for word in map(readable, spec.absent):
        doubtful = sorted(name for name in names if word == name or word in rivals(name))
        if doubtful:
            raise Refusal("word both present and absent", word=word, because_of=doubtful[0])
    return entries


def _require(value: str, allowed: Collection[str], where: str, noun: str) -> None:
    if value not in allowed:
        raise VhbenchError(f"{where}: unknown {noun} {value!r}, expected one of {', '.join(allowed)}")


def _check_relations(spec: SceneSpec, entries: list[Entry]) -> None:
    """Refuse relations that no layout can satisfy."""
    requests = set(spec.relations)
    for index, predicate, other in spec.relations:
        if predicate == "on" and entries[other].surface is None:
            raise Refusal("object cannot carry another", category=entries[other].name)
        opposite = (index, INVERSE.get(predicate, "on"), other)
        turned = (other, predicate, index)
        if predicate != "next to" and requests & {turned, opposite} - {(index, predicate, other)}:
            raise Refusal("contradictory relations", relation=[index, predicate, other])


def check_height(spec: SceneSpec, entries: list[Entry], locale: Locale) -> None:
    """Refuse "above" for an object that rests on the ground in this setting, and that nothing carries."""
    carried = {index for index, predicate, _ in spec.relations if predicate == "on"}
    for index, predicate, other in spec.relations:
        upper = {"above": index, "below": other}.get(predicate)
        if upper is not None and upper not in carried and place_of(entries[upper], locale) in _DOWN:
            raise Refusal(
                "object belongs on the ground", category=entries[upper].name, relation=[index, predicate, other]
            )


def _entry(thing: ObjectSpec, where: str) -> Entry:
    if thing.count < 1:
        raise VhbenchError(f"{where}: count: expected at least 1, got {thing.count}")
    for hard in thing.hard:
        _require(hard, HARD, where, "hard positive")
    if thing.size:
        _require(thing.size, measuring.SIZES, where, "size")
    entry = lookup(thing.category)
    if entry is None:
        raise Refusal("no drawing", category=thing.category)
    if thing.count > 1 and not entry.countable:
        raise Refusal("not countable", category=thing.category)
    colours = () if entry.coco == "person" else (*entry.colours, entry.default_colour)  # a person's are clothes
    if thing.colour and thing.colour not in colours:
        raise Refusal("no such colour", category=thing.category, colour=thing.colour, allowed=sorted({*colours} - {""}))
    if thing.action and action_of(entry, thing.action) is None:
        allowed = sorted(entry.actions)
        raise Refusal("no such action", category=thing.category, action=thing.action, allowed=allowed)
    if thing.state and thing.state not in entry.states:
        raise Refusal("no such state", category=thing.category, state=thing.state, allowed=list(entry.states))
    return entry


def action_of(entry: Entry, action: str) -> str | None:
    """Return the catalog's form of an action ("running" for "run"), "" for standing, or None."""
    if action in ("", "stand", "standing"):
        return "" if entry.actions or not action else None
    return inflection.gerund(action) if inflection.gerund(action) in entry.actions else None


def choose_locale(
    spec: SceneSpec, entries: list[Entry], random: np.random.Generator, among: Collection[str] = ()
) -> Locale:
    """Choose the environment and its state within the spec's constraints.

    If the spec leaves the environment open, one is chosen in which most objects usually occur. ``spec.environment`` may
    be an environment ("kitchen") or a word that environments render ("sky"). The areas of the environment contain
    neither an object's word nor a word that must be absent. ``among`` restricts the environments; empty allows all. If
    none qualifies, the spec is refused.
    """
    fitting = [o for o in _fitting(spec, entries) if not among or o.environment.name in among]
    if not fitting:
        raise Refusal("no permitted environment", categories=[e.name for e in entries])
    if not spec.environment:
        fitting = [o for o in fitting if all(e.place in o.environment.bands for e in entries)] or fitting
        natural = [sum(at_home(entry, locale) for entry in entries) for locale in fitting]
        most = max(natural)
        fitting = [locale for locale, number in zip(fitting, natural, strict=True) if number == most]
    names = sorted({locale.environment.name for locale in fitting})
    chosen = names[_weighted([3.0 if "ground" in ENVIRONMENTS[name].bands else 1.0 for name in names], random)]
    locales = [locale for locale in fitting if locale.environment.name == chosen]
    variant = int(random.integers(2 * VARIANTS))
    weights = [2.0 * len(locales), *(_RARE.get(locale.state, 2.0) for locale in locales[1:])]
    return replace(locales[_weighted(weights, random)], variant=variant)


def _fitting(spec: SceneSpec, entries: list[Entry]) -> list[Locale]:
    name = spec.environment
    own = find_environment(name) if name else None
    painting = (e for e in ENVIRONMENTS.values() if not name or any(name in e.areas(state) for state in e.states))
    allowed = {e.name for e in ([own] if own else painting)}
    if not allowed:
        raise Refusal("no such environment", environment=name)
    locales = [
        o for o in _LOCALES if o.environment.name in allowed and o.environment.state_of(spec.state) in ("", o.state)
    ]
    if not locales:
        raise Refusal("no such state", environment=name, state=spec.state)
    names, absent = frozenset(entry.name for entry in entries), frozenset(map(readable, spec.absent))
    rooms = {o.environment.name: o for o in locales}  # whatever its state, a setting has the same places
    roomy = {room for room, o in rooms.items() if all(place_of(entry, o) is not None for entry in entries)}
    fitting = [o for o in locales if o.environment.name in roomy and _fits(o, name, names, absent)]
    if not fitting:
        raise Refusal("object already part of the environment", environment=name, categories=[e.name for e in entries])
    return fitting


def _weighted(weights: Sequence[float], random: np.random.Generator) -> int:
    """Return a random index with probabilities proportional to the weights."""
    return int(random.choice(len(weights), p=np.array(weights) / sum(weights)))


def at_home(entry: Entry, locale: Locale) -> bool:
    """Return whether an object usually occurs in this setting: no couch on a beach."""
    environment = locale.environment
    if entry.habitat == "indoor":
        return environment.indoor
    if entry.habitat in ("", "outdoor"):
        return "reef" not in environment.paints and not (environment.indoor and entry.habitat)
    return entry.habitat in locale.areas


def _fits(locale: Locale, name: str, names: frozenset[str], absent: frozenset[str]) -> bool:
    """Return whether a setting shows the request and no bad area."""
    if locale.painted & names:
        return False
    if absent and VOCABULARY & absent & locale.doubtful.union(*map(rivals, names)) - names:
        return False
    return not name or find_environment(name) is not None or name in locale.areas


def place_of(entry: Entry, locale: Locale) -> Place | None:
    """Return the position class of an object in a setting, or None."""
    return next((place for place in _SUBSTITUTES[entry.place] if place in locale.environment.bands), None)


def wishes(spec: SceneSpec, entries: list[Entry], locale: Locale, random: np.random.Generator) -> list[Wish]:
    """Return one wish per object; colour, variant and direction are sampled if open."""
    out = []
    for index, (thing, entry) in enumerate(zip(spec.objects, entries, strict=True)):
        for _ in range(thing.count):
            look = _look(thing, entry, random)
            place = place_of(entry, locale) or entry.place
            perch = _perch(spec, index, entries, random)
            out.append(Wish(index, entry, place, look, thing.size, thing.hard, perch))
    return out


def _perch(spec: SceneSpec, index: int, entries: list[Entry], random: np.random.Generator) -> int:
    """Return the table for a table-top object without a requested position, or -1."""
    is_placed = any(index in (i, j) for i, _, j in spec.relations)
    if entries[index].place != "table" or is_placed or spec.objects[index].hard:
        return -1
    tables = [i for i, entry in enumerate(entries) if entry.surface and entry.word in TABLES and i != index]
    return tables[0] if tables and random.random() < 0.85 else -1


def _look(thing: ObjectSpec, entry: Entry, random: np.random.Generator) -> Look:
    colour = thing.colour
    if not colour and entry.colours and random.random() < 0.6:
        colour = entry.colours[int(random.integers(len(entry.colours)))]
    action = action_of(entry, thing.action) or ""
    if not thing.action and entry.actions and random.random() < 0.5:
        action = entry.actions[int(random.integers(len(entry.actions)))]
    state = thing.state or next(iter(entry.states), "")
    if not thing.state and entry.states and random.random() < 0.3:
        state = entry.states[int(random.integers(1, len(entry.states)))]
    flip = bool(random.integers(2)) and entry.flip
    variant = 0 if entry.drawing else int(random.integers(_VARIANTS))
    paint = colour if colour in entry.colours else ""  # a banana already has its default colour
    return Look(entry.word, paint, action, state, variant, flip)


def tied(requested: Sequence[tuple[int, str, int]]) -> set[int]:
    """Return the objects that requested relations may occlude or use as occluders."""
    return {
        i for one, predicate, other in requested if predicate in ("on", "in front of", "behind") for i in (one, other)
    }


def can_hide(wish: Wish, target: Wish) -> bool:
    """Return whether one object could occlude another: comparable position and size."""
    alike = wish.place == target.place or {wish.place, target.place} <= _DOWN or {wish.place, target.place} <= _ALOFT
    return alike and wish.entry.size_m >= 0.5 * target.entry.size_m and wish.spec != target.spec and not wish.hard


def occluders(spec: SceneSpec, locale: Locale, wishes: list[Wish], random: np.random.Generator) -> list[Wish]:
    """Return added occluders for occluded wishes that no other wish can hide."""
    free = list(wishes)
    added: list[Wish] = []
    for target in wishes:
        if "occluded" in target.hard:
            cover = next((wish for wish in free if can_hide(wish, target)), None)
            if cover:
                free.remove(cover)
            else:
                added.append(_occluder(spec, locale, [*wishes, *added], target, random))
    return added


def _occluder(spec: SceneSpec, locale: Locale, wishes: list[Wish], target: Wish, random: np.random.Generator) -> Wish:
    names = locale.painted.union(map(readable, spec.absent), (wish.entry.name for wish in wishes if wish.spec >= 0))
    candidates = []
    for entry in filter(None, map(lookup, _OCCLUDERS)):
        place = place_of(entry, locale)
        if place == entry.place and entry.name not in names and not clash(entry.name, names):
            wish = Wish(-1, entry, place, Look(entry.word, flip=entry.flip and bool(random.integers(2))))
            if can_hide(wish, target):
                candidates.append(wish)
    if not candidates:
        raise Refusal("no object to be occluded by", category=target.entry.name, environment=locale.environment.name)
    return candidates[int(random.integers(len(candidates)))]
