"""MIOH's drawn scenes: a pool planned for what the 26 question types need of it.

A random picture is rarely a hard positive, seldom shows the same pair of things again, and hardly ever four of one
kind. So the scenes of a pool have purposes, in turn: company (things of one theme, which makes co-occurrence), pairs
(the same two things again, in a given relation), few (one or two well-known things, easy or hard), and counts.
"""

import base64
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import orjson
from filelock import FileLock, Timeout

from vhbench.builds import sharding
from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.source import SceneSource
from vhbench.generators.scenes.specs import random_spec
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError, read_image
from vhbench.seeding import rng
from vhbench.splits import layout
from vhbench.splits.truth import Truth, scene_of, truth_of

THEMES: Final[dict[str, tuple[str, ...]]] = {
    "street": ("dog", "bicycle", "bench", "car", "fire hydrant", "motorcycle", "trash can", "umbrella"),
    "meadow": ("horse", "sheep", "tent", "bird", "balloon", "pig", "bucket", "flag"),
    "home": ("cat", "chair", "teddy bear", "suitcase", "floor lamp", "backpack", "dresser", "guitar"),
}
"""What is drawn together: few words, so that each occurs often; rivals (near-synonyms) are left out.

The first two of a theme are its pair; the first four, its leads, occur in two colours and in all difficulties.
"""

_STAYS: Final = 0.85  # how often a word comes from the scene's own theme: this makes co-occurrence
_COLOURS: Final = ("red", "blue", "yellow", "white", "black", "brown")
_COUNTS: Final = (1, 1, 1, 1, 2, 2, 3, 4)
_HARD: Final = ("small", "occluded", "truncated")
_MOST: Final = 8
_LEADS: Final = 4
_CHUNK: Final = 16


def drawn_specs(number: int, seed: int) -> list[SceneSpec]:
    """Return what the scenes of a drawn pool shall show; a longer pool begins with a shorter one."""
    return [_spec(i, seed) for i in range(number)]


def _spec(index: int, seed: int) -> SceneSpec:
    random = rng(seed, "mioh", "scene", index)
    names = list(THEMES)
    theme = names[index % len(names)]
    things = _PURPOSES[index // len(names) % len(_PURPOSES)](theme, random)
    spec = random_spec(seed, "mioh", index, id=f"mioh-{index}", must=things, k=len(things))
    if _PURPOSES[index // len(names) % len(_PURPOSES)] is _pair:
        spec = replace(spec, relations=((0, "left of" if random.random() < 0.6 else "right of", 1),))
    return spec


def _company(theme: str, random: np.random.Generator) -> list[ObjectSpec]:
    """2–5 words, mostly of one theme, with counts, colours and a hard one here and there."""
    wanted, words = int(random.integers(2, 6)), list[str]()
    while len(words) < wanted:
        pool = THEMES[theme] if random.random() < _STAYS else THEMES[str(random.choice(list(THEMES)))]
        word = str(random.choice(pool))
        if word not in words:
            words.append(word)
    things: list[ObjectSpec] = []
    for word in words:
        room = _MOST - sum(t.count for t in things) - (len(words) - len(things) - 1)
        count = min(int(random.choice(_COUNTS)), max(1, room))
        things.append(_thing(word, random, hard=random.random() < 0.3, count=count))
    return things


def _pair(theme: str, random: np.random.Generator) -> list[ObjectSpec]:
    """The theme's pair, sometimes with a third; one of the two is hard in a third of the scenes."""
    words = THEMES[theme]
    hard = int(random.integers(2)) if random.random() < 0.4 else -1
    things = [_thing(word, random, hard=i == hard) for i, word in enumerate(words[:2])]
    return things + [_thing(words[2], random) for _ in range(int(random.random() < 0.4))]


def _few(theme: str, random: np.random.Generator) -> list[ObjectSpec]:
    """One or two leads, both easy or both hard."""
    hard = random.random() < 0.6
    number = 1 + int(random.random() < 0.5)
    words = random.permutation(THEMES[theme][:_LEADS])[:number].tolist()
    return [_thing(word, random, hard=hard) for word in words]


def _counts(theme: str, random: np.random.Generator) -> list[ObjectSpec]:
    """Two leads several times."""
    words = random.permutation(THEMES[theme][:_LEADS])[:2].tolist()
    first = int(random.integers(1, 6))
    return [
        _thing(words[0], random, count=first, hard=random.random() < 0.5),
        _thing(words[1], random, count=int(random.integers(1, 1 + min(4, _MOST - first)))),
    ]


def _thing(word: str, random: np.random.Generator, *, hard: bool = False, count: int = 1) -> ObjectSpec:
    entry = catalog.find(word)
    colours = [c for c in _COLOURS if c in entry.colours][:2]
    colour = str(random.choice(colours)) if colours else ""
    kinds = ("small",) if count > 2 else _HARD
    return ObjectSpec(word, count=count, colour=colour, hard=(str(random.choice(kinds)),) if hard else ())


_PURPOSES: Final[tuple[Callable[[str, np.random.Generator], list[ObjectSpec]], ...]] = (
    _company, _pair, _few, _pair, _counts, _few, _pair, _few,
)  # fmt: skip


# -- drawing, alone or together --------------------------------------------------------------------------------------


def draw(number: int, seed: int, size: int = 512, scratch: str = "") -> tuple[list[Scene], tuple[Rejection, ...]]:
    """Draw a pool of scenes; what cannot be drawn is told.

    Args:
        number: of scenes.
        seed: of the split.
        size: side in pixels.
        scratch: a folder in which several processes share the work, each drawing what no other is at; "" to draw
            everything here.

    Raises:
        VhbenchError: if none can be drawn.
    """
    chunks = [(at, min(at + _CHUNK, number)) for at in range(0, number, _CHUNK)]
    if scratch:
        made = _draw_together(chunks, _folder(scratch, number, seed, size), seed, size)
    else:
        made = [item for chunk in chunks for item in _draw_chunk(chunk, seed, size)]
    scenes = [item for item in made if isinstance(item, Scene)]
    if not scenes:
        raise VhbenchError(f"none of {number} scenes could be drawn")
    return scenes, tuple(item for item in made if isinstance(item, Rejection))


def _folder(scratch: str, number: int, seed: int, size: int) -> Path:
    """Name the shared folder so that the end of a build sweeps it away with its parts."""
    mark = hashlib.sha256(f"{number} {seed} {size} {sharding.code_digest()}".encode()).hexdigest()[:16]
    return Path(scratch) / f".mioh.pool-{mark}.parts"


def _draw_chunk(chunk: tuple[int, int], seed: int, size: int) -> list[Scene | Rejection]:
    specs = [replace(_spec(i, seed), width=size, height=size) for i in range(*chunk)]
    return list(SceneSource().make(specs, seed=seed))


def _draw_together(chunks: Sequence[tuple[int, int]], folder: Path, seed: int, size: int) -> list[Scene | Rejection]:
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[int, int], list[Scene | Rejection]] = {}
    with FileLock(str(folder / f"in-use-{os.getpid()}.lock")):  # held: what is in use is not swept away
        for patience in (0, -1):  # first what nobody is at, then wait for the others
            for chunk in (c for c in chunks if c not in found):
                path = folder / f"{chunk[0]:06d}.json"
                try:
                    with FileLock(str(path.with_suffix(".lock")), timeout=patience):
                        if not path.is_file():
                            layout.write_atomic(path, _packed(_draw_chunk(chunk, seed, size)))
                        found[chunk] = _unpacked(path)
                except Timeout:
                    continue
    return [item for chunk in chunks for item in found[chunk]]


def _packed(items: Sequence[Scene | Rejection]) -> bytes:
    return orjson.dumps([
        [item.id, truth_of(item).json, base64.b64encode(read_image(item.image)).decode()] if isinstance(item, Scene)
        else {"item": item.item, "reason": item.reason, "detail": dict(item.detail)}
        for item in items
    ])  # fmt: skip


def _unpacked(path: Path) -> list[Scene | Rejection]:
    return [
        Rejection(**item) if isinstance(item, dict)
        else replace(scene_of(Truth(item[0], "", item[1])), image=base64.b64decode(item[2]))
        for item in orjson.loads(path.read_bytes())
    ]  # fmt: skip
