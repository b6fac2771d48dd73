"""What the image sources of ODE can show: the embedded scenes what is drawn, a text-to-image model anything."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from vhbench.colours import COLOURS
from vhbench.generators import scenes
from vhbench.generators.ode import environments, filtering, questions
from vhbench.generators.ode.concept_graph import ConceptGraph, kinds
from vhbench.language import synonyms


class DrawnWorld:
    """The embedded scenes; implements :class:`vhbench.generators.ode.prompts.SourceVocabulary`.

    Args:
        graph: of the concepts.
        part: of them; no place is furnished with a thing of another.
    """

    def __init__(self, graph: ConceptGraph, part: scenes.ConceptPart = scenes.WHOLE) -> None:
        self._kinds: Mapping[str, str] = kinds(graph)
        self._part = part

    def name(self, word: str) -> str:
        """Return the catalog's readable name, or the environment's; unknown words come back as they are."""
        if not self.is_setting(word):
            return scenes.readable(word)
        own = scenes.find_environment(word)
        return word if own is None or word in scenes.AREAS else own.name

    def is_setting(self, word: str) -> bool:
        """Tell whether a word is an environment, or something that environments paint."""
        if self._kinds.get(word) != "environment":
            return False
        return scenes.find_environment(word) is not None or word in scenes.AREAS

    def setting(self, word: str, things: Sequence[str], random: np.random.Generator) -> str:
        """Return the environment of that name if the things have their places there, or another that paints it.

        Without a place to ask for it is left to the source, but for things that are told indoors alone.
        """
        if not word:
            return "kitchen" if TOLD_INDOORS.intersection(map(self.name, things)) else ""
        name = self.name(word)
        needed = {entry.place for thing in things if (entry := scenes.lookup(thing))}
        painting = [e for e in scenes.ENVIRONMENTS.values() if name in (e.name, *e.areas())]
        fitting = [e.name for e in painting if needed <= e.bands.keys()]
        own = scenes.ENVIRONMENTS.get(name)
        if own and (own.name in fitting or not fitting):
            return own.name
        choice = fitting or [e.name for e in painting]
        return choice[int(random.integers(len(choice)))] if choice else name

    def furniture(self, setting: str, things: Sequence[str]) -> Mapping[str, int]:
        """Return the first that makes the place and goes with the things; nothing where one of them makes it."""
        names = [self.name(word) for word in things]
        needed = environments.PLACES[setting].made_by if setting in environments.PLACES else {}
        if any(name in needed and needed[name] == 1 for name in names):
            return {}
        held = (word for word in needed if self._part.holds(word))
        fitting = (word for word in held if word not in names and not scenes.clash(word, names))
        return {word: needed[word] for word in islice(fitting, 1)}

    def problem(self, words: Sequence[str]) -> str:
        """Return why words cannot be shown together: no drawing, a poor one, or two names for one thing."""
        for word in words:
            if not self.is_setting(word) and scenes.lookup(word) is None:
                return f"no drawing: {word}"
        names = [self.name(word) for word in words]
        for word, name in zip(words, names, strict=True):
            outdoors = any(self.is_setting(other) and not _indoors(self.name(other)) for other in words)
            if name in UNCLEAR or (name in TOLD_INDOORS and outdoors):
                return f"hard to tell: {word}"
        for i, name in enumerate(names):
            if name in names[:i] or scenes.clash(name, names[:i]):
                return f"one includes the other: {words[i]}"
        return ""

    def values(self, word: str, kind: str) -> frozenset[str] | None:
        """Return the states of an environment, or the colours and actions of a drawing."""
        if self.is_setting(word):
            own = scenes.find_environment(word)
            return frozenset(own.states) if own and kind == "state" else frozenset()
        entry = scenes.lookup(word)
        if entry is None:
            return frozenset()
        if kind == "action":
            unclear = {"jumping"} if entry.name in questions.PEOPLE else set()
            return frozenset({*entry.actions, "standing"} - unclear) if entry.actions else frozenset()
        return frozenset((*entry.colours, *entry.states) if kind == "state" else entry.colours)

    def common_looks(self, word: str) -> Sequence[str]:
        """Return nothing: scenes choose what was not asked for, and know it."""
        return ()

    def common_deeds(self, word: str) -> Sequence[str]:
        """Return nothing, for the same reason."""
        return ()

    def most(self, word: str) -> int:
        """Return up to three for what can be counted, and is small enough to fit."""
        entry = scenes.lookup(word)
        return 3 if entry and entry.countable and entry.size_m <= LARGE else 1

    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """Return everything that is drawn or painted, with the catalog's synonyms.

        A synonym that two things share, that is another thing's name, or that is :data:`AMBIGUOUS` tells nothing and
        is left out.
        """
        names = scenes.VOCABULARY - AMBIGUOUS
        words = {entry.name: {entry.word, *entry.synonyms} - names - AMBIGUOUS for entry in scenes.CATALOG.values()}
        owners = Counter(word for others in words.values() for word in others)
        return {name: tuple(sorted(w for w in words.get(name, ()) if owners[w] == 1)) for name in sorted(names)}


def _indoors(setting: str) -> bool:
    own = scenes.ENVIRONMENTS.get(setting)
    return own is not None and own.indoor


UNCLEAR = frozenset({"frisbee", "plate", "scarf", "tin foil"})
"""What people take for something else as it is drawn (a frisbee from its edge): never asked about."""

TOLD_INDOORS = frozenset({"broccoli"})
"""What is told at home alone: outdoors it is a small tree."""

AMBIGUOUS = frozenset(
    "bar board brush can card cream dish drawing drink file football glass hot light lock lounge note orange painting "
    "picture post ring rugby sailing shower signal spray switch tennis watch".split()
)
"""Words that captions also use in another sense ("a picture of …", "light blue", "you can see", "playing tennis"): to
find one of them tells nothing about what the caption claims to see."""

LARGE = 2.5
"""Metres; of larger things a drawn picture shows one."""

COMMON_DEEDS = ("standing", "walking", "running", "sitting", "lying")
"""What a prompt says that a creature does of which the graph tells nothing."""

MADE_IN_ANY_COLOUR = frozenset(
    (
        "air conditioner, bar, baseball bat, baseball glove, basket, board, bookshelf, box, bracelet, bridge, "
        "brush, building, camera, can, cell phone, cloth, clothes hanger, computer, cone, cooktop, crutch, "
        "doghouse, doll, earphones, ebook, fence, fishing rod, flowerpot, fork, guardrail, handrail, "
        "headphones, holder, juicer, keyboard, kite, laptop, magazine, mattress, microphone, microwave, "
        "monitor, napkin, net, oar, opener, paddle, pinwheel, pipe, pole, quilt, rack, remote, ring, rod, "
        "rope, rugby ball, saddle, sheet, shovel, showerhead, sign, slippers, sticker, street lamp, "
        "sunglasses, switch, tablet computer, tap, television, trough, tv, watch, wire, yacht"
    ).split(", ")
)
"""What people make in any colour, though it is drawn in one."""

WEATHERS = ("sunny", "overcast", "at night")
"""What a prompt says of a place outdoors of which the graph tells nothing."""


class OpenWorld:
    """A text-to-image model: everything can be asked for; implements the same protocol."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._names: Mapping[str, str] = {word: data["name"] for word, data in graph.nodes(data=True)}
        self._kinds: Mapping[str, str] = kinds(graph)

    def name(self, word: str) -> str:
        """Return the graph's readable name."""
        return self._names.get(word, word)

    def is_setting(self, word: str) -> bool:
        """Tell whether a word is an environment."""
        return self._kinds.get(word) == "environment"

    def setting(self, word: str, things: Sequence[str], random: np.random.Generator) -> str:
        """Return the environment itself: a prompt may put anything anywhere."""
        return self.name(word)

    def furniture(self, setting: str, things: Sequence[str]) -> Mapping[str, int]:
        """Return nothing: the prompt names the place, and the detector looks for it."""
        return {}

    def problem(self, words: Sequence[str]) -> str:
        """Return why words cannot be shown together: two names for one thing, or one that includes the other."""
        names = [self.name(word) for word in words]
        for i, name in enumerate(names):
            if name in names[:i] or filtering.related(name, names[:i]):
                return f"one includes the other: {words[i]}"
        return ""

    def values(self, word: str, kind: str) -> frozenset[str] | None:
        """Return None: a prompt takes any word; only colours are told apart from other states."""
        return frozenset(COLOURS) if kind == "colour" else None

    def common_looks(self, word: str) -> Sequence[str]:
        """Return the colours that a thing of its kind comes in, or what the weather may be outdoors."""
        if self.is_setting(word):
            place = environments.SETTINGS.get(self.name(word))
            return WEATHERS if place and place.family not in environments.INDOORS else ()
        entry = scenes.lookup(self.name(word))
        if self.name(word) in MADE_IN_ANY_COLOUR:
            return COLOURS
        return () if entry is None or entry.actions else entry.colours

    def common_deeds(self, word: str) -> Sequence[str]:
        """Return the plainest postures and gaits that a person or an animal of its kind is drawn in."""
        entry = scenes.lookup(self.name(word))
        return (
            [said for said in COMMON_DEEDS if said in (*entry.actions, "standing")] if entry and entry.actions else ()
        )

    def most(self, word: str) -> int:
        """Return 2 for what can be counted: text-to-image models count no further, and the detector counts again."""
        entry = scenes.lookup(self.name(word))
        return 2 if entry is None or entry.countable else 1

    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """Return the graph's names with other words for the same things."""
        return synonyms.extended(dict.fromkeys(sorted(set(self._names.values())), ()))


class PhotoWorld(OpenWorld):
    """Annotated photos: what some photo shows; of places their annotations say nothing."""

    def __init__(self, graph: ConceptGraph, shown: frozenset[str]) -> None:
        """Take the words that some photo shows, beside the graph."""
        super().__init__(graph)
        self._shown = shown

    def common_looks(self, word: str) -> Sequence[str]:
        """Return nothing: a photo is as it is."""
        return ()

    def common_deeds(self, word: str) -> Sequence[str]:
        """Return nothing, for the same reason."""
        return ()

    def problem(self, words: Sequence[str]) -> str:
        """Return why words cannot be shown together: no annotated photo, or one that includes the other."""
        absent = [word for word in words if self.name(word) not in self._shown]
        return f"no annotated photo: {absent[0]}" if absent else super().problem(words)
