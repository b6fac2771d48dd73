"""Image requirements of questions: slots, and the shapes behind the 26 question types.

A draft is a question without images: its text, its options, the correct one, and the facts that must hold in each
image. The text is sampled independently of the answer, and a block holds one draft for *every* answer to the same text.
A text-only baseline therefore stays at chance.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, islice, permutations
from typing import Final, NamedTuple, TypeVar

import numpy as np

from vhbench.generators.mioh.facts import Exists, Fact, Has, Quantity, Related
from vhbench.language import inflection

T = TypeVar("T")

NONE: Final = "None of the above"
UNKNOWN: Final = "I don't know"
YES, NO = "yes", "no"


class ImageSlot(NamedTuple):
    """Requirements on one image.

    Attributes:
        wants: facts, each with its required truth value.
        hp: the required fact that must be easy to see or, under HP, hard to see.
        hn: the fact that must be suggested by nothing or, under HN, strongly suggested: an absent one (or zero count),
            or the one shown (by nothing where possible).
        lures: distractors of which at least one must be true, so that this image alone does not reveal the answer; one
            alone where what they are about is in all images, so that a pressure does not change how many are true.
        aside: categories not counted as suggesting ``hn``: the other options, which are distractors by design.
        there: attributes or relations whose objects and values must all be present, whether true or not: recognition
            of objects without sides or binding cannot tell the options apart.
    """

    wants: tuple[tuple[Fact, bool], ...] = ()
    hp: Fact | None = None
    hn: Fact | None = None
    lures: tuple[Fact, ...] = ()
    aside: tuple[str, ...] = ()
    there: tuple[Fact, ...] = ()

    @property
    def bound(self) -> bool:
        """Whether it concerns an attribute or a relation: a pressure then applies to it whether it is true or not."""
        return isinstance(self.hp or self.hn, Has | Related)

    def under(self, hp: bool, hn: bool) -> tuple[bool, bool]:
        """Return which of the pressures HP and HN apply to this image, of those that the question is under.

        On correct images alone, or on incorrect ones, a pressure would mark them by their size or company. So in
        questions about presence or number, under HP an image without the object shows others that are hard to see.
        """
        hidden = self.hp is not None or isinstance(self.hn, Exists | Quantity)
        return hp and (self.bound or hidden), hn and (self.bound or self.hn is not None)


@dataclass(frozen=True, slots=True)
class Draft:
    """Question without images.

    Attributes:
        text: question text, with ``{first}`` and ``{second}`` where it names two images.
        facts: facts in question, for the columns ``objects`` and ``candidates``.
        answer: "yes", "no", one of ``options``, NONE, or "" if the answer is the image ``slot``.
        slots: image requirements; the ones the answer depends on come first.
        fillers: requirements on further images, used in turn; they keep the answer and leak nothing about it.
        least: smallest number of images for which the answer still holds.
        options: options A–D; empty for yes/no questions and if the options are images.
        slot: index of the correct image in ``slots``; -1 if the options are not images or none is correct.
        last: option E: NONE, UNKNOWN, or "" if there is none.
        numbers_images: whether the options are numbers of images; options above the image count are dropped.
        by_presence: whether presence alone, without counting, determines this answer; then never the most frequent one.
        form: variant of the distractors, for the manifest; "" if there is only one.
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
    by_presence: bool = False
    form: str = ""


Block = Sequence[tuple[Draft, ...]]
"""One entry per answer: interchangeable drafts of the same question."""


def plus(fact: Fact) -> ImageSlot:
    """Return a slot that shows the fact."""
    return ImageSlot(((fact, True),), hp=fact)


def beside(fact: Fact, *others: tuple[Fact, bool]) -> ImageSlot:
    """Return a slot that shows the fact, under HN next to what suggests it."""
    return ImageSlot(((fact, True), *others), fact, fact)


def minus(fact: Fact, *others: tuple[Fact, bool]) -> ImageSlot:
    """Return a slot that does not show the fact."""
    return ImageSlot(((fact, False), *others), hn=fact)


def in_any(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Is it in any image? If so, in exactly one, so that more images make it harder to find."""
    return _in_first(text, facts[0], beside, minus)


def in_every(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Is it in every image? If not, in all but one."""
    return _in_first(text, facts[0], beside, beside)


def _in_first(text: str, f: Fact, shown: Callable[[Fact], ImageSlot], rest: Callable[[Fact], ImageSlot]) -> Block:
    """Show the fact in the first image (yes) or not (no); the other images are the same."""
    text, others = text.format(a=inflection.a(f.phrase())), (rest(f),) * 3
    answers = (YES, shown(f)), (NO, minus(f))
    return [(Draft(text, (f,), word, (slot, *others), (rest(f),)),) for word, slot in answers]


def which_in_any(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four occurs in at least one image? The correct one in exactly one image."""
    block: list[tuple[Draft, ...]] = []
    for right, others in _each_right(facts):
        slots = [minus(others[j % len(others)], *((f, False) for f in facts)) for j in range(4)]
        if right:
            slots[0] = beside(right[0], *((f, False) for f in others))
        false = tuple((f, False) for f in facts)  # in further images, as in these, with all that an option is about
        fillers = [minus(f, *false) for f in _bindings(facts)] or [ImageSlot(false)]
        block.append((_options(text, facts, right, slots, fillers),))
    return block


def which_in_all(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four occurs in all images? Each distractor is missing from at least one.

    Every image shows two of the four (or more, of objects), so a single image looks the same whether one is correct or
    none. Two images suffice: the first lacks two distractors, the second lacks the third.
    """
    aside = _categories(facts)
    block: list[tuple[Draft, ...]] = []
    for right, distractors in _each_right(facts):
        forms = [_in_all(text, facts, right, others, aside) for others in _turns(distractors)]
        block.append(tuple(forms))
    return block


def _in_all(
    text: str, facts: Sequence[Fact], right: Sequence[Fact], others: Sequence[Fact], aside: tuple[str, ...]
) -> Draft:
    """Return a :func:`which_in_all` draft for one assignment of distractors to images."""
    slots: Sequence[ImageSlot]
    fillers: Sequence[ImageSlot]
    there = _bindings(facts)
    if right:
        a, b, c = others
        filler = ImageSlot(_wants(right, []), right[0], lures=(a, b, c), there=there)
        first = ImageSlot(_wants([*right, c], [a, b]), right[0], a, aside=aside, there=there)
        second = ImageSlot(_wants(right, [c]), right[0], c, (a, b), aside, there)
        slots, fillers = (first, second, filler, filler), (filler,)
    else:
        a, b, c, d = others

        def slot_of(two: Sequence[Fact], hn: Fact | None = None) -> ImageSlot:
            false = [f for f in others if f not in two] if there or hn else []
            return ImageSlot(_wants(two, false), two[0], hn, aside=aside, there=there)

        slots = slot_of((c, d), a), slot_of((a, b), c), slot_of((a, c)), slot_of((b, d))
        fillers = [ImageSlot(slot.wants, there=there) for slot in slots]
    return _options(text, facts, right, slots, fillers, "each image shows a wrong option")


def _turns(items: Sequence[T]) -> list[tuple[T, ...]]:
    """Return permutations of the distractors, whose roles are interchangeable."""
    return list(islice(permutations(items), 0, None, 2 if len(items) > 3 else 1))


def which_first_only(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of four is in the first image and not in the second?

    The distractors are in both images, in the second only, and in neither, so each image alone leaves two options open.
    If none is correct, two are in both and two in neither: each image still shows two.
    """
    block: list[tuple[Draft, ...]] = []
    for right, distractors in _each_right(facts):
        block.append(tuple(_first_only(text, facts, right, others) for others in _turns(distractors)))
    return block


def _first_only(text: str, facts: Sequence[Fact], right: Sequence[Fact], others: Sequence[Fact]) -> Draft:
    """Return a :func:`which_first_only` draft for one assignment of distractors to images."""
    there = _bindings(facts)
    aside, form = _categories(facts), "one wrong option in both, one in the second, one in neither"
    if right:
        both, second, neither = others
        hn = None if there else second  # as in the second image, so nothing that suggests others marks either of them
        one = ImageSlot(_wants([*right, both], [second, neither]), right[0], hn, aside=aside, there=there)
        two = ImageSlot(_wants([both, second], [*right, neither]), second, right[0], aside=aside, there=there)
    else:
        one = ImageSlot(_wants(others[:2], others[2:]), others[0], others[2], aside=aside, there=there)
        two, form = one, "two wrong options in both, two in neither"
    return _options(text, facts, right, (one, two), (ImageSlot(there=there),), form)


def _each_right(items: Sequence[T]) -> Iterator[tuple[list[T], list[T]]]:
    """Yield, per answer (each of four options, or none), the correct items and the others."""
    for i in range(5):
        yield list(items[i : i + 1]), [*items[:i], *items[i + 1 :]]


def which_image(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which image shows it? Exactly one, or none ("None of the above")."""
    (f,) = facts
    text, rest = text.format(a=inflection.a(f.phrase()), it=f.phrase()), (minus(f),) * 3
    none = (Draft(text, (f,), NONE, (minus(f), *rest), (minus(f),), last=NONE),)
    return [(Draft(text, (f,), "", (beside(f), *rest), (minus(f),), slot=0, last=NONE),)] * 4 + [none]


def which_of_two(text: str, facts: Sequence[Fact], _: np.random.Generator) -> Block:
    """Which of two images shows it? Both, neither, the first or the second."""
    (f,) = facts
    pairs = ((BOTH, beside(f), beside(f)), (NEITHER, minus(f), minus(f)), (FIRST, beside(f), minus(f)),
             (SECOND, minus(f), beside(f)))  # fmt: skip
    text, more_images = text.replace("{a}", inflection.a(f.phrase())), (ImageSlot(there=_bindings(facts)),)
    return [(Draft(text, (f,), answer, (x, y), more_images, options=_TWO_IMAGES),) for answer, x, y in pairs]


def how_many_images(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """In how many images does it occur? The options are four consecutive numbers."""
    (f,) = facts
    text, start = text.format(many=_many(_noun(f))), int(generator.integers(2))
    options = tuple(str(k) for k in range(start, start + 4))
    return [
        (Draft(text, (f,), str(k), (beside(f),) * k + (minus(f),) * (4 - k), (minus(f),), max(k, 2), options,
               last=UNKNOWN, numbers_images=True),)
        for k in range(start, start + 4)
    ]  # fmt: skip


_WAYS: Final = 8  # ways to spread a number over images
_PARTS: Final = [way for parts in (1, 2, 3) for way in combinations_with_replacement(range(1, 6), parts)]
_WAYS_OF: Final = {number: [way for way in _PARTS if sum(way) == number] for number in range(1, 16)}
"""Number of objects → ways to spread it over one, two or three images."""


def total(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """How many are there over all images? Spread over as many as possible, at most three."""
    category, start = _noun(facts[0]), int(generator.integers(1, 4))
    text, options = text.format(many=_many(category)), tuple(str(k) for k in range(start, start + 4))
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
    """Which of four occurs that many times in total? Two others occur another number of times.

    The fourth does not occur. Each image shows one of the four. One of the three that occur does so in two images. It
    is drawn beforehand: a total of one cannot be in two images, so presence would leak the answer. It is the right one
    in one of four answers: a number without images for either case is left out, or presence would leak again.
    """
    number = int(generator.integers(2, 5))
    turns = generator.permutation([0, 1, 2, int(generator.integers(1, 3))]).tolist()
    names = [_noun(f) for f in facts]
    text, form = text.format(number=number), "two wrong options occur in other numbers"
    block: list[tuple[Draft, ...]] = []
    for (right, others), in_two in zip(_each_right(names), [*turns, int(generator.integers(3))], strict=True):
        present = [*right, *others][:3]
        target = present[0] if right else others[-1]
        forms = []
        for totals in _totals(number, bool(right), generator):
            parts = [_spread(n, 2 if i == in_two else 1, generator) for i, n in enumerate(totals)]
            counts = [{name: n} for name, two in zip(present, parts, strict=True) for n in two]
            if all(parts) and len(counts) == 4:
                slots = [_count_slot({**dict.fromkeys(names, 0), **one}, target) for one in counts]
                filler = _count_slot(dict.fromkeys(names, 0), target)
                options = [Exists(n) for n in names], [Exists(n) for n in right]
                forms.append(replace(_options(text, *options, slots, (filler,), form), least=4))
        block.append(tuple(forms))
    return block


def _totals(number: int, right: bool, generator: np.random.Generator) -> list[tuple[int, int, int]]:
    """Return totals for three :func:`which_total` options, in the order to try; the first is ``number`` if correct.

    Neither the smallest, nor the middle, nor the largest total is mostly the correct one.
    """
    more, less = number + 1, number - 1
    mixed = generator.permutation([(more, less), (less, more)]).tolist()
    ways = [mixed[0], (more, more), (less, less)]
    tried = generator.choice(3, 3, replace=False, p=(0.4, 0.1, 0.5))  # fewest images have smaller totals
    ways = [*(ways[i] for i in tried.tolist()), mixed[1]]
    return [(number, *two) for two in ways] if right else [(one, *two) for two in ways for one in (less, more)]


def exact(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which image shows exactly that many? Two others show another number, one shows none."""
    return exactly(text, _noun(facts[0]), int(generator.integers(1, 6)))


def exactly(text: str, category: str, number: int) -> Block:
    """Return the :func:`exact` block for one number."""
    f = Quantity(category, number)
    text, form = text.format(it=f.phrase()), "two wrong images show another number"
    nearby = sorted({1, 2, 3, 4, 5} - {number}, key=lambda n: (abs(n - number), n))
    pairs = [*combinations(nearby[:3], 2), *((n, n) for n in nearby[:2])]
    rest = [tuple(plus(Quantity(category, n)) for n in pair) for pair in pairs]
    empty, filler = zero(category), (ImageSlot(((f, False),)),)
    right = [Draft(text, (f,), "", (plus(f), *two, empty), filler, slot=0, last=NONE, form=form) for two in rest]
    none = [Draft(text, (f,), NONE, (*two, two[0], empty), filler, last=NONE, form=form) for two in rest]
    return [tuple(right)] * 4 + [tuple(none)]


def more(text: str, facts: Sequence[Fact], generator: np.random.Generator) -> Block:
    """Which of two images shows more (or fewer)? First, second, both the same, or neither.

    If one shows more, the other shows some as well; otherwise presence alone would answer the question.
    """
    category, word = _noun(facts[0]), str(generator.choice(["more", "fewer"]))
    text = text.replace("{more}", word).replace("{many}", _many(category))
    low, same = int(generator.integers(1, 4)), int(generator.integers(1, 4))
    high = int(generator.integers(low + 1, 6))
    shows = {n: zero(category) if n == 0 else beside(Quantity(category, n)) for n in range(6)}

    ordered = [(high, low), (2, 1), (3, 1), (3, 2)]
    turned = [(y, x) for x, y in ordered]
    first, second = (ordered, turned) if word == "more" else (turned, ordered)
    answers = {SAME: [(same, same), (1, 1), (2, 2)], FIRST: first, SECOND: second, NONE_SHOWN: [(0, 0)]}
    asks, form = (Exists(category),), "both images show some, or neither does"
    return [
        tuple(
            Draft(text, asks, answer, (shows[x], shows[y]), (ImageSlot(),), options=_TWO_AMOUNTS,
                  by_presence=answer == NONE_SHOWN, form=form)
            for x, y in pairs
        )
        for answer, pairs in answers.items()
    ]  # fmt: skip


FIRST, SECOND, BOTH, NEITHER = "{first}", "{second}", "Both", "Neither"
SAME, NONE_SHOWN = "Both show the same number", "Neither shows any"
_TWO_IMAGES: Final = (BOTH, NEITHER, FIRST, SECOND)
_TWO_AMOUNTS: Final = (SAME, FIRST, SECOND, NONE_SHOWN)


def zero(category: str) -> ImageSlot:
    """Return a slot that is known to show none of a category."""
    f = Quantity(category, 0)
    return ImageSlot(((f, True),), hn=f)


def _many(category: str) -> str:
    return inflection.plural(inflection.measured(category))


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


def _bindings(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the attributes and relations among the facts."""
    return tuple(f for f in facts if isinstance(f, Has | Related))


def _categories(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Return the categories of the options; for a relation, its subject."""
    return tuple(dict.fromkeys(f.subject if isinstance(f, Related) else f.category for f in facts))


def _wants(true: Sequence[Fact], false: Sequence[Fact]) -> tuple[tuple[Fact, bool], ...]:
    return (*((f, True) for f in true), *((f, False) for f in false))


def _spread(number: int, parts: int, generator: np.random.Generator) -> tuple[int, ...]:
    """Split a number at random into parts of 1–5, or return () if that is impossible."""
    if not parts <= number <= 5 * parts:
        return ()
    counts = [1] * parts
    for _ in range(number - parts):
        open_ = [i for i, n in enumerate(counts) if n < 5]
        counts[int(generator.choice(open_))] += 1
    return tuple(counts)


@lru_cache(maxsize=4096)
def _counted(category: str, parts: tuple[int, ...]) -> tuple[ImageSlot, ...]:
    slots = tuple(beside(Quantity(category, n)) for n in parts)
    return slots + (zero(category),) * (4 - len(slots))


def _count_slot(counts: dict[str, int], target: str) -> ImageSlot:
    """Return a slot with counts of several categories: HP on the one it shows, HN on the target, as in all images."""
    wants = tuple((Quantity(name, n), True) for name, n in counts.items())
    shown = next((fact for fact, _ in wants if fact.number), None)
    return ImageSlot(wants, shown, Quantity(target, counts[target]), aside=tuple(counts))


Shape = Callable[[str, Sequence[Fact], np.random.Generator], Block]
