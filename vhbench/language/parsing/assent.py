"""Words of assent and denial, in English and (at the beginning) other languages.

They are in ``assent.tsv``. A strong one is sufficient; a weak one ("certainly") answers only if nothing after it
contradicts it: "Certainly, there is no dog."
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from vhbench.language import lexicon


class AssentMatch(NamedTuple):
    """Answer by a word of assent or denial.

    Attributes:
        answer: "yes" or "no".
        start: start index of its clause.
        first: only an opening precedes it.
        final: it is a conclusion ("so no").
        alone: the clause has no other content.
    """

    answer: str
    start: int
    first: bool
    final: bool
    alone: bool


BOTH: Final = re.compile(
    r"\A\W*(?:yes\W+no|no\W+yes)\W*\Z|(?<!\w)(?:neither\s+)?[\"']?(?:yes|no|true|false)[\"']?\s*(?:and|or|/|nor|&"
    r"|\|)\s*[\"']?(?:yes|no|true|false)(?!\w)[\"']?"
)
"""Yes and no together: an echo of the question, or not an answer."""

SHOWN: Final = re.compile(
    r"\b(?:reads?|reading|says|written|text|words?|sign|labell?ed|button|spells?)\b[^.!?\n]{0,40}[:\"',]\s*[\"']?"
    r"(?:yes|no)\b[\"'!.]"
)
"""A "yes" or "no" that is written in the image, and may not be the answer."""

_LONGEST: Final = 120  # characters; longer texts are statements
_CLAUSE: Final = re.compile(r"[^.,;:!?|\n()\"“”…–—。、,،؛।؟]+|[\"“”]")
_FILLER: Final = "|".join(sorted(lexicon.words("fillers before yes and no"), key=len, reverse=True)).replace("_", " ")
_FILLERS: Final = re.compile(rf"(?:(?:{_FILLER})\s+)*+")
_AFTER: Final = re.compile(
    r"(yes|no|yeah|yep|nope)(?: (?:indeed|again|sir|please|then|though|here|thanks|definitely|absolutely|from me|for me"
    r"|in this case|yes|no))+"
)
_ADVERB: Final = re.compile(
    r"(?:(?:\w+ly|for sure|without (?:a )?doubt|beyond doubt|so"
    r"|but|of course|indeed|i'm afraid|i am afraid|afraid|it is|it's|they are|most|very) )+(not|yes|no)"
)
_INTERJECTION: Final = r"(?:oh |ah |well |um |hmm |okay |ok |so )?"
_LEADING_YES: Final = re.compile(rf"{_INTERJECTION}(yes|yeah|yep|yup)\b(?![-'])")
_LEADING_NO: Final = re.compile(
    rf"{_INTERJECTION}(no|nope|nah)\s+(?=(?:there|it|this|that|these|those|they|he|she|i|we|you|the|not|in|is|are|does"
    r"|do|both|neither|none|because|since|as|but)\b(?!\s+(?:one|matter)\b)|[–—-]\s)"
)
_TRAILING: Final = re.compile(
    r"(?:\b(?:so|but|is|be|say|think|therefore|thus|hence|answer|guess|then|and)|[–—-])\s+(yes|no)\Z"
)
_BEGINS: Final = re.compile(r"(?:\A|[.!?\n:;])[\s\"']*\Z")
_OPENS: Final = re.compile(
    r"(?:based|looking|judging|according|from|in|upon|after|given|considering|as|with|for|on|regarding|at|well|sure|okay"
    r"|ok|certainly|absolutely|hmm+|let's|let me|so|thanks?|no problem|of course|definitely|(?:great|good) question"
    r"|hello|hi|a|answer|response|step|observing|examining|analy[sz]ing|having|not sure|i'm not|i am not|i can't be"
    r"|it(?:'s| is) (?:hard|difficult)|the (?:answer|image is|question)|to answer|q|final|short|my|i|therefore|thus"
    r"|hence|however|by|under|when)\b|[\"“”']\Z"
)
_FINAL: Final = re.compile(
    r"\b(?:so|therefore|thus|hence|conclusion|answer|ultimately|finally|overall|final|actually|wait|conclude)\b"
)
_LEADS_TO: Final = re.compile(r"\b(?:so|therefore|thus|hence|but|then|conclusion|answer)\W+\Z")
_IN_WRITING: Final = re.compile(
    r"\b(?:reads?|reading|says|written|writes|text|words?|sign|labell?ed|titled|captioned|named|called|button|letters?"
    r"|spells?|displays?)\b[^.!?\n]{0,60}\Z"
    r"|\b(?:some|others|many|people)\s+(?:\w+\s+)?(?:would|might|may|could|say|think)\b[^.,;:!?\n]{0,60}\Z"
    r"|\b(?:examples?|instance|e\.g|format(?: is)?|like this)\W*\Z"
)
_WEIGHED: Final = re.compile(
    r"\b(?:first (?:glance|sight|look)|initially|might (?:say|think)|may (?:say|think)|would (?:think|have said)|some"
    r"|others|tempt\w*|asks?|question|either|expect\w*|options?)\b[^.!?\n]{0,60}\Z"
    r"|(?:\b(?:if|whether|could (?:be|say)|cannot|not)\b|n't\b)[^.,;:!?\n]{0,40}\Z"
    r"|(?:\A|[.!?\n])\s*(?:if|unless|assuming|provided|had (?:i|we))\b"
    r"(?!\s+(?:(?:anything|forced|asked|the question)\b"
    r"|(?:i|we|you|one)\b(?!\s+(?:could (?:see|view|look|access)|w(?:ere|as) able|saw|knew|had (?:seen|access))\b)))"
    r"[^.;:!?\n]*\Z"
)
_SETTLES: Final = re.compile(r"(?:but|so|actually|therefore|thus|hence)\b")
_NEGATED: Final = re.compile(r"\b(?:not|isn't|cannot be|can't be)\s+(?:a\s+|an\s+|simply\s+)?\Z")


@cache
def _rows() -> list[tuple[str, str, str, list[str]]]:
    """Return language, answer, weight and phrases."""
    rows = Path(__file__).with_name("assent.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = (row.split("\t") for row in rows)
    return [(language, answer, weight, phrases.split("|")) for language, answer, weight, phrases in cells]


@cache
def table() -> Mapping[str, tuple[str, bool]]:
    """Return phrase → answer, and whether it is sufficient."""
    answers: dict[str, tuple[str, bool]] = {}
    for _, answer, weight, phrases in _rows():
        for phrase in phrases:
            answers.setdefault(phrase, (answer, weight == "strong"))
    return answers


@cache
def _english() -> frozenset[str]:
    """Return the English phrases of more than a letter."""
    return frozenset(phrase for row in _rows() if row[0] == "en" for phrase in row[3] if len(phrase) > 1)


@cache
def _ends() -> frozenset[str]:
    """Return the possible last words of a match of :func:`whole`."""
    last = (phrase.rsplit(maxsplit=1)[-1] for phrase in table() if phrase.strip())
    again = "indeed again sir please then though here thanks definitely absolutely me case yes no not".split()
    return frozenset((*last, *again))


@lru_cache(maxsize=4096)
def whole(text: str) -> tuple[str, bool]:
    """Return a clause's answer by a word of assent or denial, or "", and its sufficiency.

    >>> whole("certainly"), whole("i would say no"), whole("нет"), whole("the dog")
    (('yes', False), ('no', True), ('no', True), ('', False))
    """
    text = " ".join(text.strip(" '\"*`[](){}<>→⇒➡👉").split()) if len(text) < _LONGEST else ""
    if not text:
        return "", False
    answers = table()
    if text in answers:
        return answers[text]
    if text.rsplit(" ", 1)[-1] not in _ends():
        return _signs(text)
    filler = _FILLERS.match(f"{text} ")
    rest = text[filler.end() :].strip() if filler else text
    if rest in answers and answers[rest][1] and rest in _english():  # "First, I n" is truncated, not Czech
        return answers[rest]
    match = _AFTER.fullmatch(rest) or _ADVERB.fullmatch(text)
    if match:
        return ("no", True) if match[1] == "not" else answers[match[1]]
    return _signs(text)


def _signs(text: str) -> tuple[str, bool]:
    """Parse "✅" and "❌ no"; signs of both kinds are not an answer."""
    by_phrase = table()
    answers = {by_phrase[sign][0] for sign in text if sign in by_phrase and not sign.isalnum()}
    word = "".join(sign for sign in text if sign not in by_phrase or sign.isalnum()).replace("\ufe0f", "").strip()
    if len(answers) == 1 and (not word or by_phrase.get(word, ("",))[0] in answers):
        return answers.pop(), True
    return "", False


def match_assent(text: str) -> Iterator[AssentMatch]:
    """Yield a text's words of assent and denial, except quoted writing and weighed options."""
    opening = True
    for match in _CLAUSE.finditer(text):
        clause = match[0].strip()
        if not clause:
            continue
        answer, strong = whole(clause)
        alone = bool(answer)
        before = ""
        if not answer or strong:
            before = text[max(0, match.start() - 100) : match.start()]
        if not answer:
            answer, before = _within(clause, before, opening)
            strong = bool(answer)
        if (
            answer
            and strong
            and not _IN_WRITING.search(before)
            and (opening or _SETTLES.match(clause) or not _WEIGHED.search(before))
        ):
            final = bool(_FINAL.search(clause) or (alone and _LEADS_TO.search(before)))
            yield AssentMatch(answer, match.start(), opening, final, alone)
        opening = opening and _OPENS.match(clause) is not None


def _within(clause: str, before: str, opening: bool) -> tuple[str, str]:
    """Return the yes or no that begins or ends a longer clause, and the text before it."""
    leads = _LEADING_YES.match(clause) or _LEADING_NO.match(f"{clause} ")
    if leads and (opening or _BEGINS.search(before)):
        return table()[leads[1]][0], before
    tail = _TRAILING.search(clause) if clause.endswith(("yes", "no")) else None
    if not tail:
        return "", before
    before += clause[: tail.start(1)]
    answer = table()[tail[1]][0]
    return ({"yes": "no", "no": "yes"}[answer] if _NEGATED.search(before) else answer), before
