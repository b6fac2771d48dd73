"""Vocabulary of CHAIR's reference, with the singularizer of pattern 3.6 and its errors."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from vhbench.language import lexicon
from vhbench.language.captions.vocabulary import COCO_MERGED, TOKEN, Hit, Vocabulary, lower, placed, tokens
from vhbench.tsv import records

# The reference splits sentences at white space after a full stop, so that in 'the dog." He' the stop is kept and the
# dog lost; only at the end of the text may quotes or brackets follow.
_TOKEN = tokens(r"\s|\Z")

# What pattern does to English nouns, in its order: irregular endings, then the first rule that fits.
_ENDINGS: list[tuple[str, str]] = records(
    Path(__file__).with_name("pattern_endings.tsv"), lambda plural, singular: (plural, singular), {}
)
_RULES: list[tuple[re.Pattern[str], int, str]] = records(
    Path(__file__).with_name("pattern_rules.tsv"),
    lambda before, ending, replacement: (re.compile(f"(?:{before}){ending}$"), len(ending), replacement),
    {},
)
_UNCHANGED = lexicon.words("unchanged in pattern")
_LOST_PLURALS = tuple(lexicon.words("lost plurals in pattern"))


def pattern_singular(word: str) -> str:
    """Return what pattern 3.6 (``pattern.en.singularize``) makes of a lower-case word, right or wrong.

    CHAIR's reference puts every token through it, singulars too.

    >>> [pattern_singular(word) for word in ("dogs", "geese", "knives", "bus", "ties", "canoes", "glass", "collies")]
    ['dog', 'goose', 'knife', 'bu', 'ty', 'cano', 'glas', 'collies']
    """
    # The test is the wrong way round in pattern: an unchanged noun that ends in the word.
    if any(noun.endswith(word) for noun in _UNCHANGED) or word.endswith(_LOST_PLURALS):
        return word
    for plural, singular in _ENDINGS:
        if word.endswith(plural):
            return word[: -len(plural)] + singular
    for rule, cut, replacement in _RULES:
        if rule.search(word):
            return word[:-cut] + replacement
    return word


class ReferenceVocabulary(Vocabulary):
    """Case-sensitive words with singularized tokens, at most two words; "dog/cat" is one unknown word."""

    @classmethod
    def build(
        cls,
        lines: Iterable[Sequence[str]],
        *,
        merged: Mapping[str, str] = COCO_MERGED,
        singular: Callable[[str], str] | None = None,
    ) -> Self:
        """Build a vocabulary, see :meth:`Vocabulary.build`, optionally with another singularizer.

        >>> [match.node for match in ReferenceVocabulary.build([["bus"], ["dog"]]).find("A bus, two dogs.")]
        ['dog']
        """
        nodes = {word: line[0] for line in lines for word in line}
        phrases = {tuple(name.split()): word for name, word in merged.items() if name.count(" ") == 1}
        return cls(nodes, phrases, singular or pattern_singular, _TOKEN)

    def _words(self, text: str) -> list[Hit]:
        *chunks, last = lower(text).rstrip().split(" ")
        return placed([*chunks, last], [*map(self._hits, chunks), self._read(TOKEN, last)])
