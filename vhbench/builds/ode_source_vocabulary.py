"""Vocabularies of ODE's image sources: synthetic scenes, text-to-image models, photos."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from vhbench import tsv
from vhbench.colours import COLOURS
from vhbench.generators import scenes
from vhbench.generators.ode import environments, filtering, questions
from vhbench.generators.ode.concept_graph import ConceptGraph, kinds, wording
from vhbench.language import synonyms


class DrawnWorld:
    """Synthetic scenes; implements :class:`vhbench.generators.ode.prompts.SourceVocabulary`.

    Environments are not furnished with objects of another concept split than ``part``.
    """

    def __init__(self, graph: ConceptGraph, part: scenes.ConceptPart = scenes.WHOLE) -> None:
        self._kinds: Mapping[str, str] = kinds(graph)
        self._places = wording(graph).places
        self._part = part

    def name(self, word: str) -> str:
        """Return the readable name of an object or environment; unknown words are unchanged."""
        if not self.is_setting(word):
            return scenes.readable(word)
        own = scenes.find_environment(word)
        return word if own is None or word in scenes.AREAS else own.name

    def is_setting(self, word: str) -> bool:
        """Return whether a word is an environment or a part of an environment's background."""
        if self._kinds.get(word) != "environment":
            return False
        return scenes.find_environment(word) is not None or word in scenes.AREAS

    def setting(self, word: str, things: Sequence[str], random: np.random.Generator) -> str:
        """Return the environment if it has room for the objects, or another that contains it.

        Without an environment, the choice is left to the source, except for objects that are recognizable indoors only.
        """
        if not word:
            return "kitchen" if any(self.name(thing) in _WORDS["indoors only"] for thing in things) else ""
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
        """Return the first defining object that fits; empty if a given object defines the place."""
        names = [self.name(word) for word in things]
        needed = self._places[setting].made_by if setting in self._places else {}
        if any(name in needed and needed[name] == 1 for name in names):
            return {}
        held = (word for word in needed if self._part.holds(word))
        fitting = (word for word in held if word not in names and not scenes.clash(word, names))
        return {word: needed[word] for word in islice(fitting, 1)}

    def problem(self, words: Sequence[str]) -> str:
        """Return why words cannot be shown together: no drawing, a poor one, or synonyms."""
        for word in words:
            if not self.is_setting(word) and scenes.lookup(word) is None:
                return f"no drawing: {word}"
        names = [self.name(word) for word in words]
        for word, name in zip(words, names, strict=True):
            outdoors = any(self.is_setting(other) and not _indoors(self.name(other)) for other in words)
            if name in _WORDS["unclear"] or (name in _WORDS["indoors only"] and outdoors):
                return f"hard to recognize: {word}"
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
        """Return nothing: scenes choose unspecified attributes and record them."""
        return ()

    common_deeds = common_looks

    def most(self, word: str) -> int:
        """Return up to three for objects that are countable and small enough to fit."""
        entry = scenes.lookup(word)
        return 3 if entry and entry.countable and entry.size_m <= LARGE else 1

    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """Return all synthetic objects and backgrounds, with the catalog's synonyms.

        A synonym is left out if two objects share it, if it names another object, or if it is ambiguous.
        """
        names = scenes.VOCABULARY.difference(_WORDS["ambiguous"])
        words = {e.name: {e.word, *e.synonyms}.difference(names, _WORDS["ambiguous"]) for e in scenes.CATALOG.values()}
        owners = Counter(word for others in words.values() for word in others)
        return {name: tuple(sorted(w for w in words.get(name, ()) if owners[w] == 1)) for name in sorted(names)}


def _indoors(setting: str) -> bool:
    own = scenes.ENVIRONMENTS.get(setting)
    return own is not None and own.indoor


LARGE = 2.5  # metres; a synthetic image shows only one of any larger object

# lists of words by what they have in common
_WORDS: Mapping[str, tuple[str, ...]] = dict(
    tsv.records(Path(__file__).with_suffix(".tsv"), lambda name, words, about: (name, words), {"words": tsv.words})
)


class OpenWorld:
    """A text-to-image model: any word can be requested; implements the same protocol."""

    def __init__(self, graph: ConceptGraph) -> None:
        self._names: Mapping[str, str] = {word: data["name"] for word, data in graph.nodes(data=True)}
        self._kinds: Mapping[str, str] = kinds(graph)
        self._words = wording(graph)

    def name(self, word: str) -> str:
        """Return the graph's readable name."""
        return self._names.get(word, word)

    def is_setting(self, word: str) -> bool:
        """Return whether a word is an environment."""
        return self._kinds.get(word) == "environment"

    def setting(self, word: str, things: Sequence[str], random: np.random.Generator) -> str:
        """Return the environment itself: a prompt may put anything anywhere."""
        return self.name(word)

    def furniture(self, setting: str, things: Sequence[str]) -> Mapping[str, int]:
        """Return nothing: the prompt names the environment, and the detector checks it."""
        return {}

    def problem(self, words: Sequence[str]) -> str:
        """Return why words cannot be shown together: a vague word, synonyms, or one includes the other."""
        names = [self.name(word) for word in words]
        for i, name in enumerate(names):
            if name in _WORDS["vague"]:
                return f"too vague for a prompt: {words[i]}"
            if name in names[:i] or filtering.related(name, names[:i]):
                return f"one includes the other: {words[i]}"
        return ""

    def values(self, word: str, kind: str) -> frozenset[str] | None:
        """Return None: a prompt takes any word; only colours are distinguished from other states."""
        return frozenset(COLOURS) if kind == "colour" else None

    def common_looks(self, word: str) -> Sequence[str]:
        """Return the colours that a kind of object comes in, or the weather outdoors."""
        if self.is_setting(word):
            place = environments.SETTINGS.get(self.name(word))
            return _WORDS["weather"] if place and not place.indoors else ()
        entry = scenes.lookup(self.name(word))
        if self.name(word) in _WORDS["any colour"]:
            return COLOURS
        return () if entry is None or entry.actions else entry.colours

    def common_deeds(self, word: str) -> Sequence[str]:
        """Return the plainest postures and gaits that a person or animal of this kind is drawn in."""
        entry = scenes.lookup(self.name(word))
        able = (*entry.actions, "standing") if entry and entry.actions else ()
        return [deed for deed in _WORDS["common deeds"] if deed in able]

    def most(self, word: str) -> int:
        """Return 2 for countable objects: text-to-image models count no further."""
        entry = scenes.lookup(self.name(word))
        return 2 if entry is None or entry.countable else 1

    def vocabulary(self) -> Mapping[str, tuple[str, ...]]:
        """Return the graph's names with their synonyms and irregular plurals."""
        names = sorted(set(self._names.values()))
        return synonyms.extended({name: (p,) if (p := self._words.plurals.get(name)) else () for name in names})


class PhotoWorld(OpenWorld):
    """Photos: objects that any of them shows; annotations do not cover environments."""

    def __init__(self, graph: ConceptGraph, shown: frozenset[str] | None = None) -> None:
        """Store the words that any photo shows, None if they are unknown, and the graph."""
        super().__init__(graph)
        self._shown = shown

    def common_looks(self, word: str) -> Sequence[str]:
        """Return nothing: a photo cannot be changed."""
        return ()

    common_deeds = common_looks

    def problem(self, words: Sequence[str]) -> str:
        """Return why words cannot be shown together: no annotated photo, or inclusion."""
        absent = [word for word in words if self._shown is not None and self.name(word) not in self._shown]
        return f"no annotated photo: {absent[0]}" if absent else super().problem(words)
