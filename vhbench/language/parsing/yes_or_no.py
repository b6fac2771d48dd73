"""Parser of yes/no responses.

The marked answer takes precedence; then a word of assent or denial, the last one if a response corrects itself; then
sentences, which depend on the question: "There is no dog." is yes to "Is there no dog?".
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from vhbench.language.parsing import assent
from vhbench.language.parsing.claims import FALSE, Claim, claim
from vhbench.language.parsing.cleaning import NOT_APPLICABLE, cached_by_text, plain, strip_markup
from vhbench.language.parsing.failures import UNSURE
from vhbench.language.parsing.normalization import normalize_phrases
from vhbench.language.parsing.statements import match_statement
from vhbench.language.parsing.stems import stem, words
from vhbench.language.parsing.truncation import unfinished
from vhbench.language.parsing.wordings import wording

_BARE: Final = re.compile(r"(?i)\s*+(yes|no)\s*+[.!]?\s*")
_OPTIONS: Final = re.compile(r"(?is)\b(a)\s*[.):]\s*[\"']?(yes|no)\b.{0,40}?\b(b)\s*[.):]\s*[\"']?(yes|no)\b")
_OPTION: Final = re.compile(r"\W{0,10}([ab])\W{0,10}(?:yes|no)?\W{0,10}")
_ASKS: Final = re.compile(r"(?:(?<=[.!?\n])|\A)[^.!?\n]*\?+[\"')]*(?=\s|\Z)")
_CORRECTS: Final = re.compile(wording("corrects yes or no"))
_WITHDRAWN: Final = re.compile(
    r"no\W+(?:wait|actually|hold on|correction|scratch that|sorry|oops|my mistake)\b.*?\W(?:yes|no|there|it|i|they)\b",
    re.DOTALL,
)
_LABELLED: Final = re.compile(r"(?:\A|[\n.;:!,]|- )\W{0,4}([a-z][a-z0-9 '-]{1,40}):\s*(yes|no)\b")
# answer that another replaces: "not yes but no", "no rather than yes"
_DISCARDED: Final = re.compile(wording("discarded"))
# Two answers without a word of correction: "Yes, no", "Yes. The answer is no."
_AT_ONCE: Final = re.compile(r"\W*\w+\W+(?:(?:the\s+)?answer(?:\s+is)?\W+)?(?:yes|no)\b")
# What "not yes" means, and an answer that is announced
_INTENDED: Final = re.compile(
    r"(?:\b(?:not|isn't|be) (?:an? )?|\b(?:going|inclined|about) to (?:say |answer )?)(?:yes|no)\W*\Z"
)
_SAID: Final = re.compile(r"\b(?:yes|no)\b")
_NO_LABEL: Final = re.compile(r"answer|conclusion|response|\ba\b")
_BARE_NOUN: Final = re.compile(r"\W*(?:(?:a|an|the) )?([a-z]+(?: [a-z]+)?)\W*")
_SHORT: Final = 300  # maximum length, in characters, of a cached response
_SAYS: Final = re.compile(r"\w")
# "Yes, if you count the statue", "Yes: 10 %, no: 90 %"; but "Yes, if you look closely"
_CONDITION: Final = re.compile(
    r"\W*(?:yes|no),?\s+(?:but )?(?:only )?(?:if|when|provided|assuming|unless)\b"
    r"(?! (?:you|we|i|one) (?!count|consider))"
    r"|\W*yes\W{1,4}[\d.]+\s?%?\W+no\W{1,4}[\d.]"
)
# Some of the images, in a response to a question about all
_IN_SOME: Final = re.compile(
    r"\b(?:except|apart from|all but|but not|exception)\b|\A(?:(?!\b(?:every|each|all|both)\b).)*\bimages? \d"
)
_YES_OR_NO: Final = re.compile(r"\W*(?:yes|no)\b")
_CONCEDES: Final = re.compile(r"\W*(?:but|although|though|even)\b")
_STOP: Final = re.compile(r"[.!?\n]")
_FIRST: Final = re.compile(r"[,.;!\n]")
_LABEL: Final = re.compile(r"(?<=\w):\s*(?=(?:not )?(?:present|absent|visible|found|detected|missing)\W*\Z)")
_COUNT: Final = re.compile(r"(?<=\w):\s*(?:none|zero|nil|0)\W*\Z")
_HERE: Final = re.compile(r"\W*(?:present|visible|found|detected|exists)\W*")
_ELLIPSIS: Final = re.compile(
    r"\W*(?:(?:well|indeed|so|i (?:think|believe|guess|would say|see that)|it (?:appears|seems)(?: that)?|clearly"
    r"|as far as i can (?:tell|see)|certainly|of course)[, ]+)*(?P<who>sure|certainly|definitely|there|it|they|he|she"
    r"|i|this|that|you|we|one|these|both)(?: (?:really|sure|certainly|definitely|clearly|indeed|actually|surely"
    r"|all|both))?(?: (?:is|are|was|were|do|does|did|has|have|had|can|could|will)(?P<not>n't| not|not)?|(?:'s"
    r"|'re)(?P<short_not> not)?|(?: can(?P<cannot>'t|not)?| do(?P<do_not>n't| not))?"
    r" (?:see|spot|find|notice)(?= (?:one|some|any)\b))(?: (?:indeed|one|any|some|so"
    r"|here|certainly|definitely))?\W*"
)
_JUDGES: Final = re.compile(
    r"\W*(?:(?:so|therefore|thus|hence)[, ]+)?(?:(?:it|that|this|the statement|the claim)(?:'s| is| would be)?\s+)?"
    r"(?P<not>not |n't )?(?P<word>true|false|correct|incorrect|right|wrong|untrue)\b(?! that)(?:\W|\Z)"
)
_VERDICT: Final = re.compile(r"\W*(?:true|false|(?:that(?:'s| is) )?(?:(?:in)?correct|right|wrong))\W*")
_FALSE_THAT: Final = re.compile(r"\b(?:false|untrue|wrong|incorrect|not (?:true|the case)) (?:to say )?that\b")
_RIGHT_ANSWER: Final = re.compile(
    r"\b(?:right|correct|true|proper|accurate)\s+answer(?:\s+to\s[^.\n]{0,200}?)?\s+(?:is|would be"
    r"|should be)(?P<not>\s+not|n't)?\s+[\"']?(?P<word>yes|no)\b|[\"'](?P<first>yes|no)[.,]?[\"']\s+(?:is"
    r"|would be)(?P<never>\s+not|n't)?\s+(?:indeed\s+)?(?:the\s+)?(?:right|correct)"
)
_CHINESE_NONE: Final = re.compile(
    r"\W*(?:[图圖画畫照][^\W\d_]{0,4}[中里裡上内],?)?(?:并|並)?(?:没有|沒有)(?!问题|問題)[^\W\d_]{1,8}\W*"
)
_NO_DOUBT: Final = re.compile(r"\W*(?:there(?:'s| is) )?no (?:doubt|question)(?: (?:about|of) (?:it|that))?\W*")
_NEGATION: Final = re.compile(r"\b(?:not|never|cannot)\b|n't\b")
_NO_THING: Final = re.compile(
    r"\b(?:there(?:'s| is| are| was| were| appears? to be| seems? to be)|(?:i|we|you) (?:can )?(?:see|find|observe)"
    r"|(?:has|have|contains?|shows?|includes?)) (?:absolutely |clearly )?no\b|^\W*(?:no|none|neither)\b"
)
_NO_LEAD: Final = re.compile(r"\W*no\s+(?:doubt|problem|question|idea|one|matter|way to|comment|answer)\b")
_PERHAPS: Final = re.compile(r"\b(?:maybe|perhaps|possibly)\b")
_OPENING: Final = re.compile(
    r"\A(?:\W*+(?:(?:sure|okay|ok|well|certainly|absolutely|so|thanks?)|(?:based|looking|judging|according|from|in|upon"
    r"|after|given|considering|as|with)\b[^,.;!?]*)[,:!]\s*)+"
)
_CLAUSE: Final = re.compile(r"[.;!?,\n]| but | although | though | however ")

_Reading = tuple[str, bool]  # the prediction, and whether it is final although empty: then nothing else is parsed


def yes_no(text: str, question: str = "") -> str:
    """Parse a yes/no response: "yes", "no", or "" where it is ambiguous.

    Without its question an affirmative sentence is unparsed, and a negative one is no.

    >>> [yes_no(text) for text in ("Yes.", "no, it is not", "I do not see a dog.", "The answer is: **No**")]
    ['yes', 'no', 'no', 'no']
    >>> [yes_no(text, "Is there no dog?") for text in ("There is no dog.", "A dog is lying there.", "No.", "A cat.")]
    ['yes', 'no', 'no', '']
    >>> [yes_no(text) for text in ("I know", "It is nothing", "Maybe", "I'm not sure", "Yes and no", "")]
    ['', '', '', '', '', '']
    """
    if answer := bare(text):
        return answer
    if not text or text.isspace() or NOT_APPLICABLE.fullmatch(text.strip(" \n*_\"'")):
        return ""
    return _of_short(text, question) if len(text) <= _SHORT else _of(text, question)


@cached_by_text
def bare(text: str) -> str:
    """Return "yes" or "no" if a text is that single word, the most frequent case.

    Such a response is neither failed nor truncated.

    >>> bare("No."), bare(" yes"), bare("No, there is none.")
    ('no', 'yes', '')
    """
    match = _BARE.fullmatch(text)
    return match[1].lower() if match else ""


def _of(text: str, question: str) -> str:
    everything, marked = plain(text).lower(), strip_markup(text).lower()
    if marked == everything and unfinished(everything):
        return ""
    query = claim(question)
    if query and query.quoted:
        marked = everything  # a marked answer may be the answer to the quoted question
    for part in dict.fromkeys((marked, everything)):
        answer, settled = _option(part, question), False
        if not answer:
            answer, settled = _read(part, query)
        if answer or settled:
            return answer
    return "" if question.strip() else _without_question(everything)


_of_short = lru_cache(maxsize=8_192)(_of)  # short responses recur for many images, with the same question


def _option(text: str, question: str) -> str:
    """Parse "A" where the question names yes and no by letters."""
    letter = _OPTION.fullmatch(text)
    options = _OPTIONS.search(question) if letter else None
    if not options or not letter:
        return ""
    return {options[1].lower(): options[2].lower(), options[3].lower(): options[4].lower()}.get(letter[1], "")


def _read(text: str, query: Claim | None) -> _Reading:
    """Parse a text; of one that corrects itself, the part after the last correction."""
    corrections = _CORRECTS.finditer(text)
    ends = [each.end() for each in corrections if each.start() > 0 or _WITHDRAWN.match(text)]
    if not ends:
        return _read_once(text, query)
    answer, settled = _read_once(text[ends[-1] :], query)
    return answer, settled or not answer  # what precedes is withdrawn


def _read_once(text: str, query: Claim | None) -> _Reading:
    text = _without_echo(text)
    kept = _DISCARDED.sub(". ", text)
    text = kept if _SAID.search(kept) or not _INTENDED.search(text) else text
    if _CONDITION.match(text) or (not _SAYS.search(text) and not assent.whole(text.strip())[0]):
        return "", bool(text)
    judged = _about_a_word(text, query) if query and query.word else None
    if judged is not None:
        return judged, not judged
    short = text.strip(" \n.!")
    whole, _ = assent.whole(short)
    if whole and not _is_side(short, query):
        return whole, False
    listed = _listed(text, query)
    if listed is not None:
        return listed, not listed
    assents = list(assent.match_assent(text))
    final = [one for one in assents if one.final]
    if assents and assents[0].first:
        return _leading(assents, text, query)
    if assents:
        answers = {one.answer for one in final or assents}
        return ((final or assents)[-1].answer, False) if final or len(answers) == 1 else ("", True)
    if assent.SHOWN.search(text):
        return "", True  # "The sign reads: No!"
    return _sentences(text, query)


def _is_side(text: str, query: Claim | None) -> bool:
    """Return whether "right" names a side."""
    return text.endswith("right") and query is not None and not {"left", "right"}.isdisjoint(query.stems)


def _about_a_word(text: str, query: Claim) -> str | None:
    """Parse "It is false." to "Is it false that …?", and verdicts on a quoted question."""
    match = next(assent.match_assent(text), None)
    if match and match.first and re.match(r"\W*(?:yes|no)\b", text) and not _RIGHT_ANSWER.match(text.strip()):
        return match.answer if query.quoted and _RIGHT_ANSWER.search(text) else None
    if query.quoted:
        right = _RIGHT_ANSWER.search(text)
        if right:
            denied = bool(right["not"] or right["never"]) != bool(_FALSE_THAT.search(text[: right.start()]))
            word = right["word"] or right["first"]
            return "yes" if ((word == "no") == (query.word == "false")) != denied else "no"
        return "" if re.search(r"\banswer\b", text) else None
    judged = _JUDGES.match(text)
    if not judged:
        return None
    if query.word == "false" and _VERDICT.fullmatch(text):
        return ""  # "False." may answer or repeat the question, "Correct." confirm either
    false = (judged["word"].lower() in FALSE) != bool(judged["not"])
    answer = "yes" if false == (query.word == "false") else "no"
    stated, _ = match_statement(_STOP.split(text[judged.end() :].strip(), maxsplit=1)[0], query)
    if stated and stated != answer:
        return "" if judged["word"] in ("false", "untrue") else stated  # "Correct, no dog is there"
    return answer


def _without_echo(text: str) -> str:
    """Drop questions and "yes or no"; a text without anything else becomes a mark."""
    rest = _ASKS.sub(" ", text).strip() if "?" in text else text
    if not rest:
        question = text.replace("?", " ").strip()
        rest = question if assent.whole(question)[0] else ""
    return assent.BOTH.sub(" ", rest)


def _leading(assents: Sequence[assent.AssentMatch], text: str, query: Claim | None) -> _Reading:
    """Return the answer at the beginning of a text, unless it ends with another."""
    alone = [one for one in assents if one.alone and (one.first or text[one.start - 2 : one.start].strip() in ".!")]
    at_once = len(assents) > 1 and assents[1].alone and _AT_ONCE.match(text, assents[0].start)
    final = [one for one in assents if one.final and not at_once]
    if not final and len({one.answer for one in (assents[:2] if at_once else alone)}) > 1:
        return "", True
    answer = (final or assents)[-1 if final else 0].answer
    if final:
        return answer, False
    at = assents[0].start
    if query and query.all and answer == "yes" and _IN_SOME.search(text[at : at + 200]):
        return "", True
    denies = answer == "no" or re.search(r"\b(?:no|not)\b|n't\b", text[at : at + 200])
    if query and (query.denied or denies or not _YES_OR_NO.match(text, at)):
        behind = _FIRST.split(text[at:], maxsplit=1)[1:]
        sentence, _ = match_statement(_STOP.split("".join(behind).strip(), maxsplit=1)[0], query)
        if sentence and sentence != answer and not (answer == "no" and _CONCEDES.match("".join(behind))):
            return "", True  # "No, there is no dog" to "Is there no dog?", "Correct, there is no dog"
    return answer, False


def _listed(text: str, query: Claim | None) -> str | None:
    """Parse a list of verdicts, one per joint question."""
    if query is None:
        return None
    rows = [(line, *assent.judged(line)) for line in text.split("\n")]
    text = "\n".join(
        f"{label.rpartition('|')[2]}: {answer}" if answer and stem(word) not in query.stems else line
        for line, label, answer, word in rows
    )
    pairs = [(label, answer) for label, answer in _LABELLED.findall(text) if not _NO_LABEL.search(label)]
    stems = set(query.stems)
    about = [str(answer) for label, answer in pairs if {word.stem for word in words(normalize_phrases(label))} & stems]
    alone = [
        answer for label, answer in pairs if tuple(word.stem for word in words(normalize_phrases(label))) == query.stems
    ]
    if len(alone) == 1 and query.exists:
        return {"yes": "no", "no": "yes"}[alone[0]] if query.denied else str(alone[0])
    if len({label for label, _ in pairs}) < 2:
        return None
    if len(set(about)) == 1 or len(about) < 2:
        return about[0] if len(about) > 1 else None
    return "" if query.denied else "yes" if query.either else "no"


def _sentences(text: str, query: Claim | None) -> _Reading:
    """Parse a text without a sufficient word of assent or denial."""
    if query is None:
        return "", False
    if query.exists and _CHINESE_NONE.fullmatch(text):
        return ("yes" if query.denied else "no"), False
    if _NO_DOUBT.fullmatch(text):
        return "yes", False
    noun = _BARE_NOUN.fullmatch(text) if query.exists and not query.either else None
    if noun and set(map(stem, noun[1].split())) <= set(query.stems):
        return "", True  # "Dog" and "A dog." to "Is there a dog?" repeat the question's words
    first = _FIRST.split(text.strip(), maxsplit=1)[0]
    short = _ELLIPSIS.fullmatch(first) if len(text) < 60 else None
    if short:
        return _elliptic(short, query), False
    answer, settled = match_statement(_LABEL.sub(" is ", _COUNT.sub(" is absent", text)), query)
    if query.exists and _HERE.fullmatch(text):
        return ("no" if query.denied else "yes"), False
    weak, _ = assent.whole(first)
    polite = text.strip().startswith(("sure", "of course", "certainly"))
    if (
        answer
        or settled
        or not weak
        or polite
        or _is_side(first.strip(), query)
        or _NEGATION.search(text)
        or re.search(r"\bno\b", text)
    ):
        return answer, settled
    return weak, False


def _elliptic(short: re.Match[str], query: Claim) -> str:
    """Parse "There is." or "It isn't."."""
    answer = "no" if any(map(short.__getitem__, ("not", "short_not", "cannot", "do_not"))) else "yes"
    if not query.denied:
        return answer
    if query.exists and short["who"] in ("there", "i"):
        return {"yes": "no", "no": "yes"}[answer]
    return ""


def _without_question(text: str) -> str:
    """Parse a denial without its question: one negation in the first clause."""
    clause = _CLAUSE.split(_OPENING.sub("", text, count=1).strip(), maxsplit=1)[0][:300]
    if UNSURE.search(clause) or _PERHAPS.search(clause) or _NO_LEAD.match(clause):
        return ""
    negations = len(_NEGATION.findall(clause)) + bool(_NO_THING.search(clause))
    return "no" if negations == 1 else ""
