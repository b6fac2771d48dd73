"""Public–fresh gap: the accuracy drop from a public edition to a fresh one of the same build.

A fresh edition may contain the public one (``vhbench build ode --add``) and have another mix of question kinds. So
shared questions are excluded, and each kind has the same weight on both sides: a model whose accuracy per kind is
unchanged has no gap.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vhbench.leaderboard.question_index import Places, QuestionIndex
from vhbench.statistics import intervals, multiple_testing
from vhbench.statistics.all_pairs import drop
from vhbench.statistics.clustering import Clustering, Floats
from vhbench.statistics.clusters import clusters_of

FEWEST = 20  # minimum number of questions of either edition


@dataclass(frozen=True, slots=True)
class PublicFreshGap:
    """Public–fresh gap of a model, in points."""

    public: float  # score on the public edition, over the kinds of questions that both have
    fresh: float  # score on the new questions of the fresh edition, over the same kinds
    value: float  # public minus fresh
    interval: tuple[float, float] | None  # 95 % CI of the difference
    significant: bool  # whether the difference is significant, adjusted over all models of the board (Holm)
    questions: tuple[int, int]  # number of compared questions per edition


@dataclass(frozen=True, slots=True)
class FreshQuestions:
    """Compared questions of two editions: new ones, and public ones of the same kinds."""

    public: Places  # indices of the public ones in the family of their edition
    fresh: Places  # indices of the fresh ones
    weights: Floats  # weights of both, the public ones first; those of each edition add up to 1
    clusters: Clustering  # clusters of both

    def drops(
        self, outcomes: Sequence[tuple[Floats, Floats]], best: Sequence[tuple[Floats, Floats]] | None = None
    ) -> list[PublicFreshGap]:
        """Return the gap of each model, tested jointly.

        ``outcomes`` are from 0 to 1, on all questions of either family; ``best`` the same with every missing prediction
        right, None without missing ones: a gap must remain with those of the lower score right.
        """
        count = len(self.public)
        weights = self.weights[:count], self.weights[count:]
        outcome_pairs, right = (
            [(one[self.public], new[self.fresh]) for one, new in pairs] for pairs in (outcomes, best or outcomes)
        )
        changes = [drop(public, fresh, weights) for public, fresh in outcome_pairs]
        adverse = [
            drop(*((public, new) if change.mean() > 0 else (old, fresh)), weights)
            for change, (public, fresh), (old, new) in zip(changes, outcome_pairs, right, strict=True)
        ]
        p = multiple_testing.holm([self._p_value(*both) for both in zip(changes, adverse, strict=True)])
        gaps = list[PublicFreshGap]()
        for both, change, one in zip(outcome_pairs, changes, p, strict=True):
            interval = intervals.of_change(change, np.ones(len(change)), clusters=self.clusters, shares=True)
            ends = None if interval is None else (100 * interval.low, 100 * interval.high)
            before, after = (100 * float(w @ values) for w, values in zip(weights, both, strict=True))
            sizes = count, len(self.fresh)
            gaps.append(PublicFreshGap(before, after, before - after, ends, one <= multiple_testing.ALPHA, sizes))
        return gaps

    def _p_value(self, change: Floats, adverse: Floats) -> float:
        """Return the larger p-value of a gap and its adverse version, 1 if that reverses it."""
        if (change.mean() > 0) != (adverse.mean() > 0):
            return 1.0
        return max(multiple_testing.paired_t_p_value(each, self.clusters) for each in (change, adverse))


def fresh_questions(public: tuple[QuestionIndex, Places], fresh: tuple[QuestionIndex, Places]) -> FreshQuestions | None:
    """Return the compared questions of two editions; None if too few are new and of a shared kind.

    Each kind has the weight n m / (n + m) (Cochran 1954), so that a kind with few questions in one edition does not
    dominate. Either edition comes with the indices of its scored questions in their family.
    """
    public_keys = {_asks(row) for row in public[0].rows}
    rows = [fresh[0].rows[row] for row in fresh[0].main.places[fresh[1]].tolist()]
    new = [place for place, row in zip(fresh[1].tolist(), rows, strict=True) if _asks(row) not in public_keys]
    sides = (public[0], public[1].tolist()), (fresh[0], new)
    kinds = [[index.cell(int(index.main.places[place])) for place in places] for index, places in sides]
    counts = [Counter(names) for names in kinds]
    worth = {kind: n * m / (n + m) for kind, n in counts[0].items() if (m := counts[1][kind])}
    total = sum(worth.values())
    indices, weights = list[Places](), list[Floats]()
    for (_, places), names, count in zip(sides, kinds, counts, strict=True):
        weighted = [
            (place, worth[kind] / total / count[kind])
            for place, kind in zip(places, names, strict=True)
            if kind in worth
        ]
        if len(weighted) < FEWEST:
            return None
        indices.append(np.array([place for place, _ in weighted]))
        weights.append(np.array([weight for _, weight in weighted]))
    both = zip(sides, indices, strict=True)
    about = [questions.main.about[place] for (questions, _), members in both for place in members.tolist()]
    return FreshQuestions(indices[0], indices[1], np.concatenate(weights), clusters_of(about))


def _asks(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key under which a question is the same in two editions."""
    return row["id"], row["question"], tuple(row["choices"]), tuple(row["scene_ids"])
