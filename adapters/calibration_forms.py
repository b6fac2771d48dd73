"""Response formats of the oracle, modelled on real models, for testing parsers.

Each is a function of a row of a split and the plain answer: "yes", "no", a letter or a caption.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from vhbench.language import inflection

Doc = Mapping[str, Any]


def caption(words: Sequence[str]) -> str:
    """Return a caption that names objects.

    >>> caption(["dog", "boat"])
    'A picture of dog and boat.'
    """
    return "A picture of " + " and ".join(words) + "." if words else "A picture."


def as_statement(question: str, true: bool) -> str:
    """Return the statement behind one of our yes/no questions, or its negation; "Yes." or "No." for other wordings.

    >>> as_statement("Is there no dog in the image?", True)
    'There is no dog in the image.'
    >>> as_statement("Is there an owl in any of the images?", False)
    'There is no owl in any of the images.'
    >>> as_statement("Is the red ball in the image wet?", False), as_statement("Does the image show a park?", True)
    ('The red ball in the image is not wet.', 'The image shows a park.')
    >>> as_statement("Is it false that there are exactly two dogs in the image?", False)
    'There are exactly two dogs in the image.'
    """
    text = question.rstrip("?")
    if match := re.match(r"Is it false that ", text):
        return _sentence(text[match.end() :], not true)
    if match := re.match(r"(Is|Are) there no ", text):
        rest = text[match.end() :]
        thing = rest if match[1] == "Are" else inflection.with_article(rest)
        return _sentence(f"there {match[1].lower()} {thing}", not true)
    verb, rest = text.split(" ", 1)
    subject = re.match(r"there|it|the image|the .+? in the image(?= \w)|the \w+", rest)
    if subject is None:
        return "Yes." if true else "No."
    return _sentence(f"{subject[0]} {verb.lower()}{rest[subject.end() :]}", true)


def _sentence(claim: str, true: bool) -> str:
    """Return a claim ("there is a dog") or its negation as a sentence."""
    if true:
        claim = claim.replace(" does show ", " shows ").replace(" in any of ", " in at least one of ")
    elif "in every image" not in claim and (match := re.match(r"there (is|are) (?:an? )?(?!exactly)", claim)):
        claim = f"there {match[1]} no {claim[match.end() :]}"
    else:
        claim = re.sub(r" (is|are|does) ", r" \1 not ", claim.replace(" shows ", " does show ", 1), count=1)
    return f"{claim[0].upper()}{claim[1:]}."


def _in_a_sentence(doc: Doc, answer: str) -> str:
    """Affirm or deny the question, or name the option's text."""
    if doc["kind"] == "caption":
        return answer
    if doc["choices"]:
        return f"The answer is {doc['choices'][ascii_uppercase.index(answer)]}."
    return as_statement(doc["question"], answer == "yes")


def _after_a_thought(doc: Doc, correct: str) -> str:
    """Reason about the incorrect answers first, to expose parsers that read the reasoning."""
    if doc["kind"] == "caption":
        wrong = caption(doc["candidates"])
    else:
        allowed = ascii_uppercase[: len(doc["choices"])] if doc["choices"] else ("yes", "no")
        wrong = " ".join(f"The answer is {answer}." for answer in allowed if answer != correct)
    return f"<think>\n{wrong} But wait, look again.\n</think>\n\n{correct}"


def _unless_caption(write: Callable[[str], str]) -> Callable[[Doc, str], str]:
    return lambda doc, answer: answer if doc["kind"] == "caption" else write(answer.capitalize())


FORMS: Mapping[str, Callable[[Doc, str], str]] = {
    "plain": lambda doc, said: said,
    "sentence": _in_a_sentence,
    "markdown": _unless_caption(lambda said: f"## Answer\n\n**{said}**"),
    "json": lambda doc, said: json.dumps({"caption" if doc["kind"] == "caption" else "answer": said}),
    "boxed": _unless_caption(lambda said: f"$\\boxed{{\\text{{{said}}}}}$"),
    "thought": _after_a_thought,
}
