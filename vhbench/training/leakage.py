"""Train/test overlap in images, scenes and concepts; any overlap is an error.

Disjoint concept pairs are not enough: a model trained on a few drawings answers new drawings of the same objects nearly
as well. So "held out" means different objects that do not look similar either (a dog and a wolf). Concepts are the
annotated objects and the environment; backgrounds in many scenes (sky, grass, a wall) do not count. A copy of a test
image (:mod:`vhbench.near_duplicates`) is the same image.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from vhbench import splits
from vhbench.adapters.clip import ClipScorer
from vhbench.files import read_image
from vhbench.generators.scenes import kin
from vhbench.language import inflection
from vhbench.near_duplicates import Fingerprint, ImageIndex
from vhbench.schema import ImageData, Question, Scene, VhbenchError
from vhbench.splits import manifests

_NAMED = 5  # maximum number of shared items in an error message


@dataclass(frozen=True, slots=True)
class Contents:
    """Contents of a set of questions."""

    images: frozenset[str]  # SHA-256 of the encoded images, in hex
    scenes: frozenset[str]  # ids, kept with the images, as ids of two builds may be equal by chance
    concepts: frozenset[str]  # concepts in the scenes, or in the rows' columns where no scene is known
    looks: Mapping[str, Fingerprint | None] = field(default_factory=dict)  # by image; None if flat or undecodable


def contents_of(questions: Iterable[Question], scenes: Mapping[str, Scene]) -> Contents:
    """Return the images, scenes and concepts of questions."""
    images: dict[ImageData, str] = {}
    looks: dict[str, Fingerprint | None] = {}
    ids, concepts = set[str](), set[str]()
    for question in questions:
        for image in question.images:
            if image not in images:
                images[image] = hashlib.sha256(read_image(image)).hexdigest()
                looks[images[image]] = look_of(image)
        ids.update(question.scene_ids)
        if scenes.keys().isdisjoint(question.scene_ids):
            concepts.update(question.objects)
    concepts = concepts.union(*(concepts_of(scenes[name]) for name in ids if name in scenes))
    return Contents(frozenset(images.values()), frozenset(ids), frozenset(concepts), looks)


def concepts_of(scene: Scene) -> set[str]:
    """Return the annotated objects of a scene, and its environment."""
    return {thing.category for thing in scene.objects} | ({scene.environment} - {""})


def concept_finder(words: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that finds which words a text mentions, with plurals; of "hot dog" not "dog".

    >>> concept_finder(["dog", "cat", "hot dog"])("Are there exactly two dogs in the image?")
    ['dog']
    """
    named = {form: word for word in words for form in (inflection.plural(word), word)}
    longest_first = sorted(named, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b") if named else re.compile(r"(?!)")
    return lambda text: [named[found] for found in pattern.findall(text)]


def asked(questions: Iterable[Question], words: Iterable[str]) -> frozenset[str]:
    """Return which words questions and options mention."""
    find = concept_finder(words)
    texts = {text for question in questions for text in (question.question, *question.choices)}
    return frozenset(word for text in texts for word in find(text))


def look_of(image: ImageData) -> Fingerprint | None:
    """Return an image's fingerprint; None if it is flat or cannot be decoded."""
    try:
        return Fingerprint.of(image)
    except VhbenchError:
        return None


def read_contents(split: Path) -> Contents:
    """Return the images, scenes and concepts of a whole split."""
    return _read_contents(split, splits.read_manifest(split).content_hash)


@lru_cache(maxsize=4)
def _read_contents(split: Path, _: str) -> Contents:
    """Read a split; the content hash is part of the cache key."""
    return contents_of(splits.read_questions(split), splits.packed_scenes(split))


def has_concepts(split: Path) -> bool:
    """Return whether a split's concepts are known; in a public part they are not."""
    return not manifests.is_hidden(splits.read_manifest(split))


def copies(taught: Contents, scored: Contents) -> dict[str, str]:
    """Return training image → "identical", or how it is a copy of a test image."""
    known = ImageIndex(scored.looks)
    kinds = {name: "identical" if name in scored.images else known.find(seen)[1] for name, seen in taught.looks.items()}
    kinds |= dict.fromkeys(taught.images & scored.images, "identical")
    return {name: kind for name, kind in kinds.items() if kind}


Finder = Callable[[bytes, Fingerprint | None], bool]
"""Function that returns whether an image, given with its fingerprint, is in its index."""


def finder(scored: Sequence[Contents]) -> Finder:
    """Return a function that checks whether an image and its fingerprint are in the test sets."""
    known = ImageIndex({name: seen for contents in scored for name, seen in contents.looks.items()})
    images = frozenset[str]().union(*(contents.images for contents in scored))

    def is_scored(image: bytes, seen: Fingerprint | None) -> bool:
        return hashlib.sha256(image).hexdigest() in images or bool(known.find(seen)[1])

    return is_scored


def refuse(taught: Contents, scored: Contents, names: tuple[str, str], *, concepts: bool = True) -> None:
    """Raise if training and test data, so named in the error, share images, scenes or (by default) concepts."""
    images = copies(taught, scored)
    kinds: dict[str, Iterable[str]] = {
        **{f"{kind} image": [n for n, k in images.items() if k == kind] for kind in sorted({*images.values()})},
        "scene": taught.scenes & scored.scenes,
        "concept": alike(taught.concepts, scored.concepts) if concepts else (),
    }
    if shared := [(kind, sorted(ids)) for kind, ids in kinds.items() if ids]:
        what = "; ".join(f"{len(ids):,} {kind}{'s' * (len(ids) > 1)} ({_some(ids)})" for kind, ids in shared)
        raise VhbenchError(
            f"{names[0]} shares {what} with the test split {names[1]}. Train on a split with other concepts: build one "
            "with `--part 1/2` (`vhbench build ode` or `mioh`), and evaluate `--part 2/2` with another `--seed`"
        )


_SIMILAR = 0.95
"""Cosine similarity of CLIP embeddings from which images are worth a look; data sets are deduplicated at 0.95–0.97."""


def most_similar(questions: Iterable[Question], test: Path, model: str) -> str:
    """Return a line about the training images that a CLIP model finds most similar to a test split's.

    Nothing is refused for it: scenes in one style are similar too, and no threshold was validated.
    """
    clip = ClipScorer(model)
    shown = {image: question.id for question in questions for image in question.images}
    scored = list({image: None for question in splits.read_questions(test) for image in question.images})
    features, known = clip.features(list(shown)), clip.features(scored)
    nearest = np.concatenate(
        [(part @ known.T).max(axis=1) for part in np.array_split(features, 1 + len(shown) // 1000)]
    )
    names = [name for name, value in zip(shown.values(), nearest, strict=True) if value >= _SIMILAR]
    return (
        f"{model}: embeddings of {len(names):,} of {len(shown):,} images are similar to one of {test.name} (cosine "
        f"≥ {_SIMILAR}; highest {nearest.max():.3f})" + (f": questions {_some(names)}" if names else "")
    )


def alike(taught: Iterable[str], scored: Iterable[str]) -> frozenset[str]:
    """Return the training concepts that are in the test set or look similar to one there.

    >>> sorted(alike({"dog", "wolf", "cup"}, {"dog"}))
    ['dog', 'wolf (like dog)']
    """
    tested: dict[str, set[str]] = {}
    for word in scored:
        tested.setdefault(kin(word), set()).add(word)
    similar = {word: tested[kin(word)] for word in taught if kin(word) in tested}
    return frozenset(word if word in others else f"{word} (like {min(others)})" for word, others in similar.items())


def _some(names: Sequence[str]) -> str:
    shown = [name if len(name) < 40 else f"{name[:12]}…" for name in names[:_NAMED]]
    return ", ".join([*shown, *(["…"] if len(names) > _NAMED else [])])
