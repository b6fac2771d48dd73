"""MIOH's drawn scenes: a pool planned for what the 26 question types need of it.

A random picture is rarely a hard positive, seldom shows the same pair of things again, and hardly ever four of one
kind. The most demanding questions ask which of four facts is true of all ten images, so each of the four must be shown
in ten images, easy and hard, with and without something that suggests the other three. So the scenes of a pool have
purposes, in turn: places (a hub beside some of four spokes), colours (two things in one of two colours each), company
(things of one theme, which makes co-occurrence), few (one or two well-known things, easy or hard), and counts.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from filelock import FileLock, Timeout

from vhbench.builds import sharding
from vhbench.files import read_image, write_atomic
from vhbench.generators.scenes import SceneSource, find, random_spec
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng
from vhbench.splits.stored_scenes import StoredScene, scene_of, truth_of


@dataclass(frozen=True, slots=True)
class Theme:
    """Things that are drawn together: few words, so that each occurs often; rivals (near-synonyms) are left out.

    Attributes:
        hub: what the spokes stand beside.
        spokes: four things, left or right of the hub.
        painted: two things that occur in the colours of :data:`PAINTS`.
        others: two more, which carry the colours that the painted ones lack.
    """

    hub: str
    spokes: tuple[str, str, str, str]
    painted: tuple[str, str]
    others: tuple[str, str]

    @property
    def words(self) -> tuple[str, ...]:
        """All words, each once."""
        return tuple(dict.fromkeys((self.hub, *self.spokes, *self.painted, *self.others)))


THEMES: Final = {
    "street": Theme(
        "dog", ("bicycle", "bench", "fire hydrant", "trash can"), ("car", "bench"), ("motorcycle", "umbrella")
    ),
    "meadow": Theme("horse", ("sheep", "tent", "bucket", "flag"), ("tent", "flag"), ("bucket", "balloon")),
    "home": Theme("cat", ("chair", "suitcase", "floor lamp", "guitar"), ("dresser", "chair"), ("backpack", "guitar")),
}
PAINTS: Final = (("red", "blue", "black"), ("yellow", "green", "brown"))

_STAYS: Final = 0.85  # how often a word comes from the scene's own theme: this makes co-occurrence
_COLOURS: Final = ("red", "blue", "yellow", "white", "black", "brown")
_COUNTS: Final = (1, 1, 1, 1, 2, 2, 3, 4)
_HARD: Final = ("small", "occluded", "truncated")
_HARD_ALONE: Final = ("small", "truncated")  # without anything to hide behind
_MOST: Final = 8
_LEADS: Final = 4
_CHUNK: Final = 16

Plan = tuple[list[ObjectSpec], tuple[tuple[int, str, int], ...]]
"""Things, and the relations between them."""

Purpose = Callable[[str, int, np.random.Generator], Plan]
"""Makes a plan for a theme; the number tells how many it has made for it."""


def spec(index: int, seed: int) -> SceneSpec:
    """Return what one scene of a drawn pool shall show."""
    turn, which = divmod(index, len(THEMES))
    theme = list(THEMES)[which]
    purposes = _PURPOSES[theme]
    again, now = divmod(turn, len(purposes))
    # How often this purpose has had its turn before: some go through a list.
    before = again * purposes.count(purposes[now]) + purposes[:now].count(purposes[now])
    things, relations = purposes[now](theme, before, rng(seed, "mioh", "scene", index))
    planned = random_spec(seed, "mioh", index, id=f"mioh-{index}", must=things, k=len(things))
    return replace(planned, relations=relations)


def _company(theme: str, _: int, random: np.random.Generator) -> Plan:
    """2–5 words, mostly of one theme, with counts, colours and a hard one here and there."""
    wanted, words = int(random.integers(2, 6)), list[str]()
    while len(words) < wanted:
        pool = THEMES[theme if random.random() < _STAYS else str(random.choice(list(THEMES)))].words
        word = str(random.choice(pool))
        if word not in words:
            words.append(word)
    things: list[ObjectSpec] = []
    for word in words:
        room = _MOST - sum(t.count for t in things) - (len(words) - len(things) - 1)
        count = min(int(random.choice(_COUNTS)), max(1, room))
        things.append(_thing(word, random, hard=random.random() < 0.3, count=count))
    return things, ()


def _few(theme: str, _: int, random: np.random.Generator) -> Plan:
    """One or two leads, both easy or both hard."""
    hard = random.random() < 0.6
    number = 1 + int(random.random() < 0.5)
    words = random.permutation(THEMES[theme].words[:_LEADS])[:number].tolist()
    return [_thing(word, random, hard=hard) for word in words], ()


def _counts(theme: str, _: int, random: np.random.Generator) -> Plan:
    """Two leads several times."""
    words = random.permutation(THEMES[theme].words[:_LEADS])[:2].tolist()
    first = int(random.integers(1, 6))
    return [
        _thing(words[0], random, count=first, hard=random.random() < 0.5),
        _thing(words[1], random, count=int(random.integers(1, 1 + min(4, _MOST - first)))),
    ], ()


_TWO_TRUE: Final = tuple(((i, j), ()) for i, j in combinations(range(4), 2))
_ONE_FALSE: Final = tuple(((i,), (j,)) for i, j in permutations(range(4), 2))
_TWO_FALSE: Final = tuple(((i,), ((i + a) % 4, (i + a + 1) % 4)) for i in range(4) for a in (1, 2))
_BESIDE: Final = tuple(
    (*sides, hard)
    for several, hard in (
        (_TWO_TRUE, False), (_ONE_FALSE, False), (_ONE_FALSE, True), (_TWO_FALSE, True), (_TWO_TRUE, True),
        (_TWO_FALSE, False), (_TWO_TRUE, False), (_TWO_TRUE, False),
    )
    for sides in several
)  # fmt: skip
"""Spokes to the right of the hub, spokes to its left (which suggest that they are to its right), the hub hard to see.

In 64 images each spoke is to the right in 14 easy and 8 hard ones, and each two spokes differ in easy, suggestive and
hard ones, which is what "which is true of all ten images" asks for.
"""


def _places(theme: str, before: int, _: np.random.Generator) -> Plan:
    """A hub with spokes to its right and left."""
    right, left, hard = _BESIDE[before % len(_BESIDE)]
    # Small, if hard: what hides a thing stands in its way sideways, too, and the frame has no room on both sides.
    hub = THEMES[theme].hub
    things = [ObjectSpec(hub, hard=("small",)) if hard else ObjectSpec(hub, size="medium")]
    things += [ObjectSpec(THEMES[theme].spokes[i], size="medium") for i in (*right, *left)]
    sides = ["left of"] * len(right) + ["right of"] * len(left)
    return things, tuple((0, side, i) for i, side in enumerate(sides, 1))


_PAINTED: Final = tuple(
    (paints, suggested, hard)
    for suggested, hard in ((0, False), (1, False), (1, True), (2, False), (2, True), (0, True), (0, False))
    for paints in product(range(3), repeat=2)
)
"""Which paints the two painted things have, which of those that they lack other things carry, hard to see.

In 63 images each colour of each thing is shown in 12 easy and 9 hard ones.
"""


def _colours(theme: str, before: int, random: np.random.Generator) -> Plan:
    """Two painted things, and sometimes others in the colours that these lack."""
    paints, suggested, hard = _PAINTED[before % len(_PAINTED)]
    things, others = [], []
    for word, other, colours, i in zip(THEMES[theme].painted, THEMES[theme].others, PAINTS, paints, strict=True):
        things.append(replace(_clear(word, hard, random), colour=colours[i]))
        lacking = [colour for colour in colours[:2] if colour != colours[i]]
        others.append(ObjectSpec(other, colour=lacking[suggested % len(lacking)]))
    return things + others * bool(suggested), ()


_MET: Final = tuple((abroad, hard) for hard in (False, True, True, False) for abroad in (0, 1, 0, 2))  # 0: alone


def _strangers(theme: str, before: int, random: np.random.Generator) -> Plan:
    """A hub alone, or among what belongs to another hub (which it suggests)."""
    abroad, hard = _MET[before % len(_MET)]
    hub = THEMES[theme].hub
    names = list(THEMES)
    other = THEMES[names[(names.index(theme) + abroad) % len(names)]]
    spokes = random.permutation(other.spokes)[:2].tolist() if abroad else []
    return [_clear(hub, hard, random), *(ObjectSpec(word) for word in spokes)], ()


def _clear(word: str, hard: bool, random: np.random.Generator) -> ObjectSpec:
    """One thing, neither too small nor hidden nor cut; or too small, or cut."""
    if hard:
        return ObjectSpec(word, hard=(str(random.choice(_HARD_ALONE)),))
    return ObjectSpec(word, size="medium")


def _thing(word: str, random: np.random.Generator, *, hard: bool = False, count: int = 1) -> ObjectSpec:
    entry = find(word)
    colours = [c for c in _COLOURS if c in entry.colours][:2]
    colour = str(random.choice(colours)) if colours else ""
    kinds = ("small",) if count > 2 else _HARD
    return ObjectSpec(word, count=count, colour=colour, hard=(str(random.choice(kinds)),) if hard else ())


_PURPOSES: Final[dict[str, tuple[Purpose, ...]]] = {
    "street": (_company, _places, _few, _places, _counts, _places, _strangers, _places, _counts, _places),
    "meadow": (_company, _colours, _few, _colours, _counts, _colours, _strangers, _colours, _counts, _colours),
    "home": (*(_places, _colours) * 3, _strangers, *(_places, _colours) * 2, _company),
}
"""What the scenes of a theme are for, in turn."""


# -- drawing, alone or together --------------------------------------------------------------------------------------


def draw(number: int, seed: int, size: int = 512, scratch: str = "") -> tuple[list[Scene], tuple[Rejection, ...]]:
    """Draw a pool of scenes; what cannot be drawn is told.

    ``scratch`` is a folder in which several processes share the work, each drawing what no other is at; "" to draw
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
    specs = [replace(spec(i, seed), width=size, height=size) for i in range(*chunk)]
    return list(SceneSource().make(specs, seed=seed))


def _draw_together(chunks: Sequence[tuple[int, int]], folder: Path, seed: int, size: int) -> list[Scene | Rejection]:
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[int, int], list[Scene | Rejection]] = {}
    with FileLock(str(folder / f"in-use-{os.getpid()}.lock")):  # held: what is in use is not swept away
        for patience in (0, -1):  # first what nobody is at, then wait for the others
            for chunk in (c for c in chunks if c not in found):
                path = folder / f"{chunk[0]:06d}.msgpack"
                try:
                    with FileLock(str(path.with_suffix(".lock")), timeout=patience):
                        if not path.is_file():
                            write_atomic(path, _packed(_draw_chunk(chunk, seed, size)))
                        found[chunk] = _unpacked(path)
                except Timeout:
                    continue
    return [item for chunk in chunks for item in found[chunk]]


def _packed(items: Sequence[Scene | Rejection]) -> bytes:
    scenes = [(truth_of(item), read_image(item.image)) if isinstance(item, Scene) else item for item in items]
    return msgspec.msgpack.encode(scenes)


def _unpacked(path: Path) -> list[Scene | Rejection]:
    items = msgspec.msgpack.decode(path.read_bytes(), type=list[tuple[StoredScene, bytes] | Rejection])
    return [item if isinstance(item, Rejection) else replace(scene_of(item[0]), image=item[1]) for item in items]
