"""Search for scenes that match the image requirements of a question."""

from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from vhbench.generators.mioh.drafts import ImageSlot
from vhbench.generators.mioh.facts import Exists, Fact, Has, Quantity, Related
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QuestionType
from vhbench.generators.mioh.scene_columns import Bits, Floats, Ints, Places, SceneColumns, number_of, pack

_KEPT_BYTES = 64 << 20
"""Cache size for candidate scenes, in addition to a limit of 4,096 slots."""

_FEW = 1024
"""Number of scenes up to which their indices are kept instead of bits."""

_CLOSEST = 4
"""Number of scenes that count as about as full as another, at least, in questions about presence: few photos would give
few questions."""


class Candidates(NamedTuple):
    """Scenes that match a slot, by index if they are few; in ``strict`` ones, no other required fact is hard."""

    strict: npt.NDArray[Any]
    loose: npt.NDArray[Any]
    number: int  # number of loose ones


class SceneFinder:
    """Scene search that prefers scenes without other difficulties, then the least used ones."""

    def __init__(self, pool: ScenePool, kind: QuestionType) -> None:
        """Set up the search for the images of one question type."""
        self.pool, self._fullness = pool, _fullness(kind, pool.columns)
        self._closest = 1 if kind.task == "attribute" else _CLOSEST
        self._uses = [0] * len(pool)
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
                mask &= truth.no
                rest &= ~truth.near
                if isinstance(fact, Has | Related):
                    mask &= ~self.pool.binding(fact).odd
        if isinstance(slot.hp or slot.hn, Exists) and hp:
            mask &= self.pool.obscured
        elif isinstance(slot.hp or slot.hn, Exists):
            rest &= ~self.pool.obscured
        for fact in slot.there:
            mask &= self.pool.binding(fact).there
        if slot.lures:
            mask &= reduce(np.bitwise_or, [self._seen(fact, hp) for fact in slot.lures])
        number, strict = number_of(mask), mask & rest
        if number > _FEW:
            return Candidates(strict, mask, number)
        return Candidates(self.pool.scenes_of(strict), self.pool.scenes_of(mask), number)

    def _seen(self, fact: Fact, hp: bool) -> Bits:
        """Return where a fact without pressure is true; hard to see only if HP applies elsewhere."""
        truth = self.pool.truth(fact)
        is_zero = isinstance(fact, Quantity) and fact.number == 0
        return truth.yes if hp or is_zero else truth.yes & ~truth.hard

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
        used_scenes, chosen = {*others}, [0] * len(slots)
        like = [*others][:1]
        for i in sorted(range(len(slots)), key=lambda i: pools[i].number):
            scene = self._one(pools[i].strict, used_scenes, generator, like)
            if scene is None and (scene := self._one(pools[i].loose, used_scenes, generator, like)) is None:
                return None
            used_scenes.add(scene)
            like = like or [scene]
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
        """Return one of the least used scenes, of those about as full as ``like`` if that matters."""
        scenes = self._places(candidates)
        if self._fullness is not None and like:
            scenes = scenes[~np.isin(scenes, [*used_scenes])]
            gaps = abs(self._fullness[scenes] - self._fullness[like[0]]).sum(axis=1)
            scenes = scenes[gaps <= np.sort(gaps)[: self._closest].max(initial=0)]
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


def _fullness(kind: QuestionType, columns: SceneColumns) -> Floats | Ints | None:
    """Return how full each scene is, which is about the same in all images of a question; None if that does not matter.

    An attribute that another object has, as in distractors, is more frequent where there are more objects. Pressure
    affects images that show an object, or suggest it, and so how full they are.
    """
    if kind.task == "attribute":
        return columns.totals[:, None]
    return columns.fullness if kind.task == "existence" and not kind.together else None
