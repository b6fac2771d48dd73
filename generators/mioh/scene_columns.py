"""Columnar scenes: one row per scene or object, to evaluate a fact in all scenes at once."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from vhbench.schema import Scene, SceneObject

if TYPE_CHECKING:
    Numbers = array[int]
    Reals = array[float]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

Places = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]
"""Bit-packed booleans, 64 per word, zero-padded; used for cached facts and categories."""

Key = TypeVar("Key")

NO_ROWS: Ints = np.zeros(0, np.int64)
_MOST_WORDS: Final = 600
"""Maximum vocabulary size; open ones (Synthetic Visual Genome) keep the most frequent."""
_CHUNK: Final = 8192  # scenes per co-occurrence matrix product


class Flags:
    """Bit-packed boolean matrix of shape (scenes, categories), read by column."""

    def __init__(self, columns: Iterable[Bools], length: int) -> None:
        """Pack the columns, each of shape (scenes,)."""
        self.bits: Bits = np.stack([pack(column) for column in columns])
        self.length = length

    def __getitem__(self, column: int) -> Bools:
        """Return a column."""
        return unpack(self.bits[column], self.length)

    def chunks(self) -> Iterator[Floats]:
        """Yield chunks of the matrix as 0/1 floats of shape (categories, chunk)."""
        for start in range(0, self.bits.shape[1], _CHUNK // 64):
            part = np.ascontiguousarray(self.bits[:, start : start + _CHUNK // 64])
            yield np.unpackbits(part.view(np.uint8), axis=1).astype(np.float32)


class SceneColumns:
    """Columnar scenes; object rows are in scene order.

    Attributes:
        categories: sorted category names; a category's index is its ``column``.
        where: scene of each object.
        which: category of each object.
        box: (x, y, width, height) in pixels.
        area: visible pixels.
        crowd: whether the box covers a group.
        visible: unoccluded fraction; NaN if unknown.
        in_frame: fraction inside the frame; NaN if unknown.
        size: (width, height) of each scene.
        present: whether a category is present, as an object or as an area.
        known: whether presence and absence are annotated.
        countable: whether all instances are annotated.
        attributes: (type, value) → objects that have it.
        known_kinds: attribute type → objects annotated with it.
        relations: (subject, predicate, object) → scenes that list it.
        known_predicates: predicate → scenes where it is annotated exhaustively.
    """

    def __init__(self, scenes: Iterable[Scene]) -> None:
        """Read the scenes once, in order."""
        reader = _Collected()
        for scene in scenes:
            reader.add(scene)
        self._length = len(reader.known)
        self.categories = reader.vocabulary()
        self.column = {word: i for i, word in enumerate(self.categories)}
        position = np.array([self.column.get(word, -1) for word in reader.words], np.int32)
        things = np.array(reader.things, np.int32).reshape(-1, 3)
        measures = np.array(reader.measures, np.float32).reshape(-1, 7)
        which = position[things[:, 1]]
        known = which >= 0
        self.which = which[known]
        self.where, crowd = np.ascontiguousarray(things[known].T)[[0, 2]]
        self.crowd = crowd.astype(np.bool_)
        self.box = np.ascontiguousarray(measures[known, :4])
        self.area, self.visible, self.in_frame = np.ascontiguousarray(measures[known, 4:].T)
        self.size = np.array(reader.size, np.float32).reshape(-1, 2)
        self._fill_flags(reader)
        row = np.cumsum(known) - 1
        self.attributes = {pair: row[rows[known[rows]]] for pair, rows in _as_rows(reader.attributes).items()}
        self.known_kinds = {kind: row[rows[known[rows]]] for kind, rows in _as_rows(reader.known_kinds).items()}
        self.relations = {t: rows for t, rows in _as_rows(reader.relations).items() if {t[0], t[2]} <= {*self.column}}
        self.known_predicates = _as_rows(reader.known_predicates)

    def __len__(self) -> int:
        return self._length

    def objects_of(self, column: int) -> Ints:
        """Return the objects of a category."""
        return self._by_category[column]

    def scatter(self, objects: Ints) -> Bools:
        """Return a mask of the scenes that contain these objects."""
        return self.mark(self.where[objects])

    @cached_property
    def _by_category(self) -> Sequence[Ints]:
        order = np.argsort(self.which, kind="stable")
        ends = np.cumsum(np.bincount(self.which, minlength=len(self.categories)))
        return np.split(order, ends[:-1])

    @cached_property
    def totals(self) -> Ints:
        """Number of objects in each scene."""
        return np.bincount(self.where, minlength=len(self))

    @cached_property
    def fullness(self) -> Floats:
        """Number of objects in each scene, and the octaves of the area that they cover, in halves: (scenes, 2)."""
        covered = np.maximum(np.bincount(self.where, self.area, len(self)) / self.size.prod(axis=1), 1e-4)
        return np.stack([self.totals, np.frexp(covered * covered)[1] / 2], axis=1).astype(np.float32)

    def counts_of(self, column: int) -> Ints:
        """Return the number of instances of a category in each scene."""
        return self.number_of(self.objects_of(column))

    def number_of(self, objects: Ints) -> Ints:
        """Return how many of these objects are in each scene."""
        return np.bincount(self.where[objects], minlength=len(self))

    @cached_property
    def _shown(self) -> Bits:
        """Categories of the objects in each scene, as bits: (scenes, words)."""
        shown = np.zeros((len(self), -(-len(self.categories) // 64)), np.uint64)
        np.bitwise_or.at(shown, (self.where, self.which // 64), np.uint64(1) << (self.which % 64).astype(np.uint64))
        return shown

    def in_common(self, scenes: Places, others: Sequence[int]) -> Ints:
        """Return how many categories of objects scenes have in common with others: (others, scenes)."""
        common: Ints = np.bitwise_count(self._shown[scenes] & self._shown[others, None]).sum(axis=2, dtype=np.int64)
        return common

    def absent(self, column: int) -> Bools:
        """Return where a category is known to be absent."""
        return self.known[column] & ~self.present[column]

    def mark(self, scenes: npt.NDArray[np.integer[Any]]) -> Bools:
        """Return a mask of these scenes."""
        return mark(scenes, len(self))

    def _fill_flags(self, reader: "_Collected") -> None:
        areas = defaultdict(list)
        for scene, words in reader.areas.items():
            for word in words:
                areas[word].append(scene)
        present = (
            self.scatter(self.objects_of(column)) | self.mark(np.array(areas[word], np.int64))
            for column, word in enumerate(self.categories)
        )
        self.present = Flags(present, len(self))
        rows = np.zeros((len(self.categories), len(reader.sets)), np.bool_)
        for i, members in enumerate(reader.sets):
            rows[[self.column[word] for word in members if word in self.column], i] = True
        self.known = Flags((row[reader.known] for row in rows), len(self))
        self.countable = Flags((row[reader.countable] for row in rows), len(self))


class _Collected:
    """Accumulator of columns as plain numbers, since one Python object each would fill memory."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.things: Numbers = array("i")  # scene, word and crowd flag per object
        self.measures: Reals = array("f")  # box, area, visible and in-frame fraction
        self.size: Numbers = array("i")
        self.areas: dict[int, tuple[str, ...]] = {}
        self.known: Numbers = array("i")
        self.countable: Numbers = array("i")
        self.sets: list[frozenset[str]] = []
        self.attributes: dict[tuple[str, str], Numbers] = defaultdict(lambda: array("i"))
        self.known_kinds: dict[str, Numbers] = defaultdict(lambda: array("i"))
        self.relations: dict[tuple[str, str, str], Numbers] = defaultdict(lambda: array("i"))
        self.known_predicates: dict[str, Numbers] = defaultdict(lambda: array("i"))
        self._set_ids: dict[frozenset[str], int] = {}

    def add(self, scene: Scene) -> None:
        number = len(self.known)
        self.size.extend((scene.width, scene.height))
        self.known.append(self._set(scene.known))
        self.countable.append(self._set(scene.countable))
        if scene.areas:
            self.areas[number] = scene.areas
            for word in scene.areas:
                self._word(word)
        for thing in scene.objects:
            self._object(number, thing)
        self._relations(number, scene)

    def _object(self, number: int, thing: SceneObject) -> None:
        row = len(self.things) // 3
        for pair in thing.attributes:
            self.attributes[pair].append(row)
        for kind in thing.known_attributes:
            self.known_kinds[kind].append(row)
        self.things.extend((number, self._word(thing.category), thing.crowd))
        fractions = (thing.visible_fraction, thing.in_frame_fraction)
        self.measures.extend((*thing.box, thing.area, *(np.nan if f is None else f for f in fractions)))

    def _relations(self, number: int, scene: Scene) -> None:
        for predicate in scene.known_predicates:
            self.known_predicates[predicate].append(number)
        names = {thing.id: thing.category for thing in scene.objects}
        for r in scene.relations:
            self.relations[names[r.subject], r.predicate, names[r.object]].append(number)

    def vocabulary(self) -> list[str]:
        """Return the sorted vocabulary, truncated to the words with the most objects."""
        if len(self.words) <= _MOST_WORDS:
            return sorted(self.words)
        names, counts = list(self.words), np.bincount(self.things[1::3], minlength=len(self.words))
        return sorted(sorted(names, key=lambda word: (-counts[self.words[word]], word))[:_MOST_WORDS])

    def _word(self, word: str) -> int:
        return self.words.setdefault(word, len(self.words))

    def _set(self, members: frozenset[str]) -> int:
        if members not in self._set_ids:
            self._set_ids[members] = len(self.sets)
            self.sets.append(members)
            for word in sorted(members):
                self._word(word)
        return self._set_ids[members]


def pack(marked: Bools) -> Bits:
    """Pack booleans into bits."""
    words = np.zeros(-(-len(marked) // 64), np.uint64)
    packed = np.packbits(marked)
    words.view(np.uint8)[: len(packed)] = packed
    return words


def unpack(bits: Bits, length: int) -> Bools:
    """Unpack ``length`` booleans."""
    marked: Bools = np.unpackbits(bits.view(np.uint8), count=length).view(np.bool_)
    return marked


def places_of(bits: Bits, length: int) -> Places:
    """Return the indices of the set bits."""
    return np.flatnonzero(unpack(bits, length)).astype(np.int32)


def number_of(bits: Bits) -> int:
    """Count the set bits."""
    return int(np.bitwise_count(bits).sum())


def mark(rows: npt.NDArray[np.integer[Any]], length: int) -> Bools:
    """Return a mask of the given length, True at ``rows``."""
    marked = np.zeros(length, np.bool_)
    marked[rows] = True
    return marked


def _as_rows(numbers: Mapping[Key, "Numbers"]) -> dict[Key, Ints]:
    return {key: np.array(rows, np.int64) for key, rows in numbers.items()}
