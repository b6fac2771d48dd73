"""A pool of scenes as columns, and the truth of any fact in all of them at once.

Truth has three values: what is neither in ``yes`` nor in ``no`` is unknown, and no question touches it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from vhbench.generators.mioh.facts import OPPOSITES, SIDES, Count, Exists, Fact, Has, Related
from vhbench.generators.mioh.pressures import EASY_IMAGES, NUMBERS_OF_IMAGES, Thresholds
from vhbench.schema import Scene, SceneObject, VhbenchError

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

MOST_COUNTED: Final = 5
"""Counting asks only about images with at most this many instances (the paper's limit: labels get unreliable)."""

PLENTY: Final = max(NUMBERS_OF_IMAGES)
_NO_ROWS: Final = np.zeros(0, np.int64)
_CACHE_BYTES: Final = 900_000_000
_MOST_PAIRS: Final = 150  # pairs of categories that left and right are asked of: those that occur together most

ASKED_KINDS: Final = ("colour", "material", "pattern", "transparency", "action")
"""Attribute types that questions use; a ``partly`` value (a minor colour of a mug) is neither true nor false."""

_SHADES: Final = ("light ", "dark ")
_CLOSE: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("red", "pink"), ("red", "orange"), ("orange", "yellow"), ("orange", "brown"), ("brown", "red"),
        ("brown", "yellow"), ("brown", "beige"), ("brown", "tan"), ("pink", "purple"), ("purple", "blue"),
        ("blue", "green"), ("grey", "white"), ("grey", "black"), ("grey", "silver"), ("golden", "yellow"),
        ("grey", "blue"), ("grey", "brown"), ("gray", "grey"), ("translucent", "transparent"), ("wool", "fabric"),
        ("velvet", "fabric"), ("crochet", "fabric"), ("crochet", "wool"), ("rattan", "wood"), ("woven", "checkered"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Truth:
    """Where a fact holds; boolean arrays of shape (scenes,).

    Attributes:
        yes: it is true.
        no: it is false.
        easy: true, and easy to see.
        hard: true, and every instance of it is hard to see (hard positive).
        far: false, and nothing suggests it (easy negative).
        near: false, and what is there suggests it (hard negative).
    """

    yes: Bools
    no: Bools
    easy: Bools
    hard: Bools
    far: Bools
    near: Bools


def close(one: str, other: str) -> bool:
    """Tell whether two values are the same or so close that people would differ ("dark red", "red")."""
    for shade in _SHADES:
        one, other = one.removeprefix(shade), other.removeprefix(shade)
    return one == other or frozenset((one, other)) in _CLOSE


class Pool:
    """Scenes, indexed once; rows of every array are scenes, columns are ``categories``."""

    def __init__(
        self, scenes: Sequence[Scene], thresholds: Thresholds | None = None, clip: Floats | None = None
    ) -> None:
        """Index the scenes.

        Args:
            scenes: read once in order here, later by index.
            thresholds: of the pressures.
            clip: similarity of scene and ``"A photo of [category]"``, shape (scenes, categories), the categories
                sorted; None: pressures go by rules alone.
        """
        if not len(scenes):
            raise VhbenchError("no scenes to ask questions about")
        self.scenes = scenes
        self.thresholds = thresholds or Thresholds()
        self._index(scenes)
        self.clip = clip
        self._cooccurrence = self._conditional()
        self.truth = lru_cache(maxsize=max(256, _CACHE_BYTES // (6 * len(scenes))))(self._truth)
        self.askable = lru_cache(maxsize=None)(self._askable)
        self.pressable = lru_cache(maxsize=None)(self._pressable)
        self.relation_facts = lru_cache(maxsize=1)(self._relation_facts)
        self.attribute_facts = lru_cache(maxsize=1)(self._attribute_facts)
        self._extreme = lru_cache(maxsize=None)(self._find_extreme)
        self._seen_of = lru_cache(maxsize=None)(self._find_seen_of)
        self._objects_of = lru_cache(maxsize=None)(self._find_objects_of)
        self._flags = self._object_flags()

    def __len__(self) -> int:
        return len(self.scenes)

    # -- reading the scenes ------------------------------------------------------------------------------------

    def _index(self, scenes: Sequence[Scene]) -> None:
        """Fill the columns in one pass over the scenes."""
        reader = _Reader()
        for scene in scenes:
            reader.add(scene)
        self.categories = sorted(reader.words)
        self.column = {word: i for i, word in enumerate(self.categories)}
        shape = (len(scenes), len(self.categories))
        position = np.array([self.column[word] for word in reader.words], np.int64)
        self.where = np.array(reader.scene, np.int32)
        self.which = position[np.array(reader.word, np.int64)] if reader.word else np.zeros(0, np.int64)
        self.box = np.array(reader.box, np.float32).reshape(-1, 4)
        self.area = np.array(reader.area, np.float32)
        self.crowd = np.array(reader.crowd, np.bool_)
        self.visible = np.array(reader.visible, np.float32)
        self.in_frame = np.array(reader.in_frame, np.float32)
        self.size = np.array(reader.size, np.float32)
        # Facts read whole columns: keep each contiguous.
        self.counts = np.zeros(shape, np.int16, order="F")
        np.add.at(self.counts, (self.where, self.which), 1)
        self.present = self.counts > 0
        for row, words in reader.areas.items():
            self.present[row, [self.column[w] for w in words]] = True
        self.known = self._membership(reader.known, reader.sets, shape)
        self.countable = self._membership(reader.countable, reader.sets, shape)
        self.absent = self.known & ~self.present
        self.attributes, self.known_kinds = reader.attributes, reader.known_kinds
        self.relations, self.predicates = reader.relations, reader.predicates
        self.known_predicates = reader.known_predicates

    def _membership(self, keys: list[int], sets: list[frozenset[str]], shape: tuple[int, int]) -> Bools:
        rows = np.zeros((len(sets), shape[1]), np.bool_)
        for i, members in enumerate(sets):
            rows[i, [self.column[word] for word in members]] = True
        return np.asfortranarray(rows[np.array(keys, np.int64)])

    def _conditional(self) -> Floats:
        """Return P(target | present) among the scenes where the target is known, shape (target, present)."""
        present, known = self.present.astype(np.float32), (self.known | self.present).astype(np.float32)
        both, base = present.T @ present, known.T @ present
        enough = present.sum(0) >= self.thresholds.support
        chance: Floats = np.divide(both, base, out=np.zeros_like(both), where=(base > 0) & enough)
        np.fill_diagonal(chance, 0)
        return chance

    def _object_flags(self) -> dict[str, Bools]:
        """Tell for each object whether it is easy or hard to see, or too small to ask about."""
        t, (width, height) = self.thresholds, self.size.T[:, self.where]
        share = self.area / (width * height)
        x, y, w, h = self.box.T
        fill = self.area / (w * h)
        median = np.ones(len(self.categories), np.float32)
        for category in range(len(self.categories)):
            rows = self._objects_of(category)
            median[category] = np.median(fill[rows]) if len(rows) >= 8 else 0
        relative = np.where(median[self.which] > 0, fill / np.maximum(median[self.which], 1e-6), 1.0)
        seen = np.where(np.isnan(self.visible), relative, self.visible)
        cx, cy = (x + w / 2) / width, (y + h / 2) / height
        touches = (x <= 0.01 * width) | (y <= 0.01 * height) | (x + w >= 0.99 * width) | (y + h >= 0.99 * height)
        aside = (np.minimum(cx, cy) < t.margin) | (np.maximum(cx, cy) > 1 - t.margin)
        cut = np.where(np.isnan(self.in_frame), touches & aside, self.in_frame < t.cut)
        hard = (share < t.small) | (seen < t.hidden) | cut
        tiny = np.minimum(w, h) < t.tiny * np.maximum(width, height)
        easy = ~hard & (share >= t.large) & (seen >= t.clear) & ~self.crowd
        return {"easy": easy & ~tiny, "hard": hard & ~self.crowd & ~tiny, "tiny": tiny}

    def _find_objects_of(self, column: int) -> Ints:
        if not hasattr(self, "_by_category"):
            order = np.argsort(self.which, kind="stable")
            ends = np.cumsum(np.bincount(self.which, minlength=len(self.categories)))
            self._by_category = np.split(order, ends[:-1])
        return self._by_category[column]

    # -- the truth of facts --------------------------------------------------------------------------------------

    def _truth(self, fact: Fact) -> Truth:
        if isinstance(fact, Exists):
            return self._exists(fact)
        if isinstance(fact, Count):
            return self._count(fact)
        return self._has(fact) if isinstance(fact, Has) else self._related(fact)

    def _scatter(self, rows: Ints) -> Bools:
        """Mark the scenes of some objects."""
        marked = np.zeros(len(self), np.bool_)
        marked[self.where[rows]] = True
        return marked

    def _seen(self, rows: Ints) -> tuple[Bools, Bools, Bools]:
        """Return where an object of ``rows`` is worth asking about, where one is easy, where all are hard."""
        asked = rows[~self._flags["tiny"][rows]]
        easy = self._scatter(asked[self._flags["easy"][asked]])
        soft = self._scatter(asked[~self._flags["hard"][asked]])
        yes = self._scatter(asked)
        return yes, easy, yes & ~soft

    def _find_seen_of(self, column: int) -> tuple[Bools, Bools, Bools]:
        return self._seen(self._objects_of(column))

    def _exists(self, fact: Exists) -> Truth:
        column = self.column[fact.category]
        yes, easy, hard = self._seen_of(column)
        no = self.absent[:, column]
        far, near = self._suggested(no, self._suggestion(column))
        if self.clip is not None:
            yes_low = _at_most(self.clip[:, column], yes, self.thresholds.clip_low)
            no_high = _at_least(self.clip[:, column], no, self.thresholds.clip_high)
            easy, hard, far, near = easy & ~yes_low, hard | yes_low, far & ~no_high, near | no_high
        return Truth(yes, no, easy, hard, far, near)

    def _suggestion(self, column: int) -> Floats:
        """Return max over the categories c in each scene of P(target | c)."""
        chance, score = self._cooccurrence[column], np.zeros(len(self), np.float32)
        for other in np.argsort(chance, kind="stable"):
            if chance[other] > 0:
                score[self.present[:, other]] = chance[other]
        return score

    def _suggested(self, no: Bools, score: Floats) -> tuple[Bools, Bools]:
        """Split the negatives into far and near by the quantiles of their score."""
        if not no.any():
            return no, no
        t, values = self.thresholds, score[no]
        low = float(np.quantile(values, t.far))
        high = max(float(np.quantile(values, t.near)), t.cooccurring)
        near = no & (score >= high) & (score > low)
        return no & (score <= low) & ~near, near

    def _count(self, fact: Count) -> Truth:
        column = self.column[fact.category]
        rows = self._objects_of(column)
        tiny = self._scatter(rows[self._flags["tiny"][rows]])
        counted = self.countable[:, column] & (self.counts[:, column] <= MOST_COUNTED) & ~tiny
        yes = counted & (self.counts[:, column] == fact.number)
        no = counted & ~yes
        if fact.number == 0:  # a zero is an absence: its pressure is that of a negative
            absence = self.truth(Exists(fact.category))
            yes = yes & absence.no
            return Truth(yes, no, yes & absence.far, yes & absence.near, no, no)
        soft = self._scatter(rows[~self._flags["easy"][rows]])
        hard = self._scatter(rows[self._flags["hard"][rows]])
        return Truth(yes, no, yes & ~soft, yes & hard, no, no)

    def _has(self, fact: Has) -> Truth:
        column = self.column[fact.category]
        table = self._attribute_table()
        yes, easy, hard = self._seen(table.holders.get((column, fact.kind, fact.value), _NO_ROWS))
        doubtful = self._scatter(table.close_to(column, fact.kind, fact.value))
        untyped = self._scatter(table.untyped(fact.kind, self._objects_of(column)))
        typed = self.countable[:, column] & self.present[:, column] & ~untyped
        no = self.absent[:, column] | (typed & ~doubtful)
        elsewhere = self._scatter(table.carriers(column, fact.kind, fact.value))
        here = no & self.present[:, column]
        near = here & elsewhere
        far = here & ~elsewhere
        return Truth(yes, no, easy, hard, far if far.sum() >= 8 else no & ~near, near)

    def _attribute_table(self) -> "_Attributes":
        if not hasattr(self, "_table"):
            self._table = _Attributes(self.attributes, self.known_kinds, self.which)
        return self._table

    def _related(self, fact: Related) -> Truth:
        s, a = self.column[fact.subject], self.column[fact.anchor]
        both = self.present[:, s] & self.present[:, a]
        listed = both & self.countable[:, s] & self.countable[:, a]
        sided = fact.predicate in SIDES
        yes, no = self._beside(s, a, fact.predicate == "left of") if sided else self._listed(fact, listed)
        no = (no & listed) | (self.absent[:, s] | self.absent[:, a])
        yes, easy, hard = self._both_seen(s, a, yes & ~no)
        one = self.present[:, s] ^ self.present[:, a]
        return Truth(yes, no, easy, hard, no & one, no & both)

    def _both_seen(self, s: int, a: int, yes: Bools) -> tuple[Bools, Bools, Bools]:
        """A relation is easy if a subject and an anchor are, and hard if all of either are hard."""
        easy, hard = yes, np.zeros(len(self), np.bool_)
        for column in (s, a):
            asked, clear, all_hard = self._seen_of(column)
            yes = yes & asked
            easy = easy & clear
            hard = hard | all_hard
        return yes, easy & yes, hard & yes

    def _beside(self, s: int, a: int, left: bool) -> tuple[Bools, Bools]:
        """Left or right by boxes: yes if some pair of boxes is apart that way, no if every centre is the other way."""
        subject, anchor = (s, a) if left else (a, s)
        ends, starts = self._extreme(subject, 1.0, first=True), self._extreme(anchor, 0.0, first=False)
        first, last = self._extreme(subject, 0.5, first=True), self._extreme(anchor, 0.5, first=False)
        with np.errstate(invalid="ignore"):
            return ends <= starts, first >= last

    def _find_extreme(self, column: int, share: float, *, first: bool) -> Floats:
        """Return the leftmost (or rightmost) left edge + share · width of a category per scene; NaN without any."""
        rows = self._objects_of(column)
        result = np.full(len(self), np.inf if first else -np.inf, np.float32)
        values = self.box[rows, 0] + np.float32(share) * self.box[rows, 2]
        (np.minimum if first else np.maximum).at(result, self.where[rows], values)
        result[np.isinf(result)] = np.nan
        return result

    def _listed(self, fact: Related, listed: Bools) -> tuple[Bools, Bools]:
        yes = self._named(fact)
        known = np.zeros(len(self), np.bool_)
        known[self.known_predicates.get(fact.predicate, [])] = True
        opposite = OPPOSITES.get(fact.predicate)
        s, a = self.column[fact.subject], self.column[fact.anchor]
        single = (self.counts[:, s] == 1) & (self.counts[:, a] == 1)
        against = np.zeros(len(self), np.bool_)
        if opposite is not None:
            against |= self._named(Related(fact.subject, opposite, fact.anchor))
            against |= self._named(Related(fact.anchor, fact.predicate, fact.subject))
        return yes, (listed & known & ~yes) | (single & against & ~yes)

    def _named(self, fact: Related) -> Bools:
        marked = np.zeros(len(self), np.bool_)
        marked[self.relations.get((fact.subject, fact.predicate, fact.anchor), [])] = True
        return marked

    # -- what can be asked ---------------------------------------------------------------------------------------

    def _askable(self, fact: Fact, least: int) -> bool:
        """Tell whether enough images show a fact well, and some clearly do not."""
        truth = self.truth(fact)
        return bool(np.count_nonzero(truth.easy) >= least and truth.no.any())

    def _pressable(self, fact: Fact, least: int) -> bool:
        """Tell whether there are plenty of images for every pressure, where ``least`` show the fact."""
        t = self.truth(fact)
        needs = ((t.easy, PLENTY if least > 1 else 2), (t.hard, least), (t.near, EASY_IMAGES), (t.far, PLENTY))
        return all(np.count_nonzero(where) >= number for where, number in needs)

    def existence_facts(self) -> list[Exists]:
        """Return every category that is somewhere present as an object and somewhere known to be absent."""
        there, not_there = self.counts.max(0) > 0, self.absent.max(0)
        return [Exists(c) for i, c in enumerate(self.categories) if there[i] and not_there[i]]

    def _attribute_facts(self) -> list[Has]:
        """Return every attribute that some object has, of a type that questions use."""
        holders = self._attribute_table().holders
        return sorted(Has(self.categories[c], kind, value) for c, kind, value in holders)

    def _relation_facts(self) -> list[Related]:
        """Return every listed relation, and left and right of the pairs that occur together."""
        listed = [Related(*triple) for triple in self.relations if triple[1] not in SIDES and triple[0] != triple[2]]
        together = self.present.astype(np.float32)
        often: Floats = np.triu(together.T @ together, 1).astype(np.float32)
        pairs = np.argwhere(often >= 2)
        pairs = pairs[np.argsort(-often[tuple(pairs.T)], kind="stable")[:_MOST_PAIRS]]
        objects = self.counts.max(0) > 0
        sides = [
            Related(self.categories[s], side, self.categories[a])
            for one, other in pairs.tolist()
            if objects[one] and objects[other]
            for s, a in ((one, other), (other, one))
            for side in SIDES
        ]
        return sorted({*listed, *sides})


class _Reader:
    """Collects columns from scenes, one object at a time."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.scene: list[int] = []
        self.word: list[int] = []
        self.box: list[tuple[float, float, float, float]] = []
        self.area: list[float] = []
        self.crowd: list[bool] = []
        self.visible: list[float] = []
        self.in_frame: list[float] = []
        self.size: list[tuple[int, int]] = []
        self.areas: dict[int, tuple[str, ...]] = {}
        self.known: list[int] = []
        self.countable: list[int] = []
        self.sets: list[frozenset[str]] = []
        self.attributes: dict[int, tuple[tuple[str, str], ...]] = {}
        self.known_kinds: dict[int, frozenset[str]] = {}
        self.relations: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        self.predicates: set[str] = set()
        self.known_predicates: dict[str, list[int]] = defaultdict(list)
        self._set_ids: dict[frozenset[str], int] = {}

    def add(self, scene: Scene) -> None:
        number = len(self.size)
        self.size.append((scene.width, scene.height))
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
        if thing.known_attributes or thing.attributes:
            self.attributes[len(self.scene)] = thing.attributes
            self.known_kinds[len(self.scene)] = thing.known_attributes
        self.scene.append(number)
        self.word.append(self._word(thing.category))
        self.box.append(thing.box)
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


class _Attributes:
    """Which objects have which attribute, and which might; objects are rows, in ascending order."""

    def __init__(
        self,
        attributes: Mapping[int, tuple[tuple[str, str], ...]],
        known: Mapping[int, frozenset[str]],
        which: Ints,
    ) -> None:
        holders: dict[tuple[int, str, str], list[int]] = defaultdict(list)
        values: dict[tuple[int, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        anywhere: dict[tuple[str, str], list[int]] = defaultdict(list)
        typed: dict[str, list[int]] = defaultdict(list)
        columns = which.tolist()
        for row, pairs in attributes.items():
            for kind in known[row]:
                typed[kind].append(row)
            for kind, value in pairs:
                plain, column = kind.removeprefix("partly "), columns[row]
                values[column, plain][value].append(row)
                if plain == kind and kind in ASKED_KINDS and kind in known[row]:
                    holders[column, kind, value].append(row)
                    anywhere[kind, value].append(row)
        self.which = which
        self.holders = {key: np.array(rows, np.int64) for key, rows in holders.items()}
        self._values = {
            key: {value: np.array(rows, np.int64) for value, rows in table.items()} for key, table in values.items()
        }
        self._anywhere = {key: np.array(rows, np.int64) for key, rows in anywhere.items()}
        self._typed = {kind: _mark(rows, len(which)) for kind, rows in typed.items()}

    def close_to(self, column: int, kind: str, value: str) -> Ints:
        """Return the objects of a category that have the value, or one that could be taken for it."""
        found = [rows for other, rows in self._values.get((column, kind), {}).items() if close(other, value)]
        return np.concatenate(found) if found else _NO_ROWS

    def carriers(self, column: int, kind: str, value: str) -> Ints:
        """Return the objects of other categories that have exactly the value."""
        rows = self._anywhere.get((kind, value), _NO_ROWS)
        others: Ints = rows[self.which[rows] != column]
        return others

    def untyped(self, kind: str, rows: Ints) -> Ints:
        """Return the objects among ``rows`` about which a type is not known."""
        return rows[~self._typed[kind][rows]] if kind in self._typed else rows


def _mark(rows: Sequence[int], length: int) -> Bools:
    marked = np.zeros(length, np.bool_)
    marked[np.array(rows, np.int64)] = True
    return marked


def _at_most(values: Floats, among: Bools, quantile: float) -> Bools:
    """Mark those of ``among`` whose value is at most their quantile."""
    return among & (values <= np.quantile(values[among], quantile)) if among.any() else among


def _at_least(values: Floats, among: Bools, quantile: float) -> Bools:
    """Mark those of ``among`` whose value is at least their quantile."""
    return among & (values >= np.quantile(values[among], quantile)) if among.any() else among
