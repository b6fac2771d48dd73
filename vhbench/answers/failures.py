"""What is no answer at all: a request that failed, an empty response, a model that refuses or saw no image.

A wrong "refused" would take a real answer away, so a text is one only if nothing else is left in it: "I can't identify
people, but the man wears a hat" answers, and "I can't see a dog" does. Not to know ("I cannot tell", "Unanswerable") is
neither: it is an answer that says nothing.
"""

import re
from typing import Literal

from vhbench.answers.cleaning import plain
from vhbench.answers.refusals import refuses

Failure = Literal["", "failed", "refused"]

_READ = 3_000
_MISSING = frozenset(("None", "nan", "NaN", "null", "NULL", "undefined", "Timeout", "timeout"))
# What clients, servers and evaluation harnesses write where an answer should be; always at the beginning.
_FAILED = re.compile(
    r"(?i)\A[\s\"'`]*(?:"
    r"\[?LMMS_EVAL_REQUEST_FAILED|\[(?:ERROR|GENERATION_FAILED|FAILED|TIMEOUT|API[_ ]ERROR|EXCEPTION)\b[^\]]{0,200}\]"
    r"|<NA>[\s\"'`]*\Z"
    r"|(?:fatal\s+|api\s+|server\s+|internal\s+|runtime\s+|network\s+|unexpected\s+|connection\s+|request"
    r"\s+)?error\s*(?:code\s*)?[:=]\s"
    r"|(?:an?\s+)?(?:\w+\s+)?error\s+(?:occurred|while|during|in\s+(?:calling|processing|generating|request))"
    r"|(?:api|server|internal|connection|network|openai|model|generation|inference|request)\s+error\b[\s.!]*(?:\Z"
    r"|[:\d(])|error\s*[45]\d\d\b"
    r"|(?:[\w.]+\.)?\w*(?:(?-i:Error|Exception)|OutOfMemoryError)\b\s*(?:[:(]|\Z)|traceback\s+\(most\s+recent"
    r"|(?:http[/ ]?[\d.]*\s*)?(?:status\s*(?:code)?\s*:?\s*)?[45]\d\d\s*[:,–-]?\s*(?:client\s+error|server\s+error"
    r"|too\s+many|bad\s+(?:gateway"
    r"|request)|internal|service\s+(?:un|temp)|gateway|unauthorized|forbidden|not\s+found|request\s+timeout|payload"
    r"|resource)"
    r"|(?:429\b|too\s+many\s+requests|rate[ _-]?limit(?:ed|ing|s)?\b(?:[ _]exceeded|[ _]error|\s+(?:reached|for"
    r"|hit))?|quota\s+exceeded|resource[ _]exhausted"
    r"|you\s+(?:have\s+)?exceeded\s+your\s+current\s+quota|insufficient[_ ]quota)"
    r"|(?:internal\s+server\s+error|bad\s+gateway|service\s+(?:temporarily\s+)?unavailable|gateway\s+time-?out"
    r"|overloaded[_ ]error)"
    r"|(?:request|connection|read|api\s+call|the\s+request|the\s+operation|call|generation|inference)\s+(?:has\s+"
    r"|was\s+)?(?:timed\s+out|time-?out"
    r"|failed|refused|reset|aborted|error|cancelled)\b|time-?out\b(?:\s+error)?[\s.!]*(?:\Z|:)|max(?:imum)?"
    r"\s+retries\s+(?:exceeded|reached)"
    r"|all\s+(?:\d+\s+)?(?:attempts|retries)\s+failed|failed\s+to\s+(?:obtain|get|generate|fetch|call|receive"
    r"|connect|process|load|decode|parse|retrieve)\b"
    r"|(?:could|did)\s+not\s+(?:obtain|get|connect)\b|unable\s+to\s+(?:obtain|connect)\b|no\s+response\s+(?:from"
    r"|received)|empty\s+response\b"
    r"|(?:cuda|gpu|torch|hip)\b[^\n]{0,40}\bout\s+of\s+memory|out\s+of\s+memory\b|(?:torch\.)?cuda\.?\w*\s*error"
    r"|oom\b[\s.!]*\Z"
    r"|(?:this\s+model's\s+)?maximum\s+context\s+length|(?:the\s+)?(?:prompt|input|context)\s+(?:is\s+too\s+long"
    r"|length\s+exceeds)"
    r"|(?:invalid|incorrect)\s+(?:api[ _-]?key|image|request|base64)|authentication\s+(?:failed|error)"
    r"|content[_ ]?filter|data_inspection_failed"
    r"|(?:the\s+)?(?:response|request|output|prompt|content)\s+(?:was\s+)?(?:filtered|blocked)|video\s+\S+"
    r"\s+generate\s+failed"
    r"|\{\s*[\"'](?:error|object[\"']\s*:\s*[\"']error)|<!doctype\s+html|<html"
    r")"
)
_BLOCKED = re.compile(
    r"(?i)\A\W*(?:SAFETY_BLOCKED|(?:finish_reason|block_reason)\W+(?:SAFETY|PROHIBITED)|PROHIBITED_CONTENT)"
)


def failure(response: str) -> Failure:
    """Return "failed" for what no model said, "refused" for what answers nothing, "" for an answer.

    A missing value is to be given as "".

    >>> failure("[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout"), failure("No image was provided."), failure("No.")
    ('failed', 'refused', '')
    >>> failure("I can't see a dog."), failure("I'm sorry, but I can't assist with that."), failure("I cannot tell.")
    ('', 'refused', '')
    """
    head = response[:_READ].strip()
    if not head and not response.strip():
        return "failed"
    if head in _MISSING:
        return "failed"
    if len(head) < 4 or head.isalpha():
        return ""
    if _FAILED.match(head):
        return "failed"
    if _BLOCKED.match(head):
        return "refused"
    words = plain(response)
    if not words and not re.search(r"(?i)think|thought|reason|analysis|reflect", response[:200]):
        return "failed"
    return "refused" if words and refuses(words[:_READ]) else ""
