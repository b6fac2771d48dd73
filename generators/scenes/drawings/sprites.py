"""Rasterised drawings with clay-like shading and ground shadows; cached, deterministic."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes import materials
from vhbench.generators.scenes.drawings import artwork
from vhbench.generators.scenes.rasters import Pixels, rasterise
from vhbench.opencv import cv2
from vhbench.schema import VhbenchError

Silhouette = npt.NDArray[np.bool_]
Field = npt.NDArray[np.floating[Any]]

PROBE = 96  # longest side, in pixels, of silhouettes used for layout


class TooSmallError(VhbenchError):
    """Drawing without any solid pixel: a thin one, in a small image."""


_LIGHT = np.array([-0.45, -0.62, 0.64], np.float32)
_GLANCE = np.array([-0.30, -0.42, 0.86], np.float32)
_GREY = np.array([0.30, 0.59, 0.11], np.float32)


@dataclass(frozen=True, slots=True)
class Look:
    """Appearance of an object at any size; ``sunk`` is the fraction of its height under water."""

    word: str
    colour: str = ""
    action: str = ""
    state: str = ""
    variant: int = 0
    flip: bool = False
    sunk: float = 0.0


@dataclass(frozen=True, slots=True)
class Sprite:
    """Drawing at one size."""

    rgb: Pixels  # (height, width, 3), not premultiplied
    alpha: Pixels  # (height, width)
    solid: Silhouette  # at least half covered: the silhouette that counts as the object


@dataclass(frozen=True, slots=True)
class Shadow:
    """Shadow of a drawing at one size."""

    darkness: Pixels  # 0 … 255 of the ground, (height + 2·pad rows below, …)
    at: tuple[int, int]  # (x, y) of its corner relative to the sprite's corner


@functools.lru_cache(maxsize=2048)
def silhouette(look: Look) -> Silhouette:
    """Return a look's silhouette, about :data:`PROBE` pixels on its longest side."""
    solid = _shape(look.word, look.action, look.state, look.variant)
    solid = solid[: _dry(solid.shape[0], look)]
    return solid[:, ::-1] if look.flip else solid


@functools.lru_cache(maxsize=2048)
def _shape(word: str, action: str, state: str, variant: int) -> Silhouette:
    """Return the silhouette shared by all colours and directions."""
    return _raster(Look(word, action=action, state=state, variant=variant), PROBE)[1] >= 128


def _dry(height: int, look: Look) -> int:
    """Return the number of rows above the water."""
    return max(1, round(height * (1 - look.sunk)))


def size_for(look: Look, scale: float) -> tuple[int, int]:
    """Return (width, height) in pixels for a geometric mean side of ``scale`` pixels."""
    height, width = silhouette(look).shape
    factor = scale / (width * height) ** 0.5
    return max(2, round(width * factor)), max(2, round(height * factor))


@functools.lru_cache(maxsize=256)
def sprite(look: Look, longest: int) -> Sprite:
    """Return a shaded look with its longest side ``longest`` pixels."""
    rgb, alpha = _raster(look, longest)
    solid = alpha >= 128
    texture = materials.texture(rgb, solid, look.word, look.colour, look.action, look.variant)
    # The blurred silhouette is a relief lit from the top left, with textured surfaces.
    flat = rgb.astype(np.float32) / 255
    relief = _relief(flat, alpha)
    steep = np.float32(-0.5 * 0.055 * max(relief.shape))
    slope_x, slope_y = (cv2.Sobel(relief, cv2.CV_32F, *axis, ksize=1) * steep for axis in ((1, 0), (0, 1)))
    up = 1 / np.sqrt(slope_x * slope_x + slope_y * slope_y + 1)
    lit, glance = ((slope_x * x + slope_y * y + z) * up for x, y, z in (_LIGHT, _GLANCE))
    fall = np.linspace(1.05, 0.92, len(rgb), dtype=np.float32)[:, None]  # darker from top to bottom
    shade = ((lit - _LIGHT[2]) * 0.5 * 1.25 + 1) * fall
    gleam, bright = np.zeros_like(glance), glance > 0.95  # elsewhere, the slow power is below 0.35
    gleam[bright] = np.clip(np.clip(glance[bright], 0, 1) ** 26 - 0.35, 0, 1) * 0.065
    shade += texture
    gleam += texture * np.float32(0.06)  # dark surfaces reflect as well
    shaded = np.clip(flat * cv2.merge([shade] * 3) + cv2.merge([gleam] * 3), 0, 1)
    return Sprite(np.asarray(shaded * 255 + 0.5, np.uint8), alpha, solid)


def _raster(look: Look, longest: int) -> tuple[Pixels, Pixels]:
    """Return RGB and opacity."""
    drawing = artwork.draw(look.word, colour=look.colour, action=look.action, state=look.state, variant=look.variant)
    zoom = longest / max(drawing.width, drawing.height)
    width, height = (max(1, round(side * zoom)) for side in (drawing.width, drawing.height))
    bgra = rasterise(drawing.svg, f"0 0 {drawing.width} {drawing.height}", width, height)
    solid = cv2.extractChannel(bgra, 3) >= 128
    left, top, width, height = cv2.boundingRect(solid.view(np.uint8))
    if not width:
        raise TooSmallError(f"the drawing of {look.word!r} is empty at {bgra.shape[1]}x{bgra.shape[0]} pixels")
    bgra = bgra[top : top + height, left : left + width]
    bgra = bgra[: _dry(bgra.shape[0], look)]
    rgb, alpha = cv2.cvtColor(bgra, cv2.COLOR_BGRA2RGB), cv2.extractChannel(bgra, 3)
    if look.flip:
        rgb, alpha = cv2.flip(rgb, 1), cv2.flip(alpha, 1)
    return np.asarray(rgb, np.uint8), np.asarray(alpha, np.uint8)


def _relief(colours: Field, opacity: Pixels) -> Field:
    """Return the height map: the centre and light areas are raised."""
    alpha = opacity.astype(np.float32) / 255
    red, green, blue = (colours[..., i] * share for i, share in enumerate(_GREY))
    grey = (red + green + blue) * alpha  # not by "@": libraries for matrices round differently on other processors
    relief = np.zeros_like(alpha)
    for height, spread, field in ((0.35, 0.012, alpha), (0.35, 0.04, alpha), (0.5, 0.09, alpha), (0.10, 0.010, grey)):
        relief += height * _blur(field, spread * max(alpha.shape))
    return relief


@functools.lru_cache(maxsize=256)
def shadow(look: Look, longest: int) -> Shadow:
    """Return a sprite's soft shadow: to the right, and dark where it touches the ground."""
    alpha = sprite(look, longest).alpha
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
    return Shadow(soft.astype(np.uint8), (-pad, height - tall - pad))


def _blur(image: Field, sigma: float) -> Field:
    blurred: Field = cv2.GaussianBlur(image, (0, 0), max(0.6, sigma), borderType=cv2.BORDER_CONSTANT)
    return blurred
