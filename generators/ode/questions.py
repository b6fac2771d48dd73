"""Questions about a scene (ODE §3.4): caption, existence, attribute and relation.

Attribute questions are about state, action or number.

Every answer is derived from the scene, and a question is generated only if its answer is known: nothing outside
``Scene.known`` is used as absent, no attribute outside ``known_attributes``, no count outside ``countable``. Each "yes"
is paired with a "no" on the same subject, so that precision is meaningful, and each word occurs equally often with both
answers (:mod:`vhbench.generators.ode.balancing`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from vhbench.colours import COLOURS, is_similar_colour
from vhbench.generators.ode import attribute_words
from vhbench.generators.ode.balancing import Choice, balanced
from vhbench.generators.ode.criteria import PAIRINGS
from vhbench.generators.ode.environments import DEFAULT, Wording
from vhbench.generators.ode.prompts import STATES, ImagePlan
from vhbench.language import inflection
from vhbench.schema import Question, Row, Scene, SceneObject
from vhbench.seeding import rng

CAPTION = "Please describe this image."
LEVELS: tuple[str, ...] = ("caption", "existence", "attribute", "relation")
"""Question levels; the last is not in the paper."""

MOST_COUNTED = 5
"""Largest count in questions; people do not count further at a glance."""

FEW = 2
"""Number of images up to which words need not be balanced."""

PEOPLE = frozenset({"person", "man", "woman", "boy", "girl", "child"})
"""Categories without colour questions: their colour is that of their clothes."""

_CONTRARY: Mapping[str, tuple[str, ...]] = {
    "standing": ("sitting", "lying", "running", "jumping", "crouching"),
    "walking": ("sitting", "lying", "jumping", "eating", "waving", "crouching"),
    "running": ("sitting", "lying", "eating", "waving", "crouching"),
    "jumping": ("sitting", "lying", "walking", "eating"),
    "sitting": ("walking", "running", "jumping", "standing", "dancing", "waving", "cheering"),
    "lying": (
        "walking", "running", "jumping", "standing", "eating", "dancing", "waving", "cheering", "crouching", "kicking",
    ),
    "eating": ("running", "jumping", "lying"),
    "waving": ("running", "lying", "walking", "sitting", "crouching"),
    "cheering": ("sitting", "lying", "crouching"),
    "dancing": ("sitting", "lying", "crouching"),
    "crouching": ("running", "jumping", "lying", "walking", "dancing", "waving", "cheering"),
    "kicking": ("sitting", "lying"),
}  # fmt: skip
"""Action → actions that exclude it in one rendered image."""

_UNCLEAR = frozenset({"jumping"})
"""Actions that are ambiguous in rendered people: from the front they seem to sit."""

_SKY: Mapping[str, str] = {"sunny": "Is it a sunny day", "night": "Is it night", "overcast": "Is the sky overcast"}
_WEATHER: Mapping[str, tuple[str, ...]] = {
    "sunny": ("sunny", "night", "overcast"),
    "night": ("night", "sunny"),
    "gloomy": ("overcast", "night", "sunny"),
}
"""State of an environment under the sky → correct weather word, then the incorrect ones."""

_WEATHER_WORDS: Mapping[str, str] = {
    "at night": "night",
    "sunny": "sunny",
    "overcast": "overcast",
    "gloomy": "overcast",
}
"""Weather wording in prompts → in questions."""

OPPOSITES: Mapping[str, str] = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
_RELATIONS = {"left of": "to the left of", "right of": "to the right of", "above": "above", "below": "below"}


@dataclass(frozen=True, slots=True)
class AttributeClaim:
    """Verified attribute in an image generated from a prompt.

    Attributes:
        about: object or setting.
        kind: kind of attribute, see :data:`vhbench.generators.ode.attribute_words.KINDS`.
        value: the attribute.
        noes: attributes known not to apply.
    """

    about: str
    kind: str
    value: str
    noes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """Scene with what is needed to generate its questions.

    Attributes:
        case: image plan.
        scene: ground truth.
        targets: the required concepts, in the scene's words; a setting comes last.
        likely: likely hallucinations, known to be absent, most likely first (see :mod:`filtering`).
        elsewhere: targets of the share's other images that are absent here, best first.
        exact: whether the ground truth is complete; otherwise it comes from a detector.
        claims: verified attributes if the ground truth is not exact.
        deeds: target → actions it can be rendered with; other actions in questions would leak the answer.
        single: targets that no image shows several times; counting questions about them would leak the answer.
        words: English of the graph's concepts.
    """

    case: ImagePlan
    scene: Scene
    targets: tuple[str, ...]
    likely: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    exact: bool = True
    claims: tuple[AttributeClaim, ...] = ()
    deeds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    single: frozenset[str] = frozenset()
    words: Wording = DEFAULT


def rows(
    pictures: Sequence[Picture],
    *,
    seed: int,
    version: str,
    source: str,
    levels: Sequence[str] = LEVELS[:3],
    vocabulary: Iterable[str] = (),
) -> Iterator[Row]:
    """Yield the rows of images generated by one criterion.

    Args:
        pictures: scenes to balance words over.
        seed: random seed for ties.
        version: benchmark version.
        source: image source of the scenes.
        levels: question levels to generate, from :data:`LEVELS`.
        vocabulary: caption search vocabulary; words unknown to a scene are neutral.
    """
    words = frozenset(vocabulary)
    for level in levels:
        if level == "caption":
            for picture in pictures:
                neutral = tuple(sorted(words - picture.scene.known - picture.scene.categories()))
                yield _row(picture, level, "", CAPTION, "", level, version=version, source=source, neutral=neutral)
            continue
        asked = [(picture, choice) for picture in pictures for choice in _CHOICES[level](picture)]
        chosen = _chosen([choice for _, choice in asked], seed)
        for (picture, choice), word in zip(asked, chosen, strict=True):
            for text, answer in ((choice.yes, "yes"), (choice.noes[word], "no")) if word else ():
                yield _row(
                    picture, level, choice.about, text, answer, choice.question_type, version=version, source=source
                )


def _chosen(choices: Sequence[Choice], seed: int) -> list[str]:
    """Return the word of each choice's no, balanced within each type if there are three images; "" drops the pair."""
    chosen = [""] * len(choices)
    for question_type in dict.fromkeys(choice.question_type for choice in choices):
        places = [i for i, choice in enumerate(choices) if choice.question_type == question_type]
        random = rng(seed, "ode", "balance", choices[places[0]].scene, question_type)
        for i, word in zip(places, balanced([choices[i] for i in places], random), strict=True):
            chosen[i] = word
    if any(chosen) or len({choice.scene for choice in choices}) > FEW:
        return chosen
    random = rng(seed, "ode", "unbalanced", *(choice.scene for choice in choices))
    return [str(random.choice(list(choice.noes))) if choice.noes else "" for choice in choices]


def _row(
    picture: Picture,
    level: str,
    about: str,
    text: str,
    answer: str,
    question_type: str,
    *,
    version: str,
    source: str,
    neutral: tuple[str, ...] = (),
) -> Row:
    case, scene = picture.case, picture.scene
    pair = f"{scene.id}/{question_type}/{about}"
    question = Question(
        id=f"{pair}/{answer}", images=(scene.image,), question=text, answer=answer,
        kind="yes_no" if answer else "caption", benchmark="ode", task=level, criterion=case.criterion,
        pairing=PAIRINGS[case.pairing], question_type=question_type, source=source, pair_id=pair if about else scene.id,
        objects=tuple(sorted(scene.categories())), candidates=picture.likely, neutral=neutral, scene_ids=(scene.id,),
        benchmark_version=version,
    )  # fmt: skip
    return Row(f"ode_{case.criterion}_{level}", question)


def existence(picture: Picture) -> Iterator[Choice]:
    """Yield, per target, the questions whether it and whether an absent object is present."""
    scene, words = picture.scene, picture.words
    absent = [w for w in dict.fromkeys((*picture.likely, *picture.elsewhere)) if w in scene.known - scene.categories()]
    places = [word for word in absent if word in words.settings]
    things = [word for word in absent if word not in words.settings]
    for target in picture.targets:
        if target not in scene.categories():
            continue
        is_place = target in words.settings and (target in scene.areas or target == scene.environment)
        noes = {word: _is_there(word, words) for word in (places if is_place else things or places)}
        drop = is_place or (picture.case.pairing == "ev" and target == picture.targets[-1])
        spare = () if drop else tuple(word for word in noes if word in picture.likely)
        kind = "place" if is_place else "existence"
        yield Choice(scene.id, kind, target, target, _is_there(target, words), noes, spare)


def attribute(picture: Picture) -> Iterator[Choice]:
    """Yield questions about colour, action and number of targets, and the setting's state."""
    scene = picture.scene
    for target in picture.targets:
        members = [o for o in scene.objects if o.category == target]
        if members and picture.exact:
            deeds = picture.deeds.get(target, frozenset(_CONTRARY))
            yield from _seen(scene, target, members, deeds, picture.words)
    for target in _counted(picture):
        if target not in picture.single:
            yield from _number(picture, target)
    for claim in picture.claims:
        yield from _claimed(scene, claim, picture.words)
    if picture.exact and scene.environment_state in _WEATHER and "sky" in scene.areas:
        yes, *others = _WEATHER[scene.environment_state]
        noes = {word: f"{_SKY[word]} in the image?" for word in others}
        yield Choice(scene.id, "state", "weather", yes, f"{_SKY[yes]} in the image?", noes)


def _claimed(scene: Scene, claim: AttributeClaim, words: Wording = DEFAULT) -> Iterator[Choice]:
    """Yield the question about a verified attribute; attributes after the noun ("at sunset") are skipped."""
    members = [o for o in scene.objects if o.category == claim.about]
    values = [value for value in (claim.value, *claim.noes) if not attribute_words.follows(value)]
    asked: dict[str, str] = {}
    if members and claim.value in values:
        subject = _subject(claim.about, members, words)
        asked = {value: f"{subject} {inflection.agreeing(value, len(members))}?" for value in values}
    elif not members and (state := scene.environment_state) in _WEATHER:
        said = {**dict.fromkeys((claim.value,), _WEATHER[state][0]), **_WEATHER_WORDS}
        known = [said[value] for value in (claim.value, *claim.noes) if said.get(value) in _WEATHER[state]]
        asked = {value: f"{_SKY[value]} in the image?" for value in dict.fromkeys(known)}
    elif not members and claim.value in values:
        shown = words.shown(claim.about)
        place = shown.split(" ", 1)[1] if shown.startswith(("a ", "an ", "the ")) else shown
        asked = {value: f"Is the {place} in the image {value}?" for value in values}
    if len(members) <= MOST_COUNTED and len(asked) > 1 and (members or claim.about == scene.environment):
        yes, *noes = asked
        about = f"{claim.about} {claim.kind}"
        kind = "action" if claim.kind in attribute_words.BODILY else "state"
        yield Choice(scene.id, kind, about, yes, asked[yes], {no: asked[no] for no in noes})


def relation(picture: Picture) -> Iterator[Choice]:
    """Yield, per relation between single objects, the questions about it and its opposite."""
    scene = picture.scene
    single = {o.id: o.category for o in scene.objects if scene.count(o.category) == 1}
    for held in scene.relations:
        a, b = single.get(held.subject), single.get(held.object)
        if a is None or b is None or held.predicate not in _RELATIONS:
            continue
        about = f"{a} {held.predicate} {b}"
        verb = inflection.is_or_are(1, a).capitalize()
        said, opposite = _RELATIONS[held.predicate], _RELATIONS[OPPOSITES[held.predicate]]
        yes, no = (f"{verb} the {a} {place} the {b} in the image?" for place in (said, opposite))
        yield Choice(scene.id, "relation", about, said, yes, {opposite: no}, (opposite,))


def _is_there(word: str, words: Wording) -> str:
    """Return "Does the image show a street?" for settings, "Is there a dog in the image?" for objects."""
    if word in words.settings or inflection.with_article(word) == f"the {word}":
        return f"Does the image show {words.shown(word)}?"
    verb = inflection.is_or_are(1, word).capitalize()
    return f"{verb} there {words.one(word)} in the image?"


def _subject(target: str, members: Sequence[SceneObject], words: Wording) -> str:
    """Return "Is the dog in the image" or "Are the two dogs in the image"."""
    number = len(members)
    named = target if number == 1 else words.several(number, target)
    return f"{inflection.is_or_are(number, target).capitalize()} the {named} in the image"


def _shared(members: Sequence[SceneObject], kind: str) -> str:
    """Return the known value that all members share, or ""."""
    values = {dict(o.attributes).get(kind, "") if kind in o.known_attributes else "" for o in members}
    return values.pop() if len(values) == 1 else ""


def _seen(
    scene: Scene, target: str, members: Sequence[SceneObject], deeds: AbstractSet[str], words: Wording = DEFAULT
) -> Iterator[Choice]:
    """Yield questions about the colour, action and state that all of a target's objects share."""
    if len(members) > MOST_COUNTED:
        return
    subject, person = _subject(target, members, words), target in PEOPLE
    colour, action, state = (_shared(members, kind) for kind in ("colour", "action", "state"))
    unlike = [other for other in COLOURS if colour in COLOURS and not person and not is_similar_colour(other, colour)]
    others = [deed for deed in _CONTRARY.get(action, ()) if deed in deeds]
    found = (
        ("state", target, colour, unlike, bool(unlike)),
        ("action", target, action, others, action in _CONTRARY and not (person and action in _UNCLEAR)),
        ("state", f"{target} state", state, [STATES.get(state, "")], state in STATES),
    )
    for question_type, about, value, noes, asked in found:
        if asked:
            wrong = {other: f"{subject} {other}?" for other in noes}
            yield Choice(scene.id, question_type, about, value, f"{subject} {value}?", wrong)


def _counted(picture: Picture) -> list[str]:
    """Return the counted categories: the targets, plus all detections if not exact.

    Text-to-image prompts name one of each target, so the targets' counts alone would always be one.
    """
    found = () if picture.exact else sorted(o.category for o in picture.scene.objects)
    return list(dict.fromkeys((*picture.targets, *found)))


def _number(picture: Picture, target: str) -> Iterator[Choice]:
    scene, words = picture.scene, picture.words
    number = scene.count(target)
    if not number or number > MOST_COUNTED or not words.countable(target):
        return

    def asked(number: int) -> str:
        verb = inflection.is_or_are(number).capitalize()
        return f"{verb} there exactly {words.several(number, target)} in the image?"

    # Incorrect counts are correct ones of other images, so that none leaks the answer.
    noes = {str(n): asked(n) for n in range(1, MOST_COUNTED + 1) if n != number}
    yield Choice(scene.id, "number", target, str(number), asked(number), noes)


_CHOICES: Mapping[str, Callable[[Picture], Iterator[Choice]]] = {
    "existence": existence,
    "attribute": attribute,
    "relation": relation,
}
"""Level → function that generates its choices; all captions use the same prompt."""
