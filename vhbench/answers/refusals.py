"""How models refuse, and say that no image has come, in the commoner languages."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from vhbench.answers.needles import any_in

_CANNOT = (
    r"(?:can\s*not|can't|cannot|could\s*n(?:o|')t|won't|will\s+not|do(?:es)?\s+not|don't|did\s+not|didn't|am\s+not"
    r"|'m\s+not|unable|not\s+able"
    r"|not\s+(?:currently\s+)?(?:possible|capable|allowed|permitted)|incapable|lack|must\s+decline|have\s+to"
    r"\s+decline|refuse)"
)
_SHOWN = (
    r"(?:provided|attached|uploaded|included|shared|given|supplied|sent|received|available|accessible|displayed"
    r"|visible\s+to\s+me)"
)
_PICTURE = (
    r"(?:images?|pictures?|photos?|photographs?|visuals?|screenshots?|attachments?|visual\s+(?:content|input|information)"
    r"|image\s+files?)"
)
_ENDS = (
    r"(?=\s*(?:[,:.!?]|\Z|(?:is|was|are|were|has|have)?\s*(?:been\s+)?(?:" + _SHOWN + r")\b|you\b|that\s+you|from"
    r"\s+you|with\s+your"
    r"|in\s+(?:your|our|this|the)\s+(?:message|chat|conversation|prompt|question|post|input|context)"
    r"|directly|yet\b|here\b|at\s+(?:the|this)\s+moment|right\s+now|myself|or\b|and\b|so\b|as\b|because|since"
    r"|therefore|to\s+(?:analy|answer|work|help)|on\s+my))"
)


def forms(kind: str, *languages: str) -> str:
    """Return the pattern of all forms of a class in ``failures.tsv``, where a space stands for any white space.

    Args:
        kind: "failed" or "refused".
        languages: only these; all where none is given.
    """
    rows = [line.split("\t") for line in Path(__file__).with_name("failures.tsv").read_text("utf-8").splitlines()[1:]]
    wanted = [form for name, language, form in rows if name == kind and (not languages or language in languages)]
    pattern = "|".join(wanted).replace(" ", r"\s+")
    for name, words in _WORDS.items():
        pattern = pattern.replace(f"<{name}>", words)
    return pattern


_WORDS = {"ends": _ENDS, "picture": _PICTURE, "shown": _SHOWN, "cannot": _CANNOT}
# Without one of these no form of failures.tsv matches: tests/vhbench/answers/test_refusals.py makes words of each form.
_NEEDLES_ABROAD = (
    "je m'excuse|je ne|aucune|veuillez|tut mir|entschuldig|beda|leider|ich kann|kein bild|bitte|lo siento|disculpa"
    "|lamento|perd|no puedo|no se |por favor|desculpe|sinto|nenhuma|mi dispiace|spiacente|scus|purtroppo|non posso"
    "|non riesco|nessuna|solée"
).split("|")
_NEEDLES = (
    "provid|attach|upload|includ|shar|given|supplied| sent|send|received|available|accessible|displayed|visible to me"
    "|to see|to be see|to been see|to seem|to appear|to analy|to look|to view|to work|to refer|to describe"
    "|to evaluate|to examine|message|chat|conversation|prompt|question|post|input|request|query|load|come through"
    "|open|process|render|viewed|accessed|forgot|neglected|access to|ability|capability|capacity|any way"
    "|capabilit|visual|supply|insert|not comfortable|language|text-based|virtual|artificial|a ai|n ai|only ai"
    "|decline|refuse|have to answer|have to assist|have to help|polic|guidelines|programming|terms"
).split("|")
_TRIGGERS = (
    "no |not|n't|failed|forgot|neglect|unable|incapable|lack|without|please|could you|can you|kindly|you need|you have"
    "|decline|refuse|against|violat|a ai|n ai|only ai|artificial|language|text-based|virtual|chat|have to"
).split("|")  # fmt: skip
"""Fewer texts have one of these, and each form has one as well."""
_CANNOTS = ("not", "n't", "no't", "unable", "incapable", "lack", "decline", "refuse")
_CANNOT_DO = re.compile(
    rf"{_CANNOT} (?:\w+ly |yet )?(?:to )?(?:be able to )?(?:(?:see|view|access|open|display|load|find|receive|process"
    r"|analy|interpret|perceive|look at|examine|inspect|evaluate|read|detect)(?: (?:or|and|to|the|any|your|this|that"
    r"|an|these|those|actual|specific|attached|provided|uploaded|visual|image|picture|photo|screenshot)|\Z"
    r"|(?! (?:a|an|any|no|the|one)\b))|assist|help|provide|offer|give|comply|fulfil|discuss|engage|participate|comment"
    r"|support|continue|do |process|complete|respond|answer|satisfy|perform|handle|identify|recogni|name|determine"
    r"|describe|make|caption|interpret)"
    r"|(?:not|n't) (?:be |been |seem to be |appear to be )?seen"
)
_ABROAD = "zh ja ko fr de es pt it ru ar hi"
_COURTESY = re.compile(
    r"(?i)\A\W*(?:(?:i'?\s*a?m|we'?\s*a?re)?\s*(?:so\s+|very\s+|really\s+|terribly\s+)?sorry\b(?:\W+(?:for|about"
    r"|that|if)\b.*)?|(?:my|our|i)?\s*apolog\w+\b.*|unfortunately|thank\w*\b.*|hello|hi\b.*|sure"
    r"|of\s+course|certainly|okay|ok"
    r"|(?:if|once|when|without|unless|until|after)\b.*|(?:please|kindly|feel\s+free|let\s+me\s+know|you\s+(?:can"
    r"|may|could|might)|could\s+you|can\s+you|would\s+you|do\s+you|is\s+there\s+any|what\b|how\b)\b.*"
    r"|(?:i|i'd|i'll|i\s+would|we)\s+(?:can|would|will|could|be|love|only|may)?\s*(?:only\s+|also\s+|certainly\s+"
    r"|still\s+|gladly\s+)?(?:be\s+)?(?:happy|glad|able|help|assist|try|do\s+my\s+best|provide|offer|describe"
    r"|answer|need|process|generate|work|love|respond|understand)\b.*"
    r"|(?:it|this)\s+(?:seems|appears|looks|might|may|could)\b[^.]*|my\s+(?:responses|knowledge|training"
    r"|capabilities|abilities|purpose|function|guidelines)\b.*|(?:therefore|thus|so|hence|as\s+such)"
    r"|i\s+(?:am|was|have\s+been)\s+(?:designed|trained|programmed|an?\s+(?:ai|language|text)).*|i'm\s+(?:designed"
    r"|trained|an?\s+(?:ai|language|text)|here).*)\W*\Z"
)
_HELPLESS = re.compile(
    r"(?i)\b(?:cannot|can't|can\s+not|unable|not\s+able|not\s+possible|impossible|don't|do\s+not|couldn't)\b.*"
    r"\b(?:determine|tell|answer|say|describe|provide|identify|confirm|assist|help|know|verify|analy[sz]e|see|give"
    r"|offer|generate|make|comment)\b"
)
_CUT = re.compile(
    r"(?i)(?<!\w\.\w)[.!?;。！？\n]+|(?:,\s*|\s+)(?:but|however|so(?!\s+(?:that|(?:i|we)\s+can)\b)|therefore|and\s+therefore|thus)\b,?\s*"
    r"|[，,]\s*(?=但|不过)"
)
_CONTENT = re.compile(
    r"(?i)\b(?:yes|no|yeah|nope|true|false)\b\W*\Z|\A\W*(?:yes|no|yeah|nope)\b|\A\W*\(?[A-Z]\)?\W*\Z|\([A-H]\)"
)


@cache
def _pattern(languages: str) -> re.Pattern[str]:
    """Return the pattern of refusals, made when the first long answer is read: no import waits for it."""
    return re.compile(f"(?i){forms('refused', *languages.split())}")


def refuses(text: str) -> bool:
    """Tell whether a text refuses in one of its first sentences, and says nothing else than that it does."""
    low = text.lower() if text.isascii() else None  # elsewhere case is more than small and large letters
    if (low is None or maybe(low[:400], abroad=True)) and _pattern(_ABROAD).search(text[:400]):
        return True
    if low is not None and not maybe(low, abroad=False):
        return False
    refusal = _pattern("en")
    begins = islice(_parts(text), 4)
    if not any((not part.isascii() or maybe(part.lower(), abroad=False)) and refusal.search(part) for part in begins):
        return False
    parts = list(_parts(text))
    refusals = [index for index, part in enumerate(parts[:40]) if refusal.search(part)]
    return not any(_answers(part) for index, part in enumerate(parts) if index not in refusals)


def _parts(text: str) -> Iterator[str]:
    """Yield the clauses of a text; of a long one often the first are enough."""
    start = 0
    for cut in _CUT.finditer(text):
        if part := text[start : cut.start()].strip():
            yield part
        start = cut.end()
    if part := text[start:].strip():
        yield part


def maybe(low: str, *, abroad: bool) -> bool:
    """Tell quickly whether a refusal may stand in a text, in small letters and with single spaces."""
    if abroad:
        return any_in(_NEEDLES_ABROAD, low)
    if not any_in(_TRIGGERS, low):
        return False
    return any_in(_NEEDLES, low) or (any_in(_CANNOTS, low) and _CANNOT_DO.search(low) is not None)


def _answers(part: str) -> bool:
    """Tell whether a sentence may answer something: it is no courtesy, and no helplessness either."""
    if _CONTENT.search(part):
        return True
    return not (_COURTESY.match(part) or _HELPLESS.search(part)) and len(part.split()) > 1
