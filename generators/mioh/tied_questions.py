"""Questions asked once more, of the same images in another mode: this is what tells perception from integration.

A tie makes new questions of those of another type. Like all questions, they are made so that words tell nothing about
the answer: the block holds the question for every answer to it, and is kept only if there are images for each.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

import numpy as np

from vhbench.generators.mioh import drafts
from vhbench.generators.mioh.answer_options import Balance
from vhbench.generators.mioh.drafts import NO, Block, Draft
from vhbench.generators.mioh.facts import Quantity

_SHOWN: Final = 2
"""How many images must show a thing, for "which shows exactly 2?" to be no question of presence: whoever does not count
is left with these, and with none of them."""


@dataclass(frozen=True, slots=True)
class Again:
    """One question asked again.

    Attributes:
        base: index of the question that it is asked of.
        block: the new question for every answer.
        answer: index of the right one in the block.
        draft: the new question about the images of the old one.
        slots: which of the old question's images are the draft's, in its order.
    """

    base: int
    block: Block
    answer: int
    draft: Draft
    slots: tuple[int, ...]


Tie = Callable[[str, Sequence[Draft], Balance, np.random.Generator], Iterator[Again]]
"""Takes the new type's words, the old questions, and the balance of the new answers."""


def which_image(text: str, bases: Sequence[Draft], deal: Balance, generator: np.random.Generator) -> Iterator[Again]:
    """Ask "is it in any image?" as "which image shows it?"."""
    for i, base in enumerate(bases):
        block = drafts.which_image(text, base.facts, generator)
        answer = len(block) - 1 if base.answer == NO else deal.deal(range(len(block) - 1), generator)
        yield Again(i, block, answer, block[answer][0], tuple(range(len(base.slots))))


def which_of_two(text: str, bases: Sequence[Draft], deal: Balance, generator: np.random.Generator) -> Iterator[Again]:
    """Ask "is it in any image?" as "which of two shows it?": the one that does and another, or two that do not."""
    for i, base in enumerate(bases):
        block = drafts.which_of_two(text, base.facts, generator)
        _, neither, first, second = range(len(block))
        answer = neither if base.answer == NO else deal.deal((first, second), generator)
        yield Again(i, block, answer, block[answer][0], (1, 0) if answer == second else (0, 1))


def exact(text: str, bases: Sequence[Draft], _: Balance, generator: np.random.Generator) -> Iterator[Again]:
    """Ask "how many are there together?" as "which image shows exactly 3?".

    A number is drawn while some of the questions left have one image that shows as many, and others none; which of
    the two it becomes is balanced for each number, so that it tells nothing.
    """
    left = {i: counts for i, base in enumerate(bases) if sum(map(bool, counts := _counts(base))) >= _SHOWN}
    dealt = {number: Balance() for number in range(1, 6)}
    numbers = list(dealt)
    while numbers:
        number = int(generator.choice(numbers))
        one = [i for i, counts in left.items() if counts.count(number) == 1]
        none = [i for i, counts in left.items() if number not in counts]
        if not one or not none:
            numbers.remove(number)
            continue
        answer = dealt[number].deal(range(5), generator)
        i = int(generator.choice(none if answer == 4 else one))
        counts, base = left.pop(i), bases[i]
        category = _shown(base, 0).category
        block = drafts.exactly(text, category, number)
        slot = counts.index(number) if number in counts else -1
        draft = replace(block[answer][0], slots=base.slots, fillers=base.fillers, least=base.least, slot=slot)
        yield Again(i, block, answer, draft, tuple(range(len(base.slots))))


def more(text: str, bases: Sequence[Draft], deal: Balance, generator: np.random.Generator) -> Iterator[Again]:
    """Ask "how many are there together?" as "which image shows more?", of two images that show some, or two without."""
    for i, base in enumerate(bases):
        block = drafts.more(text, base.facts, generator)
        same, first, second, none = range(len(block))
        pairs = _pairs(_counts(base), " more " in block[first][0].text)
        if able := [answer for answer in (same, first, second, none) if pairs[answer]]:
            answer = deal.deal(able, generator)
            slots = pairs[answer][int(generator.integers(len(pairs[answer])))]
            draft = replace(block[answer][0], slots=tuple(base.slots[slot] for slot in slots))
            yield Again(i, block, answer, draft, slots)


def _pairs(counts: Sequence[int], more: bool) -> tuple[list[tuple[int, int]], ...]:
    """Return the pairs of images of which both show the same, the first more (or fewer), the second, neither any."""
    pairs = list(permutations(range(len(counts)), 2))
    shown = [(i, j) for i, j in pairs if counts[i] and counts[j]]
    return (
        [(i, j) for i, j in shown if counts[i] == counts[j]],
        [(i, j) for i, j in shown if counts[i] != counts[j] and (counts[i] > counts[j]) == more],
        [(i, j) for i, j in shown if counts[i] != counts[j] and (counts[i] < counts[j]) == more],
        [(i, j) for i, j in pairs if not counts[i] and not counts[j]],
    )


def _counts(draft: Draft) -> list[int]:
    return [_shown(draft, slot).number for slot in range(len(draft.slots))]


def _shown(draft: Draft, slot: int) -> Quantity:
    (fact, _), *_ = draft.slots[slot].wants
    if not isinstance(fact, Quantity):
        raise TypeError(f"only questions about counts are asked again as such, not about {fact}")
    return fact
