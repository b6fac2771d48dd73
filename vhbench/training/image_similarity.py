"""Near-duplicate detection: copies that were rescaled or re-encoded are the same image.

Images are compared by 32 × 32 grey values. Synthetic images and photographs re-encoded as PNG, WebP or JPEG (quality
40, or half the size) differ from the original by at most 5 of 255 anywhere; two synthetic images that differ in one
small object differ by more than 40 somewhere.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vhbench.images import thumbnail
from vhbench.schema import ImageData

_SIDE, _READ = 32, 128
_ALIKE = 8
"""Largest difference in grey values, anywhere, between copies of an image."""
_FLAT = 2 * _ALIKE
"""Smallest range of grey values; flatter images cannot be identified."""
_COARSE = 4

_Greys = NDArray[np.int16]


def look(image: ImageData) -> bytes:
    """Return an image's fingerprint; empty if it is flat.

    Raises:
        VhbenchError: if it cannot be decoded.
    """
    _, grey = thumbnail(image, _READ)
    small = grey.resize((_SIDE, _SIDE), Image.Resampling.BOX)
    darkest, lightest = small.getextrema()
    return small.tobytes() if float(np.subtract(lightest, darkest)) >= _FLAT else b""


class ImageIndex:
    """Index of images by fingerprint."""

    def __init__(self, known: Mapping[str, bytes]) -> None:
        """Index fingerprints by image name."""
        self._names = [name for name, seen in known.items() if seen]
        self._fine = _greys(b"".join(known[name] for name in self._names))
        self._coarse = _coarse(self._fine)

    def find(self, seen: bytes) -> str:
        """Return the name of a near-duplicate image; "" if there is none."""
        if not seen or not self._names:
            return ""
        fine = _greys(seen)
        near = np.flatnonzero(np.abs(self._coarse - _coarse(fine)).max(axis=1) <= _ALIKE)
        same = near[np.abs(self._fine[near] - fine).max(axis=1) <= _ALIKE] if len(near) else near
        return self._names[int(same[0])] if len(same) else ""


def _greys(seen: bytes) -> _Greys:
    return np.frombuffer(seen, dtype=np.uint8).astype(np.int16).reshape(-1, _SIDE * _SIDE)


def _coarse(fine: _Greys) -> NDArray[np.float64]:
    """Return block means: if these differ, so does a grey value."""
    side = _SIDE // _COARSE
    means: NDArray[np.float64] = fine.reshape(-1, _COARSE, side, _COARSE, side).mean(axis=(2, 4), dtype=np.float64)
    return means.reshape(-1, _COARSE * _COARSE)
