"""Whether a rewritten question really is the negated twin of the original one, whoever wrote it.

A twin has the opposite answer in every picture and says nothing else. So exactly one negation may be new, it must
stand where it governs the whole statement, and every other content word must still be there.
"""

import re
from collections import Counter

from vhbench.generators.vhexpansion.negation import CannotNegate, Clause, is_negation, is_simple_existence, parse, split
from vhbench.generators.vhexpansion.subject import subject_length
from vhbench.generators.vhexpansion.word_lists import CONJUNCTIONS, QUANTIFIERS

OPENINGS = tuple(
    opening.split()
    for opening in ("it false that", "it not true that", "it untrue that", "it incorrect that", "it not the case that")
)
"""What may stand behind "Is" so that all that follows is negated."""

FREE = frozenset({"a", "an", "the", "do", "does"})
"""What a rewriter may add or drop besides the negation."""


def why_not_negation(question: str, candidate: str) -> str:
    """Return why ``candidate`` is not the negated twin of ``question``; "" if it is.

    >>> why_not_negation("Is the dog brown?", "Is it not true that the dog is brown?")
    ''
    >>> why_not_negation("Is the dog brown?", "Is it false that the dog is black?")
    "other content: added 'black', lost 'brown'"
    """
    try:
        original = parse(question)
    except CannotNegate as error:
        return f"the original: {error}"
    try:
        twin = split(candidate)
    except CannotNegate as error:
        return str(error)
    if (twin.before.strip().lower(), twin.after.strip()) != (original.before.strip().lower(), original.after.strip()):
        return "the words around the question changed"
    negations = [word for word in _words(twin) if is_negation(word)]
    if len(negations) != 1:
        return f"{len(negations)} negations where there must be one"
    return _wrong_scope(original, twin) or _other_content(original, twin)


def _wrong_scope(original: Clause, twin: Clause) -> str:
    """Say why the negation does not govern the whole statement; "" if it does."""
    words = _words(twin)
    if any(words[: len(opening) + 1] == ["is", *opening] for opening in OPENINGS):
        return ""
    if words[1:3] == ["there", "no"]:
        return "" if is_simple_existence(original) else "'no' does not negate the whole of this question"
    if {*QUANTIFIERS, *CONJUNCTIONS, "any"} & set(_words(original)):
        return "the negation does not govern the quantifier or conjunction"
    length = subject_length(original.auxiliary, original.words)
    if length is not None and words[: length + 2] == [*_words(original)[: length + 1], "not"]:
        return ""
    return "the negation is not where it governs the whole statement"


def _other_content(original: Clause, twin: Clause) -> str:
    """Say which words changed besides the negation; "" if none, and their order is the same."""
    asked = _words(original)
    if asked[:4] == ["is", "it", "true", "that"]:
        asked = asked[3:]
    before = _content(asked[1:], original)
    words = _words(twin)
    opening = next((len(o) + 1 for o in OPENINGS if words[: len(o) + 1] == ["is", *o]), 1)
    after = _content(words[opening:], original)
    auxiliary = _stem(original.auxiliary.lower())
    # The auxiliary stands somewhere behind the subject now; "do" may have become an ending.
    moved = [after[:i] + after[i + 1 :] for i, word in enumerate(after) if word == auxiliary]
    if before in [after, *moved]:
        return ""
    added = sorted(Counter(after) - Counter([*before, auxiliary]))
    lost = sorted(Counter(before) - Counter(after))
    named = [f"{what} {', '.join(map(repr, found))}" for what, found in (("added", added), ("lost", lost)) if found]
    return f"other content: {', '.join(named)}" if named else "the words changed their order"


def _content(words: list[str], original: Clause) -> list[str]:
    free = FREE | {"any"} if is_simple_existence(original) else FREE
    return [_stem(word) for word in words if word and word not in free and not is_negation(word)]


def _words(clause: Clause) -> list[str]:
    return [word.lower().strip(".,;:!?()'") for word in [clause.auxiliary, *clause.words]]


def _stem(word: str) -> str:
    """Take a verb's "-s" away: "rides" after "does … ride" is the same content."""
    if len(word) <= 3:
        return "have" if word == "has" else word
    return re.sub(r"(?<=[^s])s$|(?<=sh|ch|ss)es$", "", word)
