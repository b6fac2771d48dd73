"""Words of assent and denial, in English and (at the beginning) other languages.

They are in ``assent.tsv``. A strong one is sufficient; a weak one ("certainly") answers only if nothing after it
contradicts it: "Certainly, there is no dog."
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from vhbench.language import lexicon
from vhbench.language.parsing.wordings import wording
from vhbench.tsv import records

_ROWS: Final = records(
    Path(__file__).with_suffix(".tsv"),
    lambda language, answer, weight, words: (language, answer, weight == "strong", words.split("|")),
    {},
)
# phrase → answer, and whether it is sufficient; the first row counts
_TABLE: Final = {phrase: (answer, strong) for _, answer, strong, phrases in _ROWS[::-1] for phrase in phrases[::-1]}
_ENGLISH: Final = frozenset(phrase for row in _ROWS if row[0] == "en" for phrase in row[3] if len(phrase) > 1)
# possible last words of a match of :func:`whole`
_ENDS: Final = frozenset(phrase.rsplit(maxsplit=1)[-1] for phrase in _TABLE if phrase.strip()).union(
    "indeed again sir please then though here thanks definitely absolutely me case yes no not".split()
)


class AssentMatch(NamedTuple):
    """Answer by a word of assent or denial."""

    answer: str  # "yes" or "no"
    start: int  # start index of its clause
    first: bool  # only an opening precedes it
    final: bool  # it is a conclusion ("so no")
    alone: bool  # the clause has no other content


# yes and no together: an echo of the question, or not an answer
BOTH: Final = re.compile(
    r"\A\W*(?:yes\W+no|no\W+yes)\W*\Z|(?<!\w)(?:neither\s+)?[\"']?(?:yes|no|true|false)[\"']?\s*(?:and|or|/|nor|&"
    r"|\|)\s*[\"']?(?:yes|no|true|false)(?!\w)[\"']?"
)

# A "yes" or "no" that is written in the image, and may not be the answer
SHOWN: Final = re.compile(
    r"\b(?:reads?|reading|says|written|text|words?|sign|labell?ed|button|spells?)\b[^.!?\n]{0,40}[:\"',]\s*[\"']?"
    r"(?:yes|no)\b[\"'!.]"
)

YES_SIGNS, NO_SIGNS = ("".join(phrase for phrase in _ROWS[n][3] if not phrase.isascii()) for n in (0, 1))
SIGNS: Final = YES_SIGNS + NO_SIGNS
_ROW: Final = re.compile(
    rf"(?i)\W*?(?P<sign>[{SIGNS}☐])[\s|:–—-]*(?P<label>[^\s|][^|\n]*?)[\s|.]*"
    rf"|\W*?(?P<name>[^|\n]*?[^\s|:–—-](?:\s*\|[^|\n]*?)??)\s*(?:[|:→←(]|[-=]>|<-+|\s[–—-]|(?=[{SIGNS}]))[\s|]*"
    rf"(?P<verdict>(?P<right>[{YES_SIGNS}]|(?:yes|(?:correct|right)(?:\s+(?:answer|option|choice))?|true|match(?:es)?|fits|present|visible|shown)(?=\W*\Z))"
    rf"|[{NO_SIGNS}]|(?:no(?:\s+match)?|not\s+(?:\w+\s+)?(?:present|visible|shown|there|found|seen|detected|correct"
    r"|right|true|answer|match\w*|fit\w*|it)|incorrect|wrong|false|absent|excluded|(?:ruled\s+)?out)(?=\W*\Z))[^|\n]*[\s|]*"
)
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
_LEADING_YES: Final = re.compile(rf"{_INTERJECTION}(yes|yeah|yep|yup)\b(?![-']|\s*[{NO_SIGNS}])")
_LEADING_NO: Final = re.compile(
    rf"{_INTERJECTION}(no|nope|nah)\s+(?=(?:there|it|this|that|these|those|they|he|she|i|we|you|the|not|in|is|are|does"
    r"|do|both|neither|none|because|since|as|but)\b(?!\s+(?:one|matter)\b)|[–—-]\s)"
)
_TRAILING: Final = re.compile(
    r"(?:\b(?:so|but|is|be|say|think|therefore|thus|hence|answer|guess|then|and)|[–—-])\s+(yes|no)\Z"
)
_BEGINS: Final = re.compile(r"(?:\A|[.!?\n:;])[\s\"']*\Z")
_OPENS: Final = re.compile(wording("opens"))
_FINAL: Final = re.compile(
    r"\b(?:so|therefore|thus|hence|conclusion|answer|ultimately|finally|overall|final|actually|wait|conclude)\b"
)
_LEADS_TO: Final = re.compile(r"\b(?:so|therefore|thus|hence|but|then|conclusion|answer)\W+\Z")
_IN_WRITING: Final = re.compile(wording("in writing"))
_WEIGHED: Final = re.compile(wording("weighed"))
_SETTLES: Final = re.compile(r"(?:but|so|actually|therefore|thus|hence)\b")
# "It would be wrong to say yes", "one could say yes"; but "there is no cat, so the answer is no"
_DOUBTED: Final = re.compile(
    r"\b(?:not|never|no(?! doubt| question)|hardly|incorrect|wrong|mistake|tempt\w*|almost|cannot|anything|could|might"
    r"|(?:obvious|expected|reference) (?:answer|response)|most(?! likely| probably)|[iy]ou'd)\b|n't\b"
)
_JOINT: Final = re.compile(r"\b(?:so|therefore|thus|hence|and|(?<!anything )but|then)\b")
_NEGATED: Final = re.compile(r"\b(?:not|isn't|cannot be|can't be)\s+(?:a\s+|an\s+|simply\s+)?\Z")


@lru_cache(maxsize=4096)
def whole(text: str) -> tuple[str, bool]:
    """Return a clause's answer by a word of assent or denial, or "", and its sufficiency.

    >>> whole("certainly"), whole("i would say no"), whole("нет"), whole("the dog")
    (('yes', False), ('no', True), ('no', True), ('', False))
    """
    text = " ".join(text.strip(" '\"*`[](){}<>→⇒➡👉").split()) if len(text) < _LONGEST else ""
    if not text:
        return "", False
    if text in _TABLE:
        return _TABLE[text]
    if text.rsplit(" ", 1)[-1] not in _ENDS:
        return _signs(text)
    filler = _FILLERS.match(f"{text} ")
    rest = text[filler.end() :].strip() if filler else text
    if rest in _TABLE and _TABLE[rest][1] and rest in _ENGLISH:  # "First, I n" is truncated, not Czech
        return _TABLE[rest]
    match = _AFTER.fullmatch(rest) or _ADVERB.fullmatch(text)
    if match:
        return ("no", True) if match[1] == "not" else _TABLE[match[1]]
    return _signs(text)


def _signs(text: str) -> tuple[str, bool]:
    """Parse "✅" and "❌ no"; signs of both kinds are not an answer."""
    answers = {_TABLE[sign][0] for sign in text if sign in _TABLE and not sign.isalnum()}
    word = "".join(sign for sign in text if sign not in _TABLE or sign.isalnum()).replace("\ufe0f", "").strip()
    said = _TABLE.get(word, ("",))[0] if word else ""
    if len(answers) != 1 or (word and (not said or (said == "yes" and "no" in answers))):
        return "", False
    return said or answers.pop(), True  # a tick marks "No" as the answer


def judged(line: str) -> tuple[str, str, str]:
    """Return what a row of a table or list judges, "yes" or "no", and the verdict; three times "" for other lines.

    >>> judged("| dog | no |"), judged("B. cat - ✓ matches"), judged("❌ dog"), judged("a dog")
    (('dog', 'no', 'no'), ('B. cat', 'yes', '✓'), ('dog', 'no', '❌'), ('', '', ''))
    """
    row = _ROW.fullmatch(line) if len(line) < 300 else None
    if not row:
        return "", "", ""
    right = row["right"] or (row["sign"] and row["sign"] in YES_SIGNS)
    return (row["label"] or row["name"]).strip(" |"), "yes" if right else "no", row["verdict"] or row["sign"]


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
        return _TABLE[leads[1]][0], before
    tail = _TRAILING.search(clause) if clause.endswith(("yes", "no")) else None
    if not tail:
        return "", before
    before += clause[: tail.start(1)]
    answer = _TABLE[tail[1]][0]
    if _NEGATED.search(before):
        return {"yes": "no", "no": "yes"}[answer], before
    return ("" if _DOUBTED.search(_JOINT.split(clause[: tail.start(1)])[-1]) else answer), before
