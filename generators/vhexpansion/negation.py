"""Negated twins of yes/no questions: same image, opposite answer (arXiv 2410.11242).

There are three forms. As in the paper (section on negation), "a", "an" or "any" in a simple existence question becomes
"no", and other questions become "Is it false that …" over their declarative sentence. These natural twins are generated
only if subject, verb and scope are unambiguous. Any other yes/no question is quoted: 'Is "no" the right answer to this
question: "…?"' needs no grammar and always has the opposite answer.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from vhbench.generators.vhexpansion import word_lists as lists
from vhbench.generators.vhexpansion.question_parts import CannotNegate, Parts, bare, split_question, without_marks
from vhbench.generators.vhexpansion.subject import subject_length
from vhbench.language.inflection import third_person

ASKS_FOR_NO = 'is "no" the right answer to this question:'
MARKS = (('"', '"'), ("“", "”"), ("«", "»"), ("‹", "›"), ("⟪", "⟫"))
"""Quotation marks in order of preference; the first pair absent from the question is used."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Parsed yes/no question; the concatenated parts are the question.

    Attributes:
        before: instructions and leading phrases: "In the image, ".
        auxiliary: as written: "Is", "does".
        words: the rest up to the question mark, split at spaces; quotations are one word each.
        after: the question mark and the text after it.
    """

    before: str
    auxiliary: str
    words: tuple[str, ...]
    after: str


def negate(question: str) -> str:
    """Return the natural negated twin of a yes/no question, with the opposite answer.

    >>> negate("Is there a dog in the image?")
    'Is there no dog in the image?'
    >>> negate("Does the man ride a bike in this image?")
    'Is it false that the man rides a bike in this image?'

    Args:
        question: one English yes/no question; instructions before or after it are kept.

    Raises:
        CannotNegate: if it is not a single yes/no question, is already negated, or has an ambiguous subject, verb or
            scope; use :func:`quote` then.
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

    Text around the question stays outside the quotation. Marks within the question are never the ones around it. If the
    question is in quotation marks, the twin's marks replace them.

    >>> quote("Is the bottom left corner empty? Please answer yes or no.")
    'Is "no" the right answer to this question: "Is the bottom left corner empty?" Please answer yes or no.'

    Raises:
        CannotNegate: if it is not a single yes/no question.
    """
    parts = split_question(without_marks(question))
    asked = parts.asked[:1].upper() + parts.asked[1:]
    opening, closing = next((pair for pair in MARKS if not set(pair) & set(asked)), MARKS[-1])
    start = ASKS_FOR_NO if parts.before.rstrip().endswith(",") else ASKS_FOR_NO.capitalize()
    return f"{parts.before}{start} {opening}{asked}{closing}{parts.after}"


def declarative(clause: Clause) -> str:
    """Return the declarative form of a question: "Is the sky blue" → "the sky is blue".

    Raises:
        CannotNegate: if the end of the subject or the verb's form is ambiguous.
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
    """Return whether "no" for "a" negates the clause: "Is there a …" about one kind of object.

    Other quantifiers rule this out: if not every car has a person, there need not be "no person in every car".
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
    """Parse one yes/no question for natural negation.

    Raises:
        CannotNegate: if it is not a single yes/no question, or is a choice, a tag question or already negated.
    """
    parts = split_question(question)
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
        CannotNegate: if it does not, or the text around it may belong to it.
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
    """Return whether a lower-case word is a negation ("no", "never", "isn't"), unless quoted."""
    return word in lists.NEGATIONS or re.fullmatch(r"\w+n['’]t", word) is not None


def _check_existence(clause: Clause, words: list[str]) -> None:
    """Check that "Is there …" is one statement: no second main verb and no "and" equivalent.

    Raises:
        CannotNegate: if that is ambiguous.
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
    """Return whether the words after "a" are a quantity: "few birds", "even number of birds"."""
    return words[0] in lists.QUANTITIES or any(w in lists.QUANTITIES and of == "of" for w, of in pairwise(words))


def _text(clause: Clause) -> str:
    return " ".join([clause.auxiliary, *clause.words])


def _join(before: str, *words: str) -> str:
    return before + " ".join(words)
