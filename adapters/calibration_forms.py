"""Response formats of the oracle, modelled on real models, for testing parsers.

Each is a function of a row of a split and the plain answer: "yes", "no", a letter or a caption.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

import numpy as np

from vhbench.language import inflection

Doc = Mapping[str, Any]


def caption(words: Sequence[str]) -> str:
    """Return a caption that names objects.

    >>> caption(["dog", "boat"])
    'A picture of dog and boat.'
    """
    return "A picture of " + " and ".join(words) + "." if words else "A picture."


def agree(doc: Doc) -> str:
    """Return yes, A, or a caption with all objects and all likely hallucinations."""
    by_kind = {"yes_no": "yes", "multiple_choice": "A"}
    return by_kind.get(doc["kind"]) or caption([*doc["objects"], *doc["candidates"]])


def toss(doc: Doc, random: np.random.Generator, p: float = 0.5) -> str:
    """Return a random answer: yes with probability p, uniform over options, each word with probability p."""
    if doc["kind"] == "yes_no":
        return "yes" if random.random() < p else "no"
    if doc["kind"] == "multiple_choice":
        return ascii_uppercase[int(random.integers(len(doc["choices"])))]
    return caption([word for word in (*doc["objects"], *doc["candidates"]) if random.random() < p])


def most_frequent(answers: Iterable[tuple[Hashable, str]]) -> dict[Hashable, str]:
    """Return the most frequent answer of each kind of question (ties: alphabetical order).

    >>> most_frequent([("E1", "no"), ("E1", "yes"), ("E2", "yes"), ("E2", "yes")])
    {'E1': 'no', 'E2': 'yes'}
    """
    counts: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for kind, answer in answers:
        counts[kind][answer] += 1
    return {kind: min(own, key=lambda answer: (-own[answer], answer)) for kind, own in counts.items()}


def as_statement(question: str, true: bool) -> str:
    """Return the statement behind one of our yes/no questions, or its negation.

    >>> as_statement("Is there no dog in the image?", True)
    'There is no dog in the image.'
    >>> as_statement("Is there an owl in any of the images?", False)
    'There is no owl in any of the images.'
    >>> as_statement("Is the red ball in the image wet?", False), as_statement("Does the image show a park?", True)
    ('The red ball in the image is not wet.', 'The image shows a park.')
    >>> as_statement("Is it false that there are exactly two dogs in the image?", False)
    'There are exactly two dogs in the image.'
    """
    asked = question.rstrip("?")
    if found := re.match(r"Is it false that ", asked):
        return _sentence(asked[found.end() :], not true)
    if found := re.match(r"(Is|Are) there no ", asked):
        rest = asked[found.end() :]
        thing = rest if found[1] == "Are" else inflection.with_article(rest)
        return _sentence(f"there {found[1].lower()} {thing}", not true)
    verb, rest = asked.split(" ", 1)
    subject = re.match(r"there|it|the image|the .+? in the image(?= \w)|the \w+", rest)
    assert subject is not None, question
    return _sentence(f"{subject[0]} {verb.lower()}{rest[subject.end() :]}", true)


def _sentence(claim: str, true: bool) -> str:
    """Return a claim ("there is a dog") or its negation as a sentence."""
    if true:
        claim = claim.replace(" does show ", " shows ").replace(" in any of ", " in at least one of ")
    elif "in every image" not in claim and (found := re.match(r"there (is|are) (?:an? )?(?!exactly)", claim)):
        claim = f"there {found[1]} no {claim[found.end() :]}"
    else:
        claim = re.sub(r" (is|are|does) ", r" \1 not ", claim.replace(" shows ", " does show ", 1), count=1)
    return f"{claim[0].upper()}{claim[1:]}."


def _in_a_sentence(doc: Doc, said: str) -> str:
    """Affirm or deny the question, or name the option's text."""
    if doc["kind"] == "caption":
        return said
    if doc["choices"]:
        return f"The answer is {doc['choices'][ascii_uppercase.index(said)]}."
    return as_statement(doc["question"], said == "yes")


def _after_a_thought(doc: Doc, said: str) -> str:
    """Reason about the incorrect answers first, to expose parsers that read the reasoning."""
    if doc["kind"] == "caption":
        wrong = caption(doc["candidates"])
    else:
        allowed = ascii_uppercase[: len(doc["choices"])] if doc["choices"] else ("yes", "no")
        wrong = " ".join(f"The answer is {answer}." for answer in allowed if answer != said)
    return f"<think>\n{wrong} But wait, look again.\n</think>\n\n{said}"


def _unless_caption(write: Callable[[str], str]) -> Callable[[Doc, str], str]:
    return lambda doc, said: said if doc["kind"] == "caption" else write(said.capitalize())


FORMS: Mapping[str, Callable[[Doc, str], str]] = {
    "plain": lambda doc, said: said,
    "sentence": _in_a_sentence,
    "markdown": _unless_caption(lambda said: f"## Answer\n\n**{said}**"),
    "json": lambda doc, said: json.dumps({"caption" if doc["kind"] == "caption" else "answer": said}),
    "boxed": _unless_caption(lambda said: f"$\\boxed{{\\text{{{said}}}}}$"),
    "thought": _after_a_thought,
}
