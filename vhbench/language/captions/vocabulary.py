"""Closed vocabulary and its matcher: mentions of objects in a text, with their spans.

Surface forms (plurals, hyphens, multi-word names) are built once from the word list; a text is tokenized as in the Penn
Treebank, and every token is looked up. No tagger, model or data is needed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Self

from vhbench.language.inflection import plural_forms
from vhbench.schema import VhbenchError
from vhbench.tsv import records

# Characters that are always tokens; ":" and "," are unless a digit follows, a full stop only at the end of a sentence.
_ALONE = r";@\#$%&?!*()\[\]{}<>\"`«“‘„»”’‒–—―"
_CLOSERS = r"[\])}>\"'»”’]*"
_SUFFIX = r"(?:s|m|d|ll|re|ve)?"


def tokens(sentence_end: str) -> re.Pattern[str]:
    """Return the pattern of a token; a full stop is a token where ``sentence_end`` follows."""
    return re.compile(
        rf"""
          \.{{2,}} | -- | '' | [{_ALONE}] | [:,](?!\d) | \.(?={sentence_end})
        | '{_SUFFIX}(?=[\s{_ALONE}:,.]|\Z)
        | (?: [^\s{_ALONE}:,.'-]+ | [:,](?=\d) | (?<!\.)\.(?!\.|{sentence_end}) | -(?!-)
            | '(?!{_SUFFIX}(?:[\s{_ALONE}:,.]|\Z)) )+
        """,
        re.VERBOSE,
    )


TOKEN = tokens(rf"{_CLOSERS}(?:\s|\Z)")

# Characters that the Penn Treebank leaves inside a token; each becomes a separate one.
_APART = str.maketrans(dict.fromkeys("/|~…•", ";"))

# CHAIR's rules for COCO: two-word names of one object, and qualifiers that are not a person
COCO_MERGED: Mapping[str, str] = dict(
    records(Path(__file__).with_name("coco_merged.tsv"), lambda phrase, word: (phrase, word), {})
)


class Match(NamedTuple):
    """``text[start:end]`` is a form of ``word``, which names the object ``node``."""

    word: str
    node: str
    start: int
    end: int


_REMEMBERED, _SHORT = 200_000, 64  # chunks between spaces, and their maximum length

Hit = tuple[str, int, int]  # A vocabulary word and the span of one of its forms


class Vocabulary:
    """Words of some objects, indexed for matching; see :meth:`build`."""

    def __init__(
        self,
        nodes: Mapping[str, str],
        phrases: Mapping[tuple[str, ...], str],
        lemma: Callable[[str], str],
        token: re.Pattern[str],
    ) -> None:
        """Store a vocabulary; ``lemma`` maps a token to a word, ``token`` matches tokens."""
        self.nodes = nodes  # word (of one or several tokens) → object
        self.phrases = phrases  # tokens → the word they merge into; a word outside ``nodes`` hides its tokens
        relevant = frozenset(nodes) | {part for parts in phrases for part in parts} | {"toilet", "seat"}
        # A model's captions reuse a few thousand words.
        self._lemma = lru_cache(_REMEMBERED)(lambda token: word if (word := lemma(token)) in relevant else "")
        self._cache: dict[str, tuple[Hit, ...]] = {}
        self._token = token
        self._begins = frozenset(parts[0] for parts in phrases)
        self._longest = max(map(len, phrases), default=1)

    @classmethod
    def build(cls, lines: Iterable[Sequence[str]], *, merged: Mapping[str, str] = COCO_MERGED) -> Self:
        """Build the forms of a vocabulary; each line has the name of an object, then its synonyms.

        A phrase of ``merged`` counts as one word, or as nothing if that word is not in the vocabulary. Raises
        VhbenchError for an empty name, or a word that names two objects.

        >>> [match.word for match in Vocabulary.build([["bus"], ["wine glass"]]).find("Buses, wine glasses, a glass.")]
        ['bus', 'wine glass']
        """
        nodes = _cleaned(lines)
        phrases = {tuple(name.split()): word for name, word in merged.items() if name != "wine glas"}
        phrases |= {tuple(word.split()): word for word in nodes if " " in word}
        forms = _surface_forms(nodes, phrases)
        return cls(nodes, phrases, lambda token: forms.get(token, ""), TOKEN)

    def node(self, word: str) -> str | None:
        """Return the object that a word names, as written or in lower case, or None."""
        return self.nodes.get(word) or self.nodes.get(word.strip().lower())

    def find(self, text: str) -> list[Match]:
        """Return the mentions in a text, in order."""
        merged = list(self._merged(text))
        words = {mention.word for mention in merged}
        if "toilet" in words and "seat" in words:
            merged = [mention for mention in merged if mention.word != "seat"]
        return [mention for mention in merged if mention.node]

    def _merged(self, text: str) -> Iterator[Match]:
        """Yield the words after merging phrases, leftmost and longest first."""
        hits = self._words(text)
        place = 0
        while place < len(hits):
            first = hits[place][0]
            size, word = self._phrase_at(text, hits, place) if first in self._begins else (1, first)
            yield Match(word, self.nodes.get(word, ""), hits[place][1], hits[place + size - 1][2])
            place += size

    def _words(self, text: str) -> list[Hit]:
        """Return the vocabulary's single words in a text; chunks between spaces are cached."""
        mentions: list[Hit] = []
        place, cache = 0, self._cache
        for chunk in lower(text).translate(_APART).split(" "):
            hits = cache.get(chunk)
            if hits is None:
                hits = self._hits(chunk)
            for word, start, end in hits:
                mentions.append((word, place + start, place + end))
            place += len(chunk) + 1
        return mentions

    def _hits(self, chunk: str) -> tuple[Hit, ...]:
        """Return the words in a chunk; the cache skips endless chunks without a space."""
        hits = self._cache.get(chunk)
        if hits is None:
            hits = self._read(self._token, chunk)
            if len(chunk) <= _SHORT and len(self._cache) < _REMEMBERED:
                self._cache[chunk] = hits
        return hits

    def _read(self, token: re.Pattern[str], chunk: str) -> tuple[Hit, ...]:
        return tuple((word, m.start(), m.end()) for m in token.finditer(chunk) if (word := self._lemma(m[0])))

    def _phrase_at(self, text: str, hits: Sequence[Hit], place: int) -> tuple[int, str]:
        last = place + 1
        while last < min(place + self._longest, len(hits)) and text[hits[last - 1][2] : hits[last][1]].isspace():
            last += 1
        for size in range(last - place, 1, -1):
            word = self.phrases.get(tuple(hit[0] for hit in hits[place : place + size]))
            if word is not None:
                return size, word
        return 1, hits[place][0]


def placed(chunks: Sequence[str], hits: Iterable[Iterable[Hit]]) -> list[Hit]:
    """Return the words of each chunk, with spans in the text that was split at spaces."""
    starts = list(accumulate(map(len, chunks), initial=0))
    return [(word, starts[i] + i + a, starts[i] + i + b) for i, hit in enumerate(hits) if hit for word, a, b in hit]


def lower(text: str) -> str:
    """Lower-case a text without moving a character, so that spans stay valid."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _cleaned(lines: Iterable[Sequence[str]]) -> dict[str, str]:
    nodes: dict[str, str] = {}
    for line in lines:
        words = [" ".join(word.lower().split()) for word in line]
        if not words or not words[0]:
            raise VhbenchError("the vocabulary has an object without a name")
        for word in filter(None, words):
            if nodes.setdefault(word, words[0]) != words[0]:
                raise VhbenchError(f"the word {word!r} names two objects, {nodes[word]!r} and {words[0]!r}")
    return nodes


def _surface_forms(nodes: Mapping[str, str], phrases: Mapping[tuple[str, ...], str]) -> dict[str, str]:
    """Map every form of a word or of a phrase's last part to the word, exact spelling first."""
    parts = {part for phrase in phrases for part in phrase}
    forms = {word: word for word in (*nodes, *parts) if " " not in word}
    hyphened = {word.replace(" ", "-"): word for word in nodes if " " in word}
    inflected = {word: word for word in nodes} | {phrase[-1]: phrase[-1] for phrase in phrases} | hyphened
    forms |= hyphened
    for form, word in inflected.items():
        for plural in plural_forms(form):
            forms.setdefault(plural, word)
    return forms


def list_of_words(words: Any, subject: str) -> list[str]:
    """Return a sequence of words; raise VhbenchError, beginning with ``subject``, for a string or other items."""
    if isinstance(words, (str, Mapping)) or not isinstance(words, Iterable):
        raise VhbenchError(f"{subject}: expected a list of words, got {words!r:.60}")
    items = list(words)
    for word in items:
        if not isinstance(word, str):
            raise VhbenchError(f"{subject}: {word!r:.60} is not a word")
    return items
