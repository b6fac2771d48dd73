"""What the images of a question show says nothing about the answer, unless one counts."""

import numpy as np
import pytest

from vhbench.generators.mioh.drafts import Draft, which_total
from vhbench.generators.mioh.facts import Exists, Quantity
from vhbench.seeding import rng

FACTS = [Exists(word) for word in ("cat", "dog", "cup", "bus")]


def in_two_images(draft: Draft) -> str:
    """Return the object that two images show, if three of four occur."""
    shown = [
        fact.category for slot in draft.slots for fact, _ in slot.wants if isinstance(fact, Quantity) and fact.number
    ]
    [name] = {word for word in shown if shown.count(word) == 2}
    return name


def test_presence_does_not_tell_which_object_occurs_that_many_times() -> None:
    found: dict[str, list[bool]] = {"2": [], "3": [], "4": []}
    for seed in range(900):
        for forms in which_total("{number}", FACTS, rng(seed, "test"))[:4]:  # the fifth answer is "None of the above"
            [twice] = {in_two_images(draft) == draft.answer for draft in forms}
            found[forms[0].text].append(twice)
    # One of three objects that occur is in two images: the right one in a third of the questions, whatever the number.
    assert [np.mean(found[number]) for number in "234"] == pytest.approx([1 / 3] * 3, abs=0.07)
