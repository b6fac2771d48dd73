"""The four common image perturbations of VHExpansion (arXiv 2410.11242).

They are those of the paper's section on common perturbations. Semantics follow ImageNet-C (Hendrycks and Dietterich,
ICLR 2019). The results equal those of its float64 code within one grey level, in a fraction of the time: noise uses a
table of normal quantiles, brightness a table over (maximum, channel), and defocus integer row sums.

All functions take a uint8 array and a random generator; equal generator states give equal pixels on every machine.
Arrays have any size: (H, W) and (H, W, 1) grey, (H, W, 2) grey and alpha, (H, W, 3) RGB, (H, W, 4) RGB and alpha. Shape
and alpha are preserved; the input is never modified.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt
import simplejpeg

from vhbench.opencv import cv2
from vhbench.schema import VhbenchError

Array = npt.NDArray[np.uint8]

USUAL_SIDE: Final = 512  # shorter side in pixels at which scaled lengths are those of the paper and of ImageNet-C
_SUMMED: Final = 6  # largest radius in pixels at which ImageNet-C's kernel contains the softened edge
_STRIP: Final = 64  # number of rows summed at once, to stay in the CPU cache


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Common perturbation with its properties."""

    change: Callable[..., Array]  # function of (image, random generator, parameters); the defaults are the paper's
    unsure: str  # space-separated topics of undecidable.yaml whose answers it may change
    severities: tuple[dict[str, float], ...]  # parameters of ImageNet-C's severities 1 to 5
    lengths: Mapping[str, int] = field(default_factory=dict)  # the paper's parameters that are lengths in pixels

    def __call__(self, image: Array, rng: np.random.Generator, **parameters: float) -> Array:
        """Return the perturbed image; omitted parameters are the paper's."""
        return self.change(image, rng, **parameters)

    def relative(self, image: Array, rng: np.random.Generator, **parameters: float) -> Array:
        """Return the perturbed image with lengths scaled to its size.

        Lengths are whole pixels, at least 1, and unscaled for an image of :data:`USUAL_SIDE`.
        """
        scale = min(image.shape[:2]) / USUAL_SIDE
        lengths = {name: max(1, round(scale * parameters.get(name, paper))) for name, paper in self.lengths.items()}
        return self.change(image, rng, **(parameters | lengths))


def gaussian_noise(image: Array, rng: np.random.Generator, *, sigma: float = 0.08) -> Array:
    """Add independent normal noise per channel; sigma is a fraction of the full range."""
    _at_least("sigma", sigma, 0)
    return _on_colour(image, lambda colour: _add_noise(colour, rng, sigma))


def brightness(image: Array, rng: np.random.Generator, *, amount: float = 0.5) -> Array:
    """Raise the HSV value by an amount in [-1, 1] of the full range; keep hue and saturation."""
    if not -1 <= amount <= 1:
        raise VhbenchError(f"brightness: expected an amount in [-1, 1], got {amount}")
    return _on_colour(image, lambda colour: _raise_value(colour, amount))


def defocus_blur(image: Array, rng: np.random.Generator, *, radius: int = 5, alias_blur: float = 0.5) -> Array:
    """Convolve with a disk, the point spread function of defocus.

    The radius and the standard deviation of the Gaussian that softens the disk's edge (alias_blur) are in pixels.
    """
    _at_least("radius", radius, 1)
    _at_least("alias_blur", alias_blur, 1e-3)
    if radius <= _SUMMED:
        return _on_colour(image, lambda colour: _filter_by_sums(colour, radius, alias_blur))
    return _on_colour(image, lambda colour: _filter(colour, disk_kernel(radius, alias_blur)))


def jpeg_compression(image: Array, rng: np.random.Generator, *, quality: int = 30) -> Array:
    """Encode as JPEG with quality 1 (worst) to 95 and Pillow's 4:2:0 chroma, and decode."""
    if not 1 <= quality <= 95:
        raise VhbenchError(f"jpeg_compression: expected a quality of 1 to 95, got {quality}")
    return _on_colour(image, lambda colour: _through_jpeg(colour, quality))


def at_severities(spec: str) -> tuple[str, ...]:
    """Return the names that a spec stands for, one per severity; raise for severities beyond 1 to 5.

    >>> at_severities("brightness"), at_severities("brightness:2"), at_severities("brightness:3-5")
    (('brightness',), ('brightness_2',), ('brightness_3', 'brightness_4', 'brightness_5'))
    """
    name, colon, levels = spec.partition(":")
    if not colon:
        return (spec,)
    if not (match := re.fullmatch("([1-5])(?:-([1-5]))?", levels)) or levels[0] > levels[-1]:
        raise VhbenchError(f"expected {name}:1-5 or a part of it, such as {name}:3, got {spec}")
    return tuple(f"{name}_{level}" for level in range(int(match[1]), int(match[2] or match[1]) + 1))


def split_name(name: str) -> tuple[str, int | None]:
    """Return a perturbation's key in :data:`PERTURBATIONS` and its severity, None without one.

    >>> split_name("defocus_blur_3"), split_name("defocus_blur")
    (('defocus_blur', 3), ('defocus_blur', None))
    """
    match = re.fullmatch("(.+)_([1-5])", name)
    return (match[1], int(match[2])) if match else (name, None)


def perturbation(
    name: str, severity: int | None = None, *, relative: bool = False
) -> Callable[[Array, np.random.Generator], Array]:
    """Return the function that perturbs an image, given a random generator; raise for an unknown name or severity.

    Args:
        name: a key of :data:`PERTURBATIONS`, or with a severity as of :func:`at_severities`, which then counts.
        severity: 1 to 5 on ImageNet-C's scale; None for the paper's parameters.
        relative: scale lengths with the image; otherwise they are in pixels, as in the paper.
    """
    name, own = split_name(name)
    severity = own or severity
    if name not in PERTURBATIONS:
        raise VhbenchError(f"unknown perturbation {name!r}, expected one of {', '.join(PERTURBATIONS)}")
    record = PERTURBATIONS[name]
    change: Callable[..., Array] = record.relative if relative else record
    if severity is None:
        return change
    if severity not in range(1, 6):
        raise VhbenchError(f"{name}: expected a severity of 1 to 5, got {severity}")
    return partial(change, **record.severities[severity - 1])


@cache
def disk_kernel(radius: int, alias_blur: float) -> npt.NDArray[np.float32]:
    """Return ImageNet-C's aliased disk of (2n+1, 2n+1) weights with a softened edge and sum 1."""
    span = np.arange(-max(8, radius), max(8, radius) + 1)
    disk = (span[:, None] ** 2 + span[None, :] ** 2 <= radius**2).astype(np.float32)
    width = 3 if radius <= 8 else 5
    kernel: npt.NDArray[np.float32] = cv2.GaussianBlur(disk / disk.sum(), (width, width), sigmaX=alias_blur)
    return kernel


def _add_noise(colour: Array, rng: np.random.Generator, sigma: float) -> Array:
    draws = np.frombuffer(rng.bytes(2 * colour.size), dtype="<u2").reshape(colour.shape)
    # The reference truncates and OpenCV rounds; subtracting half a level makes them agree.
    noise = (_normal_quantiles() * np.float32(255 * sigma) - np.float32(0.5))[draws]
    return np.asarray(cv2.add(colour, noise, dtype=cv2.CV_8U), dtype=np.uint8).reshape(colour.shape)


@cache
def _normal_quantiles() -> npt.NDArray[np.float32]:
    """Return 65,536 equiprobable standard normal values, the midpoints of its quantiles.

    Indexing with 16 random bits is four times as fast as sampling exact variates, and the distributions differ by at
    most 1/131,072.
    """
    quantiles = map(NormalDist().inv_cdf, ((np.arange(65536) + 0.5) / 65536).tolist())
    return np.fromiter(quantiles, np.float32, 65536)


def _raise_value(colour: Array, amount: float) -> Array:
    table = _value_table(amount)
    if colour.ndim == 2:
        grey: Array = table[0x101 * np.arange(256)][colour]
        return grey
    first, second, third = cv2.split(colour)
    value = cv2.max(cv2.max(first, second), third).astype(np.uint16) << np.uint16(8)
    return np.stack([np.take(table, value | channel) for channel in (first, second, third)], axis=-1)


@cache
def _value_table(amount: float) -> Array:
    """Return the channel for (256 · value + old channel); all channels scale, keeping hue."""
    value, channel = np.divmod(np.arange(65536), 256)
    raised = np.clip(value / 255 + amount, 0, 1)
    # Black has no saturation, so it becomes grey.
    scaled = np.where(value == 0, raised, channel / np.maximum(value, 1) * raised)
    # 1e-9 compensates for rounding just below a whole level.
    table: Array = np.clip(scaled * 255 + 1e-9, 0, 255).astype(np.uint8)
    return table


def _filter_by_sums(colour: Array, radius: int, alias_blur: float) -> Array:
    """Convolve with an integer disk of ones and soften the result instead of the disk's edge."""
    height, width = colour.shape[:2]
    framed = cv2.copyMakeBorder(colour, *(radius,) * 4, cv2.BORDER_REFLECT_101).reshape(height + 2 * radius, -1)
    total = np.zeros((height, colour.size // height), np.uint16)  # sums are at most 113 · 255
    for top in range(0, height, _STRIP):
        strip = total[top : top + _STRIP]
        _add_disks(framed[top : top + len(strip) + 2 * radius], strip, radius, colour.size // (height * width))
    sums = total.reshape(colour.shape)
    soft = cv2.getGaussianKernel(3, alias_blur, cv2.CV_32F)
    area = sum(2 * math.isqrt(radius**2 - up**2) + 1 for up in range(-radius, radius + 1))
    # The reference truncates and OpenCV rounds, so subtract half a level.
    filtered = cv2.sepFilter2D(
        sums.astype(np.float32), cv2.CV_32F, soft / area, soft, delta=0.002 - 0.5, borderType=cv2.BORDER_REFLECT_101
    )
    return np.asarray(cv2.convertScaleAbs(filtered), np.uint8).reshape(colour.shape)


def _add_disks(framed: Array, total: npt.NDArray[np.uint16], radius: int, channels: int) -> None:
    """Add the disk sums of a strip; ``framed`` is padded by the radius on each side.

    A disk's rows get shorter away from its centre. The row sums grow by one pixel on either side per step and are added
    at the vertical offsets where that is the disk's row length.
    """
    size, wide = total.shape[1], framed.astype(np.uint16)
    row = wide[:, radius * channels :][:, :size].copy()
    for half in range(radius + 1):
        for start in (radius - half, radius + half) if half else ():
            row += wide[:, start * channels :][:, :size]
        for up in range(-radius, radius + 1):
            if math.isqrt(radius**2 - up**2) == half:
                total += row[radius + up :][: len(total)]


def _filter(colour: Array, kernel: npt.NDArray[np.float32]) -> Array:
    """Convolve with a large disk; 0.002 exceeds the float32 error below a whole level."""
    filtered = cv2.filter2D(colour, cv2.CV_32F, kernel, borderType=cv2.BORDER_REFLECT_101)
    return np.asarray(np.clip(filtered + np.float32(0.002), 0, 255), dtype=np.uint8).reshape(colour.shape)


def _through_jpeg(colour: Array, quality: int) -> Array:
    """Return Pillow's result in half the time; OpenCV and simplejpeg are equivalent to it."""
    grey = colour.ndim == 2
    sampling = (cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420)
    stored = colour if grey else cv2.cvtColor(colour, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", stored, (cv2.IMWRITE_JPEG_QUALITY, quality, *sampling))
    decoded = simplejpeg.decode_jpeg(data, colorspace="GRAY" if grey else "RGB", fastdct=False, fastupsample=False)
    return np.asarray(decoded, np.uint8).reshape(colour.shape)


def _on_colour(image: Array, change: Callable[[Array], Array]) -> Array:
    """Apply a change to the grey (H, W) or RGB (H, W, 3) planes; keep alpha and shape."""
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8:
        kind = image.dtype if isinstance(image, np.ndarray) else type(image).__name__
        raise VhbenchError(f"a perturbation takes a uint8 array, not {kind}")
    if image.ndim not in (2, 3) or 0 in image.shape or (image.ndim == 3 and image.shape[2] > 4):
        raise VhbenchError(f"a perturbation takes (H, W) or (H, W, 1 to 4), not the shape {image.shape}")
    if image.ndim == 2:
        return change(np.ascontiguousarray(image))
    channels = image.shape[2]
    grey = channels < 3
    colour = change(np.ascontiguousarray(image[:, :, 0] if grey else image[:, :, :3]))
    if channels == 3:
        return colour
    planes = colour[:, :, None] if grey else colour
    return planes if channels == 1 else np.concatenate([planes, image[:, :, -1:]], axis=2)


def _at_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise VhbenchError(f"{name}: expected at least {least}, got {value}")


def _scale(name: str, *values: float) -> tuple[dict[str, float], ...]:
    return tuple({name: value} for value in values)


PERTURBATIONS: Final[dict[str, Perturbation]] = {
    "gaussian_noise": Perturbation(
        gaussian_noise, "grain focus quality text time small",
        severities=_scale("sigma", 0.08, 0.12, 0.18, 0.26, 0.38),
    ),
    "brightness": Perturbation(
        # Half the range brighter, black turns grey, brown turns orange, and dusk looks like day.
        brightness, "colour light",
        severities=_scale("amount", 0.1, 0.2, 0.3, 0.4, 0.5),
    ),
    "defocus_blur": Perturbation(
        defocus_blur, "focus quality text time small",
        severities=({"radius": 3, "alias_blur": 0.1}, *({"radius": r, "alias_blur": 0.5} for r in (4, 6, 8, 10))),
        lengths={"radius": 5},
    ),
    "jpeg_compression": Perturbation(
        jpeg_compression, "artefacts quality",
        severities=_scale("quality", 25, 18, 15, 10, 7),
    ),
}  # fmt: skip
"""Common perturbations by name.

The paper's parameters are severity 1 of the noise and 5 of the brightness. Its radius of 5 is between severities 2 and
3, its quality of 30 above severity 1.
"""
