"""Drawings as pixels: rasterised, shaded like clay, with their shadow on the ground. Cached; nothing here is random."""

import functools
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes.drawings import artwork
from vhbench.generators.scenes.rasters import Pixels, rasterise
from vhbench.schema import VhbenchError

Silhouette = npt.NDArray[np.bool_]

PROBE = 96
"""Longest side, in pixels, of the raster from which a drawing's silhouette is taken while a scene is laid out."""


class TooSmallError(VhbenchError):
    """A drawing of which no pixel is left: a thin one, in a small picture."""


_LIGHT = np.array([-0.45, -0.62, 0.64], np.float32)
_GLANCE = np.array([-0.30, -0.42, 0.86], np.float32)
_GLOSSY = 0.96
"""Below it, a glance's 26th power is less than 0.35 and adds nothing."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a thing looks like, at any size. ``sunk`` is the share of its height that is under water."""

    word: str
    colour: str = ""
    action: str = ""
    state: str = ""
    variant: int = 0
    flip: bool = False
    sunk: float = 0.0


@dataclass(frozen=True, slots=True)
class Sprite:
    """A drawing at one size."""

    rgb: Pixels  # (height, width, 3), not premultiplied
    alpha: Pixels  # (height, width)
    solid: Silhouette  # where at least half of the pixel is covered: the silhouette that counts as the thing
    shadow: Pixels  # darkness 0 … 255 of the ground, (height + 2·pad rows below, …); see :func:`_shadow`
    shadow_at: tuple[int, int]  # (x, y) of the shadow's corner relative to the sprite's corner


def silhouette(look: Look) -> Silhouette:
    """Return the silhouette of a look with its longest side near :data:`PROBE` pixels; its shape is the aspect."""
    solid = _shape(look.word, look.action, look.state, look.variant)
    solid = solid[: _dry(solid.shape[0], look)]
    return solid[:, ::-1] if look.flip else solid


@functools.lru_cache(maxsize=2048)
def _shape(word: str, action: str, state: str, variant: int) -> Silhouette:
    """Take the silhouette once for all colours and directions."""
    return _raster(Look(word, action=action, state=state, variant=variant), PROBE)[..., 3] >= 128


def _dry(height: int, look: Look) -> int:
    """Return how many of so many rows are above the water."""
    return max(1, round(height * (1 - look.sunk)))


def size_for(look: Look, scale: float) -> tuple[int, int]:
    """Return (width, height) in pixels of a look whose geometric mean side is ``scale`` pixels."""
    height, width = silhouette(look).shape
    factor = scale / (width * height) ** 0.5
    return max(2, round(width * factor)), max(2, round(height * factor))


@functools.lru_cache(maxsize=256)
def sprite(look: Look, longest: int) -> Sprite:
    """Return a look with its longest side ``longest`` pixels, shaded."""
    rgba = _raster(look, longest)
    rgb, alpha = cv2.cvtColor(rgba, cv2.COLOR_RGBA2RGB), cv2.extractChannel(rgba, 3)
    shadow, corner = _shadow(alpha)
    return Sprite(_clay(rgb, alpha), alpha, alpha >= 128, shadow, corner)


def _raster(look: Look, longest: int) -> Pixels:
    drawing = artwork.draw(look.word, colour=look.colour, action=look.action, state=look.state, variant=look.variant)
    zoom = longest / max(drawing.width, drawing.height)
    width, height = (max(1, round(side * zoom)) for side in (drawing.width, drawing.height))
    bgra = rasterise(drawing.svg, f"0 0 {drawing.width} {drawing.height}", width, height)
    rgba = _opaque_part(cv2.cvtColor(bgra, cv2.COLOR_BGRA2RGBA), look.word)
    rgba = rgba[: _dry(rgba.shape[0], look)]
    return np.asarray(cv2.flip(rgba, 1) if look.flip else rgba, np.uint8)


def _opaque_part(rgba: Pixels, word: str) -> Pixels:
    solid = cv2.extractChannel(rgba, 3) >= 128
    left, top, width, height = cv2.boundingRect(solid.view(np.uint8))
    if not width:
        raise TooSmallError(f"the drawing of {word!r} is empty at {rgba.shape[1]}x{rgba.shape[0]} pixels")
    return rgba[top : top + height, left : left + width]


def _clay(rgb: Pixels, opacity: Pixels, strength: float = 0.5) -> Pixels:
    """Shade a flat drawing as if it were modelled: the blurred silhouette is taken as relief, lit from the top left."""
    alpha = opacity.astype(np.float32) / 255
    lit = rgb.astype(np.float32) / 255
    longest = max(alpha.shape)
    relief: npt.NDArray[np.floating[Any]] = 0.35 * _blur(alpha, 0.012 * longest) + 0.35 * _blur(alpha, 0.04 * longest)
    relief += 0.5 * _blur(alpha, 0.09 * longest)
    relief += 0.10 * _blur((lit @ np.array([0.30, 0.59, 0.11], np.float32)) * alpha, 0.010 * longest)
    slope_x = cv2.Sobel(relief, cv2.CV_32F, 1, 0, ksize=1) * (-0.5 * 0.055 * longest)
    slope_y = cv2.Sobel(relief, cv2.CV_32F, 0, 1, ksize=1) * (-0.5 * 0.055 * longest)
    up = 1 / np.sqrt(slope_x * slope_x + slope_y * slope_y + 1)
    diffuse = (slope_x * _LIGHT[0] + slope_y * _LIGHT[1] + _LIGHT[2]) * up
    glance = np.clip((slope_x * _GLANCE[0] + slope_y * _GLANCE[1] + _GLANCE[2]) * up, 0, 1)
    fall = np.linspace(1.05, 0.92, alpha.shape[0], dtype=np.float32)[:, None]
    shade = (1 + strength * (diffuse - _LIGHT[2]) * 1.25) * fall
    lit *= cv2.merge([shade] * 3)
    glossy = glance > _GLOSSY
    lit[glossy] += 0.13 * strength * np.clip(glance[glossy] ** 26 - 0.35, 0, 1)[:, None]
    np.clip(lit, 0, 1, out=lit)
    lit *= 255
    lit += 0.5
    return lit.astype(np.uint8)


def _shadow(alpha: Pixels) -> tuple[Pixels, tuple[int, int]]:
    """Return a soft shadow that falls to the right, dark where the thing touches the ground, and its corner."""
    height, width = alpha.shape
    pad = 4 + height // 16
    tall = max(2, round(height * 0.2))
    canvas = np.zeros((tall + 2 * pad, width + tall + 2 * pad), np.uint8)
    cast = cv2.resize(alpha, (width, tall), interpolation=cv2.INTER_AREA)
    lean = np.array([[1, -0.9, pad + 0.9 * tall], [0, 1, pad]], np.float32)
    cast = cv2.warpAffine(cast, lean, (canvas.shape[1], canvas.shape[0]))
    foot = np.flatnonzero(alpha[int(height * 0.88) :].max(0) > 127)
    left, right = (int(foot[0]), int(foot[-1])) if foot.size else (0, width)
    centre = (pad + (left + right) // 2, pad + tall - 1)
    axes = (max(2, (right - left) // 2 + 2), max(2, round(height * 0.03)))
    cv2.ellipse(canvas, centre, axes, 0, 0, 360, 92, -1)
    soft = np.maximum(
        _blur(cast.astype(np.float32) * 0.34, height * 0.02), _blur(canvas.astype(np.float32), height * 0.018)
    )
    return soft.astype(np.uint8), (-pad, height - tall - pad)


def _blur(image: npt.NDArray[np.floating[Any]], sigma: float) -> npt.NDArray[np.float32]:
    blurred: npt.NDArray[np.float32] = cv2.GaussianBlur(image, (0, 0), max(0.6, sigma), borderType=cv2.BORDER_CONSTANT)
    return blurred
