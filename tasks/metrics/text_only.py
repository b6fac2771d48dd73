"""The word floor: what a guesser gets who sees no image, and has learned from the answers to other questions.

Where the words of a question give its answer away, a score above chance need not come from looking. The floor is the
accuracy of the best guesser of a small family, each a ridge regression on more of the question's words
(:mod:`vhbench.tasks.metrics.question_words`), on questions that it did not learn from: the questions are dealt to folds
by cluster, so that none is about an image, or a fact, that was learned from. Which guesser is best is decided in the
other folds too, so that a lucky one earns nothing; to guess evenly among the options is one of them.

Where a split asks each word as often where the answer is yes as where it is no, what other questions teach of a word is
what they have too much of, and the questions that are left have the opposite: the reverse of what was learned would be
right. That is no hint, for who learns from another split, balanced as well, learns nothing, and who has the answers of
this one need not guess. And it would hide hints of other words. So words that are balanced by design teach nothing here
(:func:`_without_balanced`).

It is a floor: a guesser who knows the world, or who was trained on more of the same questions, may get more.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from vhbench.schema import QuestionBase
from vhbench.seeding import rng
from vhbench.statistics import intervals
from vhbench.tasks.metrics.question_words import SETS, Feature, cell_of, features, options_of

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

FOLDS, FEWER, MANY = 10, 5, 2_000
"""Folds, and how many where there are many questions: more to learn from matters where there are few."""

MOST = 8_000
"""Questions that are looked at; of more some whole clusters are drawn, as memory and time grow with them."""

LEAST_CLUSTERS = 10
"""Below that there is no floor: too little is left to learn from."""

GUESSERS: Mapping[str, tuple[tuple[str, ...], float]] = {
    "even": ((), 0.0),
    "prior": (("prior",), 3.0),
    "options": (("prior", "options"), 3.0),
    "marks": (("prior", "options", "marks"), 3.0),
    "phrase": (("prior", "options", "phrase"), 1.0),
    "words": (("prior", "options", "words"), 3.0),
    "all": (("prior", "options", "phrase", "words", "pairs"), 3.0),
    "all, careful": (("prior", "options", "phrase", "words", "pairs"), 30.0),
}
"""Name of a guesser → the features that it sees, and how much it distrusts what it saw seldom (the ridge)."""

_NEARLY_ALL = 0.9
"""Which share of the words is balanced where a split balances words by design."""

_USUAL = 0.95
"""How many of all words are, by chance, no farther from balance than one that is then taken for balanced."""

_DEALT_EVENLY = 0.001
"""How seldom coins would spread answers over words as evenly as is then taken for the design of the split."""

_STEPS = 40
"""Of the solver of the regressions, which needs fewer: what is told comes first."""

_NOTHING = 1e-6
"""How far above chance is nothing but rounding."""

_SAME = 9
"""Decimals to which two options must be alike to be a tie, which is decided by an even guess."""


@dataclass(frozen=True, slots=True)
class TextOnlyBaseline:
    """What the words alone reach.

    Attributes:
        n: questions, or pairs.
        value: share of right guesses, from 0 to 1.
        interval: its 95 % interval over clusters.
        chance: what guessing evenly gets.
        guesser: the one of :data:`GUESSERS` that was taken most often.
        leaks_answers: whether the words certainly tell more than chance, among all cells that are told (Bonferroni).
    """

    n: int
    value: float
    interval: intervals.Interval | None
    chance: float
    guesser: str
    leaks_answers: bool

    def in_percent(self) -> dict[str, Any]:
        """Return the floor as reports have it."""
        ends = None if self.interval is None else [100 * end for end in self.interval.ends]
        return {
            "n": self.n,
            "text_only_baseline": 100 * self.value,
            "interval": ends,
            "chance": 100 * self.chance,
            "guesser": self.guesser,
            "leaks_answers": self.leaks_answers,
        }


@dataclass(frozen=True, slots=True)
class FoldPredictions:
    """Every guesser's answers to every question, each from questions of other folds.

    Attributes:
        questions: in order of their ids, without captions.
        clusters: of each.
        folds: of each.
        hits: (guesser, question, fold): how right it was (a tie of two options is half right), having learned neither
            from the question's own fold nor from that fold.
    """

    questions: Sequence[QuestionBase]
    clusters: Sequence[Hashable]
    folds: Places
    hits: Floats

    @property
    def every(self) -> Places:
        """The places of all questions."""
        return np.arange(len(self.questions))

    def floor(self, places: Places | None = None, cells: int = 1) -> TextOnlyBaseline | None:
        """Return the floor of some of the questions, of all by default; None where they are too few.

        Args:
            places: of the questions.
            cells: how many floors are told together.
        """
        own = self.every if places is None else places
        units = [[int(place)] for place in own]
        chance = [1 / len(options_of(self.questions[place])) for place in own]
        return self._floor(units, chance, cells)

    def pairs(self, places: Places | None = None, cells: int = 1) -> TextOnlyBaseline | None:
        """Return the floor of symmetric accuracy: of the pairs that have both halves, those with both right.

        Chance is one half: who guesses one answer, and gives the twin the opposite, has every other pair right.
        """
        halves: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place in (self.every if places is None else places).tolist():
            halves[self.questions[place].pair_id, self.questions[place].perturbation].append(place)
        units = [
            pair
            for key, pair in sorted(halves.items())
            if key[0] and {self.questions[place].negated for place in pair} == {False, True} and len(pair) == 2
        ]
        return self._floor(units, [0.5] * len(units), cells)

    def by(self, columns: Sequence[str]) -> dict[tuple[Any, ...], Places]:
        """Return the places of the questions by their values in some columns."""
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for place, question in enumerate(self.questions):
            groups[tuple(getattr(question, column) for column in columns)].append(place)
        return {key: np.array(groups[key]) for key in sorted(groups)}

    def _floor(self, units: Sequence[Sequence[int]], chance: Sequence[float], cells: int) -> TextOnlyBaseline | None:
        """Choose a guesser for each fold by how it did in the others, and count what it gets in this one."""
        clusters = [self.clusters[unit[0]] for unit in units]
        if len(set(clusters)) < LEAST_CLUSTERS:
            return None
        hits = np.stack([self.hits[:, list(unit), :].min(axis=1) for unit in units], axis=1)
        folds = self.folds[[unit[0] for unit in units]]
        values, taken = np.zeros(len(units)), Counter[int]()
        for fold in np.unique(folds).tolist():
            here = folds == fold
            seen = hits[:, ~here, fold].mean(axis=1) if (~here).any() else np.zeros(len(hits))
            best = int(np.argmax(seen.round(_SAME)))
            taken[best] += int(here.sum())
            values[here] = hits[best, here, fold]
        if values.mean() < np.mean(chance):  # who learned the wrong thing does better to guess
            values, taken = np.array(chance, dtype=np.float64), Counter([0])
        ends, strict = (
            intervals.mean(values.tolist(), clusters=clusters, level=1 - (1 - intervals.LEVEL) / among)
            for among in (1, cells)
        )
        most, even = min(taken, key=lambda guesser: (-taken[guesser], guesser)), sum(chance) / len(chance)
        above = strict is not None and strict.low > even + _NOTHING
        return TextOnlyBaseline(len(units), float(values.mean()), ends, even, list(GUESSERS)[most], above)


def guess(
    questions: Iterable[QuestionBase], cluster: Callable[[Sequence[Any]], Sequence[Hashable]], seed: int = 0
) -> FoldPredictions | None:
    """Let every guesser answer every question from the answers to others; None where there are too few clusters.

    Args:
        questions: of one benchmark, with their right answers; captions are left out, and repetitions are.
        cluster: gives the cluster of each question.
        seed: of the folds.

    >>> from vhbench.schema import Question
    >>> told = {"Is there a dog?": "yes", "Is there a boat?": "no"}  # so that nobody has to look
    >>> rows = [
    ...     Question(id=f"{i}-{text}", images=(b"",), question=text, answer=answer, kind="yes_no", scene_ids=(str(i),))
    ...     for i in range(12) for text, answer in told.items()
    ... ]
    >>> guess(rows, lambda some: [row.scene_ids for row in some]).floor().in_percent()["text_only_baseline"]
    100.0
    """
    asked = sorted((q for q in questions if q.answer in options_of(q)), key=lambda question: question.id)
    clusters = cluster(asked) if asked else ()
    if len(asked) > MOST:
        kept = _drawn(clusters, seed)
        asked, clusters = [asked[place] for place in kept], [clusters[place] for place in kept]
    if len(set(clusters)) < LEAST_CLUSTERS:
        return None
    number_of_folds = FOLDS if len(asked) <= MANY else FEWER
    folds = _dealt(clusters, number_of_folds, seed)
    unique, which = _unique(asked, clusters)
    own = folds[unique]
    table = _Table.of([asked[place] for place in unique])
    hits = np.zeros((len(GUESSERS), len(unique), number_of_folds))
    for number, (sets, ridge) in enumerate(GUESSERS.values()):
        for one, other in combinations_with_replacement(range(number_of_folds), 2):
            learned = (own != one) & (own != other)
            right = table.right(sets, ridge, learned)
            hits[number, own == one, other] = right[own == one]
            hits[number, own == other, one] = right[own == other]
    return FoldPredictions(asked, clusters, folds, hits[:, which])


def _drawn(clusters: Sequence[Hashable], seed: int) -> list[int]:
    """Return the places of whole clusters, at random, until there are enough questions."""
    sizes, left, kept = Counter(map(str, clusters)), MOST, set[str]()
    for name in rng(seed, "word floor", "drawn").permutation(sorted(sizes)).tolist():
        if sizes[name] <= left:
            kept.add(name)
            left -= sizes[name]
    return [place for place, cluster in enumerate(clusters) if str(cluster) in kept]


def _dealt(clusters: Sequence[Hashable], count: int, seed: int) -> Places:
    """Deal the clusters to folds of like size: the largest first, each to the fold that has least so far."""
    sizes = Counter(map(str, clusters))
    order = {name: place for place, name in enumerate(rng(seed, "word floor").permutation(sorted(sizes)).tolist())}
    fold: dict[str, int] = {}
    filled = [0] * count
    for name in sorted(sizes, key=lambda name: (-sizes[name], order[name])):
        fold[name] = min(range(count), key=lambda number: (filled[number], number))
        filled[fold[name]] += sizes[name]
    return np.array([fold[str(cluster)] for cluster in clusters])


def _unique(asked: Sequence[QuestionBase], clusters: Sequence[Hashable]) -> tuple[list[int], Places]:
    """Return the first of all questions that have the same words in one cluster, and for each which one it is."""
    known: dict[Hashable, int] = {}
    first: list[int] = []
    which: list[int] = []
    for place, (question, cluster) in enumerate(zip(asked, clusters, strict=True)):
        words = question.question, question.choices, question.answer, question.negated
        number = known.setdefault((cluster, words, cell_of(question)), len(first))
        if number == len(first):
            first.append(place)
        which.append(number)
    return first, np.array(which)


@dataclass(frozen=True, slots=True)
class _Table:
    """Questions as numbers: a row for each option, those of a question beside one another.

    Attributes:
        columns: name of a set of features → its sparse matrix (options, features).
        starts: the first row of each question.
        wanted: whether an option is the right one, less what an even guess expects.
        owner: the question of each row.
    """

    columns: Mapping[str, Any]
    starts: Places
    wanted: Floats
    owner: Places

    @classmethod
    def of(cls, questions: Sequence[QuestionBase]) -> Self:
        """Find the features of all options; those of a single option teach nothing, and are left out."""
        found: dict[str, _Sparse] = {name: _Sparse() for name in SETS}
        wanted, owner = list[float](), list[int]()
        for place, question in enumerate(questions):
            options = options_of(question)
            for letter, sets in zip(options, features(question), strict=True):
                wanted.append((letter == question.answer) - 1 / len(options))
                owner.append(place)
                for name, seen in sets.items():
                    found[name].add(seen)
        rows = np.array(owner)
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        targets = np.array(wanted)
        groups = [questions[place].task for place in owner]
        columns = {name: _without_balanced(one.matrix(), targets, groups) for name, one in found.items()}
        return cls(columns, starts, targets, rows)

    def right(self, sets: Sequence[str], ridge: float, learned: npt.NDArray[np.bool_]) -> Floats:
        """Return for each question how right a guesser is that learned from some of them."""
        if not sets or not learned.any():
            scores = np.zeros(len(self.owner))
        else:
            from scipy import sparse
            from scipy.sparse.linalg import lsqr

            seen = sparse.hstack([self.columns[name] for name in sets], format="csr")
            rows = learned[self.owner]
            weights = lsqr(seen[rows], self.wanted[rows], damp=ridge**0.5, iter_lim=_STEPS)[0]
            scores = (seen @ weights).round(_SAME)
        best = np.maximum.reduceat(scores, self.starts)[self.owner] == scores
        tied = np.add.reduceat(best.astype(float), self.starts)
        hit: Floats = np.add.reduceat((best & (self.wanted > 0)).astype(float), self.starts)
        return hit / tied


def _without_balanced(seen: Any, wanted: Floats, groups: Sequence[Hashable]) -> Any:
    """Return features without those whose answers a split has balanced, in groups where it has done so by design.

    By chance one word is balanced, too, and to leave it out would make chance look like a hint. So it is asked first of
    each group whether nearly all features are balanced, and more evenly than coins would have it: the sum of their
    squared excesses, each in its own variance, is then far below their number (chi-squared, lower tail). There a
    feature stays that is farther from balance than nineteen coins of twenty.
    """
    from scipy import sparse, stats

    names = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    of_rows = np.array([names[group] for group in groups])
    for number in names.values():
        part = sparse.diags((of_rows == number).astype(float)) @ seen
        excess, variance = part.T @ wanted, part.T @ wanted**2
        told, balanced = variance > 0, np.abs(excess) <= 0.5 + _NOTHING  # of an odd number one is left over
        spread = excess**2 / np.where(told, variance, 1)
        even = stats.chi2.cdf(spread.sum(), told.sum()) < _DEALT_EVENLY if told.any() else False
        if even and balanced[told].mean() >= _NEARLY_ALL:
            seen = seen - part @ sparse.diags((told & (spread <= stats.chi2.ppf(_USUAL, 1))).astype(float))
    return sparse.csr_matrix(seen)


class _Sparse:
    """A sparse matrix in the making: names of columns, and where each row has a 1."""

    def __init__(self) -> None:
        self.known: dict[Feature, int] = {}
        self.places, self.ends = array("q"), array("q", [0])

    def add(self, seen: Iterable[Feature]) -> None:
        """Add a row."""
        self.places.extend(self.known.setdefault(name, len(self.known)) for name in seen)
        self.ends.append(len(self.places))

    def matrix(self) -> Any:
        """Return it, without columns that have a single 1."""
        from scipy import sparse

        places, ends = np.array(self.places), np.array(self.ends)
        shape = len(ends) - 1, len(self.known)
        whole = sparse.csr_matrix((np.ones(len(places)), places, ends), shape=shape)
        return whole[:, np.bincount(places, minlength=shape[1]) > 1]
