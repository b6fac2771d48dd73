"""From concepts to what an image shall show: attributes, a spec for any image source, and a prompt in words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vhbench.colours import COLOURS
from vhbench.generators.ode import attribute_words, concept_graph, environments
from vhbench.generators.ode.attribute_words import Attribute
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.criteria import CRITERIA
from vhbench.language import inflection
from vhbench.schema import ObjectSpec, SceneSpec
from vhbench.seeding import rng

_COUNTS: Mapping[int, tuple[float, ...]] = {1: (1.0,), 2: (0.5, 0.5), 3: (0.6, 0.25, 0.15)}
"""Most things of one kind → how often there are one, two, three."""

_TWO = 2
"""Where so many are the most, both numbers are dealt in turn, so that they can be asked about as often."""

STATES: Mapping[str, str] = {
    "open": "closed", "closed": "open", "lit": "unlit", "unlit": "lit", "full": "empty", "empty": "full",
}  # fmt: skip
"""State of a drawn thing → its contrary. The two are dealt in turn, so that they can be asked about as often."""

_DAYS = {weather: f"on {inflection.a(f'{weather} day')}" for weather in ("sunny", "overcast", "gloomy", "stormy")}
"""Weather → when a prompt says that something is somewhere; "in sunny snow" is no English."""

QUALITY = "a realistic photograph, natural light, sharp focus, the whole scene in view"
"""What every prompt ends with."""

_FLYING = frozenset(
    "airplane balloon bird butterfly cloud drone eagle helicopter kite moon parachute parasail pigeon plane rainbow "
    "seagull star sun".split()
)
"""What is in the sky; everything else is under it."""

_CELESTIAL = frozenset({"cloud", "moon", "rainbow", "star", "sun"})
"""What is never down on the ground: a cloud is over a beach, not on it."""

HIDDEN: Mapping[str, frozenset[str]] = {
    "sunny": frozenset({"moon", "star"}),
    **dict.fromkeys(("at night", "dark", "dim"), frozenset({"sun", "rainbow"})),
    **dict.fromkeys(("overcast", "gloomy", "stormy"), frozenset({"sun", "moon", "star"})),
    "at sunset": frozenset({"star"}),
}
"""How a place is → what nobody sees there then."""

_AVOID = "blurry, out of focus, low quality, distorted, deformed, bad anatomy, extra limbs, cropped, text, watermark"
_AVOID_ENTITIES = f"{_AVOID}, missing objects, merged objects, duplicate objects"
_AVOID_ENVIRONMENT = f"{_AVOID}, other places, other objects, plain background"


_FREE = frozenset({"colour", "material", "pattern", "shape", "size", "opening", "lighting"})
"""Kinds of attributes that say nothing of one another."""

_ANY_COLOUR = frozenset(
    "brand-new broken clean dirty dry empty folded full intact messy neat new old tidy tilted upright wet whole".split()
)
"""Conditions in which a thing has whatever colour it has; a withered or cooked one has not."""


class World(Protocol):
    """What an image source can show of the concepts."""

    def name(self, word: str) -> str:
        """Return the word under which the images' truth knows a concept."""
        ...

    def is_setting(self, word: str) -> bool:
        """Tell whether an environment word is shown as the place, and not as one more thing."""
        ...

    def setting(self, word: str, things: Sequence[str], random: np.random.Generator) -> str:
        """Return the place to ask for, so that an environment word is true of it and the things can be there."""
        ...

    def furniture(self, setting: str, things: Sequence[str]) -> Mapping[str, int]:
        """Return what else a picture of a place must show beside some things to be told for it, and how many."""
        ...

    def problem(self, words: Sequence[str]) -> str:
        """Return why these cannot be shown together ("no drawing: bamboo"), or ""."""
        ...

    def values(self, word: str, kind: str) -> frozenset[str] | None:
        """Return the values of "state", "colour" or "action" that can be shown, or None for any."""
        ...

    def common_looks(self, word: str) -> Sequence[str]:
        """Return what a concept may look like of whose looks the graph tells nothing; nothing if the source chooses."""
        ...

    def common_deeds(self, word: str) -> Sequence[str]:
        """Return the same of what a concept may be doing."""
        ...

    def most(self, word: str) -> int:
        """Return how many of a thing one picture may show."""
        ...

    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """Return what captions are searched for: each name the truth may use, with its other words."""
        ...


@dataclass(frozen=True, slots=True)
class ImagePlan:
    """One picture to be made: concepts that meet, by which criterion, in which of several variants.

    Attributes:
        rank: the place of the pair in the order in which the criterion yields them.
        turn: its place among those that are balanced with it.
        states: for each concept the one of :data:`STATES` that it is dealt, or ""; empty where none has any.
    """

    criterion: str
    pairing: str
    rank: int
    variant: int
    concepts: tuple[str, ...]
    turn: int = 0
    states: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A name that is unique within a build: "fictional-ev-00012-0"."""
        return f"{self.criterion}-{self.pairing}-{self.rank:05d}-{self.variant}"


def spec(
    case: ImagePlan, graph: ConceptGraph, world: World, *, seed: int, size: int = 512, attempt: int = 0
) -> SceneSpec:
    """Return what the picture of a case shall show.

    Attributes and numbers are drawn from the seed, the case and the attempt: what could not be made once is not asked
    for again.
    """
    random = rng(seed, "ode", "attributes", case.id, attempt)
    things, place = _split(case, world)
    dealt = [_dealt(case, i, seed, attempt) for i in range(len(things))]
    objects = tuple(_thing(word, case, graph, world, random, n) for word, n in zip(things, dealt, strict=True))
    setting = world.setting(place, things, random)
    if place:
        objects += tuple(ObjectSpec(name, number) for name, number in world.furniture(setting, things).items())
    looks = _place_looks(place, case, graph, world, random) if place else []
    state = _draw([pair for pair in looks if not any(_hides(value, objects) for value in pair)], case, random)
    return SceneSpec(
        id=case.id,
        objects=objects,
        environment=setting,
        state=state,
        prompt=prompt(objects, setting, state),
        negative_prompt=_AVOID_ENVIRONMENT if setting else _AVOID_ENTITIES,
        width=size,
        height=size,
    )


def targets(case: ImagePlan, world: World) -> list[str]:
    """Return what must be in a case's picture, by the names that its truth uses; the environment last, if any."""
    return [world.name(word) for word in case.concepts]


def _split(case: ImagePlan, world: World) -> tuple[list[str], str]:
    """Return a case's things, and its environment or ""; an environment that is shown as a thing is one."""
    *things, last = case.concepts
    if case.pairing == "ev" and world.is_setting(last):
        return things, last
    return [*things, last], ""


def deal_states(words: Sequence[str], world: World, dealt: Counter[str]) -> tuple[str, ...]:
    """Return for each concept its turn of the two states that it can be drawn in, or "" where it has no such states.

    Args:
        words: the concepts of a picture.
        world: what can be shown.
        dealt: state → how often it was dealt to what is balanced with the picture; is counted on.

    Only where one thing is open and another closed can words be asked as often rightly as wrongly.
    """
    found = []
    for word in words:
        drawn = sorted((world.values(word, "state") or frozenset()) & STATES.keys())
        pairs = [state for state in drawn if STATES[state] in drawn]
        state = min(pairs, key=lambda one: dealt[one], default="")
        dealt[state] += 1
        found.append(state)
    return tuple(found)


def _dealt(case: ImagePlan, place: int, seed: int, attempt: int) -> int:
    """Return one or two for one of a case's things: in each two turns it is one and the other once."""
    random = rng(seed, "ode", "numbers", case.criterion, case.pairing, case.variant, case.turn // 2, place, attempt)
    return 1 + (int(random.integers(2)) + case.turn) % 2


def _thing(
    word: str, case: ImagePlan, graph: ConceptGraph, world: World, random: np.random.Generator, dealt: int
) -> ObjectSpec:
    name = world.name(word)
    held = dict(zip(case.concepts, case.states, strict=False)).get(word, "")
    looks = [pair for pair in _looks(graph, word, world) if not held or STATES.keys().isdisjoint(pair)]
    state = _draw(looks, case, random)
    others = {world.name(other) for other in case.concepts if other != word}
    deeds = [pair for pair in _deeds(graph, word, world) if others.isdisjoint(" ".join(pair).split())]
    action = _draw(deeds, case, random)  # a parked car, and nobody beside it who drives one more
    colours = world.values(word, "colour") or frozenset()
    other = _draw(_beside(state, looks, world.common_looks(word)), case, random) if state else ""
    found = [value for value in (state, other, held) if value]
    colour = next((value for value in found if value in colours), "")
    most = world.most(word) if inflection.countable(name) else 1
    shares = _COUNTS[most]
    count = dealt if most == _TWO else 1 + int(random.choice(len(shares), p=shares))
    state = ", ".join(value for value in found if value != colour)
    return ObjectSpec(name, count, colour=colour, state=state, action=action)


def _beside(state: str, looks: Sequence[tuple[str, str]], common: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs from which a second attribute is drawn: colours where there are any, as most things have one."""
    found = [pair for pair in looks if _goes_with(state, pair)]
    colours = [pair for pair in found if attribute_words.kind_of(pair[0]) == "colour"]
    if not found and attribute_words.kind_of(state) not in ("colour", "pattern"):
        return [(said, said) for said in common if said in COLOURS]
    return colours or found


def _place_looks(
    place: str, case: ImagePlan, graph: ConceptGraph, world: World, random: np.random.Generator
) -> list[tuple[str, str]]:
    """Return the pairs of what a place may look like: where nothing need be usual, every other time the common ones.

    What the graph tells of places (a calm sea, a steep mountain) is seldom true of one and wrong of another, so that
    little of it could be asked about.
    """
    common = [(said, said) for said in world.common_looks(place)]
    rare = bool(common) and not CRITERIA[case.criterion].usual and bool(random.integers(2))
    return common if rare else _looks(graph, place, world)


def _hides(state: str, objects: Sequence[ObjectSpec]) -> bool:
    """Tell whether something cannot be seen in a place as it is: the sun at night."""
    return not HIDDEN.get(state, frozenset()).isdisjoint(thing.category for thing in objects)


def _goes_with(state: str, pair: tuple[str, str]) -> bool:
    """Tell whether a thing may look like either of a pair beside its state: of a kind that is not told by its own.

    Each attribute of such a kind can be had with any other: a box is red, large and open.
    """
    own, others = attribute_words.kind_of(state), {attribute_words.kind_of(value) for value in pair}
    if state in _ANY_COLOUR and others == {"colour"}:
        return "wood-coloured" not in pair
    return {own, *others} <= _FREE and own not in others and "wood-coloured" not in (state, *pair)


def _looks(graph: ConceptGraph, word: str, world: World) -> list[tuple[str, str]]:
    """Return the pairs of what a concept can look like, as a prompt says them."""
    told = [(a.said, b.said) for a, b in _pairs(graph, word, world.values(word, "state")) if not a.bodily]
    return told or [(said, said) for said in world.common_looks(word)]


def _deeds(graph: ConceptGraph, word: str, world: World) -> list[tuple[str, str]]:
    """Return the pairs of what a concept can be doing: one thing at a time, so that nothing sits and lies at once."""
    told = [(a.said, b.said) for a, b in _pairs(graph, word, world.values(word, "action")) if a.bodily]
    return told or [(said, said) for said in world.common_deeds(word)]


def _pairs(graph: ConceptGraph, word: str, allowed: frozenset[str] | None) -> Iterator[tuple[Attribute, Attribute]]:
    """Yield a concept's attribute pairs of which both values can be shown and are two, whatever slot they stand in."""
    new = {slot: concept_graph.gained(graph, word, slot) for slot in ("state", "action")}
    for slot, pairs in new.items():
        for values in pairs if any(new.values()) else graph.nodes[word][slot]:
            first, second = (attribute_words.attribute(value, word, slot) for value in values)
            sayable = first.said and second.said and first.said != second.said and first.bodily == second.bodily
            if sayable and (allowed is None or {first.said, second.said} <= allowed):
                yield first, second


def _draw(pairs: list[tuple[str, str]], case: ImagePlan, random: np.random.Generator) -> str:
    if not pairs:
        return ""
    frequent, rare = pairs[int(random.integers(len(pairs)))]
    return frequent if CRITERIA[case.criterion].usual or random.random() < 0.5 else rare


def prompt(objects: Sequence[ObjectSpec], setting: str, state: str) -> str:
    """Return a prompt for a text-to-image model.

    >>> prompt([ObjectSpec("dog", colour="brown", action="running"), ObjectSpec("cup", 2)], "kitchen", "dim")[:50]
    'A brown dog running and two cups in a dim kitchen:'
    >>> prompt([ObjectSpec("tree", state="with falling leaves")], "park", "at night")[:50]
    'A tree with falling leaves in a park at night: a r'
    """
    parts = [inflection.listing([phrase(thing) for thing in objects])]
    later = _DAYS.get(state, state if attribute_words.follows(state) or not setting else "")
    if setting:
        aloft = all(thing.category in _FLYING for thing in objects)
        over = all(thing.category in _CELESTIAL for thing in objects)
        parts.append(environments.place(setting, "" if later else state, aloft=aloft, over=over))
    parts += [later] if later else []
    text = " ".join(parts)
    return f"{text[0].upper()}{text[1:]}: {QUALITY}"


def phrase(thing: ObjectSpec) -> str:
    """Return a thing in words: "a brown dog running", "two cups"."""
    held, seen = attribute_words.precedes(thing.action), attribute_words.follows(thing.state)
    looks = ["" if seen else thing.state, thing.colour]
    if attribute_words.kind_of(thing.state) == "material":
        looks.reverse()  # a brown wooden table
    before = [thing.action if held else "", *looks, thing.category]
    words = " ".join(word for word in before if word)
    named = inflection.count_phrase(thing.count, words) if thing.count > 1 else inflection.with_article(words)
    does = inflection.agreeing(thing.action, thing.count)
    doing = "lying down" if does == "lying" else does  # "a man lying" may also be a liar
    return " ".join(word for word in (named, thing.state if seen else "", "" if held else doing) if word)
