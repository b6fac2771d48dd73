"""Sampling of the facts in a question: a rarely used one, or several compatible options."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import islice
from typing import Final

import numpy as np

from vhbench.benchmarks import EASY_IMAGES
from vhbench.generators.mioh.distractors import DistractorSampler
from vhbench.generators.mioh.facts import Exists, Fact, Related, says_the_same
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QuestionType
from vhbench.generators.mioh.scene_columns import number_of

_DRAWN: Final = 64  # facts sampled per text
_SEARCHED: Final = 512  # the same, for attributes and relations that are options: few can be pressed in every way
_LOOKED_AT: Final = 24  # candidates examined, per pool and option
_HOSTS: Final = 3  # co-occurring objects whose own co-occurrences are similar
_PLENTY: Final = 8  # images that show one option under pressure and not another
_MOST_FALSE: Final = 3  # highest score of images that show none of the options
_UNPRESSED: Final = 10  # penalty divisor for two options that cannot be pressed in every way, or of unequal numbers


class FactSampler:
    """Sampler of the facts in successive questions."""

    def __init__(self, facts: Sequence[Fact], kind: QuestionType, pool: ScenePool) -> None:
        """Set up sampling of ``facts`` for one question type."""
        self.facts, self.kind, self.pool = facts, kind, pool
        self._bound = not isinstance(facts[0], Exists)
        self._apart = self._bound and not kind.together  # each image shows what one option is about
        self._uses = Counter[Fact]()  # as options sampled together
        self._tried = Counter[Fact]()  # sampled alone; facts without images must not keep the others from their turn
        self._lures = DistractorSampler(facts, kind, pool)
        self._alone, self._poor = set[Fact](), set[Fact]()  # without co-options; with co-options that cannot be pressed
        self._way = ""  # last sampling method
        self._drawn, self._kept = Counter[str](), Counter[str]()  # samples and accepted questions per method
        self._fit = lru_cache(maxsize=100_000)(self._find_fit)
        self._kin: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
        for fact in facts if kind.asks > 1 else ():
            for key in _families(fact):
                self._kin[key].append(fact)
        self._company = lru_cache(maxsize=None)(self._find_company)

    def draw(self, generator: np.random.Generator) -> tuple[Fact, ...]:
        """Return ``kind.asks`` facts, or fewer if none fit."""
        number = _SEARCHED if self.kind.asks > 1 and self._bound else _DRAWN
        drawn = [self.facts[i] for i in dict.fromkeys(generator.integers(len(self.facts), size=number).tolist())]
        if self.kind.asks == 1:
            rarest = sorted(islice(self._usable(drawn), 4), key=self._tried.__getitem__)[:1]
            self._tried.update(rarest)
            return tuple(rarest)
        # Photos rarely show several given attributes and relations together, so sampling alternates between a
        # co-occurrence search and related facts.
        luck = self._luck()
        self._way = "lures" if luck and generator.random() < luck else "kin"
        self._drawn[self._way] += 1
        if self._way == "lures":
            return self._side_by_side(drawn)
        drawn = self._most_pressable(drawn)
        first = next(self._usable(drawn), None)
        return () if first is None else self._options(first, drawn, generator)

    def note_success(self) -> None:
        """Record that a question about the last sample was accepted."""
        self._kept[self._way] += 1

    def _luck(self) -> float:
        """Return the probability of a co-occurrence search, from the past success of both methods."""
        if not self.kind.together or not self._bound:
            return 0
        lures, kin = ((1 + self._kept[way]) / (2 + self._drawn[way]) for way in ("lures", "kin"))
        return lures / (lures + kin)

    def _side_by_side(self, drawn: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return the best represented of the sampled facts with facts that co-occur with it."""

        def rank(fact: Fact) -> tuple[bool, float]:
            return fact not in self._poor, self._lures.rich(fact) / (1 + self._uses[fact] ** 0.5)

        first = max((fact for fact in self._usable(drawn) if fact not in self._alone), key=rank, default=None)
        if first is None:
            return ()
        chosen, all_ways = self._lures.beside(first, self._uses)
        (self._poor if chosen else self._alone).update(() if all_ways else (first,))
        self._uses.update(chosen)
        return chosen

    def _most_pressable(self, facts: Sequence[Fact]) -> list[Fact]:
        pressable, least, uses = self.pool.pressable, self.kind.least, self._uses
        return sorted(facts, key=lambda f: -pressable(f, least) / (1 + uses.get(f, 0) ** 0.5))

    def _usable(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Yield the usable facts lazily, since each check examines every scene."""
        return (fact for fact in facts if self.pool.askable(fact, self.kind.least))

    def _options(self, first: Fact, drawn: Sequence[Fact], generator: np.random.Generator) -> tuple[Fact, ...]:
        """Extend the first fact by related facts, which are plausible options, and by others."""
        chosen, kin = [first], list[Fact]()
        for family in self._company(first):
            near = [family[i] for i in generator.permutation(len(family))[: 2 * _LOOKED_AT].tolist()]
            kin += self._most_pressable(near)
        kin = list(dict.fromkeys(kin))
        some = 0 if self._apart else int(generator.integers(1, self.kind.asks))
        for number, pools in ((some, (kin,)), (self.kind.asks - 1, (drawn, kin))):
            while len(chosen) <= number and (best := self._best(chosen, pools)) is not None:
                chosen.append(best)
        self._uses.update(chosen)
        return tuple(chosen)

    def _find_company(self, fact: Fact) -> list[list[Fact]]:
        """Return facts about the same object, co-occurring ones, or ones in similar contexts."""
        own = [self._kin[key] for key in _families(fact)]
        if isinstance(fact, Related):
            return own
        company_of = self.pool.cooccurrence.company
        company = company_of(fact.category)
        if self.kind.together:
            return [self._kin[name,] for name in company]
        if isinstance(fact, Exists):  # a cup co-occurs with a table, and therefore relates to a plate
            company = list(dict.fromkeys(name for host in company[:_HOSTS] for name in company_of(host)))
        return own + [self._kin[name,] for name in company if name != fact.category]

    def _best(self, chosen: Sequence[Fact], pools: Iterable[Iterable[Fact]]) -> Fact | None:
        """Return the fact that fits the chosen ones best among the next few of each pool."""
        best, most = None, 0.0
        for pool in pools:
            new = (f for f in self._usable(pool) if f not in chosen and not says_the_same(f, chosen))
            for fact in islice(new, _LOOKED_AT):
                often = self._uses[fact] ** 0.5
                fit = min(self._fit(other, fact) for other in chosen) / (1 + often)
                if _MOST_FALSE * fit > most and (fit := fit * self._all_false([*chosen, fact])) > most:
                    best, most = fact, fit
                if most > 2 * (1 + _PLENTY):
                    return best
        return best

    def _all_false(self, facts: Sequence[Fact]) -> float:
        """Score images that show none of the facts: 0 too few, 1 enough, 2 if some suggest each, 3 if enough do."""
        if self.kind.least > 1:
            return 1
        truths = [self.pool.truth(fact) for fact in facts]
        none = reduce(np.bitwise_and, [truth.no for truth in truths])
        # Photos of an attribute or relation are scarce, and each shows what another option is about.
        least = 1 if self._bound and not self.pool.suggesting else EASY_IMAGES
        number = min(number_of(none & truth.far) for truth in truths)
        if number < least:
            return 0
        if self.kind.task == "counting":  # where each image shows one of the others
            none = np.bitwise_or.reduce([truth.easy for truth in truths])
        near = [min(number_of(none & truth.near), EASY_IMAGES) for truth in truths]
        return min(1.0, number / EASY_IMAGES) * (1 + all(near) + min(near) / EASY_IMAGES)

    def _find_fit(self, one: Fact, other: Fact) -> float:
        """Score the images that show exactly one of two facts, easy and pressed; 0 if too few."""
        x, y = self.pool.truth(one), self.pool.truth(other)
        alike = 1 if self.pool.number(one) == self.pool.number(other) else 1 / _UNPRESSED
        if min(number_of(x.easy & y.no), number_of(y.easy & x.no)) < 2 or number_of(x.no & y.no) < self.kind.least:
            return 0
        if self.kind.together and min(number_of(x.easy & y.yes), number_of(y.easy & x.yes)) < 2:
            return 0
        if self._apart:
            pressed = [(part, b.no) for a, b in ((x, y), (y, x)) for part in (a.hard, a.far, a.near)]
        elif min(number_of(x.easy & y.far), number_of(y.easy & x.far)) < 2:
            return alike
        else:
            pressed = [(a, b) for a in (x.easy, x.hard) for b in (y.far, y.near)][1:]
            pressed += [(a, b) for a in (y.easy, y.hard) for b in (x.far, x.near)][1:]
        numbers = [number_of(a & b) for a, b in pressed]
        ways = sum(map(bool, numbers)) / len(numbers)
        fit = 1 + ways + min(_PLENTY, *numbers)
        return alike * (fit if all(numbers) else fit / _UNPRESSED)


def _families(fact: Fact) -> tuple[tuple[str, ...], ...]:
    """Return the keys that related facts share: both objects of a relation, or either one."""
    if isinstance(fact, Related):
        return (tuple(sorted((fact.subject, fact.anchor))), (fact.subject,), (fact.anchor,))
    return ((fact.category,),)
