"""MIOH's synthetic scenes: a pool planned for the needs of the 26 question types.

A random image is rarely a hard positive, seldom repeats a pair of objects, and hardly ever shows four of one kind. The
most demanding questions ask which of four facts holds in all ten images, while each image shows one of the others. So
every :data:`ROUND` scenes have their own cast, sampled from all suitable objects: a hub with five spokes in two
colours, in threes, to its right and left, or without it; another hub with four objects to count; and strangers, which
co-occur with nothing. A hub suggests its usual neighbours: a hard negative is an absent object whose hub is present.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from filelock import FileLock, Timeout

from vhbench.builds import sharding
from vhbench.colours import is_similar_colour
from vhbench.files import read_image, write_atomic
from vhbench.generators.scenes import CATALOG, ENVIRONMENTS, WHOLE, ConceptPart, SceneSource, clash, find, random_spec
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng
from vhbench.splits.stored_scenes import StoredScene, scene_of, truth_of

HUBS: Final = (
    "person", "bench", "bottle", "chair", "clock", "giraffe", "fire hydrant", "keyboard", "kite", "laptop",
    "microwave", "orange", "banana", "oven", "airplane", "refrigerator", "remote", "seagull", "traffic light", "couch",
    "surfboard", "teddy bear", "tennis ball", "toilet", "vase",
)  # fmt: skip
"""Drawings that photo detectors recognize: YOLO11n and YOLOX-nano, both trained on COCO."""

_PAINTS: Final = ("red", "yellow", "green", "blue")
_PAIRS: Final = tuple(
    (one, other) for one, other in permutations(_PAINTS, 2) if not is_similar_colour(one, other, flat=True)
)
_ALT: Final = 0.2  # how often a spoke without a neighbour in the other colour has that colour, too
_SPOKES, _COUNTED, _STRANGERS = 5, 4, 44
_AT_ONCE: Final = 3  # strangers in a scene
_CHUNK: Final = 16


@dataclass(frozen=True, slots=True)
class Cast:
    """The objects of a round.

    Attributes:
        hub: object that the spokes are placed next to, and that suggests them.
        spokes: five objects that may have either colour of ``paints``.
        paints: the usual colour, to the right of the hub, and the other one, which suggests it.
        keeper: object that suggests the counted ones.
        counted: four objects to count.
        strangers: objects that co-occur with nothing.
    """

    hub: str
    spokes: tuple[str, ...]
    paints: tuple[str, ...]
    keeper: str
    counted: tuple[str, ...]
    strangers: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All words."""
        return (self.hub, *self.spokes, self.keeper, *self.counted, *self.strangers)


Plan = tuple[list[ObjectSpec], tuple[tuple[int, str, int], ...]]
"""Objects and the relations between them."""

Purpose = Callable[[Cast, np.random.Generator], Plan]
"""Function that plans a scene for the objects of a round."""


def spec(index: int, seed: int, part: ConceptPart = WHOLE) -> SceneSpec:
    """Return the specification of one scene of a synthetic pool, for a concept split."""
    turn, place = divmod(index, ROUND)
    order = rng(seed, "mioh", "round", turn).permutation(ROUND)
    things, relations = _PURPOSES[int(order[place])](cast(turn, seed, part), rng(seed, "mioh", "scene", index))
    name = f"mioh-{index}" if part == WHOLE else f"mioh-{part.number}of{part.of}-{index}"
    among = _places(part)
    planned = random_spec(seed, "mioh", index, id=name, must=things, k=len(things), among=among)
    return replace(planned, relations=relations)


@lru_cache(maxsize=32)
def _places(part: ConceptPart) -> tuple[str, ...]:
    return tuple(name for name in ENVIRONMENTS if part.holds(name))


# -- casts of rounds -------------------------------------------------------------------------------------------------

_DEALT: Final = 5
"""Rounds without a common object if no object is excluded; then the deck is reshuffled."""


def cast(turn: int, seed: int, part: ConceptPart = WHOLE) -> Cast:
    """Return the objects of a round.

    Raises:
        VhbenchError: if a concept split has too few objects.
    """
    deal, place = divmod(turn, dealt(part))
    return _casts(deal, seed, part)[place]


@lru_cache(maxsize=32)
def dealt(part: ConceptPart) -> int:
    """Return the number of rounds without a common object; it depends on the concept split."""
    hubs, things = _held(part, HUBS), _held(part, _THINGS)
    spokes = sum(map(_paintable, things)) // (2 * _SPOKES)  # some conflict with others
    return max(1, min(_DEALT, len(hubs) // 2, spokes, len(things) // (2 + _SPOKES + _COUNTED + _STRANGERS)))


_THINGS: Final = tuple(entry.name for entry in CATALOG.values())


def _held(part: ConceptPart, words: Sequence[str]) -> list[str]:
    return [word for word in words if part.holds(word)]


@lru_cache(maxsize=32)
def _casts(deal: int, seed: int, part: ConceptPart) -> list[Cast]:
    random, rounds = rng(seed, "mioh", "casts", deal), dealt(part)
    hubs = sorted(_shuffled(_held(part, HUBS), random)[: 2 * rounds], key=_hardly_stands)
    deck = [name for name in _shuffled(_held(part, _THINGS), random) if name not in hubs]
    if len(hubs) < 2 * rounds:
        raise VhbenchError(_too_few(part))
    casts = []
    for hub, keeper in zip(hubs[:rounds], hubs[rounds:], strict=True):  # standing objects have others next to them
        spokes = _take(deck, _SPOKES, [hub], _paintable)
        counted = _take(deck, _COUNTED, [keeper], _stands)
        if len(spokes) < _SPOKES or len(counted) < _COUNTED:
            raise VhbenchError(_too_few(part))
        casts.append(Cast(hub, spokes, _PAIRS[int(random.integers(len(_PAIRS)))], keeper, counted, ()))
    return [replace(who, strangers=_take(deck, _STRANGERS, list(who.words), lambda _: True)) for who in casts]


def _too_few(part: ConceptPart) -> str:
    return (
        f"--part {part}: has too few objects for MIOH's synthetic scenes, which need 2 that suggest others, {_SPOKES} "
        f"that can be coloured and {_COUNTED} to count, none like another: take fewer parts"
    )


def _shuffled(words: Sequence[str], random: np.random.Generator) -> list[str]:
    order: list[int] = random.permutation(len(words)).tolist()
    return [words[i] for i in order]


def _take(deck: list[str], number: int, company: list[str], suits: Callable[[str], bool]) -> tuple[str, ...]:
    """Take suitable words from the deck, none ambiguous with another or with the company."""
    taken: list[str] = []
    for word in list(deck):
        if len(taken) < number and suits(word) and not clash(word, [*company, *taken]):
            taken.append(word)
            deck.remove(word)
    return tuple(taken)


def _stands(word: str) -> bool:
    """Return whether an object is countable, wide enough, and on a surface."""
    entry = find(word)
    return entry.countable and entry.place in ("ground", "table") and word not in _SLIM and word not in _THIN


def _paintable(word: str) -> bool:
    """Return whether an object shows enough of each colour and is reliably absent elsewhere."""
    return _stands(word) and word not in _MOTLEY and word not in _ABOUT and {*_PAINTS} <= {*find(word).colours}


def _hardly_stands(word: str) -> tuple[bool, bool]:
    """Return a sort key that puts hubs with poor room for neighbours last.

    Worst are objects that may be lying, then those above the ground.
    """
    entry = find(word)
    return bool(entry.actions), entry.place != "ground"


_SLIM: Final = frozenset(
    "bamboo,cable,chopsticks,crutch,fishing rod,fork,handrail,knife,landing net,light bulb,necklace,earring,paddle,"
    "pen,paint brush,pole,rope,scissors,skis,spoon,toothbrush,toothpicks,wire,bracelet,ring,tie,street lamp,"
    "goal,sunglasses,baseball bat,bottle opener,rack,guardrail,fence,pipe,sticky note,ribbon,shovel,net".split(",")
)
"""Objects that cover less than a hundredth of an image at ordinary size."""

_THIN: Final = frozenset("antelope,bicycle,deer,fox,goose,lounge chair,pinwheel,potted plant,shrimp".split(","))
"""Objects that fill so little of their box that half of their small drawings are faint."""

_MOTLEY: Final = frozenset(
    ("alarm clock", "bed", "bicycle", "book", "hair drier", "floor lamp", "motorcycle", "tennis racket")
)
"""Objects with so little paint that the colour was unclear in at least one drawing in six."""

_ABOUT: Final = frozenset("house,lamp,cabinet,chair,bowl,pot,snowboard,dining table,refrigerator,dresser".split(","))
"""Objects in at least one scene in ten unplanned: their absence is not known there."""


# -- purposes of scenes ----------------------------------------------------------------------------------------------


def _beside(right: Sequence[int], left: Sequence[int] = (), *, hard: bool = False) -> Purpose:
    """Plan the hub with spokes to its right, and to its left in the other colour."""

    def plan(who: Cast, random: np.random.Generator) -> Plan:
        spokes = [_painted(who, i, random, hard, i in left, sure=bool(left)) for i in (*right, *left)]
        sides = ["left of"] * len(right) + ["right of"] * len(left)
        return [_thing(who.hub, hard), *spokes], tuple((0, side, i) for i, side in enumerate(sides, 1))

    return plan


def _apart(some: Sequence[int], *, hard: bool = False, stranger: int = -1) -> Purpose:
    """Plan some spokes without their hub."""

    def plan(who: Cast, random: np.random.Generator) -> Plan:
        return [_painted(who, i, random, hard) for i in some] + _strangers(who, stranger, stranger >= 0), ()

    return plan


def _waiting(turn: int, *, hard: bool = False) -> Purpose:
    """Plan a hub without the objects that it suggests."""

    def plan(who: Cast, _: np.random.Generator) -> Plan:
        return [_thing(who.hub, hard), *_strangers(who, 30 + 2 * turn, 2)], ()

    return plan


def _counting(which: int, number: int, *, keeper: bool = False, hard: bool = False, stranger: int = -1) -> Purpose:
    """Plan several instances of an object: with a keeper of others, a stranger, or alone."""

    def plan(who: Cast, _: np.random.Generator) -> Plan:
        things = [replace(_thing(who.counted[which], hard), count=number)] + [_thing(who.keeper)] * keeper
        return things + _strangers(who, stranger, stranger >= 0), ()

    return plan


def _strange(turn: int, *, hard: bool) -> Purpose:
    """Plan strangers, easy or hard to see."""

    def plan(who: Cast, _: np.random.Generator) -> Plan:
        return _strangers(who, 38 + turn * _AT_ONCE, _AT_ONCE, hard), ()

    return plan


def _strangers(who: Cast, start: int, number: int, hard: bool = False) -> list[ObjectSpec]:
    words = dict.fromkeys(who.strangers[(start + i) % len(who.strangers)] for i in range(number))
    return [_thing(word, hard) for word in words]


def _painted(
    who: Cast, which: int, random: np.random.Generator, hard: bool, other: bool = False, *, sure: bool = False
) -> ObjectSpec:
    """Return a spoke in the usual colour or the other one."""
    other = other or (not sure and random.random() < _ALT)
    return replace(_thing(who.spokes[which], hard), colour=who.paints[other])


def _thing(word: str, hard: bool = False) -> ObjectSpec:
    """Return an object that is not small, occluded or cropped; if ``hard``, a small one."""
    return ObjectSpec(word, hard=("small",)) if hard else ObjectSpec(word, size="medium")


def _turned(*pairs: tuple[int, int]) -> list[tuple[tuple[int, int], tuple[int]]]:
    """Return spokes to the right and, suggesting it is there too, one to the left, per pair."""
    return [(((left + i) % 5, (left + j) % 5), (left,)) for i, j in pairs for left in range(5)]


_THREES: Final = tuple(combinations(range(5), 3))
_NEIGHBOURS: Final = tuple((i, (i + 1) % 5, (i + 2) % 5) for i in range(5))
_OTHERS: Final = tuple((i, (i + 1) % 5, (i + 3) % 5) for i in range(5))
_NUMBERS: Final = ((1,) * 4, (1, 2, 1, 2), (2,) * 4, (3,) * 4, (4,) * 4)

# Whichever four of the five spokes are options, and whichever of them is correct in all images: two of the sided scenes
# lack it in none, and each of the other three in one; so do the hard ones. Two of the ten threes lack two.
_PURPOSES: Final[tuple[Purpose, ...]] = (
    *(_beside(three) for three in _THREES),
    *(_beside(*sides) for sides in _turned((1, 2), (2, 3), (3, 4), (1, 4))),
    *(_beside(three, hard=True) for three in _OTHERS),
    *(_beside(*sides, hard=True) for sides in _turned((1, 2), (3, 4), (1, 4))),
    *(_apart(three, stranger=i) for i, three in enumerate(_THREES)),
    *(_apart(three, hard=True) for three in _NEIGHBOURS),
    *(_waiting(turn, hard=turn > 2) for turn in range(4)),
    *(_counting(i, n, stranger=10 + 4 * row + i) for row, line in enumerate(_NUMBERS) for i, n in enumerate(line)),
    *(_counting(i, number, keeper=True) for i in range(_COUNTED) for number in (1, 2, 3)),
    *(_counting(i, number, hard=True) for i in range(_COUNTED) for number in (1, 1, 2, 2, 3)),
    *(_strange(turn, hard=turn % 4 == 3) for turn in range(8)),
)  # fmt: skip
"""Scenes of a round: each spoke in 24 easy, 15 hard; each counted object in 8 and 5."""

ROUND: Final = len(_PURPOSES)
"""Scenes of a round."""


# -- rendering, alone or together ------------------------------------------------------------------------------------


def check(number: int, seed: int, part: ConceptPart) -> None:
    """Check that a pool can be planned before anything is rendered.

    Raises:
        VhbenchError: if a concept split has too few objects for a round.
    """
    for turn in range(-(-number // ROUND)):
        cast(turn, seed, part)


def draw(
    number: int, seed: int, size: int = 512, scratch: str = "", part: ConceptPart = WHOLE
) -> tuple[list[Scene], tuple[Rejection, ...]]:
    """Render a pool of scenes for a concept split, and report the scenes that failed.

    ``scratch`` is a folder in which several processes share the work, each rendering scenes that no other is rendering;
    "" renders everything here.

    Raises:
        VhbenchError: if no scene can be rendered.
    """
    chunks = [(at, min(at + _CHUNK, number)) for at in range(0, number, _CHUNK)]
    if scratch:
        made = _draw_together(chunks, _folder(scratch, number, seed, size, part), seed, size, part)
    else:
        made = [item for chunk in chunks for item in _draw_chunk(chunk, seed, size, part)]
    scenes = [item for item in made if isinstance(item, Scene)]
    if not scenes:
        raise VhbenchError(f"none of {number} scenes could be drawn")
    return scenes, tuple(item for item in made if isinstance(item, Rejection))


def _folder(scratch: str, number: int, seed: int, size: int, part: ConceptPart) -> Path:
    """Name the shared folder such that the end of a build removes it with its parts."""
    mark = hashlib.sha256(f"{number} {seed} {size} {part} {sharding.code_digest()}".encode()).hexdigest()[:16]
    return Path(scratch) / f".mioh.pool-{mark}.parts"


def _draw_chunk(chunk: tuple[int, int], seed: int, size: int, part: ConceptPart = WHOLE) -> list[Scene | Rejection]:
    specs = [replace(spec(i, seed, part), width=size, height=size) for i in range(*chunk)]
    return list(SceneSource().make(specs, seed=seed))


def _draw_together(
    chunks: Sequence[tuple[int, int]], folder: Path, seed: int, size: int, part: ConceptPart
) -> list[Scene | Rejection]:
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[int, int], list[Scene | Rejection]] = {}
    with FileLock(str(folder / f"in-use-{os.getpid()}.lock")):  # while locked, the folder is not removed
        for patience in (0, -1):  # first the free scenes, then wait for those of other processes
            for chunk in (c for c in chunks if c not in found):
                path = folder / f"{chunk[0]:06d}.msgpack"
                try:
                    with FileLock(str(path.with_suffix(".lock")), timeout=patience):
                        if not path.is_file():
                            write_atomic(path, _packed(_draw_chunk(chunk, seed, size, part)))
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
