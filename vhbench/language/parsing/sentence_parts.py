"""Clauses of a response: sentences are split where negation, subject or truth may change."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from vhbench.language import lexicon
from vhbench.language.parsing.claims import PREPOSITIONS
from vhbench.language.parsing.stems import Word, content, stem, words

BREAKS: Final = lexicon.words("begin a clause")  # words that begin another clause or adverbial
_MAY_BREAK: Final = BREAKS | {"so"}
_ENDS: Final = re.compile(r"(?<!\d)[.](?!\d)|[.](?=\s|\Z)|[!?;\n…]+")
_SEEMS: Final = frozenset(map(stem, "appear seem look".split()))
_ASSERTED: Final = frozenset("so therefore thus hence actually fact reality conclusion overall ultimately".split())
_SHOWS: Final = lexicon.words("say that an image shows")
_OWN: Final = frozenset("there i we you".split())
_WHO: Final = ("who", "which", "that")  # a denial in "who wears no hat" ends with its comma
_WITH: Final = frozenset({*PREPOSITIONS, "from", "with"})


class Part(NamedTuple):
    """Part of a sentence with its own statement."""

    words: tuple[Word, ...]  # words of the part
    subject: tuple[Word, ...] = ()  # content of the subject shared with an earlier part, if it has none itself
    negated: bool = False  # it is in the scope of an earlier part's negation ("no cats, dogs or birds")
    weight: int = 1  # 1; one more for conclusions ("so …", "actually …"), one less for appearances
    continues: bool = False  # it has no verb and continues an earlier part
    lead: tuple[Word, ...] = ()  # words before its comma: "On the sofa, there is a dog"

    @property
    def text(self) -> str:
        """Its text."""
        return " ".join([word.surface for word in self.words])


def sentences(text: str) -> list[str]:
    """Return the sentences of a normalized text."""
    return [part for part in _ENDS.split(text) if part and not part.isspace()]


def parts(sentence: str) -> list[Part]:
    """Split a normalized sentence into its clauses."""
    pieces = [_unfronted(piece) for piece in _pieces(words(sentence))]
    final = bool(pieces) and any(word.surface in _ASSERTED for word in pieces[0][:3])
    clauses: list[Part] = []
    subject: tuple[Word, ...] = ()
    negated = False
    lead: tuple[Word, ...] = ()
    for tokens in pieces:
        fragment = not finite(tokens)
        if fragment and not clauses and tokens[0].surface in _WITH and tokens is not pieces[-1]:
            lead = tuple(tokens)
            continue
        denies = "negation" in [word.role for word in tokens]
        anew = tokens[0].surface in BREAKS or tokens[0].surface in ("only", "just") or denies or not fragment
        negated = negated and not anew
        shared = subject if fragment or _has_no_subject(tokens) else ()
        clauses.append(Part(tuple(tokens), shared, negated, _weight(tokens, final), fragment and bool(clauses), lead))
        lead = ()
        if not fragment or not subject:
            subject = _subject(tokens) or subject
        if anew:
            negated = (
                denies
                and tokens[0].surface not in _WHO
                and (not fragment or any(word.surface in ("no", "not", "neither") for word in tokens))
            )
    return clauses


def finite(tokens: Sequence[Word]) -> bool:
    """Return whether a part has its own verb, as far as its form shows it."""
    for word in tokens:
        if word.role == "verb" or word.surface in _SHOWS:
            return True
    begins = bool(tokens) and tokens[0].surface in ("the", "a", "an", "it", "there", "he", "she", "they")
    return begins and any(word.role == "" and re.search(r"[^s]s\Z", word.surface) for word in tokens[2:])


def _pieces(tokens: list[Word]) -> list[list[Word]]:
    pieces: list[list[Word]] = [[]]
    for place, word in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if word.role == "stop":
            if word.surface != '"':
                pieces.append([])
        elif word.surface in _MAY_BREAK and _breaks(word, after):
            pieces.append([word])
        elif word.surface in ("and", "or", "nor") and after and _begins_clause(tokens, place, after):
            pieces.append([word] if word.surface == "nor" else [])  # "nor is there a dog" denies
        else:
            pieces[-1].append(word)
    return [piece for piece in pieces if piece]


def _breaks(word: Word, after: Word | None) -> bool:
    if word.surface == "as":
        return not (after and after.role == "")
    if word.surface == "so":
        return not after or after.role in ("function", "pronoun", "negation")
    return word.surface in BREAKS


def _begins_clause(tokens: Sequence[Word], place: int, after: Word) -> bool:
    if after.role in ("pronoun", "negation", "verb"):
        return True
    if after.surface not in ("the", "there", "i", "we", "another"):
        return False
    rest = tokens[place + 1 :]
    stop = next((n for n, word in enumerate(rest) if word.role == "stop" or word.surface == "and"), len(rest))
    return any(word.role == "verb" for word in rest[:stop])


def _weight(tokens: Sequence[Word], final: bool) -> int:
    surfaces = [word.surface for word in tokens]
    asserted = final or not _ASSERTED.isdisjoint(surfaces[:4]) or "actually" in surfaces or "really" in surfaces
    seems = surfaces[0] in ("because", "since", "due") or not _SEEMS.isdisjoint([word.stem for word in tokens])
    return 1 + asserted - seems


def _unfronted(tokens: list[Word]) -> list[Word]:
    """Reorder "on the shelf there is a cup" to normal word order."""
    if tokens[0].surface not in PREPOSITIONS:
        return tokens
    index = next((n for n, word in enumerate(tokens) if word.surface == "there"), 0)
    if index and not finite(tokens[:index]):
        return tokens[index:] + tokens[:index]
    return tokens


def _subject(tokens: Sequence[Word]) -> tuple[Word, ...]:
    verb = next((n for n, word in enumerate(tokens) if word.role == "verb"), 0)
    return content(tuple(tokens[:verb]))


def _has_no_subject(tokens: Sequence[Word]) -> bool:
    begins = tokens[0].role in ("verb", "negation", "function") and all(word.surface not in _OWN for word in tokens[:3])
    return begins and not _subject(tokens) and not any(word.role == "pronoun" for word in tokens[:2])
