"""Detection of responses without an answer: failed requests, empty responses, refusals.

A false "refused" would discard an answer, so a refusal must have no other content: "I can't identify people, but the
man wears a hat" answers, and "I can't see a dog" does. Not knowing ("I cannot tell", "Unanswerable") is neither failed
nor refused: it abstains, if nothing in it is parsed.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Literal

from vhbench.language.parsing.cleaning import cached_by_text, plain
from vhbench.language.parsing.wordings import wording
from vhbench.tsv import records

Failure = Literal["", "failed", "refused"]

UNSURE = re.compile("(?i)" + wording("unsure"))  # not knowing the answer
_MARGIN = 3_000  # characters; a refusal is at the beginning or the end
_MISSING = frozenset("None NoneType nan NaN <NA> null NULL undefined Timeout timeout Error error ERROR".split())
_BLOCKED = re.compile(
    r"(?i)\A\W*(?:SAFETY_BLOCKED|(?:finish_reason|block_reason)\W+(?:SAFETY|PROHIBITED)|PROHIBITED_CONTENT)"
)
_ROWS = records(Path(__file__).with_suffix(".tsv"), lambda kind, language, form: (kind, language, form), {})
_PARTS = {name: form for kind, name, form in _ROWS if kind == "part"}


def _forms(kind: str, *languages: str) -> str:
    """Return a pattern for a class in ``failures.tsv``, where a space matches any white space."""
    forms = "|".join(form for name, language, form in _ROWS if name == kind and language in (languages or (language,)))
    for name, part in _PARTS.items():
        forms = forms.replace(f"<{name}>", part)
    return forms.replace(" ", r"\s+")


# Error texts that clients, servers and evaluation harnesses store as a response; matched at its start.
_FAILED = re.compile(rf"(?i)\A[\s\"'`]*(?:{_forms('failed')})")
_ENGLISH = re.compile(f"(?i){_forms('refused', 'en')}")
_ABROAD = re.compile(f"(?i){_forms('refused', *'zh ja ko fr de es pt it ru ar hi'.split())}")
_COURTESY = re.compile(rf"(?i)\A\W*(?:{_forms('courtesy')})\W*\Z")
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


@cached_by_text
def failure(response: str) -> Failure:
    """Return "failed" for a failed request, "refused" for a refusal, "" for an answer.

    Pass a missing value as "".

    >>> failure("[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout"), failure("No image was provided."), failure("No.")
    ('failed', 'refused', '')
    >>> failure("I can't see a dog."), failure("I'm sorry, but I can't assist with that."), failure("I cannot tell.")
    ('', 'refused', '')
    """
    head = response[:_MARGIN].strip()
    if head in _MISSING or not response.strip():
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
    return "refused" if words and _refuses(words[:_MARGIN]) else ""


@cached_by_text
def unsure(response: str) -> bool:
    """Return whether a response abstains: it cannot tell.

    >>> unsure("I cannot tell from the image."), unsure("Unanswerable"), unsure("The dog or the cat.")
    (True, True, False)
    """
    words = plain(response)
    return bool(UNSURE.search(words[:_MARGIN]) or UNSURE.search(words[-_MARGIN:]))


def _refuses(text: str) -> bool:
    """Return whether a text refuses in one of its first sentences, without other content."""
    if _ABROAD.search(text[:400]):
        return True
    first = next(_parts(text), "")
    if _answers(first) and not _ENGLISH.search(first):
        return False  # as most descriptions: there is other content
    if not any(map(_ENGLISH.search, islice(_parts(text), 4))):
        return False
    parts = list(_parts(text))
    refusals = [index for index, part in enumerate(parts[:40]) if _ENGLISH.search(part)]
    return not any(_answers(part) for index, part in enumerate(parts) if index not in refusals)


def _parts(text: str) -> Iterator[str]:
    """Yield the clauses of a text lazily; often the first are enough."""
    start = 0
    for cut in _CUT.finditer(text):
        if part := text[start : cut.start()].strip():
            yield part
        start = cut.end()
    if part := text[start:].strip():
        yield part


def _answers(part: str) -> bool:
    """Return whether a sentence may be an answer: neither courtesy nor inability."""
    if _CONTENT.search(part):
        return True
    return not (_COURTESY.match(part) or _HELPLESS.search(part)) and len(part.split()) > 1
