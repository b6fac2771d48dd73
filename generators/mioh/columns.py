"""Scenes as columns: one row per scene or per object, so that a fact can be looked up in all scenes at once."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from vhbench.schema import Scene, SceneObject

if TYPE_CHECKING:
    Numbers = array[int]
    Reals = array[float]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

Key = TypeVar("Key")

NO_ROWS: Ints = np.zeros(0, np.int64)


class Columns:
    """Scenes, read once; objects are rows in the order of their scenes.

    Attributes:
        categories: sorted; a category's index is its ``column``.
        where: the scene of each object.
        which: the category of each object.
        box: (x, y, width, height) in pixels.
        area: visible pixels.
        crowd: whether the box covers a group.
        visible: fraction that nothing hides; NaN where unknown.
        in_frame: fraction inside the frame; NaN where unknown.
        size: (width, height) of each scene.
        counts: instances, shape (scenes, categories).
        present: whether a category is there, as an object or as an area; the same shape, as are
        known: presence and absence are known;
        countable: all instances are listed;
        absent: it is known not to be there.
        attributes: (type, value) → the objects that have it.
        known_kinds: attribute type → the objects about which it is known.
        relations: (subject, predicate, object) → the scenes that list it.
        known_predicates: predicate → the scenes that list it wherever it holds.
    """

    def __init__(self, scenes: Iterable[Scene]) -> None:
        """Read the scenes, each once and in order."""
        reader = _Reader()
        for scene in scenes:
            reader.add(scene)
        self.categories = sorted(reader.words)
        self.column = {word: i for i, word in enumerate(self.categories)}
        self._length = len(reader.size) // 2
        position = np.array([self.column[word] for word in reader.words], np.int64)
        self.where = np.array(reader.scene, np.int32)
        self.which: Ints = position[np.array(reader.word, np.int64)] if reader.word else NO_ROWS
        self.box = np.array(reader.box, np.float32).reshape(-1, 4)
        self.area = np.array(reader.area, np.float32)
        self.crowd = np.array(reader.crowd, np.bool_)
        self.visible = np.array(reader.visible, np.float32)
        self.in_frame = np.array(reader.in_frame, np.float32)
        self.size = np.array(reader.size, np.float32).reshape(-1, 2)
        self._fill_matrices(reader)
        self.attributes = _as_rows(reader.attributes)
        self.known_kinds = _as_rows(reader.known_kinds)
        self.relations = _as_rows(reader.relations)
        self.known_predicates = _as_rows(reader.known_predicates)

    def __len__(self) -> int:
        return self._length

    def objects_of(self, column: int) -> Ints:
        """Return the objects of a category."""
        return self._by_category[column]

    def scatter(self, objects: Ints) -> Bools:
        """Mark the scenes of some objects."""
        marked = np.zeros(len(self), np.bool_)
        marked[self.where[objects]] = True
        return marked

    @cached_property
    def _by_category(self) -> Sequence[Ints]:
        order = np.argsort(self.which, kind="stable")
        ends = np.cumsum(np.bincount(self.which, minlength=len(self.categories)))
        return np.split(order, ends[:-1])

    def _fill_matrices(self, reader: "_Reader") -> None:
        # Facts read whole columns: keep each contiguous.
        self.counts = np.zeros((len(self), len(self.categories)), np.int16, order="F")
        np.add.at(self.counts, (self.where, self.which), 1)
        self.present: Bools = self.counts > 0
        for row, words in reader.areas.items():
            self.present[row, [self.column[w] for w in words]] = True
        self.known = self._membership(reader.known, reader.sets)
        self.countable = self._membership(reader.countable, reader.sets)
        self.absent: Bools = self.known & ~self.present

    def _membership(self, keys: "Numbers", sets: Sequence[frozenset[str]]) -> Bools:
        rows = np.zeros((len(sets), len(self.categories)), np.bool_)
        for i, members in enumerate(sets):
            rows[i, [self.column[word] for word in members]] = True
        return np.asfortranarray(rows[np.array(keys, np.int64)])


class _Reader:
    """Collects columns from scenes, one object at a time, as plain numbers: a Python object each would fill memory."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.scene: Numbers = array("i")
        self.word: Numbers = array("i")
        self.box: Reals = array("f")
        self.area: Reals = array("f")
        self.crowd: Numbers = array("b")
        self.visible: Reals = array("f")
        self.in_frame: Reals = array("f")
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
        row = len(self.scene)
        for pair in thing.attributes:
            self.attributes[pair].append(row)
        for kind in thing.known_attributes:
            self.known_kinds[kind].append(row)
        self.scene.append(number)
        self.word.append(self._word(thing.category))
        self.box.extend(thing.box)
        self.area.append(thing.area)
        self.crowd.append(thing.crowd)
        self.visible.append(np.nan if thing.visible_fraction is None else thing.visible_fraction)
        self.in_frame.append(np.nan if thing.in_frame_fraction is None else thing.in_frame_fraction)

    def _relations(self, number: int, scene: Scene) -> None:
        for predicate in scene.known_predicates:
            self.known_predicates[predicate].append(number)
        if not scene.relations:
            return
        names = {thing.id: thing.category for thing in scene.objects}
        for r in scene.relations:
            self.relations[names[r.subject], r.predicate, names[r.object]].append(number)

    def _word(self, word: str) -> int:
        return self.words.setdefault(word, len(self.words))

    def _set(self, members: frozenset[str]) -> int:
        if members not in self._set_ids:
            self._set_ids[members] = len(self.sets)
            self.sets.append(members)
            for word in sorted(members):
                self._word(word)
        return self._set_ids[members]


def _as_rows(found: Mapping[Key, "Numbers"]) -> dict[Key, Ints]:
    return {key: np.array(rows, np.int64) for key, rows in found.items()}
