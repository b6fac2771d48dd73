"""Procedural textures of materials: 1/f-like tiles, cropped by seed inside the parts of a drawing.

An element's material is its ``data-of`` attribute, that of its colour (window panes), or that of the word. Tiles use
integers only, so that the pixels do not depend on the processor.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vhbench.files import read_typed
from vhbench.generators.scenes import paints
from vhbench.generators.scenes.rasters import Pixels
from vhbench.seeding import Key, rng

_SIDE = 512
"""Side of a tile in pixels; an object's longest side covers half of it, at any size."""

_OCTAVES = 7

_ELEMENT = re.compile(r'<[^>]*?(?:fill|stroke|stop-color)="#[^>]*>')
_INK = re.compile(r'(?:fill|stroke|stop-color)="(#[0-9a-f]{6})"')
_MATERIAL = re.compile(r'data-of="(\w+)"')


@dataclass(frozen=True, slots=True)
class _Material:
    """Texture: standard deviation relative to the colour, stretch of its grain, weight of an octave to the coarser."""

    amplitude: float
    across: int
    down: int
    roughness: float
    of: tuple[str, ...]  # words drawn in it unless a part says otherwise


@dataclass(frozen=True, slots=True)
class _MaterialTables:
    materials: Mapping[str, _Material]
    colours: Mapping[str, str]  # colours that have one material in all drawings


_TABLES = read_typed(Path(__file__).with_suffix(".json"), _MaterialTables, "table of materials")
_NAMES = tuple(_TABLES.materials)
_OF_WORD = {word: name for name, material in _TABLES.materials.items() for word in material.of}
_USUAL = "plastic"


def grain(rgb: Pixels, svg: str, word: str, *key: Key) -> npt.NDArray[np.float32]:
    """Return the factor of each pixel's brightness, shape (height, width), about 1.

    Args:
        rgb: the flat drawing, whose colours separate the parts.
        svg: its markup.
        word: the drawing's word in the catalog.
        key: seed of the crop; drawings with the same key have the same texture.
    """
    height, width = rgb.shape[:2]
    zoom = _SIDE / 2 / max(height, width)
    rows, columns = max(2, round(height * zoom)), max(2, round(width * zoom))
    top, left = rng(0, "grain", word, *key).integers(0, _SIDE // 2, 2).tolist()
    inks = _inks(svg, _OF_WORD.get(word, _USUAL))
    used = sorted({material for _, material in inks}) or [_NAMES.index(_OF_WORD.get(word, _USUAL))]
    crops = (_tile(_NAMES[i])[top : top + rows, left : left + columns] for i in used)
    layers = [cv2.resize(crop, (width, height), interpolation=cv2.INTER_LINEAR_EXACT) for crop in crops]
    mixed = layers[0]
    if len(used) > 1:
        nibbles = rgb >> 4
        place = (nibbles[..., 0].astype(np.uint16) << 8) | (nibbles[..., 1].astype(np.uint16) << 4) | nibbles[..., 2]
        of = _nearest(inks)[place]
        for i, layer in zip(used[1:], layers[1:], strict=True):
            np.copyto(mixed, layer, where=of == i)
    return mixed.astype(np.float32) / np.float32(128)


@lru_cache(maxsize=1024)
def _inks(svg: str, usual: str) -> tuple[tuple[str, int], ...]:
    """Return the colours of a drawing with their materials' numbers."""
    found: dict[str, int] = {}
    for element in _ELEMENT.findall(svg):
        named = _MATERIAL.search(element)
        for colour in _INK.findall(element):
            found.setdefault(colour, _NAMES.index(named[1] if named else _TABLES.colours.get(colour, usual)))
    return tuple(found.items())


@lru_cache(maxsize=256)
def _nearest(inks: Sequence[tuple[str, int]]) -> npt.NDArray[np.uint8]:
    """Return the material of each of 4,096 colours: that of the nearest ink."""
    steps = np.arange(4096)
    colours = np.stack([steps >> 8, steps >> 4 & 15, steps & 15], 1) * 16 + 8
    of = np.array([list(paints.channels(colour)) for colour, _ in inks])
    nearest = np.square(colours[:, None] - of[None]).sum(2).argmin(1)
    return np.array([material for _, material in inks], np.uint8)[nearest]


@cache
def _tile(name: str) -> Pixels:
    """Return a material's tile, shape (512, 512); 128 leaves a colour as it is."""
    material, random = _TABLES.materials[name], rng(0, "material", name)
    heights, weight = np.zeros((_SIDE, _SIDE), np.int64), 1.0
    for octave in range(2, 2 + _OCTAVES):
        rows, columns = (max(2, min(_SIDE, 2**octave * 2 // stretch)) for stretch in (material.down, material.across))
        noise = random.integers(0, 256, (rows, columns), np.uint8)
        fine = cv2.resize(noise, (_SIDE, _SIDE), interpolation=cv2.INTER_LINEAR_EXACT)
        heights += (fine.astype(np.int64) - 128) * round(weight * 256)
        weight *= material.roughness
    heights -= int(heights.sum()) // heights.size
    spread = float(int(np.square(heights).sum()) // heights.size) ** 0.5
    levels = heights * (128 * material.amplitude / spread)
    return np.asarray(np.clip(np.rint(levels), -60, 60) + 128, np.uint8)
