"""Near-duplicate images: copies that were re-encoded, scaled, brightened, cropped, rotated or mirrored.

A perceptual hash (imagehash's 64-bit pHash, of the image and of its mirror image) and a coarse correlation select
candidates. A second check then aligns the two images (OpenCV's ECC, an affine map) and compares them pixel by pixel,
so that two synthetic scenes with one background and different objects are not copies of each other.

Differences are measured in standard deviations of the image's grey values. On the 25 photos of ``coco_mini``: a copy
differs from its original by at most 0.3 where nothing moved and 0.8 after alignment. With 42 other photos, different
ones correlate by less than 0.8 after alignment. Of 201,295 pairs of synthetic scenes, many with one background, none
differs by less than 0.79 where nothing moved; after alignment, each is at least 0.15 above its bound.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from vhbench.images import open_image, to_display_rgb
from vhbench.opencv import cv2
from vhbench.schema import ImageData

_SIDE: Final = 96  # pixels of the compared images
_COARSE: Final = 16  # side of the images whose correlation preselects candidates cheaply
_FLAT: Final = 4.0  # standard deviation of grey below which an image cannot be identified
_MOST_BITS: Final = 22  # Hamming distance of candidates; a crop of 5 % per side differs in up to 18 bits
_LEAST_COARSE: Final = 0.4  # loose, as crops and rotations lower it; only preselects
_LEAST_CORRELATION: Final = 0.85  # after alignment
_SAME_PLACE: Final = 0.45  # largest difference, means of 3 × 3 pixels, of images that need no alignment
_MOVED: Final = 0.9  # the same after alignment, which blurs edges
_BRIGHTER: Final = 0.05  # change of the gain that is not due to encoding
_WARP: Final = 0.9  # pixels by which an alignment moves a corner; below it, the bound rises from one to the other
_NEIGHBOURS: Final = np.ones((3, 3), np.uint8)
_STEPS: Final = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 50, 1e-4)

Greys = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Perceptual hashes of an image and of its mirror image, and its grey values, 96 × 96, one byte each."""

    bits: tuple[int, int]
    grey: bytes

    @classmethod
    def of(cls, image: ImageData) -> "Fingerprint | None":
        """Return an image's fingerprint; None if it is flat. Raises VhbenchError if it cannot be decoded."""
        import imagehash

        grey = to_display_rgb(open_image(image)).convert("L").resize((_SIDE, _SIDE), Image.Resampling.HAMMING)
        if float(np.asarray(grey).std()) < _FLAT:
            return None
        hashes = [imagehash.phash(seen).hash for seen in (grey, ImageOps.mirror(grey))]
        original, mirrored = (int.from_bytes(np.packbits(bits).tobytes()) for bits in hashes)
        return cls((original, mirrored), grey.tobytes())

    @property
    def greys(self) -> Greys:
        """The grey values, float32, (96, 96)."""
        return np.frombuffer(self.grey, np.uint8).reshape(_SIDE, _SIDE).astype(np.float32)

    def copy_kind(self, other: "Fingerprint") -> str:
        """Return how this image is a copy of another one, "" if they are different images.

        It is "re-encoded" (also scaled, squashed or grey), "brightened or darkened" or "cropped or rotated", with
        "mirrored " before it if it is.
        """
        return ImageIndex({"": other}).find(self)[1]


class ImageIndex:
    """Index of images by fingerprint."""

    def __init__(self, known: Mapping[str, Fingerprint | None]) -> None:
        """Index fingerprints by image name; flat images are left out."""
        self._known = {name: seen for name, seen in known.items() if seen is not None}
        self._names = list(self._known)
        self._bits = np.array([seen.bits[0] for seen in self._known.values()], dtype=np.uint64)
        self._coarse = np.array([_coarse(seen.greys) for seen in self._known.values()], dtype=np.float32)

    def find(self, seen: Fingerprint | None) -> tuple[str, str]:
        """Return the name of an image of which this is a copy, and the kind (:meth:`Fingerprint.copy_kind`); or two "".

        Of several copies it is the one with the most similar hash.
        """
        if seen is None or not self._names:
            return "", ""
        for bits, grey, prefix in zip(seen.bits, (seen.greys, seen.greys[:, ::-1]), ("", "mirrored "), strict=True):
            distances = np.bitwise_count(self._bits ^ np.uint64(bits))
            candidates = np.flatnonzero((distances <= _MOST_BITS) & (self._coarse @ _coarse(grey) >= _LEAST_COARSE))
            for index in candidates[np.argsort(distances[candidates], kind="stable")]:
                name = self._names[int(index)]
                if kind := _compare(self._known[name].greys, np.ascontiguousarray(grey)):
                    return name, prefix + kind
        return "", ""


def _coarse(grey: Greys) -> Greys:
    """Return block means, standardised so that a dot product is a correlation."""
    means = cv2.resize(grey, (_COARSE, _COARSE), interpolation=cv2.INTER_AREA).ravel()
    means = means - means.mean()
    return np.asarray(means / max(float(np.linalg.norm(means)), 1e-6), dtype=np.float32)


def _compare(left: Greys, right: Greys) -> str:
    difference, gain = _difference(left, right, np.ones(left.shape, bool))
    if difference <= _SAME_PLACE:
        return "re-encoded" if abs(gain - 1) <= _BRIGHTER else "brightened or darkened"
    everything = np.full(left.shape, 255, np.uint8)
    try:
        _, warp = cv2.findTransformECC(
            left, right, np.eye(2, 3, dtype=np.float32), cv2.MOTION_AFFINE, _STEPS, everything, 5
        )
    except cv2.error:  # it does not converge: nothing corresponds
        return ""
    corners = np.array([[0, 0, 1], [_SIDE, 0, 1], [0, _SIDE, 1], [_SIDE, _SIDE, 1]])
    shift = float(np.abs(corners @ warp.T - corners[:, :2]).max())
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(right, warp, left.shape, flags=flags, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    covered = cv2.warpAffine(np.ones_like(right), warp, left.shape, flags=flags) > 1 - 1e-3
    both = cv2.erode(covered.astype(np.uint8), _NEIGHBOURS) > 0
    if both.mean() < 0.5 or np.corrcoef(left[both], moved[both])[0, 1] < _LEAST_CORRELATION:
        return ""
    bound = _SAME_PLACE + (_MOVED - _SAME_PLACE) * min(1.0, shift / _WARP)
    return "cropped or rotated" if _difference(left, moved, both)[0] <= bound else ""


def _difference(left: Greys, right: Greys, where: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the largest difference that neither brightness, contrast nor a pixel's shift explains, and the gain.

    The image of lower contrast is brought to the range of the other one, whose highlights may be clipped.
    """
    fitted = where & (np.minimum(left, right) > 2) & (np.maximum(left, right) < 253)
    if fitted.mean() < 0.1:
        fitted = where
    dark, bright = (left, right) if left[fitted].std() <= right[fitted].std() else (right, left)
    spread = max(1.0, float(dark[fitted].std()))
    gain = float(np.cov(dark[fitted], bright[fitted])[0, 1]) / spread**2
    offset = float(bright[fitted].mean() - gain * dark[fitted].mean())
    matched = np.clip(gain * dark + offset, 0, 255).astype(np.float32)
    outside = np.maximum(_outside(matched, bright), _outside(bright, matched))
    return float(cv2.blur(np.where(where, outside, 0), (3, 3)).max()) / spread, gain


def _outside(image: Greys, other: Greys) -> Greys:
    """Return by how much each pixel of the other image is outside the range of the image's pixels around it."""
    highest, lowest = cv2.dilate(image, _NEIGHBOURS), cv2.erode(image, _NEIGHBOURS)
    excess: Greys = np.maximum(0, np.maximum(other - highest, lowest - other))
    return excess
