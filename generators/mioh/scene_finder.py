"""Which scenes of a pool fit what a question needs of its images."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vhbench.generators.mioh.drafts import ImageSlot
from vhbench.generators.mioh.facts import Count, Fact
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.scene_columns import Bits

Ints = npt.NDArray[np.int32]


class SceneFinder:
    """Finds scenes for slots, preferring those that nothing else makes hard, and then those that are used least."""

    def __init__(self, pool: ScenePool) -> None:
        self.pool = pool
        self.uses = np.zeros(len(pool), np.int32)
        self._all: Bits = np.packbits(np.ones(len(pool), np.bool_))
        self._found: dict[tuple[ImageSlot, bool, bool], tuple[Ints, Ints]] = {}

    def candidates(self, slot: ImageSlot, hp: bool = False, hn: bool = False) -> tuple[Ints, Ints]:
        """Return the scenes that fit a slot whose positive (hp), negative (hn) is pressed or easy.

        Returns:
            Those in which nothing else that the slot wants is hard (so that a pressure changes one factor), and all.
        """
        key = (slot, hp and slot.hp is not None, hn and slot.hn is not None)
        if key not in self._found:
            if len(self._found) > 256:
                self._found.clear()
            strict, loose = self._masks(*key)
            self._found[key] = self.pool.scenes_of(strict), self.pool.scenes_of(loose)
        return self._found[key]

    def _masks(self, slot: ImageSlot, hp: bool, hn: bool) -> tuple[Bits, Bits]:
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
            mask &= np.bitwise_or.reduce([self._seen(fact, hp) for fact in slot.lures])
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
        pools = [self.candidates(slot, hp, hn) for slot in slots]
        chosen: dict[int, int] = {}
        for i in sorted(range(len(slots)), key=lambda i: len(pools[i][1])):
            gone = {*chosen.values(), *taken}
            strict, loose = pools[i]
            scene = self._one(strict, gone, generator)
            if scene is None and (scene := self._one(loose, gone, generator)) is None:
                return None
            chosen[i] = scene
        return tuple(chosen[i] for i in range(len(slots)))

    def _one(self, candidates: Ints, taken: set[int], generator: np.random.Generator) -> int | None:
        if len(candidates) > 64:
            candidates = candidates[generator.integers(len(candidates), size=48)]
        free = [c for c in candidates.tolist() if c not in taken]
        if not free:
            return None
        uses = self.uses[free]
        rare = np.flatnonzero(uses == uses.min())
        chosen: int = free[int(rare[generator.integers(len(rare))])]
        return chosen
