"""Co-occurrence of all facts of a kind in images, computed once for all question types."""

import math
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from typing import Final, Literal

import numpy as np

from vhbench.generators.mioh.facts import Fact
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.scene_columns import Bits, Bools, Floats, Ints, number_of, unpack

_ENOUGH: Final = 8  # images of two facts beyond which more make no difference
# Not NumPy's logarithm: its last digit depends on the processor, and the sampled facts depend on that digit.
_LOG1P: Final[Floats] = np.array([round(math.log1p(n), 12) for n in range(_ENOUGH + 1)])
_SAMPLE: Final = 256  # images of a fact examined for other facts
_BESIDE: Final = ("the other options",)

Part = Literal["easy", "hard", "seen", "true", "calm", "hidden", "near", "false"]
"""State of a fact in an image.

``seen`` is true and not hard to see; ``calm`` is false and suggested by nothing, ``hidden`` the same but hard to see.
"""


class Neighbours:
    """Co-occurrence index of facts, computed lazily."""

    def __init__(self, facts: Sequence[Fact], pool: ScenePool) -> None:
        """Set up the index."""
        self.facts, self.pool = facts, pool
        self._number = {fact: i for i, fact in enumerate(facts)}
        self.near = lru_cache(maxsize=1024)(self._find_near)
        self.rich = cache(self._rich)

    def parts(self, fact: Fact) -> dict[Part, Bits]:
        """Return the scenes for each state of a fact."""
        truth, binding = self.pool.truth(fact), self.pool.binding(fact)
        calm, near = self.pool.suggested(fact, _BESIDE)
        return {
            "easy": truth.easy, "hard": truth.hard, "seen": truth.yes & ~truth.hard, "true": truth.yes,
            "calm": calm, "hidden": binding.hard & binding.calm, "near": near, "false": truth.no,
        }  # fmt: skip

    def _rich(self, fact: Fact) -> float:
        """Score how many images show a fact clearly, hide it or suggest it."""
        truth = self.pool.truth(fact)
        return min(number_of(truth.easy), 2 * number_of(truth.hard), 2 * number_of(truth.near))

    @cached_property
    def riches(self) -> Floats:
        """Return the square roots of the facts' scores."""
        return np.array([math.sqrt(self.rich(fact)) for fact in self.facts])

    def _find_near(self, fact: Fact) -> Floats:
        """Return the co-occurrence of every fact with this one, easy and under pressure.

        Facts that never occur without each other score 0: they cannot be options of one question.
        """
        truth = self.pool.truth(fact)
        pairs: Sequence[tuple[Bits, Part]]
        pairs = ((truth.easy, "seen"), (truth.easy, "near"), (truth.near, "easy"), (truth.hard, "seen"))
        numbers = [self._together(scenes, part) for scenes, part in pairs]
        number = self._number[fact]
        often: Floats = _LOG1P[np.minimum(numbers, _ENOUGH)].sum(axis=0) * (numbers[0] > 0)
        often[number] = 0
        rows = np.flatnonzero(often)
        rows = self._meeting("calm", rows, truth.easy, self._together(truth.easy, "calm")[rows] > 0)
        calm = self._rows["calm"][number]
        marked = np.append(unpack(calm, len(self.pool)), False)
        known = np.logical_or.reduce(marked[self._examples[rows]], axis=1)
        rows = self._meeting("easy", rows, calm, known)
        scores: Floats = np.zeros_like(often)
        scores[rows] = often[rows]
        return scores

    def _meeting(self, part: Part, rows: Ints, scenes: Bits, met: Bools) -> Ints:
        """Return the facts that have the state in one of these scenes; ``met`` marks known ones."""
        met[~met] = (self._rows[part][rows[~met]] & scenes).any(axis=1)
        return rows[met]

    @cached_property
    def _examples(self) -> Ints:
        """Return easy example scenes per fact, padded with one past the last scene."""
        examples: Ints = np.full((len(self.facts), _ENOUGH), len(self.pool), np.int64)
        for row, bits in zip(examples, self._rows["easy"], strict=True):
            places = self.pool.scenes_of(bits)
            places = places[:: 1 + len(places) // _ENOUGH][:_ENOUGH]
            row[: len(places)] = places
        return examples

    @cached_property
    def _rows(self) -> dict[Part, Bits]:
        """Return the scenes for each state, with one row of bits per fact."""
        by_part: dict[Part, list[Bits]] = {"easy": [], "seen": [], "near": [], "calm": []}
        for fact in self.facts:
            parts = self.parts(fact)
            for part, rows in by_part.items():
                rows.append(parts[part])
        return {part: np.stack(rows) for part, rows in by_part.items()}

    def _together(self, scenes: Bits, part: Part) -> Ints:
        """Count, per fact, the scenes in which it has the state; large sets are subsampled."""
        places = self.pool.scenes_of(scenes)
        places = places[:: 1 + len(places) // _SAMPLE]
        eights = self._rows[part].view(np.uint8)[:, places >> 3]
        counts: Ints = ((eights >> (7 - (places & 7)).astype(np.uint8)) & 1).sum(axis=1, dtype=np.int64)
        return counts
