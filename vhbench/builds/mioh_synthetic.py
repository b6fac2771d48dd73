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
from functools import lru_cache, partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from filelock import FileLock, Timeout

from vhbench import tsv
from vhbench.builds import sharding
from vhbench.colours import is_similar_colour
from vhbench.files import read_image, write_atomic
from vhbench.generators.scenes import CATALOG, ENVIRONMENTS, WHOLE, ConceptPart, SceneSource, clash, find, random_spec
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng
from vhbench.splits.stored_scenes import StoredScene, scene_of, truth_of

_WORDS: Final = dict(
    tsv.records(Path(__file__).with_suffix(".tsv"), lambda name, words, about: (name, words), {"words": tsv.words})
)
HUBS: Final[tuple[str, ...]] = _WORDS["hub"]
_PAINTS: Final = ("red", "yellow", "green", "blue")
_PAIRS: Final = tuple((one, other) for one, other in permutations(_PAINTS, 2) if not is_similar_colour(one, other))
_SPOKES, _COUNTED, _STRANGERS = 5, 4, 46
_AT_ONCE: Final = 3  # strangers in a scene
_ANCHOR: Final = _SPOKES - 1  # index of the spoke that the others are to the left and right of
_CHUNK: Final = 16


@dataclass(frozen=True, slots=True)
class _Cast:
    """The objects of a round."""

    hub: str  # the spokes are placed next to it; it suggests them
    spokes: tuple[str, ...]
    paints: tuple[str, ...]  # of the spokes: with the hub, the first is usual for those usually on the right
    keeper: str  # suggests the counted objects
    counted: tuple[str, ...]
    strangers: tuple[str, ...]  # co-occur with nothing

    @property
    def words(self) -> tuple[str, ...]:
        """All words."""
        return (self.hub, *self.spokes, self.keeper, *self.counted, *self.strangers)


_Plan = tuple[list[ObjectSpec], tuple[tuple[int, str, int], ...]]  # objects and the relations between them
_Purpose = Callable[[_Cast, np.random.Generator], _Plan]  # function that plans a scene for the objects of a round


def spec(index: int, seed: int, part: ConceptPart = WHOLE) -> SceneSpec:
    """Return the specification of one scene of a synthetic pool, for a concept split."""
    turn, place = divmod(index, ROUND)
    order = rng(seed, "mioh", "round", turn).permutation(ROUND)
    things, relations = _PURPOSES[int(order[place])](cast(turn, seed, part), rng(seed, "mioh", "scene", index))
    name = f"mioh-{index}" if part == WHOLE else f"mioh-{part.number}of{part.of}-{index}"
    among = tuple(_held(part, [*ENVIRONMENTS]))
    planned = random_spec(seed, "mioh", index, id=name, must=things, k=len(things), among=among)
    return replace(planned, relations=relations)


# -- casts of rounds -------------------------------------------------------------------------------------------------

_DEALT: Final = 5  # rounds without a common object if no object is excluded; then the deck is reshuffled


def cast(turn: int, seed: int, part: ConceptPart = WHOLE) -> _Cast:
    """Return the objects of a round; raise VhbenchError if a concept split has too few objects."""
    deal, place = divmod(turn, dealt(part))
    return _casts(deal, seed, part)[place]


def sided_pairs(number: int, seed: int, part: ConceptPart = WHOLE) -> frozenset[frozenset[str]]:
    """Return the pairs of objects whose sides are planned for a pool: the spoke in the middle and each of the others.

    No question is about two of the others: with usual sides, they have the middle between them more often if a relation
    is false.
    """
    casts = [cast(turn, seed, part) for turn in range(-(-number // ROUND))]
    return frozenset(frozenset((who.spokes[_ANCHOR], spoke)) for who in casts for spoke in who.spokes[:_ANCHOR])


@lru_cache(maxsize=32)
def dealt(part: ConceptPart) -> int:
    """Return the number of rounds without a common object; it depends on the concept split."""
    hubs, things = _held(part, HUBS), _held(part, _THINGS)
    spokes = sum(map(_paintable, things)) // (_SPOKES + 2)  # some conflict with others
    return max(1, min(_DEALT, len(hubs) // 2, spokes, len(things) // (_SPOKES + _COUNTED + _STRANGERS)))


_THINGS: Final = tuple(entry.name for entry in CATALOG.values() if entry.name not in HUBS)  # suggest nothing


def _held(part: ConceptPart, words: Sequence[str]) -> list[str]:
    return [word for word in words if part.holds(word)]


@lru_cache(maxsize=32)
def _casts(deal: int, seed: int, part: ConceptPart) -> list[_Cast]:
    random, rounds = rng(seed, "mioh", "casts", deal), dealt(part)
    hubs = sorted(_shuffled(_held(part, HUBS), random)[: 2 * rounds], key=_hardly_stands)
    deck = _shuffled(_held(part, _THINGS), random)
    if len(hubs) < 2 * rounds:
        raise VhbenchError(_too_few(part))
    casts = []
    for hub, keeper in zip(hubs[:rounds], hubs[rounds:], strict=True):  # standing objects have others next to them
        spokes = _take(deck, _SPOKES, [hub], _paintable)
        counted = _take(deck, _COUNTED, [keeper], _stands)
        if len(spokes) < _SPOKES or len(counted) < _COUNTED:
            raise VhbenchError(_too_few(part))
        casts.append(_Cast(hub, spokes, _PAIRS[int(random.integers(len(_PAIRS)))], keeper, counted, ()))
    beside = [_take(deck, _BESIDE, list(who.words), _stands) for who in casts]
    casts = [replace(who, strangers=some) for who, some in zip(casts, beside, strict=True)]
    rest = (_take(deck, _STRANGERS - _BESIDE, list(who.words), lambda _: True) for who in casts)
    return [replace(who, strangers=who.strangers + more) for who, more in zip(casts, rest, strict=True)]


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
    chosen: list[str] = []
    for word in list(deck):
        if len(chosen) < number and suits(word) and not clash(word, [*company, *chosen]):
            chosen.append(word)
            deck.remove(word)
    return tuple(chosen)


def _stands(word: str) -> bool:
    """Return whether an object is countable, wide enough, and on a surface."""
    entry = find(word)
    return entry.countable and entry.place in ("ground", "table") and word not in (*_WORDS["slim"], *_WORDS["thin"])


def _paintable(word: str) -> bool:
    """Return whether an object shows enough of each colour and is reliably absent elsewhere."""
    unsuitable = (*_WORDS["motley"], *_WORDS["common"])
    return _stands(word) and word not in unsuitable and {*_PAINTS} <= {*find(word).colours}


def _hardly_stands(word: str) -> tuple[bool, bool]:
    """Return a sort key that puts hubs with poor room for neighbours last: those that may lie, those in the air."""
    entry = find(word)
    return bool(entry.actions), entry.place != "ground"


# -- purposes of scenes ----------------------------------------------------------------------------------------------


def _beside(some: Sequence[int], hard: bool, who: _Cast, random: np.random.Generator) -> _Plan:
    """Plan the hub with some spokes, on sides as frequent as in the balanced scenes; colours are left to chance."""
    return [_thing(who.hub, hard), *(_thing(who.spokes[i], hard) for i in some)], _usual_sides(some, 1, True, random)


def _usual_sides(
    some: Sequence[int], start: int, hub: bool, random: np.random.Generator
) -> tuple[tuple[int, str, int], ...]:
    """Return sides of spokes at random, with or without the hub: the number of objects must not tell them."""
    patterns = _patterns(hub)
    return _sides({i: start + at for at, i in enumerate(some)}, patterns[int(random.integers(len(patterns)))])


def _sides(places: dict[int, int], right: Sequence[int]) -> tuple[tuple[int, str, int], ...]:
    """Return the relations of spokes to the one in the middle; ``places`` are their places in the list of objects."""
    if _ANCHOR not in places:
        return ()
    others = [(i, at) for i, at in places.items() if i != _ANCHOR]
    return tuple((places[_ANCHOR], "left of" if i in right else "right of", at) for i, at in others)


def _balanced(
    right: Sequence[int], painted: Sequence[int], stranger: int, hard: bool, who: _Cast, random: np.random.Generator
) -> _Plan:
    """Plan four spokes around the fifth, two on each side, two in each colour, with a stranger, or if -1 the hub.

    All objects and colours are present, and two objects have each colour; only sides and owners of the colours differ.
    A stranger takes the hub's place, so the number of objects does not reveal the pressure.
    """
    others = [paint for paint in _PAINTS if paint not in who.paints]
    middle = replace(_thing(who.spokes[_ANCHOR], hard), colour=others[int(random.integers(len(others)))])
    around = [replace(_thing(who.spokes[i], hard), colour=who.paints[i not in painted]) for i in range(_ANCHOR)]
    sides = _sides({_ANCHOR: 0, **{i: 1 + i for i in range(_ANCHOR)}}, right)
    sixth = [_thing(who.hub)] if stranger < 0 else _strangers(who, stranger, 1)
    return [middle, *around, *sixth], sides


def _apart(some: Sequence[int], hard: bool, stranger: int, who: _Cast, random: np.random.Generator) -> _Plan:
    """Plan some spokes without their hub, with a stranger in its place."""
    things = [_thing(who.spokes[i], hard) for i in some] + _strangers(who, stranger, 1)
    return things, _usual_sides(some, 0, False, random)


def _waiting(turn: int, hard: bool, who: _Cast, _: np.random.Generator) -> _Plan:
    """Plan a hub without the objects that it suggests."""
    return [_thing(who.hub, hard), *_strangers(who, 21 + 2 * turn, 2)], ()


def _counting(which: int, number: int, hard: bool, stranger: int, who: _Cast, random: np.random.Generator) -> _Plan:
    """Plan several instances of an object and another number of a stranger, or if that is -1 of any, with the keeper.

    The keeper suggests the object. A number alone must not answer, so each is as often the stranger's as the object's.
    """
    standing = [word for word in who.strangers if _stands(word)]
    at = stranger if stranger >= 0 else int(random.integers(len(standing)))
    numbers = [n for n in _NUMBERS_ELSEWHERE if n != number]
    other = replace(_thing(standing[at % len(standing)]), count=numbers[int(random.integers(len(numbers)))])
    keeper = [_thing(who.keeper)] if stranger < 0 else []
    return [replace(_thing(who.counted[which], hard), count=number), other, *keeper], ()


def _strange(turn: int, hard: bool, who: _Cast, _: np.random.Generator) -> _Plan:
    """Plan strangers, easy or hard to see."""
    return _strangers(who, 28 + turn * _AT_ONCE, _AT_ONCE, hard), ()


def _strangers(who: _Cast, start: int, number: int, hard: bool = False) -> list[ObjectSpec]:
    words = dict.fromkeys(who.strangers[(start + i) % len(who.strangers)] for i in range(number))
    return [_thing(word, hard) for word in words]


def _thing(word: str, hard: bool = False) -> ObjectSpec:
    """Return an object that is not small, occluded or cropped; if ``hard``, a small one."""
    return ObjectSpec(word, hard=("small",)) if hard else ObjectSpec(word, size="medium")


_THREES: Final = tuple(combinations(range(5), 3))
_NEIGHBOURS: Final = tuple((i, (i + 1) % 5, (i + 2) % 5) for i in range(5))
_NUMBERS: Final = ((1,) * 4, (1, 2, 1, 2), (2,) * 4, (3,) * 4, (4,) * 4)
_NUMBERS_ELSEWHERE: Final = (1,) * 5 + (2,) * 6 + (3,) * 4 + (4,)  # about as frequent as in all images to count


_USUAL, _TURNED = (0, 1), (2, 3)  # spokes on the right, and in the first colour, as is usual with the hub; turned round
_MIXED: Final = ((0, 2), (0, 3), (1, 2), (1, 3))


def _patterns(hub: bool) -> Sequence[tuple[int, int]]:
    """Return which spokes are on the right, or have the first colour, in every six scenes with or without the hub."""
    return (*(_USUAL if hub else _TURNED,) * 2, *_MIXED)


def _halves(rounds: int, hub: bool, hard: bool) -> list[_Purpose]:
    """Plan balanced scenes: with the hub, each spoke has its usual side and its usual colour in 4 of 6, else in 2.

    So the hub suggests sides and owners of colours, too; no stranger does.
    """
    pairs = _patterns(hub)
    return [
        partial(_balanced, pair, pairs[(i + 1 + turn) % len(pairs)], -1 if hub else _CALM * hard + turn, hard)
        for turn in range(rounds)
        for i, pair in enumerate(pairs)
    ]


# rounds of balanced scenes: easy ones, those with the hub (HN), and those that are hard to see (HP)
_CALM, _PRESSED, _HIDDEN = 7, 6, 4
_BESIDE: Final = _CALM + _HIDDEN  # strangers in them, and in images to count: those then show what others do

# With the hub, which suggests the spokes, two thirds of the balanced scenes show a fact about a usual side or colour,
# as HN requires; without it, as easy questions do, one third. The others show its distractor: the other way round.
# Purposes of the scenes of a round
_PURPOSES: Final[tuple[_Purpose, ...]] = (
    *_halves(_CALM, hub=False, hard=False),
    *_halves(_PRESSED, hub=True, hard=False),
    *_halves(_HIDDEN, hub=False, hard=True),
    *_halves(2, hub=True, hard=True),
    *(partial(_beside, three, False) for three in (*_THREES, *_NEIGHBOURS)),
    *(partial(_beside, three, True) for three in _NEIGHBOURS * 2),
    *(partial(_apart, three, False, _BESIDE + i % 10) for i, three in enumerate((*_THREES, *_NEIGHBOURS))),
    *(partial(_apart, three, True, _BESIDE + i) for i, three in enumerate(_NEIGHBOURS * 2)),
    *(partial(_waiting, turn, turn > 2) for turn in range(4)),
    *(
        partial(_counting, i, number, False, (5 * row + i) % _CALM)
        for row, line in enumerate(_NUMBERS)
        for i, number in enumerate(line)
    ),
    *(
        partial(_counting, i, number, hard, -1 if kept else _CALM + (turn + i) % _HIDDEN)
        for hard, kept in ((False, True), (True, False), (True, True))
        for i in range(_COUNTED)
        for turn, number in enumerate((1, 2, 3, 1 + i % 2))
    ),
    *(partial(_strange, turn, turn % 4 == 3) for turn in range(6)),
)

ROUND: Final = len(_PURPOSES)  # scenes of a round


# -- rendering, alone or together ------------------------------------------------------------------------------------


def check(number: int, seed: int, part: ConceptPart) -> None:
    """Check that a pool can be planned; raise VhbenchError if a concept split has too few objects for a round."""
    for turn in range(-(-number // ROUND)):
        cast(turn, seed, part)


def draw(
    number: int, seed: int, size: int = 512, scratch: str = "", part: ConceptPart = WHOLE
) -> tuple[list[Scene], tuple[Rejection, ...]]:
    """Render a pool of scenes for a concept split, and report the scenes that failed.

    ``scratch`` is a folder in which several processes share the work, each rendering scenes that no other is rendering;
    "" renders everything here. Raises VhbenchError if no scene can be rendered.
    """
    chunks = [(at, min(at + _CHUNK, number)) for at in range(0, number, _CHUNK)]
    if scratch:
        mark = hashlib.sha256(f"{number} {seed} {size} {part} {sharding.code_digest()}".encode()).hexdigest()[:16]
        folder = Path(scratch) / f".mioh.pool-{mark}.parts"  # a name with which the end of a build removes it
        items = _draw_together(chunks, folder, seed, size, part)
    else:
        items = [item for chunk in chunks for item in _draw_chunk(chunk, seed, size, part)]
    scenes = [item for item in items if isinstance(item, Scene)]
    if not scenes:
        raise VhbenchError(f"none of {number} scenes could be drawn")
    return scenes, tuple(item for item in items if isinstance(item, Rejection))


def _draw_chunk(chunk: tuple[int, int], seed: int, size: int, part: ConceptPart = WHOLE) -> list[Scene | Rejection]:
    specs = [replace(spec(i, seed, part), width=size, height=size) for i in range(*chunk)]
    return list(SceneSource().make(specs, seed=seed))


def _draw_together(
    chunks: Sequence[tuple[int, int]], folder: Path, seed: int, size: int, part: ConceptPart
) -> list[Scene | Rejection]:
    folder.mkdir(parents=True, exist_ok=True)
    items: dict[tuple[int, int], list[Scene | Rejection]] = {}
    with FileLock(str(folder / f"in-use-{os.getpid()}.lock")):  # while locked, the folder is not removed
        for patience in (0, -1):  # first the free scenes, then wait for those of other processes
            for chunk in (c for c in chunks if c not in items):
                path = folder / f"{chunk[0]:06d}.msgpack"
                try:
                    # Not FileLock(…, timeout=…): lmms-eval makes a path return its first lock, with the first timeout.
                    with FileLock(path.with_suffix(".lock")).acquire(timeout=patience):
                        if not path.is_file():
                            drawn = [
                                (truth_of(item), read_image(item.image)) if isinstance(item, Scene) else item
                                for item in _draw_chunk(chunk, seed, size, part)
                            ]
                            write_atomic(path, msgspec.msgpack.encode(drawn))
                        items[chunk] = _read_chunk(path)
                except Timeout:
                    continue
    return [item for chunk in chunks for item in items[chunk]]


def _read_chunk(path: Path) -> list[Scene | Rejection]:
    items = msgspec.msgpack.decode(path.read_bytes(), type=list[tuple[StoredScene, bytes] | Rejection])
    return [item if isinstance(item, Rejection) else replace(scene_of(item[0]), image=item[1]) for item in items]
