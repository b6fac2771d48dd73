"""Which of two sets of images look the same: a copy that was scaled, or saved anew, is the same picture.

A picture is known by its grey values, 32 by 32. Of drawings and photographs that were saved as PNG, WebP or JPEG
(quality 40, or half as large) none of these came to differ by more than 5 of 255; of two pictures of drawn editions,
that differ in a small thing alone, one at least does by more than 40.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vhbench.images import thumbnail
from vhbench.schema import ImageData

_SIDE, _READ = 32, 128
_ALIKE = 8
"""Grey values that the same picture may differ by, anywhere."""
_FLAT = 2 * _ALIKE
"""Grey values between the darkest and the lightest part of a picture in which there is nothing to be known by."""
_COARSE = 4

_Greys = NDArray[np.int16]


def look(image: ImageData) -> bytes:
    """Return what an image is known by; nothing where it is flat.

    Raises:
        VhbenchError: if it cannot be decoded.
    """
    _, grey = thumbnail(image, _READ)
    small = grey.resize((_SIDE, _SIDE), Image.Resampling.BOX)
    darkest, lightest = small.getextrema()
    return small.tobytes() if float(np.subtract(lightest, darkest)) >= _FLAT else b""


class ImageIndex:
    """Images to be found again, by what they are known by."""

    def __init__(self, known: Mapping[str, bytes]) -> None:
        """Take images: name → look."""
        self._names = [name for name, seen in known.items() if seen]
        self._fine = _greys(b"".join(known[name] for name in self._names))
        self._coarse = _coarse(self._fine)

    def find(self, seen: bytes) -> str:
        """Return the name of an image that looks the same; "" if there is none."""
        if not seen or not self._names:
            return ""
        fine = _greys(seen)
        near = np.flatnonzero(np.abs(self._coarse - _coarse(fine)).max(axis=1) <= _ALIKE)
        same = near[np.abs(self._fine[near] - fine).max(axis=1) <= _ALIKE] if len(near) else near
        return self._names[int(same[0])] if len(same) else ""


def _greys(seen: bytes) -> _Greys:
    return np.frombuffer(seen, dtype=np.uint8).astype(np.int16).reshape(-1, _SIDE * _SIDE)


def _coarse(fine: _Greys) -> NDArray[np.float64]:
    """Return the means of large parts: where these differ, so does a grey value."""
    side = _SIDE // _COARSE
    means: NDArray[np.float64] = fine.reshape(-1, _COARSE, side, _COARSE, side).mean(axis=(2, 4), dtype=np.float64)
    return means.reshape(-1, _COARSE * _COARSE)
