"""Photos as ODE images: annotated ones with exact ground truth, others to be labelled by a detector."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from vhbench.adapters.coco import CocoScenes
from vhbench.adapters.loading import batches
from vhbench.files import read_image
from vhbench.images import open_image
from vhbench.protocols import Detector
from vhbench.schema import Rejection, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng

_LEAST: Final = 0.005  # minimum fraction of the photo that a target covers; smaller ones are barely visible
_AT_ONCE: Final = 8  # photos per batch of the detector


class PhotoSource:
    """Photos with instances JSON of COCO's format; implements :class:`vhbench.protocols.ImageSource`."""

    name, exact = "coco", True

    def __init__(self, annotations: Path, images: Path) -> None:
        self.scenes = CocoScenes(annotations, images)

    @cached_property
    def _shown(self) -> dict[str, set[int]]:
        """Category → indices of the photos that show it well enough for questions."""
        photos_of: dict[str, set[int]] = {}
        for place, scene in enumerate(self.scenes):
            for thing in scene.objects:
                if thing.area >= _LEAST * scene.width * scene.height:
                    photos_of.setdefault(thing.category, set()).add(place)
        return photos_of

    @cached_property
    def words(self) -> frozenset[str]:
        """Categories that some photo shows."""
        return frozenset(self._shown)

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield a photo that shows all objects of a spec, without reusing photos."""
        used: set[int] = set()
        for spec in specs:
            place = _chosen(spec, self._shown, used, seed)
            if isinstance(place, Rejection):
                yield place
                continue
            scene = self.scenes[place]
            image = hashlib.sha256(read_image(scene.image)).hexdigest()
            # A photo may serve several pairs; each time it is a separate scene.
            origin = {**scene.provenance, "photo": scene.id, "sha256": image}
            yield replace(scene, id=f"{spec.id}-{seed}", provenance=origin)


class UnlabelledPhotos:
    """Photos of a folder without annotations; implements :class:`vhbench.protocols.ImageSource`.

    A detector finds which photos may show a pair; each is then labelled like a generated image. ``phrases`` maps the
    detector's phrases to all words of the graph; ``keep`` returns the score from which a word counts as present.
    """

    name, exact = "photos", False

    def __init__(
        self, folder: Path, detector: Detector, phrases: Mapping[str, str], keep: Callable[[str], float]
    ) -> None:
        self.files = photo_files(folder)
        self._detector, self._phrases, self._keep = detector, phrases, keep
        self._used: set[int] = set()

    @cached_property
    def _shown(self) -> dict[str, set[int]]:
        """Word → indices of the photos in which it is detected."""
        photos_of: dict[str, set[int]] = {}
        for files in batches(list(enumerate(self.files)), _AT_ONCE):
            queries = [list(self._phrases)] * len(files)
            seen = self._detector.detect([file.read_bytes() for _, file in files], queries)
            for (place, _), detections in zip(files, seen, strict=True):
                for one in detections:
                    if one.score >= self._keep(word := self._phrases[one.category]):
                        photos_of.setdefault(word, set()).add(place)
        return photos_of

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield a photo in which all objects of a spec are detected, without reusing photos."""
        for spec in specs:
            place = _chosen(spec, self._shown, self._used, seed)
            if isinstance(place, Rejection):
                yield place
                continue
            image = self.files[place].read_bytes()
            digest = hashlib.sha256(image).hexdigest()
            origin = {"source": self.name, "photo": self.files[place].name, "sha256": digest}
            width, height = open_image(image).size
            yield Scene(f"{spec.id}-{seed}", image, width, height, objects=(), provenance=origin)


def _chosen(spec: SceneSpec, shown: Mapping[str, set[int]], used: set[int], seed: int) -> int | Rejection:
    """Return the index of an unused photo that shows all objects of a spec, and add it to the used ones."""
    words = [thing.category for thing in spec.objects]
    showing = sorted(set.intersection(*(shown.get(word, set()) for word in words)) - used) if words else []
    if not showing:
        return Rejection(spec.id, "no photo shows it", {"words": words})
    place = showing[int(rng(seed, "photos", spec.id).integers(len(showing)))]
    used.add(place)
    return place


def photo_files(folder: Path) -> list[Path]:
    """Return the photos of a folder and its subfolders, by name; raise if there is none."""
    photos = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp"))
    if not photos:
        raise VhbenchError(f"{folder}: expected photos (.jpg, .png, .webp), got none")
    return photos
