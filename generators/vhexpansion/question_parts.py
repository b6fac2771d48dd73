"""Parsing of a yes/no question and its surroundings: image tokens, lead-ins, instructions.

Wh-questions, choices, requests for a description and multiple questions are rejected.
"""

import re
from dataclasses import dataclass
from typing import Final

from vhbench.schema import VhbenchError

AUXILIARIES: Final = "am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must|whether"

_STARTS = re.compile(rf"(?i)(?:{AUXILIARIES})(?:n['’]t)?\b")
_LEAD = re.compile(
    r"(?i)(?:according|accroding|in|on|from|for|based|judging|looking|during|between|among|given|at)\b[^?]*?, "
    rf"(?=(?:{AUXILIARIES})\b)"
)
_BEGINS = re.compile(rf"\s*(?:{_STARTS.pattern[4:]}|{_LEAD.pattern[4:]})", re.I)
_WH = re.compile(
    r"(?i)(?:what|which|who|whose|whom|where|when(?![^?]*, (?:is|are|do|does|can) )|why|how)\b"
    r"|(?:according|in|on|from|for|based|at)\b[^,?]*, (?:what|which|who|where|how)"
    r"|(?:in|on|at|from|to|with|of|for) (?:which|what|whose|how)\b"
)
_REQUEST = re.compile(
    r"(?i)(can|could|would|will|do|may) (you|i|we) (please |kindly )?((tell|ask|say|know|explain|show|give)( me| us)?"
    r"( about)? (what|which|who|how|where|why|whether)|(describe|list|name|explain|give|tell me|tell us)\b)"
)
_CHOICE = re.compile(  # "is it brown or black", but not "is there a dog or a cat"
    r"(?i)^(?:(?:is|are|was|were) (?!there|it true)(?!.*\b(?:either|whether)\b|.*ing (?:an?|the) ).* or (?!not\b"
    r"|more\b|less\b|fewer\b|above\b|so\b|equal\b|anything|something)(?:(?:an?|the|in|on) )?\S+"
    r"(?: (?:in|on) the \w+)?$|.*\w+ing or \w+ing\b|.*\bor (?:to the|just|only)\b"
    r"|(?:is|are|was|were) there (?:more|fewer|less) (?!.*\bthan\b).* or .*"
    r"|.*(?<!one|two)(?<!three)(?<!four|five)(?<!\d) or (?:one|two|three|four|five|six|\d+|none|several)(?: \w+)?$)"
)
_YES_OR_NO = re.compile(r"(?i)[ (,]*\byes or no\b\)?")
_IMAGE = re.compile(
    r"(?i)(?:\s*(?:<[^<>\s]{1,40}(?: \d{1,3})?>|\[(?:img|image|video)[ _-]?\d{0,3}\]|(?:Q|Question) ?\d{0,4}:))*\s*"
)
_QUOTED = re.compile(
    rf"(?is)(?P<before>{_IMAGE.pattern[4:]})(?P<open>[\"“«‹‘'])"
    r"(?P<inner>(?:(?<=\")[^\"]+|(?<=“)[^“”]+|(?<=«)[^«»]+|(?<=‹)[^‹›]+|(?<=‘)(?:[^‘’]|(?<=\w)’(?=\w))+"
    r"|(?<=')(?:[^']|(?<=\w)'(?=\w))+))(?P<close>[\"”»›’'][?？]?)(?P<after>.*)"
)
"""A quotation after image tokens and a label such as "Question:"."""
_HINT = re.compile(
    r"(?i)\s*$|[\s(\[*_-]*(?:(?:please|kindly|just|only|simply|briefly|directly)\s+){0,3}"
    r"(?:please|answer|respond|reply|choose|select|pick|output|give|say|state|use|return|explain|think|provide"
    r"|your answer|start|begin|assistant|note|options?|choices?|hint|yes|no|true|false|y/n|t/f|one word"
    r"|(?:in|with) (?:one|a) (?:single )?word|<[^<>\s]{1,40}>|a:|\(?[a-h][).:])(?![\w'])"
)
"""Nothing after a question, or the start of an instruction: how to answer, or the options."""
_END = re.compile(r"[.!](?=\s|$)|\s+(?=Please answer)")  # of a question without a mark
_SENTENCE = re.compile(r"[.!:]\s+|\n\s*")
_QUOTATION = re.compile(r'"[^"]*"|“[^”]*”|(?<!\w)\'[^\']*\'(?!\w)')


class CannotNegate(VhbenchError):
    """No negated twin of the requested form exists; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of a text; concatenated, they are the text without outer whitespace."""

    before: str  # text before the question: "<image>", "Look at it. "
    lead: str  # phrase that states where to look: "In the image, "
    asked: str  # the question without its mark
    mark: str  # its question mark, with a space before it if there is one; or ""
    after: str  # "Please answer yes or no.", with the preceding space


def split_question(text: str) -> Parts:
    """Find the single yes/no question of a text; raise :class:`CannotNegate` if there is none, or more than one."""
    text = text.strip()
    if (quoted := _QUOTED.fullmatch(text)) and _HINT.match(quoted["after"]) and _BEGINS.match(quoted["inner"]):
        inner = split_question(quoted["inner"])
        before, after = quoted["before"] + quoted["open"], quoted["close"] + quoted["after"]
        return Parts(before + inner.before, inner.lead, inner.asked, inner.mark, inner.after + after)
    first = _IMAGE.match(text)
    here = first.end() if first else 0
    masked = _QUOTATION.sub(lambda quotation: "\0" * len(quotation[0]), text)
    marks = [match for match in re.finditer(r"[?？]+(?! \(\d{4}\))", masked) if match.start() >= here]
    stop = _END.search(masked, here) if _STARTS.match(masked, here) else None
    end = marks[0].start() if marks else stop.start() if stop else len(masked)
    after = marks[0].end() if marks else end
    if not _HINT.match(masked[after:]):
        raise CannotNegate(f"not one yes/no question: {text!r}")
    lead = ""
    for start in [here, *(match.end() for match in _SENTENCE.finditer(masked[:end]) if match.end() > here)]:
        if _STARTS.match(masked, start):
            here = start
            break
        if match := _LEAD.match(masked, start):
            here, lead = start, text[start : match.end()]
            break
    asked = text[here + len(lead) : end]
    if not asked.strip() or _WH.match(asked) or not (marks or _STARTS.match(asked)):
        raise CannotNegate(f"not a yes/no question: {text!r}")
    if _REQUEST.match(asked) or _CHOICE.match(_YES_OR_NO.sub("", without_quotations(asked))):
        raise CannotNegate(f"asks for more than yes or no: {text!r}")
    gap = len(asked) - len(asked.rstrip())
    mark = asked[len(asked) - gap :] + (marks[0][0] if marks else "")
    return Parts(text[:here], lead, asked.rstrip(), mark, text[after:])


def without_quotations(text: str) -> str:
    """Return a text with each quotation replaced by empty marks.

    >>> without_quotations('Does the sign say "no parking"')
    'Does the sign say «»'
    """
    return _QUOTATION.sub("«»", text)
