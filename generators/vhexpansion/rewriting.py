"""Generation of negated twins: natural, quoted, or by a language model, all validated."""

from dataclasses import dataclass
from typing import Final, Literal

from vhbench.generators.vhexpansion.negation import negate, quote
from vhbench.generators.vhexpansion.question_parts import CannotNegate, split_question
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
"""The paper's prompt for a language model, reworded."""

Wording = Literal["auto", "natural", "quoted", "llm"]
WORDINGS: Final = {
    "auto": "natural where the rule is certain, else quoted",
    "natural": "questions of which the rule is not certain are left out",
    "quoted": "all",
    "llm": "the rewriter's where it is a negation, else quoted",
}
"""Wordings of twins, for ``--negation``."""


@dataclass(frozen=True, slots=True)
class Twin:
    """Negated question with its provenance.

    Attributes:
        text: negated question.
        form: "natural", "quoted", "llm", or "source" for one from the question source.
        by: "rule", or the rewriter's name.
        refused: the rewriter's response if it was rejected; "" otherwise.
        reason: reason for the rejection.
    """

    text: str
    form: str = "natural"
    by: str = "rule"
    refused: str = ""
    reason: str = ""


def twin_of(question: str, rewriter: Rewriter | None = None, wording: Wording = "auto") -> Twin:
    """Return the negated twin of a question.

    Twins that fail validation are replaced by the quoted form.

    Args:
        question: one yes/no question.
        rewriter: rewriter to use instead of the rule.
        wording: one of :data:`WORDINGS`, for the rule.

    Raises:
        CannotNegate: if it is not a yes/no question, or a natural form is required and none is unambiguous.
    """
    if rewriter is not None:
        split_question(question)  # raises if it is not a yes/no question
        said = clean(rewriter.rewrite(PROMPT.format(question=question)))
        reason = why_not_negation(question, said)
        if reason:
            return Twin(quote(question), "quoted", refused=said, reason=reason)
        return Twin(said, "llm", by=rewriter.name)
    if wording == "quoted":
        return Twin(quote(question), "quoted")
    try:
        natural = negate(question)
        if reason := why_not_negation(question, natural):
            raise CannotNegate(f"{reason}: {natural!r}")
    except CannotNegate:
        if wording == "natural":
            raise
        return Twin(quote(question), "quoted")
    return Twin(natural)


def clean(answer: str) -> str:
    """Strip what models add around a sentence: a label, quotation marks, further lines."""
    first = next((line.strip() for line in answer.splitlines() if line.strip()), "")
    for label in ("twin:", "negated question:", "question:", "answer:"):
        if first.lower().startswith(label):
            first = first[len(label) :].strip()
    if len(first) > 1 and first[0] == first[-1] and first[0] in "\"'`*":
        first = first.strip("\"'`*").strip()
    return first
