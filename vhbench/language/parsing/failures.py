"""What is no answer at all: a request that failed, an empty response, a model that refuses or saw no image.

A wrong "refused" would take a real answer away, so a text is one only if nothing else is left in it: "I can't identify
people, but the man wears a hat" answers, and "I can't see a dog" does. Not to know ("I cannot tell", "Unanswerable") is
neither: it is an answer that says nothing.
"""

import re
from typing import Literal

from vhbench.language.parsing.cleaning import plain
from vhbench.language.parsing.refusals import forms, refuses
from vhbench.language.parsing.text_cache import remembered

Failure = Literal["", "failed", "refused"]

_READ = 3_000
_MISSING = frozenset(
    (
        "None",
        "NoneType",
        "nan",
        "NaN",
        "<NA>",
        "null",
        "NULL",
        "undefined",
        "Timeout",
        "timeout",
        "Error",
        "error",
        "ERROR",
    )
)
# What clients, servers and evaluation harnesses write where an answer should be: it begins so.
_FAILED = re.compile(rf"(?i)\A[\s\"'`]*(?:{'|'.join(forms('failed'))})")
_BLOCKED = re.compile(
    r"(?i)\A\W*(?:SAFETY_BLOCKED|(?:finish_reason|block_reason)\W+(?:SAFETY|PROHIBITED)|PROHIBITED_CONTENT)"
)


@remembered
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
