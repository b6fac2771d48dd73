"""Questions with their images: easy ones, and their twins under each pressure."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vhbench.generators.mioh.drafts import FIRST, Draft
from vhbench.generators.mioh.facts import Fact, one_way
from vhbench.generators.mioh.pressures import PRESSURES

ANSWERS: Final = 4
"""Number of answers to a question of which presence shows one."""


@dataclass(frozen=True, slots=True)
class PlacedDraft:
    """Draft with its images.

    Attributes:
        scenes: pool indices, one per slot of the draft.
        pressed: pressure → pool indices of the pressed twin, per slot and then per filler.
    """

    draft: Draft
    scenes: tuple[int, ...]
    pressed: Mapping[str, tuple[int, ...]]

    def fits(self, pressure: str) -> bool:
        """Return whether the pressed twin exists or is impossible by design ("in 3 images" for two images)."""
        return pressure in self.pressed or too_few(pressure, self.draft)

    def content(self, pressure: str = "easy") -> Hashable:
        """Return the content of the question under a pressure, without the order of images and options."""
        draft, scenes = self.draft, self.scenes if pressure == "easy" else self.pressed[pressure]
        named = scenes[:2] if FIRST in draft.text else ()
        facts, right = draft.facts, [fact for fact in draft.facts if fact.phrase() == draft.answer]
        text = draft.text if len(facts) > 1 else ""  # of one fact, it says no more than the fact
        images = PRESSURES[pressure].images
        return images, text, *(frozenset(part) for part in (map(one_way, facts), map(one_way, right), scenes, named))


@dataclass(frozen=True, slots=True)
class Item(PlacedDraft):
    """Easy question with its images, which can be pressed if every answer to it can.

    Attributes:
        number: index of the text in sampling order.
        answer: index of the draft in its block.
        again: whether its pressed images are second twins.
        base: id of the tied question ("e1-12"), or "".
    """

    number: int
    answer: int
    again: bool = False
    base: str = ""

    @property
    def group(self) -> tuple[tuple[str, ...], int]:
        """What is balanced: the answer, jointly with the offered numbers of images, which would reveal it."""
        return self.draft.options if self.draft.numbers_images else (), self.answer


def too_few(pressure: str, draft: Draft) -> bool:
    """Return whether NI leaves fewer images than the answer needs."""
    return 0 < PRESSURES[pressure].images < draft.least


def by_answer(items: Iterable[Item]) -> dict[tuple[tuple[str, ...], int], list[Item]]:
    """Return the items of each answer (:attr:`Item.group`), in order."""
    groups: dict[tuple[tuple[str, ...], int], list[Item]] = defaultdict(list)
    for item in items:
        groups[item.group].append(item)
    return dict(sorted(groups.items()))


def in_pairs(items: Sequence[Item], number: Callable[[Fact], int]) -> list[Item]:
    """Put yes/no questions next to one with the other answer and an equal number, so that it predicts nothing.

    Those without such a question come last.
    """
    waiting: dict[tuple[int, int], list[Item]] = defaultdict(list)
    pairs: list[Item] = []
    for item in items:
        key = number(item.draft.facts[0])
        if others := waiting[key, 1 - item.answer]:
            pairs += others.pop(0), item
        else:
            waiting[key, item.answer].append(item)
    paired = {(item.number, item.again) for item in pairs}
    return pairs + [item for item in items if (item.number, item.again) not in paired]


def none_ahead(items: Sequence[Item]) -> list[Item]:
    """Drop surplus questions whose answer presence shows, if those with the other answers have run out."""
    most = sum(not item.draft.by_presence for item in items) // (ANSWERS - 1)
    surplus = [item for item in items if item.draft.by_presence][most:]
    return [item for item in items if not item.draft.by_presence or item not in surplus]


def same_images(slots: Sequence[int], base: Item) -> dict[str, tuple[int, ...]]:
    """Return the base's twins in ``slots`` order; two-image questions grow only under NI."""
    whole = len(slots) == len(base.scenes)
    return {
        p: (
            *(twin[i] for i in slots if i < len(twin)),
            *(scene for i, scene in enumerate(twin) if i not in slots and (whole or PRESSURES[p].images)),
        )
        for p, twin in base.pressed.items()
        if whole or max(slots) < len(twin)
    }
