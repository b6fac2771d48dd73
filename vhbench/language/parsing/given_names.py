"""Names given in questions: a film's title, a painter, the words on a poster.

"This movie is titled Scarface" denies that it is titled Heat: one name replaces another, which no word list covers.
"""

import re
from collections.abc import Mapping
from typing import Final

_FRAMES: Final[Mapping[str, str]] = {
    "title": r"(?:titled|named|called|entitled|(?:title|name)(?:\s+of\s+[^,.;?]{1,40})?\s+is)",
    "maker": r"(?:created|painted|made|drawn|directed|written|composed|designed|produced)\s+by",
    "words": r"(?:says?|reads?|(?:words?|text|title|phrase|logo|sign|address|label|caption|headline|poster)"
    r"\s(?:[^.,;?\"“]{1,40}\s)?(?:is|are|says?|reads?))",
}
_NAME: Final = r"[:,]?\s*(?:\"(?P<quoted>[^\"\n]{1,120})\"|(?P<bare>[^\".;:!?,\n]{1,80}))"
_SAID: Final = {kind: re.compile(rf"(?i)\b{frame}\b{_NAME}") for kind, frame in _FRAMES.items()}
_ASKED: Final = {
    kind: re.compile(
        rf"(?i)\A\W*(?:is|are|was|does|do|did)\b[^?\"]{{0,80}}?\b{frame}\b[:,]?\s*(?P<name>[^?\n]{{1,120}})\?"
    )
    for kind, frame in {**_FRAMES, "words": _FRAMES["words"].replace("is|are|", "|", 1)}.items()
}
_QUOTED_END: Final = re.compile(r"(?i)\A\W*(?:is|are)\s+the\s[^?\"]{0,60}\"(?P<name>[^\"?]{1,120})\"\W*\?")
_NOUN: Final = (
    r"(?:person|man|woman|actor|actress|player|singer|celebrity|character|country|state|city|province|continent|river"
    r"|island|ocean|brand|company|team|film|movie|show|painting|artwork|building|landmark|monument|place|language|dish"
    r"|painter|artist|author|president|car|logo|flag|capital|planet|picture|image|photo)"
)
_CAPITALS: Final = r"[A-Z][\w.'&-]*(?:\s(?:of|the|de|la|and|van|von|da|[A-Z][\w.'&-]*))*"
_IS_NAMED: Final = re.compile(
    rf"\A\W*(?:Is|Are|Was)\s(?:the|this|that)\s(?:[a-z]+\s){{0,2}}?(?P<noun>{_NOUN})\b(?:\s[^?A-Z]{{0,60}}?)?"
    rf"\s(?:called\s|named\s|of\s)?(?:the\s)?(?P<name>{_CAPITALS})\?"
    rf"|\A\W*Is\s(?P<this>this)\s(?:an?\s)?(?:image|picture|photo)\sof\s(?:the\s)?(?P<place>{_CAPITALS})\?"
)
_ARE_NAMED: Final = re.compile(
    rf"\b(?P<noun>(?i:{_NOUN}|this|it))\b(?:\s[a-z][^.;:!?,\nA-Z]{{0,60}}?)?\s(?:is|shows|depicts)\s"
    rf"(?:actually\s|called\s|named\s)?(?:an?\s(?:image|picture|photo)\sof\s)?(?:the\s)?"
    rf"(?P<quoted>\b\B)?(?P<bare>{_CAPITALS})(?=[.,;!?]|\s(?:in|at|from|by|and)\b|\s*\Z)"
)
_YEAR: Final = re.compile(r"\(?\b(?:1[89]|20)\d\d\b\)?")
_SMALL: Final = frozenset("the a an of from by in at and is no called".split())
_DENIED: Final = re.compile(r"(?i)(?:\b(?:not|never|cannot|no|if|whether|may|might|could|or)\b|n't)[^.;!?\n]*\Z")
_LONGEST: Final = 2_000


def named(text: str, question: str) -> str:
    r"""Return "yes" or "no" if a text gives the question's name or another one; else "".

    >>> asked = "Is this movie titled heat (1995)?"
    >>> named("The movie is titled Heat.", asked), named("It is called \"Scarface\".", asked), named("A film.", asked)
    ('yes', 'no', '')
    """
    question, text = (one.replace("“", '"').replace("”", '"') for one in (question[:_LONGEST], text[:_LONGEST]))
    for kind, pattern in _ASKED.items():
        asked = pattern.search(question) or (_QUOTED_END.search(question) if kind == "words" else None)
        if not asked:
            continue
        verdicts = {_compared(asked["name"], found, text) for found in _SAID[kind].finditer(text)} - {""}
        if len(verdicts) == 1:
            return verdicts.pop()
    return _identified(text, question)


def _identified(text: str, question: str) -> str:
    """Parse "The country is Bolivia." to "Is the country Peru?": names have capitals."""
    asked = _IS_NAMED.match(question)
    if not asked:
        return ""
    nouns = ("this", "it", *((asked["noun"],) if asked["noun"] else ("image", "picture", "photo")))
    told = [found for found in _ARE_NAMED.finditer(text) if found["noun"].lower() in nouns]
    verdicts = {_compared(asked["name"] or asked["place"], found, text) for found in told} - {""}
    return verdicts.pop() if len(verdicts) == 1 else ""


def _compared(asked: str, found: re.Match[str], text: str) -> str:
    """Compare two names; one may abbreviate the other, or be a misspelling of it."""
    told = found["quoted"] or found["bare"].strip()
    years = [set(re.findall(r"\d{4}", name)) for name in (asked, told)]
    one, other = _letters(asked), _letters(told)
    if (
        not one
        or not other
        or _DENIED.search(text[: found.start("quoted" if found["quoted"] else "bare")])
        or re.match(r"(?i)\s*(?:not|an?)\b", told)
    ):
        return ""
    if sorted(one) == sorted(other) or "".join(one) == "".join(other):
        return "no" if all(years) and not years[0] & years[1] else "yes"
    extra, missing = set(other) - set(one), set(one) - set(other)
    if not extra or not missing:
        return ""
    alike = any(a[:4] == b[:4] for a in extra for b in missing if a.isalpha())
    return "" if alike else "no"


def _letters(name: str) -> list[str]:
    """Return the words of a name, without its year unless it has no others."""
    found = [word for word in re.findall(r"\w+", name.lower()) if word not in _SMALL]
    without = [word for word in re.findall(r"\w+", _YEAR.sub(" ", name).lower()) if word not in _SMALL]
    return without if without and re.search(r"\(", name) else found
