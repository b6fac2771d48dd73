"""Checks of photos in questions: size as annotated, and no duplicates in one question.

Duplicates are detected by :mod:`vhbench.near_duplicates`. Photos are checked on demand and once for all question
types: a build of 3,484 questions uses a few thousand of COCO's 118,000.
"""

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Final

from vhbench.files import last_written, read_image
from vhbench.images import Sizes, sizes_of
from vhbench.near_duplicates import Fingerprint
from vhbench.protocols import bare
from vhbench.schema import ImageData, Rejection, Scene, VhbenchError

_KEPT: Final = 1 << 13  # number of cached fingerprints, of 9 kB each; question types share many photos
_Mark = Fingerprint | str  # fingerprint of a photo, or a digest of its bytes if it is flat


class Photos:
    """Photos of a set of scenes, checked lazily."""

    def __init__(self, scenes: Sequence[Scene], *, skip_bad: bool = False) -> None:
        """Set up without reading any photo; ``skip_bad`` counts bad ones instead of raising at the first."""
        self.scenes = scenes
        self.skip_bad = skip_bad
        self._left_out: dict[str, Rejection] = {}
        self._looked_at = cache(self._look_at)

    def fit(self, places: Sequence[int]) -> bool:
        """Return whether one question may show these scenes: valid photos (raise unless skipped) without duplicates."""
        photos = [self._looked_at(place) for place in places]
        same = [(a, b) for a, b in combinations(range(len(places)), 2) if _alike(photos[a], photos[b])]
        for one, other in same:
            pair = sorted(self.scenes[places[i]].id for i in (one, other))
            item = " = ".join(pair)
            self._left_out[item] = Rejection(item, "the same photo under two names: never in one question")
        return not same and all(photo is not None for photo in photos)

    def left_out(self) -> list[Rejection]:
        """Return the bad and duplicate photos found so far, in order."""
        return [self._left_out[item] for item in sorted(self._left_out)]

    def _look_at(self, place: int) -> _Mark | None:
        """Return a photo's fingerprint, or None for a bad one."""
        scene = bare(self.scenes, place)
        try:
            sizes, mark = _look(scene)
            check_size(scene, sizes)
        except VhbenchError as error:
            if not self.skip_bad:
                raise VhbenchError(f"{error}; --skip-bad leaves such photos out and counts them") from error
            self._left_out[scene.id] = Rejection(scene.id, "bad photo", {"why": str(error)})
            return None
        return mark


def _look(scene: Scene) -> tuple[Sizes, _Mark]:
    image = scene.image
    try:
        return _look_once(image, last_written(image) if isinstance(image, Path) else 0)
    except VhbenchError as error:
        raise VhbenchError(f"image of scene {scene.id!r}: {error}") from error


@lru_cache(maxsize=_KEPT)
def _look_once(image: ImageData, _: int) -> tuple[Sizes, _Mark]:
    """Fingerprint a photo; the number is its modification time, which invalidates the cache."""
    data = read_image(image)
    return sizes_of(data), Fingerprint.of(data) or hashlib.sha256(data).hexdigest()


def _alike(one: _Mark | None, other: _Mark | None) -> bool:
    if isinstance(one, Fingerprint) and isinstance(other, Fingerprint):
        return bool(one.copy_kind(other))
    return one is not None and one == other


def check_size(scene: Scene, sizes: Sizes | None = None) -> None:
    """Raise unless a photo is an image of its annotated size, upright and up to scale; ``sizes`` are read if None."""
    try:
        upright, lying = sizes or sizes_of(scene.image)
    except VhbenchError as error:
        raise VhbenchError(f"image of scene {scene.id!r}: {error}") from error
    annotated = (scene.width, scene.height)
    if upright != lying == annotated:
        raise VhbenchError(
            f"image of scene {scene.id!r}: EXIF turns it to {upright[0]} × {upright[1]} pixels, its annotations are of "
            f"the unturned {lying[0]} × {lying[1]}; annotate the upright image, or remove the EXIF orientation"
        )
    if abs(upright[0] * annotated[1] - upright[1] * annotated[0]) > max(*upright, *annotated):
        raise VhbenchError(
            f"image of scene {scene.id!r}: is of {upright[0]} × {upright[1]} pixels, its annotations are of "
            f"{annotated[0]} × {annotated[1]}; expected the same image"
        )
