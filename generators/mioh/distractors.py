"""Search for facts that can be answer options of the same question.

Photos rarely show several given attributes and relations together, so four options sampled at random almost never have
images for every answer. Options are therefore chosen one after the other among facts that co-occur in images. The
requirements on partial option sets are derived from the type's own shape, with numbers in place of facts. An option set
with an unsatisfiable requirement is abandoned immediately.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
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

_PARTNERS: Final = 48  # facts with the highest co-occurrence that are tried as second option
_NEAREST: Final = 10  # the same for the third and later options
_TRIES: Final = {3: 64, 1: 16}  # minimum number of ways an option set can be asked in → search steps spent on it

Want = tuple[int, Part]
"""Index of an option and the state it must have."""


class ImageRequirement(NamedTuple):
    """Requirement on one image: every entry of ``all``, and at least one of ``some`` if any."""

    all: tuple[Want, ...]
    some: tuple[Want, ...]


class Form(NamedTuple):
    """Image requirements of a template: easy images with fillers, and HP and HN versions."""

    easy: frozenset[ImageRequirement]
    hp: frozenset[ImageRequirement]
    hn: frozenset[ImageRequirement]


def forms_of(kind: QuestionType) -> list[list[Form]]:
    """Return the templates of a question type, per answer."""
    options: dict[Fact, int] = {Exists(str(i)): i for i in range(kind.asks)}
    block = kind.shape(kind.text, [*options], rng(0, "mioh", "forms"))
    return [[_form(draft, options) for draft in drafts] for drafts in block]


def _form(draft: Draft, options: Mapping[Fact, int]) -> Form:
    easy = frozenset(_look(slot, options) for slot in (*draft.slots, *draft.fillers) if slot.wants)
    hp = frozenset(_look(slot, options, hp=True) for slot in draft.slots if slot.hp is not None)
    return Form(easy, hp, frozenset(_look(slot, options, hn=True) for slot in draft.slots if slot.hn is not None))


def _look(slot: ImageSlot, options: Mapping[Fact, int], *, hp: bool = False, hn: bool = False) -> ImageRequirement:
    """Return the required state of a slot's facts as :class:`SceneFinder` reads it."""
    hp = hp and slot.hp is not None
    seen: Part = "true" if hp else "seen"

    def part(fact: Fact, is_true: bool) -> Part:
        if fact == slot.hp:
            return "hard" if hp else "easy"
        if fact == slot.hn:
            return "near" if hn else "hidden" if hp else "calm"
        return seen if is_true else "false"

    wants = sorted((options[fact], part(fact, is_true)) for fact, is_true in slot.wants)
    return ImageRequirement(tuple(wants), tuple((options[fact], seen) for fact in slot.lures))


class Demands:
    """Image requirements on the first options, independent of the remaining ones."""

    def __init__(self, answers: Iterable[Iterable[Form]], options: int) -> None:
        """Drop the requirements that concern options beyond the first ``options``."""
        known: dict[ImageRequirement, int] = {}

        def numbers(looks: Iterable[ImageRequirement]) -> tuple[int, ...]:
            cut = {
                ImageRequirement(_cut(look.all, options, 0), _cut(look.some, options, len(look.some))) for look in looks
            }
            return tuple(known.setdefault(look, len(known)) for look in sorted(cut) if any(look))

        parts = [[tuple(map(numbers, form)) for form in forms] for forms in answers]
        self._answers = [list(dict.fromkeys(forms)) for forms in parts]
        self._looks = list(known)

    def ways(
        self, where: Sequence[Mapping[Part, int]], least: int = 1, before: MutableMapping[int, int] | None = None
    ) -> int:
        """Return the number of conditions (easy, HP, HN) with images for every answer.

        Args:
            where: per option, its state → scenes as an integer with one bit per scene.
            least: number of conditions required; 0 is returned if there are fewer.
            before: cache of the scenes that satisfy all options but the last; extended here and reusable for any last
                option.
        """
        before = {} if before is None else before
        possible: list[bool | None] = [None] * len(self._looks)
        last = len(where) - 1

        def has_scenes(number: int) -> bool:
            if (known := possible[number]) is None:
                wants, some = self._looks[number]
                if (scenes := before.get(number)) is None:
                    scenes = reduce(and_, [where[i][part] for i, part in wants if i != last], -1)
                    before[number] = scenes
                if scenes and wants and wants[-1][0] == last:
                    scenes &= where[last][wants[-1][1]]
                if scenes and some:
                    scenes &= reduce(or_, [where[i][part] for i, part in some])
                known = possible[number] = bool(scenes)
            return known

        pressures = (True, True)
        for forms in self._answers:
            best, most = pressures, 0
            for easy, hp, hn in forms:
                if most <= sum(pressures) and all(map(has_scenes, easy)):
                    able = (pressures[0] and all(map(has_scenes, hp)), pressures[1] and all(map(has_scenes, hn)))
                    if 1 + sum(able) > most:
                        best, most = able, 1 + sum(able)
            if most < least:
                return 0
            pressures = best
        return 1 + sum(pressures)


def _cut(wants: tuple[Want, ...], options: int, least: int) -> tuple[Want, ...]:
    """Drop requirements on further options; return none if fewer than ``least`` remain."""
    remaining = tuple(want for want in wants if want[0] < options)
    return remaining if len(remaining) >= least else ()


class DistractorSampler:
    """Option search for one type of attribute or relation questions."""

    def __init__(self, facts: Sequence[Fact], kind: QuestionType, pool: ScenePool) -> None:
        """Set up the search; scenes are only examined at the first request for options."""
        self.facts, self._kind = facts, kind
        self._row = {fact: i for i, fact in enumerate(facts)}
        self._neighbours = pool.shared(("neighbours", *facts), lambda: Neighbours(facts, pool))
        self._where = lru_cache(maxsize=1024)(self._find_where)
        self.rich = self._neighbours.rich

    @cached_property
    def _demands(self) -> list[Demands]:
        """Return the requirements on one option, on two, and so on."""
        answers = forms_of(self._kind)[::-1]  # "None of the above" has the strictest requirements
        return [Demands(answers, options) for options in range(1, self._kind.asks + 1)]

    def beside(self, first: Fact, uses: Mapping[Fact, int]) -> tuple[tuple[Fact, ...], bool]:
        """Return the fact with its best co-options, and whether they work in all conditions.

        Args:
            first: the first option.
            uses: facts that have been options so far → how often; frequently used facts are avoided.
        """
        often = np.array([1.0] * len(self.facts))
        for fact, number in uses.items():
            often[self._row[fact]] += number**0.5
        near, worth = self._neighbours.near(first), self._neighbours.riches / often
        for least, tries in _TRIES.items():
            for options in self._sets((first,), near, worth, (least, count(), tries)):
                return options, least == max(_TRIES)
        return (), False

    def _sets(
        self, chosen: tuple[Fact, ...], near: Floats, worth: Floats, goal: tuple[int, Iterator[int], int]
    ) -> Iterator[tuple[Fact, ...]]:
        """Yield option sets that extend the chosen facts, most co-occurring first; excluded ones have 0 in ``near``."""
        if len(chosen) == self._kind.asks:
            yield chosen
            return
        least, steps, most = goal
        near, before = near.copy(), dict[int, int]()
        wheres = [self._where(option) for option in chosen]
        for i in _largest(near * worth, _PARTNERS if len(chosen) == 1 else _NEAREST):
            near[i] = 0  # every set with this fact is tried now
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
        """Return the scenes for each state of a fact, with one bit per scene."""
        return {part: int.from_bytes(bits.tobytes()) for part, bits in self._neighbours.parts(fact).items()}


def _largest(values: Floats, number: int) -> list[int]:
    """Return the indices of the largest positive values, largest first."""
    return [i for i in np.argsort(-values, kind="stable")[:number].tolist() if values[i] > 0]
