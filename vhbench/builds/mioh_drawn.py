"""MIOH's drawn scenes: a pool planned for what the 26 question types need of it.

A random picture is rarely a hard positive, seldom shows the same pair of things again, and hardly ever four of one
kind. The most demanding questions ask which of four facts is true of all ten images, while each image shows one of the
others. So scenes come in blocks, each with some twenty things of its own: all images of a question are of one block,
and no two blocks share an image. Of three kinds there are as many each: *places* (a hub among five spokes, each in one
of two colours), *company* (three of five things at a time) and *counts* (up to four of one thing). In each block a
hub suggests the others: a hard negative is what is missing although the hub is there. Strangers fill up.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from filelock import FileLock, Timeout

from vhbench.builds import sharding
from vhbench.files import read_image, write_atomic
from vhbench.generators.scenes import CATALOG, SceneSource, clash, find, random_spec
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng
from vhbench.splits.stored_scenes import StoredScene, scene_of, truth_of

BLOCK: Final = 56
"""Scenes of a block."""

HUBS: Final = (
    "person", "bench", "bottle", "chair", "clock", "giraffe", "fire hydrant", "keyboard", "kite", "laptop",
    "microwave", "orange", "banana", "oven", "airplane", "refrigerator", "remote", "seagull", "traffic light", "couch",
    "surfboard", "teddy bear", "tennis ball", "toilet", "vase",
)  # fmt: skip
"""Drawings that detectors of photographs know: YOLO11n and YOLOX-nano, both trained on COCO."""

_PAINTS: Final = ("red", "yellow", "green", "blue")
_ALT: Final = 0.12  # how often a spoke to the right has its other colour; to the left it always has
_STRANGERS: Final = 18
_AT_ONCE: Final = 3  # strangers in a scene
_CHUNK: Final = 16


@dataclass(frozen=True, slots=True)
class Cast:
    """The things of a block.

    Attributes:
        hub: what suggests the others; in *places*, what they stand beside.
        parts: five spokes, five companions, or four things to count.
        strangers: things that go with nothing.
        paints: of the spokes: the usual colour and the other one, which suggests the usual where others have it.
    """

    hub: str
    parts: tuple[str, ...]
    strangers: tuple[str, ...]
    paints: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All words."""
        return (self.hub, *self.parts, *self.strangers)


Plan = tuple[list[ObjectSpec], tuple[tuple[int, str, int], ...]]
"""Things, and the relations between them."""

Purpose = Callable[[Cast, np.random.Generator], Plan]
"""Makes a plan for the things of a block."""


def block_of(index: int) -> int:
    """Return the block of a scene: three blocks of each kind take turns, so that a small pool has some of each."""
    return index // (BLOCK * len(_KINDS)) * len(_KINDS) + index % len(_KINDS)


def blocks_of(scenes: Sequence[Scene]) -> list[int]:
    """Return the block of each drawn scene."""
    return [block_of(int(scene.id.split("-")[1])) for scene in scenes]


def spec(index: int, seed: int) -> SceneSpec:
    """Return what one scene of a drawn pool shall show."""
    block = block_of(index)
    purposes = _KINDS[block % len(_KINDS)]
    order = rng(seed, "mioh", "block", block).permutation(BLOCK)
    place = index % (BLOCK * len(_KINDS)) // len(_KINDS)
    purpose = purposes[int(order[place])]
    things, relations = purpose(cast(block, seed), rng(seed, "mioh", "scene", index))
    planned = random_spec(seed, "mioh", index, id=f"mioh-{index}", must=things, k=len(things))
    return replace(planned, relations=relations)


# -- who is in a block -----------------------------------------------------------------------------------------------


def cast(block: int, seed: int) -> Cast:
    """Return the things of a block, which no other one of the same round has."""
    return _casts(block // _ROUND, seed)[block % _ROUND]


_ROUND: Final = 12
"""Blocks that have no thing in common."""


@lru_cache(maxsize=32)
def _casts(turn: int, seed: int) -> list[Cast]:
    random = rng(seed, "mioh", "casts", turn)
    deck = [list(CATALOG)[i] for i in random.permutation(len(CATALOG)).tolist()]
    deck = [find(word).name for word in deck]
    hubs = [HUBS[i] for i in random.permutation(len(HUBS)).tolist()]
    hubs = sorted(hubs[:_ROUND], key=lambda word: find(word).place != "ground")  # places are beside what stands
    hubs = [hubs[i % len(_KINDS) * (_ROUND // len(_KINDS)) + i // len(_KINDS)] for i in range(_ROUND)]
    deck = [word for word in deck if word not in hubs]
    picked: list[tuple[str, list[str]]] = []
    for block, hub in enumerate(hubs):
        suits, number = _SUITS[block % len(_KINDS)]
        picked.append((hub, _take(deck, number, [hub], suits)))
    casts = []
    for block, (hub, parts) in enumerate(picked):
        strangers = _take(deck, _STRANGERS, [hub, *parts], lambda word: True)
        paints = _paints(random) if block % len(_KINDS) == 0 else ()
        casts.append(Cast(hub, tuple(parts), tuple(strangers), paints))
    return casts


def _take(deck: list[str], number: int, company: list[str], suits: Callable[[str], bool]) -> list[str]:
    """Take from the deck words that suit, of which none leaves one in doubt about another or about the company."""
    taken: list[str] = []
    for word in list(deck):
        if len(taken) < number and suits(word) and not clash(word, [*company, *taken]):
            taken.append(word)
            deck.remove(word)
    return taken


def _paints(random: np.random.Generator) -> tuple[str, ...]:
    """Return two colours, which all can have."""
    return tuple(_PAINTS[i] for i in random.permutation(len(_PAINTS))[:2].tolist())


def _stands(word: str) -> bool:
    """Tell whether a thing can be counted and stands on the ground or a table, and is broad enough to be seen."""
    entry = find(word)
    return entry.countable and entry.place in ("ground", "table") and word not in _SLIM


_SLIM: Final = frozenset(
    "bamboo,cable,chopsticks,crutch,fishing rod,fork,handrail,knife,landing net,light bulb,necklace,earring,paddle,"
    "pen,paint brush,pole,rope,scissors,skis,spoon,toothbrush,toothpicks,wire,bracelet,ring,tie,street lamp,"
    "sunglasses,baseball bat,bottle opener,rack,guardrail,fence,pipe,sticky note,ribbon,shovel,net".split(",")
)
"""What covers less than a hundredth of a picture at ordinary size."""

_PAINTED: Final = frozenset(_PAINTS)
_SUITS: Final[tuple[tuple[Callable[[str], bool], int], ...]] = (
    (lambda word: _stands(word) and {*find(word).colours} >= _PAINTED, 5),
    (_stands, 5),
    (_stands, 4),
)
"""Which words a kind of block is about, and how many."""


# -- what a scene is for ---------------------------------------------------------------------------------------------


def _beside(right: Sequence[int], left: Sequence[int] = (), *, hard: bool = False) -> Purpose:
    """A hub with spokes to its right and left."""

    def plan(who: Cast, random: np.random.Generator) -> Plan:
        things = [_thing(who.hub, hard)]
        usual, other = who.paints
        for i in (*right, *left):
            colour = other if i in left or random.random() < _ALT else usual
            things.append(replace(_thing(who.parts[i], hard), colour=colour))
        sides = ["left of"] * len(right) + ["right of"] * len(left)
        return things, tuple((0, side, i) for i, side in enumerate(sides, 1))

    return plan


def _among(some: Sequence[int], *, hub: bool = False, hard: bool = False, stranger: int = -1) -> Purpose:
    """Some of the companions, with what suggests the others, or with a stranger, or without."""

    def plan(who: Cast, _: np.random.Generator) -> Plan:
        things = [_thing(who.parts[i], hard) for i in some] + [_thing(who.hub)] * hub
        return things + [_thing(who.strangers[stranger % len(who.strangers)])] * (stranger >= 0), ()

    return plan


def _counted(which: int, number: int, *, hub: bool = False, hard: bool = False, stranger: int = -1) -> Purpose:
    """So many of one thing, with what suggests the others, or with a stranger, or alone."""

    def plan(who: Cast, _: np.random.Generator) -> Plan:
        things = [replace(_thing(who.parts[which], hard), count=number)]
        things += [_thing(who.hub)] * hub
        things += [_thing(who.strangers[stranger % len(who.strangers)])] * (stranger >= 0)
        return things, ()

    return plan


def _strange(turn: int, hard: bool) -> Purpose:
    """Some strangers, easy or hard to see."""

    def plan(who: Cast, _: np.random.Generator) -> Plan:
        words = [who.strangers[(turn * _AT_ONCE + i) % len(who.strangers)] for i in range(_AT_ONCE)]
        return [_thing(word, hard) for word in dict.fromkeys(words)], ()

    return plan


def _thing(word: str, hard: bool = False) -> ObjectSpec:
    """One thing, neither too small nor hidden nor cut; or too small."""
    return ObjectSpec(word, hard=("small",)) if hard else ObjectSpec(word, size="medium")


_TRIPLES: Final = tuple(combinations(range(5), 3))
_SIDED: Final = tuple(
    ((a, b), (left,))
    for left in range(5)
    for a, b in (
        ((left + 1) % 5, (left + 2) % 5),
        ((left + 3) % 5, (left + 4) % 5),
        ((left + 1) % 5, (left + 4) % 5),
        ((left + 2) % 5, (left + 3) % 5),
    )
)
"""Two spokes to the right, one to the left, which suggests that it is to the right."""


def _strangers(number: int, first: int = 0) -> Iterator[Purpose]:
    return (_strange(turn, hard=turn % 4 == 3) for turn in range(first, first + number))


_PLACES: Final = (
    *(_beside(three) for three in (*_TRIPLES, *_TRIPLES[:4])),
    *(_beside(*sides) for sides in _SIDED),
    *(_beside(three, hard=True) for three in _TRIPLES),
    *(_beside(*sides, hard=True) for sides in _SIDED[::3] + _SIDED[:1]),
    *_strangers(4),
)
_COMPANY: Final = (
    *(_among(three) for three in _TRIPLES),
    *(_among(three, stranger=i) for i, three in enumerate(_TRIPLES)),
    *(_among(three, hub=True) for three in _TRIPLES),
    *(_among((i,), stranger=10 + i) for i in range(5)),
    *(_among((i,), hard=True) for i in range(5)),
    *(_among((), hub=True) for _ in range(4)),
    *(_among(three, hard=True) for three in _TRIPLES[:8]),
    *_strangers(4, first=5),  # after those beside the companions
)
_OFTEN: Final = (1,) * 4 + (1, 2) * 2 + (2,) * 4 + (3,) * 4 + (4,) * 4
_TOTALS: Final = (
    *(_counted(i % 4, number, stranger=i) for i, number in enumerate(_OFTEN)),
    *(_counted(which, number, hub=True) for which in range(4) for number in (1, 2, 3)),
    *(_counted(which, number, hard=True) for which in range(4) for number in (1, 1, 2, 2, 3)),
    *_strangers(4),
)
_KINDS: Final = (_PLACES, _COMPANY, _TOTALS)
"""The scenes of a block, of each kind of blocks: each spoke or companion is shown in 10 easy and 6 hard ones or so."""


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
