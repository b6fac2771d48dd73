"""Rendered environments; they do not depend on the split's seed and can be cached."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes.environments import brushes
from vhbench.generators.scenes.environments.atlas import ENVIRONMENTS
from vhbench.generators.scenes.environments.environment import Environment
from vhbench.generators.scenes.paints import channels
from vhbench.generators.scenes.rasters import rasterise
from vhbench.opencv import cv2
from vhbench.seeding import rng

VARIANTS = 2  # renderings per environment and state, each also mirrored; few, to benefit from caching
_RESOLUTION = 0.64  # scale at which environments are rendered: a soft background, three times as fast
_WHOLE = f"0 0 {brushes.SIZE} {brushes.SIZE}"
_SEED = 20250117
_TINT_INDOORS = {"dim": "#a8a39c"}
_LIGHTS = {
    "night": (0.80, 0.84, 0.94),
    "gloomy": (0.93, 0.94, 0.95),
    "sunset": (1.0, 0.96, 0.91),
    "dim": (0.86, 0.85, 0.84),
}


@dataclass(frozen=True, slots=True)
class Backdrop:
    """Rendered environment."""

    name: str
    state: str
    pixels: npt.NDArray[np.uint8]  # sRGB, shape (height, width, 3)
    areas: tuple[str, ...]  # words rendered in this image
    haze: tuple[int, int, int]  # colour that distant objects fade to, sRGB
    light: tuple[float, float, float]  # factor per channel for objects; close to 1 so that colours keep their names


def backdrop(name: str, state: str, variant: int, width: int, height: int) -> Backdrop:
    """Return a rendered environment at any size, in pixels.

    From :data:`VARIANTS` on, variants are mirror images, whose bands come from
    :func:`vhbench.generators.scenes.layout.stage.mirror`.
    """
    painted = _painted(name, state, variant % VARIANTS, max(width, height))
    pixels = painted.pixels
    if pixels.shape[:2] != (height, width):
        pixels = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return replace(painted, pixels=np.asarray(cv2.flip(pixels, 1), np.uint8) if is_mirrored(variant) else pixels)


def is_mirrored(variant: int) -> bool:
    """Return whether a variant of a backdrop is a mirror image."""
    return variant >= VARIANTS


@lru_cache(maxsize=128)  # 100 MB at 512 pixels
def _painted(name: str, state: str, variant: int, size: int) -> Backdrop:
    """Render an environment, ``size`` pixels square."""
    environment, canvas = ENVIRONMENTS[name], _canvas(name, state, variant)
    flat = _rasterise(canvas.svg(), round(size * _RESOLUTION))
    lit = cv2.resize(_shine(canvas, flat, environment), (size, size), interpolation=cv2.INTER_CUBIC)
    lit *= cv2.merge([_grain(name, variant, size)] * 3)
    lit += np.float32(0.5)
    pixels = np.clip(lit, 0, 255, out=lit).astype(np.uint8)
    pixels.flags.writeable = False
    horizon = environment.horizon
    far = pixels[int(size * horizon * 0.9) : int(size * horizon) + 1] if horizon > 0 else pixels
    red, green, blue = (int(channel) for channel in far.reshape(-1, 3).mean(0))
    light = _LIGHTS.get(state, (1.0, 1.0, 1.0))
    return Backdrop(name, state, pixels, tuple(canvas.areas), (red, green, blue), light)


def _canvas(name: str, state: str, variant: int) -> brushes.Canvas:
    canvas = brushes.Canvas(rng(_SEED, "environment", name, state, variant), state)
    ENVIRONMENTS[name].paint(canvas)
    if state == "snowy":
        brushes.falling_snow(canvas)
    return canvas


def _rasterise(svg: str, size: int, *, rows: int | None = None) -> npt.NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(rasterise(svg, _WHOLE, size, size, rows=rows), cv2.COLOR_BGRA2RGB), np.uint8)


def _shine(canvas: brushes.Canvas, pixels: npt.NDArray[np.uint8], environment: Environment) -> npt.NDArray[np.float32]:
    """Return an image in the light of its state; the sky already has the state's colours."""
    tint = _TINT_INDOORS.get(canvas.state, "#ffffff") if environment.indoor else canvas.mood.tint
    flat = pixels.astype(np.float32)
    if tint == "#ffffff":
        return flat
    factor = np.array([channel / 255 for channel in channels(tint)], dtype=np.float32)
    lit = flat * np.tile(factor, pixels.shape[1]).reshape(-1, 3)
    if canvas.sky_parts:
        size = len(pixels)
        rows = min(size, math.ceil(canvas.sky_foot / brushes.SIZE * size) + 1)
        sky = _rasterise(canvas.svg(parts=canvas.sky_parts), size, rows=rows)
        is_sky = cv2.inRange(cv2.absdiff(sky, pixels[:rows]), (0, 0, 0), (0, 0, 0))
        cv2.copyTo(flat[:rows], is_sky, lit[:rows])
    return lit


@lru_cache(maxsize=32)  # 32 MB at 512 pixels; one for all states
def _grain(name: str, variant: int, size: int) -> npt.NDArray[np.float32]:
    """Return fine noise, so that flat fills look like paint."""
    grain = rng(_SEED, "grain", name, variant).standard_normal((size, size), dtype=np.float32)
    grain *= np.float32(0.012)
    grain += 1
    return grain
