"""Counts and values as ranges: "at least three", "larger than 5", "several"."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from vhbench.language.inflection import NUMBER_WORDS
from vhbench.language.parsing.stems import Word

MANY: Final = float("inf")
_LITTLE: Final = 1e-9
Range = tuple[float, float]  # minimum and maximum, both inclusive
_NUMBERS: Final = {word: n for word, n in NUMBER_WORDS.items() if n <= 12} | {"single": 1, "dozen": 12}
_COUNTED: Final[Mapping[str, Callable[[float], Range]]] = {
    **dict.fromkeys(("at_least",), lambda n: (n, MANY)),
    **dict.fromkeys(("at_most",), lambda n: (0, n)),
    **dict.fromkeys(("more", "over", "above"), lambda n: (n + 1, MANY)),
    **dict.fromkeys(("fewer", "less", "under", "below"), lambda n: (0, n - 1)),
}
_VAGUE: Final[Mapping[str, Range]] = {
    **dict.fromkeys(("several", "many", "numerous", "lots"), (3, MANY)),
    **dict.fromkeys(("multiple", "various", "few"), (2, MANY)),
    "dozens": (12, MANY),
}
BOUNDS: Final = frozenset({*_COUNTED, *_VAGUE, "than", "only"})  # words that may precede a count
_MORE: Final = frozenset("larger greater bigger more higher longer taller older above".split())
_LESS: Final = frozenset("smaller less fewer lower shorter lesser younger below".split())
_SIGNED: Final[Mapping[str, Callable[[float], Range]]] = {
    **dict.fromkeys((">", "above", "over", "exceeds", "exceed"), lambda n: (n + _LITTLE, MANY)),
    **dict.fromkeys(("<", "below", "under"), lambda n: (-MANY, n - _LITTLE)),
    **dict.fromkeys((">=", "≥", "at_least"), lambda n: (n, MANY)),
    **dict.fromkeys(("<=", "≤", "at_most"), lambda n: (-MANY, n)),
    **dict.fromkeys("= equal equals exactly precisely is are be measures totals".split(), lambda n: (n, n)),
}
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_OF: Final = frozenset("value sum total is shown labeled labelled given measure".split())


def number(word: Word) -> float | None:
    """Return the number of a number word, or None."""
    amount = _NUMBERS.get(word.stem, _NUMBERS.get(word.surface))
    if amount is None and word.stem[:1].isdecimal() and _NUMBER.fullmatch(word.stem):
        return float(word.stem)
    return amount


def quantity(before: Sequence[Word]) -> Range | None:
    """Return the count in the words before a noun, or None."""
    count: Range | None = None
    for place, word in enumerate(before):
        value = number(word)
        if value is None:
            count = _VAGUE.get(word.surface, count)
            continue
        back = [w.surface for w in before[max(0, place - 2) : place]]
        bound = next((_COUNTED[w] for w in reversed(back) if w in _COUNTED), None)
        count = bound(value) if bound else (value, value)
    return count


def value(tokens: Sequence[Word]) -> Range | None:
    """Return the range of a stated value: "is larger than 5", "= 180", "exactly 3"; else None."""
    for place in range(len(tokens) - 1, -1, -1):
        amount = number(tokens[place])
        if amount is None:
            continue
        back = [w.surface for w in tokens[max(0, place - 4) : place] if w.surface not in ("the", "to", "a")]
        before, last = ["", "", *back][-2:]
        if last == "than" and before in _MORE | _LESS:
            return (amount + _LITTLE, MANY) if before in _MORE else (-MANY, amount - _LITTLE)
        if last in _SIGNED:
            return _SIGNED[last](amount)
        if (last in ("of", "as", "at") and before in _OF) or (last == "for" and before in ("accounts", "accounted")):
            return (amount, amount)
    return None


def within(amount: Range, limits: Range) -> str:
    """Return "yes" if a range is within another, "no" if they are disjoint, otherwise ""."""
    if limits[0] <= amount[0] and amount[1] <= limits[1]:
        return "yes"
    return "no" if amount[1] < limits[0] or limits[1] < amount[0] else ""
