"""Detection of truncated responses from their text, without stop reasons.

A response that reasons without tags contains many sentences that are not its answer, until it concludes.
"""

import re
from typing import Final

from vhbench.language import lexicon
from vhbench.language.parsing.cleaning import NOT_APPLICABLE, plain
from vhbench.language.parsing.wordings import wording

_MARKS = ".!?…:。！？।؟؛："  # final characters of a text; a heading ends with a colon
_CLOSERS = "\"'”’»*_`~ \n\t"
_SENTENCE = re.compile(r"[.!?][\"'”’)\]*_]*+\s|[。！？]")
_ITEM = re.compile(r"\s*+(?:[-*•+#|>]|\d{1,3}[.)]\s|[A-Za-z][.)]\s)")
_DANGLING = lexicon.words("end no sentence")  # words that do not end a sentence of a description
_LINE = 2_000  # characters; bounds the time of the patterns
_FEW = 30  # Words of a short response, whose conclusion need not be its last sentence: "Hmm. I go with A. B is wrong."
_THOUGHT_BEGINS: Final = re.compile("(?i)" + wording("thought begins"))
_ALOUD: Final = re.compile("(?i)" + wording("thinks aloud"))
_CONCLUDES: Final = re.compile("(?i)" + wording("response concludes"))
# Item on an option without the end of its sentence: "A. A dog: The image"
_ITEM_BEGUN: Final = re.compile(
    r"(?i)(?:\A|\n)\W*(?:\d{1,2}[.)]\W*)?(?-i:[A-J])[.):][^:\n]+:\s+(?:the|this|it|in|there|an?)\b[^\n.!?]*\w\Z"
)
_SENTENCE_ENDS: Final = re.compile(r"[.!?](?=\s|\Z)|\n")


def cut_off(response: str, kind: str = "") -> bool:
    """Return whether a response stops before its answer does.

    The text shows only two cases: a response without anything after its reasoning, which may be unfinished; and a
    caption whose last sentence is incomplete: it stops at a word such as "the", or lacks the full stop that earlier
    sentences in its line have. Truncation at the end of a sentence is not detected, nor is reasoning without both tags.

    >>> cut_off("<think>A dog.</think>"), cut_off("<think>A dog.</think> yes"), cut_off("A dog. Yes")
    (True, False, False)
    >>> [cut_off(text, "caption") for text in ("A dog on a beach", "A dog. It runs along the sh", "A dog on the")]
    [False, True, True]
    """
    if response.strip() and not plain(response):
        return True  # there is only reasoning
    return kind == "caption" and not NOT_APPLICABLE.fullmatch(response.strip()) and _breaks_off(response.rstrip())


def _breaks_off(text: str) -> bool:
    """Return whether the last sentence of a text is incomplete."""
    last_line = text[text.rfind("\n") + 1 :][-_LINE:]
    bare = last_line.rstrip(_CLOSERS)
    if not bare or bare[-1] in _MARKS or (not bare[-1].isalnum() and bare[-1] not in ",;-–—"):
        return False
    words = re.findall(r"\w+", bare[-100:])
    if words and words[-1].lower() in _DANGLING:
        return True
    return not _ITEM.match(last_line) and bool(_SENTENCE.search(last_line))


def unfinished(text: str) -> bool:
    """Return whether a response without markup is unfinished reasoning.

    >>> unfinished("Got it, let's look at each image. Image 1 shows a"), unfinished("Let me check. So the answer is B")
    (True, False)
    >>> unfinished("Let me look. There is no dog."), unfinished("A dog is on the")
    (False, False)
    """
    text = text.strip()
    if len(text.split()) < 3 or not _THOUGHT_BEGINS.match(text[:400]):
        return False
    sentences = [sentence for sentence in _SENTENCE_ENDS.split(text[-600:]) if sentence.strip()]
    last = sentences[1:] or sentences if len(text.split()) <= _FEW else sentences[-2:]  # the first is a plan
    concludes = any(map(_CONCLUDES.search, last))
    if concludes and not _ITEM_BEGUN.search(text[-600:]):
        return False
    return text[-1:].isalnum() or text[-1:] in ",;:(-" or _ALOUD.match(text) is not None
