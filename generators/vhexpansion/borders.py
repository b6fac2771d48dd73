"""Independent check of where a verb may be inserted in a statement.

The grammar in :mod:`~vhbench.generators.vhexpansion.subject` parses whole phrases, and repeating it would repeat its
errors. These rules only inspect adjacent words, and one violation suffices. They may reject a correct border but accept
few incorrect ones.
"""

from collections.abc import Sequence
from itertools import pairwise

from vhbench.generators.vhexpansion import word_lists as lists

Words = Sequence[str]
_OPEN = lists.ARTICLES | lists.PREPOSITIONS | lists.CONJUNCTIONS | {"of", "very", "his", "her", "its", "their", "than"}
_MAY_END = frozenset({"this", "her", "on", "off", "up", "down", "out", "in"})
_POINTING = lists.DEMONSTRATIVES
_PERSONS = lists.PRONOUNS - lists.DEMONSTRATIVES
_BEGIN = (lists.DETERMINERS | {"its", "his", "her", "their", "my", "your"}) - {"that", "all", "both"}


def tears(auxiliary: str, before: Words, after: Words) -> bool:
    """Return whether a verb between ``before`` and ``after`` splits a phrase.

    The words are lower-case and without punctuation.

    >>> tears("is", ["the", "bottom"], ["left", "corner", "empty"])
    True
    >>> tears("is", ["the", "bottom", "left", "corner"], ["empty"])
    False
    """
    if before[0] in _PERSONS:
        return len(before) > 1
    if _hangs(before, after) or _has_no_noun(before):
        return True
    if auxiliary not in lists.BE:
        verbs = lists.VERBS | lists.BE | lists.HAVE | lists.PARTICIPLES | lists.DEGREES | {"be", "been"}
        return after[0] not in verbs and not after[0].endswith("ed")
    return _cuts_name(before, after) or _says_two_things(after)


def _hangs(before: Words, after: Words) -> bool:
    """Return whether the two words at the border belong together."""
    last, first = before[-1], after[0]
    described = last in lists.DIRECTIONS and set("NV") & lists.kinds_of(first) == {"N"} and not _closed(first)
    begins = first in lists.DETERMINERS or first in lists.NUMBERS
    reaches = last in lists.PREPOSITIONS and (
        begins or (not _closed(first) and bool(set("Nc") & lists.kinds_of(first)))
    )
    loose = set("NV") & lists.kinds_of(last) == {"V"} and (begins or first in lists.PREPOSITIONS | {"to"})
    late = lists.kinds_of(last) == {"A"} and _surely_names("".join(before[-2:-1]))  # "the dogs small | are puppies"
    return (
        last in _OPEN - _MAY_END
        or last.endswith(("'s", "’s"))
        or f"{last} {first}" in lists.COMPOUNDS
        or first in {"of", "and", "or", "than"}
        or "than" in before
        or "same" in before[2:]
        or (reaches or loose or late or described)
    )


def _has_no_noun(before: Words) -> bool:
    """Return whether a subject of several words has no noun: "all | are the lines"."""
    if len(before) == 1 and before[0] in _POINTING:
        return False
    return not any(not word or _may_name(word) or word in {"one", "ones"} for word in before)


def _cuts_name(before: Words, after: Words) -> bool:
    """Return whether a noun phrase continues after the border: "this chicken | is soup"."""
    if before[-1] in lists.NUMBERS - {"one", "ones"} or before[-1].isdigit():
        return any(_surely_names(word) for word in after[:3])
    if after[0] in {"off", "up", "out", "away"} and len(after) > 1 and "A" in lists.kinds_of(after[1]):
        return True
    bare = 0
    while bare < len(after) and "A" in lists.kinds_of(after[bare]) and not _closed(after[bare]):
        bare += 1
    named = bare < len(after) and _surely_names(after[bare])
    end = next((i for i in range(bare, len(after)) if not _surely_names(after[i])), len(after))
    several = end > bare and after[end - 1].endswith("s")  # "the forest | is fruit trees"
    participle = bare and "V" in lists.kinds_of(after[bare - 1])  # "is wearing | glasses"
    pointed = before[0] in _POINTING and all("N" in lists.kinds_of(word) and not _closed(word) for word in after)
    described = bare and _surely_names(before[-1])  # "the wall | is natural wood"
    return (named and not (several or participle or described)) or (pointed and len(before) > 1)


def _says_two_things(after: Words) -> bool:
    """Return whether a noun is followed by a second predicate: "is in the box | red"."""
    for i, (word, following) in enumerate(pairwise(after)):
        if not _surely_names(word) or f"{word} {following}" in lists.COMPOUNDS:
            continue
        rest = after[i + 2 : i + 3]
        kinds = lists.kinds_of(following)
        alone = not rest or not _may_name(rest[0])
        placed = after[0] in lists.PREPOSITIONS and not kinds & {"N"}  # "is in the corner | sleeping"
        described = "A" in kinds and (placed or (alone and not kinds & {"N", "V"})) and not _closed(following)
        if described or following in _BEGIN or following.isdigit():
            return True
    return False


def _surely_names(word: str) -> bool:
    return not _closed(word) and lists.kinds_of(word) == {"N"}


def _may_name(word: str) -> bool:
    return (not _closed(word) and bool(lists.kinds_of(word) & {"N", "c", "s", "d"})) or word in lists.DIRECTIONS


def _closed(word: str) -> bool:
    return word in lists.CLOSED_CLASSES or word in lists.NUMBERS
