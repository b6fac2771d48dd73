"""Reference captions: exactly the contents of a scene, in one of several templates."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from vhbench.generators.ode import environments
from vhbench.generators.ode.questions import PEOPLE
from vhbench.language import inflection
from vhbench.schema import Scene
from vhbench.seeding import rng

_BESIDE = {"left of": "to the left of", "right of": "to the right of"}


def caption(scene: Scene, seed: int = 0, unsaid: Collection[str] = ()) -> str:
    """Return a caption of a whole scene but its backgrounds ``unsaid``, with known colours, counts and actions."""
    names = list(WORDINGS)
    return worded(scene, names[int(rng(seed, "caption", scene.id).integers(len(names)))], unsaid)


def worded(scene: Scene, wording: str, unsaid: Collection[str] = ()) -> str:
    """Return the caption of a scene in one of :data:`WORDINGS`."""
    categories = Counter(thing.category for thing in scene.objects)
    things = [_described(scene, name, number) for name, number in categories.items()]
    is_named = scene.environment in environments.SETTINGS and environments.is_recognizable(scene)
    place = environments.place(scene.environment, aloft=False) if is_named else ""
    named = {*categories, scene.environment, *unsaid}
    around = [inflection.with_article(area) for area in scene.areas if area not in named]
    things_listed, around_listed = (inflection.listing(words) if words else "" for words in (things, around))
    first, second, nothing = WORDINGS["shows" if wording == "scene" and not place else wording]
    if not around_listed:
        first, second = first.replace(", with {around}", ""), ""
    texts = [
        form.format(things=things_listed or nothing, place=place, around=around_listed)
        for form in (first, second)
        if form
    ]
    tidy = [" ".join(text.split()).replace(" :", ":").replace(" ,", ",") for text in texts]
    text = " ".join(f"{text[:1].upper()}{text[1:]}." for text in tidy)
    return " ".join([text, *_sides(scene)])


def _described(scene: Scene, name: str, number: int) -> str:
    """Return "two black dogs sitting": what all instances share, and the count if annotations are exhaustive."""
    colour = "" if name in PEOPLE else scene.shared_value(name, "colour")
    action = scene.shared_value(name, "action")
    noun = " ".join(filter(None, (colour, name)))
    if number == 1:
        phrase = inflection.with_article(noun)
    elif name not in scene.countable:
        phrase = noun if inflection.is_plural(name) or not inflection.countable(name) else inflection.plural(noun)
    else:
        phrase = inflection.count_phrase(number, inflection.measured(noun))
    return " ".join(filter(None, (phrase, "lying down" if action == "lying" else action)))


def _sides(scene: Scene) -> Iterator[str]:
    """Yield the relative position of pairs of single objects."""
    single = {o.id: o.category for o in scene.objects if scene.count(o.category) == 1}
    for held in scene.relations:
        if held.predicate in _BESIDE and held.subject in single and held.object in single:
            one, other = single[held.subject], single[held.object]
            yield f"The {one} {inflection.is_or_are(1, one)} {_BESIDE[held.predicate]} the {other}."
            return


WORDINGS: Mapping[str, tuple[str, str, str]] = {
    "shows": ("the image shows {things} {place}", "the background has {around}", "no single thing"),
    "there": ("in view {place}: {things}", "behind and around: {around}", "no single thing"),
    "seen": ("one sees {things} {place}", "also in view: {around}", "a view"),
    "in it": ("in this image: {things} {place}, with {around}", "", "a view"),
    "scene": ("the scene is {place}, with {things}", "one also sees {around}", "no single thing"),
}
"""Template → its sentences about objects and environment, and about the background; what stands for no object."""
