"""What is no answer at all: a request that failed, an empty response, a model that refuses or saw no image."""

import re
from typing import Literal

Failure = Literal["", "failed", "refused"]

_FAILED = re.compile(r"\A\W*(?:LMMS_EVAL_REQUEST_FAILED|None\Z|\Z)|\AError: ")
_REFUSED = re.compile(r"(?i)\A\W*(?:no image (?:was|is) provided|i (?:cannot|can't|am unable to) see the images?\b)")


def failure(response: str) -> Failure:
    """Return "failed" for what no model said, "refused" for what answers nothing, "" for an answer.

    >>> failure("[LMMS_EVAL_REQUEST_FAILED] timeout"), failure("No image was provided."), failure("No.")
    ('failed', 'refused', '')
    """
    return "failed" if _FAILED.match(response) else "refused" if _REFUSED.match(response) else ""
