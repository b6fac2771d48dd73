"""Statements against a claim: contraries, opposite comparisons, equality, other values."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vhbench.language import lexicon
from vhbench.language.parsing.alignment import aligned, other_year, shares, starts
from vhbench.language.parsing.claims import PREPOSITIONS, Claim
from vhbench.language.parsing.quantities import number, value, within
from vhbench.language.parsing.sentence_parts import Part, finite
from vhbench.language.parsing.stems import Word, compares, content, opposite, stem

_PLACED: Final = frozenset("left right above below front behind".split())
_MEASURES: Final = frozenset(map(stem, lexicon.words("measures")))
_SUPERLATIVE: Final = re.compile(r"\w{2,}est\Z|(?:most|least|leading|best|worst|top|capital|first|last)\Z")
_ASKING: Final = frozenset("which what who whose whichever where".split())
_ALIKE: Final = ("equal", "different")


def contrary(tokens: list[Word], clause: Part, claim: Claim) -> str:
    """Return "no" if a clause has one word of a claim replaced by a contrary; else ""."""
    if not finite(tokens):
        return ""  # "White" to "Is the dog black?" may describe anything
    for n, word in enumerate(claim.words):
        if word.surface not in PREPOSITIONS if claim.exists else n < claim.subject:
            continue
        for start in starts(tokens, clause, claim):
            stands_for_it = start[0] < 0 or tokens[start[0]].role == "pronoun"
            if (start[1] < n or (start[1] == n and stands_for_it)) and aligned(tokens, claim, start, n):
                return "no"
    return ""


def converse(tokens: list[Word], clause: Part, claim: Claim) -> str:
    """Parse "the woman is to the right of the man" for a question about the man's position."""
    at = next((n for n, word in enumerate(claim.words) if n and word.surface in _PLACED), None)
    if claim.exists or at is None or at + 1 >= len(claim.words):
        return ""
    one, place, other = claim.words[:at], claim.words[at], claim.words[at + 1 :]
    if any(word.surface in PREPOSITIONS for word in (*one, *other)):
        return ""
    turned = replace(claim, words=(*other, place, *one), subject=len(other))
    places = list(starts(tokens, clause, turned))
    if any(aligned(tokens, turned, start) for start in places):
        return "no"
    if any(aligned(tokens, turned, start, len(other)) for start in places if start[1] < len(other)):
        return "yes"
    return ""


def identified(tokens: list[Word], claim: Claim) -> str:
    """Parse "The year with the lowest rate is 2018" where the question is about 2010."""
    one, rest = claim.words[: claim.subject], claim.words[claim.subject :]
    if claim.exists or len(one) != 1 or len(rest) < 2 or not tokens or tokens[0].surface in _ASKING:
        return ""
    if not any(_SUPERLATIVE.search(word.surface) for word in rest):
        return ""
    verb = next((n for n, word in enumerate(tokens) if word.role == "verb"), 0)
    subject, predicate = content(tokens[:verb]), content(tokens[verb + 1 :])
    if (
        verb
        and len(subject) == 1
        and {word.stem for word in rest} <= {word.stem for word in predicate}
        and not other_year(tokens, claim)
    ):
        return "yes" if subject[0].stem == one[0].stem else "no" if subject[0].stem not in claim.stems else ""
    values = content(tokens[verb + 1 :])[:1]
    if (
        not verb
        or not values
        or values[0].stem in claim.stems[1:]
        or not {word.stem for word in rest} <= {word.stem for word in subject}
    ):
        return ""
    if values[0].stem == one[0].stem:
        return "yes"
    apart = number(values[0]) is not None if number(one[0]) is not None else not _SUPERLATIVE.search(values[0].surface)
    return "no" if apart else ""


def measured(tokens: list[Word], claim: Claim, *, denied: bool) -> str:
    """Parse equality, comparisons and values, in any word order, in a clause without its negation (``denied``)."""
    if not (any(word.role == "pronoun" for word in tokens) or shares(content(tokens), claim)):
        return ""
    if claim.value is not None:
        amount = value(tokens)
        if amount is not None:
            return within(amount, claim.value) if not denied else "no" if amount == claim.value else ""
    return _sameness(tokens, claim, denied) or _comparison(tokens, claim, denied)


def _sameness(tokens: Sequence[Word], claim: Claim, denied: bool) -> str:
    measures = _MEASURES & set(claim.stems), _MEASURES & {word.stem for word in tokens}
    if all(measures) and not measures[0] & measures[1]:
        return ""  # "the same size" does not mention the colour
    expected = next((stem for stem in _ALIKE if stem in claim.stems), "")
    actual = next((word.stem for word in tokens if word.stem in _ALIKE), "")
    if expected and actual:
        return "yes" if (expected == actual) != denied else "no"
    if denied:
        return ""
    if expected and any(compares(word.stem) for word in tokens):
        return "no" if expected == "equal" else "yes"
    return "no" if actual == "equal" and claim.value is None and any(map(compares, claim.stems)) else ""


def _comparison(tokens: list[Word], claim: Claim, denied: bool) -> str:
    at = next((n for n, word in enumerate(claim.words) if compares(word.stem)), None)
    here = next((n for n, word in enumerate(tokens) if compares(word.stem)), None)
    if at is None or here is None:
        return ""
    expected, actual = claim.words[at].stem, tokens[here].stem
    if expected != actual and not opposite(expected, actual):
        return ""
    of_what = tuple(word.stem for word in content(tokens[here + 1 :])[:1])
    if tokens[here].surface in ("more", "less", "fewer") and of_what and of_what != claim.stems[at + 1 : at + 2]:
        return ""
    if not denied and expected == actual and _exchanged(tokens[here:], claim.stems[at:]):
        return "no"
    swapped = _swapped(tokens, here, claim, at)
    if swapped is None:
        return ""
    same = (expected == actual) != swapped
    if denied:
        return "no" if same and not swapped else ""
    return "yes" if same else "no"


def _exchanged(tokens: Sequence[Word], expected: Sequence[str]) -> bool:
    """Return whether "more for children than adults" reverses the question's comparison."""
    stems = [word.stem for word in tokens if word.role == ""]
    if "than" not in stems or "than" not in expected:
        return False
    here, pivot = stems.index("than"), expected.index("than")
    return bool(set(stems[:here]) & set(expected[pivot + 1 :]) and set(stems[here + 1 :]) & set(expected[1:pivot]))


def _swapped(tokens: list[Word], here: int, claim: Claim, at: int) -> bool | None:
    """Return whether a comparison is reversed; None if it is about other objects."""
    left, right = set(claim.stems[:at]), set(claim.stems[at + 1 :]) - {"than"}
    first, second = left - right, right - left
    first = set(claim.stems[: claim.subject]) & first or first  # not the verb: "Did Germany export more than Japan"
    before = {word.stem for word in content(tokens[:here])}
    than = next((n for n in range(here, len(tokens)) if tokens[n].surface == "than"), len(tokens))
    after = {word.stem for word in content(tokens[than + 1 :])}
    it = not before and any(word.role == "pronoun" for word in tokens[:here])
    if it or (before & first and not before & second):
        return False if not after or after & second or not second else None
    if before & second and not first <= before:
        return True if not after or after & first else None
    return None
