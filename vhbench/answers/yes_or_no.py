"""Yes/no answers, as a careful reader takes them.

What is marked as the answer comes first; then a word of assent or denial, the last one if an answer corrects itself;
then sentences, for which the question is needed: "There is no dog." is yes to "Is there no dog?".
"""

import re
from typing import Final

from vhbench.answers import assent
from vhbench.answers.claims import Claim, claim
from vhbench.answers.cleaning import plain, said
from vhbench.answers.statements import stated

_OPTIONS: Final = re.compile(r"(?is)\b(a)\s*[.):]\s*[\"']?(yes|no)\b.{0,40}?\b(b)\s*[.):]\s*[\"']?(yes|no)\b")
_ASKS: Final = re.compile(r"(?:(?<=[.!?\n])|\A)[^.!?\n]*\?+[\"')]*(?=\s|\Z)")
_CORRECTS: Final = re.compile(
    r"(?:\A|[\s.,;:!?…–—-])(?:oh[, ]+)?(?:no[, ]+)?(?:wait|actually|hold on|correction|scratch that|on second thoughts?|let me correct that"
    r"|(?:on|upon) (?:closer|a closer|further|second|careful)[^,.;:!?\n]{0,30}|my mistake|i mean|i stand corrected|sorry|i apologi[sz]e"
    r"|looking (?:again|closer|more closely)[^,.;:!?\n]{0,20}|to correct myself|let me rephrase)\s*[,.:;!…–—-]+\s*|(?<=[,.;:!?…–—-] )(?:wait|actually)\s+(?=(?:yes|no|there|it|i|the|not)\b)"
)
_LABELLED: Final = re.compile(r"(?:\A|[\n.;!]|  |- )\W*([a-z][a-z0-9 '-]{1,40}):\s*(yes|no)\b")
_ELLIPSIS: Final = re.compile(
    r"\W*(?:(?:well|indeed|so|i (?:think|believe|guess|would say|see that)|it (?:appears|seems)(?: that)?|as far as i can (?:tell|see)|clearly|certainly)[, ]+)*"
    r"(?P<who>there|it|they|he|she|i|this|that|you|we|one|these|both)(?: (?:really|certainly|definitely|clearly|indeed|actually|surely|all|both))?"
    r"(?: (?P<verb>is|are|was|were|do|does|did|has|have|had|can|could|will)(?P<not>n't| not|not)?|(?P<short>'s|'re)(?P<short_not> not)?)"
    r"(?: (?:indeed|one|any|some|so|here|certainly|definitely))?\W*"
)
_NEGATION: Final = re.compile(r"\b(?:not|never|cannot)\b|n't\b")
_NO_THING: Final = re.compile(
    r"\b(?:there(?:'s| is| are| was| were| appears? to be| seems? to be)|(?:i|we|you) (?:can )?(?:see|find|observe)"
    r"|(?:has|have|contains?|shows?|includes?)) (?:absolutely |clearly )?no\b"
    r"|^\W*(?:no|none|neither)\b"
)
_NO_LEAD: Final = re.compile(r"\W*no\s+(?:doubt|problem|question|idea|one|matter|way to)\b")
_UNSURE: Final = re.compile(
    r"(?:\b(?:not|cannot|unable|impossible|hard|difficult)|n't)\b[^.;!?]*"
    r"\b(?:sure|certain|know|tell|determine|determined|say|clear|possible|answer|confirm|enough)\b"
    r"|\b(?:unclear|uncertain|unsure|unknown|ambiguous|maybe|perhaps|possibly)\b"
)
_OPENING: Final = re.compile(
    r"\A(?:\W*+(?:(?:sure|okay|ok|well|certainly|absolutely|so|thanks?)|(?:based|looking|judging|according|from|in|upon|after"
    r"|given|considering|as|with)\b[^,.;!?]*)[,:!]\s*)+"
)
_CLAUSE: Final = re.compile(r"[.;!?,\n]| but | although | though | however ")


def yes_no(text: str, question: str = "") -> str:
    """Read a yes/no answer.

    Args:
        text: the model's words.
        question: what was asked. Without it a sentence that affirms is unknown, and one that denies is no.

    Returns:
        "yes", "no", or "" where a careful reader could not tell.

    >>> [yes_no(text) for text in ("Yes.", "no, it is not", "I do not see a dog.", "The answer is: **No**")]
    ['yes', 'no', 'no', 'no']
    >>> [yes_no(text, "Is there no dog?") for text in ("There is no dog.", "A dog is lying there.", "No.", "A cat.")]
    ['yes', 'no', 'no', '']
    >>> [yes_no(text) for text in ("I know", "It is nothing", "Maybe", "I'm not sure", "Yes and no", "")]
    ['', '', '', '', '', '']
    """
    everything, marked = plain(text).lower(), said(text).lower()
    asked = claim(question) if question else None
    if marked != everything:
        option = _option(marked, question)
        answer, unsure = _read(marked, asked) if not option else (option, False)
        if answer or unsure:
            return answer
    return _option(everything, question) or _read(everything, asked)[0]


def _option(text: str, question: str) -> str:
    """Read "A" where the question calls yes and no so."""
    options = _OPTIONS.search(question)
    letter = re.match(r"\W*([ab])\W*(?:yes|no)?\W*\Z", text)
    if not options or not letter:
        return ""
    return {options[1].lower(): options[2].lower(), options[3].lower(): options[4].lower()}[letter[1]]


def _read(text: str, asked: Claim | None) -> tuple[str, bool]:
    """Return the answer, and whether the text says that it cannot be told."""
    corrections = list(_CORRECTS.finditer(text))
    if corrections and corrections[-1].start() > 0:
        tail = text[corrections[-1].end() :]
        answer, unsure = _read_once(tail, asked)
        if answer or unsure:
            return answer, unsure
    return _read_once(text, asked)


def _read_once(text: str, asked: Claim | None) -> tuple[str, bool]:
    rest = _ASKS.sub(" ", text).strip() if "?" in text else text
    text = rest or text.replace("?", " ")
    without = assent.BOTH.sub(" ", text)
    if without != text and not re.search(r"\w", without):
        return "", True
    if without != text and assent.BOTH.match(text.strip()):
        return ("", True) if not list(assent.told(without)) else _read_once(without, asked)
    text = without
    whole, _ = assent.whole(text.strip(" \n.!"))
    if whole and not (text.strip(" \n.!") == "right" and asked and "left" in asked.stems + ("right",)):
        return whole, False
    listed = _listed(text, asked)
    if listed is not None:
        return listed, not listed
    found = list(assent.told(text))
    final = [one for one in found if one.final]
    if found and found[0].first:
        return _leading(found, final, text, asked)
    if final:
        return final[-1].answer, False
    if found:
        answers = {one.answer for one in found}
        return (answers.pop(), False) if len(answers) == 1 else (found[-1].answer, False)
    return _sentences(text, asked)


def _leading(found: list[assent.Told], final: list[assent.Told], text: str, asked: Claim | None) -> tuple[str, bool]:
    """Return the answer of a text that begins with one, unless it ends with another."""
    answer = final[-1].answer if final else found[0].answer
    alone = {one.answer for one in found if one.alone and (one.first or text[one.start - 2 : one.start].strip() in (".", "!", ""))}
    if not final and len(alone) > 1:
        return "", True
    if asked and asked.denied and not final:
        said_so, _ = stated(_first_sentence(text[found[0].start :]), asked)
        if said_so and said_so != answer:
            return "", True  # "No, there is no dog" to "Is there no dog?": half of all readers take the word
    return answer, False


def _first_sentence(text: str) -> str:
    """Return the first sentence behind a leading yes or no."""
    rest = re.sub(r"\A\W*\w+\W*", "", text)
    return re.split(r"[.!?\n]", rest, maxsplit=1)[0]


def _listed(text: str, asked: Claim | None) -> str | None:
    """Read a list of verdicts, one for each thing that was asked about together."""
    found = [(what, answer) for what, answer in _LABELLED.findall(text) if not re.search(r"answer|conclusion|response|\ba\b", what)]
    if len({what for what, _ in found}) < 2 or asked is None:
        return None
    stems = set(asked.stems)
    from vhbench.answers.stems import straightened, words

    about = [answer for what, answer in found if {word.stem for word in words(straightened(what))} & stems]
    if len(about) < 2:
        return None
    if len(set(about)) == 1:
        return about[0]
    return ("yes" if asked.either else "no") if not asked.denied else ""


def _sentences(text: str, asked: Claim | None) -> tuple[str, bool]:
    if asked is None:
        return _without_question(text), False
    short = _ELLIPSIS.fullmatch(re.split(r"[,.;!\n]", text.strip(), maxsplit=1)[0] if len(text) < 60 else "")
    if short:
        return _elliptic(short, asked), False
    weak, strong = assent.whole(re.split(r"[,.;!\n]", text.strip(), maxsplit=1)[0])
    answer, unsure = stated(text, asked)
    if answer or unsure or not weak:
        return answer, unsure
    negated = _NEGATION.search(text) or re.search(r"\bno\b", text)
    return ("", False) if negated or text.strip().startswith(("sure", "of course", "certainly")) else (weak, False)


def _elliptic(short: re.Match[str], asked: Claim) -> str:
    """Read "There is." or "It isn't."."""
    answer = "no" if short["not"] or short["short_not"] else "yes"
    if not asked.denied:
        return answer
    if asked.exists and short["who"] in ("there", "i"):
        return {"yes": "no", "no": "yes"}[answer]
    return ""


def _without_question(text: str) -> str:
    """Read a denial whose question is unknown: one negation in the first clause."""
    clause = _CLAUSE.split(_OPENING.sub("", text, count=1).strip(), maxsplit=1)[0][:300]
    if _UNSURE.search(clause) or _NO_LEAD.match(clause):
        return ""
    negations = len(_NEGATION.findall(clause)) + bool(_NO_THING.search(clause))
    return "no" if negations == 1 else ""
