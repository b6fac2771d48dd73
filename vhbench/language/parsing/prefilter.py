"""Words without one of which a pattern cannot match: to look for them first is much quicker than to try the pattern.

They are read from the pattern itself, so that they cannot say something else than it does. Patterns hold more than is
understood here (a repetition, a class of letters, what stands before or behind); of such parts nothing is demanded,
and a pattern of which nothing can be demanded is tried on every text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

Words = frozenset[str]

_NOTHING = frozenset([""])
_MANY = 96
"""No more words are made of what follows one another."""
_LETTERS = 4
"""Of a class of more letters nothing is demanded."""
_SETS = 3
"""Of each branch so many sets of words are looked for, the rarest first."""
_USUAL = frozenset("image photo picture the this that not you".split())
"""Short or not, they are in many answers; to look for them saves little."""


def any_in(needles: Iterable[str], text: str) -> bool:
    """Tell whether one of some words stands anywhere in a text.

    >>> any_in(("dog", "cat"), "concatenated"), any_in(("dog", "cat"), "a bird")
    (True, False)
    """
    for needle in needles:  # noqa: SIM110 a generator takes three times as long
        if needle in text:
            return True
    return False


class Guarded:
    r"""Patterns each of which is tried only on texts that hold the words which it demands.

    >>> unsure = Guarded(r"(?i)\bun(?:sure|known)", r"(?i)not\s+(?:certain|sure)")
    >>> unsure.demands, unsure.search("I am UNSURE.")[0], unsure.search("I am sure.")
    (((('unsure', 'unknown'),), (('sure', 'certain'), ('not',))), 'UNSURE', None)
    """

    def __init__(self, *patterns: str) -> None:
        """Keep patterns; they are read when they are needed first, so that no import waits for them."""
        self.sources = patterns

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The patterns, without their guards."""
        return tuple(map(re.compile, self.sources))

    @cached_property
    def demands(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """Of each pattern sets of words, the rarest first: of each set one word is in all that it matches."""
        return tuple(_demanded(source, any_case=self._any_case) for source in self.sources)

    @cached_property
    def _any_case(self) -> bool:
        return any(re.search(r"\(\?[a-z]*i", source) for source in self.sources)

    @cached_property
    def _first(self) -> tuple[str, ...]:
        """One of them is in all that matches."""
        return _shortest({word for sets in self.demands for word in sets[0]}) if all(self.demands) else ("",)

    def candidates(self, text: str) -> Iterator[re.Pattern[str]]:
        """Yield the patterns that may match anywhere in a text: all that do, and few others."""
        if self._any_case:
            if not text.isascii():
                yield from self.patterns  # elsewhere case is more than small and large letters
                return
            text = text.lower()
        if any_in(self._first, text):
            for pattern, sets in zip(self.patterns, self.demands, strict=True):
                if _holds(sets, text):
                    yield pattern

    def may_match(self, text: str) -> bool:
        r"""Tell quickly whether one of the patterns may match in a text, or in a part of it; never False where it does.

        >>> Guarded(r"\Ano\b").may_match("There is none."), Guarded(r"\Ano\b").may_match("Yes.")
        (True, False)
        """
        return any(True for _ in self.candidates(text))

    def search(self, text: str) -> re.Match[str] | None:
        """Return where the first of the patterns that match stands in a text."""
        for pattern in self.candidates(text):
            if found := pattern.search(text):
                return found
        return None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield where each pattern stands in a text."""
        for pattern in self.candidates(text):
            yield from pattern.finditer(text)

    def sub(self, usual: str, text: str, count: int = 0) -> str:
        """Return a text with something in the place of what matches."""
        if self._any_case or any_in(self._first, text):  # most texts hold none: no generator is made for them
            for pattern in self.candidates(text):
                text = pattern.sub(usual, text, count=count)
        return text


def _demanded(source: str, *, any_case: bool) -> tuple[tuple[str, ...], ...]:
    parsed = parser.parse(source)
    sets: Iterable[Words] = _sequence(parsed, bool(parsed.state.flags & re.IGNORECASE)).sets
    if any_case:  # then only texts in ASCII are looked at
        sets = [frozenset(word.lower() for word in words if word.isascii()) for words in sets]
    return tuple(_shortest(words) for words in _rarest(sets))


def _holds(sets: Iterable[Iterable[str]], text: str) -> bool:
    for words in sets:  # noqa: SIM110 as above
        if not any_in(words, text):
            return False
    return True


class _Demand(NamedTuple):
    """What a part of a pattern demands.

    Attributes:
        exact: all that it can match; ``None`` where that is too much.
        sets: of each, one word is in what it matches.
    """

    exact: Words | None
    sets: list[Words]


def _rarest(sets: Iterable[Words]) -> list[Words]:
    """Return the rarest of some sets of words, without those in which a word must be where one of a rarer set is."""
    kept: list[Words] = []
    for words in sorted(sets, key=_frequency):
        if len(kept) < _SETS and not any(all(any_in(words, word) for word in rarer) for rarer in kept):
            kept.append(words)
    return kept


def _shortest(words: Iterable[str]) -> tuple[str, ...]:
    """Leave out what holds another word: where "cannot" stands, "not" does."""
    kept: list[str] = []
    for word in sorted(words, key=lambda word: (len(word), word)):
        if not any_in(kept, word):
            kept.append(word)
    return tuple(kept)


def _frequency(words: Words) -> tuple[float, list[str]]:
    """Guess how often one of some words is in an answer: a letter in fifteen is the right one, and many say "image"."""
    return sum(0.07 ** (1 if word in _USUAL else len(word)) for word in words), sorted(words)


def _sequence(parsed: Iterable[Any], any_case: bool) -> _Demand:
    """Read what follows one another: what is exact grows together, until something is not."""
    sets: list[Words] = []
    run, whole = _NOTHING, True
    for kind, value in parsed:
        exact, inner = _part(kind, value, any_case)
        sets += inner
        if exact is not None and len(run) * len(exact) <= _MANY:
            run = frozenset(one + other for one in run for other in exact)
        else:
            sets.append(run)
            run, whole = exact or _NOTHING, False
    sets.append(run)
    return _Demand(run if whole else None, [words for words in sets if "" not in words])


def _part(kind: Any, value: Any, any_case: bool) -> _Demand:
    if kind is codes.LITERAL:
        return _Demand(frozenset([_letter(value, any_case)]), [])
    if kind is codes.IN and len(value) <= _LETTERS and all(one is codes.LITERAL for one, _ in value):
        return _Demand(frozenset(_letter(letter, any_case) for _, letter in value), [])
    if kind in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
        return _Demand(_NOTHING, [])  # it takes no room, and what it looks at may stand outside of the match
    if kind is codes.SUBPATTERN:
        _, on, off, inner = value
        return _sequence(inner, (any_case or bool(on & re.IGNORECASE)) and not off & re.IGNORECASE)
    if kind is codes.ATOMIC_GROUP:
        return _sequence(value, any_case)
    if kind is codes.BRANCH:
        return _either([_sequence(branch, any_case) for branch in value[1]])
    if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        least, most, inner = value
        return _repeated(int(least), int(most), _sequence(inner, any_case))
    return _Demand(None, [])


def _letter(code: int, any_case: bool) -> str:
    return chr(code).lower() if any_case else chr(code)


def _repeated(least: int, most: int, inner: _Demand) -> _Demand:
    if most == 1 and inner.exact is not None:
        return inner if least else _Demand(inner.exact | _NOTHING, [])
    return _Demand(None, inner.sets if least else [])


def _either(branches: Sequence[_Demand]) -> _Demand:
    """Read what may be one of several: one word of the rarest set of each, and one of the second rarest."""
    exact = frozenset[str]().union(*(one.exact or () for one in branches))
    known = all(one.exact is not None for one in branches) and len(exact) <= _MANY
    ranked = [_rarest(one.sets) for one in branches]
    sets = [
        frozenset[str]().union(*(sets[min(rank, len(sets) - 1)] for sets in ranked))
        for rank in range(_SETS if all(ranked) else 0)
    ]
    return _Demand(exact if known else None, sets)
