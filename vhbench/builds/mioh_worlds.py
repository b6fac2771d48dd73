"""Where MIOH's scenes come from: drawn pools, COCO, PACO, SVG; and which question types each can answer."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.source import SceneSource
from vhbench.generators.scenes.specs import random_spec
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng

THEMES: Final[dict[str, tuple[str, ...]]] = {
    "street": ("car", "bicycle", "bench", "fire hydrant", "motorcycle", "trash can", "dog", "umbrella"),
    "meadow": ("horse", "sheep", "tent", "bird", "balloon", "pig", "bucket", "flag"),
    "home": ("couch", "chair", "cat", "floor lamp", "teddy bear", "suitcase", "dresser", "guitar"),
}
"""What is drawn together: few words, so that each occurs often; rivals (near-synonyms) are left out."""

_STAYS: Final = 0.85  # how often a word comes from the scene's own theme: this makes co-occurrence
_COLOURS: Final = ("red", "blue", "yellow", "white", "black", "brown")
_COUNTS: Final = (1, 1, 1, 1, 2, 2, 3, 4)
_HARD: Final = ("small", "occluded", "truncated")
_MOST: Final = 8


def drawn_specs(number: int, seed: int) -> list[SceneSpec]:
    """Return what the scenes of a drawn pool shall show: 2–5 words, mostly of one theme, with counts and colours."""
    return [_spec(i, seed) for i in range(number)]


def _spec(index: int, seed: int) -> SceneSpec:
    random = rng(seed, "mioh", "scene", index)
    names = list(THEMES)
    theme = names[index % len(names)]
    wanted = int(random.integers(2, 6))
    words: list[str] = []
    while len(words) < wanted:
        pool = THEMES[theme] if random.random() < _STAYS else THEMES[names[int(random.integers(len(names)))]]
        word = pool[int(random.integers(len(pool)))]
        if word not in words:
            words.append(word)
    things: list[ObjectSpec] = []
    for word in words:
        room = _MOST - sum(t.count for t in things) - (len(words) - len(things) - 1)
        things.append(_thing(word, room, random))
    return random_spec(seed, "mioh", index, id=f"mioh-{index}", must=things, k=len(things))


def _thing(word: str, room: int, random: np.random.Generator) -> ObjectSpec:
    entry = catalog.find(word)
    colours = [c for c in _COLOURS if c in entry.colours]
    colour = colours[int(random.integers(min(3, len(colours))))] if colours else ""
    hard = (_HARD[int(random.integers(len(_HARD)))],) if random.random() < 0.3 else ()
    count = min(int(_COUNTS[int(random.integers(len(_COUNTS)))]), max(1, room))
    return ObjectSpec(word, count=1 if hard and count > 2 else count, colour=colour, hard=hard)


def draw(number: int, seed: int) -> tuple[Sequence[Scene], list[Rejection]]:
    """Draw a pool of scenes; what cannot be drawn is returned as rejections."""
    scenes: list[Scene] = []
    rejections: list[Rejection] = []
    for made in SceneSource().make(drawn_specs(number, seed), seed=seed):
        if isinstance(made, Scene):
            scenes.append(made)
        else:
            rejections.append(made)
    if not scenes:
        raise VhbenchError(f"none of {number} scenes could be drawn")
    return scenes, rejections
