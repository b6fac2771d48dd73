"""Statements against a claim: contraries, opposite comparisons, equality, other values."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vhbench.language.parsing.alignment import aligned, other_year, shares, starts
from vhbench.language.parsing.claims import PREPOSITIONS, Claim
from vhbench.language.parsing.quantities import number, value, within
from vhbench.language.parsing.sentence_parts import Part, finite
from vhbench.language.parsing.stems import Word, compares, content, opposite, stem

_PLACED: Final = frozenset("left right above below front behind".split())
_MEASURES: Final = frozenset(
    map(stem, "size length colour height shape width brightness age diameter weight direction".split())
)
_SUPERLATIVE: Final = re.compile(r"\w{2,}est\Z|(?:most|least|leading|best|worst|top|capital|first|last)\Z")
_ASKING: Final = frozenset("which what who whose whichever where".split())
_ALIKE: Final = ("equal", "different")


def contrary(said: list[Word], clause: Part, claim: Claim) -> str:
    """Return "no" if a clause has one word of a claim replaced by a contrary; else ""."""
    if not finite(said):
        return ""  # "White" to "Is the dog black?" may describe anything
    for n, word in enumerate(claim.words):
        if word.surface not in PREPOSITIONS if claim.exists else n < claim.subject:
            continue
        for start in starts(said, clause, claim):
            stands_for_it = start[0] < 0 or said[start[0]].role == "pronoun"
            if (start[1] < n or (start[1] == n and stands_for_it)) and aligned(said, claim, start, n):
                return "no"
    return ""


def converse(said: list[Word], clause: Part, claim: Claim) -> str:
    """Parse "the woman is to the right of the man" for a question about the man's position."""
    at = next((n for n, word in enumerate(claim.words) if n and word.surface in _PLACED), None)
    if claim.exists or at is None or at + 1 >= len(claim.words):
        return ""
    one, place, other = claim.words[:at], claim.words[at], claim.words[at + 1 :]
    if any(word.surface in PREPOSITIONS for word in (*one, *other)):
        return ""
    turned = replace(claim, words=(*other, place, *one), subject=len(other))
    if any(aligned(said, turned, start) for start in starts(said, clause, turned)):
        return "no"
    if any(aligned(said, turned, start, len(other)) for start in starts(said, clause, turned) if start[1] < len(other)):
        return "yes"
    return ""


def identified(said: list[Word], claim: Claim) -> str:
    """Parse "The year with the lowest rate is 2018" where the question is about 2010."""
    one, rest = claim.words[: claim.subject], claim.words[claim.subject :]
    if claim.exists or len(one) != 1 or len(rest) < 2 or not said or said[0].surface in _ASKING:
        return ""
    if not any(_SUPERLATIVE.search(word.surface) for word in rest):
        return ""
    verb = next((n for n, word in enumerate(said) if word.role == "verb"), 0)
    subject, told = content(said[:verb]), content(said[verb + 1 :])
    if (
        verb
        and len(subject) == 1
        and {word.stem for word in rest} <= {word.stem for word in told}
        and not other_year(said, claim)
    ):
        return "yes" if subject[0].stem == one[0].stem else "no" if subject[0].stem not in claim.stems else ""
    turned = replace(claim, words=rest, subject=len(rest) - 1, year="")
    named = content(said[verb + 1 :])[:1]
    if not verb or not named or named[0].stem in claim.stems[1:] or not _about(said[:verb], turned):
        return ""
    if named[0].stem == one[0].stem:
        return "yes"
    apart = number(named[0]) is not None if number(one[0]) is not None else not _SUPERLATIVE.search(named[0].surface)
    return "no" if apart else ""


def _about(subject: list[Word], claim: Claim) -> bool:
    """Return whether a subject has all of a claim's content."""
    return {word.stem for word in claim.words} <= {word.stem for word in content(subject)}


def measured(said: list[Word], claim: Claim, *, denied: bool) -> str:
    """Parse equality, comparisons and values, where word order is free.

    Args:
        said: words of a clause, without its negation.
        claim: claim of the question.
        denied: the clause is negated.
    """
    if not (any(word.role == "pronoun" for word in said) or shares(content(said), claim)):
        return ""
    if claim.value is not None:
        found = value(said)
        if found is not None:
            return within(found, claim.value) if not denied else "no" if found == claim.value else ""
    return _sameness(said, claim, denied) or _comparison(said, claim, denied)


def _sameness(said: Sequence[Word], claim: Claim, denied: bool) -> str:
    measures = _MEASURES & set(claim.stems), _MEASURES & {word.stem for word in said}
    if all(measures) and not measures[0] & measures[1]:
        return ""  # "the same size" does not mention the colour
    asked = next((stem for stem in _ALIKE if stem in claim.stems), "")
    told = next((word.stem for word in said if word.stem in _ALIKE), "")
    if asked and told:
        return "yes" if (asked == told) != denied else "no"
    if denied:
        return ""
    if asked and any(compares(word.stem) for word in said):
        return "no" if asked == "equal" else "yes"
    return "no" if told == "equal" and claim.value is None and any(map(compares, claim.stems)) else ""


def _comparison(said: list[Word], claim: Claim, denied: bool) -> str:
    at = next((n for n, word in enumerate(claim.words) if compares(word.stem)), None)
    here = next((n for n, word in enumerate(said) if compares(word.stem)), None)
    if at is None or here is None:
        return ""
    asked, told = claim.words[at].stem, said[here].stem
    if asked != told and not opposite(asked, told):
        return ""
    of_what = tuple(word.stem for word in content(said[here + 1 :])[:1])
    if said[here].surface in ("more", "less", "fewer") and of_what and of_what != claim.stems[at + 1 : at + 2]:
        return ""
    if not denied and asked == told and _exchanged(said[here:], claim.stems[at:]):
        return "no"
    swapped = _swapped(said, here, claim, at)
    if swapped is None:
        return ""
    same = (asked == told) != swapped
    if denied:
        return "no" if same and not swapped else ""
    return "yes" if same else "no"


def _exchanged(said: Sequence[Word], asked: Sequence[str]) -> bool:
    """Return whether "more for children than adults" reverses the question's comparison."""
    told = [word.stem for word in said if word.role == ""]
    if "than" not in told or "than" not in asked:
        return False
    here, there = told.index("than"), asked.index("than")
    return bool(set(told[:here]) & set(asked[there + 1 :]) and set(told[here + 1 :]) & set(asked[1:there]))


def _swapped(said: list[Word], here: int, claim: Claim, at: int) -> bool | None:
    """Return whether a comparison is reversed; None if it is about other objects."""
    left, right = set(claim.stems[:at]), set(claim.stems[at + 1 :]) - {"than"}
    first, second = left - right, right - left
    first = set(claim.stems[: claim.subject]) & first or first  # not the verb: "Did Germany export more than Japan"
    before = {word.stem for word in content(said[:here])}
    than = next((n for n in range(here, len(said)) if said[n].surface == "than"), len(said))
    after = {word.stem for word in content(said[than + 1 :])}
    it = not before and any(word.role == "pronoun" for word in said[:here])
    if it or (before & first and not before & second):
        return False if not after or after & second or not second else None
    if before & second and not first <= before:
        return True if not after or after & first else None
    return None
