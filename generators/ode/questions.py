"""Questions about a scene (ODE §3.4): caption, existence, attribute (state, action, number), and relation.

Every answer is read from the scene. A question is asked only if the scene knows the answer: nothing outside
``Scene.known`` is asked as absent, no attribute outside ``known_attributes``, no number outside ``countable``. Each
"yes" comes with one "no" about the same thing, so that precision means something.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vhbench import english
from vhbench.colours import COLOURS, near
from vhbench.generators.ode import settings
from vhbench.generators.ode.criteria import PAIRINGS
from vhbench.generators.ode.prompts import ImagePlan
from vhbench.schema import Question, Row, Scene, SceneObject
from vhbench.seeding import rng

CAPTION = "Please describe this image."
LEVELS: tuple[str, ...] = ("caption", "existence", "attribute", "relation")
"""Levels of questions; the last is not in the paper."""

MOST_COUNTED = 5
"""Numbers are asked up to this; people do not count further at a glance."""

PEOPLE = frozenset({"person", "man", "woman", "boy", "girl", "child"})
"""Whose colour is that of their clothes, and not asked."""

CONTRARY: Mapping[str, tuple[str, ...]] = {
    "standing": ("sitting", "lying", "running", "jumping"), "walking": ("sitting", "lying", "jumping"),
    "running": ("sitting", "lying"), "jumping": ("sitting", "lying"), "sitting": ("walking", "running", "jumping"),
    "lying": ("walking", "running", "jumping"), "eating": ("running", "jumping"), "waving": ("running", "lying"),
    "cheering": ("sitting", "lying"), "dancing": ("sitting", "lying"), "crouching": ("running", "jumping", "lying"),
    "kicking": ("sitting", "lying"),
}  # fmt: skip
"""Action → actions that exclude it in one picture, beyond doubt."""

_STATES: Mapping[str, tuple[str, str]] = {
    "sunny": ("Is it a sunny day in the image?", "Is it night in the image?"),
    "night": ("Is it night in the image?", "Is it a sunny day in the image?"),
    "gloomy": ("Is the sky overcast in the image?", "Is it night in the image?"),
}
"""State of an environment below the sky → a question whose answer is yes, and one whose answer is no."""

OPPOSITES: Mapping[str, str] = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
_RELATIONS = {"left of": "to the left of", "right of": "to the right of", "above": "above", "below": "below"}


@dataclass(frozen=True, slots=True)
class Ask:
    """One question about a scene, before it becomes a row.

    Attributes:
        about: what it asks about; a "yes" and its "no" share it.
    """

    text: str
    answer: str
    question_type: str
    about: str = ""


def rows(
    case: ImagePlan,
    scene: Scene,
    targets: Sequence[str],
    likely: Sequence[str],
    *,
    seed: int,
    version: str,
    source: str,
    levels: Sequence[str] = LEVELS[:3],
    vocabulary: Iterable[str] = (),
) -> Iterator[Row]:
    """Yield the rows of one scene.

    Args:
        case: what the scene was made for.
        scene: the truth.
        targets: the concepts that had to be there, by the names that the scene uses; the setting last, if any.
        likely: what a model may imagine here, most likely first: known and absent (see :mod:`filtering`).
        seed: decides between equals.
        version: of the benchmark.
        source: which image source made the scene.
        levels: which of :data:`LEVELS` to ask.
        vocabulary: the words that captions are searched for; those about which the scene knows nothing are neutral.
    """
    random = rng(seed, "ode", "questions", scene.id)
    neutral = tuple(sorted(set(vocabulary) - scene.known - scene.categories()))
    for level in levels:
        for number, asked in enumerate(_ASK[level](scene, targets, likely, random)):
            question = Question(
                id=f"{scene.id}-{level}-{number:02d}", images=(scene.image,), question=asked.text, answer=asked.answer,
                kind="yes_no" if asked.answer else "caption", benchmark="ode", task=level, criterion=case.criterion,
                pairing=PAIRINGS[case.pairing], question_type=asked.question_type, source=source,
                pair_id=f"{scene.id}/{asked.question_type}/{asked.about}" if asked.about else scene.id,
                objects=tuple(sorted(scene.categories())), candidates=tuple(likely),
                neutral=() if asked.answer else neutral, scene_ids=(scene.id,), benchmark_version=version,
            )  # fmt: skip
            yield Row(f"ode_{case.criterion}_{level}", question)


def caption(scene: Scene, targets: Sequence[str], likely: Sequence[str], random: np.random.Generator) -> Iterator[Ask]:
    """Yield the request for a caption."""
    yield Ask(CAPTION, "", "caption")


def existence(
    scene: Scene, targets: Sequence[str], likely: Sequence[str], random: np.random.Generator
) -> Iterator[Ask]:
    """Yield for each target a "yes", and a "no" about something that is likely there but is not."""
    absent = [word for word in likely if word in scene.known and word not in scene.categories()]
    places = [word for word in absent if word in settings.SETTINGS]
    things = [word for word in absent if word not in settings.SETTINGS]
    for target in targets:
        if target not in scene.categories():
            continue
        pool = places if _is_place(scene, target) and places else things or places
        if pool:
            yield from _both(_is_there(scene, target), _is_there(scene, pool.pop(0)), "existence", target)


def attribute(
    scene: Scene, targets: Sequence[str], likely: Sequence[str], random: np.random.Generator
) -> Iterator[Ask]:
    """Yield questions about colour, action and number of the targets, and about the state of the setting."""
    for target in targets:
        members = [o for o in scene.objects if o.category == target]
        if members:
            yield from _colour(target, members, random)
            yield from _action(target, members, random)
            yield from _number(scene, target, random)
    if scene.environment_state in _STATES and "sky" in scene.areas:
        yield from _both(*_STATES[scene.environment_state], "state", "weather")


def relation(scene: Scene, targets: Sequence[str], likely: Sequence[str], random: np.random.Generator) -> Iterator[Ask]:
    """Yield for each relation that holds between single things a "yes", and a "no" about its opposite."""
    single = {o.id: o.category for o in scene.objects if scene.count(o.category) == 1}
    for held in scene.relations:
        a, b = single.get(held.subject), single.get(held.object)
        if a is None or b is None or held.predicate not in _RELATIONS:
            continue
        about = f"{a} {held.predicate} {b}"
        verb = english.is_or_are(1, a).capitalize()
        said, opposite = _RELATIONS[held.predicate], _RELATIONS[OPPOSITES[held.predicate]]
        yes, no = (f"{verb} the {a} {place} the {b} in the image?" for place in (said, opposite))
        yield from _both(yes, no, "relation", about)


def _both(yes: str, no: str, question_type: str, about: str) -> Iterator[Ask]:
    """Yield a question whose answer is yes, and one about the same thing whose answer is no."""
    yield Ask(yes, "yes", question_type, about)
    yield Ask(no, "no", question_type, about)


def _is_place(scene: Scene, word: str) -> bool:
    return word in settings.SETTINGS and (word in scene.areas or word == scene.environment)


def _is_there(scene: Scene, word: str) -> str:
    """Return the question whether something is in the image.

    "Does the image show a street?" for settings, "Is there a dog in the image?" for things.
    """
    if word in settings.SETTINGS or word in english.UNIQUE:
        return f"Does the image show {settings.shown(word)}?"
    verb = english.is_or_are(1, word).capitalize()
    return f"{verb} there {english.with_article(word)} in the image?"


def _subject(target: str, members: Sequence[SceneObject]) -> str:
    """Return "Is the dog in the image" or "Are the two dogs in the image"."""
    number = len(members)
    named = target if number == 1 else english.count_phrase(number, target)
    return f"{english.is_or_are(number, target).capitalize()} the {named} in the image"


def _shared(members: Sequence[SceneObject], kind: str) -> str:
    """Return the one known value that all members have, or ""."""
    values = {dict(o.attributes).get(kind, "") if kind in o.known_attributes else "" for o in members}
    return values.pop() if len(values) == 1 else ""


def _colour(target: str, members: Sequence[SceneObject], random: np.random.Generator) -> Iterator[Ask]:
    value = _shared(members, "colour")
    if not value or value not in COLOURS or target in PEOPLE or len(members) > MOST_COUNTED:
        return
    far = [c for c in COLOURS if not near(c, value)]
    other = far[int(random.integers(len(far)))]
    subject = _subject(target, members)
    yield from _both(f"{subject} {value}?", f"{subject} {other}?", "state", target)


def _action(target: str, members: Sequence[SceneObject], random: np.random.Generator) -> Iterator[Ask]:
    value = _shared(members, "action")
    if value not in CONTRARY or len(members) > MOST_COUNTED:
        return
    other = CONTRARY[value][int(random.integers(len(CONTRARY[value])))]
    subject = _subject(target, members)
    yield from _both(f"{subject} {value}?", f"{subject} {other}?", "action", target)


def _number(scene: Scene, target: str, random: np.random.Generator) -> Iterator[Ask]:
    number = scene.count(target)
    if not number or number > MOST_COUNTED or not english.countable(target):
        return
    # Wrong numbers come from those that are right elsewhere, and "one" as often as all others: no number gives it away.
    others = [n for n in range(2, 4) if n != number]
    other = 1 if number > 1 and random.random() < 0.5 else others[int(random.integers(len(others)))]
    yield from _both(_exactly(number, target), _exactly(other, target), "number", target)


def _exactly(number: int, noun: str) -> str:
    verb = english.is_or_are(number).capitalize()
    return f"{verb} there exactly {english.count_phrase(number, noun)} in the image?"


_ASK: Mapping[str, Callable[[Scene, Sequence[str], Sequence[str], np.random.Generator], Iterator[Ask]]] = {
    "caption": caption,
    "existence": existence,
    "attribute": attribute,
    "relation": relation,
}
"""Level → what asks its questions."""
