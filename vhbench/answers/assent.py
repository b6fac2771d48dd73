"""Words of assent and denial, in English and at the beginning of answers in other languages.

They are in ``assent.tsv``. A strong one answers by itself; a weak one ("certainly") answers only where nothing behind
it says otherwise: "Certainly, there is no dog."
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple


class Told(NamedTuple):
    """An answer in a word of assent or denial.

    Attributes:
        answer: "yes" or "no".
        start: where the clause that says it begins.
        end: where that clause ends.
        first: nothing but an opening stands before it.
        final: it says that it concludes ("so no").
        alone: the clause says nothing else.
    """

    answer: str
    start: int
    end: int
    first: bool
    final: bool
    alone: bool


BOTH: Final = re.compile(
    r"(?<!\w)(?:neither\s+)?[\"']?(?:yes|no|true|false)[\"']?\s*(?:and|or|/|nor|&|\|)\s*[\"']?(?:yes|no|true|false)(?!\w)[\"']?"
)
_CLAUSE: Final = re.compile(r"[^.,;:!?\n()\"“”…–—。、,,!]+|[\"“”]")
_FILLER: Final = (
    r"(?:so|therefore|thus|hence|then|well|but|and|because of that|i|i'd|we|would|will|have to|must|can|say|said|saying"
    r"|guess|think|believe|assume|answer|respond|reply|go|going|with|lean|leaning|towards?|to|be|choose|pick|vote|am|i'm"
    r"|inclined|conclude|that|the|my|our|your|final|correct|right|short|best|it|is|it's|this|that's|a|an|probably|likely|most|very"
    r"|definitely|clearly|simply|just|actually|again|overall|finally|ultimately|in|conclusion|short|summary|oh|ah|hmm+|um+"
    r"|uh|okay|ok|wait|sorry|response|option|choice|conclusion|verdict|would be|should be|as|result|still|yet|rather|instead"
    r"|please|sure|i mean|perhaps|afraid|case|here|for this|in this case|to this question|to your question|to the question|quite"
    r"|pretty|highly|almost certainly|certainly|absolutely|hence my|by all accounts|the answer here|indeed|honestly|frankly)"
)
_FILLERS: Final = re.compile(rf"(?:{_FILLER}\s+)*+")
_LEADING_YES: Final = re.compile(r"(?:oh |ah |well |um |hmm |okay |ok |so )?(yes|yeah|yep|yup)\b(?![-'])")
_LEADING_NO: Final = re.compile(
    r"(?:oh |ah |well |um |hmm |okay |ok |so )?(no|nope|nah)\s+"
    r"(?=(?:there|it|this|that|these|those|they|he|she|i|we|you|the|not|in|is|are|does|do|both|neither|none|because|since|as|but)\b"
    r"(?!\s+(?:one|matter)\b))"
)
_FINAL: Final = re.compile(r"\b(?:so|therefore|thus|hence|conclusion|answer|ultimately|finally|overall|final|actually|wait|conclude)\b")
_SAID_OF_A_SIGN: Final = re.compile(
    r"\b(?:reads?|reading|says|written|writes|text|words?|sign|labell?ed|titled|captioned|named|called|button|letters?"
    r"|spells?|displays?)\b[^.!?\n]{0,60}\Z"
)
_NOT_YET: Final = re.compile(
    r"\b(?:first (?:glance|sight|look)|initially|might (?:say|think)|may (?:say|think)|would (?:think|have said)|some|tempt\w*"
    r"|if|whether|could (?:be|say)|can(?:not|'t)|not|n't|asks?|question|either|expect\w*|options?)\b[^.!?\n]{0,60}\Z|n't\b[^.!?\n]{0,40}\Z"
)
_NEGATED: Final = re.compile(r"\b(?:not|isn't|not a|cannot be|can't be)\s+(?:a\s+|an\s+|simply\s+)?\Z")


@cache
def table() -> Mapping[str, tuple[str, bool]]:
    """Return phrase → answer, and whether it answers by itself."""
    rows = Path(__file__).with_name("assent.tsv").read_text(encoding="utf-8").splitlines()[1:]
    found: dict[str, tuple[str, bool]] = {}
    for row in rows:
        _, answer, weight, phrases = row.split("\t")
        for phrase in phrases.split("|"):
            found.setdefault(phrase, (answer, weight == "strong"))
    return found


def whole(text: str) -> tuple[str, bool]:
    """Return what a clause says by a word of assent or denial, and whether it says so by itself; "" if it does not.

    >>> whole("certainly"), whole("i would say no"), whole("нет"), whole("the dog")
    (('yes', False), ('no', True), ('no', True), ('', False))
    """
    text = " ".join(text.strip(" '\"*`").split())
    if not text:
        return "", False
    known = table()
    if text in known:
        return known[text]
    rest = text[_FILLERS.match(text + " ").end() :].strip() if " " in text else text  # type: ignore[union-attr]
    if rest != text and rest in known and known[rest][1] and re.fullmatch(r"[a-z' ]+", rest):
        return known[rest]
    tail = re.fullmatch(r"(yes|no|yeah|yep|nope)(?: (?:indeed|again|sir|please|then|though|here|thanks|definitely|absolutely))+", rest)
    if tail:
        return known[tail[1]]
    signs = [known[sign] for sign in text if sign in known and not sign.isalnum()]
    word = "".join(sign for sign in text if sign not in known or sign.isalnum()).replace("\ufe0f", "").strip()
    if signs and len({answer for answer, _ in signs}) == 1 and (not word or known.get(word, ("",))[0] == signs[0][0]):
        return signs[0]
    return "", False


def told(text: str) -> Iterator[Told]:
    """Yield the words of assent and denial of a text; one that a sign reads, or that is weighed, is left out."""
    opening = True
    for found in _CLAUSE.finditer(text):
        clause = found[0].strip()
        if not clause:
            continue
        before = text[max(0, found.start() - 100) : found.start()]
        answer, strong = whole(clause)
        alone = bool(answer)
        if not answer:
            leads = _LEADING_YES.match(clause) or _LEADING_NO.match(clause + " ")
            at_start = re.search(r"(?:\A|[.!?\n:;])[\s\"']*\Z", before) is not None
            if leads and (at_start or opening):
                answer, strong = table()[leads[1]]
            elif tail := re.search(r"(?:\b(?:so|but|is|be|say|think|therefore|thus|hence|answer|guess|then|and)|[–—-])\s+(yes|no)\Z", clause):
                answer, strong = table()[tail[1]]
                before = before + found[0][: tail.start(1)]
                if _NEGATED.search(before):
                    answer = {"yes": "no", "no": "yes"}[answer]
        if answer and strong and not _SAID_OF_A_SIGN.search(before) and (opening or not _NOT_YET.search(before)):
            final = bool(_FINAL.search(clause) or (alone and re.search(r"\b(?:so|therefore|thus|hence|but|then|conclusion|answer)\W+\Z", before)))
            yield Told(answer, found.start(), found.end(), opening, final, alone)
        opening = opening and (bool(_OPENS.match(clause)) or clause in "\"“”'")


_OPENS: Final = re.compile(
    r"(?:based|looking|judging|according|from|in|upon|after|given|considering|as|with|for|to answer|on|regarding|at|well|sure"
    r"|okay|ok|certainly|absolutely|hmm+|let's|let me|so|thanks?|no problem|of course|definitely|great question|good question"
    r"|hello|hi|a|answer|response|step|observing|examining|analy[sz]ing|having|not sure|i'm not|i am not|i can't be|it's (?:hard|difficult)"
    r"|it is (?:hard|difficult)|the (?:answer|image is|question)|q|final|short|my|i|therefore|thus|hence|however|by|upon|under|when)\b"
)
