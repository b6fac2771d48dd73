"""Which facts a question is about: one that was asked least, or several that can stand side by side as options."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import islice
from typing import Final

import numpy as np

from vhbench.benchmarks import EASY_IMAGES
from vhbench.generators.mioh.facts import Exists, Fact, Related
from vhbench.generators.mioh.pools import ScenePool, number_of
from vhbench.generators.mioh.question_types import QuestionType
from vhbench.generators.mioh.scene_columns import Bits, Ints

_DRAWN: Final = 64  # facts drawn per text, to choose from
_LOOKED_AT: Final = 24  # of them, and of their kin, for each option
_HOSTS: Final = 3  # things seen with one, whose company is like it
_SIDE_BY_SIDE: Final = 2  # images that show two options together, where some must
_LURED: Final = 4  # such images of each option, of which one more makes no difference
_PLENTY: Final = 8  # images that show one option, under pressure, and not another
_UNPRESSED: Final = 10  # how much less two options fit that cannot be pressed in every way


class Chooser:
    """Draws the facts of one question after another."""

    def __init__(self, facts: Sequence[Fact], kind: QuestionType, pool: ScenePool) -> None:
        """Prepare for one type of questions about some facts."""
        self.facts, self.kind, self.pool = facts, kind, pool
        self._uses = Counter[Fact]()  # as options that were drawn together
        self._asked = Counter[Fact]()  # in questions that came of it
        self._fit = lru_cache(maxsize=100_000)(self._find_fit)
        self._kin: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
        for fact in facts if kind.asks > 1 else ():
            for key in _families(fact):
                self._kin[key].append(fact)
        self._company = lru_cache(maxsize=None)(self._find_company)
        self._partners = lru_cache(maxsize=None)(self._find_partners)

    def draw(self, generator: np.random.Generator) -> tuple[Fact, ...]:
        """Return ``kind.asks`` facts, or fewer where none fit."""
        drawn = [self.facts[i] for i in generator.integers(len(self.facts), size=_DRAWN).tolist()]
        if self.kind.asks == 1:
            return tuple(sorted(islice(self._usable(drawn), 4), key=self._asked.__getitem__)[:1])
        drawn = self._most_pressable(drawn)
        first = next(self._usable(drawn), None)
        if first is None:
            return ()
        # Photos show few attributes and relations side by side: they are looked up, in turn with what is of one kin.
        if self.kind.together and not isinstance(first, Exists) and generator.integers(2):
            return self._lures(first)
        return self._options(first, drawn, generator)

    def note(self, facts: Iterable[Fact]) -> None:
        """Keep in mind that a question is asked about these."""
        self._asked.update(facts)

    def _most_pressable(self, facts: Sequence[Fact]) -> list[Fact]:
        return sorted(facts, key=lambda f: -self.pool.pressable(f, self.kind.least) / (1 + self._uses[f] ** 0.5))

    def _usable(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Yield, lazily, those that can be asked about: to know it takes a look at every scene."""
        return (fact for fact in dict.fromkeys(facts) if self.pool.askable(fact, self.kind.least))

    def _options(self, first: Fact, drawn: Sequence[Fact], generator: np.random.Generator) -> tuple[Fact, ...]:
        """Add to the first fact some of its kin, which make plausible options, and others; often used ones seldom."""
        chosen, kin = [first], list[Fact]()
        for family in self._company(first):
            near = [family[i] for i in generator.permutation(len(family))[: 2 * _LOOKED_AT].tolist()]
            kin += self._most_pressable(near)
        some = int(generator.integers(1, self.kind.asks))
        for number, pools in ((some, (kin,)), (self.kind.asks - 1, (drawn, kin))):
            while len(chosen) <= number and (best := self._best(chosen, pools)) is not None:
                chosen.append(best)
        self._uses.update(chosen)
        return tuple(chosen)

    def _find_company(self, fact: Fact) -> list[list[Fact]]:
        """Return the kin of a fact: those about the same thing, about what is seen with it, or like it with others."""
        own = [self._kin[key] for key in _families(fact)]
        if isinstance(fact, Related):
            return own
        company = self.pool.company(fact.category)
        if self.kind.together:
            return [self._kin[name,] for name in company]
        if isinstance(fact, Exists):  # a cup with a table, and so a plate
            company = list(dict.fromkeys(name for host in company[:_HOSTS] for name in self.pool.company(host)))
        return own + [self._kin[name,] for name in company if name != fact.category]

    def _find_partners(self, fact: Fact) -> list[Fact]:
        """Return the facts that are seen side by side with one most often, and often enough are not."""
        truth = self.pool.truth(fact)
        both, alone = (_numbers_of(rows & truth.easy) for rows in self._truths)
        fit = np.minimum(both, alone)
        best = np.argsort(-fit, kind="stable")[: 2 * _LOOKED_AT].tolist()
        return [self.facts[i] for i in best if fit[i] >= _SIDE_BY_SIDE]

    @cached_property
    def _truths(self) -> tuple[Bits, Bits]:
        """Return where each fact is true, and where it is false."""
        truths = [self.pool.truth(fact) for fact in self.facts]
        return np.stack([truth.yes for truth in truths]), np.stack([truth.no for truth in truths])

    def _best(self, chosen: Sequence[Fact], pools: Iterable[Iterable[Fact]]) -> Fact | None:
        """Return the one that fits the chosen ones best, of the next few of each pool."""
        best, most = None, 0.0
        for pool in pools:
            new = (f for f in self._usable(pool) if f not in chosen and not _says_the_same(f, chosen))
            for fact in islice(new, _LOOKED_AT):
                often = self._uses[fact] ** 0.5
                fit = min(self._fit(other, fact) for other in chosen) / (1 + often)
                if 2 * fit > most and (fit := fit * self._all_false([*chosen, fact])) > most:
                    best, most = fact, fit
                if most > 2 * (1 + _PLENTY):
                    return best
        return best

    def _lures(self, first: Fact) -> tuple[Fact, ...]:
        """Return the first fact with others that are seen beside it and beside one another, each without the rest."""
        chosen = [first]
        while len(chosen) < self.kind.asks:
            new = [f for f in self._partners(first) if f not in chosen and not _says_the_same(f, chosen)]
            fits = [self._lured([*chosen, f]) * self._pressed(chosen, f) / (1 + self._uses[f] ** 0.5) for f in new]
            if not any(fits):
                return ()
            chosen.append(new[int(np.argmax(fits))])
        self._uses.update(chosen)
        return tuple(chosen)

    def _pressed(self, chosen: Sequence[Fact], fact: Fact) -> float:
        """Return 1 or more, the better a fact fits the chosen ones under pressure."""
        return 1 + min(self._fit(other, fact) for other in chosen)

    def _lured(self, facts: Sequence[Fact]) -> float:
        """Return how many images show one beside one of the others, without the rest: of the fact with the fewest."""
        truths = [self.pool.truth(fact) for fact in facts]
        missing = [truth.no & ~truth.near for truth in truths]
        most = []
        for right in truths:
            found = []
            for lure in truths:
                if lure is not right:
                    gone = [missing[i] for i, truth in enumerate(truths) if truth is not right and truth is not lure]
                    found.append(number_of(reduce(np.bitwise_and, gone, right.easy & lure.yes)))
            most.append(max(found))
        return min(_LURED, *most)

    def _all_false(self, facts: Sequence[Fact]) -> float:
        """Return 0 if too few images show none of them; 1 if enough do, and 2 if enough of these suggest each."""
        if self.kind.least > 1:
            return 1
        truths = [self.pool.truth(fact) for fact in facts]
        none = reduce(np.bitwise_and, [truth.no for truth in truths])
        if any(number_of(none & truth.far) < EASY_IMAGES for truth in truths):
            return 0
        if self.kind.task == "counting":  # where each image shows one of the others
            none = np.bitwise_or.reduce([truth.easy for truth in truths])
        return 1 + min(1.0, *(number_of(none & truth.near) / EASY_IMAGES for truth in truths))

    def _find_fit(self, one: Fact, other: Fact) -> float:
        """Return 0 if too few images show one and not the other, either way round; else more, the more are pressed."""
        x, y = self.pool.truth(one), self.pool.truth(other)
        if min(number_of(x.easy & y.no), number_of(y.easy & x.no)) < 2 or number_of(x.no & y.no) < self.kind.least:
            return 0
        if self.kind.together and min(number_of(x.easy & y.yes), number_of(y.easy & x.yes)) < 2:
            return 0
        if min(number_of(x.easy & y.far), number_of(y.easy & x.far)) < 2:
            return 1
        pressed = [(a, b) for a in (x.easy, x.hard) for b in (y.far, y.near)][1:]
        pressed += [(a, b) for a in (y.easy, y.hard) for b in (x.far, x.near)][1:]
        numbers = [number_of(a & b) for a, b in pressed]
        ways = sum(map(bool, numbers)) / len(numbers)
        fit = 1 + ways + min(_PLENTY, *numbers)
        return fit if all(numbers) else fit / _UNPRESSED


def _families(fact: Fact) -> tuple[tuple[str, ...], ...]:
    """Return what a fact shares with its kin: the object of an attribute, both of a relation or one of them."""
    if isinstance(fact, Related):
        return (tuple(sorted((fact.subject, fact.anchor))), (fact.subject,), (fact.anchor,))
    return ((fact.category,),)


def _says_the_same(fact: Fact, chosen: Sequence[Fact]) -> bool:
    """Tell whether an earlier one says it: "a dog behind a car" after "a car in front of a dog"."""
    return isinstance(fact, Related) and fact.turned() in chosen


def _numbers_of(rows: Bits) -> Ints:
    """Count the scenes that are marked in each row."""
    found: Ints = _ONES[rows].sum(axis=1, dtype=np.int64)
    return found


_ONES: Final = np.array([byte.bit_count() for byte in range(256)], np.uint8)
