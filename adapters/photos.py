"""Photos that questions are asked about: are they of the size that their annotations say, and no two of them the same?

The same photo is found by a perceptual hash (imagehash's pHash of 64 bits): of 25 photos of COCO, a copy that was saved
anew, scaled, brightened or cut by 2 % differs in at most 10 of its bits, and any two photos in at least 20. A photo is
looked at when a question wants it, not before, and once for all question types: a build of 3,484 questions takes a few
thousand of COCO's 118,000.
"""

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from vhbench.files import last_written, read_image
from vhbench.images import Sizes, glance, sizes_of
from vhbench.protocols import bare
from vhbench.schema import ImageData, Rejection, Scene, VhbenchError

_BITS: Final = 8  # a side of the hash, and so 64 bits
_ALIKE: Final = 10  # bits by which two hashes of one photo differ at most
_SIDE: Final = 64  # of the picture that the hash is made of, in pixels
_FLAT: Final = 4.0  # standard deviation of grey below which there is nothing to compare but the bytes
_KEPT: Final = 1 << 15  # photos whose looks are kept: types of questions share many of them

_Mark = int | str
"""A photo's hash, or a digest of its bytes where it is flat."""


class Photos:
    """The photos of some scenes, looked at one by one."""

    def __init__(self, scenes: Sequence[Scene], *, skip_bad: bool = False) -> None:
        """Look at nothing yet.

        Args:
            scenes: whose images are files.
            skip_bad: leave bad photos out and count them, instead of stopping at the first.
        """
        self.scenes = scenes
        self.skip_bad = skip_bad
        self._left_out: dict[str, Rejection] = {}
        self._looked_at = cache(self._look_at)

    def fit(self, places: Sequence[int]) -> bool:
        """Tell whether one question may show these scenes: sound photos, no two of them the same.

        Raises:
            VhbenchError: if a photo is no image, or not of its annotations' size, and bad ones are not to be skipped.
        """
        found = [self._looked_at(place) for place in places]
        same = [(a, b) for a, b in combinations(range(len(places)), 2) if _alike(found[a], found[b])]
        for one, other in same:
            pair = sorted(self.scenes[places[i]].id for i in (one, other))
            item = " = ".join(pair)
            self._left_out[item] = Rejection(item, "the same photo under two names: never in one question")
        return not same and all(photo is not None for photo in found)

    def left_out(self) -> list[Rejection]:
        """Return what was found so far, in order: bad photos, and the same photo under two names."""
        return [self._left_out[item] for item in sorted(self._left_out)]

    def _look_at(self, place: int) -> _Mark | None:
        """Return a photo's mark, or None for a bad one."""
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
    """Return the sizes and the mark of a scene's photo.

    Raises:
        VhbenchError: if it cannot be read or is no image.
    """
    image = scene.image
    try:
        return _look_once(image, last_written(image) if isinstance(image, Path) else 0)
    except VhbenchError as error:
        raise VhbenchError(f"image of scene {scene.id!r}: {error}") from error


@lru_cache(maxsize=_KEPT)
def _look_once(image: ImageData, _: int) -> tuple[Sizes, _Mark]:
    """Look at a photo; the number is the time at which it was written."""
    sizes, grey = glance(image, _SIDE)
    if float(np.asarray(grey).std()) < _FLAT:
        return sizes, hashlib.sha256(read_image(image)).hexdigest()
    import imagehash

    return sizes, int.from_bytes(np.packbits(imagehash.phash(grey, hash_size=_BITS).hash).tobytes())


def _alike(one: _Mark | None, other: _Mark | None) -> bool:
    if isinstance(one, int) and isinstance(other, int):
        return (one ^ other).bit_count() <= _ALIKE
    return one is not None and one == other


def check_size(scene: Scene, sizes: Sizes | None = None) -> None:
    """See that a photo's boxes are those of the picture that is shown, which is upright, or of the same one scaled.

    Args:
        scene: of the photo.
        sizes: of the photo; None: it is opened.

    Raises:
        VhbenchError: if the photo is no image, its boxes are of the picture as it lies in the file, or of another size.
    """
    try:
        seen, lying = sizes or sizes_of(scene.image)
    except VhbenchError as error:
        raise VhbenchError(f"image of scene {scene.id!r}: {error}") from error
    told = (scene.width, scene.height)
    if seen != lying == told:
        raise VhbenchError(
            f"image of scene {scene.id!r}: EXIF turns it to {seen[0]} × {seen[1]} pixels, its annotations are of "
            f"the unturned {lying[0]} × {lying[1]}; must be of the upright picture, or the file without orientation"
        )
    if abs(seen[0] * told[1] - seen[1] * told[0]) > max(*seen, *told):
        raise VhbenchError(
            f"image of scene {scene.id!r}: is of {seen[0]} × {seen[1]} pixels, its annotations are of "
            f"{told[0]} × {told[1]}; must be of the same picture"
        )
