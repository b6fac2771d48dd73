"""Parsing of a yes/no question and its surroundings: image tokens, lead-ins, instructions.

It also decides whether a text is a single yes/no question. Wh-questions, choices, requests for a description and
multiple questions are rejected. All others can be negated, at least by quoting.
"""

import re
from dataclasses import dataclass, replace

from vhbench.generators.vhexpansion import word_lists as lists
from vhbench.schema import VhbenchError


class CannotNegate(VhbenchError):
    """No negated twin of the requested form exists; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of a text; concatenated, they are the text without outer whitespace.

    Attributes:
        before: text before the question: "<image>", "Look at it. ", "In the image, ".
        asked: the question with its mark.
        mark: its question mark, or "".
        words: words of the question, without the mark; quotations are one word each.
        after: "Please answer yes or no.", with the preceding space.
    """

    before: str
    asked: str
    mark: str
    words: tuple[str, ...]
    after: str


LONGEST = 8_000
"""Maximum length in characters of a text to parse."""

_IMAGE_MARKS = re.compile(
    r"\s*(?:(?:<[^<>\s]{1,40}(?: \d{1,3})?>|\[(?:img|image|video)[ _-]?\d{0,3}\])\s*)*", re.IGNORECASE
)
_WHOLE = re.compile(
    rf"(?P<before>{_IMAGE_MARKS.pattern}"
    r"(?:(?:(?:question|query|q)(?: \d{1,4})?|(?:please )?answer (?:the|this) (?:following )?"
    r"(?:yes(?: or |[-/])no )?question)\s*:\s*)?)"
    r"(?P<quotation>\"[^\"]+\"|“[^“”]+”|«[^«»]+»|‹[^‹›]+›|‘(?:[^‘’]|(?<=\w)’(?=\w))+’|'(?:[^']|(?<=\w)'(?=\w))+')"
    r"(?P<mark>[?？]?)(?P<after>.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A quotation preceded only by image tokens and a label such as "Question:"."""
_HINT = re.compile(
    r"[\s(\[*_-]*(?:(?:please|kindly|just|only|simply|briefly|directly)\s+){0,3}"
    r"(?:answer|respond|reply|choose|select|pick|output|give|say|state|use|return|explain|think|provide|your answer"
    r"|start|begin|assistant|note|options?|choices?|hint|yes|no|true|false|y/n|t/f|one word"
    r"|(?:in|with) (?:one|a) (?:single )?word"
    r"|<[^<>\s]{1,40}>|\(?[a-h][).:])(?![\w'])",
    re.IGNORECASE,
)
"""Start of an instruction after a question: how to answer, or the options."""
_SHORT = ("Mr", "Mrs", "Ms", "Dr", "St", "No", "vs", "etc", "Fig")
_NO_END = "".join(rf"(?<!\b{word})" for word in _SHORT) + r"(?<![A-Z])(?<!e\.g)(?<!i\.e)"
_END = re.compile(rf"{_NO_END}[.!]\s+|:\s+|\n\s*")
"""End of a sentence before the question, excluding abbreviations."""
_PICTURE = (
    r"(?:the|this|that|your) (?:given |provided |following |above |attached |shown )?"
    r"(?:image|imange|picture|photo|photograph|figure|scene|chart|map|table|graph|diagram|plot|text|drawing|video|frame)"
    r"(?: (?:shown|given|above|below|here))?"
)
_NEUTRAL = re.compile(
    r"(?:in|from|on|for|given|considering|viewing|(?:when )?looking at|judging from|judging by|as (?:shown|seen) in)"
    rf" {_PICTURE}|(?:according to|based on) [^,:;]{{1,80}}|for the question \0\d+\0"
    r"|(?:question|query|q)(?: \d{1,4})?",
    re.IGNORECASE,
)
"""Lead-ins that name the image or source; they apply to the twin as well."""
_VERBS = rf"(?:{'|'.join(sorted(lists.AUXILIARIES))})\b(?!['’])"
_BEGINS = re.compile(_VERBS, re.IGNORECASE)
_LEAD = re.compile(rf",\s+(?={_VERBS})", re.IGNORECASE)
_WHICH = rf"(?:{'|'.join(sorted(lists.QUESTION_WORDS))})\b"
_ASKS_WHICH = re.compile(rf"\b{_WHICH}", re.IGNORECASE)
_INDIRECT = re.compile(
    r"(?:may|can|could|would|will|do|did) (?:i|you|we) (?:please |kindly )?"
    r"(?:(?:ask|tell|say|know|explain|show|give|name|identify|guess|see|describe|find)(?: me| us| out)?(?: about)? "
    rf"{_WHICH}|(?:describe|explain|list|summari[sz]e|tell me about|give|name)\b)",
    re.IGNORECASE,
)
"""Requests in the form of yes/no questions: "Can you tell me what this is?"."""
_ORDERS = frozenset(
    "describe list name count tell explain write find identify give show choose select answer complete classify "
    "caption generate draw guess look point state summarize summarise provide".split()
)
_LAST_OR = re.compile(rf" or (?:(?:an?|the|in|on) )?\S+(?: (?:in|on) {_PICTURE})?$")
_SETTLED_OR = re.compile(
    r"\b(?:(?:either|whether)\b[^?]*\bor|or (?:not|more|less|fewer|above|below|older|younger|higher|lower|later|earlier"
    r"|so|greater|larger|smaller|longer|shorter|over|under|better|worse|something|anything|equal))\b"
    r"|\b\w{3,}ing (?:an?|the) .{1,60} or (?!\S*ing\b)"  # "wearing a hat or a scarf"
)
"""Uses of "or" that offer no choice."""


def split_question(text: str) -> Parts:
    """Parse the single yes/no question of a text.

    >>> split_question("<image> In the photo, is it late? Answer yes or no.")
    Parts(before='<image> In the photo, ', asked='is it late?', mark='?', words=('is', 'it', 'late'), \
after=' Answer yes or no.')

    Raises:
        CannotNegate: if there is none, or more than one.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise CannotNegate(f"longer than {LONGEST} characters: {text[:40]!r}…")
    if quoted := _in_marks(text):
        return quoted
    masked, quotations = _mask(text)
    marks = _IMAGE_MARKS.match(masked)
    start = marks.end() if marks else 0
    stop, end = _end_of_question(text, masked, start)
    if _HINT.match(masked, stop) is None and masked[stop:].strip():
        stop, end = len(masked), len(masked)  # more than an answer format, so it belongs to the question
    start = _start_of_question(masked, start, end)
    body = masked[start:end]
    words = tuple(_unmask(word, quotations) for word in body.split())
    _check(text, body, masked[end:stop], quotations)
    asked = _unmask(masked[start:stop], quotations)
    return Parts(
        _unmask(masked[:start], quotations), asked, masked[end:stop], words, _unmask(masked[stop:], quotations)
    )


def without_marks(text: str) -> str:
    """Remove quotation marks around a text's whole question; return other texts unchanged.

    >>> without_marks('<image> "Is it late?" Answer yes or no.'), without_marks('Does it say "Is it late?"')
    ('<image> Is it late? Answer yes or no.', 'Does it say "Is it late?"')
    """
    found = _WHOLE.fullmatch(text.strip())
    if not found or _in_marks(text.strip()) is None:
        return text
    return f"{found['before']}{found['quotation'][1:-1]}{found['mark']}{found['after']}"


def _in_marks(text: str) -> Parts | None:
    """Parse a question that is quoted as a whole; None for any other text.

    Only instructions on how to answer may follow the quotation.
    """
    found = _WHOLE.fullmatch(text)
    if not found or (found["after"].strip() and not _HINT.match(found["after"])):
        return None
    quotation, mark = found["quotation"], found["mark"]
    try:
        inner = split_question(quotation[1:-1])
    except CannotNegate:
        return None  # not a question; errors are reported for the whole text
    if inner.words[0].lower() not in lists.AUXILIARIES or (mark and inner.mark):
        return None
    before, after = found["before"] + quotation[0], quotation[-1] + mark + found["after"]
    return replace(inner, before=before + inner.before, after=inner.after + after)


def bare(word: str) -> str:
    """Return a word in lower case without punctuation; "" for a quotation."""
    return "" if word[:1] in {'"', "“", "‘", "«"} else word.lower().strip(".,;:!?()'")


def is_neutral(phrase: str) -> bool:
    """Return whether the last phrase before a question is empty or a neutral lead-in."""
    last = _END.split(_IMAGE_MARKS.sub("", phrase, count=1))[-1].strip().removesuffix(",")
    return not last or _NEUTRAL.fullmatch(last) is not None


def _end_of_question(text: str, masked: str, start: int) -> tuple[int, int]:
    """Return the end of the question with its mark, and without."""
    mark = re.search(r"[?？][?!？]*", masked[start:])
    if mark:
        stop = start + mark.end()
        rest = masked[stop:]
        if re.search("[?？]", rest) and not (_HINT.match(rest) and len(rest) < 40):
            raise CannotNegate(f"not one yes/no question: {text!r}")
        return stop, len(masked[: start + mark.start()].rstrip())
    ends = [found for found in _END.finditer(masked, start) if found[0].strip() != ":"]
    begins = [start, *(found.end() for found in ends)]
    for begin in begins:
        if _BEGINS.match(masked, begin):
            after = next((found for found in ends if found.start() > begin), None)
            if after is None:
                stop = len(masked.rstrip(".! "))
                return len(masked), stop
            return after.start() + len(after[0].rstrip()), after.start()
    return len(masked), len(masked.rstrip(".! "))


def _start_of_question(masked: str, start: int, end: int) -> int:
    """Return the start of the question, after sentences and neutral lead-ins."""
    begins = [start, *(found.end() for found in _END.finditer(masked, start, end) if found.end() < end)]
    for begin in begins:
        if _BEGINS.match(masked, begin):
            return begin
    for begin in reversed(begins):
        if lead := _LEAD.search(masked, begin, end):
            neutral = _NEUTRAL.fullmatch(masked, begin, lead.start())
            return lead.end() if neutral else begin
        if (near := _NEUTRAL.match(masked, begin, end)) and _BEGINS.match(masked, near.end() + 1):
            return near.end() + 1
    return begins[-1]


def _check(text: str, body: str, mark: str, quotations: list[str]) -> None:
    """Raise unless the text is a yes/no question."""
    words = [bare(word) for word in body.split()]
    if not any(words):
        raise CannotNegate(f"not one yes/no question: {text!r}")
    first = _unmask(body.split()[0], quotations)
    begins = _BEGINS.match(body)
    if not begins and not _LEAD.search(body):
        if words[0] in lists.QUESTION_WORDS | _ORDERS:
            raise CannotNegate(f"not a yes/no question, it begins with {first!r}: {text!r}")
        if re.fullmatch(r"\w+n['’]t", first):
            return
        if "?" not in mark.replace("？", "?") or _ASKS_WHICH.search(" ".join(words[:5])):
            raise CannotNegate(f"not a yes/no question, it begins with {first!r} and not with a verb: {text!r}")
    if _INDIRECT.match(body):
        raise CannotNegate(f"not a yes/no question, it asks for more: {text!r}")
    if "or" in words and _asks_for_choice(" ".join(words), words):
        raise CannotNegate(f"asks for a choice ('or'), not for yes or no: {text!r}")


def _asks_for_choice(joined: str, words: list[str]) -> bool:
    """Return whether "or" offers a choice: "is it brown or black", not "a dog or a cat"."""
    joined = re.sub(r"[ (,]*\b(?:yes or no|no or yes|true or false)\b", "", joined)
    stated = words[1:2] == ["there"] or (words[1:2] == ["it"] and "that" in words[3:6])
    return (
        words[0] in lists.BE and not stated and _LAST_OR.search(joined) is not None and not _SETTLED_OR.search(joined)
    )


def _mask(text: str) -> tuple[str, list[str]]:
    """Replace each quotation by a placeholder, so that quoted words are not parsed."""
    quotations: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quotations.append(match[0])
        return f"\0{len(quotations) - 1}\0"

    pattern = (
        r'"[^"]{0,999}"|“[^”]{0,999}”|«[^»]{0,999}»|‹[^›]{0,999}›|⟪[^⟫]{0,999}⟫|‘[^’]{0,999}’(?!\w)'
        r"|(?<!\w)'[^']{0,999}'(?!\w)"
    )
    return re.sub(pattern, keep, text.replace("\0", "")), quotations


def _unmask(text: str, quotations: list[str]) -> str:
    return re.sub("\0(\\d+)\0", lambda match: quotations[int(match[1])], text)
