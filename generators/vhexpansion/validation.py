"""Validation of negated twins, independent of their author.

A twin has the opposite answer for every image and no other change. It is parsed independently of its generator: the
text around the question is unchanged, the words are the same in the same order, and the one new negation governs the
whole statement. Ambiguous twins are rejected.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from vhbench.generators.vhexpansion import word_lists as lists
from vhbench.generators.vhexpansion.borders import tears
from vhbench.generators.vhexpansion.question_parts import (
    LONGEST,
    CannotNegate,
    Parts,
    bare,
    is_neutral,
    split_question,
    without_marks,
)
from vhbench.generators.vhexpansion.subject import subject_length
from vhbench.language.inflection import third_person

OPENINGS = tuple(
    opening.split()
    for opening in (
        "it false that", "it not true that", "it untrue that", "it incorrect that", "it not the case that",
    )
)  # fmt: skip
"""Phrases after "Is" that negate the rest."""

_QUOTING = re.compile(
    r'(?P<before>.*?)(?P<is>[Ii]s) "no" the right answer to this question: '
    r'(?:"(?P<a>[^"]+)"|“(?P<b>[^“”]+)”|«(?P<c>[^«»]+)»|‹(?P<d>[^‹›]+)›|⟪(?P<e>.+)⟫)(?P<after>.*)',
    re.DOTALL,
)
_TWO = re.compile(
    rf"\b(?:and|but|or|while|then) (?:{'|'.join(sorted(lists.AUXILIARIES))}) \w"
    r"|\bas well as\b|\balong with\b|\bplus\b|[&;]"
)
Words = Sequence[str]


def why_not_negation(question: str, candidate: str) -> str:
    """Return why ``candidate`` is not the negated twin of ``question``; "" if it is.

    >>> why_not_negation("Is the dog brown?", "Is it not true that the dog is brown?")
    ''
    >>> why_not_negation("Is the dog brown?", "Is it false that the dog is black?")
    "other content: added 'black', lost 'brown'"
    """
    if len(candidate) > 2 * LONGEST:
        return f"longer than {2 * LONGEST} characters"
    if (quoted := _QUOTING.fullmatch(candidate.strip())) and not _QUOTING.fullmatch(question.strip()):
        return _wrong_quotation(question, quoted)
    try:
        original = split_question(question)
    except CannotNegate as error:
        return f"the original: {error}"
    if quoted:
        return _wrong_quotation(question, quoted)
    asked = [bare(word) for word in original.words]
    if found := [word for word in asked if _negates(word)]:
        return f"the original: negated already ({found[0]!r}): {question!r}"
    try:
        twin = split_question(candidate)
    except CannotNegate as error:
        return str(error)
    return _around(original, twin) or _wrong_words(original, asked, twin)


def _wrong_quotation(question: str, found: re.Match[str]) -> str:
    """Return why a quoted twin does not quote its question; "" if it does."""
    asked = next(found[name] for name in "abcde" if found[name])
    before, after = found["before"], found["after"]
    try:
        whole = split_question(without_marks(question))
    except CannotNegate as error:
        return f"the original: {error}"
    if _squashed(f"{before}{asked}{after}") != _squashed(f"{whole.before}{whole.asked}{whole.after}"):
        return "the quoted question is not the original"
    try:
        parts = split_question(asked)
    except CannotNegate as error:
        return f"the original: {error}"
    if parts.after or (before.strip() and not before.rstrip(" ").endswith((".", "!", ":", ">", "]", "\n", ","))):
        return "the words around the question changed"
    if _squashed(whole.after) != _squashed(after) or _squashed(whole.before) != _squashed(before):
        return "the words around the question changed"
    clause = before.rstrip().rpartition(",")[1] == "," and before.rstrip().endswith(",")
    return "the words before the question belong to it" if clause and not is_neutral(before) else ""


def _around(original: Parts, twin: Parts) -> str:
    """Return whether the surrounding text changed or the twin lacks an initial verb."""
    here = (original.before.strip().lower(), original.mark, original.after.strip())
    there = (twin.before.strip().lower(), twin.mark, twin.after.strip())
    first = twin.words[0]
    begins = first.lower() in lists.AUXILIARIES
    if (", " in twin.asked and not begins) or (begins and here != there):
        return "the words around the question changed"
    if re.fullmatch(r"\w+n['’]t", first):
        return f"negated already ({first!r}): {twin.asked!r}"
    if not begins:
        return f"it begins with {first!r} and not with a verb: {twin.asked!r}"
    if original.words[0].lower() not in lists.AUXILIARIES:
        return "the original does not begin with a verb: only a quotation negates it safely"
    return ""


def _wrong_words(original: Parts, asked: list[str], twin: Parts) -> str:
    """Return changed words, or why the negation lacks full scope; "" if the twin is valid."""
    said = [bare(word) or word for word in twin.words]
    asked = [word or full for word, full in zip(asked, original.words, strict=True)]
    negations = [word for word in said if _negates(word)]
    if len(negations) != 1:
        return f"{len(negations)} negations where there must be one"
    if _TWO.search(" ".join(asked)) or any(word.endswith(",") for word in original.words):
        return "the negation cannot govern two clauses"
    for opening in OPENINGS:
        if said[: len(opening) + 1] == ["is", *opening]:
            return _wrong_statement(original, asked, said[len(opening) + 1 :])
    if said[1:3] == ["there", "no"]:
        return _wrong_existence(asked, said)
    if "not" in said:
        return _wrong_not(original, asked, said)
    return _difference(
        asked, [word for word in said if not _negates(word)], "the negation does not govern the question"
    )


def _wrong_statement(original: Parts, asked: list[str], statement: list[str]) -> str:
    """Return why a statement is not the declarative form of the question; "" if it is."""
    if asked[:4] == ["is", "it", "true", "that"]:
        return "" if statement == asked[4:] else _difference(asked[4:], statement, "")
    auxiliary, rest = asked[0], asked[1:]
    borders = [cut for cut in range(1, len(rest)) if _stated(auxiliary, rest, cut, statement)]
    if not borders:
        return _difference([*rest, auxiliary], statement, "", free={"do", "does"})
    border = _border(original, asked)
    if border not in borders or (rest[0] != "there" and tears(auxiliary, rest[:border], rest[border:])):
        return "the verb is not at the end of the subject"
    return ""


def _stated(auxiliary: str, rest: Words, cut: int, statement: Words) -> bool:
    """Return whether a statement is the question's words with the verb at a cut."""
    before, after = list(rest[:cut]), list(rest[cut:])
    forms = [[*before, auxiliary, *after]]
    if auxiliary == "does":
        forms.append([*before, third_person(after[0]), *after[1:]])
    if auxiliary == "do":
        forms.append([*before, *after])
    return list(statement) in forms


def _border(original: Parts, asked: Words) -> int | None:
    return 1 if asked[1] == "there" else subject_length(asked[0], original.words[1:])


def _wrong_existence(asked: list[str], said: list[str]) -> str:
    """Return why "Is there no …" does not negate "Is there a …"; "" if it does."""
    if asked[1:2] != ["there"] or asked[2:3] not in (["a"], ["an"], ["any"]):
        return _difference(
            asked, [*said[:2], *said[3:]], "'no' does not negate the whole of this question", free=_LIGHT
        )
    if [*asked[:2], *asked[3:]] != [*said[:2], *said[3:]]:
        return _difference(asked[3:], said[3:], "")
    bending = lists.SCOPES | lists.UNCLEAR | lists.QUANTIFIERS | lists.NUMBERS | lists.ANY | lists.SUBORDINATORS
    rest = asked[3:]
    counting = {*rest[:1]} & lists.QUANTITIES or any(
        word in lists.QUANTITIES and of == "of" for word, of in pairwise(rest)
    )
    if bending & set(rest) or counting or any(re.search(r"[\d&+/]", word) for word in rest):
        return "'no' does not negate the whole of this question"
    return ""


def _wrong_not(original: Parts, asked: list[str], said: list[str]) -> str:
    """Return why a "not" within the question does not negate the whole; "" if it does."""
    at = said.index("not")
    if [*said[:at], *said[at + 1 :]] != asked:
        return _difference(asked, [*said[:at], *said[at + 1 :]], "")
    if (lists.QUANTIFIERS | lists.CONJUNCTIONS | lists.ANY | lists.NUMBERS) & set(asked):
        return "the negation does not govern the quantifier or conjunction"
    possible = asked[0] in lists.AUXILIARIES - lists.BE - lists.HAVE - {"do", "does", "did"}  # "can you not": cannot?
    if asked[1] == "there" or possible or at - 1 != _border(original, asked):
        return "the negation is not where it governs the whole statement"
    return ""


_LIGHT = frozenset({"a", "an", "any", "there"})


def _difference(before: Words, after: Words, otherwise: str, *, free: set[str] | frozenset[str] = frozenset()) -> str:
    """Describe added and lost words, or else return ``otherwise`` or report a changed order."""
    lost, added = (sorted(set(Counter(a) - Counter(b)) - free) for a, b in ((before, after), (after, before)))
    named = [f"{what} {', '.join(map(repr, found))}" for what, found in (("added", added), ("lost", lost)) if found]
    if named:
        return f"other content: {', '.join(named)}"
    return otherwise or "the words changed their order"


def _negates(word: str) -> bool:
    return word in lists.NEGATIONS or re.fullmatch(r"\w+n['’]t", word) is not None


def _squashed(text: str) -> str:
    return " ".join(text.replace("\0", "").split()).casefold()
