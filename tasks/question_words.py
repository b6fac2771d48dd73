"""Text features of the options of a question, in sets from coarse to fine, for the text-only baseline.

A text-only classifier has the question, its options, and the reference answers to other questions. Each option (for
yes/no questions: yes and no) gets named features with shared weights. The answers of negated questions are inverted
first, so that a case and its twin are consistent.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from string import ascii_uppercase
from typing import NamedTuple

from vhbench.schema import QuestionBase

Feature = tuple[Hashable, ...]

_WORD = re.compile(r"[^\W_]+")
_SHAPE = re.compile(r"\S+")
_SIGNS = re.compile(r"[^\W_]+| (?=\w)")
"""Text besides words and single spaces: punctuation, double spaces, a space before a dot or at the end."""
_EMPTY = frozenset(
    ["a", "an", "the", "is", "are", "there", "in", "image", "images", "of", "these", "which", "any", "it"]
)
"""Words of nearly every question: pairs with them add nothing to the other word."""

_TURNED = {"yes": "no", "no": "yes"}


def options_of(question: QuestionBase) -> tuple[str, ...]:
    """Return the possible answers to a question: yes and no, or its letters.

    >>> options_of(QuestionBase("q", choices=("a cat", "a dog"))), options_of(QuestionBase("q"))
    (('A', 'B'), ('yes', 'no'))
    """
    return tuple(ascii_uppercase[: len(question.choices)]) if question.choices else ("yes", "no")


def cell_of(question: QuestionBase) -> Feature:
    """Return the subset of a question, which a classifier may know."""
    return question.task, question.criterion, question.question_type, question.mode, question.source


def features(question: QuestionBase) -> Iterator[Mapping[str, list[Feature]]]:
    """Yield for each option its features by set (:data:`SETS`)."""
    words, cell = _words(question.question), cell_of(question)
    texts = [_words(choice) for choice in question.choices]
    for place, letter in enumerate(options_of(question)):
        answer = _TURNED[letter] if question.negated and not texts else letter
        option = _Option(question, words, texts, place, letter, answer)
        # Each feature counts globally and for its subset, as a word may be informative only there.
        yield {
            name: [each for plain in find(option) for each in (plain, (*plain, cell))] for name, find in SETS.items()
        }


class _Option(NamedTuple):
    """One option with its question and the others; ``answer``: the same answer, to the question if it is a negation."""

    question: QuestionBase
    words: tuple[str, ...]
    texts: Sequence[tuple[str, ...]]
    place: int
    letter: str
    answer: str

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Position and text of the option."""
        return (self.answer, self.texts[self.place]) if self.texts else (self.answer,)


def _prior(option: _Option) -> Iterator[Feature]:
    yield "letter", option.letter, option.question.negated, len(option.texts)
    yield "said", option.answer


def _texts(option: _Option) -> Iterator[Feature]:
    """Multiple choice: words of an option, and its rank among the others."""
    if not option.texts:
        return
    own = option.texts[option.place]
    yield "text", own
    for word in own:
        yield "in text", word
    shared = [sum(len({*one} & {*other}) for other in option.texts) - len({*one}) for one in option.texts]
    for name, values in (("shares", shared), ("length", [len(text) for text in option.texts])):
        yield name, _rank(values[option.place], values)
    yield "asked", bool({*own} & ({*option.words} - _EMPTY))
    numbers = [int(text[0]) for text in option.texts if len(text) == 1 and text[0].isdecimal()]
    if numbers and own[0].isdecimal():
        yield "number", _rank(int(own[0]), numbers)


def _phrase(option: _Option) -> Iterator[Feature]:
    """The whole question text."""
    for name in option.names:
        yield "phrase", name, option.words
        yield "phrase", name, option.words, option.question.negated


def _word(option: _Option) -> Iterator[Feature]:
    for word in {*option.words}:
        for name in option.names:
            yield "word", name, word
        if option.question.negated:
            yield "negated", option.answer, word


def _pair(option: _Option) -> Iterator[Feature]:
    telling = sorted({*option.words} - _EMPTY)[:12]
    for pair in combinations(telling, 2):
        yield "pair", option.answer, pair


def _marks(option: _Option) -> Iterator[Feature]:
    """Punctuation and capitals, which may leak answers."""
    texts = {"question": option.question.question}
    if option.texts:
        texts["option"] = option.question.choices[option.place]
    for where, text in texts.items():
        capitals = "".join(word[0] for word in _SHAPE.findall(text) if word[0].isupper())
        for name, value in (("signs", _SIGNS.sub("", text)), ("capitals", capitals)):
            yield where, name, option.answer if where == "question" else "", value


SETS: Mapping[str, Callable[[_Option], Iterator[Feature]]] = {
    "prior": _prior,
    "options": _texts,
    "phrase": _phrase,
    "words": _word,
    "pairs": _pair,
    "marks": _marks,
}
"""Name of a feature set → its extractors for an option."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


def _rank(value: int, values: Sequence[int]) -> tuple[str, int]:
    """Return the rank of a value: the only least or greatest, or the number of smaller ones.

    >>> _rank(3, [1, 2, 3]), _rank(1, [1, 1, 3])
    (('greatest', 0), ('', 0))
    """
    less, more = sum(other < value for other in values), sum(other > value for other in values)
    alone = values.count(value) == 1
    end = "least" if alone and not less else "greatest" if alone and not more else ""
    return end, 0 if end else less
