"""Word stems, synonyms, contraries and contentless words, for response parsing.

"sitting", "sits" and "sat" are one word here, and so are "sofa" and "couch". The relations between words are in
``meanings.tsv``. Its row types are ``form`` (forms of the first word), ``itself`` (only looks like a form of another
word), ``same`` (the first word stands for all), ``apart`` (mutually exclusive), ``other`` (different members of a
kind), ``opposite``, ``compare`` (opposite comparatives) and ``kind`` (the first word is the hypernym of the others).
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from vhbench.language import lexicon
from vhbench.language.inflection import NUMBERS
from vhbench.tsv import records

_KNOWN: Final = 32_768  # cache size in words; questions that count up to a million would fill the memory


class Word(NamedTuple):
    """A word of a sentence."""

    stem: str  # its meaning
    surface: str  # its spelling
    # "" for content; else "function", "neutral" (no visual content), "verb" (is, has, does), "negation", "doubt",
    # "pronoun", "sign" or "stop"
    role: str


_ROWS: Final = records(Path(__file__).with_name("meanings.tsv"), lambda relation, words: (relation, words.split()), {})
NEGATIONS: Final = lexicon.words("negations")
_DOUBTS: Final = lexicon.words("doubts")
_VERBS: Final = lexicon.words("auxiliary verbs")
_PRONOUNS: Final = lexicon.words("pronouns")
_FUNCTION: Final = lexicon.words("function words")
_NEUTRAL: Final = lexicon.words("neutral")
_NEUTRAL_SURFACE: Final = frozenset("seen sees saw seeing seems seemed appears appeared seemingly".split())
_NO_ADVERB: Final = lexicon.words("adjectives in -ly")  # words in -ly with visual content
_ROUGH: Final = re.compile(
    r"[^\W\d]+(?:'[^\W\d_]+)?|\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[<>]=?|[=≤≥≠+]|[.,;:!?()\n\"…–—]|\w+"
)
_SIGNS: Final = frozenset(("<", ">", "=", "≤", "≥", "≠", "+", "<=", ">="))
_VOWEL: Final = re.compile(r"[aeiouy]")
_NUMBER: Final = re.compile(r"\d[\d.]*")
_DIGITS: Final = {str(number): word for number, word in enumerate(NUMBERS)}


def words(text: str) -> list[Word]:
    """Return the words and stops of a normalized text; "a picture" on a wall is not the image."""
    tokens = list(map(_word, _ROUGH.findall(text)))
    for n in [n for n, word in enumerate(tokens) if n and word.stem == PICTURE]:
        word = tokens[n]
        before, after = tokens[n - 1], tokens[n + 1].surface if n + 1 < len(tokens) else ""
        if (before.surface in ("a", "an", "any", "no") or before.role == "") and after not in (
            "of",
            "that",
            "was",
            "is",
        ):
            tokens[n] = Word(f"a {_bare(word.surface)}", word.surface, "")
    return tokens


@lru_cache(maxsize=_KNOWN)
def stem(word: str) -> str:
    """Return the common stem of all forms of a word.

    >>> [stem(word) for word in ("sitting", "rides", "carried", "puppies", "buses", "children", "couch", "longer")]
    ['sit', 'rid', 'carry', 'dog', 'bus', 'child', 'sofa', 'longer']
    """
    return _SAME.get(word) or _SAME.get(_bare(word)) or _bare(word)


def excludes(one: str, other: str) -> bool:
    """Return whether two stems are mutually exclusive: "red" and "blue", "open" and "closed"."""
    return other in _EXCLUDES.get(one, ())


def another(one: str, other: str) -> bool:
    """Return whether two nouns are different members of a kind: "horse" and "cow"."""
    return other in _OTHERS.get(one, ())


def opposite(one: str, other: str) -> bool:
    """Return whether two comparatives are opposite: "longer" and "shorter"."""
    return other in _COMPARE.get(one, ())


def compares(word: str) -> bool:
    """Return whether a stem is a comparative."""
    return word in _COMPARE


def implies(one: str, other: str) -> bool:
    """Return whether the first noun implies the second: "dog" and "animal"."""
    return one == other or other in _KINDS.get(one, ())


def content(tokens: tuple[Word, ...] | list[Word]) -> tuple[Word, ...]:
    """Return the words with visual content."""
    return tuple([word for word in tokens if not word.role])


@lru_cache(maxsize=_KNOWN)
def _bare(word: str) -> str:
    """Strip a word's ending; the rest need not be a word."""
    word = _FORMS.get(word, word)
    if word in _ITSELF or len(word) <= 3:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    word = _FORMS.get(word, word)
    if word in _ITSELF:
        return word
    for ending, least in (("ing", 3), ("ed", 2), ("ly", 4)):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= least and _VOWEL.search(base):
            if base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            word = base[:-1] + "y" if base.endswith("i") else base
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=_KNOWN)
def _word(surface: str) -> Word:
    if not re.search(r"\w", surface):
        return Word(surface, surface, "sign" if surface in _SIGNS else "stop")
    number = surface.replace(",", "")
    if surface in NUMBERS or _NUMBER.fullmatch(number):
        return Word(_DIGITS.get(number, number), surface, "")
    root = stem(surface)
    return Word(root, surface, _role(surface, root))


def _role(surface: str, root: str) -> str:
    for role, members in (("negation", NEGATIONS), ("verb", _VERBS), ("pronoun", _PRONOUNS), ("function", _FUNCTION)):
        if surface in members:
            return role
    if surface in _DOUBTS or root in _DOUBTS:
        return "doubt"
    if root in ("equal", "different"):
        return ""
    adverb = surface.endswith("ly") and surface not in _NO_ADVERB
    return "neutral" if root in _NEUTRAL_STEMS or surface in _NEUTRAL_SURFACE or adverb else ""


def _synonyms() -> dict[str, str]:
    same: dict[str, str] = {}
    for relation, members in _ROWS:
        if relation == "same":
            first = same.get(members[0], _bare(members[0]))
            same |= {form: first for member in members for form in (member, _bare(member))}
    return same


def _related(*relations: str, directed: bool = False) -> dict[str, frozenset[str]]:
    relatives: dict[str, set[str]] = {}
    for relation, members in _ROWS:
        if relation in relations:
            stems = [stem(member) for member in members]
            for one in stems[1:] if directed else stems:
                relatives.setdefault(one, set()).update(stems[:1] if directed else set(stems) - {one})
    return {one: frozenset(others) for one, others in relatives.items()}


_FORMS: Final = {form: members[0] for relation, members in _ROWS if relation == "form" for form in members}
_ITSELF: Final = frozenset(member for relation, members in _ROWS if relation == "itself" for member in members)
_SAME: Final = _synonyms()
PICTURE: Final = stem("image")  # stem of all words for the image itself
_EXCLUDES: Final = _related("apart", "opposite", "compare")
_OTHERS: Final = _related("other")
_COMPARE: Final = _related("compare")
_KINDS: Final = _related("kind", directed=True)
_NEUTRAL_STEMS: Final = frozenset(stem(word) for word in _NEUTRAL)
