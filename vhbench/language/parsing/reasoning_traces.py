"""Thoughts without a tag that were cut off before they came to an answer: "Got it, let's look at each image. Image 1".

A model that thinks aloud says many things of which none is its answer, until it concludes.
"""

import re
from typing import Final

_BEGINS: Final = re.compile(
    r"(?i)\A\W*(?:(?:okay|ok|alright|all\s+right|right|so|hmm+|well|got\s+it|first(?:ly)?|now|sure)[,.!:\s]+){0,4}"
    r"(?:let'?s\b|let\s+(?:me|us)\b|i(?:'ll|\s+(?:will|need\s+to|have\s+to|should|must))\s"
    r"|we\s+(?:need|should|have)\s+to\b|the\s+(?:user|question|task|problem)\s+(?:is|asks?|wants?|says|needs)\b"
    r"|to\s+(?:determine|answer|find|figure|solve|decide|identify|count|check)\b[^.\n]{0,160}"
    r"\b(?:i|we|let'?s|let\s+me)(?:'ll)?\s(?:need|will|must|should|have|examine|look|check|compare|first))"
    r"|\A\W*(?:got\s+it|hmm+)\b"
)
_ALOUD: Final = re.compile(
    r"(?i)\A\W*(?:got\s+it|hmm+|(?:okay|alright|so),?\s+(?:so\s+)?(?:i\s+need|let'?s|let\s+me)|the\s+user"
    r"|the\s+question\s+asks)\b"
)
_CONCLUDES: Final = re.compile(
    r"(?i)\b(?:answer|choice|choose|pick|select|go(?:ing)?\s+with|say|conclude|conclusion|therefore|thus|hence|final\w*"
    r"|overall|so\s+(?:it|that|the|there|yes|no|image|[a-j]\b))\b"
    r"|(?:\A\W*|:\W*|\b(?:is|be|so|but),?\s+)(?:yes|no)\W*\Z|\A\W*(?:yes|no|none)\b(?=\W|\Z)(?!\s+[a-z]+\Z)"
    r"|\A\W*(?-i:[A-HJ])(?:\W*\Z|[.):]\s)"
)
_ENDS: Final = re.compile(r"[.!?](?=\s|\Z)|\n")


def unfinished(text: str) -> bool:
    """Tell whether a text is a thought that has no end.

    Args:
        text: what is said, without markup.

    >>> unfinished("Got it, let's look at each image. Image 1 shows a"), unfinished("Let me check. So the answer is B")
    (True, False)
    >>> unfinished("Let me look. There is no dog."), unfinished("A dog is on the")
    (False, False)
    """
    text = text.strip()
    if len(text.split()) < 3 or not _BEGINS.match(text[:400]):
        return False
    sentences = [sentence for sentence in _ENDS.split(text[-600:]) if sentence.strip()]
    concludes = bool(sentences) and _CONCLUDES.search(sentences[-1]) is not None
    if concludes:
        return False
    return text[-1:].isalnum() or text[-1:] in ",;:(-" or _ALOUD.match(text) is not None
