"""Search for scenes that match the image requirements of a question."""

from collections.abc import Sequence, Set
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from vhbench.generators.mioh.drafts import ImageSlot, how_many_images
from vhbench.generators.mioh.facts import Exists, Fact, Has, Quantity, Related
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QuestionType
from vhbench.generators.mioh.scene_columns import Bits, Floats, Places, number_of, pack

_KEPT_BYTES = 64 << 20
"""Cache size for candidate scenes, in addition to a limit of 4,096 slots."""

_FEW = 1024
"""Number of scenes up to which their indices are kept instead of bits."""

_CLOSEST = 4
"""Number of scenes that count as about as like another, at least, in questions about presence: few photos would give
few questions."""

_COMPARED = 512
"""Number of scenes to find the most similar ones among, at random."""

_IN_COMMON = 2
"""Number of categories of objects that two images of a question about presence have in common, if possible."""

_WEIGHT = 3
"""What an object more or fewer counts, where a category more or fewer in common counts 1."""


class Candidates(NamedTuple):
    """Scenes that match a slot, by index if they are few; in ``strict`` ones, no other required fact is hard."""

    strict: npt.NDArray[Any]
    loose: npt.NDArray[Any]
    number: int  # number of loose ones


class SceneFinder:
    """Scene search that prefers scenes without other difficulties, then the least used ones."""

    def __init__(self, pool: ScenePool, kind: QuestionType) -> None:
        """Set up the search for the images of one question type."""
        self.pool = pool
        self._of_presence = not kind.together and (kind.task == "existence" or kind.shape is how_many_images)
        self._closest = _CLOSEST if self._of_presence else int(kind.task == "attribute")
        self._uses, self._taken = [0] * len(pool), np.zeros(len(pool), np.bool_)
        self._all: Bits = pack(np.ones(len(pool), np.bool_))
        cache_size = min(4096, max(256, _KEPT_BYTES // (2 * self._all.nbytes)))
        self._candidates = lru_cache(maxsize=cache_size)(self._find_candidates)

    def note(self, scenes: Sequence[int]) -> None:
        """Record that a question shows these scenes."""
        for scene in scenes:
            self._uses[scene] += 1

    def _find_candidates(self, slot: ImageSlot, hp: bool, hn: bool) -> Candidates:
        """Return the matching scenes; a pressure may affect other facts only if unavoidable."""
        mask, rest = self._all.copy(), self._all.copy()
        for fact, is_true in slot.wants:
            truth = self.pool.truth(fact)
            if fact in (slot.hp, slot.hn) and slot.bound:
                # A false fact has the same objects and values as a true one, as easy or hard to see, in like company.
                binding = self.pool.binding(fact)
                mask &= (truth.hard if hp else truth.easy) if is_true else (binding.hard if hp else binding.soft)
                if fact == (slot.hn if slot.hn is not None else slot.hp):
                    mask &= binding.near if hn else binding.calm
            elif fact == slot.hp:
                mask &= truth.hard if hp else truth.easy
                if fact == slot.hn:
                    company = self.pool.company(fact)
                    if hn:
                        mask &= company
                    else:
                        rest &= ~company  # photos without it are rare
            elif fact == slot.hn:
                far, near = self.pool.suggested(fact, slot.aside)
                mask &= near if hn else far
            elif is_true:
                mask &= self._seen(fact, hp)
                rest &= ~truth.hard
            else:
                mask &= self._false(fact)
                rest &= ~truth.near
        about = slot.hp or slot.hn
        if isinstance(about, Exists | Quantity):
            mask, rest = (mask & self.pool.obscured, rest) if hp else (mask, rest & ~self.pool.obscured)
            if not hn:
                asked = {fact.category for fact, _ in slot.wants if isinstance(fact, Exists | Quantity)}
                rest &= ~self._suggesting(asked)
        for fact in slot.there:
            mask &= self.pool.binding(fact).there
        if slot.lures:
            others = slot.lures if slot.there else ()
            mask &= reduce(np.bitwise_or, [self._only(fact, others, hp) for fact in slot.lures])
        number, strict = number_of(mask), mask & rest
        if number > _FEW:
            return Candidates(strict, mask, number)
        return Candidates(self.pool.scenes_of(strict), self.pool.scenes_of(mask), number)

    def _suggesting(self, asked: Set[str]) -> Bits:
        """Return the scenes with a category that suggests others by design, but for those in question."""
        columns = self.pool.columns
        places = [columns.column[word] for word in self.pool.suggesting - asked if word in columns.column]
        suggesting: Bits = np.bitwise_or.reduce(columns.present.bits[places], axis=0)
        return suggesting

    def _seen(self, fact: Fact, hp: bool) -> Bits:
        """Return where a fact without pressure is true; hard to see only if HP applies elsewhere."""
        truth = self.pool.truth(fact)
        is_zero = isinstance(fact, Quantity) and fact.number == 0
        return truth.yes if hp or is_zero else truth.yes & ~truth.hard

    def _false(self, fact: Fact) -> Bits:
        """Return where a fact without pressure is false; of attributes and relations, by objects that can have them."""
        no = self.pool.truth(fact).no
        return no & ~self.pool.binding(fact).odd if isinstance(fact, Has | Related) else no

    def _only(self, fact: Fact, others: Sequence[Fact], hp: bool) -> Bits:
        """Return where a fact is true, and the others are false."""
        return reduce(np.bitwise_and, [self._false(other) for other in others if other != fact], self._seen(fact, hp))

    def pick(
        self,
        slots: Sequence[ImageSlot],
        generator: np.random.Generator,
        *,
        hp: bool = False,
        hn: bool = False,
        others: Sequence[int] = (),
    ) -> tuple[int, ...] | None:
        """Return a distinct scene per slot or None, filling the most constrained slots first."""
        pools: list[Candidates] = []
        for slot in slots:
            pools.append(self._under(slot, hp, hn))
            if not pools[-1].number:
                return None
        used_scenes, like, chosen = {*others}, [*others], [0] * len(slots)
        for i in sorted(range(len(slots)), key=lambda i: pools[i].number):
            scene = self._one(pools[i].strict, used_scenes, generator, like)
            if scene is None and (scene := self._one(pools[i].loose, used_scenes, generator, like)) is None:
                return None
            used_scenes.add(scene)
            like.append(scene)
            chosen[i] = scene
        return tuple(chosen)

    def suit(self, slots: Sequence[ImageSlot], scenes: Sequence[int], *, hp: bool = False, hn: bool = False) -> bool:
        """Return whether each scene matches its slot."""
        matches = (self._under(slot, hp, hn).loose for slot in slots)
        return all(scene in self._places(where) for scene, where in zip(scenes, matches, strict=False))

    def _under(self, slot: ImageSlot, hp: bool, hn: bool) -> Candidates:
        return self._candidates(slot, *slot.under(hp, hn))

    def _places(self, candidates: npt.NDArray[Any]) -> Places:
        return self.pool.scenes_of(candidates) if candidates.dtype == np.uint64 else candidates

    def _one(
        self, candidates: npt.NDArray[Any], used_scenes: set[int], generator: np.random.Generator, like: Sequence[int]
    ) -> int | None:
        """Return one of the least used scenes, of those most like the images ``like`` if that matters."""
        scenes = self._places(candidates)
        if self._closest and like:
            self._taken[[*used_scenes]] = True
            scenes = scenes[~self._taken[scenes]]
            self._taken[[*used_scenes]] = False
            if self._of_presence and len(scenes) > _COMPARED:
                scenes = scenes[generator.integers(len(scenes), size=_COMPARED)]
            if len(scenes) > 1:
                unlike, last = self._unlike(scenes, like), min(self._closest, len(scenes)) - 1
                scenes = scenes[unlike <= (np.partition(unlike, last)[last] if last else unlike.min())]
        if len(scenes) > 64:
            scenes = scenes[generator.integers(len(scenes), size=48)]
        free: list[int] = scenes.tolist()
        if not used_scenes.isdisjoint(free):
            free = [scene for scene in free if scene not in used_scenes]
        if not free:
            return None
        uses = [*map(self._uses.__getitem__, free)]
        least = min(uses)
        rare = free if least == max(uses) else [c for c, often in zip(free, uses, strict=True) if often == least]
        return rare[int(generator.integers(len(rare)))]

    def _unlike(self, scenes: Places, like: Sequence[int]) -> Floats:
        """Return how little the scenes are like the other images of a question.

        An attribute that another object has, as in distractors, is more frequent where there are more objects. Pressure
        affects images that show an object, or suggest it, and so how full they are. And images with the same object
        come from the same places, where others recur, too.
        """
        columns = self.pool.columns
        if not self._of_presence:
            fuller = columns.totals[scenes] - columns.totals[like[0]]
            unlike: Floats = abs(fuller + 0.25)  # emptier ones are rarer, so they come first
            return unlike
        unlike = _WEIGHT * abs(columns.fullness[scenes] - columns.fullness[like[0]]).sum(axis=1)
        unlike += np.mean((columns.in_common(scenes, like) - _IN_COMMON) ** 2, axis=0)
        return unlike
