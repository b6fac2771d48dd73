"""Category co-occurrence, which decides how hard a negative is."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache

import numpy as np

from vhbench.generators.mioh.pressures import PressureThresholds
from vhbench.generators.mioh.scene_columns import Bits, Bools, Floats, Ints, SceneColumns
from vhbench.schema import Scene, VhbenchError


class Cooccurrence:
    """Co-occurrence statistics of the categories in a set of scenes.

    Attributes:
        together: number of scenes that contain both categories, shape (categories, categories).
        chance: P(target | present), shape (target, present).
        things: whether a category occurs as an object rather than only as an area, shape (categories,).
    """

    def __init__(
        self,
        columns: SceneColumns,
        thresholds: PressureThresholds,
        *,
        statistics: Iterable[Scene] | None = None,
        suggesting: Collection[str] | None = None,
    ) -> None:
        """Count co-occurrences; see :class:`ScenePool` for the arguments.

        Raises:
            VhbenchError: if the statistics share no category with the scenes.
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
        """Return P(target | present) of other scenes for these categories; 0 for unknown ones."""
        _, chance = count_together(others, self.thresholds.support)
        shared = [(i, others.column[word]) for word, i in self.columns.column.items() if word in others.column]
        if not shared:
            raise VhbenchError("the statistics cover none of the categories of the images")
        here, there = np.array(shared).T
        matrix: Floats = np.zeros_like(self.chance)
        matrix[np.ix_(here, here)] = chance[np.ix_(there, there)]
        return matrix

    def company(self, category: str, most: int = 16) -> list[str]:
        """Return the object categories that co-occur most often with a category."""
        seen, names = self.together[self.columns.column[category]] * self.things, self.columns.categories
        order = np.argsort(-seen, kind="stable").tolist()
        return [names[i] for i in order if seen[i] and names[i] != category][:most]

    def _score(self, column: int) -> Floats:
        """Return, per scene, max P(target | c) over its categories c."""
        chance, score = self.chance[column], np.zeros(len(self.columns), np.float32)
        for other in np.argsort(chance, kind="stable"):
            if chance[other] > 0:
                score[self.columns.present[other]] = chance[other]
        return score

    def _find_levels(self, column: int) -> tuple[float, float]:
        """Return the score thresholds: at most the first is far, at least the second is near."""
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
        """Apply :meth:`split` while ignoring the categories ``aside`` as cues."""
        low, high = self._levels(column)
        chance = self.chance[column].copy()
        chance[[self.columns.column[name] for name in aside]] = 0
        near = no & self._scenes_with(np.flatnonzero((chance >= high) & (chance > low)))
        return no & ~self._scenes_with(np.flatnonzero(chance > low)) & ~near, near

    def _scenes_with(self, columns: Ints) -> Bits:
        """Return the scenes that contain any of these categories."""
        scenes: Bits = np.bitwise_or.reduce(self.columns.present.bits[columns], axis=0)
        return scenes


def count_together(columns: SceneColumns, support: int) -> tuple[Floats, Floats]:
    """Count co-occurring categories and estimate P(target | present) over known targets.

    Returns:
        Two arrays of shape (categories, categories). The second is indexed (target, present) and is 0 where fewer than
        ``support`` scenes contain the present category.
    """
    both, base = (np.zeros((len(columns.categories),) * 2, np.float32) for _ in range(2))
    for present, known in zip(columns.present.chunks(), columns.known.chunks(), strict=True):
        both += present @ present.T
        base += np.maximum(known, present) @ present.T
    enough = both.diagonal() >= support
    chance: Floats = np.divide(both, base, out=np.zeros_like(both), where=(base > 0) & enough)
    np.fill_diagonal(chance, 0)
    return both, chance
