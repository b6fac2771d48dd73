"""Negated twins of yes/no questions: the same image, the opposite answer (VHExpansion, arXiv 2410.11242, negation).

Three ways. As in the paper, in a question of simple existence "a", "an" or "any" becomes "no", and another question
becomes "Is it false that …" over its declarative sentence. These natural twins are made only where subject, verb and
scope are certain. Any other yes/no question is quoted: 'Is "no" the right answer to this question: "…?"' needs no
grammar and is always the opposite.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from vhbench.generators.vhexpansion import word_lists as lists
from vhbench.generators.vhexpansion.question_parts import CannotNegate, Parts, bare, take_apart, without_marks
from vhbench.generators.vhexpansion.subject import subject_length
from vhbench.language.inflection import third_person

ASKS_FOR_NO = 'is "no" the right answer to this question:'
MARKS = (('"', '"'), ("“", "”"), ("«", "»"), ("‹", "›"), ("⟪", "⟫"))
"""Quotation marks; a question that has the first ones in it is put into the next."""


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
    """Return the natural negated twin of a yes/no question: its right answer is the other one.

    >>> negate("Is there a dog in the image?")
    'Is there no dog in the image?'
    >>> negate("Does the man ride a bike in this image?")
    'Is it false that the man rides a bike in this image?'

    Args:
        question: one English yes/no question; instructions before or after it are kept as they are.

    Raises:
        CannotNegate: if it is not one yes/no question, is negated already, or the rule is not certain of its subject,
            verb and scope: then :func:`quote` negates it.
    """
    clause = parse(question)
    words = [bare(word) for word in clause.words]
    if words[:1] == ["there"]:
        _check_existence(clause, words)
        if is_simple_existence(clause):
            return _join(clause.before, clause.auxiliary, clause.words[0], "no", *clause.words[2:]) + clause.after
        if words[1:2] == ["any"] or words[2:3] == ["of"]:
            raise CannotNegate(f"'any' with other quantifiers: {question!r}")
    is_it = "is it" if clause.auxiliary[0].islower() else "Is it"
    if clause.auxiliary.lower() == "is" and words[:3] == ["it", "true", "that"] and len(words) > 3:
        return _join(clause.before, is_it, "false", *clause.words[2:]) + clause.after
    return _join(clause.before, is_it, "false that", declarative(clause)) + clause.after


def quote(question: str) -> str:
    """Return the quoted negated twin of a yes/no question, whatever its grammar.

    What stands around the question stays outside; marks that are in it are not those around it. Where the question
    stands in quotation marks, those of the twin take their place.

    >>> quote("Is the bottom left corner empty? Please answer yes or no.")
    'Is "no" the right answer to this question: "Is the bottom left corner empty?" Please answer yes or no.'

    Raises:
        CannotNegate: if it is not one yes/no question.
    """
    parts = take_apart(without_marks(question))
    asked = parts.asked[:1].upper() + parts.asked[1:]
    opening, closing = next((pair for pair in MARKS if not set(pair) & set(asked)), MARKS[-1])
    start = ASKS_FOR_NO if parts.before.rstrip().endswith(",") else ASKS_FOR_NO.capitalize()
    return f"{parts.before}{start} {opening}{asked}{closing}{parts.after}"


def declarative(clause: Clause) -> str:
    """Return the statement that a question asks about: "Is the sky blue" → "the sky is blue".

    Raises:
        CannotNegate: if the end of the subject is not certain, or the verb's form is not.
    """
    auxiliary = clause.auxiliary.lower()
    length = 1 if bare(clause.words[0]) == "there" else subject_length(auxiliary, clause.words)
    if length is None:
        raise CannotNegate(f"cannot tell the subject from what is said about it: {_text(clause)!r}")
    subject, said = list(clause.words[:length]), list(clause.words[length:])
    if auxiliary in {"did", "shall", "may"} or (auxiliary == "should" and bare(subject[0]) in {"i", "we"}):
        raise CannotNegate(f"cannot tell the form of the verb ({auxiliary!r}): {_text(clause)!r}")
    if auxiliary == "does":
        return " ".join([*subject, third_person(said[0]), *said[1:]])
    return " ".join([*subject, *([] if auxiliary == "do" else [auxiliary]), *said])


def is_simple_existence(clause: Clause) -> bool:
    """Tell whether the clause is "Is there a …" about one kind of thing, so that "no" in place of "a" flips it.

    Not where something else is quantified: a person in every car may be missing although there is not "no person in
    every car".
    """
    words = [bare(word) for word in clause.words]
    bending = lists.SCOPES | lists.UNCLEAR | lists.ANY | lists.QUANTIFIERS | lists.NUMBERS
    return (
        clause.auxiliary.lower() in lists.BE
        and len(words) >= 3
        and words[0] == "there"
        and words[1] in {"a", "an", "any"}
        and words[2] != "of"
        and not _counts(words[2:])
        and not bending & set(words[2:])
        and not any(word.isdigit() for word in words)
    )


def parse(question: str) -> Clause:
    """Take one yes/no question apart, so far as a natural negation may be made of it.

    Raises:
        CannotNegate: if it is no yes/no question, more than one, a choice, a tag question, or negated already.
    """
    parts = take_apart(question)
    clause = clause_of(question, parts)
    words = [clause.auxiliary.lower(), *(bare(word) for word in clause.words)]
    found = sorted(word for word in words if is_negation(word))
    if found:
        raise CannotNegate(f"negated already ({found[0]!r}): {question!r}")
    if re.search(r"[,;:]", " ".join(word for word in clause.words if word[:1] not in lists.QUOTES)):
        tag = re.search(r",\s*(right|correct|yes|ok|okay|huh|eh)$", _text(clause).lower())
        raise CannotNegate(f"{'a tag question' if tag else 'more than one clause'}: {question!r}")
    return clause


def clause_of(question: str, parts: Parts) -> Clause:
    """Return the clause of a question that begins with its verb.

    Raises:
        CannotNegate: if it does not, or what stands around it may belong to it.
    """
    words = parts.words
    if not words or words[0].lower() not in lists.AUXILIARIES:
        first = words[0] if words else ""
        if re.fullmatch(r"\w+n['’]t", first):
            raise CannotNegate(f"negated already ({first!r}): {question!r}")
        raise CannotNegate(f"it begins with {first!r} and not with a verb: {question!r}")
    if len(words) < 3:
        raise CannotNegate(f"cannot tell the subject from what is said about it: {question!r}")
    return Clause(before=parts.before, auxiliary=words[0], words=words[1:], after=parts.mark + parts.after)


def is_negation(word: str) -> bool:
    """Tell whether a bare lower-case word negates: "no", "never", "isn't" …; quoted words do not."""
    return word in lists.NEGATIONS or re.fullmatch(r"\w+n['’]t", word) is not None


def _check_existence(clause: Clause, words: list[str]) -> None:
    """Hold "Is there …" to one statement: a second verb is a relative clause's, and nothing stands for "and".

    Raises:
        CannotNegate: if that is not certain.
    """
    joined = " ".join(words)
    together = re.search(r"\b(?:as well as|along with|together with|in addition to|plus|minus)\b|[&+/;]", joined)
    unclear = (lists.SUBORDINATORS - {"than"} | lists.ANY | {"but", "nor", "either"}) & set(words[2:])
    verbs = [
        word
        for before, word in pairwise(words)
        if word in lists.AUXILIARIES - lists.MAIN_VERBS and before not in lists.RELATIVES - {"where"}
    ]
    if together or unclear or verbs or len(words) < 2:
        raise CannotNegate(f"cannot tell what the negation would govern: {_text(clause)!r}")


def _counts(words: list[str]) -> bool:
    """Tell whether what follows "a" counts rather than names: "few birds", "even number of birds"."""
    return words[0] in lists.QUANTITIES or any(w in lists.QUANTITIES and of == "of" for w, of in pairwise(words))


def _text(clause: Clause) -> str:
    return " ".join([clause.auxiliary, *clause.words])


def _join(before: str, *words: str) -> str:
    return before + " ".join(words)
