"""Existing photos that show what ODE asks for: annotated ones, so that their truth is that of their annotations."""

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
"""Share of the photo that a target must cover: nobody is asked about what can hardly be seen."""


class PhotoSource:
    """COCO's photos, or any of that form; implements :class:`vhbench.protocols.ImageSource`.

    Args:
        annotations: instances JSON.
        images: the folder of its photos.
        skip_bad: leave bad entries out and count them, instead of stopping at the first.
    """

    exact = True

    def __init__(self, annotations: Path, images: Path, *, skip_bad: bool = False) -> None:
        self.name = "coco"
        self.scenes = CocoScenes(annotations, images, skip_bad=skip_bad)

    @cached_property
    def _shown(self) -> dict[str, frozenset[int]]:
        """Category → places of the photos that show it well enough to be asked about."""
        found: dict[str, set[int]] = {}
        for place, scene in enumerate(self.scenes):
            for thing in scene.objects:
                if thing.area >= _LEAST * scene.width * scene.height:
                    found.setdefault(thing.category, set()).add(place)
        return {word: frozenset(places) for word, places in found.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        """The categories that some photo shows."""
        return frozenset(self._shown)

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield a photo that shows all things of a spec; no photo twice among them."""
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
            # A photo may be asked about for several pairs: each time it is a scene of its own.
            told = {**scene.provenance, "photo": scene.id, "sha256": image}
            yield replace(scene, id=f"{spec.id}-{seed}", provenance=told)
