"""Negated twins of yes/no questions: the same image, the opposite answer (VHExpansion, arXiv 2410.11242, negation).

Two ways, as in the paper: in a question of simple existence "a", "an" or "any" becomes "no"; any other question
becomes "Is it false that …" over its declarative sentence. The auxiliary moves behind its subject and nothing else
changes, not even an ending, so that a model's two answers differ by the negation alone.

The rule refuses rather than guesses: :class:`CannotNegate` says why.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from vhbench.generators.vhexpansion import word_lists as lists
from vhbench.generators.vhexpansion.subject import subject_length
from vhbench.schema import VhbenchError


class CannotNegate(VhbenchError):
    """The question has no negated twin that the rule can be sure of; the message says why."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A yes/no question in its parts; put together again they are the question.

    Attributes:
        before: instructions and leading phrases: "In the image, ".
        auxiliary: as written: "Is", "does".
        words: what follows, up to the question mark, split at spaces; quotations are one word each.
        after: the question mark and what follows it.
    """

    before: str
    auxiliary: str
    words: tuple[str, ...]
    after: str


def negate(question: str) -> str:
    """Return the negated twin of a yes/no question: its right answer is the other one.

    >>> negate("Is there a dog in the image?")
    'Is there no dog in the image?'
    >>> negate("Does the man ride a bike in this image?")
    'Is it false that the man does ride a bike in this image?'

    Args:
        question: one English yes/no question; instructions before or after it are kept as they are.

    Raises:
        CannotNegate: if it is not one yes/no question, is negated already, or its subject cannot be told apart.
    """
    clause = parse(question)
    words = [word.lower() for word in clause.words]
    if is_simple_existence(clause):
        return _join(clause.before, clause.auxiliary, clause.words[0], "no", *clause.words[2:]) + clause.after
    is_it = "is it" if clause.auxiliary[0].islower() else "Is it"
    if clause.auxiliary.lower() == "is" and words[:3] == ["it", "true", "that"]:
        return _join(clause.before, is_it, "false", *clause.words[2:]) + clause.after
    return _join(clause.before, is_it, "false that", declarative(clause)) + clause.after


def declarative(clause: Clause) -> str:
    """Return the statement that a question asks about: "Is the sky blue" → "the sky is blue".

    Raises:
        CannotNegate: if the subject's end cannot be found.
    """
    length = subject_length(clause.auxiliary, clause.words)
    if length is None:
        raise CannotNegate(f"cannot tell the subject from what is said about it: {_text(clause)!r}")
    return " ".join([*clause.words[:length], clause.auxiliary.lower(), *clause.words[length:]])


def is_simple_existence(clause: Clause) -> bool:
    """Tell whether the clause is "Is there a …" about one kind of thing, so that "no" in place of "a" flips it.

    Not where something else is quantified: a person in every car may be missing although there is not "no person in
    every car".
    """
    words = [_bare(word) for word in clause.words]
    return (
        clause.auxiliary.lower() in lists.BE
        and len(words) >= 3
        and words[0] == "there"
        and words[1] in {"a", "an", "any"}
        and not _counts(words[2:])
        and not (lists.SCOPES | lists.QUANTIFIERS - {"any", "some"}) & set(words[2:])
        and not any(word.endswith(",") for word in clause.words)
    )


def parse(question: str) -> Clause:
    """Take one yes/no question apart.

    Raises:
        CannotNegate: if it is no yes/no question, more than one, a choice, a tag question, or negated already.
    """
    clause = split(question)
    words = [clause.auxiliary.lower(), *(_bare(word) for word in clause.words)]
    found = sorted(word for word in words if is_negation(word))
    if found:
        raise CannotNegate(f"negated already ({found[0]!r}): {question!r}")
    if re.search(r",\s*(right|correct|yes|ok|okay|huh|eh)$", _text(clause).lower()):
        raise CannotNegate(f"a tag question: {question!r}")
    if "or" in words and not (words[1:2] == ["there"] or (words[0] in {"do", "can"} and words[1:2] == ["you"])):
        raise CannotNegate(f"asks for a choice ('or'), not for yes or no: {question!r}")
    return clause


def split(question: str) -> Clause:
    """Find the clause of a yes/no question, negated or not.

    Raises:
        CannotNegate: if there is none, or more than one.
    """
    masked, quotations = _mask(question)
    match = re.fullmatch(r"(?P<before>.*?[.!:\n]\s+|)(?P<body>[^?.!\n]+(?:\.\w[^?.!\n]*)*)(?P<after>[?.!]?\s*(?s:.*))",
                         masked.strip())  # fmt: skip
    if not match or "?" in match["after"][1:]:
        raise CannotNegate(f"not one yes/no question: {question!r}")
    before, words = _lead(match["before"], match["body"].split())
    if not words or words[0].lower() not in lists.AUXILIARIES:
        first = words[0] if words else ""
        if first.lower() in lists.QUESTION_WORDS:
            raise CannotNegate(f"not a yes/no question, it begins with {first!r}: {question!r}")
        if re.fullmatch(r"\w+n['’]t", first):
            raise CannotNegate(f"negated already ({first!r}): {question!r}")
        raise CannotNegate(f"not a yes/no question, it begins with {first!r} and not with a verb: {question!r}")
    return Clause(
        before=_unmask(before, quotations),
        auxiliary=words[0],
        words=tuple(_unmask(word, quotations) for word in words[1:]),
        after=_unmask(match["after"], quotations),
    )


def is_negation(word: str) -> bool:
    """Tell whether a bare lower-case word negates: "no", "never", "isn't" …; quoted words do not."""
    return word in lists.NEGATIONS or re.fullmatch(r"\w+n['’]t", word) is not None


def _lead(before: str, words: list[str]) -> tuple[str, list[str]]:
    """Move a leading phrase ("In the image, is …") out of the clause."""
    for index, word in enumerate(words[:-1]):
        if (
            word.endswith((",", ":"))
            and words[index + 1].lower() in lists.AUXILIARIES
            and words[0].lower() not in lists.AUXILIARIES
        ):
            return before + " ".join(words[: index + 1]) + " ", words[index + 1 :]
    return before, words


def _mask(text: str) -> tuple[str, list[str]]:
    """Put a mark in the place of each quotation, so that its words and marks are not read as the question's."""
    quotations: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quotations.append(match[0])
        return f"\0{len(quotations) - 1}\0"

    return re.sub(r'"[^"]*"|“[^”]*”', keep, text.replace("\0", "")), quotations


def _unmask(text: str, quotations: list[str]) -> str:
    return re.sub("\0(\\d+)\0", lambda match: quotations[int(match[1])], text)


def _counts(words: list[str]) -> bool:
    """Tell whether what follows "a" counts rather than names: "few birds", "even number of birds"."""
    return words[0] in lists.QUANTITIES or any(w in lists.QUANTITIES and of == "of" for w, of in pairwise(words))


def _bare(word: str) -> str:
    return "" if word[:1] in {'"', "“"} else word.lower().strip(".,;:!?()'")


def _text(clause: Clause) -> str:
    return " ".join([clause.auxiliary, *clause.words])


def _join(before: str, *words: str) -> str:
    return before + " ".join(words)
