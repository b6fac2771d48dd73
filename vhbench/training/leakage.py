"""What a training edition shares with a split that is scored later: images, scenes and concepts; any is refused.

Not the pairs of concepts alone: a model that has learnt a few drawings answers new drawings of the same things nearly
as well, and so "held out" means other things, and none that looks like them (a dog and a wolf). Concepts are what
scenes show one by one, and the place that they are set in; what is painted around them everywhere (sky, grass, a wall)
is none. An image of a test that was saved anew, or scaled, is that image.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from vhbench import splits
from vhbench.files import read_image
from vhbench.generators.scenes import kin
from vhbench.language import inflection
from vhbench.schema import ImageData, Question, Scene, VhbenchError
from vhbench.splits import manifests
from vhbench.training.image_similarity import ImageIndex, look

_NAMED = 5
"""Shared things that an error names."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What questions are about.

    Attributes:
        images: SHA-256 of the encoded images, in hex.
        scenes: ids; those of two builds may be equal by chance only with the images, so that they are kept with them.
        concepts: what the scenes show, or what the rows say that they are about where no scene is known.
        looks: image → what it is known by however it is stored.
    """

    images: frozenset[str]
    scenes: frozenset[str]
    concepts: frozenset[str]
    looks: Mapping[str, bytes] = field(default_factory=dict)


def contents_of(questions: Iterable[Question], scenes: Mapping[str, Scene]) -> Contents:
    """Return the images, scenes and concepts of questions."""
    images: dict[ImageData, str] = {}
    looks: dict[str, bytes] = {}
    ids, concepts = set[str](), set[str]()
    for question in questions:
        for image in question.images:
            if image not in images:
                images[image] = hashlib.sha256(read_image(image)).hexdigest()
                looks[images[image]] = look_of(image)
        ids.update(question.scene_ids)
        known = [name for name in question.scene_ids if name in scenes]
        if not known:
            concepts.update(question.objects)
    for name in ids:
        if name in scenes:
            concepts |= concepts_of(scenes[name])
    return Contents(frozenset(images.values()), frozenset(ids), frozenset(concepts), looks)


def concepts_of(scene: Scene) -> set[str]:
    """Return the things that a scene shows one by one, and its place."""
    return {thing.category for thing in scene.objects} | ({scene.environment} - {""})


def asked(questions: Iterable[Question], words: Iterable[str]) -> frozenset[str]:
    """Return which words questions and their options name, each with its plural; of "hot dog" not "dog".

    >>> dogs = Question("q", question="Are there exactly two dogs in the image?", answer="no", kind="yes_no", images=())
    >>> sorted(asked([dogs], ["dog", "cat", "hot dog"]))
    ['dog']
    """
    named = {form: word for word in words for form in (inflection.plural(word), word)}
    if not named:
        return frozenset()
    longest_first = sorted(named, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")
    texts = {text for question in questions for text in (question.question, *question.choices)}
    return frozenset(named[found] for text in texts for found in pattern.findall(text))


def look_of(image: ImageData) -> bytes:
    """Return what an image is known by; nothing for one that cannot be decoded, as the split's check says."""
    try:
        return look(image)
    except VhbenchError:
        return b""


def read_contents(split: Path) -> Contents:
    """Return the images, scenes and concepts of a whole split."""
    return _read_contents(split, splits.read_manifest(split).content_hash)


@lru_cache(maxsize=4)
def _read_contents(split: Path, _: str) -> Contents:
    """Read a split whose content has this hash."""
    return contents_of(splits.read_questions(split), splits.packed_scenes(split))


def has_concepts(split: Path) -> bool:
    """Tell whether it can be known what a split is about; what is public of a hidden edition does not say."""
    return not manifests.is_hidden(splits.read_manifest(split))


def pictures(taught: Contents, scored: Contents) -> frozenset[str]:
    """Return the images of what is taught that are scored, or that are copies of such."""
    known = ImageIndex(scored.looks)
    return taught.images & scored.images | {name for name, seen in taught.looks.items() if known.find(seen)}


Finder = Callable[[bytes, bytes], bool]
"""Whether an image, given with its look, is one of those that it was made for."""


def finder(scored: Sequence[Contents]) -> Finder:
    """Return what tells whether an image, given with its look, is one of those that are scored."""
    known = [ImageIndex(contents.looks) for contents in scored]
    images = frozenset[str]().union(*(contents.images for contents in scored))

    def is_scored(image: bytes, seen: bytes) -> bool:
        return hashlib.sha256(image).hexdigest() in images or any(looks.find(seen) for looks in known)

    return is_scored


def refuse(taught: Contents, scored: Contents, names: tuple[str, str], *, concepts: bool = True) -> None:
    """Raise if two share anything.

    Args:
        taught: what is trained on.
        scored: what is scored later.
        names: of the two, for the error.
        concepts: whether concepts may not be shared either.

    Raises:
        VhbenchError: naming what they share.
    """
    kinds: list[tuple[str, frozenset[str]]] = [
        ("image", pictures(taught, scored)),
        ("scene", taught.scenes & scored.scenes),
        *([("concept", alike(taught.concepts, scored.concepts))] if concepts else []),
    ]
    shared = [(kind, sorted(found)) for kind, found in kinds if found]
    if shared:
        told = "; ".join(f"{len(found):,} {kind}{'s' * (len(found) > 1)} ({_some(found)})" for kind, found in shared)
        raise VhbenchError(
            f"{names[0]} shares {told} with {names[1]}, which is scored later. Train on an edition with another seed "
            "and other concepts: `vhbench build ode` and `mioh` with `--part 1/2`, and score `--part 2/2`"
        )


def alike(taught: Iterable[str], scored: Iterable[str]) -> frozenset[str]:
    """Return the words of what is taught that are scored, too, or look like something that is scored.

    >>> sorted(alike({"dog", "wolf", "cup"}, {"dog"}))
    ['dog', 'wolf (like dog)']
    """
    tested: dict[str, set[str]] = {}
    for word in scored:
        tested.setdefault(kin(word), set()).add(word)
    found = {word: tested[kin(word)] for word in taught if kin(word) in tested}
    return frozenset(word if word in others else f"{word} (like {min(others)})" for word, others in found.items())


def _some(found: Sequence[str]) -> str:
    shown = [name if len(name) < 40 else f"{name[:12]}…" for name in found[:_NAMED]]
    return ", ".join([*shown, *(["…"] if len(found) > _NAMED else [])])
