"""What is seen with what, and so which scenes suggest a thing that they do not show: what makes negatives hard."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache

import numpy as np

from vhbench.generators.mioh.pressures import PressureThresholds
from vhbench.generators.mioh.scene_columns import Bits, Bools, Floats, Ints, SceneColumns
from vhbench.schema import Scene, VhbenchError


class Cooccurrence:
    """How often the categories of some scenes occur together.

    Attributes:
        together: number of scenes that show two categories, shape (categories, categories).
        chance: P(target | present), shape (target, present).
        things: whether a category is somewhere a thing, and not an area, shape (categories,).
    """

    def __init__(
        self,
        columns: SceneColumns,
        thresholds: PressureThresholds,
        *,
        statistics: Iterable[Scene] | None = None,
        suggesting: Collection[str] | None = None,
    ) -> None:
        """Count; see :class:`ScenePool` for the arguments.

        Raises:
            VhbenchError: if the statistics have no category in common with the scenes.
        """
        self.columns, self.thresholds = columns, thresholds
        self.together, self.chance = count_together(columns, thresholds.support)
        self.things: Bools = np.bincount(columns.which, minlength=len(columns.categories)) > 0
        if statistics is not None:
            self.chance = self._chance_elsewhere(SceneColumns(statistics))
        if suggesting is not None:
            self.chance[:, [i for i, name in enumerate(columns.categories) if name not in suggesting]] = 0
        self.score = lru_cache(maxsize=2)(self._score)
        self._levels = cache(self._find_levels)

    def _chance_elsewhere(self, others: SceneColumns) -> Floats:
        """Return P(target | present) of other scenes for the categories of these; 0 where the others lack one."""
        _, chance = count_together(others, self.thresholds.support)
        shared = [(i, others.column[word]) for word, i in self.columns.column.items() if word in others.column]
        if not shared:
            raise VhbenchError("the statistics are of no category that the images have")
        here, there = np.array(shared).T
        found: Floats = np.zeros_like(self.chance)
        found[np.ix_(here, here)] = chance[np.ix_(there, there)]
        return found

    def company(self, category: str, most: int = 16) -> list[str]:
        """Return the categories that are seen with one most often, as things."""
        seen, names = self.together[self.columns.column[category]] * self.things, self.columns.categories
        order = np.argsort(-seen, kind="stable").tolist()
        return [names[i] for i in order if seen[i] and names[i] != category][:most]

    def _score(self, column: int) -> Floats:
        """Return max over the categories c in each scene of P(target | c)."""
        chance, score = self.chance[column], np.zeros(len(self.columns), np.float32)
        for other in np.argsort(chance, kind="stable"):
            if chance[other] > 0:
                score[self.columns.present[other]] = chance[other]
        return score

    def _find_levels(self, column: int) -> tuple[float, float]:
        """Return the scores up to which a negative is far, and from which it is near."""
        no, t = self.columns.absent(column), self.thresholds
        if not no.any():
            return 0.0, 1.0
        score = self.score(column)[no]
        return float(np.quantile(score, t.far)), max(float(np.quantile(score, t.near)), t.cooccurring)

    def split(self, column: int, no: Bools) -> tuple[Bools, Bools]:
        """Split the scenes that lack a category into far and near by their scores."""
        score, (low, high) = self.score(column), self._levels(column)
        near = no & (score >= high) & (score > low)
        return no & (score <= low) & ~near, near

    def split_beside(self, column: int, no: Bits, aside: Sequence[str]) -> tuple[Bits, Bits]:
        """Do the same where some categories suggest nothing."""
        low, high = self._levels(column)
        chance = self.chance[column].copy()
        chance[[self.columns.column[name] for name in aside]] = 0
        near = no & self._shown(np.flatnonzero((chance >= high) & (chance > low)))
        return no & ~self._shown(np.flatnonzero(chance > low)) & ~near, near

    def _shown(self, columns: Ints) -> Bits:
        """Return where any of these categories is present."""
        shown: Bits = np.bitwise_or.reduce(self.columns.present.bits[columns], axis=0)
        return shown


def count_together(columns: SceneColumns, support: int) -> tuple[Floats, Floats]:
    """Count the scenes that show two categories, and P(target | present) where the target is known.

    Returns:
        Two arrays of shape (categories, categories); the second is (target, present), and 0 where fewer than
        ``support`` scenes show what is present.
    """
    both, base = (np.zeros((len(columns.categories),) * 2, np.float32) for _ in range(2))
    for present, known in zip(columns.present.chunks(), columns.known.chunks(), strict=True):
        both += present @ present.T
        base += np.maximum(known, present) @ present.T
    enough = both.diagonal() >= support
    chance: Floats = np.divide(both, base, out=np.zeros_like(both), where=(base > 0) & enough)
    np.fill_diagonal(chance, 0)
    return both, chance
