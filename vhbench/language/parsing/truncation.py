"""Whether a response ends before the answer does: no harness hands on why a model stopped, so its words must tell."""

import re

from vhbench.language.parsing.cleaning import plain

_MARKS = ".!?…:。！？।؟؛："
"""What ends a text; a heading ends with a colon."""
_CLOSERS = "\"'”’»*_`~ \n\t"
_SENTENCE = re.compile(r"[.!?][\"'”’)\]*_]*+\s|[。！？]")
_ITEM = re.compile(r"\s*+(?:[-*•+#|>]|\d{1,3}[.)]\s|[A-Za-z][.)]\s)")
_DANGLING = frozenset(
    "a an the of and or with at from for as into onto between its their his which whose is are was were has have"
    " appears seems very".split()
)
"""Words that end no sentence of a description."""
_LINE = 2_000


def cut_off(response: str, kind: str = "") -> bool:
    """Tell whether a response stops before its answer does.

    Known is only what the words show: that nothing but a thought was said, for it has no end or nothing follows it; and
    of a caption, that its last sentence has no end: it stops at a word such as "the", or sentences before it in its
    line have a full stop and it has none. What was cut at the end of a sentence is not found out, nor is a thought
    whose beginning and end are both missing.

    >>> cut_off("<think>A dog.</think>"), cut_off("<think>A dog.</think> yes"), cut_off("A dog. Yes")
    (True, False, False)
    >>> [cut_off(text, "caption") for text in ("A dog on a beach", "A dog. It runs along the sh", "A dog on the")]
    [False, True, True]
    """
    if response.strip() and not plain(response):
        return True  # there is nothing but a thought
    return kind == "caption" and _breaks_off(response.rstrip())


def _breaks_off(text: str) -> bool:
    """Tell whether the last sentence of a text has no end."""
    last_line = text[text.rfind("\n") + 1 :][-_LINE:]
    bare = last_line.rstrip(_CLOSERS)
    if not bare or bare[-1] in _MARKS or (not bare[-1].isalnum() and bare[-1] not in ",;-–—"):
        return False
    words = re.findall(r"\w+", bare[-100:])
    if words and words[-1].lower() in _DANGLING:
        return True
    return not _ITEM.match(last_line) and bool(_SENTENCE.search(last_line))
