"""Text-only baseline: cross-validated accuracy of classifiers on the question text.

If the text of questions leaks their answers, a score above chance does not show vision. The baseline is the
accuracy of the best of a few ridge regressions on increasingly rich text features
(:mod:`vhbench.tasks.question_words`), on held-out questions: folds are split by cluster, so that no held-out
question shares an image or a fact with the training folds. The classifier is selected in the training folds, so a lucky
one does not win; uniform guessing is one of the candidates.

If a split uses each word equally often with the answers yes and no, an excess in the training folds means the opposite
in the held-out fold, so an inverted classifier would be correct. This is not leakage: a classifier trained on another
balanced split learns nothing, and it would mask the leakage of other words. So words that are balanced by design are
excluded (:func:`_without_balanced`).

It is a lower bound: world knowledge, or training on more such questions, may reach more.
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
from vhbench.tasks.question_words import SETS, Feature, cell_of, features, options_of

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

FOLDS, FEWER, MANY = 10, 5, 2_000  # number of folds; fewer for many questions, as more training data matters for few
MOST = 8_000  # maximum number of questions; of more, whole clusters are sampled to limit memory and time
LEAST_CLUSTERS = 10  # minimum number of clusters for training

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
"""Name of a classifier → its feature sets and ridge penalty."""

_NEARLY_ALL = 0.9  # minimum share of balanced words in a split that balances words by design
_USUAL = 0.95  # share of words within this distance from balance by chance, which then count as balanced
_DEALT_EVENLY = 0.001  # probability under random answers below which the balance is attributed to design
_STEPS = 40  # maximum iterations of the solver, which needs fewer
_NOTHING = 1e-6  # difference from chance that is only rounding
_SAME = 9  # decimals to which equal options are a tie, which counts as a uniform guess


@dataclass(frozen=True, slots=True)
class TextOnlyBaseline:
    """Text-only baseline of a set of questions."""

    n: int  # number of questions, or pairs
    value: float  # accuracy, from 0 to 1
    interval: intervals.Interval | None  # 95 % CI over clusters
    chance: float  # accuracy of uniform guessing
    guesser: str  # the classifier of :data:`GUESSERS` that was selected most often
    leaks_answers: bool  # whether it is significantly above chance, adjusted over all reported subsets (Bonferroni)

    def in_percent(self) -> dict[str, Any]:
        """Return the baseline in percent, for reports."""
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
    """Held-out predictions of every classifier."""

    questions: Sequence[QuestionBase]  # questions in the order of their ids, without captions
    clusters: Sequence[Hashable]  # of each question
    folds: Places  # of each question
    # (classifier, question, fold): correctness (one half for a tie of two options), trained without the question's own
    # fold and without that fold.
    hits: Floats

    @property
    def every(self) -> Places:
        """Indices of all questions."""
        return np.arange(len(self.questions))

    def floor(self, places: Places | None = None, cells: int = 1) -> TextOnlyBaseline | None:
        """Return the baseline of some or all questions, one of ``cells`` reported ones; None if they are too few."""
        own = self.every if places is None else places
        units = [[int(place)] for place in own]
        chance = [1 / len(options_of(self.questions[place])) for place in own]
        return self._floor(units, chance, cells)

    def pairs(self, places: Places | None = None, cells: int = 1) -> TextOnlyBaseline | None:
        """Return the baseline of symmetric accuracy over complete pairs.

        Chance is one half: a random answer with the opposite answer to the twin gets half of the pairs.
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
        """Return the indices of the questions by their values in some columns."""
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for place, question in enumerate(self.questions):
            groups[tuple(getattr(question, column) for column in columns)].append(place)
        return {key: np.array(groups[key]) for key in sorted(groups)}

    def _floor(self, units: Sequence[Sequence[int]], chance: Sequence[float], cells: int) -> TextOnlyBaseline | None:
        """Select a classifier for each fold by its accuracy in the others, and return its correctness."""
        clusters = [self.clusters[unit[0]] for unit in units]
        if len(set(clusters)) < LEAST_CLUSTERS:
            return None
        hits = np.stack([self.hits[:, list(unit), :].min(axis=1) for unit in units], axis=1)
        folds = self.folds[[unit[0] for unit in units]]
        values, counts = np.zeros(len(units)), Counter[int]()
        for fold in np.unique(folds).tolist():
            here = folds == fold
            seen = hits[:, ~here, fold].mean(axis=1) if (~here).any() else np.zeros(len(hits))
            best = int(np.argmax(seen.round(_SAME)))
            counts[best] += int(here.sum())
            values[here] = hits[best, here, fold]
        if values.mean() < np.mean(chance):  # below chance: uniform guessing is better
            values, counts = np.array(chance, dtype=np.float64), Counter([0])
        ends, strict = (
            intervals.mean(values.tolist(), clusters=clusters, level=1 - (1 - intervals.LEVEL) / among)
            for among in (1, cells)
        )
        most, even = min(counts, key=lambda guesser: (-counts[guesser], guesser)), sum(chance) / len(chance)
        above = strict is not None and strict.low > even + _NOTHING
        return TextOnlyBaseline(len(units), float(values.mean()), ends, even, list(GUESSERS)[most], above)


def guess(
    questions: Iterable[QuestionBase], cluster: Callable[[Sequence[Any]], Sequence[Hashable]], seed: int = 0
) -> FoldPredictions | None:
    """Return held-out predictions of every classifier; None if there are too few clusters.

    Captions and repetitions among the questions of a benchmark are ignored; ``cluster`` returns those of questions.

    >>> from vhbench.schema import Question
    >>> answers = {"Is there a dog?": "yes", "Is there a boat?": "no"}  # the text determines the answer
    >>> rows = [
    ...     Question(id=f"{i}-{text}", images=(b"",), question=text, answer=answer, kind="yes_no", scene_ids=(str(i),))
    ...     for i in range(12) for text, answer in answers.items()
    ... ]
    >>> guess(rows, lambda some: [row.scene_ids for row in some]).floor().in_percent()["text_only_baseline"]
    100.0
    """
    samples = sorted((q for q in questions if q.answer in options_of(q)), key=lambda question: question.id)
    clusters = cluster(samples) if samples else ()
    if len(samples) > MOST:
        places = _drawn(clusters, seed)
        samples, clusters = [samples[place] for place in places], [clusters[place] for place in places]
    if len(set(clusters)) < LEAST_CLUSTERS:
        return None
    number_of_folds = FOLDS if len(samples) <= MANY else FEWER
    folds = _dealt(clusters, number_of_folds, seed)
    unique, which = _unique(samples, clusters)
    own = folds[unique]
    table = _Table.of([samples[place] for place in unique])
    hits = np.zeros((len(GUESSERS), len(unique), number_of_folds))
    for number, (sets, ridge) in enumerate(GUESSERS.values()):
        for one, other in combinations_with_replacement(range(number_of_folds), 2):
            learned = (own != one) & (own != other)
            right = table.right(sets, ridge, learned)
            hits[number, own == one, other] = right[own == one]
            hits[number, own == other, one] = right[own == other]
    return FoldPredictions(samples, clusters, folds, hits[:, which])


def _drawn(clusters: Sequence[Hashable], seed: int) -> list[int]:
    """Return the questions of randomly sampled clusters, up to the maximum."""
    sizes, left, names = Counter(map(str, clusters)), MOST, set[str]()
    for name in rng(seed, "word floor", "drawn").permutation(sorted(sizes)).tolist():
        if sizes[name] <= left:
            names.add(name)
            left -= sizes[name]
    return [place for place, cluster in enumerate(clusters) if str(cluster) in names]


def _dealt(clusters: Sequence[Hashable], count: int, seed: int) -> Places:
    """Assign clusters to folds of similar size: the largest first, each to the smallest fold."""
    sizes = Counter(map(str, clusters))
    order = {name: place for place, name in enumerate(rng(seed, "word floor").permutation(sorted(sizes)).tolist())}
    fold: dict[str, int] = {}
    filled = [0] * count
    for name in sorted(sizes, key=lambda name: (-sizes[name], order[name])):
        fold[name] = min(range(count), key=lambda number: (filled[number], number))
        filled[fold[name]] += sizes[name]
    return np.array([fold[str(cluster)] for cluster in clusters])


def _unique(questions: Sequence[QuestionBase], clusters: Sequence[Hashable]) -> tuple[list[int], Places]:
    """Return the first question with each text per cluster, and the index of that question for each."""
    known: dict[Hashable, int] = {}
    first: list[int] = []
    which: list[int] = []
    for place, (question, cluster) in enumerate(zip(questions, clusters, strict=True)):
        words = question.question, question.choices, question.answer, question.negated
        number = known.setdefault((cluster, words, cell_of(question)), len(first))
        if number == len(first):
            first.append(place)
        which.append(number)
    return first, np.array(which)


@dataclass(frozen=True, slots=True)
class _Table:
    """Design matrices of questions: one row per option, grouped by question."""

    columns: Mapping[str, Any]  # feature set → sparse matrix (options, features)
    starts: Places  # first row of each question
    targets: Floats  # 1 for the correct option, minus the expectation of a uniform guess
    owner: Places  # question of each row

    @classmethod
    def of(cls, questions: Sequence[QuestionBase]) -> Self:
        """Return the features of all options; features of a single option are dropped."""
        by_set: dict[str, _Sparse] = {name: _Sparse() for name in SETS}
        labels, owner = list[float](), list[int]()
        for place, question in enumerate(questions):
            options = options_of(question)
            for letter, sets in zip(options, features(question), strict=True):
                labels.append((letter == question.answer) - 1 / len(options))
                owner.append(place)
                for name, seen in sets.items():
                    by_set[name].add(seen)
        rows = np.array(owner)
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        targets = np.array(labels)
        groups = [questions[place].task for place in owner]
        columns = {name: _without_balanced(one.matrix(), targets, groups) for name, one in by_set.items()}
        return cls(columns, starts, targets, rows)

    def right(self, sets: Sequence[str], ridge: float, learned: npt.NDArray[np.bool_]) -> Floats:
        """Return the correctness on each question of a classifier trained on some of them."""
        if not sets or not learned.any():
            scores = np.zeros(len(self.owner))
        else:
            from scipy import sparse
            from scipy.sparse.linalg import lsqr

            seen = sparse.hstack([self.columns[name] for name in sets], format="csr")
            rows = learned[self.owner]
            weights = lsqr(seen[rows], self.targets[rows], damp=ridge**0.5, iter_lim=_STEPS)[0]
            scores = (seen @ weights).round(_SAME)
        best = np.maximum.reduceat(scores, self.starts)[self.owner] == scores
        tied = np.add.reduceat(best.astype(float), self.starts)
        hit: Floats = np.add.reduceat((best & (self.targets > 0)).astype(float), self.starts)
        return hit / tied


def _without_balanced(seen: Any, targets: Floats, groups: Sequence[Hashable]) -> Any:
    """Return features without those whose answers the split balances by design.

    Single words may be balanced by chance, and dropping them would make chance look like leakage. So each group of
    features is tested first: it is balanced by design if nearly all its features are balanced, and their sum of squared
    standardized excesses is far below their number (chi-squared, lower tail). Then features within the 95 % range of
    random answers are dropped.
    """
    from scipy import sparse, stats

    names = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    of_rows = np.array([names[group] for group in groups])
    for number in names.values():
        part = sparse.diags((of_rows == number).astype(float)) @ seen
        excess, variance = part.T @ targets, part.T @ targets**2
        varies, balanced = variance > 0, np.abs(excess) <= 0.5 + _NOTHING  # an odd count cannot be balanced exactly
        spread = excess**2 / np.where(varies, variance, 1)
        even = stats.chi2.cdf(spread.sum(), varies.sum()) < _DEALT_EVENLY if varies.any() else False
        if even and balanced[varies].mean() >= _NEARLY_ALL:
            seen = seen - part @ sparse.diags((varies & (spread <= stats.chi2.ppf(_USUAL, 1))).astype(float))
    return sparse.csr_matrix(seen)


class _Sparse:
    """Builder of a sparse binary matrix: column names, and the columns of each row."""

    def __init__(self) -> None:
        self.known: dict[Feature, int] = {}
        self.places, self.ends = array("q"), array("q", [0])

    def add(self, seen: Iterable[Feature]) -> None:
        """Add a row."""
        self.places.extend(self.known.setdefault(name, len(self.known)) for name in seen)
        self.ends.append(len(self.places))

    def matrix(self) -> Any:
        """Return the matrix without columns that have a single 1."""
        from scipy import sparse

        places, ends = np.array(self.places), np.array(self.ends)
        shape = len(ends) - 1, len(self.known)
        whole = sparse.csr_matrix((np.ones(len(places)), places, ends), shape=shape)
        return whole[:, np.bincount(places, minlength=shape[1]) > 1]
