"""Scopes without assertion in a sentence: denied, possible, depicted, likened, or written.

A cue ("no", "might", "statue of") has a scope that extends to the right, to the end of its phrase or clause. Objects
named with "the", "his" or "this" are presupposed to exist ("it might chase the cat") unless the cue denies or frames
the object itself ("a statue of the king").

*Naming a visible object* is an assertion, however hedged: "appears to be a dog", "probably a dog". *Guessing at the
invisible* is not: "possibly a dog", "might be a dog", "likely belonging to a person", "suggesting that people live
here", "a place for people to sit".
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vhbench.tsv import records, words

_LIST = r"(?:(?:an?|any|other)\s)?[\w'-]+(?:\s[\w-]+)?"
_GOES_ON = rf"\s(?:n?or\b|(?:{_LIST},\s){{0,4}}{_LIST},?\s(?:n?or)\s)"
_DETERMINED = r"(?:an?|the|it|there|two|three|several|some|many|his|her|its|their|one|he|she|they|another|is|are|has)"
_CLAUSE_ENDS = (
    rf",(?!{_GOES_ON})|[;:()]|\s-+\s|[—–]|\b(?:but|while|whereas|although|though|because|since|instead|however)\b"
    rf"|\band\s(?:{_DETERMINED})\b"
)
_PLACES = (
    r"in|on|at|near|beside|next|behind|under|underneath|beneath|inside|around|along|by|from|across|throughout|outside"
    r"|between|among|against|during|through|over|above|below|atop|within"
)
_CLAUSE = re.compile(_CLAUSE_ENDS)
_PHRASE = re.compile(
    rf"{_CLAUSE_ENDS}|\b(?:{_PLACES}|to|with|is|are|was|were|can|could|has|have|that|which|who|whose|where|as|besides"
    r"|except|than|aside|apart|just|only|visible|present|nearby|anywhere)\b"
)
_LIST_END = re.compile(
    _PHRASE.pattern.replace(rf",(?!{_GOES_ON})", rf",(?!{_GOES_ON}|\s[\w-]+,?\sand\s(?!{_DETERMINED}\b))")
)
_IMAGE = re.compile(
    rf",|[;:()]|\s-+\s|[—–]|\b(?:but|while|whereas|although)\b|\band\s(?:it|there|the|they|he|she|is|are|has)\b"
    rf"|\b(?:(?:{_PLACES})(?!\s(?:an?\s|the\s|his\s|her\s)?(?:horse|horseback|motorcycle|bike|bicycle)\b)"
    r"|is|are|was|were|can|could|has|stands?|sits?|lies|that|which|hang(?:s|ing)?|covers?|decorates?)\b"
)
_RELATIVE = re.compile(
    rf"{_CLAUSE_ENDS}|\b(?:is|are|was|were|has|have|had|(?:stand|sit|lie|lay|walk|run|ride|look|wait|play|lean|pose|rest|sleep"
    rf"|appear|work)s?|can)\b|\b\w+s (?={_DETERMINED}\b)"
)
_TEXT = re.compile(r"[,;]|\band\b|\bon\b|\bin\b|\bis\b")
_REACH = 240  # maximum length of a scope, in characters

# extent of a cue → end of its scope
_ENDS: Mapping[str, re.Pattern[str]] = {
    "clause": _CLAUSE,
    "phrase": _PHRASE,
    "list": _LIST_END,
    "image": _IMAGE,
    "relative": _RELATIVE,
    "text": _TEXT,
}


class _Cue(NamedTuple):
    """A row of ``cues.tsv``."""

    kind: str  # denied, possible, purpose, depicted, likened or written; documentation only
    words: tuple[str, ...]  # first words of the cue
    then: re.Pattern[str]  # continuation of the cue
    after: tuple[str, ...]  # words of which one must precede the cue; with "!" before the first, must not
    end: re.Pattern[str]  # pattern before which the scope ends
    spares: bool  # whether objects named with "the" still exist

    def begins(self, sentence: str, start: int) -> bool:
        """Return whether the required word precedes the cue."""
        if not self.after:
            return True
        before = sentence[max(0, start - 30) : start].rsplit(maxsplit=1)[-1:]
        barred = self.after[0].startswith("!")
        words = (self.after[0].removeprefix("!"), *self.after[1:])
        return (before[0] in words if before else False) != barred


@cache
def cues() -> Mapping[str, Sequence[_Cue]]:
    """Return first word → cues; loaded with the first caption, as compiling takes a while."""
    by_word: dict[str, list[_Cue]] = {}
    readers = {
        "words": words,
        "then": lambda cell: re.compile(rf"{cell}\b" if cell and cell[-1].isalpha() else cell),
        "after": words,
        "end": _ENDS.__getitem__,
        "spares": bool,
    }
    for cue in records(Path(__file__).with_name("cues.tsv"), _Cue, readers):
        for word in cue.words:
            by_word.setdefault(word, []).append(cue)
    return by_word


_SAYS_WHAT_IT_IS = re.compile(
    r"\A\W*(?:(?:in|here(?:'s| is)|(?:this|that|it|(?:this|the|the given|the provided) (?:image|picture|photo"
    r"|photograph|scene|artwork)) (?:is|shows?|appears to be|seems to be|features?|presents?|depicts?|displays?"
    r"|captures?)) )?(?:(?:an?|the|this) )?(?:(?!(?:with|of|on|has|have|there|hold\w*|show\w*|wear\w*|next|near|by|at"
    r"|from|to)\b)[\w,'-]+ ){0,6}\Z"
)
_OF_ITSELF = frozenset(
    "picture photo photograph image illustration cartoon drawing sketch portrait depiction images".split()
)
_ON_SHOW = re.compile(
    r"\b(?:hang(?:s|ing)?|hung|in an? (?:[\w-]+ )?frame|framed|taped|pinned|displayed|mounted|decorat\w+|adorn\w*"
    r"|cover(?:s|ing)|on (?:the|an?|its|his|her|their) (?:[\w-]+ )?(?:wall|fridge|refrigerator|door|shirt|t-shirt"
    r"|screen|shelf|desk|mug|page|tv|nightstand|cover|card|box|side|back|front|table))\b"
)
_IS_A_PAINTING = re.compile(r"\A\W*(?:this|it|the (?:image|picture|scene)) (?:is|appears to be|seems to be) ")


def scopes(sentence: str, signs: Set[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, spares) of each scope in a lower-case sentence with cues ``signs``.

    >>> text = "there is no dog on the couch"
    >>> [text[start:end] for start, end, _ in scopes(text, {"no"})]
    [' dog ']
    """
    by_word = cues()
    for sign in sorted(signs):
        for place in _places(sign, sentence):
            for cue in by_word.get(sign, ()):
                match = cue.then.match(sentence, place + len(sign))
                if not match or not cue.begins(sentence, place):
                    continue
                if cue.end is _IMAGE and _shows_itself(sentence, place, sign):
                    continue
                stop = cue.end.search(sentence, match.end(), match.end() + _REACH)
                yield match.end(), stop.start() if stop else min(len(sentence), match.end() + _REACH), cue.spares


def _places(word: str, sentence: str) -> Iterator[int]:
    """Yield the start indices of a word."""
    place = sentence.find(word)
    while place >= 0:
        end = place + len(word)
        if not (place and _is_letter(sentence[place - 1])) and not (end < len(sentence) and _is_letter(sentence[end])):
            yield place
        place = sentence.find(word, end)


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or sign in "-_"


def _shows_itself(sentence: str, place: int, sign: str) -> bool:
    """Return whether "a photo of" refers to the caption's own image, not to one in it."""
    before = sentence[:place]
    itself = sign in _OF_ITSELF and bool(_SAYS_WHAT_IT_IS.match(before))
    itself = itself or (sign == "painting" and bool(_IS_A_PAINTING.match(before)))
    return itself and not _ON_SHOW.search(before) and not _ON_SHOW.search(sentence, place)
