"""Negation by a language model, held to the same rules as any other: validated, or the rule's twin instead."""

from dataclasses import dataclass

from vhbench.generators.vhexpansion.negation import negate
from vhbench.generators.vhexpansion.validation import why_not_negation
from vhbench.protocols import Rewriter

PROMPT = """\
Turn a yes/no question about an image into its negated twin: for every image, the right answer to the twin must be the \
opposite of the right answer to the question.

- If the question only asks whether something exists ("Is there a …"), replace "a", "an" or "any" by "no".
- Otherwise write "Is it false that …" followed by the statement that the question asks about.
- Keep every other word. Add no remark, no second negation, and do not answer the question.

Question: Is there an umbrella in the image?
Twin: Is there no umbrella in the image?

Question: Does the woman on the left hold a cup?
Twin: Is it false that the woman on the left holds a cup?

Question: {question}
Twin:"""
"""What the paper asks of a language model, in other words."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A negated question and where it comes from.

    Attributes:
        text: the negated question.
        by: "rule", or the rewriter's name.
        refused: what the rewriter said where the rule had to step in; "" otherwise.
        reason: why that was refused.
    """

    text: str
    by: str = "rule"
    refused: str = ""
    reason: str = ""


def twin_of(question: str, rewriter: Rewriter | None = None) -> Twin:
    """Return the negated twin of a question, by a rewriter if there is one and its answer is valid, else by rule.

    Raises:
        CannotNegate: if the rule has to do it and cannot.
    """
    if rewriter is None:
        return Twin(negate(question))
    said = clean(rewriter.rewrite(PROMPT.format(question=question)))
    reason = why_not_negation(question, said)
    return Twin(said, by=rewriter.name) if not reason else Twin(negate(question), refused=said, reason=reason)


def clean(answer: str) -> str:
    """Take the wrapping away that models put around a sentence: a label, quotation marks, further lines."""
    first = next((line.strip() for line in answer.splitlines() if line.strip()), "")
    for label in ("twin:", "negated question:", "question:", "answer:"):
        if first.lower().startswith(label):
            first = first[len(label) :].strip()
    if len(first) > 1 and first[0] == first[-1] and first[0] in "\"'`*":
        first = first.strip("\"'`*").strip()
    return first
