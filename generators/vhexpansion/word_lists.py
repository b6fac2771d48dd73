"""Word lists of the negation grammar, loaded from word_lists.yaml."""

import re
from functools import cache
from pathlib import Path
from typing import Final

import yaml

_LISTS: Final[dict[str, str]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def _words(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in _LISTS[name].split())


def _phrases(name: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in _LISTS[name].split(","))


QUOTES: Final = ('"', "“", "'", "‘", "\0")
BE: Final = _words("be")
HAVE: Final = _words("have")
ASKS_VERB: Final = _words("do", "modals")
AUXILIARIES: Final = _words("be", "do", "have", "modals")
MAIN_VERBS: Final = frozenset({"can", "will", "must", "might"})
"""Auxiliaries that are also nouns; "a can" is parsed as one."""
NEGATIONS: Final = _words("negations")
QUESTION_WORDS: Final = _words("question_words")
CONJUNCTIONS: Final = _words("conjunctions")
PRONOUNS: Final = _words("pronouns")
ARTICLES: Final = frozenset({"a", "an", "the", "this"})
DEMONSTRATIVES: Final = _words("demonstratives")
QUANTIFIERS: Final = _words("quantifiers")
DETERMINERS: Final = _words("determiners", "demonstratives") | {"both", "all"}
NUMBERS: Final = _words("numbers")
ORDINALS: Final = _words("ordinals")
PICTURES: Final = _words("pictures")
PREPOSITIONS: Final = _words("prepositions")
PREPOSITION_PAIRS: Final = _phrases("preposition_pairs")
PARTICLES: Final = _words("particles")
RELATIVES: Final = _words("relatives")
SUBORDINATORS: Final = _words("subordinators")
QUANTITIES: Final = _words("quantities")
SCOPES: Final = _words("scopes", "conjunctions")
ANY: Final = _words("any")
UNCLEAR: Final = (_words("unclear", "scopes", "negations", "quantities") | (QUANTIFIERS - {"both", "all"})) - {"than"}
"""Words outside the subject grammar: inner quantifiers, "only", "as well as" …"""
DEGREES: Final = _words("degrees")
ADVERBS: Final = _words("degrees", "places")
PARTICIPLES: Final = _words("participles")
VERBS: Final = _words("verbs")
OBJECTS: Final = _words("objects")
ANIMATE: Final = _words("animate")
PLAIN_VERBS: Final = _words("plain_verbs")
GROWING: Final = _words("who_grows", "animate")
IDIOMS: Final = tuple(tuple(idiom.split()) for idiom in sorted(_phrases("idioms")))
NUMBERED: Final = _words("numbered")
NOT_PLURAL: Final = _words("not_plural")
COMPOUNDS: Final = _phrases("compounds")
DIRECTIONS: Final = _words("directions")
CLOSED_CLASSES: Final = (
    AUXILIARIES | PRONOUNS | DETERMINERS | QUANTIFIERS | PREPOSITIONS | RELATIVES | CONJUNCTIONS | SUBORDINATORS
    | UNCLEAR | {"of", "than", "there", "been"}
) - {"can", "little", "few", "half", "single"}  # fmt: skip

_COLOURS: Final = _words("colours")
_SHAPES: Final = _words("shapes")
_ADJECTIVES: Final = _words("adjectives")
_ADJECTIVES_OR_NOUNS: Final = _words("adjectives_or_nouns")
_NOUNS: Final = _words("nouns", "animate", "not_participles", "not_adverbs", "pictures")
_PARTICIPLES_OR_NOUNS: Final = _words("participles_or_nouns")
_ADJECTIVE: Final = re.compile(r"\w{2,}(?:ful|less|ous|able|ible|ish)|(?:\w+-)+\w+ed")


@cache
def kinds_of(word: str) -> frozenset[str]:
    """Return the possible word classes of a lower-case word.

    N noun, A adjective, V participle, c colour or material, d direction, s shape.

    >>> sorted(kinds_of("dog")), sorted(kinds_of("happy")), sorted(kinds_of("wearing")), sorted(kinds_of("gruffalo"))
    (['N'], ['A'], ['A', 'V'], ['A', 'N'])
    """
    for words, kinds in (
        (DIRECTIONS, "AdV" if word == "left" else "Ad"),
        (_COLOURS, "Ac"),
        (_SHAPES, "As"),
        (_ADJECTIVES_OR_NOUNS, "AN"),
        (_PARTICIPLES_OR_NOUNS, "ANV"),
        (_NOUNS, "N"),
        (_ADJECTIVES, "A"),
        (PARTICIPLES, "AV"),
        (ADVERBS, ""),
    ):
        if word in words:
            return frozenset(kinds)
    return _by_ending(word)


def may_describe(word: str) -> bool:
    """Return whether a word that can be a noun is listed as an adjective."""
    return word in _COLOURS | _SHAPES | _ADJECTIVES_OR_NOUNS | DIRECTIONS


def _by_ending(word: str) -> frozenset[str]:
    if word.endswith("ing"):
        return frozenset("AV" if _is_verb(word[:-3]) else "ANV")
    if word.endswith("ed") and len(word) > 4:
        return frozenset("AV")
    if word.endswith("ly") and len(word) > 4:
        return frozenset()
    return frozenset("A" if _ADJECTIVE.fullmatch(word) else "AN")


def _is_verb(stem: str) -> bool:
    """Return whether a stem before "-ing" is a listed verb: "wear", "rid(e)", "run(n)"."""
    return bool({stem, stem + "e", stem[:-1] if stem[-2:-1] == stem[-1:] else stem} & VERBS)
