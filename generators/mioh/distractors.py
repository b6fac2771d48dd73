"""Which facts can stand side by side as options, each a lure for the others.

Photos show few attributes and relations together, so that of options drawn at random hardly any four have images for
every answer. Here options are chosen among those that images do show together, one after the other: what questions of a
type demand of so many options is read off the type's own shape, with numbers for facts, and options for which no
images can be found, whatever the others will be, are left at once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import count
from operator import and_, or_
from typing import Final, NamedTuple

import numpy as np

from vhbench.generators.mioh.drafts import Draft, ImageSlot
from vhbench.generators.mioh.facts import Exists, Fact, says_the_same
from vhbench.generators.mioh.neighbours import Neighbours, Part
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QuestionType
from vhbench.generators.mioh.scene_columns import Floats
from vhbench.seeding import rng

_PARTNERS: Final = 48  # facts that are seen beside one most
_NEAREST: Final = 10  # the same, beside two or more
_TRIES: Final = {3: 64, 1: 16}  # ways that options shall be asked in → steps taken to find some

Want = tuple[int, Part]
"""The number of an option, and what it must be."""


class Sight(NamedTuple):
    """What one image must show: every one of ``all``, and one of ``some`` if any."""

    all: tuple[Want, ...]
    some: tuple[Want, ...]


class Form(NamedTuple):
    """The looks of a form: of its easy images and fillers, and of those that HP, or HN, puts in their place."""

    easy: frozenset[Sight]
    hp: frozenset[Sight]
    hn: frozenset[Sight]


def forms_of(kind: QuestionType) -> list[list[Form]]:
    """Return for every answer to questions of a type its forms."""
    options: dict[Fact, int] = {Exists(str(i)): i for i in range(kind.asks)}
    block = kind.shape(kind.text, [*options], rng(0, "mioh", "forms"))
    return [[_form(draft, options) for draft in drafts] for drafts in block]


def _form(draft: Draft, options: Mapping[Fact, int]) -> Form:
    easy = frozenset(_look(slot, options) for slot in (*draft.slots, *draft.fillers) if slot.wants)
    hp = frozenset(_look(slot, options, hp=True) for slot in draft.slots if slot.hp is not None)
    return Form(easy, hp, frozenset(_look(slot, options, hn=True) for slot in draft.slots if slot.hn is not None))


def _look(slot: ImageSlot, options: Mapping[Fact, int], *, hp: bool = False, hn: bool = False) -> Sight:
    """Say as :class:`SceneFinder` does what a slot's facts must be, easy or pressed."""
    hp = hp and slot.hp is not None
    seen: Part = "true" if hp else "seen"

    def part(fact: Fact, wanted: bool) -> Part:
        if fact == slot.hp:
            return "hard" if hp else "easy"
        if fact == slot.hn:
            return "near" if hn else "calm"
        return seen if wanted else "false"

    wants = sorted((options[fact], part(fact, wanted)) for fact, wanted in slot.wants)
    return Sight(tuple(wants), tuple((options[fact], seen) for fact in slot.lures))


class Demands:
    """What the first so many options must have images for, whatever the others will be."""

    def __init__(self, answers: Iterable[Iterable[Form]], options: int) -> None:
        """Leave out of all looks what is demanded of further options."""
        known: dict[Sight, int] = {}

        def numbers(looks: Iterable[Sight]) -> tuple[int, ...]:
            cut = {Sight(_cut(look.all, options, 0), _cut(look.some, options, len(look.some))) for look in looks}
            return tuple(known.setdefault(look, len(known)) for look in sorted(cut) if any(look))

        parts = [[tuple(map(numbers, form)) for form in forms] for forms in answers]
        self._answers = [list(dict.fromkeys(forms)) for forms in parts]
        self._looks = list(known)

    def ways(
        self, where: Sequence[Mapping[Part, int]], least: int = 1, before: MutableMapping[int, int] | None = None
    ) -> int:
        """Return in how many ways there are images for every answer: easy, and under each pressure.

        Args:
            where: of each option, with a bit per scene, where it is what.
            least: so many ways are wanted; 0 is returned if there are fewer.
            before: where all options but the last are what is demanded of them, as far as it is known; it is added to,
                and serves wherever only the last option is another.
        """
        before = {} if before is None else before
        found: list[bool | None] = [None] * len(self._looks)
        last = len(where) - 1

        def shown(number: int) -> bool:
            if (known := found[number]) is None:
                wants, some = self._looks[number]
                if (scenes := before.get(number)) is None:
                    scenes = reduce(and_, [where[i][part] for i, part in wants if i != last], -1)
                    before[number] = scenes
                if scenes and wants and wants[-1][0] == last:
                    scenes &= where[last][wants[-1][1]]
                if scenes and some:
                    scenes &= reduce(or_, [where[i][part] for i, part in some])
                known = found[number] = bool(scenes)
            return known

        pressures = (True, True)
        for forms in self._answers:
            best, most = pressures, 0
            for easy, hp, hn in forms:
                if most <= sum(pressures) and all(map(shown, easy)):
                    able = (pressures[0] and all(map(shown, hp)), pressures[1] and all(map(shown, hn)))
                    if 1 + sum(able) > most:
                        best, most = able, 1 + sum(able)
            if most < least:
                return 0
            pressures = best
        return 1 + sum(pressures)


def _cut(wants: tuple[Want, ...], options: int, least: int) -> tuple[Want, ...]:
    """Leave out what is demanded of further options; nothing is demanded where fewer than so many are left."""
    kept = tuple(want for want in wants if want[0] < options)
    return kept if len(kept) >= least else ()


class Lures:
    """Finds options for one type of questions about attributes or relations."""

    def __init__(self, facts: Sequence[Fact], kind: QuestionType, pool: ScenePool) -> None:
        """Prepare; the scenes are looked through when the first options are wanted."""
        self.facts, self._kind = facts, kind
        self._neighbours = pool.shared(("neighbours", *facts), lambda: Neighbours(facts, pool))
        self._where = lru_cache(maxsize=1024)(self._find_where)
        self.rich = self._neighbours.rich

    @cached_property
    def _demands(self) -> list[Demands]:
        """Return what is demanded of one option, of two, and so on."""
        answers = forms_of(self._kind)[::-1]  # "None of the above" demands most
        return [Demands(answers, options) for options in range(1, self._kind.asks + 1)]

    def beside(self, first: Fact, uses: Callable[[Fact], int]) -> tuple[tuple[Fact, ...], bool]:
        """Return the first fact with those that it can be asked with in most ways, and whether these are all.

        Args:
            first: of the facts.
            uses: how often one is an option so far: often used ones are taken seldom.
        """
        often = np.array([1 + uses(fact) ** 0.5 for fact in self.facts])
        near, worth = self._neighbours.near(first), self._neighbours.riches / often
        for least, tries in _TRIES.items():
            for options in self._sets((first,), near, worth, (least, count(), tries)):
                return options, least == max(_TRIES)
        return (), False

    def _sets(
        self, chosen: tuple[Fact, ...], near: Floats, worth: Floats, goal: tuple[int, Iterator[int], int]
    ) -> Iterator[tuple[Fact, ...]]:
        """Yield options, the chosen ones first, those before others that are seen most beside all that are chosen.

        Args:
            chosen: some options.
            near: of every fact, how much it is seen beside them; 0 of those that are no options any more.
            worth: of every fact, how welcome it is.
            goal: the ways that options shall be asked in, a count of the steps, and how many are taken at most.
        """
        if len(chosen) == self._kind.asks:
            yield chosen
            return
        least, steps, most = goal
        near, before = near.copy(), dict[int, int]()
        wheres = [self._where(option) for option in chosen]
        for i in _largest(near * worth, _PARTNERS if len(chosen) == 1 else _NEAREST):
            near[i] = 0  # all that can be asked with it is tried now
            fact = self.facts[i]
            beside = self._neighbours.near(fact)
            both: Floats = np.where((near > 0) & (beside > 0), near + beside, 0)
            if says_the_same(fact, chosen) or len(chosen) + 1 + np.count_nonzero(both) < self._kind.asks:
                continue
            if next(steps) >= most:
                return
            options = (*chosen, fact)
            if self._demands[len(chosen)].ways([*wheres, self._where(fact)], least, before):
                yield from self._sets(options, both, worth, goal)

    def _find_where(self, fact: Fact) -> dict[Part, int]:
        """Return where a fact is what, with a bit per scene."""
        return {part: int.from_bytes(bits.tobytes()) for part, bits in self._neighbours.parts(fact).items()}


def _largest(values: Floats, number: int) -> list[int]:
    """Return where the largest values are, largest first; never where there is 0."""
    return [i for i in np.argsort(-values, kind="stable")[:number].tolist() if values[i] > 0]
