"""What the images of a question show says nothing about the answer, unless one counts."""

from collections import Counter

import pytest

from vhbench.generators.mioh.drafts import (
    Draft,
    ImageSlot,
    _totals,
    in_every,
    more,
    which_first_only,
    which_of_two,
    which_total,
)
from vhbench.generators.mioh.facts import Exists, Fact, Quantity
from vhbench.generators.mioh.items import Item, in_pairs
from vhbench.seeding import rng

FACTS = [Exists(word) for word in ("cat", "dog", "cup", "bus")]


def in_two_images(draft: Draft) -> str:
    """Return the object that two images show, if three of four occur."""
    shown = [
        fact.category for slot in draft.slots for fact, _ in slot.wants if isinstance(fact, Quantity) and fact.number
    ]
    [name] = {word for word in shown if shown.count(word) == 2}
    return name


@pytest.mark.parametrize("seed", range(20))
def test_presence_does_not_tell_which_object_occurs_that_many_times(seed: int) -> None:
    """Exactly one of the four answers has the right object in two images, so no number can be asked about without."""
    answers = which_total("{number}", FACTS, rng(seed, "test"))[:4]  # the fifth is "None of the above"
    twice = [{in_two_images(draft) == draft.answer for draft in forms} for forms in answers]
    assert sorted(map(list, twice)) == [[False], [False], [False], [True]]


def test_hp_makes_what_each_image_shows_hard_to_see_not_only_the_right_object() -> None:
    for forms in which_total("{number}", FACTS, rng(3, "test")):
        for slot in (slot for draft in forms for slot in draft.slots):
            assert [fact for fact, _ in slot.wants if isinstance(fact, Quantity) and fact.number] == [slot.hp]


def test_hn_concerns_every_image_where_some_answer_has_no_image_without_the_object() -> None:
    """A hard negative needs an absence; where nothing is absent, what suggests the object stands beside it."""
    random = rng(0, "test")
    for shape in (in_every, which_of_two, more):
        for draft in (draft for forms in shape("", [Exists("dog")], random) for draft in forms):
            assert all(slot.hn == slot.wants[0][0] for slot in draft.slots), draft


def test_in_e7_each_image_is_pressed_by_what_it_shows_and_by_what_it_lacks_whatever_the_answer() -> None:
    """Where one of them was not, the second image told "None of the above" by what suggests others."""
    for forms in which_first_only("", FACTS, rng(0, "test")):
        for slot in (slot for draft in forms for slot in draft.slots):
            shown = dict(slot.wants)
            assert slot.hp
            assert slot.hn
            assert (shown[slot.hp], shown[slot.hn]) == (True, False)


def test_the_order_of_totals_does_not_tell_which_is_asked_for() -> None:
    ranks = Counter[int]()
    for seed in range(200):
        right, *others = _totals(3, True, rng(seed, "test"))[0]
        ranks[sum(other < right for other in others)] += 1
    assert min(ranks[0], ranks[1], ranks[2]) > 0
    assert max(ranks.values()) < 120


def test_yes_and_no_stand_in_pairs_of_equal_numbers() -> None:
    def item(i: int, number: int, answer: int) -> Item:
        return Item(Draft("", (Quantity("dog", number),), "", (ImageSlot(),), ()), (), {}, i, answer)

    def number(fact: Fact) -> int:
        assert isinstance(fact, Quantity)
        return fact.number

    items = [item(i, *of) for i, of in enumerate([(2, 0), (1, 0), (2, 0), (1, 1), (2, 1)])]
    assert [item.number for item in in_pairs(items, number)] == [1, 3, 0, 4, 2]
