"""Materials of a drawing's parts, and their procedural textures.

A part's material travels through the rasteriser in the lowest bits of its fill, so that no second raster is needed: the
colour changes by at most 3 of 255. Textures are sums of noise octaves of nearly equal weight, as in photos (a 1/f
amplitude spectrum: Field, 1987). All arithmetic is on integers, so that no pixel depends on the processor.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes import paints
from vhbench.generators.scenes.rasters import Pixels
from vhbench.opencv import cv2
from vhbench.seeding import rng
from vhbench.tsv import records, words

_SIDE = 512  # side of a texture tile in pixels
_CROP = 320  # part of a tile that covers the longest side of an object
_SPREAD = 36  # standard deviation of a tile around 128
_RARE = 0.02  # share of an object's pixels below which labels are those of blended edges
_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Material:
    """Row of ``materials.tsv``, which has 16; its number is the label of its pixels."""

    material: str
    contrast: float  # standard deviation of the brightness, as a fraction
    roughness: float  # weight of each octave relative to the next coarser one
    across: int  # cells of the coarsest octave on a tile, horizontally
    down: int  # the same, vertically
    folds: bool  # whether octaves have sharp valleys
    drawings: tuple[str, ...]  # stems of the files of art/ whose parts are mostly of it


_READERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("contrast", "roughness"), float),
    **dict.fromkeys(("across", "down"), int),
    "folds": "yes".__eq__,
    "drawings": words,
}

_MATERIALS = records(Path(__file__).with_name("materials.tsv"), Material, _READERS)
_NUMBERS: Mapping[str, int] = {material.material: number for number, material in enumerate(_MATERIALS)}
_OF_DRAWING = {stem: material.material for material in _MATERIALS for stem in material.drawings}
_MADE = ("metal", "wood", "plastic", "cloth", "stone")
"""Materials of artefacts, whose other parts may be of glass or metal."""


@cache
def label(colour: str, material: str) -> str:
    """Return a hexadecimal colour whose lowest bits (two of red, one each of green and blue) number a material."""
    red, green, blue = paints.channels(colour)
    number = _NUMBERS[material]
    return "#" + bytes((red & ~3 | number & 3, green & ~1 | number >> 2 & 1, blue & ~1 | number >> 3)).hex()


def label_all(markup: str, stem: str, slot: str) -> str:
    """Label every colour in the markup of a file of ``art/``; ``slot`` is its slot's base colour, or ""."""
    main = _OF_DRAWING.get(stem.partition("_")[0], _OF_DRAWING.get(stem, "plastic"))
    return _COLOUR.sub(lambda match: label(match[0], _of_part(match[0], main, slot)), markup)


@cache
def _of_part(colour: str, main: str, slot: str) -> str:
    """Return the material of a part by its colour: panes are pale blue, stalks green, fittings grey."""
    hue, saturation, lightness = paints.parse_hex(colour)
    if main in ("fruit", "crust") and 0.2 < hue < 0.45 and saturation > 0.2:
        return "leaf"
    if main not in _MADE or colour == slot:
        return main
    if 0.48 < hue < 0.60 and saturation > 0.2 and lightness > 0.7:
        return "glass"
    if saturation < 0.16 and 0.3 < lightness < 0.88:
        return "metal"
    return main


def texture(rgb: Pixels, solid: npt.NDArray[np.bool_], *key: str | int) -> npt.NDArray[np.float32]:
    """Return each pixel's deviation of brightness from 0, as a fraction, by its label.

    ``rgb`` are the labelled pixels of an object, shape (height, width, 3), and ``solid`` is its silhouette; ``key``
    identifies the object, and so chooses the part of each tile.
    """
    numbers = rgb[..., 0] & 3 | (rgb[..., 1] & 1) << 2 | (rgb[..., 2] & 1) << 3
    numbers = cv2.medianBlur(numbers, 3)  # blended edges have the label of either side
    counts = np.bincount(numbers[solid], minlength=16)
    corners = rng(0, "texture", *key).integers(0, _SIDE - _CROP, (16, 2)).tolist()
    order = np.argsort(-counts, kind="stable").tolist()
    deviation = _patch(order[0], corners[order[0]], numbers.shape)
    for number in order[1:]:
        if counts[number] > _RARE * counts.sum():
            np.copyto(deviation, _patch(number, corners[number], numbers.shape), where=numbers == number)
    return deviation


def _patch(number: int, corner: tuple[int, int], shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Return a material's texture for an object of a shape; its longest side covers the same part of the tile."""
    level = max(0, (_CROP // max(shape)).bit_length() - 1)
    rows, columns = (max(1, (_CROP >> level) * side // max(shape)) for side in shape)
    x, y = (start >> level for start in corner)
    part = _tile(number, level)[y : y + rows, x : x + columns]
    sized = cv2.resize(part, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR_EXACT).astype(np.float32)
    sized -= 128
    sized *= np.float32(_MATERIALS[number].contrast / _SPREAD)
    return np.asarray(sized)


@cache
def _tile(number: int, level: int) -> Pixels:
    """Return a material's tile with mean 128, whose side is halved ``level`` times."""
    if level:
        finer = _tile(number, level - 1)
        return np.asarray(cv2.resize(finer, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    material, random = _MATERIALS[number], rng(0, "tile", number)
    total, weight = np.zeros((_SIDE, _SIDE), np.int32), 256.0
    across, down = material.across, material.down
    while weight >= 1 and max(across, down) <= _SIDE:
        cells = random.integers(0, 256, (min(down, _SIDE), min(across, _SIDE)), np.uint8)
        octave = cv2.resize(cells, (_SIDE, _SIDE), interpolation=cv2.INTER_LINEAR_EXACT).astype(np.int32) - 128
        total += round(weight) * (abs(octave) if material.folds else octave)
        across, down, weight = across * 2, down * 2, weight * material.roughness
    total -= int(total.sum()) // total.size
    spread = int(np.square(total, dtype=np.int64).sum() // total.size) ** 0.5
    return np.asarray(np.clip(total * _SPREAD // round(spread) + 128, 0, 255), np.uint8)
