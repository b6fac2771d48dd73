"""Answers to English questions from scenes: True, False or None per possible answer."""

import re
from collections.abc import Callable, Sequence
from math import inf
from string import ascii_uppercase

from vhbench.audit import phrases
from vhbench.audit.phrases import Maybe, all_of, any_of, category, count, holds, negation
from vhbench.language import inflection
from vhbench.schema import Question, Scene

Scenes = Sequence[Scene]
Bounds = tuple[float, float]  # minimum and maximum of an unknown number
_WEATHER = {"it night": "night", "it a sunny day": "sunny", "the sky overcast": "gloomy"}
_REST = ("None of the above", "I don't know")


def verdict(question: Question, scenes: Scenes) -> Maybe:
    """Return whether a question's answer is correct, given the scenes of its images in order.

    None, if its wording or its scenes leave that open.
    """
    if question.kind == "yes_no":
        answer = read(question.question, scenes)
        return None if answer is None else answer == (question.answer == "yes")
    if question.kind != "multiple_choice":
        return None
    letters = ascii_uppercase[: len(question.choices)]
    if question.answer not in tuple(letters):
        return False
    right = letters.index(question.answer)
    values = [choice(question.question, text, scenes) for text in question.choices]
    for i, text in enumerate(question.choices):
        if text in _REST:
            values[i] = negation(any_of(value for j, value in enumerate(values) if j != i))
    wrong = any_of(value for i, value in enumerate(values) if i != right)
    return all_of([values[right], negation(wrong)])


def read(text: str, scenes: Scenes) -> Maybe:
    """Answer a yes/no question; a negated one by answering its opposite."""
    for pattern, positive in _NEGATED:
        if match := re.fullmatch(pattern, text):
            return negation(read(match.expand(positive), scenes))
    for pattern, answer in _YES_NO:
        if match := re.fullmatch(pattern, text):
            return answer(scenes, *match.groups())
    return None


def choice(text: str, option: str, scenes: Scenes) -> Maybe:
    """Return whether an option answers a question."""
    for pattern, answer in _CHOICES:
        if match := re.fullmatch(pattern, text):
            return answer(scenes, option, *match.groups())
    return None


def _alone(answer: Callable[..., Maybe]) -> Callable[..., Maybe]:
    """Adapt an answer function for one scene to a question's only scene."""
    return lambda scenes, *parts: answer(scenes[0], *parts) if len(scenes) == 1 else None


def _is_shown(scene: Scene, phrase: str) -> Maybe:
    return holds(phrase, scene)


def _exactly(scene: Scene, phrase: str) -> Maybe:
    number, _, noun = phrase.partition(" ")
    return _equals(_bounds(noun, [scene]), number)


def _weather(scene: Scene, word: str) -> Maybe:
    return scene.environment_state == _WEATHER[word] if scene.environment_state else None


def _related(scene: Scene, first: str, relation: str, second: str) -> Maybe:
    name, other = category(first, [scene]), category(second, [scene])
    predicate = phrases.PREDICATES.get(relation, relation)
    return phrases.related(name, predicate, other, scene) if name and other else None


def _all_are(scene: Scene, subject: str, value: str) -> Maybe:
    """Answer "Are the two dogs in the image sitting?": yes for all, no for none, else open."""
    number, _, rest = subject.partition(" ")
    amount = phrases.to_number(number)
    name = category(subject if amount is None else rest, [scene])
    things = [thing for thing in scene.objects if thing.category == name]
    if not things or (amount is not None and len(things) != amount):
        return None
    have = [value in (inflection.agreeing(trait, len(things)) for _, trait in thing.attributes) for thing in things]
    if all(have):
        return True
    return False if not any(have) and all(thing.known_attributes for thing in things) else None


def _bounds(phrase: str, scenes: Scenes) -> Bounds:
    """Return the minimum and maximum possible number of things of a category in all scenes together."""
    name, low, high = category(phrase, scenes), 0.0, 0.0
    for scene in scenes:
        number = count(name, scene) if name else None
        presence = phrases.present(name, scene) if name else None
        low += int(presence is True) if number is None else number
        high += (0 if presence is False else inf) if number is None else number
    return low, high


def _equals(ends: Bounds, number: str) -> Maybe:
    amount = phrases.to_number(number)
    if amount is None:
        return None
    return False if not ends[0] <= amount <= ends[1] else True if ends[0] == ends[1] else None


def _counted(scenes: Scenes, option: str, phrase: str) -> Maybe:
    """Answer "How many dogs are there in all images together?"."""
    return _equals(_bounds(phrase, scenes), option)


def _in_images(scenes: Scenes, option: str, phrase: str) -> Maybe:
    name, amount = category(phrase, scenes), phrases.to_number(option)
    presences = [phrases.present(name, scene) if name else None for scene in scenes]
    return None if amount is None or None in presences else presences.count(True) == amount


def _image(option: str, scenes: Scenes) -> Scene | None:
    match = re.fullmatch(r"[Ii]mage (\d+)", option)
    return scenes[int(match[1]) - 1] if match and 1 <= int(match[1]) <= len(scenes) else None


def _in_image(answer: Callable[..., Maybe]) -> Callable[..., Maybe]:
    """Adapt an answer function for one scene to the image that an option names."""
    return lambda scenes, option, *parts: answer(scene, *parts) if (scene := _image(option, scenes)) else None


def _of_two(scenes: Scenes, option: str, first: str, second: str, phrase: str) -> Maybe:
    """Answer "Which of Image 1 and Image 2 shows a dog?": both, neither, or only that one."""
    pair = [_image(first, scenes), _image(second, scenes)]
    one, two = (holds(phrase, scene) if scene else None for scene in pair)
    cases = {
        "both": all_of([one, two]),
        "neither": negation(any_of([one, two])),
        first.lower(): all_of([one, negation(two)]),
        second.lower(): all_of([two, negation(one)]),
    }
    return cases.get(option.lower())


def _more(scenes: Scenes, option: str, word: str, phrase: str, first: str, second: str) -> Maybe:
    """Answer "Which image shows more dogs, Image 1 or Image 2?"."""
    pair = [scene for scene in (_image(first, scenes), _image(second, scenes)) if scene]
    if len(pair) < 2 or not (name := category(phrase, pair)):
        return None
    one, two = (_bounds(name, [scene]) for scene in pair)
    ahead = _ahead(one, two), _ahead(two, one)
    cases = {
        "both show the same number": _same(one, two),
        "neither shows any": all_of([_equals(one, "0"), _equals(two, "0")]),
        first.lower(): ahead[word == "fewer"],
        second.lower(): ahead[word == "more"],
    }
    return cases.get(option.lower())


def _ahead(one: Bounds, two: Bounds) -> Maybe:
    return True if one[0] > two[1] else False if one[1] <= two[0] else None


def _same(one: Bounds, two: Bounds) -> Maybe:
    """Return whether both are the same number, other than zero."""
    apart = one[0] > two[1] or two[0] > one[1] or one[1] == 0 or two[1] == 0
    return False if apart else True if one[0] == one[1] == two[0] == two[1] else None


def _first_only(scenes: Scenes, option: str, first: str, second: str) -> Maybe:
    one, two = _image(first, scenes), _image(second, scenes)
    return all_of([holds(option, one), negation(holds(option, two))]) if one and two else None


_IMAGE = r"([Ii]mage \d+)"
_YES_NO: tuple[tuple[str, Callable[..., Maybe]], ...] = (
    (r"(?:Is|Are) there (.+) in any of the images\?", lambda s, a: any_of(holds(a, scene) for scene in s)),
    (r"(?:Is|Are) there (.+) in every image\?", lambda s, a: all_of(holds(a, scene) for scene in s)),
    (r"(?:Is|Are) there exactly (.+) in (?:the|this) image\?", _alone(_exactly)),
    (r"(?:Is|Are) there (?!no )(.+) in (?:the|this) image\?", _alone(_is_shown)),
    (r"Does (?:the|this) image show (.+)\?", _alone(_is_shown)),
    (rf"Is ({'|'.join(_WEATHER)})(?: in the image)?\?", _alone(_weather)),
    (r"(?:Is|Are) the (.+) (to the left of|to the right of|above|below) the (.+) in the image\?", _alone(_related)),
    (r"(?:Is|Are) the (.+) in the image (.+)\?", _alone(_all_are)),
)
_NEGATED = (
    (r"(Is|Are) there no (.+)\?", r"\1 there a \2?"),
    (r"Is it false that there (?:is|are) (.+)\?", r"Is there \1?"),
    (r"Is it false that the image (?:shows|does show) (.+)\?", r"Does the image show \1?"),
    (r'Is it false that the right answer to this question is yes: ["“](.+\?)["”]', r"\1"),
    (r"Is it false that (it|the sky) is (.+)\?", r"Is \1 \2?"),
    (r"Is it false that the (.+) in the image (?:is|are) (.+)\?", r"Is the \1 in the image \2?"),
    (r"Is it false that the (.+) (?:is|are) (.+ in the image)\?", r"Is the \1 \2?"),
)
_CHOICES: tuple[tuple[str, Callable[..., Maybe]], ...] = (
    (r"Which image shows exactly (.+)\?", _in_image(_exactly)),
    (rf"Which image shows (more|fewer) (.+), {_IMAGE} or {_IMAGE}\?", _more),
    (r"Which image shows (.+)\?", _in_image(_is_shown)),
    (r'Where is "(.+)"\?', _in_image(_is_shown)),
    (rf"Which of {_IMAGE} and {_IMAGE} shows (.+)\?", _of_two),
    (r"Which .+ occurs in at least one of the images\?", lambda s, o: any_of(holds(o, scene) for scene in s)),
    (r"Which .+ occurs in all of the images\?", lambda s, o: all_of(holds(o, scene) for scene in s)),
    (rf"Which .+ is in {_IMAGE} and not in {_IMAGE}\?", _first_only),
    (r"In how many images are there any (.+)\?", _in_images),
    (r"How many (.+) are there in all images together\?", _counted),
    (r"Which object occurs exactly (\d+) times in all images together\?", lambda s, o, n: _counted(s, n, o)),
)
