"""Normalization of contractions and of phrases of place, negation and hedging.

The phrases are in ``phrases.tsv``: the normal form, then its variants.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from vhbench.language.parsing.cleaning import cached_by_text
from vhbench.tsv import records

_PICTURES: Final = (
    r"(?:images?|pictures?|photos?|photographs?|scenes?|videos?|clips?|frames?|figures?|screenshots?|shots?|pictured)"
)
_DETERMINER: Final = r"(?:the|this|that|these|those|your|both|either|all|our|any|some|at least one)"
_GIVEN: Final = (
    r"(?:given|provided|current|entire|whole|above|attached|displayed|input|uploaded|static|two|same|sequence of"
    r"|set of)"
)
PICTURE_NUMBER: Final = re.compile(
    rf"\b(?<!the )(?<!this )(?<!your )({_PICTURES}) (?:\d{{1,2}}|one|two|three|four|[ab])(?=\W|\Z)"
)
_IN_EVERY: Final = re.compile(
    rf"\bin (?:every|each|all|both)(?: single)?(?: one)?(?: of)?(?: the| these)?(?: {_GIVEN})? {_PICTURES}\b"
)
_IN_PICTURE: Final = re.compile(
    r"\b(?:in|of|from|on|within|inside|at|across|throughout|by) "
    rf"(?:(?:either|any of|at least one of|some of|one of|both of|both) )?{_DETERMINER} "
    rf"(?:{_GIVEN} ){{0,2}}{_PICTURES}\b"
    r"(?: (?:you |that you |i )?(?:provided|given|shown|see|shared|sent|have)\b)?"
    r"|\b(?:in|on|from) (?:here|sight|view|it|them)\b"
    r"|\b(?:in|on|from|per|according to|based on|by) (?:the|this) (?:\w+ )?(?:map|chart|graph|diagram|plot)s?\b"
)
_AS_AS: Final = re.compile(
    r"(?<!not )\bas (?:large|big|long|tall|wide|high|old|small|short|heavy|thick|bright|dark|fast) as\b"
)
_HAS_ON_IT: Final = re.compile(
    r"\bthe (\w+) (?:has|have) ([^.,;]{1,60}?) (on|in|inside|under|near|beside|around|behind) (?:it|them)\b"
)
# What only looks like something: "What looks like a dog is actually a cat"
_SEEMED: Final = re.compile(
    r"\b(?:(?:what|that|it|this) (?:look|appear|seem)(?:s|ed)?(?: like| to be) ([^.,;!?]{1,60}?),?(?: but)?(?: it| this"
    r"| that)? (?:is|are|was|were)(?: actually| really| in fact| just| only| merely)?|the ([^.,;!?]{1,60}?)"
    r" turn(?:s|ed) out to be) (?=an? )"
)
_WEARS: Final = re.compile(r"\b(?:has|have) ((?:an? |the |his |her )?(?:\w+ )?\w+) on(?=\s*(?:[.,;!\n]|\Z))")
_CANNOT: Final = re.compile(r"\bcan(?:'?t|not)\b")
_NT: Final = re.compile(r"\b(is|are|was|were|do|does|did|has|have)nt\b")
_SPACES: Final = re.compile(r"[ \t\r\f\v]{2,}|[\t\r\f\v]")
_CONTRACTED: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bain't\b"), "is not"),
    (re.compile(r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|might|must|need)n't\b"), r"\1 not"),
    (re.compile(r"\b(it|that|there|here|he|she|what|who|this)'s\b"), r"\1 is"),
    (re.compile(r"\b(they|we|you|these|those|there)'re\b"), r"\1 are"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(\w+)'ve\b"), r"\1 have"),
    (re.compile(r"\b(\w+)'d\b"), r"\1 would"),
    (re.compile(r"\b(\w+)'ll\b"), r"\1 will"),
    (re.compile(r"'s\b|(?<=s)'(?=\s)"), ""),
)


@cached_by_text  # short responses recur for many questions
def normalize_phrases(text: str) -> str:
    """Return a text in lower case, with contractions expanded and variant phrases normalized.

    >>> normalize_phrases("I can't see it on the left-hand side."), normalize_phrases("There's no one in this picture")
    ('i can not see it left.', 'there is no person  ')
    """
    text = text.lower().replace("’", "'")
    text = text.replace("-", " ").replace("°", " ").replace("/", " / ")
    text = _SPACES.sub(" ", text)
    text = PICTURE_NUMBER.sub(r"\1", _IN_EVERY.sub(" everywhere ", text))
    text = _CANNOT.sub("can not", text)
    if "'" in text:
        for pattern, usual in _CONTRACTED:
            text = pattern.sub(usual, text)
    text = _NT.sub(r"\1 not", text)
    text = _AS_AS.sub("same", _WEARS.sub(r"wears \1", text))
    text = _HAS_ON_IT.sub(r"there is \2 \3 the \1", text)
    text = _SEEMED.sub(lambda match: f"not {match[1] or match[2]} but ", text)
    return _IN_PICTURE.sub(" ", _PHRASE.sub(lambda match: PHRASES[match[0]], text))


def _any_of(phrases: Iterable[str]) -> str:
    """Return a pattern for any of some phrases, longest first, common prefixes factored out."""
    rest: dict[str, list[str]] = {}
    for phrase in phrases:
        rest.setdefault(phrase[:1], []).append(phrase[1:])
    ends = rest.pop("", None) is not None
    branches = [re.escape(letter) + _any_of(after) for letter, after in rest.items()]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}" if len(branches) > 1 or ends else branches[0]


_ROWS = records(Path(__file__).with_name("phrases.tsv"), lambda usual, phrases: (usual, phrases.split("|")), {})
PHRASES: Final = {phrase: usual for usual, phrases in _ROWS for phrase in phrases}  # phrase → its normal form
_PHRASE: Final = re.compile(rf"(?<![\w'.]){_any_of(PHRASES)}(?![\w']|\.\d)")
