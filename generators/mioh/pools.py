"""Scene pool, and the truth of any fact in all of its scenes.

Truth is three-valued: a scene in neither ``yes`` nor ``no`` is unknown, and no question uses it.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Final, TypeVar

import numpy as np

from vhbench.benchmarks import EASY_IMAGES
from vhbench.generators.mioh.attributes import AttributeTable
from vhbench.generators.mioh.cooccurrence import Cooccurrence
from vhbench.generators.mioh.facts import (
    OPPOSITES,
    SIDES,
    Binding,
    Exists,
    Fact,
    FactTruth,
    Has,
    Quantity,
    Related,
)
from vhbench.generators.mioh.pressures import CLIP_PROMPT, NUMBERS_OF_IMAGES, PressureThresholds
from vhbench.generators.mioh.scene_columns import (
    NO_ROWS,
    Bits,
    Bools,
    Floats,
    Ints,
    Places,
    SceneColumns,
    number_of,
    pack,
    places_of,
    unpack,
)
from vhbench.schema import Scene, VhbenchError

T = TypeVar("T")

MOST_COUNTED: Final = 5  # largest count in counting questions (the paper's limit: labels get unreliable above it)

_PLENTY: Final = max(NUMBERS_OF_IMAGES)
_FAINT: Final = 0.2  # fraction of ``small`` below which an object is never in question
_CACHE_BYTES: Final = 150_000_000
_MOST_RELATIONS: Final = 1200  # most relations lack images
_MOST_NUMBERS: Final = 15  # numbers of things from which on they count as equal
_MOST_PAIRS: Final = 150  # category pairs for left/right questions, by co-occurrence

Parts = tuple[Bools, Bools, Bools, Bools, Bools, Bools]  # the fields of FactTruth before packing


class ScenePool:
    """Scenes in columnar form, and the facts that questions can be about."""

    def __init__(
        self,
        scenes: Sequence[Scene],
        thresholds: PressureThresholds | None = None,
        *,
        statistics: Iterable[Scene] | None = None,
        suggesting: Collection[str] | None = None,
        sided_pairs: Collection[frozenset[str]] | None = None,
    ) -> None:
        """Index the scenes.

        Args:
            scenes: scenes, read once in order here and later by index.
            thresholds: pressure thresholds.
            statistics: scenes from which to estimate P(target | present); defaults to ``scenes``.
            suggesting: categories that act as cues for co-occurring ones; None for all.
            sided_pairs: pairs of categories with questions about their sides, and about nothing else; None for all.
        """
        if not len(scenes):
            raise VhbenchError("no scenes to ask questions about")
        self.scenes = scenes
        self.thresholds = thresholds or PressureThresholds()
        self.columns = SceneColumns(scenes)
        self.attributes = AttributeTable(self.columns)
        self.clip: Callable[[str], Floats] | None = None  # similarity of every scene to a text; None: rules only
        self.fit: Callable[[Sequence[int]], bool] = lambda _: True  # whether one question may show these scenes
        self.cooccurrence = Cooccurrence(self.columns, self.thresholds, statistics=statistics, suggesting=suggesting)
        self.suggesting, self._sided_pairs = frozenset(suggesting or ()), sided_pairs
        self.binding = lru_cache(maxsize=max(256, 4 * _CACHE_BYTES // (5 * len(scenes))))(self._binding)
        self.truth = lru_cache(maxsize=max(256, 8 * _CACHE_BYTES // (6 * len(scenes))))(self._truth)
        self.askable = lru_cache(maxsize=None)(self._askable)
        self.pressable = lru_cache(maxsize=None)(self._pressable)
        self.relation_facts = lru_cache(maxsize=1)(self._relation_facts)
        self.attribute_facts = lru_cache(maxsize=1)(self._attribute_facts)
        self._extreme = lru_cache(maxsize=192)(self._find_extreme)
        self._large_of = lru_cache(maxsize=64)(lambda column: self._scenes_with("related", column))
        self._seen_of = lru_cache(maxsize=64)(lambda column: self._seen(self.columns.objects_of(column)))
        self.suggested = lru_cache(maxsize=4096)(self._find_suggested)
        self.company = lru_cache(maxsize=256)(self._find_company)
        self._flags = self._object_flags()
        self.obscured = pack(self.columns.scatter(np.flatnonzero(self._flags["hard"])))  # scenes with an unclear object
        self._shared: dict[Hashable, Any] = {}
        self._bindings: dict[Fact, Binding] = {}

    def __len__(self) -> int:
        return len(self.scenes)

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value shared between question types, computing it on first use."""
        if key not in self._shared:
            self._shared[key] = make()
        shared_value: T = self._shared[key]
        return shared_value

    @property
    def categories(self) -> list[str]:
        """Return all categories of the scenes, sorted."""
        return self.columns.categories

    def _object_flags(self) -> dict[str, Bools]:
        """Return per-object flags: easy or hard to see, and usable in questions at all."""
        t, (width, height) = self.thresholds, self.columns.size.T[:, self.columns.where]
        share = self.columns.area / (width * height)
        x, y, w, h = self.columns.box.T
        fill = self.columns.area / (w * h)
        median = np.ones(len(self.columns.categories), np.float32)
        for category in range(len(self.columns.categories)):
            rows = self.columns.objects_of(category)
            median[category] = np.median(fill[rows]) if len(rows) >= 8 else 0
        relative = np.where(median[self.columns.which] > 0, fill / np.maximum(median[self.columns.which], 1e-6), 1.0)
        seen = np.where(np.isnan(self.columns.visible), relative, self.columns.visible)
        cx, cy = (x + w / 2) / width, (y + h / 2) / height
        touches = (x <= 0.01 * width) | (y <= 0.01 * height) | (x + w >= 0.99 * width) | (y + h >= 0.99 * height)
        aside = (np.minimum(cx, cy) < t.margin) | (np.maximum(cx, cy) > 1 - t.margin)
        cut = np.where(np.isnan(self.columns.in_frame), touches & aside, self.columns.in_frame < t.cut)
        small, partly = share < t.small, (seen < t.hidden) | cut
        faint = (small & partly) | (share < _FAINT * t.small)  # a sliver or a speck
        usable = (np.minimum(w, h) >= t.tiny * np.maximum(width, height)) & ~faint
        hard = usable & (small | partly) & ~self.columns.crowd
        easy = usable & ~(small | partly) & (share >= t.large) & (seen >= t.clear) & ~self.columns.crowd
        return {
            "asked": usable,
            "easy": easy,
            "hard": hard,
            "soft": usable & ~hard,
            "related": usable & (share >= t.related),
        }

    def _scenes_with(self, flag: str, column: int) -> Bools:
        """Return the scenes with a flagged object of a category."""
        rows = self.columns.objects_of(column)
        return self.columns.scatter(rows[self._flags[flag][rows]])

    def _truth(self, fact: Fact) -> FactTruth:
        if isinstance(fact, Related) and fact.predicate == "right of" and self.clip is None:
            return self.truth(Related(fact.anchor, "left of", fact.subject))  # the converse relation
        kinds: dict[type, Callable[[Any], Parts]] = {
            Exists: self._exists, Quantity: self._count, Has: self._has, Related: self._related
        }  # fmt: skip
        return FactTruth(*map(pack, kinds[type(fact)](fact)))

    def scenes_of(self, bits: Bits) -> Places:
        """Return the indices of the marked scenes."""
        return places_of(bits, len(self))

    def _seen(self, rows: Ints) -> tuple[Bools, Bools, Bools]:
        """Return the scenes with a usable object, with an easy one, and with only hard ones."""
        yes, easy, soft = (self.columns.scatter(rows[self._flags[flag][rows]]) for flag in ("asked", "easy", "soft"))
        return yes, easy, yes & ~soft

    def _exists(self, fact: Exists) -> Parts:
        column = self.columns.column[fact.category]
        yes, easy, hard = self._seen_of(column)
        no = self.columns.absent(column)
        far, near = self.cooccurrence.split(column, no)
        return self._as_seen(fact.category, (yes, no, easy, hard, far, near))

    def _as_seen(self, words: str, parts: Parts) -> Parts:
        """Mark positives with low CLIP similarity as hard and negatives with high one as near."""
        yes, no, easy, hard, far, near = parts
        low, high = self._similar(words, yes, most=False), self._similar(words, no, most=True)
        return yes, no, easy & ~low, hard | low, far & ~high, near | high

    def _similar(self, words: str, scenes: Bools, *, most: bool) -> Bools:
        """Return those of the scenes with the highest, or lowest, CLIP similarity to a text; none without CLIP."""
        if self.clip is None or not scenes.any():
            return np.zeros(len(self), np.bool_)
        score = self.clip(CLIP_PROMPT.format(words))
        if most:
            return scenes & (score >= np.quantile(score[scenes], self.thresholds.clip_high))
        return scenes & (score <= np.quantile(score[scenes], self.thresholds.clip_low))

    def clip_texts(self) -> list[list[str]]:
        """Return the CLIP prompts for categories, attributes and relations."""
        facts: tuple[Sequence[Fact], ...] = (self.attribute_facts(), self.relation_facts())
        words = [self.categories, *([fact.phrase() for fact in part] for part in facts)]
        return [[CLIP_PROMPT.format(phrase) for phrase in part] for part in words]

    def _find_suggested(self, fact: Fact, aside: tuple[str, ...]) -> tuple[Bits, Bits]:
        """Return where a fact is false and far or near, ignoring the categories ``aside`` as cues.

        For an attribute or a relation, its objects and values are present in both cases.
        """
        truth = self.truth(fact)
        if isinstance(fact, Has | Related):
            return truth.far, truth.near
        far, near = (truth.easy, truth.hard) if isinstance(fact, Quantity) else (truth.far, truth.near)
        if not set(aside) - {fact.category} or self.clip is not None:
            return far, near
        no = truth.yes if isinstance(fact, Quantity) else truth.no
        return self.cooccurrence.split_beside(self.columns.column[fact.category], no, aside)

    def _find_company(self, fact: Exists | Quantity) -> Bits:
        """Return the scenes in which another category suggests a fact's, whether it is there or not."""
        _, near = self.cooccurrence.split(self.columns.column[fact.category], np.ones(len(self), np.bool_))
        return pack(near)

    def _count(self, fact: Quantity) -> Parts:
        column = self.columns.column[fact.category]
        rows = self.columns.objects_of(column)
        faint = self.columns.scatter(rows[~self._flags["asked"][rows]])  # may contain an instance too small to count
        number = self.columns.counts_of(column)
        counted = self.columns.countable[column] & (number <= MOST_COUNTED) & ~faint
        yes = counted & (number == fact.number)
        no = counted & ~yes
        if fact.number == 0:  # a zero count is an absence and takes the pressure of a negative
            absence = self.truth(Exists(fact.category))
            absent, far, near = (unpack(bits, len(self)) for bits in (absence.no, absence.far, absence.near))
            return yes & absent, no, yes & far, yes & near, no, no
        soft = self.columns.scatter(rows[~self._flags["easy"][rows]])
        hard = self.columns.scatter(rows[self._flags["hard"][rows]])
        return yes, no, yes & ~soft, yes & hard, no, no

    def _has(self, fact: Has) -> Parts:
        column, table = self.columns.column[fact.category], self.attributes
        here = self.columns.present[column]
        carriers, possible = table.carriers(fact.kind, fact.value)
        numbers = self.columns.counts_of(column), *map(self.columns.number_of, (carriers, possible))
        yes, easy, hard = self._seen(table.holders.get((column, fact.kind, fact.value), NO_ROWS))
        # A false image shows another object with the value, so a true one shows another that could have it.
        others = table.others(column, fact.kind)
        flags = ("asked", "asked", "asked") if self.suggesting else ("asked", "easy", "hard")
        rivals = [self.columns.scatter(others[self._flags[flag][others]]) for flag in flags]
        yes, easy, hard = yes & np.where(hard, rivals[2], rivals[0]), easy & rivals[1], hard & rivals[2]
        no = self.columns.countable[column] & here & ~self.columns.scatter(table.unsure(column, fact.kind, fact.value))
        there = here & self.columns.scatter(carriers)
        _, clear, all_hard = self._seen_of(column)
        if not self.suggesting:  # In photos, another object that has the value is mostly smaller than the thing.
            _, clear_carrier, hard_carriers = self._seen(carriers)
            clear, all_hard = clear & clear_carrier, all_hard & hard_carriers
        false, no = no & there, no | self.columns.absent(column)
        return self._bound(fact, (yes, no, easy, hard), there, false & clear, false & all_hard, numbers)

    def _related(self, fact: Related) -> Parts:
        s, a = self.columns.column[fact.subject], self.columns.column[fact.anchor]
        both = self.columns.present[s] & self.columns.present[a] & self._large_of(s) & self._large_of(a)
        both &= self.columns.countable[s] & self.columns.countable[a]
        yes, no = (part & both for part in (self._sided(fact) if fact.predicate in SIDES else self._listed(fact)))
        yes, easy, hard = self._both_seen(s, a, yes)
        _, clear, all_hard = self._both_seen(s, a, no)
        no = no | self.columns.absent(s) | self.columns.absent(a)
        numbers = self.columns.counts_of(s), self.columns.counts_of(a)
        return self._bound(fact, (yes, no, easy, hard), both, clear, all_hard, numbers)

    def _level(self, numbers: Sequence[Ints], yes: Bools, no: Bools) -> Bools:
        """Return the scenes with the numbers that most true and false scenes have in common.

        Elsewhere no question is about the fact: a viewer that counts would know more than one that does not.
        """
        shape = (_MOST_NUMBERS + 1,) * len(numbers)
        codes = np.ravel_multi_index(numbers, shape, mode="clip")
        common = np.minimum(*(np.bincount(codes[part], minlength=prod(shape)) for part in (yes, no)))
        level: Bools = codes == common.argmax()
        return level if common.any() else np.full(len(self), not (yes.any() and no.any()))

    def _bound(
        self,
        fact: Has | Related,
        parts: tuple[Bools, Bools, Bools, Bools],
        there: Bools,
        soft: Bools,
        hard: Bools,
        numbers: Sequence[Ints],
    ) -> Parts:
        """Add where a fact is false although its objects and values are present.

        Easy negatives are where no other object suggests the fact, hard ones where one does. So recognition of objects
        without sides or binding is not enough under any pressure; nor are the ``numbers`` of what is in each scene.
        """
        yes, no, easy, hard_true = parts
        level = self._level(numbers, yes, no & there)
        calm, near = self._context(fact, yes, there)
        like = self._similar(fact.phrase(), there & level, most=True)
        low, low_false = (self._similar(fact.phrase(), part, most=False) for part in (yes & level, no & there & level))
        calm, near, soft, hard = calm & ~like, near | like, soft & ~low_false, hard | low_false
        number = int((numbers[0] * numbers[1])[level].max(initial=0))
        where = *(part & level for part in (there, soft, hard, calm, near)), there & ~level
        self._bindings[fact] = Binding(number, *map(pack, where))
        return yes & level, no, easy & ~low & level, (hard_true | low) & level, soft & calm & level, soft & near & level

    def _context(self, fact: Has | Related, yes: Bools, there: Bools) -> tuple[Bools, Bools]:
        """Split the scenes with a fact's objects by whether other objects suggest it: max of P(fact | other object)."""
        own = {fact.subject, fact.anchor} if isinstance(fact, Related) else {fact.category}
        held = np.bitwise_count(self.columns.present.bits & pack(yes)).sum(axis=1).astype(np.float32)
        chance = np.where(self._shown_in >= self.thresholds.support, held / np.maximum(self._shown_in, 1), 0)
        silent = own.union(self.suggesting and {*self.categories} - self.suggesting)
        chance[[self.columns.column[name] for name in silent]] = 0
        score = np.zeros(len(self), np.float32)
        for other in np.argsort(chance, kind="stable"):
            if chance[other] > 0:
                score[self.columns.present[other]] = chance[other]
        if not there.any():
            return there, there
        low, high = (float(np.quantile(score[there], q)) for q in (self.thresholds.far, self.thresholds.near))
        near = there & (score >= high) & (score > score[there].min())
        calm = there & (score <= low) & ~near
        if self.suggesting and near.any() and calm.any() and yes[near].mean() <= yes[calm].mean():
            near = np.zeros_like(near)  # the hub suggests the objects, but not this side or owner
        return calm, near

    @cached_property
    def _shown_in(self) -> Floats:
        """Number of scenes with each category."""
        counts: Floats = np.bitwise_count(self.columns.present.bits).sum(axis=1).astype(np.float32)
        return counts

    def _binding(self, fact: Fact) -> Binding:
        if isinstance(fact, Related) and fact.predicate == "right of" and self.clip is None:
            return self.binding(Related(fact.anchor, "left of", fact.subject))
        if fact not in self._bindings:
            self._truth(fact)
        return self._bindings.pop(fact)

    def number(self, fact: Fact) -> int:
        """Return in how many ways an image may show a fact, which a viewer may count; 0 if it is seen anyway."""
        return self.binding(fact).number if isinstance(fact, Has | Related) else 0

    def _both_seen(self, s: int, a: int, yes: Bools) -> tuple[Bools, Bools, Bools]:
        """Classify a relation: easy if both sides are, hard if all objects of either side are."""
        easy, hard = yes, np.zeros(len(self), np.bool_)
        for column in (s, a):
            usable, clear, all_hard = self._seen_of(column)
            yes = yes & usable
            easy = easy & clear
            hard = hard | all_hard
        return yes, easy & yes, hard & yes

    def _sided(self, fact: Related) -> tuple[Bools, Bools]:
        """Evaluate a side: true if all boxes of one category end before any of the other begins, false in a mirror.

        Everything between is unknown, as "the person is left of the chair" with persons on both sides.
        """
        s, a = self.columns.column[fact.subject], self.columns.column[fact.anchor]
        before, after = self._ends_before(s, a), self._ends_before(a, s)
        yes, no = (before, after) if fact.predicate == "left of" else (after, before)
        side = SIDES[fact.predicate]
        support, against = (
            self._named(Related(fact.subject, one, fact.anchor))
            | self._named(Related(fact.anchor, other, fact.subject))
            for one, other in ((fact.predicate, side), (side, fact.predicate))
        )
        return yes & ~against, no & ~support  # contradictions between boxes and annotations are unknown

    def _ends_before(self, left: int, right: int) -> Bools:
        """Return the scenes in which all boxes of a category are to the left of all of another."""
        with np.errstate(invalid="ignore"):
            return self._extreme(left, 1, first=False) <= self._extreme(right, 0, first=True)

    def _find_extreme(self, column: int, share: int, *, first: bool) -> Floats:
        """Return the first or last left (or with a ``share`` of 1, right) edge of a category per scene; NaN without."""
        rows = self.columns.objects_of(column)
        result = np.full(len(self), np.nan, np.float32)
        where = self.columns.where[rows]
        if starts := np.flatnonzero(np.diff(where, prepend=-1)).tolist():  # objects are ordered by scene
            values = self.columns.box[rows, 0] + np.float32(share) * self.columns.box[rows, 2]
            result[where[starts]] = (np.minimum if first else np.maximum).reduceat(values, starts)
        return result

    def _listed(self, fact: Related) -> tuple[Bools, Bools]:
        yes = self._named(fact)
        known = self.columns.mark(self.columns.known_predicates.get(fact.predicate, NO_ROWS))
        opposite = OPPOSITES.get(fact.predicate)
        s, a = self.columns.column[fact.subject], self.columns.column[fact.anchor]
        single = (self.columns.counts_of(s) == 1) & (self.columns.counts_of(a) == 1)
        against = np.zeros(len(self), np.bool_)
        if opposite is not None:
            against |= self._named(Related(fact.subject, opposite, fact.anchor))
            against |= self._named(Related(fact.anchor, fact.predicate, fact.subject))
        return yes, (known | (single & against)) & ~yes

    def _named(self, fact: Related) -> Bools:
        triple = (fact.subject, fact.predicate, fact.anchor)
        return self.columns.mark(self.columns.relations.get(triple, NO_ROWS))

    def _askable(self, fact: Fact, least: int) -> bool:
        """Return whether enough images show a fact well and at least one definitely does not."""
        truth = self.truth(fact)
        return number_of(truth.easy) >= least and bool(truth.no.any())

    def _pressable(self, fact: Fact, least: int) -> float:
        """Return the ratio of available to needed images over all pressures, at most 8."""
        t = self.truth(fact)
        needs = [(t.easy, _PLENTY if least > 1 else 2), (t.hard, least), (t.near, EASY_IMAGES), (t.far, _PLENTY)]
        if isinstance(fact, Has | Related):
            binding = self.binding(fact)
            needs += [(binding.calm & t.hard, least), (binding.calm & binding.hard, 1)]
        return min(8.0, *(number_of(where) / number for where, number in needs))

    def existence_facts(self) -> list[Exists]:
        """Return every category present as an object in a scene and known to be absent in another."""
        there = self.cooccurrence.things
        return [Exists(c) for i, c in enumerate(self.categories) if there[i] and self.columns.absent(i).any()]

    def numerous(self, category: str) -> bool:
        """Return whether images clearly show one, two and three instances of a category."""
        return all(self.truth(Quantity(category, number)).easy.any() for number in (1, 2, 3))

    def _attribute_facts(self) -> list[Has]:
        """Return every attribute value of an object, for the types used in questions."""
        holders = self.attributes.holders
        return sorted(Has(self.columns.categories[c], kind, value) for c, kind, value in holders)

    def _relation_facts(self) -> list[Related]:
        """Return the most annotated relations, and left/right of the most co-occurring pairs."""
        names, column, objects = self.categories, self.columns.column, self.cooccurrence.things
        surely_gone = [bool(self.columns.absent(i).any()) for i in range(len(names))]
        together, allowed = self.cooccurrence.together, self._sided_pairs

        def rank(subject: int, anchor: int, count: float) -> tuple[bool, float]:
            """Rank pairs last that are never known to be absent: they have no easy negatives."""
            return not (surely_gone[subject] or surely_gone[anchor]), -count

        listed = {
            triple: rank(column[triple[0]], column[triple[2]], len(scenes))
            for triple, scenes in self.columns.relations.items()
            if triple[1] not in SIDES and triple[0] != triple[2] and allowed is None
        }
        common = sorted(listed, key=lambda triple: (listed[triple], triple))[:_MOST_RELATIONS]
        paired = {
            (one, other): rank(one, other, together[one, other])
            for one, other in np.argwhere(np.triu(together, 1) >= 2).tolist()
            if objects[one] and objects[other] and (allowed is None or frozenset((names[one], names[other])) in allowed)
        }
        pairs = sorted(paired, key=lambda pair: (paired[pair], pair))[:_MOST_PAIRS]
        sides = {
            Related(names[s], side, names[a])
            for one, other in pairs
            for s, a in ((one, other), (other, one))
            for side in SIDES
        }
        return sorted({*(Related(*triple) for triple in common), *sides})
