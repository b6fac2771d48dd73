"""Generation of negated twins: by a template, by a language model, or by the wrapper."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from vhbench.generators.vhexpansion import negation
from vhbench.generators.vhexpansion.question_parts import AUXILIARIES, CannotNegate, split_question, without_quotations
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

Wording = Literal["auto", "natural", "wrapped", "llm"]
WORDINGS: Final[dict[Wording, str]] = {
    "auto": "template if one matches, else the rewriter if one is given, else wrapped",
    "natural": "template; other questions are left out",
    "wrapped": "wrapper for all questions",
    "llm": "rewriter for all questions, as in the paper; wrapped if its output is rejected",
}
"""Wordings of twins, for ``--negation``."""

_FALSE_THAT = re.compile(r"(?i)\b(?:is it|it is) (?:false|untrue|incorrect|wrong|not true|not the case) that\b")
_AUXILIARY = re.compile(rf"\b(?!d(?:o|oes|id)\b)(?:{AUXILIARIES})\b")
_MOVABLE = frozenset({*AUXILIARIES.split("|"), "a", "an", "any", "no"})


@dataclass(frozen=True, slots=True)
class Twin:
    """Negated question with its provenance."""

    text: str
    form: str = "natural"  # "natural" (by a template), "llm", "wrapped", or "source" for one from the question source
    by: str = "rule"  # "rule", or the rewriter's name
    refused: str = ""  # the rewriter's response if it was rejected; "" otherwise
    reason: str = ""  # reason for the rejection


def twin_of(question: str, rewriter: Rewriter | None = None, wording: Wording = "auto", source: str = "") -> Twin:
    """Return the negated twin of a question.

    >>> twin_of("Does the man ride a bike in this image?", source="amber")
    Twin(text='Is it false that the man rides a bike in this image?', form='natural', by='rule', refused='', reason='')

    Instructions before or after it are kept; ``source`` is the benchmark whose templates apply.

    Raises:
        CannotNegate: if it is not a yes/no question, or a natural form is required and no template has one.
    """
    parts = split_question(question)
    if wording in ("auto", "natural"):
        try:
            return Twin(negation.natural_twin(parts, source))
        except CannotNegate:
            if wording == "natural":
                raise
    if rewriter is None or wording == "wrapped":
        return Twin(negation.wrap(parts), "wrapped")
    output = clean(rewriter.rewrite(PROMPT.format(question=question)))
    if reason := why_not_negation(question, output, source):
        return Twin(negation.wrap(parts), "wrapped", refused=output, reason=reason)
    return Twin(output, "llm", by=rewriter.name)


def why_not_negation(question: str, candidate: str, source: str = "") -> str:
    """Return why a rewrite is not taken as the negated twin of a question; "" if it is.

    It must be one question, negated once by one of the paper's two rules, with all other words in their order and the
    verb moved: to where the template of the question has it, else to any place where a subject may end.

    >>> why_not_negation("Is the dog brown?", "Is it not true that the dog is brown?")
    ''
    >>> why_not_negation("Is the dog brown?", "Is it false that the dog is black?")
    "other content: added ['black'], lost ['brown']"
    """
    try:
        if candidate == negation.wrap(before := split_question(question)):
            return ""
        after = split_question(candidate)
    except CannotNegate as error:
        return str(error)
    if (before.before.strip(), before.after.strip()) != (after.before.strip(), after.after.strip()):
        return "the text around the question changed"
    plain = re.sub(r"(?i)^is it true that\b", "", before.asked)
    old, new = before.lead + plain, after.lead + after.asked
    if not after.mark or " ".join(old.split()) == " ".join(new.split()):
        return "no other question"
    if negation.negations(new) != negation.negations(old) + 1:
        return f"expected {negation.negations(old) + 1} negations, got {negation.negations(new)}"
    statement = _FALSE_THAT.sub("", new)
    simple = negation.is_simple_existence(before.asked) and re.match(r"(?i)(?:is|are|was|were) there no ", after.asked)
    if statement == new and not simple:
        return "the negation does not govern the whole question"
    if negation.has("CLAUSES", old):
        return "the negation cannot govern two clauses"
    inflects = (re.match(r"(?i)(?:do|does|did)\b|", before.asked) or [""])[0].lower()
    if _verbs(old, {"does": "has", "did": "had"}.get(inflects, "have")) != _verbs(statement):
        return "another verb or tense"
    lead, asked, said = _content(before.lead), _content(plain), _content(statement)
    if not any(_same(order, said, plain, statement) for order in (lead + asked, asked + lead)):
        lost, added = Counter(lead + asked) - Counter(said), Counter(said) - Counter(lead + asked)
        other = f"other content: added {sorted(added)}, lost {sorted(lost)}"
        return other if lost or added else "another order of words"
    try:
        twin = split_question(negation.natural_twin(before, source)).asked
        stated = _FALSE_THAT.sub("", twin)
        orders = [negation.words(text) for text in (before.lead + stated, f"{stated} {before.lead}")]
        fits = stated == twin or negation.words(statement) in orders
    except CannotNegate:
        fits = negation.may_state(before.asked, _FALSE_THAT.sub("", after.asked))
    return "" if fits else "the verb splits a phrase"


def clean(answer: str) -> str:
    """Strip what models add around a sentence: a label, quotation marks, further lines."""
    first = next((line.strip() for line in answer.splitlines() if line.strip()), "")
    first = re.sub(r"(?i)^(twin|negated question|question|answer):\s*", "", first)
    return first.strip("\"'`*").strip() if len(first) > 1 and first[0] == first[-1] and first[0] in "\"'`*" else first


def _content(text: str) -> list[str]:
    """Return the words of a text and its quotations, without those that a twin may move or change."""
    quotations = re.findall(r'"[^"]*"|“[^”]*”', text)
    return [word for word in negation.words(text) if word not in _MOVABLE] + quotations


def _verbs(text: str, have: str = "have") -> Counter[str]:
    verbs = _AUXILIARY.findall(without_quotations(text).lower())
    return Counter(have if verb == "have" else verb for verb in verbs)


def _same(before: list[str], after: list[str], question: str, said: str) -> bool:
    """Return whether the words are the same, but for the ending of a verb after "does" or "did"."""
    other = [(verb, form) for verb, form in zip(before, after, strict=False) if verb != form]
    auxiliary = question.split(" ")[0].lower()
    if len(before) != len(after) or len(other) > 1 or auxiliary not in ("does", "did"):
        return len(before) == len(after) and not other
    if not other:  # "have" and "do", which are not compared, and pasts without an ending
        main = re.search(r"(\S+) (?:have|do)\b", question)
        moved = main and re.search(rf"(?<!\S){re.escape(main[1])} (?:has|had|does|did)\b", said)
        return bool(moved) or (auxiliary == "did" and negation.has("KEPT", said))
    ((verb, form),) = other
    noun = re.search(rf"\b(?:the|an?|this|that|his|her|its|their|to|(?:see|hear|help) .*) {re.escape(form)}\b", said)
    return not noun and form in negation.forms(verb, past=auxiliary == "did")
