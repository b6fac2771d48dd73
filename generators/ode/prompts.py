"""From concepts to image specifications: attributes, scene specs and text prompts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from vhbench import tsv
from vhbench.colours import COLOURS
from vhbench.generators.ode import attribute_words, concept_graph
from vhbench.generators.ode.attribute_words import Attribute
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.criteria import CRITERIA
from vhbench.generators.ode.environments import DEFAULT, Wording
from vhbench.language import inflection
from vhbench.schema import ObjectSpec, SceneSpec
from vhbench.seeding import rng

_COUNTS: Mapping[int, tuple[float, ...]] = {1: (1.0,), 2: (0.5, 0.5), 3: (0.6, 0.25, 0.15)}
"""Maximum count → probabilities of one, two and three objects."""

_TWO = 2  # with this maximum, counts alternate, so that both are equally frequent in questions

STATES: Mapping[str, str] = {
    "open": "closed", "closed": "open", "lit": "unlit", "unlit": "lit", "full": "empty", "empty": "full",
}  # fmt: skip
"""State of a rendered object → its contrary; they alternate to be equally frequent."""

_DAYS = {weather: f"on {inflection.a(f'{weather} day')}" for weather in ("sunny", "overcast", "gloomy", "stormy")}
"""Weather → adverbial phrase in a prompt; "in sunny snow" is not idiomatic."""

QUALITY = "a realistic photograph, sharp focus, the whole scene in view"  # suffix of every prompt

_WORDS: Mapping[str, tuple[str, ...]] = dict(
    tsv.records(Path(__file__).with_suffix(".tsv"), lambda name, words, about: (name, words), {"words": tsv.words})
)
"""Lists of words by what they have in common."""

HIDDEN: Mapping[str, frozenset[str]] = {
    "sunny": frozenset({"moon", "star"}),
    **dict.fromkeys(("at night", "dark", "dim"), frozenset({"sun", "rainbow"})),
    **dict.fromkeys(("overcast", "gloomy", "stormy"), frozenset({"sun", "moon", "star"})),
    "at sunset": frozenset({"star"}),
}
"""State of an environment → objects that are not visible in it."""


@dataclass(frozen=True, slots=True)
class _Fit:
    """Row of ``prompt_conflicts.tsv``: the places, families* or states that values require or exclude."""

    values: tuple[str, ...]
    only: frozenset[str]
    never: frozenset[str]


def _words(cell: str) -> frozenset[str]:
    return frozenset(tsv.words(cell))


_FITS: Mapping[str, _Fit] = {
    value: row
    for row in tsv.records(
        Path(__file__).with_name("prompt_conflicts.tsv"), _Fit, {"values": tsv.words, "only": _words, "never": _words}
    )
    for value in row.values
}

_AVOID = "blurry, out of focus, low quality, distorted, deformed, bad anatomy, extra limbs, cropped, text, watermark"
_AVOID_ENTITIES = f"{_AVOID}, missing objects, merged objects, duplicate objects"
_AVOID_ENVIRONMENT = f"{_AVOID}, other places, other objects, plain background"


class SourceVocabulary(Protocol):
    """Vocabulary of an image source."""

    def name(self, word: str) -> str:
        """Return the word for a concept in the scenes' ground truth."""

    def is_setting(self, word: str) -> bool:
        """Return whether an environment is shown as the setting rather than as an object."""

    def setting(self, word: str, things: Sequence[str], random: np.random.Generator) -> str:
        """Return a setting that satisfies the environment word and can contain the objects."""

    def furniture(self, setting: str, things: Sequence[str]) -> Mapping[str, int]:
        """Return the further objects, with counts, that make a setting recognizable."""

    def problem(self, words: Sequence[str]) -> str:
        """Return why these cannot be shown together ("no drawing: bamboo"), or ""."""

    def values(self, word: str, kind: str) -> frozenset[str] | None:
        """Return the supported values of "state", "colour" or "action", or None for any."""

    def common_looks(self, word: str) -> Sequence[str]:
        """Return default appearances of concepts without any in the graph; empty for any."""

    def common_deeds(self, word: str) -> Sequence[str]:
        """Return default actions of concepts without any in the graph; empty for any."""

    def most(self, word: str) -> int:
        """Return the maximum count of an object per image."""

    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """Return the caption search vocabulary: each ground-truth name with its synonyms."""


@dataclass(frozen=True, slots=True)
class ImagePlan:
    """Plan of one image: its concepts, criterion and variant."""

    criterion: str
    pairing: str
    rank: int  # index of the pair in the criterion's order
    variant: int
    concepts: tuple[str, ...]
    turn: int = 0  # index among the images balanced with it
    states: tuple[str, ...] = ()  # per concept, its value of :data:`STATES`, or ""; empty if no concept has any

    @property
    def id(self) -> str:
        """Unique name within a build: "fictional-ev-00012-0"."""
        return f"{self.criterion}-{self.pairing}-{self.rank:05d}-{self.variant}"


def spec(
    case: ImagePlan, graph: ConceptGraph, world: SourceVocabulary, *, seed: int, size: int = 512, attempt: int = 0
) -> SceneSpec:
    """Return the specification of a planned image.

    Attributes and counts are sampled from the seed, the plan and the attempt, so a retry does not repeat a failed
    specification.
    """
    random = rng(seed, "ode", "attributes", case.id, attempt)
    things, place = _split(case, world)
    setting, words = world.setting(place, things, random), concept_graph.wording(graph)
    dealt = [_dealt(case, i, seed, attempt) for i in range(len(things))]
    there = _around(setting, words)
    objects = tuple(_thing(word, case, graph, world, random, n, there) for word, n in zip(things, dealt, strict=True))
    if place:
        objects += tuple(ObjectSpec(name, number) for name, number in world.furniture(setting, things).items())
    looks = _place_looks(place, case, graph, world, random) if place else []
    shown = {thing.category for thing in objects}
    values = [value for thing in objects for value in (*thing.state.split(", "), thing.action)]
    looks = [
        pair
        for pair in looks
        if _fitting(pair, there)
        and all(HIDDEN.get(state, frozenset()).isdisjoint(shown) for state in pair)
        and not any(_FITS[value].never.intersection(pair) for value in values if value in _FITS)
    ]
    state = _draw(looks, case, random)
    return SceneSpec(
        id=case.id,
        objects=objects,
        environment=setting,
        state=state,
        prompt=prompt(objects, setting, state, words),
        negative_prompt=_AVOID_ENVIRONMENT if setting else _AVOID_ENTITIES,
        width=size,
        height=size,
    )


def _around(setting: str, words: Wording) -> frozenset[str]:
    """Return what ``prompt_conflicts.tsv`` calls a setting: its word and its family."""
    family = words.places[setting].family if setting in words.places else ""
    return frozenset({setting, f"{family}*"} if setting else ())


def _fitting(pair: tuple[str, str], there: frozenset[str]) -> bool:
    """Return whether both values of an attribute pair can be shown in a setting; without one, they can."""
    rows = [_FITS[value] for value in pair if value in _FITS]
    return not there or all((not row.only or row.only & there) and not row.never & there for row in rows)


def is_contradictory(words: Sequence[str]) -> bool:
    """Return whether the last word is a place where another is never seen: no sun indoors, no coffee in the sea."""
    there = _around(words[-1], DEFAULT)
    return any(word in _FITS and _FITS[word].never & there for word in words)


def targets(case: ImagePlan, world: SourceVocabulary) -> list[str]:
    """Return the ground-truth names of a plan's concepts; an environment comes last."""
    return [world.name(word) for word in case.concepts]


def _split(case: ImagePlan, world: SourceVocabulary) -> tuple[list[str], str]:
    """Return a plan's objects and its setting, or "" if its environment is shown as an object."""
    *things, last = case.concepts
    if case.pairing == "ev" and world.is_setting(last):
        return things, last
    return [*things, last], ""


def deal_states(words: Sequence[str], world: SourceVocabulary, dealt: Counter[str]) -> tuple[str, ...]:
    """Assign one of two contrary states to each concept, or "" if it has none; ``dealt`` counts them.

    States alternate: words are correct and incorrect equally often only if, say, one object is open and another closed.
    """
    states = []
    for word in words:
        drawn = sorted((world.values(word, "state") or frozenset()) & STATES.keys())
        pairs = [state for state in drawn if STATES[state] in drawn]
        state = min(pairs, key=lambda one: dealt[one], default="")
        dealt[state] += 1
        states.append(state)
    return tuple(states)


def _dealt(case: ImagePlan, place: int, seed: int, attempt: int) -> int:
    """Return one or two for one of a plan's objects; two consecutive turns use both."""
    random = rng(seed, "ode", "numbers", case.criterion, case.pairing, case.variant, case.turn // 2, place, attempt)
    return 1 + (int(random.integers(2)) + case.turn) % 2


def _thing(
    word: str,
    case: ImagePlan,
    graph: ConceptGraph,
    world: SourceVocabulary,
    random: np.random.Generator,
    dealt: int,
    there: frozenset[str],
) -> ObjectSpec:
    name = world.name(word)
    held = dict(zip(case.concepts, case.states, strict=False)).get(word, "")
    looks = [pair for pair in _looks(graph, word, world) if _fitting(pair, there)]
    looks = [pair for pair in looks if not held or STATES.keys().isdisjoint(pair)]
    state = _draw(looks, case, random)
    others = {world.name(other) for other in case.concepts if other != word}
    deeds = [
        pair
        for pair in _deeds(graph, word, world)
        if others.isdisjoint(" ".join(pair).split()) and _fitting(pair, there)
    ]
    action = _draw(deeds, case, random)  # a parked car, but not also someone driving one
    colours = world.values(word, "colour") or frozenset()
    other = _draw(_beside(state, looks, world.common_looks(word)), case, random) if state else ""
    values = [value for value in (state, other, held) if value]
    colour = next((value for value in values if value in colours), "")
    most = world.most(word) if concept_graph.wording(graph).countable(name) else 1
    shares = _COUNTS[most]
    count = dealt if most == _TWO else 1 + int(random.choice(len(shares), p=shares))
    state = ", ".join(value for value in values if value != colour)
    return ObjectSpec(name, count, colour=colour, state=state, action=action)


def _beside(state: str, looks: Sequence[tuple[str, str]], common: Sequence[str]) -> list[tuple[str, str]]:
    """Return the candidate pairs for a second attribute, preferring colours."""
    pairs = [pair for pair in looks if _goes_with(state, pair)]
    colours = [pair for pair in pairs if attribute_words.kind_of(pair[0]) == "colour"]
    if not pairs and attribute_words.kind_of(state) not in ("colour", "pattern"):
        return [(text, text) for text in common if text in COLOURS]
    return colours or pairs


def _place_looks(
    place: str, case: ImagePlan, graph: ConceptGraph, world: SourceVocabulary, random: np.random.Generator
) -> list[tuple[str, str]]:
    """Return the appearance pairs of a place; half of them defaults for unusual criteria.

    The graph's attributes of places (a calm sea, a steep mountain) rarely apply to one place and not to another, so few
    questions could use them.
    """
    common = [(text, text) for text in world.common_looks(place)]
    rare = bool(common) and not CRITERIA[case.criterion].usual and bool(random.integers(2))
    return common if rare else _looks(graph, place, world)


def _goes_with(state: str, pair: tuple[str, str]) -> bool:
    """Return whether a pair's values combine freely with the state: a box can be red, large and open."""
    own, others = attribute_words.kind_of(state), {attribute_words.kind_of(value) for value in pair}
    if "transparent" in (state, *pair):
        return False
    if state in _WORDS["any colour"] and others == {"colour"}:
        return "wood-coloured" not in pair
    independent = others.union((own,)).issubset(_WORDS["independent kinds"]) and own not in others
    return independent and "wood-coloured" not in (state, *pair)


def _looks(graph: ConceptGraph, word: str, world: SourceVocabulary) -> list[tuple[str, str]]:
    """Return the appearance pairs of a concept, in prompt wording."""
    pairs = [(a.text, b.text) for a, b in _pairs(graph, word, world.values(word, "state")) if not a.bodily]
    return pairs or [(text, text) for text in world.common_looks(word)]


def _deeds(graph: ConceptGraph, word: str, world: SourceVocabulary) -> list[tuple[str, str]]:
    """Return the action pairs of a concept; an object has only one posture or action at once."""
    pairs = [(a.text, b.text) for a, b in _pairs(graph, word, world.values(word, "action")) if a.bodily]
    return pairs or [(text, text) for text in world.common_deeds(word)]


def _pairs(graph: ConceptGraph, word: str, allowed: frozenset[str] | None) -> Iterator[tuple[Attribute, Attribute]]:
    """Yield a concept's supported attribute pairs with two distinct values, from any slot."""
    new = {slot: concept_graph.added_attributes(graph, word, slot) for slot in ("state", "action")}
    for slot, pairs in new.items():
        for values in pairs if any(new.values()) else graph.nodes[word][slot]:
            first, second = (attribute_words.attribute(value, word, slot) for value in values)
            sayable = first.text and second.text and first.text != second.text and first.bodily == second.bodily
            if sayable and (allowed is None or {first.text, second.text} <= allowed):
                yield first, second


def _draw(pairs: list[tuple[str, str]], case: ImagePlan, random: np.random.Generator) -> str:
    if not pairs:
        return ""
    frequent, rare = pairs[int(random.integers(len(pairs)))]
    return frequent if CRITERIA[case.criterion].usual or random.random() < 0.5 else rare


def prompt(objects: Sequence[ObjectSpec], setting: str, state: str, words: Wording = DEFAULT) -> str:
    """Return a prompt for a text-to-image model.

    >>> prompt([ObjectSpec("dog", colour="brown", action="running"), ObjectSpec("cup", 2)], "kitchen", "dim")[:50]
    'A brown dog running and two cups in a dim kitchen:'
    >>> prompt([ObjectSpec("tree", state="with falling leaves")], "park", "at night")[:50]
    'A tree with falling leaves in a park at night: a r'
    >>> prompt([ObjectSpec("bird", action="flying")], "road", "")[:27]
    'A bird flying over a road: '
    """
    parts = [inflection.listing([phrase(thing, words) for thing in objects])]
    later = _DAYS.get(state, state if attribute_words.follows(state) or not setting else "")
    if setting:
        flying = all(thing.category in _WORDS["flying"] for thing in objects)
        aloft = flying and all(thing.action in ("", *_WORDS["airborne"]) for thing in objects)
        over = all(thing.category in _WORDS["celestial"] or (aloft and thing.action) for thing in objects)
        parts.append(words.place(setting, "" if later else state, aloft=aloft, over=over))
    parts += [later] if later else []
    text = " ".join(parts)
    return f"{text[0].upper()}{text[1:]}: {QUALITY}"


def phrase(thing: ObjectSpec, words: Wording = DEFAULT) -> str:
    """Return an object as a noun phrase: "a brown dog running", "two cups"."""
    held, seen = attribute_words.precedes(thing.action), attribute_words.follows(thing.state)
    looks = ["" if seen else thing.state, thing.colour]
    if attribute_words.kind_of(thing.state) == "material":
        looks.reverse()  # a brown wooden table
    before = [word for word in (thing.action if held else "", *looks) if word]
    many = thing.count > 1
    named = words.several(thing.count, thing.category, before) if many else words.one(thing.category, before)
    does = inflection.agreeing(thing.action, thing.count)
    doing = "lying down" if does == "lying" else does  # "a man lying" is ambiguous
    return " ".join(word for word in (named, thing.state if seen else "", "" if held else doing) if word)
