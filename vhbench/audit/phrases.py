"""Noun phrases ("two dogs", "dog to the left of a person") evaluated on a scene.

Every result is True, False or None: None for an unparsed phrase or an unknown fact.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from vhbench.language.inflection import NUMBERS, plural_forms
from vhbench.schema import Box, Scene

Maybe = bool | None

_MEASURES = ("pair of ", "pairs of ", "piece of ", "pieces of ", "roll of ", "rolls of ")
PREDICATES = {"to the left of": "left of", "to the right of": "right of"}
_SIDES = ("left of", "right of")
_OPPOSITES = {
    "above": "below", "below": "above", "in front of": "behind", "behind": "in front of", "on": "under", "under": "on",
}  # fmt: skip
_SLIGHT = 0.01  # pixels: boxes are rounded to hundredths
_MATERIALS = {"wooden": "wood", "woollen": "wool"}
_ARTICLE = re.compile(r"^(?:an?|the) ")
_ABOUT = re.compile(r'(?:there|shows|Where is) "?(?:exactly )?(.+?)"?(?: in any of the images| in every image)?\?')
_NO_PHRASE = re.compile(r"[Ii]mage \d+|\d+|Both|Neither|None of the above|I don't know|(?:Both show|Neither shows) .+")


def any_of(values: Iterable[Maybe]) -> Maybe:
    """Return whether any is true, or None if unknown."""
    members = list(values)
    return True if True in members else None if None in members else False


def all_of(values: Iterable[Maybe]) -> Maybe:
    """Return whether all are true, or None if unknown."""
    return negation(any_of(negation(value) for value in values))


def negation(value: Maybe) -> Maybe:
    """Return the negation, or None."""
    return None if value is None else not value


def category(phrase: str, scenes: Iterable[Scene]) -> str:
    """Return the category of a singular or plural noun phrase, or "" if no scene knows it."""
    parts = [_known_words(scene) for scene in scenes]
    return _category(phrase, parts[0] if len(parts) == 1 else frozenset[str]().union(*parts))


@lru_cache(maxsize=65536)  # a phrase is evaluated on many scenes, which know the same words
def _category(phrase: str, words: frozenset[str]) -> str:
    text = _ARTICLE.sub("", phrase.strip().lower(), count=1)
    for measure in _MEASURES:
        text = text.removeprefix(measure)
    names = _names(words)
    return names[text] if text in names else _plurals(words).get(text, "")


def _known_words(scene: Scene) -> frozenset[str]:
    return _words(scene.known, scene.categories(), scene.environment)


@lru_cache(maxsize=4096)  # many phrases are evaluated on a scene
def _words(known_words: frozenset[str], categories: frozenset[str], environment: str) -> frozenset[str]:
    return known_words | categories | {environment}


@lru_cache(maxsize=4096)
def _names(words: frozenset[str]) -> Mapping[str, str]:
    """Return lower-case words → the words."""
    return {word.lower(): word for word in sorted(words) if word}


@lru_cache(maxsize=4096)
def _plurals(words: frozenset[str]) -> Mapping[str, str]:
    """Return plural → singular; of two words with one plural the first."""
    names = _names(words)
    return {form: names[name] for name in sorted(names, reverse=True) for form in plural_forms(name)}


def holds(phrase: str, scene: Scene) -> Maybe:
    """Return whether a noun phrase is true of a scene."""
    text, words = _ARTICLE.sub("", phrase.strip(), count=1), _known_words(scene)
    if match := re.fullmatch(r"(\d+|[a-z]+) (.+)", text):
        number = to_number(match[1])
        if number is not None and (name := _category(match[2], words)):
            amount = count(name, scene)
            return None if amount is None else amount == number
    if name := _category(text, words):
        return present(name, scene)
    for anchor in re.finditer(r" (?:an?|the) ", text):
        before, other = text[: anchor.start()], _category(text[anchor.end() :], words)
        subject = _subject(before, words)
        if subject and other:
            return related(*subject, other, scene)
        # One object that is known to be absent suffices, whatever is known of the other one.
        if subject and present(subject[0], scene) is False:
            return False
        if other and present(other, scene) is False and before.endswith(tuple(PREDICATES)):
            return False
    return has(*_trait(text, words), scene)


def _trait(text: str, known_words: frozenset[str]) -> tuple[str, str]:
    """Split "red cup", "light green hot dog" or "dog that is running" into a category, or "", and a value."""
    words = text.split(" ")
    cuts = [(" ".join(words[cut:]), " ".join(words[:cut])) for cut in range(1, len(words))]
    if match := re.fullmatch(r"(.+) that is (.+)", text):
        cuts = [(match[1], match[2])]
    for noun, value in cuts:
        if name := _category(noun, known_words):
            return name, _MATERIALS.get(value, value)
    return "", ""


def pairs(phrase: str, scene: Scene) -> int:
    """Return the number of pairs that a phrase may be about: of two categories, or of one and carriers of a value."""
    text, words = _ARTICLE.sub("", phrase.strip(), count=1), _known_words(scene)
    for anchor in re.finditer(r" (?:an?|the) ", text):
        subject, other = _subject(text[: anchor.start()], words), _category(text[anchor.end() :], words)
        if subject and other:
            return _number(subject[0], scene) * _number(other, scene)
    name, value = _trait(text, words)
    return _number(name, scene) * sum(value in (trait for _, trait in t.attributes) for t in scene.objects)


def _number(name: str, scene: Scene) -> int:
    return sum(thing.category == name for thing in scene.objects) if name else 0


def asked_phrases(question: str, choices: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the noun phrases that a MIOH question is about: its options, or else the one in its text.

    >>> asked_phrases("Which image shows a red cup?", ("Image 1", "Image 2", "None of the above"))
    ('red cup',)
    >>> asked_phrases("Which of these occurs in all of the images?", ("red cup", "blue cup", "None of the above"))
    ('red cup', 'blue cup')
    """
    options = [option for option in choices if not _NO_PHRASE.fullmatch(option)]
    match = _ABOUT.search(question)
    return tuple(_ARTICLE.sub("", phrase) for phrase in options or ([match[1]] if match else []))


def _subject(text: str, known_words: frozenset[str]) -> tuple[str, str] | None:
    """Split "pair of skis to the left of" into a category and a predicate."""
    words = text.split()
    for cut in range(len(words) - 1, 0, -1):
        if name := _category(" ".join(words[:cut]), known_words):
            predicate = " ".join(words[cut:])
            return name, PREDICATES.get(predicate, predicate)
    return None


def present(name: str, scene: Scene) -> Maybe:
    """Return whether a category or an environment is in a scene."""
    if any(thing.category == name for thing in scene.objects) or name in scene.areas:
        return True
    if name and name == scene.environment:
        return True
    return False if name in scene.known else None


def count(name: str, scene: Scene) -> int | None:
    """Return the number of instances of a category."""
    if name in scene.countable:
        return sum(thing.category == name for thing in scene.objects)
    return 0 if present(name, scene) is False else None


def has(name: str, value: str, scene: Scene) -> Maybe:
    """Return whether any instance of a category has a value of an attribute.

    A value of an object without a category leaves it open: that object may be the one.
    """
    if not name:
        return None
    things = [thing for thing in scene.objects if thing.category == name]
    if any(value in (trait for _, trait in thing.attributes) for thing in things):
        return True
    if present(name, scene) is False:
        return False
    if any((value in (trait for _, trait in thing.attributes)) for thing in scene.objects if not thing.category):
        return None
    # No, only if every instance is annotated and something of the kind is known about each.
    complete = name in scene.countable and all(thing.known_attributes for thing in things)
    return False if complete else None


def related(name: str, predicate: str, other: str, scene: Scene) -> Maybe:
    """Return whether any instance of a category has a relation to one of another."""
    names = {thing.id: thing.category for thing in scene.objects}
    triples = {(names.get(r.subject), r.predicate, names.get(r.object)) for r in scene.relations}
    if (name, predicate, other) in triples:
        return True
    if present(name, scene) is False or present(other, scene) is False:
        return False
    denied = predicate in scene.known_predicates and {name, other} <= scene.countable
    if predicate in _OPPOSITES and count(name, scene) == count(other, scene) == 1:  # the same two objects
        denied |= not triples.isdisjoint({(name, _OPPOSITES[predicate], other), (other, predicate, name)})
    return False if denied else _beside(name, predicate, other, scene)


def _beside(name: str, predicate: str, other: str, scene: Scene) -> Maybe:
    """Derive left and right from boxes, as photos have no annotated relations.

    Yes, if one ends before another begins; no, if all are annotated and each centre is on the other side.
    """
    if predicate not in _SIDES:
        return None
    name, other = (name, other) if predicate == "left of" else (other, name)
    left, right = ([thing.box for thing in scene.objects if thing.category == word] for word in (name, other))
    pairs = [(one, two) for one in left for two in right]
    if any(one[0] + one[2] <= two[0] for one, two in pairs):
        return True
    all_listed = pairs and {name, other} <= scene.countable
    return False if all_listed and all(_centre(one) >= _centre(two) - _SLIGHT for one, two in pairs) else None


def _centre(box: Box) -> float:
    """Return the horizontal centre of a box, in pixels."""
    return box[0] + box[2] / 2


def to_number(word: str) -> int | None:
    """Return the number of a word or numeral."""
    if word.isdigit():
        return int(word)
    return NUMBERS.index(word) if word in NUMBERS else None
