"""What a question needs of its images: slots, and the shapes that the 26 types are made of.

A draft is a question before it has images: its text, its options, which of them is right, and for each image what
must be true there. The text is drawn without regard to the answer and a block holds one draft for *every* answer of
the same text, so that words alone tell nothing about the answer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from vhbench import english
from vhbench.generators.mioh import wording
from vhbench.generators.mioh.facts import Count, Exists, Fact, Related

T = TypeVar("T")

NONE: Final = "None of the above"
UNKNOWN: Final = "I don't know"
YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class ImageSlot:
    """What one image must show.

    Attributes:
        wants: facts and whether each must be true (else it must be false).
        hp: the fact among them, wanted true, that is easy or, under HP, hard to see.
        hn: the fact among them, wanted false (or a count of zero), that nothing or, under HN, much suggests.
    """

    wants: tuple[tuple[Fact, bool], ...] = ()
    hp: Fact | None = None
    hn: Fact | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A question without images.

    Attributes:
        text: with ``{first}`` and ``{second}`` where it names two images.
        facts: what it asks about, for the columns ``objects`` and ``candidates``.
        answer: "yes", "no", one of ``options``, NONE, or (``slot``) the image that is right.
        slots: the images, those first that the answer cannot do without.
        filler: what a further image must show so that the answer stays.
        least: the smallest number of images with which the answer stays.
        options: what A–D say; empty for yes/no, and for questions whose options are images.
        slot: index of the right image among ``slots``; -1 where the options are not images, or none is right.
        last: the option E: NONE, UNKNOWN, or "" for questions without one.
        numbers_images: the options are numbers of images; those beyond their number are no options.
    """

    text: str
    facts: tuple[Fact, ...]
    answer: str
    slots: tuple[ImageSlot, ...]
    filler: ImageSlot
    least: int = 2
    options: tuple[str, ...] = ()
    slot: int = -1
    last: str = ""
    numbers_images: bool = False


Block = Sequence[tuple[Draft, ...]]
"""One entry per answer; each holds the same question in several forms, the most demanding first."""


def plus(fact: Fact, *others: tuple[Fact, bool]) -> ImageSlot:
    """A slot that shows the fact."""
    return ImageSlot(((fact, True), *others), hp=fact)


def minus(fact: Fact, *others: tuple[Fact, bool]) -> ImageSlot:
    """A slot that does not."""
    return ImageSlot(((fact, False), *others), hn=fact)


def in_any(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Is it in any image? Yes: in exactly one, so that more images make it harder to find."""
    return _in_first(text, facts[0], minus)


def in_every(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Is it in every image? No: in all but one."""
    return _in_first(text, facts[0], plus)


def _in_first(text: str, f: Fact, rest: Callable[[Fact], ImageSlot]) -> Block:
    """Show it in the first image (yes) or not (no); the others are alike."""
    text, others = text.format(a=english.a(f.phrase())), (rest(f),) * 3
    return [(Draft(text, (f,), said, (slot, *others), rest(f)),) for said, slot in ((YES, plus(f)), (NO, minus(f)))]


def which_in_any(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four occurs in at least one image? The right one in exactly one, the others in none."""
    block: list[tuple[Draft, ...]] = []
    for right, others in _each_right(facts):
        slots = [minus(others[j % len(others)], *((f, False) for f in facts)) for j in range(4)]
        if right:
            slots[0] = plus(right[0], *((f, False) for f in others))
        filler = ImageSlot(tuple((f, False) for f in facts))
        block.append((_options(text, facts, right, slots, filler),))
    return block


def which_in_all(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four occurs in all images? Each other one is missing somewhere, and best also present somewhere."""
    block: list[tuple[Draft, ...]] = []
    for right, others in _each_right(facts):
        always, hp = [(f, True) for f in right], right[0] if right else None
        first = ImageSlot((*always, (others[0], False), (others[1], False)), hp, others[0])
        second = ImageSlot((*always, *((f, False) for f in others[2:])), hp, others[2])
        filler = ImageSlot(tuple(always), hp)
        lure = ImageSlot((*always, (others[0], True)), hp)
        weak = (first, second, filler, filler)
        block.append(tuple(_options(text, facts, right, s, filler) for s in ((first, second, lure, filler), weak)))
    return block


def which_first_only(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four is in the first image and not in the second? Others: in both, in the second, in neither."""
    block: list[tuple[Draft, ...]] = []
    for right, others in _each_right(facts):
        forms, hp = [], right[0] if right else None
        for both, second_only in ((others[:1], others[1:2]), ([], others[:1]), ([], [])):
            neither = [f for f in others if f not in both]
            one = ImageSlot(_wants(right + both, neither), hp, None if right else neither[0])
            two = ImageSlot(_wants(both + second_only, right), None, hp)
            forms.append(_options(text, facts, right, (one, two), ImageSlot()))
        block.append(tuple(forms))
    return block


def _each_right(items: Sequence[T]) -> Iterator[tuple[list[T], list[T]]]:
    """Yield for every answer, each of four options or none of them, what is right (one or nothing) and the others."""
    for i in range(5):
        yield list(items[i : i + 1]), [*items[:i], *items[i + 1 :]]


def which_image(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which image shows it? In one image; or in none, and "None of the above" is right."""
    (f,) = facts
    text, rest = text.format(a=english.a(f.phrase()), it=f.phrase()), (minus(f),) * 3
    none = (Draft(text, (f,), NONE, (minus(f), *rest), minus(f), last=NONE),)
    return [(Draft(text, (f,), "", (plus(f), *rest), minus(f), slot=0, last=NONE),)] * 4 + [none]


def which_of_two(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of two images shows it? Both, neither, the first, the second."""
    (f,) = facts
    pairs = ((BOTH, plus(f), plus(f)), (NEITHER, minus(f), minus(f)), (FIRST, plus(f), minus(f)),
             (SECOND, minus(f), plus(f)))  # fmt: skip
    text = text.replace("{a}", english.a(f.phrase()))
    return [(Draft(text, (f,), answer, (x, y), ImageSlot(), options=TWO_IMAGES),) for answer, x, y in pairs]


def how_many_images(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """In how many images does it occur? The options are four neighbouring numbers."""
    (f,) = facts
    text, start = text.format(many=wording.many(_noun(f))), int(generator.integers(2))
    options = tuple(str(k) for k in range(start, start + 4))
    return [
        (Draft(text, (f,), str(k), (plus(f),) * k + (minus(f),) * (4 - k), minus(f), max(k, 2), options,
               last=UNKNOWN, numbers_images=True),)
        for k in range(start, start + 4)
    ]  # fmt: skip


def total(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """How many are there over all images? Spread over one to three of them."""
    category, start = _noun(facts[0]), int(generator.integers(1, 5))
    text, options = text.format(many=wording.many(category)), tuple(str(k) for k in range(start, start + 4))
    block: list[tuple[Draft, ...]] = []
    for k in range(start, start + 5):
        forms = [_spread(k, parts, generator) for parts in generator.permutation([2, 2, 3, 1]).tolist()]
        answer = str(k) if k < start + 4 else NONE
        block.append(tuple(
            Draft(text, (Exists(category),), answer, _counted(category, parts), zero(category), max(2, len(parts)),
                  options, last=NONE)
            for parts in forms if parts
        ))  # fmt: skip
    return [forms for forms in block if forms]


def which_total(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which of four occurs that many times in total? The others occur another number of times, or not at all."""
    number = int(generator.integers(2, 5))
    names = [_noun(f) for f in facts]
    text = text.format(number=number)
    block: list[tuple[Draft, ...]] = []
    for right, others in _each_right(names):
        parts = _spread(number, 2, generator)
        forms = []
        for lures in ((others[0], others[1]), (others[0],), ()):
            counts = [dict.fromkeys(names, 0) for _ in range(4)]
            for lure, where in zip(lures, (0, 1), strict=False):
                counts[where][lure] = number - 1 if where else number + 1 if number < 5 else 1
            for name in right:
                counts[0][name], counts[1][name] = parts
            slots = tuple(_count_slot(c, right[0] if right else others[-1]) for c in counts)
            filler = _count_slot(dict.fromkeys(names, 0), names[0])
            forms.append(_options(text, [Exists(n) for n in names], [Exists(n) for n in right], slots, filler))
        block.append(tuple(forms))
    return block


def exact(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which image shows exactly that many? The others show another number; one shows none."""
    return exactly(text, _noun(facts[0]), int(generator.integers(1, 6)))


def exactly(text: str, category: str, number: int) -> Block:
    """Return :func:`exact` for one number."""
    f = Count(category, number)
    text = text.format(it=f.phrase())
    nearby = sorted({1, 2, 3, 4, 5} - {number}, key=lambda n: (abs(n - number), n))
    rest = tuple(plus(Count(category, n)) for n in nearby[:2])
    filler = ImageSlot(((f, False),))
    weak = tuple(ImageSlot(((f, False), (Count(category, 0), False))) for _ in range(2))
    gone = zero(category)
    forms = (rest, weak, (gone, gone))
    right = [Draft(text, (f,), "", (plus(f), gone, *two), filler, slot=0, last=NONE) for two in forms]
    none = [Draft(text, (f,), NONE, (one, gone, other, gone), filler, last=NONE) for one, other in forms]
    return [tuple(right)] * 4 + [tuple(none)]


def more(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which of two images shows more (or fewer)? Both the same number, neither any, the first, the second."""
    category, word = _noun(facts[0]), str(generator.choice(["more", "fewer"]))
    text = text.replace("{more}", word).replace("{many}", wording.many(category))
    low, high, same = int(generator.integers(3)), int(generator.integers(3, 6)), int(generator.integers(1, 4))
    shows = {n: zero(category) if n == 0 else plus(Count(category, n)) for n in range(6)}

    ordered = [(high, low), (2, low % 2), (1, 0)]
    turned = [(y, x) for x, y in ordered]
    first, second = (ordered, turned) if word == "more" else (turned, ordered)
    answers = {SAME: [(same, same), (1, 1)], NONE_SHOWN: [(0, 0)], FIRST: first, SECOND: second}
    asks = (Exists(category),)
    return [
        tuple(Draft(text, asks, said, (shows[x], shows[y]), ImageSlot(), options=TWO_AMOUNTS) for x, y in pairs)
        for said, pairs in answers.items()
    ]


FIRST, SECOND, BOTH, NEITHER = "{first}", "{second}", "Both", "Neither"
SAME, NONE_SHOWN = "Both show the same number", "Neither shows any"
TWO_IMAGES: Final = (BOTH, NEITHER, FIRST, SECOND)
TWO_AMOUNTS: Final = (SAME, NONE_SHOWN, FIRST, SECOND)


def zero(category: str) -> ImageSlot:
    """A slot that shows none of a category, and is known to."""
    f = Count(category, 0)
    return ImageSlot(((f, True),), hn=f)


def _noun(fact: Fact) -> str:
    """Return the category that a fact counts."""
    if isinstance(fact, Related):
        raise TypeError("a relation is not counted")
    return fact.category


def _options(
    text: str, facts: Sequence[Fact], right: Sequence[Fact], slots: Sequence[ImageSlot], filler: ImageSlot
) -> Draft:
    answer = right[0].phrase() if right else NONE
    options = tuple(f.phrase() for f in facts)
    return Draft(text, tuple(facts), answer, tuple(slots), filler, options=options, last=NONE)


def _wants(true: Sequence[Fact], false: Sequence[Fact]) -> tuple[tuple[Fact, bool], ...]:
    return (*((f, True) for f in true), *((f, False) for f in false))


def _spread(number: int, parts: int, generator: np.random.Generator) -> tuple[int, ...]:
    """Split a number into parts of 1 … 5, or () where that cannot be."""
    if not parts <= number <= 5 * parts:
        return ()
    found = [1] * parts
    for _ in range(number - parts):
        open_ = [i for i, n in enumerate(found) if n < 5]
        found[int(generator.choice(open_))] += 1
    return tuple(found)


def _counted(category: str, parts: Sequence[int]) -> tuple[ImageSlot, ...]:
    shown = tuple(plus(Count(category, n)) for n in parts)
    return shown + (zero(category),) * (4 - len(shown))


def _count_slot(counts: dict[str, int], target: str) -> ImageSlot:
    """A slot with a count of several categories; the pressures bear on the target's."""
    fact = Count(target, counts[target])
    wants = tuple((Count(name, n), True) for name, n in counts.items())
    return ImageSlot(wants, hp=fact if fact.number else None, hn=None if fact.number else fact)


Shape = Callable[[str, Sequence[Fact], np.random.Generator], Block]
