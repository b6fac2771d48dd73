"""Multiple-choice questions as yes/no questions, one per option, by rule.

"Is the door open or closed? (a) open (b) closed" becomes "Is the door open?" and "Is the door closed?". Where the
question does not name its options, the question is quoted: 'For the question "…", is "red" the correct answer?'.
"""

import hashlib
import re
from dataclasses import replace

from vhbench.schema import Question


def binary(question: Question) -> list[Question]:
    """Return yes/no questions that say the same as a multiple-choice question; a yes/no question stays alone.

    Args:
        question: with ``choices`` and the right one's letter as ``answer``, or of kind "yes_no".
    """
    if question.kind == "yes_no":
        return [question]
    right = ord(question.answer) - ord("A")
    plain = {choice.lower().rstrip(".") for choice in question.choices}
    if plain == {"yes", "no"}:
        return [_as(question, "", question.question, question.choices[right].lower().startswith("yes"))]
    named = _named(question.question, question.choices)
    return [
        _as(question, f"-{letter}", named[index] if named else _quoted(question.question, choice), index == right)
        for index, (letter, choice) in enumerate(zip("abcdefgh", question.choices, strict=False))
    ]


def by_one_option(question: Question) -> Question:
    """Return one yes/no question, by one option, for a multiple-choice question: so many cases as questions.

    The option follows from the words alone: where a question is asked about two images whose right options differ, as
    in MMVP, one of the two is answered with yes and the other with no.
    """
    asked = binary(question)
    words = "\n".join([question.question, *question.choices])
    drawn = asked[int.from_bytes(hashlib.sha256(words.encode()).digest()[:8]) % len(asked)]
    return replace(drawn, id=question.id)


def _as(question: Question, suffix: str, text: str, yes: bool) -> Question:
    answer = "yes" if yes else "no"
    return replace(question, id=question.id + suffix, question=text, answer=answer, kind="yes_no", choices=())


def _named(text: str, choices: tuple[str, ...]) -> list[str]:
    """Put each option in the place where a question names them all: "… open or closed …"; [] where it does not."""
    if not re.match(r"(?i)(.*,\s*)?(is|are|was|were|does|do|did|has|have|can|will)\b", text):
        return []
    words = [re.escape(choice.strip(" .")) for choice in choices]
    orders = [words, words[::-1]] if len(words) == 2 else [words]
    for order in orders:
        listed = r",?\s+".join([*(f"{word},?" for word in order[:-2]), rf"{order[-2]},?\s+or\s+{order[-1]}"])
        match = re.search(rf"(?i)(?<![\w-]){listed}(?![\w-])", text)
        if match:
            return [text[: match.start()] + _like(match[0], choice) + text[match.end() :] for choice in choices]
    return []


def _like(named: str, choice: str) -> str:
    """Write an option as the question writes it: "(a) Open" where it says "open or closed"."""
    option = choice.strip(" .")
    at = named.lower().find(option.lower())
    return named[at : at + len(option)]


def _quoted(text: str, choice: str) -> str:
    question = text.strip().replace('"', "'")
    option = choice.strip(" .").replace('"', "'")
    return f'For the question "{question}", is "{option}" the correct answer?'
