"""CHAIR as computed by LisaAnne/Hallucination (6e4d33c), with its errors: ``compat=True``.

It uses NLTK's tokenizer and pattern's singularizer ("bus" becomes "bu" and is never counted); names have at most two
words, gold objects are not normalized, and it divides by zero if nothing is mentioned.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Self

from vhbench.language.captions.vocabulary import COCO_MERGED, TOKEN, Hit, Vocabulary, lower, placed, tokens
from vhbench.records import ReferenceZeroDivision
from vhbench.tasks.metrics.chair_captions import Judged, judge
from vhbench.tasks.metrics.pattern_reference import pattern_singular

# The reference splits sentences at white space after a full stop, so that in 'the dog." He' the stop is kept and the
# dog lost; only at the end of the text may quotes or brackets follow.
_TOKEN = tokens(r"\s|\Z")


class ReferenceVocabulary(Vocabulary):
    """Case-sensitive words with singularized tokens, at most two words; "dog/cat" is one unknown word."""

    @classmethod
    def build(
        cls,
        lines: Iterable[Sequence[str]],
        *,
        merged: Mapping[str, str] = COCO_MERGED,
        singular: Callable[[str], str] = pattern_singular,
    ) -> Self:
        """Build a vocabulary, see :meth:`Vocabulary.build`, optionally with another singularizer.

        >>> [match.node for match in ReferenceVocabulary.build([["bus"], ["dog"]]).find("A bus, two dogs.")]
        ['dog']
        """
        nodes = {word: line[0] for line in lines for word in line}
        phrases = {tuple(name.split()): word for name, word in merged.items() if name.count(" ") == 1}
        return cls(nodes, phrases, singular, _TOKEN)

    def _words(self, text: str) -> list[Hit]:
        *chunks, last = lower(text).rstrip().split(" ")
        return placed([*chunks, last], [*map(self._hits, chunks), self._read(TOKEN, last)])


def judged(rows: Sequence[tuple[str, str]], gold: Mapping[str, Sequence[str]], vocabulary: Vocabulary) -> list[Judged]:
    """Compare captions with gold objects without synonyms; a caption without a mention has CHAIR 0.

    Raises:
        ReferenceZeroDivision: if no caption mentions anything.
    """
    truth = {image: frozenset(names) for image, names in gold.items()}
    captions = [judge(image, text, truth, vocabulary.find) for image, text in rows]
    if not any(counts["words"] for _, counts in captions):
        raise ReferenceZeroDivision("no caption mentions an object: the reference implementation divides by zero")
    return [(row | {"CHAIR_i": row["CHAIR_i"] or 0.0}, counts) for row, counts in captions]
