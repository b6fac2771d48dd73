"""Answer options, with the position of the correct letter balanced within each cell."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from vhbench.generators.mioh.drafts import Draft

LETTERS: Final = "ABCDE"


class Balance:
    """Counter that keeps the frequencies of values within one of each other."""

    def __init__(self) -> None:
        self.dealt: Counter[int] = Counter()

    def deal(self, values: Sequence[int], generator: np.random.Generator) -> int:
        """Return one of the least used values (ties broken at random) and count it."""
        least = min(self.dealt[v] for v in values)
        value = int(generator.choice([v for v in values if self.dealt[v] == least]))
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
    draft: Draft, order: Sequence[int], balance: Balance, generator: np.random.Generator
) -> tuple[int, tuple[str, ...], str]:
    """Choose the position of the correct image; the options are the easy question's images.

    At most four images are options, in display order.

    Args:
        draft: question without images.
        order: slot shown at each position; slots beyond the draft's own are fillers and never options.
        balance: letter counts of the cell.
        generator: random generator.

    Returns:
        The 0-based position of the correct image (-1 if none is correct), the choices and the correct letter.
    """
    shown = [place for place, slot in enumerate(order) if slot < min(4, len(draft.slots))]
    choices = (*(f"Image {place + 1}" for place in shown), draft.last)
    if draft.slot < 0:
        return -1, choices, LETTERS[len(choices) - 1]
    letter = balance.deal(range(len(shown)), generator)
    return shown[letter], choices, LETTERS[letter]
