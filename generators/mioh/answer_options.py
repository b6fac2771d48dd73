"""Answer options: which letter is right, balanced within each cell."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from vhbench.generators.mioh.drafts import Draft

LETTERS: Final = "ABCDE"


class Balance:
    """Deals out values so that none is ahead of another by more than one, ties by chance."""

    def __init__(self) -> None:
        self.dealt: Counter[int] = Counter()

    def deal(self, values: Sequence[int], generator: np.random.Generator) -> int:
        """Return one of the values dealt least so far, and count it."""
        least = min(self.dealt[v] for v in values)
        value = int(generator.choice([v for v in values if self.dealt[v] == least]))
        self.dealt[value] += 1
        return value


def arrange_options(
    draft: Draft, options: Sequence[str], answer: str, balance: Balance, generator: np.random.Generator
) -> tuple[tuple[str, ...], str]:
    """Put content options into an order with the right one at a balanced letter, and option E at the end.

    Returns:
        The choices in order, and the right letter.
    """
    others = [o for o in options if o != answer]
    order = [others[i] for i in generator.permutation(len(others))]
    if answer in options:
        place = balance.deal(range(len(options)), generator)
        order.insert(place, answer)
    choices = (*order, draft.last) if draft.last else tuple(order)
    return choices, LETTERS[choices.index(answer)]


def arrange_images(
    draft: Draft, order: Sequence[int], balance: Balance, generator: np.random.Generator
) -> tuple[int, tuple[str, ...], str]:
    """Choose which place the right image takes. Options are the images of the easy question, at most four, in order.

    Args:
        draft: the question.
        order: the slot of the image at each place; what lies beyond the draft's slots fills up, and is no option.
        balance: of the letters within the cell.
        generator: for what is left to chance.

    Returns:
        The 0-based place of the right image (-1: none is right), the choices, and the right letter.
    """
    shown = [place for place, slot in enumerate(order) if slot < min(4, len(draft.slots))]
    choices = (*(f"Image {place + 1}" for place in shown), draft.last)
    if draft.slot < 0:
        return -1, choices, LETTERS[len(choices) - 1]
    letter = balance.deal(range(len(shown)), generator)
    return shown[letter], choices, LETTERS[letter]
