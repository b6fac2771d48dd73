"""Where MIOH's scenes come from: drawn pools, COCO, PACO, SVG; and which question types each can answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
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


TASKS: Final[dict[str, tuple[str, ...]]] = {
    "paco": ("attribute", "existence"),
    "svg": ("position",),
    "coco": ("existence", "counting", "position"),
    "scenes": ("existence", "attribute", "counting", "position"),
}
"""Source → the tasks that its annotations can answer, the more knowing source first."""

_NUMBER: Final = 240


@dataclass(frozen=True)
class World:
    """Scenes, and what of the source was left out."""

    name: str
    scenes: Sequence[Scene]
    rejections: tuple[Rejection, ...] = ()


def check(source: str, images: str) -> None:
    """Look at a source's name before anything is read.

    Raises:
        VhbenchError: if there is no such source, or it needs files that are not there.
    """
    name, _, place = source.partition(":")
    if name not in TASKS or (name != "scenes" and not place):
        raise VhbenchError(f"--source {source!r}: must be scenes, scenes:N, coco:FILE, paco:FILE or svg:FILE")
    if name == "scenes" and place and not (place.isdecimal() and int(place) > 0):
        raise VhbenchError(f"--source {source!r}: scenes:N takes a number of scenes")
    if name != "scenes" and not Path(place).is_file():
        raise VhbenchError(f"--source {source!r}: no file {place}")
    if name != "scenes" and not images:
        raise VhbenchError(f"--source {source!r} needs --images DIR, the folder that its images lie in")


def label(source: str) -> str:
    """Return a source's name without the folder that it lies in."""
    name, _, place = source.partition(":")
    return f"{name}:{Path(place).name}" if place else name


def file_of(source: str) -> str:
    """Return the file of a source, or ""."""
    name, _, place = source.partition(":")
    return "" if name == "scenes" else place


def best_source(sources: Sequence[str], task: str) -> str:
    """Return the source for a task: an annotated one that can answer it, else drawn scenes, else the first."""
    able = [s for s in sources if task in TASKS[s.partition(":")[0]]]
    order = ["coco", "paco", "svg", "scenes"] if task == "existence" else list(TASKS)
    return min(able, key=lambda s: order.index(s.partition(":")[0])) if able else sources[0]


def read(source: str, images: str, *, skip_bad: bool, size: int, seed: int) -> World:
    """Read or draw the scenes of a source."""
    name, _, place = source.partition(":")
    if name == "scenes":
        return draw(int(place or _NUMBER), seed, size)
    from vhbench.adapters.coco import CocoScenes
    from vhbench.adapters.paco import PacoScenes
    from vhbench.adapters.svg import SvgScenes

    reader = {"coco": CocoScenes, "paco": PacoScenes, "svg": SvgScenes}[name]
    scenes = reader(Path(place), Path(images), skip_bad=skip_bad)
    rejections = (Rejection(where, f"bad entry: {reason}") for reason, where in scenes.faults.items)
    return World(name, scenes, tuple(rejections))


def draw(number: int, seed: int, size: int = 512) -> World:
    """Draw a pool of scenes; what cannot be drawn is told."""
    scenes: list[Scene] = []
    rejections: list[Rejection] = []
    specs = [replace(spec, width=size, height=size) for spec in drawn_specs(number, seed)]
    for made in SceneSource().make(specs, seed=seed):
        if isinstance(made, Scene):
            scenes.append(made)
        else:
            rejections.append(made)
    if not scenes:
        raise VhbenchError(f"none of {number} scenes could be drawn")
    return World("scenes", scenes, tuple(rejections))
