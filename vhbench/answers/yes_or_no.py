"""Yes/no answers, by words."""

import re
from collections.abc import Iterable

from vhbench.answers.cleaning import SAYS, plain

_YES = r"(?:yes|yeah|yep|yup)"
_NO = r"(?:no|nope|nah)"
_END = r"(?=\s*(?:[.,;:!?\"')\]]|$))"
_LEADING = re.compile(rf"\W*(?:(?P<yes>{_YES}|y(?=\W*$)|true{_END})|(?P<no>{_NO}|n(?=\W*$)|false{_END}))\b")
_NO_LEAD = re.compile(r"\W*no\s+(?:doubt|problem|question|idea|one|matter|way to)\b")
_BOTH = re.compile(rf"\W*(?:{_YES}\W+(?:and|or)\W+{_NO}|{_NO}\W+(?:and|or)\W+{_YES})\b")
_SAID = re.compile(rf"{SAYS}(?:(?P<yes>{_YES}|true)|(?P<no>{_NO}|false))\b")
_YES_WORD = re.compile(rf"(?P<negated>\b(?:not|n't)\W+)?\b{_YES}\b")
_NO_WORD = re.compile(rf"\b{_NO}\b{_END}")
_OPENING = re.compile(
    r"\A(?:\W*+(?:(?:sure|okay|ok|well|certainly|absolutely|so|thanks?)|(?:based|looking|judging|according|from|in"
    r"|upon|after"
    r"|given|considering|as|with)\b[^,.;!?]*)[,:!]\s*)+"
)
_UNSURE = re.compile(
    r"(?:\b(?:not|cannot|unable|impossible|hard|difficult)|n't)\b[^.;!?]*"
    r"\b(?:sure|certain|know|tell|determine|determined|say|clear|possible|answer|confirm|enough)\b"
    r"|\b(?:unclear|uncertain|unsure|unknown|ambiguous|maybe|perhaps|possibly)\b"
)
_NEGATION = re.compile(r"\b(?:not|never|cannot)\b|n't\b")
_NO_THING = re.compile(
    r"\b(?:there(?:'s| is| are| was| were| appears? to be| seems? to be)|(?:i|we|you) (?:can )?(?:see|find|observe)"
    r"|(?:has|have|contains?|shows?|includes?)) (?:absolutely |clearly )?no\b"
    r"|^\W*(?:no|none|neither)\b"
)
_CLAUSE = re.compile(r"[.;!?,\n]| but | although | though | however ")


def yes_no(text: str, question: str = "") -> str:
    """Read a yes/no answer by words.

    A sentence that only describes ("There is a dog.") is unknown: without its question nobody can tell what it affirms.
    "True" and "False" are answers where they stand as one, alone or at the beginning.

    >>> [yes_no(text) for text in ("Yes.", "no, it is not", "I do not see a dog.", "The answer is: **No**")]
    ['yes', 'no', 'no', 'no']
    >>> [yes_no(text) for text in ("I know", "It is nothing", "Maybe", "I'm not sure", "Yes and no", "")]
    ['', '', '', '', '', '']
    >>> [yes_no(text) for text in ("True", "False. There is no dog.", "There is a dog.", "True to life, it is red")]
    ['yes', 'no', '', '']
    """
    text = plain(text).lower()
    if _BOTH.match(text):
        return ""
    found = _last(_SAID, text) if _NO_LEAD.match(text) else _LEADING.match(text) or _last(_SAID, text)
    if found:
        return "yes" if found["yes"] else "no"
    return _in_a_sentence(text)


def _in_a_sentence(text: str) -> str:
    """Read a text that does not begin with yes or no: a single yes or no in it, or a negated first clause."""
    yes, no = _YES_WORD.search(text), _NO_WORD.search(text)
    if yes or no:
        return "" if (yes and no) or (yes and yes["negated"]) else "yes" if yes else "no"
    clause = _CLAUSE.split(_OPENING.sub("", text, count=1).strip(), maxsplit=1)[0][:300]
    if _UNSURE.search(clause) or _NO_LEAD.match(clause):
        return ""
    negations = len(_NEGATION.findall(clause)) + bool(_NO_THING.search(clause))
    return "no" if negations == 1 else ""


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found: Iterable[re.Match[str]] = pattern.finditer(text)
    return next(iter(list(found)[::-1]), None)
