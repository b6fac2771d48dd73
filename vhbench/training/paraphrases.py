"""Paraphrases of yes/no questions: by rules, or by a language model with checks.

A rule paraphrases only where the statement behind the question is unambiguous, as a negated twin's is
(:mod:`vhbench.generators.vhexpansion.negation`); any other question gets a neutral frame.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from vhbench.generators.vhexpansion.negation import WRAPPER
from vhbench.generators.vhexpansion.question_parts import CannotNegate, split_question
from vhbench.generators.vhexpansion.rewriting import clean, twin_of
from vhbench.protocols import Rewriter
from vhbench.seeding import rng
from vhbench.tsv import records

PROMPT = """\
Rephrase a yes/no question about an image: other words, the same meaning, so that for every image the right answer is \
the same.

- Keep every noun, colour, number and action.
- A question that is negated stays negated; one that is not gets no negation.
- Write one question and nothing else. Do not answer it.
{others}
Question: {question}
Rephrased:"""
"""Prompt of the language model, without the rule's own wordings."""

_TAIL = re.compile(r"(?P<what>.+?) (?P<tail>in (?:the|this) (?:image|picture|photo))")
_FALSE = re.compile(r"Is it false that (?P<said>.+)\?")
_NO = re.compile(r"(?P<verb>Is|Are) there no (?P<what>.+?) (?P<tail>in (?:the|this) (?:image|picture|photo))\?")
_WRAPPED = re.compile(rf"{WRAPPER} (?P<asked>[\"“«‹⟪].+[\"”»›⟫])")
_NONE_THERE = re.compile(r"(?:Is|Are) there no ")
_THERE = re.compile(r"(?P<verb>Is|Are) there (?P<what>.+)")

_ANY = re.compile(r"\bany (?!of\b|one\b|other\b|more\b|single\b)")  # statements have "some" where questions have "any"

_ROWS = records(Path(__file__).with_suffix(".tsv"), lambda form, wording: (form, wording), {})
_WORDINGS = {form: [wording for own, wording in _ROWS if own == form] for form, _ in _ROWS}
"""Form of a question → equivalent wordings; a frame does not change any question's answer."""

_LITTLE = frozenset(
    "a an the is are was were be there in on of to it that this do does can you see one any some image picture photo "
    "photograph true right correct say statement would visible seen shown show shows appear appears please look at and "
    "answer yes question here about what such as with depicted present contain contains find found which".split()
)
"""Words that a paraphrase may add or omit."""

_NEGATING = frozenset("no not false untrue incorrect wrong never none without neither nor absent missing".split())


def paraphrases(question: str, number: int, *, source: str = "", seed: int = 0) -> list[str]:
    """Return distinct paraphrases of a yes/no question, sampled by the seed; ``source`` is its benchmark.

    >>> paraphrases("Is it false that the dog is brown?", 2)
    ['Is it untrue that the dog is brown?', 'Would it be false to say that the dog is brown?']
    """
    every = list(dict.fromkeys(_by_rule(question, source)))
    framed = [frame.format(question=question) for frame in _WORDINGS["frame"]]
    random = rng(seed, "paraphrase", question)
    chosen = [every[i] for i in random.permutation(len(every))[:number]]
    return chosen + [framed[i] for i in random.permutation(len(framed))[: number - len(chosen)]]


def rephrased(
    question: str, number: int, rewriter: Rewriter, *, source: str = "", seed: int = 0
) -> tuple[list[str], list[str]]:
    """Return a language model's paraphrases of a yes/no question and its rejected responses; rules replace those."""
    accepted, refused = list[str](), list[str]()
    for _ in range(number):
        others = "".join(f"- Do not write: {text}\n" for text in accepted)
        output = clean(rewriter.rewrite(PROMPT.format(question=question, others=others)))
        if why_not_paraphrase(question, output) or output in accepted:
            refused.append(output)
            break  # at temperature 0 the response would not change
        accepted.append(output)
    spare = [text for text in paraphrases(question, number, source=source, seed=seed) if text not in accepted]
    return accepted + spare[: number - len(accepted)], refused


def why_not_paraphrase(question: str, candidate: str) -> str:
    """Return why a text is not a paraphrase of a question; "" if it is one.

    >>> why_not_paraphrase("Is there a dog in the image?", "Can you see a dog in the picture?")
    ''
    >>> why_not_paraphrase("Is there a dog in the image?", "Is there no dog in the image?")
    'it is negated'
    """
    if candidate.strip() == question.strip():
        return "it is the same"
    try:
        split_question(candidate)
    except CannotNegate as error:
        return str(error)
    before, after = _words(question), _words(candidate)
    if sum(after[word] for word in _NEGATING) % 2 != sum(before[word] for word in _NEGATING) % 2:
        return "it is not negated" if any(before[word] for word in _NEGATING) else "it is negated"
    lost, added = ({word for word in one - other if word not in _LITTLE | _NEGATING} for one, other in (
        (before, after), (after, before)))  # fmt: skip
    return f"other content: added {sorted(added)}, lost {sorted(lost)}" if lost or added else ""


def _words(text: str) -> Counter[str]:
    whole = re.sub(r"n['’]t\b", " not", text)
    return Counter(re.findall(r"[\w'’-]+", whole.lower()))


def _by_rule(question: str, source: str) -> Iterator[str]:
    if match := _WRAPPED.fullmatch(question):
        yield from (form.format(asked=match["asked"]) for form in _WORDINGS["is no"])
    elif match := _FALSE.fullmatch(question):
        yield from (form.format(said=match["said"]) for form in _WORDINGS["untrue"])
    elif match := _NO.fullmatch(question):
        forms = _WORDINGS["are unseen" if match["verb"] == "Are" else "unseen"]
        yield from (form.format(**match.groupdict()) for form in forms)
    else:
        yield from _positive(question, source)


def _positive(question: str, source: str) -> Iterator[str]:
    try:
        parts = split_question(question)
        natural = twin_of(question, wording="natural", source=source).text
    except CannotNegate:
        return
    if parts.before or parts.lead or parts.mark != "?" or parts.after:
        return
    if _NONE_THERE.match(natural) and (there := _THERE.fullmatch(parts.asked)):
        if there["verb"] == "Is" and (match := _TAIL.fullmatch(there["what"])):
            yield from (form.format(**match.groupdict()) for form in _WORDINGS["seen"])
        clause = f"there {there['verb'].lower()} {there['what']}"
    elif false := _FALSE.fullmatch(natural):
        clause = false["said"]
    else:
        return
    yield from (form.format(said=_ANY.sub("some ", clause)) for form in _WORDINGS["statement"])
