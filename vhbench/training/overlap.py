"""What a training edition shares with a split that is scored later: images, scenes and concepts; any is refused.

Not the pairs of concepts alone: a model that has learnt a few drawings answers new drawings of the same things nearly
as well, and so "held out" means other things, and none that looks like them (a dog and a wolf). Concepts are what
scenes show one by one, and the place that they are set in; what is painted around them everywhere (sky, grass, a wall)
is none.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vhbench import splits
from vhbench.files import read_image
from vhbench.generators.scenes import kin
from vhbench.schema import ImageData, Question, Scene, VhbenchError
from vhbench.splits.packed_scenes import PackedScenes

_NAMED = 5
"""Shared things that an error names."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What questions are about.

    Attributes:
        images: SHA-256 of the encoded images, in hex.
        scenes: ids; those of two builds may be equal by chance only with the images, so that they are kept with them.
        concepts: what the scenes show, or what the rows say that they are about where no scene is known.
    """

    images: frozenset[str]
    scenes: frozenset[str]
    concepts: frozenset[str]


def contents_of(questions: Iterable[Question], scenes: "PackedScenes | dict[str, Scene]") -> Contents:
    """Return the images, scenes and concepts of questions."""
    images: dict[ImageData, str] = {}
    ids, concepts = set[str](), set[str]()
    for question in questions:
        for image in question.images:
            if image not in images:
                images[image] = hashlib.sha256(read_image(image)).hexdigest()
        ids.update(question.scene_ids)
        known = [name for name in question.scene_ids if name in scenes]
        if not known:
            concepts.update(question.objects)
    for name in ids:
        if name in scenes:
            concepts |= concepts_of(scenes[name])
    return Contents(frozenset(images.values()), frozenset(ids), frozenset(concepts))


def concepts_of(scene: Scene) -> set[str]:
    """Return the things that a scene shows one by one, and its place."""
    return {thing.category for thing in scene.objects} | ({scene.environment} - {""})


def read_contents(split: Path) -> Contents:
    """Return the images, scenes and concepts of a whole split."""
    return contents_of(splits.read_questions(split), PackedScenes(splits.read_truths(split)))


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
        ("image", taught.images & scored.images),
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
