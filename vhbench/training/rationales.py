"""Rationales of reference answers, in one or two sentences, from the ground truth.

Questions are parsed by the audit's parser (:mod:`vhbench.audit.phrases`), independent of the code that wrote them. A
rationale exists only where the audit confirms the answer, not where scenes or wording leave it open.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase

from vhbench.audit import phrases, question_solver
from vhbench.colours import COLOURS
from vhbench.generators.ode import environments
from vhbench.generators.vhexpansion.negation import WRAPPER
from vhbench.language import inflection
from vhbench.schema import Question, Scene, SceneObject
from vhbench.training import image_lists

Scenes = Sequence[Scene]
_MOST_NAMED = 4
_WEATHER = {
    "night": "It is night in the image",
    "sunny": "It is a sunny day in the image",
    "gloomy": "The sky in the image is overcast",
}
_OPPOSITES = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
_SAID = {predicate: said for said, predicate in phrases.PREDICATES.items()}


def reason(question: Question, scenes: Scenes) -> str:
    """Return the short reference answer and its reason; "" where the scenes of the images leave it open."""
    if len(scenes) != len(question.images) or not question_solver.verdict(question, scenes):
        return ""
    if question.kind == "yes_no":
        why = _yes_no(question.question, scenes)
        return f"{question.answer.capitalize()}. {why}" if why else ""
    right = question.choices[ascii_uppercase.index(question.answer)]
    why = _first(_CHOICES, question.question, scenes, question.choices, right)
    return f"{question.answer}. {why}." if why else ""


def _first(patterns: Mapping[str, Callable[..., str]], text: str, *arguments: object) -> str:
    for pattern, say in patterns.items():
        if match := re.fullmatch(pattern, text):
            return say(*arguments, *match.groups())
    return ""


def _yes_no(text: str, scenes: Scenes) -> str:
    """Describe the facts; a negated twin has the same reason as its original."""
    wrapped = re.fullmatch(rf'{WRAPPER} ["“](.+\?)["”]', text)
    if wrapped:
        right = question_solver.read(wrapped[1], scenes)
        why = _yes_no(wrapped[1], scenes)
        return f"{why[:-1]}, so the right answer to that question is “{'yes' if right else 'no'}”." if why else ""
    for pattern, positive in _POSITIVE.items():
        if match := re.fullmatch(pattern, text):
            return _yes_no(match.expand(positive), scenes)
    why = _first(_YES_NO, text, scenes)
    return f"{why}." if why else ""


# -- one image -------------------------------------------------------------------------------------------------------


def contents(scene: Scene) -> str:
    """Return a description of an image: its objects with their counts, then its environment."""
    names = list(dict.fromkeys(thing.category for thing in scene.objects))[:_MOST_NAMED]
    parts = [numbered(name, scene) for name in names]
    if (
        scene.environment in environments.SETTINGS
        and scene.environment not in names
        and environments.is_recognizable(scene)
    ):
        parts.append(environments.description(scene.environment))
    return inflection.listing(parts) if parts else ""


def numbered(name: str, scene: Scene) -> str:
    """Return a category with its count: "a dog", "two dogs"; "dogs" if not all are annotated."""
    number = scene.count(name)
    if number is None and sum(thing.category == name for thing in scene.objects) > 1:
        return name if inflection.is_plural(name) or not inflection.countable(name) else inflection.plural(name)
    number = number or 1
    if number == 1:
        return inflection.with_article(name)
    return inflection.count_phrase(number, inflection.measured(name) if inflection.is_plural(name) else name)


def _exists(scenes: Scenes, phrase: str) -> str:
    (scene,) = scenes
    name = phrases.category(phrase, scenes)
    if not phrases.holds(phrase, scene):
        shows = contents(scene)
        return f"The image does not show {phrase}" + (f"; it shows {shows}" if shows else "")
    things = [thing for thing in scene.objects if thing.category == name]
    if len(things) == 1 and scene.count(name) == 1 and inflection.countable(name):
        return f"There is {inflection.with_article(name)} {_where(things[0], scene)} of the image"
    return f"The image shows {numbered(name, scene) if things else phrase}"


def _where(thing: SceneObject, scene: Scene) -> str:
    """Return in which third of an image's width an object's centre is."""
    middle = (thing.box[0] + thing.box[2] / 2) / scene.width
    return "on the left" if middle < 1 / 3 else "on the right" if middle > 2 / 3 else "in the middle"


def _exactly(scenes: Scenes, phrase: str) -> str:
    (scene,) = scenes
    word, _, noun = phrase.partition(" ")
    name = phrases.category(noun, scenes)
    actual, claimed = phrases.count(name, scene), phrases.to_number(word)
    if actual is None or claimed is None:
        return ""
    if actual == 0:
        return f"There are no {inflection.plural(name)} in the image"
    other = "" if actual == claimed else f", not {inflection.NUMBERS[claimed]}"
    return f"There {inflection.is_or_are(actual)} {inflection.count_phrase(actual, name)} in the image{other}"


def _all_are(scenes: Scenes, subject: str, value: str) -> str:
    (scene,) = scenes
    first, _, rest = subject.partition(" ")
    name = phrases.category(rest if phrases.to_number(first) is not None else subject, scenes)
    things = [thing for thing in scene.objects if thing.category == name]
    verb = f"The {subject} in the image {inflection.is_or_are(len(things), name)}"
    if all(value in (held for _, held in thing.attributes) for thing in things):
        return f"{verb} {value}"
    kind = "colour" if value in COLOURS else "action"
    actual = scene.shared_value(name, kind)
    return f"{verb} {actual}, not {value}" if actual else f"{verb} not {value}"


def _weather(scenes: Scenes, claim: str) -> str:
    (scene,) = scenes
    if scene.environment_state in _WEATHER:
        return _WEATHER[scene.environment_state]
    denied = {"it night": "It is not night", "it a sunny day": "It is not a sunny day"}
    return f"{denied.get(claim, 'The sky is not overcast')} in the image"


def _related(scenes: Scenes, first: str, relation: str, second: str) -> str:
    (scene,) = scenes
    name, other = (phrases.category(phrase, scenes) for phrase in (first, second))
    verb = f"The {first} {inflection.is_or_are(1, name)}"
    predicate = phrases.PREDICATES.get(relation, relation)
    if phrases.related(name, predicate, other, scene):
        return f"{verb} {relation} the {second}"
    opposite = _OPPOSITES[predicate]
    if phrases.related(name, opposite, other, scene):
        return f"{verb} {_SAID.get(opposite, opposite)} the {second}"
    return f"{verb} not {relation} the {second}"


_POSITIVE: Mapping[str, str] = {
    r"(Is|Are) there no (.+)\?": r"\1 there a \2?",
    r"Is it false that there (is|are) (.+)\?": r"Is there \2?",
    r"Is it false that the image (?:shows|does show) (.+)\?": r"Does the image show \1?",
    r"Is it false that (it|the sky) is (.+)\?": r"Is \1 \2?",
    r"Is it false that the (.+) in the image (?:is|are) (.+)\?": r"Is the \1 in the image \2?",
    r"Is it false that the (.+) (?:is|are) (.+ in the image)\?": r"Is the \1 \2?",
}
"""Template of a negated twin → its original, in matching order."""

_IMAGE = r"([Ii]mage \d+)"
_ONE = r"(?:the|this) image"
_YES_NO: Mapping[str, Callable[..., str]] = {
    r"(?:Is|Are) there (.+) in any of the images\?": image_lists.in_any,
    r"(?:Is|Are) there (.+) in every image\?": image_lists.in_every,
    rf"(?:Is|Are) there exactly (.+) in {_ONE}\?": _exactly,
    rf"(?:Is|Are) there (.+) in {_ONE}\?": _exists,
    rf"Does {_ONE} show (.+)\?": _exists,
    r"Is (it night|it a sunny day|the sky overcast)(?: in the image)?\?": _weather,
    r"(?:Is|Are) the (.+) (to the left of|to the right of|above|below) the (.+) in the image\?": _related,
    r"(?:Is|Are) the (.+) in the image (.+)\?": _all_are,
}
_CHOICES: Mapping[str, Callable[..., str]] = {
    r"Which image shows exactly (?:\d+) (.+)\?": image_lists.numbers_of,
    rf"Which image shows (?:more|fewer) (.+), {_IMAGE} or {_IMAGE}\?": image_lists.more,
    r"Which image shows (.+)\?": image_lists.which_image,
    r'Where is "(.+)"\?': image_lists.where_is,
    rf"Which of {_IMAGE} and {_IMAGE} shows (.+)\?": image_lists.which_of_two,
    r"Which .+ occurs in at least one of the images\?": image_lists.which_in_any,
    r"Which .+ occurs in all of the images\?": image_lists.which_in_all,
    rf"Which .+ is in {_IMAGE} and not in {_IMAGE}\?": image_lists.which_first_only,
    r"In how many images are there any (.+)\?": image_lists.how_many_images,
    r"How many (.+) are there in all images together\?": image_lists.total,
    r"Which object occurs exactly \d+ times in all images together\?": image_lists.which_total,
}
"""Question template → function that explains a correct option."""
