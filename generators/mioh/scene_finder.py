"""Which scenes of a pool fit what a question needs of its images."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from vhbench.generators.mioh.drafts import ImageSlot
from vhbench.generators.mioh.facts import Count, Fact
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.scene_columns import Bits, Places, number_of, pack

_KEPT = 4096
"""Slots whose scenes are kept; of a COCO-sized pool fewer, since a slot takes 30 kB there."""

_KEPT_BYTES = 64 << 20


class Candidates:
    """The scenes that fit a slot: ``strict`` are those in which nothing else that the slot wants is hard."""

    def __init__(self, pool: ScenePool, strict: Bits, loose: Bits) -> None:
        self.number = number_of(loose)
        self._pool, self._bits = pool, (strict, loose)
        self._found: list[Places | None] = [None, None]

    def scenes(self, *, strict: bool) -> Places:
        """Return the scenes in order; they are counted out when somebody asks, which is seldom."""
        which = 0 if strict else 1
        found = self._found[which]
        if found is None:
            found = self._found[which] = self._pool.scenes_of(self._bits[which])
        return found


class SceneFinder:
    """Finds scenes for slots, preferring those that nothing else makes hard, and then those that are used least."""

    def __init__(self, pool: ScenePool) -> None:
        self.pool = pool
        self._uses = [0] * len(pool)
        self._all: Bits = pack(np.ones(len(pool), np.bool_))
        self._most = min(_KEPT, max(256, _KEPT_BYTES // (2 * self._all.nbytes)))
        self._found: dict[tuple[ImageSlot, bool, bool], Candidates] = {}

    def note(self, scenes: Sequence[int]) -> None:
        """Keep in mind that a question shows these."""
        for scene in scenes:
            self._uses[scene] += 1

    def candidates(self, slot: ImageSlot, hp: bool = False, hn: bool = False) -> Candidates:
        """Return the scenes that fit a slot whose positive (hp), negative (hn) is pressed or easy."""
        hp, hn = hp and slot.hp is not None, hn and slot.hn is not None
        found = self._found.get((slot, hp, hn))
        if found is None:
            if len(self._found) >= self._most:
                self._found.clear()
            found = self._found[slot, hp, hn] = Candidates(self.pool, *self._masks(slot, hp, hn))
        return found

    def _masks(self, slot: ImageSlot, hp: bool, hn: bool) -> tuple[Bits, Bits]:
        """Return the scenes of :class:`Candidates`: a pressure shall change one factor, and so all, if need be."""
        mask, rest = self._all.copy(), self._all.copy()
        for fact, wanted in slot.wants:
            truth = self.pool.truth(fact)
            if fact == slot.hp:
                mask &= truth.hard if hp else truth.easy
            elif fact == slot.hn:
                far, near = self.pool.suggested(fact, slot.aside)
                mask &= near if hn else far
            elif wanted:
                mask &= self._seen(fact, hp)
                rest &= ~truth.hard
            else:
                mask &= truth.no
                rest &= ~truth.near
        if slot.lures:
            mask &= reduce(np.bitwise_or, [self._seen(fact, hp) for fact in slot.lures])
        return mask & rest, mask

    def _seen(self, fact: Fact, hp: bool) -> Bits:
        """Return where a fact is true that no pressure bears on: hard to see only where something else there is."""
        truth = self.pool.truth(fact)
        is_zero = isinstance(fact, Count) and fact.number == 0
        return truth.yes if hp or is_zero else truth.yes & ~truth.hard

    def pick(
        self,
        slots: Sequence[ImageSlot],
        generator: np.random.Generator,
        *,
        hp: bool = False,
        hn: bool = False,
        taken: Sequence[int] = (),
    ) -> tuple[int, ...] | None:
        """Return a different scene for each slot, or None. The slots with the fewest candidates choose first."""
        pools: list[Candidates] = []
        for slot in slots:
            pools.append(self.candidates(slot, hp, hn))
            if not pools[-1].number:
                return None
        gone, chosen = {*taken}, [0] * len(slots)
        for i in sorted(range(len(slots)), key=lambda i: pools[i].number):
            scene = self._one(pools[i].scenes(strict=True), gone, generator)
            if scene is None and (scene := self._one(pools[i].scenes(strict=False), gone, generator)) is None:
                return None
            gone.add(scene)
            chosen[i] = scene
        return tuple(chosen)

    def _one(self, scenes: Places, taken: set[int], generator: np.random.Generator) -> int | None:
        if len(scenes) > 64:
            scenes = scenes[generator.integers(len(scenes), size=48)]
        free: list[int] = scenes.tolist()
        if not taken.isdisjoint(free):
            free = [scene for scene in free if scene not in taken]
        if not free:
            return None
        uses = [*map(self._uses.__getitem__, free)]
        least = min(uses)
        rare = free if least == max(uses) else [c for c, often in zip(free, uses, strict=True) if often == least]
        return rare[int(generator.integers(len(rare)))]
