"""Annotated photos as ODE images; their annotations are the ground truth."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from vhbench.adapters.coco import CocoScenes
from vhbench.files import read_image
from vhbench.schema import Rejection, Scene, SceneSpec
from vhbench.seeding import rng

_LEAST: Final = 0.005
"""Minimum fraction of the photo that a target covers; smaller ones are barely visible."""


class PhotoSource:
    """Photos of COCO or its format; implements :class:`vhbench.protocols.ImageSource`.

    Args:
        annotations: instances JSON.
        images: folder of its photos.
        skip_bad: drop and count bad entries instead of raising at the first.
    """

    exact = True

    def __init__(self, annotations: Path, images: Path, *, skip_bad: bool = False) -> None:
        self.name = "coco"
        self.scenes = CocoScenes(annotations, images, skip_bad=skip_bad)

    @cached_property
    def _shown(self) -> dict[str, frozenset[int]]:
        """Category → indices of the photos that show it well enough for questions."""
        found: dict[str, set[int]] = {}
        for place, scene in enumerate(self.scenes):
            for thing in scene.objects:
                if thing.area >= _LEAST * scene.width * scene.height:
                    found.setdefault(thing.category, set()).add(place)
        return {word: frozenset(places) for word, places in found.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        """Categories that some photo shows."""
        return frozenset(self._shown)

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield a photo that shows all objects of a spec, without reusing photos."""
        used: set[int] = set()
        for spec in specs:
            places = [self._shown.get(thing.category, frozenset()) for thing in spec.objects]
            showing = sorted(frozenset.intersection(*places) - used) if places else []
            if not showing:
                yield Rejection(spec.id, "no photo shows it", {"words": [thing.category for thing in spec.objects]})
                continue
            place = showing[int(rng(seed, "photos", spec.id).integers(len(showing)))]
            used.add(place)
            scene = self.scenes[place]
            image = hashlib.sha256(read_image(scene.image)).hexdigest()
            # A photo may serve several pairs; each time it is a separate scene.
            told = {**scene.provenance, "photo": scene.id, "sha256": image}
            yield replace(scene, id=f"{spec.id}-{seed}", provenance=told)
