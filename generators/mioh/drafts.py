"""What a question needs of its images: slots, and the shapes that the 26 types are made of.

A draft is a question before it has images: its text, its options, which of them is right, and for each image what
must be true there. The text is drawn without regard to the answer and a block holds one draft for *every* answer of
the same text, so that words alone tell nothing about the answer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, islice, permutations
from typing import Final, TypeVar

import numpy as np

from vhbench.generators.mioh import templates
from vhbench.generators.mioh.facts import Exists, Fact, Quantity, Related
from vhbench.language import inflection

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
        lures: facts of which at least one must be true: who sees this image alone cannot tell them from the answer.
        aside: categories that do not count as suggesting ``hn``: the other options, which are lures by their form.
    """

    wants: tuple[tuple[Fact, bool], ...] = ()
    hp: Fact | None = None
    hn: Fact | None = None
    lures: tuple[Fact, ...] = ()
    aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A question without images.

    Attributes:
        text: with ``{first}`` and ``{second}`` where it names two images.
        facts: what it asks about, for the columns ``objects`` and ``candidates``.
        answer: "yes", "no", one of ``options``, NONE, or (``slot``) the image that is right.
        slots: the images, those first that the answer cannot do without.
        fillers: what further images must show, in turn, so that the answer stays and no image alone tells it.
        least: the smallest number of images with which the answer stays.
        options: what A–D say; empty for yes/no, and for questions whose options are images.
        slot: index of the right image among ``slots``; -1 where the options are not images, or none is right.
        last: the option E: NONE, UNKNOWN, or "" for questions without one.
        numbers_images: the options are numbers of images; those beyond their number are no options.
        told: whether to see what is there, without counting, tells this answer: it is never right more often than
            another.
        form: how its wrong options are lures, for the manifest; "" where there is but one way.
    """

    text: str
    facts: tuple[Fact, ...]
    answer: str
    slots: tuple[ImageSlot, ...]
    fillers: tuple[ImageSlot, ...]
    least: int = 2
    options: tuple[str, ...] = ()
    slot: int = -1
    last: str = ""
    numbers_images: bool = False
    told: bool = False
    form: str = ""


Block = Sequence[tuple[Draft, ...]]
"""One entry per answer; each holds the same question with other numbers or images, all equally demanding."""


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
    text, others = text.format(a=inflection.a(f.phrase())), (rest(f),) * 3
    return [(Draft(text, (f,), said, (slot, *others), (rest(f),)),) for said, slot in ((YES, plus(f)), (NO, minus(f)))]


def which_in_any(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four occurs in at least one image? The right one in exactly one, the others in none."""
    block: list[tuple[Draft, ...]] = []
    for right, others in _each_right(facts):
        slots = [minus(others[j % len(others)], *((f, False) for f in facts)) for j in range(4)]
        if right:
            slots[0] = plus(right[0], *((f, False) for f in others))
        filler = ImageSlot(tuple((f, False) for f in facts))
        block.append((_options(text, facts, right, slots, (filler,)),))
    return block


def which_in_all(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four occurs in all images? Each other one is missing somewhere, and every image shows one of them.

    Two images suffice for that: the first lacks two of the others, the second the third. Where none is right, each
    image shows two of the four: by itself it looks like those with a right one.
    """
    aside = _categories(facts)
    block: list[tuple[Draft, ...]] = []
    for right, found in _each_right(facts):
        forms = [_in_all(text, facts, right, others, aside) for others in _turns(found)]
        block.append(tuple(forms))
    return block


def _in_all(
    text: str, facts: Sequence[Fact], right: Sequence[Fact], others: Sequence[Fact], aside: tuple[str, ...]
) -> Draft:
    """Return :func:`which_in_all` for one order of the wrong options: who lures where."""
    slots: Sequence[ImageSlot]
    fillers: Sequence[ImageSlot]
    if right:
        a, b, c = others
        filler = ImageSlot(_wants(right, []), right[0], lures=(a, b, c))
        first = ImageSlot(_wants([*right, c], [a, b]), right[0], a, aside=aside)
        second = ImageSlot(_wants(right, [c]), right[0], c, (a, b), aside)
        slots, fillers = (first, second, filler, filler), (filler,)
    else:
        a, b, c, d = others
        first = ImageSlot(_wants([c, d], [a, b]), None, a, aside=aside)
        second = ImageSlot(_wants([a, b], [c, d]), None, c, aside=aside)
        slots = (first, second, *(ImageSlot(_wants(two, [])) for two in ((a, c), (b, d))))
        fillers = [ImageSlot(_wants(two, [])) for two in ((a, b), (c, d), (a, d), (b, c))]
    return _options(text, facts, right, slots, fillers, "each image shows a wrong option")


def _turns(items: Sequence[T]) -> list[tuple[T, ...]]:
    """Return the items in other orders: it is all the same which wrong option is where."""
    return list(islice(permutations(items), 0, None, 2 if len(items) > 3 else 1))


def which_first_only(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four is in the first image and not in the second? Others: in both, in the second, in neither.

    So each image alone leaves two open. Where none is right, two are in both and two in neither: the first image shows
    two, and so does the second, as ever.
    """
    block: list[tuple[Draft, ...]] = []
    for right, found in _each_right(facts):
        block.append(tuple(_first_only(text, facts, right, others) for others in _turns(found)))
    return block


def _first_only(text: str, facts: Sequence[Fact], right: Sequence[Fact], others: Sequence[Fact]) -> Draft:
    """Return :func:`which_first_only` for one order of the wrong options: which is where."""
    aside, form = _categories(facts), "one wrong option in both, one in the second, one in neither"
    if right:
        both, second, neither = others
        one = ImageSlot(_wants([*right, both], [second, neither]), right[0], aside=aside)
        two = ImageSlot(_wants([both, second], [*right, neither]), None, right[0], aside=aside)
    else:
        one = ImageSlot(_wants(others[:2], others[2:]), None, others[2], aside=aside)
        two, form = replace(one, hn=None), "two wrong options in both, two in neither"
    return _options(text, facts, right, (one, two), (ImageSlot(),), form)


def _each_right(items: Sequence[T]) -> Iterator[tuple[list[T], list[T]]]:
    """Yield for every answer, each of four options or none of them, what is right (one or nothing) and the others."""
    for i in range(5):
        yield list(items[i : i + 1]), [*items[:i], *items[i + 1 :]]


def which_image(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which image shows it? In one image; or in none, and "None of the above" is right."""
    (f,) = facts
    text, rest = text.format(a=inflection.a(f.phrase()), it=f.phrase()), (minus(f),) * 3
    none = (Draft(text, (f,), NONE, (minus(f), *rest), (minus(f),), last=NONE),)
    return [(Draft(text, (f,), "", (plus(f), *rest), (minus(f),), slot=0, last=NONE),)] * 4 + [none]


def which_of_two(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of two images shows it? Both, neither, the first, the second."""
    (f,) = facts
    pairs = ((BOTH, plus(f), plus(f)), (NEITHER, minus(f), minus(f)), (FIRST, plus(f), minus(f)),
             (SECOND, minus(f), plus(f)))  # fmt: skip
    text = text.replace("{a}", inflection.a(f.phrase()))
    return [(Draft(text, (f,), answer, (x, y), (ImageSlot(),), options=_TWO_IMAGES),) for answer, x, y in pairs]


def how_many_images(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """In how many images does it occur? The options are four neighbouring numbers."""
    (f,) = facts
    text, start = text.format(many=templates.many(_noun(f))), int(generator.integers(2))
    options = tuple(str(k) for k in range(start, start + 4))
    return [
        (Draft(text, (f,), str(k), (plus(f),) * k + (minus(f),) * (4 - k), (minus(f),), max(k, 2), options,
               last=UNKNOWN, numbers_images=True),)
        for k in range(start, start + 4)
    ]  # fmt: skip


_WAYS: Final = 8  # in which a number is spread over images
_PARTS: Final = [way for parts in (1, 2, 3) for way in combinations_with_replacement(range(1, 6), parts)]
_WAYS_OF: Final = {number: [way for way in _PARTS if sum(way) == number] for number in range(1, 16)}
"""Number of things → how it can be spread over one, two or three images."""


def total(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """How many are there over all images? Spread over three of them if that can be, else over two or one."""
    category, start = _noun(facts[0]), int(generator.integers(1, 4))
    text, options = text.format(many=templates.many(category)), tuple(str(k) for k in range(start, start + 4))
    block: list[tuple[Draft, ...]] = []
    for k in range(start, start + 5):
        ways = _WAYS_OF[k]
        forms = sorted((ways[i] for i in generator.permutation(len(ways)).tolist()), key=lambda way: -len(way))
        answer = str(k) if k < start + 4 else NONE
        block.append(tuple(
            Draft(text, (Exists(category),), answer, _counted(category, parts), (zero(category),),
                  max(2, len(parts)), options, last=NONE)
            for parts in forms[:_WAYS]
        ))  # fmt: skip
    return [forms for forms in block if forms]


def which_total(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which of four occurs that many times in total? Two others occur another number of times, the last not at all.

    Each image shows one of the four. One of the three that occur does so in two images, be it right or wrong, so that
    presence tells nothing.
    """
    number, twice = int(generator.integers(2, 5)), int(generator.integers(3))
    names = [_noun(f) for f in facts]
    text, form = text.format(number=number), "two wrong options occur in other numbers"
    block: list[tuple[Draft, ...]] = []
    for right, others in _each_right(names):
        shown = [*right, *others][:3]
        target = shown[0] if right else others[-1]
        forms = []
        for totals in _totals(number, bool(right)):
            for again in (twice, (twice + 1) % 3, (twice + 2) % 3):
                parts = [_spread(n, 2 if i == again else 1, generator) for i, n in enumerate(totals)]
                counts = [{name: n} for name, two in zip(shown, parts, strict=True) for n in two]
                if all(parts) and len(counts) == 4:
                    slots = [_count_slot({**dict.fromkeys(names, 0), **one}, target) for one in counts]
                    filler = _count_slot(dict.fromkeys(names, 0), target)
                    asked = [Exists(n) for n in names], [Exists(n) for n in right]
                    forms.append(replace(_options(text, *asked, slots, (filler,), form), least=4))
        block.append(tuple(forms))
    return block


def _totals(number: int, right: bool) -> list[tuple[int, int, int]]:
    """Return how often three of the options of :func:`which_total` occur: the first one ``number`` times if right."""
    more, less = number + 1, number - 1
    ways = [(more, less), (less, more), (more, more), (less, less)]
    return [(number, *two) for two in ways] if right else [(one, *two) for two in ways for one in (less, more)]


def exact(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which image shows exactly that many? Two others show another number, one shows none."""
    return exactly(text, _noun(facts[0]), int(generator.integers(1, 6)))


def exactly(text: str, category: str, number: int) -> Block:
    """Return :func:`exact` for one number."""
    f = Quantity(category, number)
    text, form = text.format(it=f.phrase()), "two wrong images show another number"
    nearby = sorted({1, 2, 3, 4, 5} - {number}, key=lambda n: (abs(n - number), n))
    pairs = [*combinations(nearby[:3], 2), *((n, n) for n in nearby[:2])]
    rest = [tuple(plus(Quantity(category, n)) for n in pair) for pair in pairs]
    gone, filler = zero(category), (ImageSlot(((f, False),)),)
    right = [Draft(text, (f,), "", (plus(f), *two, gone), filler, slot=0, last=NONE, form=form) for two in rest]
    none = [Draft(text, (f,), NONE, (*two, two[0], gone), filler, last=NONE, form=form) for two in rest]
    return [tuple(right)] * 4 + [tuple(none)]


def more(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which of two images shows more (or fewer)? Both the same number, the first, the second, neither any.

    Where one shows more, the other shows some: else there was nothing to count.
    """
    category, word = _noun(facts[0]), str(generator.choice(["more", "fewer"]))
    text = text.replace("{more}", word).replace("{many}", templates.many(category))
    low, same = int(generator.integers(1, 4)), int(generator.integers(1, 4))
    high = int(generator.integers(low + 1, 6))
    shows = {n: zero(category) if n == 0 else plus(Quantity(category, n)) for n in range(6)}

    ordered = [(high, low), (2, 1), (3, 1), (3, 2)]
    turned = [(y, x) for x, y in ordered]
    first, second = (ordered, turned) if word == "more" else (turned, ordered)
    answers = {SAME: [(same, same), (1, 1), (2, 2)], FIRST: first, SECOND: second, NONE_SHOWN: [(0, 0)]}
    asks, form = (Exists(category),), "both images show some, or neither does"
    return [
        tuple(
            Draft(text, asks, said, (shows[x], shows[y]), (ImageSlot(),), options=_TWO_AMOUNTS,
                  told=said == NONE_SHOWN, form=form)
            for x, y in pairs
        )
        for said, pairs in answers.items()
    ]  # fmt: skip


FIRST, SECOND, BOTH, NEITHER = "{first}", "{second}", "Both", "Neither"
SAME, NONE_SHOWN = "Both show the same number", "Neither shows any"
_TWO_IMAGES: Final = (BOTH, NEITHER, FIRST, SECOND)
_TWO_AMOUNTS: Final = (SAME, FIRST, SECOND, NONE_SHOWN)


def zero(category: str) -> ImageSlot:
    """A slot that shows none of a category, and is known to."""
    f = Quantity(category, 0)
    return ImageSlot(((f, True),), hn=f)


def _noun(fact: Fact) -> str:
    """Return the category that a fact counts."""
    if isinstance(fact, Related):
        raise TypeError("a relation is not counted")
    return fact.category


def _options(
    text: str,
    facts: Sequence[Fact],
    right: Sequence[Fact],
    slots: Sequence[ImageSlot],
    fillers: Sequence[ImageSlot],
    form: str = "",
) -> Draft:
    answer = right[0].phrase() if right else NONE
    options = tuple(f.phrase() for f in facts)
    return Draft(text, tuple(facts), answer, tuple(slots), tuple(fillers), options=options, last=NONE, form=form)


def _categories(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Return the categories that options are about, of a relation the one that stands first."""
    return tuple(dict.fromkeys(f.subject if isinstance(f, Related) else f.category for f in facts))


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


@lru_cache(maxsize=4096)
def _counted(category: str, parts: tuple[int, ...]) -> tuple[ImageSlot, ...]:
    shown = tuple(plus(Quantity(category, n)) for n in parts)
    return shown + (zero(category),) * (4 - len(shown))


def _count_slot(counts: dict[str, int], target: str) -> ImageSlot:
    """A slot with a count of several categories; the pressures bear on the target's."""
    fact = Quantity(target, counts[target])
    wants = tuple((Quantity(name, n), True) for name, n in counts.items())
    return ImageSlot(wants, fact if fact.number else None, None if fact.number else fact, aside=tuple(counts))


Shape = Callable[[str, Sequence[Fact], np.random.Generator], Block]
