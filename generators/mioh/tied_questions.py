"""Tied questions: the same images in another mode, separating perception and integration.

A tie converts questions of another type. As for all questions, the text leaks nothing about the answer: the block holds
the question for every answer and is kept only if each has images.
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
"""Minimum number of images with the object in "which shows exactly 2?".

With fewer, presence alone would answer the question.
"""


@dataclass(frozen=True, slots=True)
class TiedQuestion:
    """Question converted to another type.

    Attributes:
        base: index of the original question.
        block: the new question for every answer.
        answer: index of the correct answer in the block.
        draft: the new question about the original images.
        slots: indices of the original images, in the draft's order.
    """

    base: int
    block: Block
    answer: int
    draft: Draft
    slots: tuple[int, ...]


Tie = Callable[[str, Sequence[Draft], Balance, np.random.Generator], Iterator[TiedQuestion]]
"""Function of the new type's template, the original questions and the answer balance."""


def which_image(
    text: str, bases: Sequence[Draft], deal: Balance, generator: np.random.Generator
) -> Iterator[TiedQuestion]:
    """Convert "is it in any image?" to "which image shows it?"."""
    for i, base in enumerate(bases):
        block = drafts.which_image(text, base.facts, generator)
        answer = len(block) - 1 if base.answer == NO else deal.deal(range(len(block) - 1), generator)
        yield TiedQuestion(i, block, answer, block[answer][0], tuple(range(len(base.slots))))


def which_of_two(
    text: str, bases: Sequence[Draft], deal: Balance, generator: np.random.Generator
) -> Iterator[TiedQuestion]:
    """Convert "is it in any image?" to "which of two images shows it?".

    The two images are the one that shows it and another, or two that do not.
    """
    for i, base in enumerate(bases):
        block = drafts.which_of_two(text, base.facts, generator)
        _, neither, first, second = range(len(block))
        answer = neither if base.answer == NO else deal.deal((first, second), generator)
        yield TiedQuestion(i, block, answer, block[answer][0], (1, 0) if answer == second else (0, 1))


def exact(text: str, bases: Sequence[Draft], _: Balance, generator: np.random.Generator) -> Iterator[TiedQuestion]:
    """Convert "how many are there together?" to "which image shows exactly 3?".

    A number is sampled while some remaining questions have exactly one image with that count and others have none. The
    answer is balanced per number, so the number leaks nothing.
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
        category = _quantity(base, 0).category
        block = drafts.exactly(text, category, number)
        slot = counts.index(number) if number in counts else -1
        draft = replace(block[answer][0], slots=base.slots, fillers=base.fillers, least=base.least, slot=slot)
        yield TiedQuestion(i, block, answer, draft, tuple(range(len(base.slots))))


def more(text: str, bases: Sequence[Draft], deal: Balance, generator: np.random.Generator) -> Iterator[TiedQuestion]:
    """Convert "how many are there together?" to "which image shows more?".

    The two images both show some, or neither does.
    """
    for i, base in enumerate(bases):
        block = drafts.more(text, base.facts, generator)
        same, first, second, none = range(len(block))
        pairs = _pairs(_counts(base), " more " in block[first][0].text)
        if able := [answer for answer in (same, first, second, none) if pairs[answer]]:
            answer = deal.deal(able, generator)
            slots = pairs[answer][int(generator.integers(len(pairs[answer])))]
            draft = replace(block[answer][0], slots=tuple(base.slots[slot] for slot in slots))
            yield TiedQuestion(i, block, answer, draft, slots)


def _pairs(counts: Sequence[int], more: bool) -> tuple[list[tuple[int, int]], ...]:
    """Return image pairs by answer: same count, first more (or fewer), second, neither any."""
    pairs = list(permutations(range(len(counts)), 2))
    nonzero = [(i, j) for i, j in pairs if counts[i] and counts[j]]
    return (
        [(i, j) for i, j in nonzero if counts[i] == counts[j]],
        [(i, j) for i, j in nonzero if counts[i] != counts[j] and (counts[i] > counts[j]) == more],
        [(i, j) for i, j in nonzero if counts[i] != counts[j] and (counts[i] < counts[j]) == more],
        [(i, j) for i, j in pairs if not counts[i] and not counts[j]],
    )


def _counts(draft: Draft) -> list[int]:
    return [_quantity(draft, slot).number for slot in range(len(draft.slots))]


def _quantity(draft: Draft, slot: int) -> Quantity:
    (fact, _), *_ = draft.slots[slot].wants
    if not isinstance(fact, Quantity):
        raise TypeError(f"only questions about counts are asked again as such, not about {fact}")
    return fact
