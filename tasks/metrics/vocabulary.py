"""A closed vocabulary and its matcher: which objects a text mentions, and where.

Surface forms (plurals, hyphens, names of several words) are built once from the word list; a text is cut into tokens
as the Penn Treebank does, and every token is looked up. No tagger, no model, no data::

    vocabulary = Vocabulary.build([["dog", "puppy"], ["hot dog"]])
    [found.node for found in vocabulary.find("Two puppies eat hot dogs.")]     # ["dog", "hot dog"]
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from vhbench.schema import VhbenchError
from vhbench.tasks.metrics.plurals import pattern_singular, plural_forms

# What always stands alone; ":" and "," do unless a digit follows, a full stop only at the end of a sentence.
_ALONE = r";@\#$%&?!*()\[\]{}<>\"`«“‘„»”’"
_CLOSERS = r"[\])}>\"'»”’]*"
_SUFFIX = r"(?:s|m|d|ll|re|ve)?"


def _tokens(sentence_end: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
          \.{{2,}} | -- | '' | [{_ALONE}] | [:,](?!\d) | \.(?={sentence_end})
        | '{_SUFFIX}(?=[\s{_ALONE}:,.]|\Z)
        | (?: [^\s{_ALONE}:,.'-]+ | [:,](?=\d) | (?<!\.)\.(?!\.|{sentence_end}) | -(?!-)
            | '(?!{_SUFFIX}(?:[\s{_ALONE}:,.]|\Z)) )+
        """,
        re.VERBOSE,
    )


_TOKEN = _tokens(rf"{_CLOSERS}(?:\s|\Z)")
# The reference cuts sentences at white space after a full stop: 'the dog." He' keeps its stop, and the dog is lost.
_REFERENCE_TOKEN = _tokens(rf"\s|{_CLOSERS}\s*\Z")

# CHAIR's rules for COCO: names of two words that are one thing, and qualifiers that are not a person.
_DOUBLE_WORDS = (
    "motor bike, motor cycle, air plane, traffic light, street light, traffic signal, stop light, fire hydrant, "
    "stop sign, parking meter, suit case, sports ball, baseball bat, baseball glove, tennis racket, wine glass, "
    "hot dog, cell phone, mobile phone, teddy bear, hair drier, potted plant, bow tie, laptop computer, "
    "stove top oven, home plate, train track"
).split(", ")
_ANIMALS = "bird cat dog horse sheep cow elephant bear zebra giraffe animal cub".split()
COCO_MERGED = {
    **{name: name for name in _DOUBLE_WORDS},
    **{f"{age} {animal}": animal for age in ("baby", "adult") for animal in _ANIMALS},
    **{f"passenger {vehicle}": vehicle for vehicle in ("jet", "train")},
    "bow tie": "tie",
    "toilet seat": "toilet",
    "wine glas": "wine glass",
}


class Found(NamedTuple):
    """``text[start:end]`` is a form of ``word``, which names the object ``node``."""

    word: str
    node: str
    start: int
    end: int


class _Lemmas(dict[str, str]):
    """Token → the vocabulary's form of it, "" for everything else; fills itself."""

    def __init__(self, lemma: Callable[[str], str], relevant: frozenset[str]) -> None:
        super().__init__()
        self._lemma = lemma
        self._relevant = relevant

    def __missing__(self, token: str) -> str:
        lemma = self._lemma(token)
        self[token] = found = lemma if lemma in self._relevant else ""
        return found


@dataclass(frozen=True)
class Vocabulary:
    """The words of some objects, ready to be found in texts.

    Attributes:
        nodes: word (of one or several parts) → object.
        phrases: parts → the word they merge into; a word outside ``nodes`` swallows its parts.
        compat: read tokens as the reference does, to which "dog/cat" is one word, and unknown.
    """

    nodes: Mapping[str, str]
    phrases: Mapping[tuple[str, ...], str]
    _lemmas: _Lemmas = field(repr=False)
    _longest: int = field(repr=False)
    compat: bool = False

    @classmethod
    def build(
        cls, lines: Iterable[Sequence[str]], *, merged: Mapping[str, str] = COCO_MERGED, compat: bool = False
    ) -> "Vocabulary":
        """Build the forms of a vocabulary.

        Args:
            lines: per object its name, then its synonyms.
            merged: phrases that count as one word, or as nothing where that word is not in the vocabulary.
            compat: as CHAIR's reference does: words as they are written, pattern's singulariser, double words only.

        Raises:
            VhbenchError: for an empty name, or a word that names two objects.

        >>> [found.word for found in Vocabulary.build([["bus"], ["wine glass"]]).find("Buses, wine glasses, a glass.")]
        ['bus', 'wine glass']
        """
        if compat:
            nodes = {word: line[0] for line in lines for word in line}
            phrases = {tuple(name.split()): word for name, word in merged.items() if name.count(" ") == 1}
            lemma = pattern_singular
        else:
            nodes = _cleaned(lines)
            phrases = {tuple(name.split()): word for name, word in merged.items() if name != "wine glas"}
            phrases |= {tuple(word.split()): word for word in nodes if " " in word}
            forms = _surface_forms(nodes, phrases)
            lemma = partial(_form_of, forms)
        relevant = frozenset(nodes) | {part for parts in phrases for part in parts} | {"toilet", "seat"}
        longest = max((len(parts) for parts in phrases), default=1)
        return cls(nodes, phrases, _Lemmas(lemma, relevant), longest, compat)

    def node(self, word: str) -> str | None:
        """Return the object that a word names, as written or in lower case, or None."""
        return self.nodes.get(word) or self.nodes.get(word.strip().lower())

    def find(self, text: str) -> list[Found]:
        """Return the mentions in a text, in order."""
        merged = list(self._merged(text))
        words = {found.word for found in merged}
        if "toilet" in words and "seat" in words:
            merged = [found for found in merged if found.word != "seat"]
        return [found for found in merged if found.node]

    def _merged(self, text: str) -> Iterator[Found]:
        """Yield what the tokens are after phrases are merged, leftmost and longest first."""
        lemmas = self._lemmas
        text = _lower(text) if self.compat else _lower(text).replace("/", ";")
        tokens = (_REFERENCE_TOKEN if self.compat else _TOKEN).finditer(text)
        spans = [(i, lemma, m) for i, m in enumerate(tokens) if (lemma := lemmas[m[0]])]
        place = 0
        while place < len(spans):
            size, word = self._phrase_at(spans, place)
            yield Found(word, self.nodes.get(word, ""), spans[place][2].start(), spans[place + size - 1][2].end())
            place += size

    def _phrase_at(self, spans: Sequence[tuple[int, str, re.Match[str]]], place: int) -> tuple[int, str]:
        first = spans[place][0]
        for size in range(min(self._longest, len(spans) - place), 1, -1):
            if spans[place + size - 1][0] == first + size - 1:
                word = self.phrases.get(tuple(span[1] for span in spans[place : place + size]))
                if word is not None:
                    return size, word
        return 1, spans[place][1]


def _lower(text: str) -> str:
    """Lower-case a text without moving a character, so that spans hold in the original."""
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
    """Map every form of a word, and of a last part of a phrase, to the word; a word's own spelling comes first."""
    parts = {part for phrase in phrases for part in phrase}
    forms = {word: word for word in (*nodes, *parts) if " " not in word}
    forms |= {word.replace(" ", "-"): word for word in nodes if " " in word}
    for form, word in [*forms.items(), *((phrase[-1], phrase[-1]) for phrase in phrases)]:
        for plural in plural_forms(form):
            forms.setdefault(plural, word)
    return forms


def _form_of(forms: Mapping[str, str], token: str) -> str:
    return forms.get(token, "")
