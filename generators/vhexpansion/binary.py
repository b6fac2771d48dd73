"""Rule-based conversion of multiple-choice questions to yes/no questions, one per option.

"Is the door open or closed? (a) open (b) closed" becomes "Is the door open?" and "Is the door closed?". If the question
does not name its options, it is quoted: 'For the question "…", is "red" the correct answer?'.
"""

import hashlib
import re
from dataclasses import replace

from vhbench.schema import Question


def binary(question: Question, *, one: bool = False) -> list[Question]:
    """Return equivalent yes/no questions of a multiple-choice question.

    Args:
        question: question with ``choices`` and a letter as ``answer``; one of kind "yes_no" is returned unchanged.
        one: return a question about one option only, so that the number of cases stays the same. The option depends
            only on the text: if a question is posed for two images with different answers, as in MMVP, one of the two
            is answered with yes and the other with no.
    """
    if one:
        questions = binary(question)
        words = "\n".join([question.question, *question.choices])
        drawn = questions[int.from_bytes(hashlib.sha256(words.encode()).digest()[:8]) % len(questions)]
        return [replace(drawn, id=question.id)]
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


def _as(question: Question, suffix: str, text: str, yes: bool) -> Question:
    answer = "yes" if yes else "no"
    return replace(question, id=question.id + suffix, question=text, answer=answer, kind="yes_no", choices=())


def _named(text: str, choices: tuple[str, ...]) -> list[str]:
    """Substitute each option where a question lists them ("open or closed"), or return []."""
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
    """Return an option in the question's spelling: "(a) Open" for "open or closed"."""
    option = choice.strip(" .")
    at = named.lower().find(option.lower())
    return named[at : at + len(option)]


def _quoted(text: str, choice: str) -> str:
    question = text.strip().replace('"', "'")
    option = choice.strip(" .").replace('"', "'")
    return f'For the question "{question}", is "{option}" the correct answer?'
