"""Answer options, with the position of the correct letter balanced within each cell."""

from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import Final

import numpy as np

from vhbench.generators.mioh.drafts import Draft

LETTERS: Final = "ABCDE"


class Balance:
    """Counter that keeps the frequencies of values within one of each other."""

    def __init__(self) -> None:
        self.dealt: Counter[int] = Counter()

    def deal(self, values: Sequence[int], generator: np.random.Generator, ways: Sequence[int] = ()) -> int:
        """Return one of the least used values (ties broken at random, by numbers of ways if given) and count it."""
        least = min(self.dealt[v] for v in values)
        tied = [i for i, v in enumerate(values) if self.dealt[v] == least]
        odds = np.array([ways[i] for i in tied]) if ways else None
        value = values[int(generator.choice(tied, p=None if odds is None else odds / odds.sum()))]
        self.dealt[value] += 1
        return value


def arrange_options(
    draft: Draft, options: Sequence[str], answer: str, balance: Balance, generator: np.random.Generator
) -> tuple[tuple[str, ...], str]:
    """Order the content options, with the correct one at a balanced letter and E last.

    Returns:
        The ordered choices and the correct letter.
    """
    others = [o for o in options if o != answer]
    order = [others[i] for i in generator.permutation(len(others))]
    if answer in options:
        place = balance.deal(range(len(options)), generator)
        order.insert(place, answer)
    choices = (*order, draft.last) if draft.last else tuple(order)
    return choices, LETTERS[choices.index(answer)]


def arrange_images(
    draft: Draft, order: Sequence[int], balance: Balance, places: Balance, generator: np.random.Generator
) -> tuple[list[int], tuple[str, ...], str]:
    """Order the images so that letter and position of the correct one are balanced.

    At most four images are options, in display order: those of the easy question. Slots in ``order`` beyond the draft's
    own are fillers. ``places`` counts the positions of the correct image among questions with as many images.

    Returns:
        The slot shown at each position, the choices and the correct letter.
    """
    own = [slot for slot in order if slot < min(4, len(draft.slots))]
    rest, result = [slot for slot in order if slot not in own], list(order)
    positions = [place for place, slot in enumerate(order) if slot in own]
    letter = len(own)
    if draft.slot >= 0:
        letter = balance.deal(range(len(own)), generator)
        after = len(own) - 1 - letter
        possible = range(letter, len(order) - after)
        # As often as the other images can be chosen around it, or the choice of images would reveal the letter.
        ways = [comb(place, letter) * comb(len(order) - 1 - place, after) for place in possible]
        place = places.deal(possible, generator, ways)
        behind = place + 1 + generator.choice(len(order) - 1 - place, after, replace=False)
        positions = sorted([*generator.choice(place, letter, replace=False).tolist(), place, *behind.tolist()])
        own.insert(letter, own.pop(own.index(draft.slot)))
        result = [own.pop(0) if i in positions else rest.pop(0) for i in range(len(order))]
    choices = (*(f"Image {i + 1}" for i in positions), draft.last)
    return result, choices, LETTERS[letter]
