"""Claims of yes/no questions, and whether a question affirms or denies its claim.

"Is there no dog?" and "Is it false that there is a dog?" have the same claim, that there is a dog, and deny it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from vhbench.language import lexicon
from vhbench.language.parsing.normalization import PICTURE_NUMBER, normalize_phrases
from vhbench.language.parsing.quantities import BOUNDS, Range, number, quantity, value
from vhbench.language.parsing.stems import Word, compares, content, stem, words

YEAR: Final = re.compile(r"(?:19|20)\d\d")
ALL: Final = frozenset("all every each both everyone everybody everywhere".split())
SOME: Final = frozenset("only one some few most half certain".split())
PREPOSITIONS: Final = lexicon.words("prepositions")  # words of place, except in "in the image"
_BE: Final = frozenset("is are was were am".split())
_DO: Final = frozenset("do does did can could will would should may might".split())
_AUXILIARY: Final = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|am|isn't|aren't|wasn't|weren't"
    r"|don't|doesn't|didn't|hasn't|haven't|can't|couldn't|won't|wouldn't)"
)
_BEGINS: Final = re.compile(rf"(?i)\W*(?={_AUXILIARY}\b)")
_LEAD: Final = re.compile(rf"(?i)[^?]{{1,200}}?[,:]\s*(?:and\s+|then\s+)?(?={_AUXILIARY}\b)")
_NOISE: Final = re.compile(r"(?i)<[^<>\n]{0,60}>|^\W*(?:question|q|user|human)\s*:")
_INSTRUCTION: Final = re.compile(
    r"(?i)\A\W*(?:please|kindly|just|only|simply|directly|answer|respond|reply|give|provide|choose|select|options?|note"
    r"|you|use|your|hint|explain|let's|think|a[.):]|b[.):]|yes\b|no\b)"
)
_TRAILING: Final = re.compile(
    r"(?i)[\s,;:(]*(?:please\s+)?(?:just\s+|only\s+)?(?:answer|respond|reply|say)\b[^?]{0,40}\byes\b"
    r"[^?]{0,20}\bno\b[^?]*\Z"
    r"|[\s,(]*\b(?:yes or no|yes/no|true or false)\b[)\s]*(?=\?|\Z)|,\s*(?:right|correct)\s*(?=\?|\Z)"
)
_SENTENCE_END: Final = re.compile(r"(?<=[?!])\s+|(?<=\w)\.\s+|(?<=[^\w\s])\.\s+|\n+")
_RIGHT: Final = r"true|correct|right|accurate|false|untrue|wrong|incorrect|inaccurate"
FALSE: Final = lexicon.words("say that something is false") | {"no"}
_QUOTED: Final = re.compile(
    r"(?is)\b(?:is|would|are)\s+\W?(?P<word>yes|no|true|false)\W?\s+(?:be\s+)?(?:the|a|an)\s+"
    rf"(?:(?:{_RIGHT}|proper|best|appropriate)\s+)*(?:answer|reply|response)\b[^:\"'“]*[:\"'“\s]*(?P<question>.+)"
)
# the same question as whether "no" is the right answer
_WRAPPED: Final = re.compile(r"(?i)\bis it false that the (?:right|correct) answer to this question is \W?yes\b")
_JUDGED: Final = re.compile(
    rf"(?i)\b(?:is|are|was|would)\s+(?:it|this|that|the following)(?:\s+be)?\s+(?P<denied>not\s+)?"
    rf"(?P<word>{_RIGHT}|the case)"
    r"(?:\s+to\s+(?:say|claim|state|conclude))?\s+that\s+(?P<claim>.+)"
)
_STATEMENT: Final = re.compile(
    r"(?is)\b(?:is|are)\s+(?:the|this|that)\s+(?:following\s+)?(?:statement|claim|sentence|description|caption|assertion)\b"
    rf"(?:\s+(?P<first>{_RIGHT}))?\s*[:?,]?\s*[\"'“](?P<claim>[^\"“”]+?)[\"'”]\W*(?P<word>{_RIGHT})?\W*\Z"
)
_NUMBER_OF: Final = re.compile(
    r"(?i)\W*is the (?:total )?number of (?P<what>[^,?]+?) (?:equal to )?(?P<count>\d{1,4})\W*\Z"
)
_SHOWS_THAT: Final = re.compile(
    r"(?i)\W*(?:do|does|did)\s+(?:the|this|these)\s+[\w ]{1,40}?\s(?:show|indicate|suggest|say|state|reveal|imply)"
    r"\s+that\s+(?P<claim>.+)"
)
_SPACE: Final = re.compile(r"\s+")
_NOT_BEHIND: Final = re.compile(r"(?i)\s*(?:there|it)\s+not\b")
_SHOWS: Final = lexicon.words("show")
_POINTS: Final = ("the", "these", "those")
_HAPPENS: Final = frozenset(map(stem, "happen occur".split()))
_COLOUR: Final = stem("colour")
_ACTS: Final = frozenset(map(stem, lexicon.words("acts")))
_IS_THERE: Final = frozenset(map(stem, "visible present show depict display contain include find exist see".split()))
_SHOWN: Final = re.compile(
    r"\s*(?:(?:all|both|each|every\sone)\s(?:of\s)?)?(?:(?:the|this|that|these|those|your|either|any|each)\s)?"
    r"(?:\w+\s)?(?:image|picture|photo|photograph|scene|video|clip|frame|figure|chart|screenshot|shot|you|we|one|i"
    r"|anyone)s?\b(?:\s(?:also|clearly|actually))?\s(?:not\s)?(?P<verb>\w+)"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim."""

    words: tuple[Word, ...]  # its content, in order
    subject: int = 0  # number of words in its subject, which an answer may replace by "it"
    denied: bool = False  # the question asks whether the claim does not hold
    exists: bool = False  # it claims existence, and nothing else
    count: Range | None = None  # claimed count; ``None`` without one
    value: Range | None = None  # the range of a value: "x is larger than 5"
    either: tuple["Claim", ...] = ()  # claims of which one is enough ("a cat or a dog")
    before: tuple[Word, ...] = ()  # text before the question
    year: str = ""  # the year for which it is claimed
    all: bool = False  # it is claimed of all: "all the children", "both men"
    numbered: bool = False  # it is about an image with a number
    word: str = ""  # the judgement in question: "false" in "Is it false that …?"
    quoted: bool = False  # the question asks if that word is the correct answer to another question

    stems: tuple[str, ...] = field(init=False, repr=False, compare=False)  # stems of the words

    def __post_init__(self) -> None:
        object.__setattr__(self, "stems", tuple([word.stem for word in self.words]))


@lru_cache(maxsize=8_192)
def claim(question: str) -> Claim | None:
    """Return a question's claim, or None if it is not an understood yes/no question.

    >>> parsed = claim("Is there no dog in the image?")
    >>> parsed.stems, parsed.exists, parsed.denied
    (('dog',), True, True)
    """
    text = question[:_LONGEST].strip()
    if "<" in text or ":" in text:
        text = _NOISE.sub(" ", text).strip()
    quoted = _QUOTED.search(_WRAPPED.sub('Is "no" the right answer', text))
    if quoted:
        inner = claim(quoted["question"].strip(" \"'“”"))
        return inner and _judged(inner, quoted["word"], quoted=True)
    statement = _STATEMENT.search(text)
    if statement and (statement["word"] or statement["first"]):
        return _judged(_claimed(statement["claim"], ""), statement["word"] or statement["first"])
    before, sentence = _sentence(text)
    judged = _JUDGED.search(sentence)
    if judged:
        return _judged(_claimed(judged["claim"], ""), judged["word"], denied=bool(judged["denied"]))
    return _question(sentence, before)


def _judged(inner: Claim | None, word: str, *, denied: bool = False, quoted: bool = False) -> Claim | None:
    """Return the claim that another one is correct, or is not."""
    false = (word.lower() in FALSE) != denied
    return inner and replace(inner, denied=inner.denied != false, word="false" if false else "true", quoted=quoted)


_LONGEST: Final = 2_000


def _sentence(text: str) -> tuple[str, str]:
    """Return the text before the question, and the question without format instructions."""
    parts = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    begins = [n for n, part in enumerate(parts) if _begins(part)]
    index = next((n for n in reversed(begins) if "?" in parts[n]), begins[0] if begins else None)
    if index is None:
        return "", ""
    before = " . ".join(part for part in parts[:index] if not _INSTRUCTION.match(part))
    sentence = parts[index].split("?")[0]
    return before, _TRAILING.sub("", sentence)


def _begins(part: str) -> re.Match[str] | None:
    """Find the start of a question: its verb, or a phrase before it."""
    return _BEGINS.match(part) or _LEAD.match(part)


def _question(sentence: str, before: str) -> Claim | None:
    begins = _begins(sentence)
    if not begins:
        return None
    counted = _NUMBER_OF.match(sentence)
    reported = _SHOWS_THAT.match(sentence)
    if counted:
        return _claimed(f"there are {counted['count']} {counted['what']}", "are")
    if reported:
        return _claimed(reported["claim"], "")
    verb, _, rest = sentence[begins.end() :].partition(" ")
    if _NOT_BEHIND.match(rest):
        return None  # "Is there not a dog?" may expect either answer
    statement = _claimed(rest, verb.lower().removesuffix("n't"))
    earlier = content(words(normalize_phrases(before))) if statement and before else ()
    context = earlier if len(earlier) <= 12 and all(word.surface != "illusion" for word in earlier) else ()
    return replace(statement, before=context) if statement and context else statement


def _claimed(text: str, verb: str) -> Claim | None:
    """Return the claim of a statement, or of a question after its verb."""
    tokens = [word for word in words(normalize_phrases(text.strip(" \"'“”.?!"))) if word.role != "stop"]
    years = [word for word in tokens if YEAR.fullmatch(word.stem)]
    dated = len(tokens) > 3 and tokens[-2].surface == "in" and years == tokens[-1:]  # at the end, by one year alone
    year, tokens = (tokens[-1].stem, tokens[:-2]) if dated else ("", tokens)
    negations = [word.surface for word in tokens if word.role == "negation"]
    exists = _says_that_it_is_there(tokens, text)
    if len(negations) > 1 or (exists and "without" in negations):
        return None  # in "a man without a hat" the claim as a whole is not denied
    everything = any(word.surface in ALL for word in tokens)
    if not exists:
        points = [word.surface in _POINTS for word in tokens]
        counted = [n for n, word in enumerate(tokens) if n and points[n - 1] and number(word) is not None]
        everything = everything or bool(counted)
        tokens = [word for n, word in enumerate(tokens) if n not in counted]  # "the two lamps" are all of them
    for n, word in enumerate(tokens[:-1]):
        if word.surface == "possible" and tokens[n + 1].surface == "to":
            tokens[n] = word._replace(role="")  # the question is about possibility
    tokens = [word for word in tokens if word.role != "negation" and word.surface not in ALL]
    contents = content([word for word in tokens if word.surface not in ("at_least", "at_most")])
    exists = exists or (verb in _BE | {"can", "could"} and bool(tokens) and tokens[-1].stem in _IS_THERE)
    predicate = () if exists else content(tokens[_predicate(tokens, verb) :])
    exists = exists or (not predicate and bool(tokens) and tokens[-1].stem in _IS_THERE)
    if not exists:
        tokens = _mark_verbs(tokens)
        predicate, contents = content(tokens[_predicate(tokens, verb) :]), content(tokens)
    ranged = None if exists else value(_with_verb(tokens, verb))
    either = _either(tokens, exists) if any(word.surface == "or" for word in tokens) else ()
    count, contents = _counted(tokens, contents) if exists else (None, contents)
    numbered = PICTURE_NUMBER.search(text.lower()) is not None
    subject = len(contents) - len(predicate) if predicate else 0
    statement = Claim(contents, subject, bool(negations), exists, count, ranged, either, (), year, everything, numbered)
    return statement if contents else None


def _mark_verbs(tokens: list[Word]) -> list[Word]:
    """Mark a normally neutral verb as content: "look" in "Does the man look at the dog?"."""
    unbounded = [word for word in tokens if word.surface not in ("at_least", "at_most")]
    alike = any(word.stem in ("equal", "different") for word in unbounded)  # "the same colour"
    acts = [
        (alike and word.stem == _COLOUR) or (word.role == "neutral" and (word.stem in _ACTS or word is unbounded[-1]))
        for word in unbounded
    ]
    return [word._replace(role="") if act else word for word, act in zip(unbounded, acts, strict=True)]


def _says_that_it_is_there(tokens: Sequence[Word], text: str) -> bool:
    if tokens and tokens[0].surface == "there":
        return True
    match = _SHOWN.match(_SPACE.sub(" ", text.lower()))
    return match is not None and words(match["verb"])[0].stem in _SHOWS


def _with_verb(tokens: list[Word], verb: str) -> list[Word]:
    """Restore the verb before a number: "Is x 5" claims that x is 5."""
    joined = ("than", "to", "=", "<", ">", "at_least", "at_most", ">=", "<=")
    if verb in _BE and len(tokens) > 1 and number(tokens[-1]) is not None and tokens[-2].surface not in joined:
        return [*tokens[:-1], words(verb)[0], tokens[-1]]
    return tokens


def _counted(tokens: list[Word], contents: tuple[Word, ...]) -> tuple[Range | None, tuple[Word, ...]]:
    """Remove the count of objects from the words."""
    nouns = (
        n for n, word in enumerate(tokens) if word.role == "" and number(word) is None and word.surface not in BOUNDS
    )
    first = next(nouns, len(tokens))
    count = quantity(tokens[:first])
    return (None, contents) if count is None else (count, content(tokens[first:]))


def _either(tokens: list[Word], exists: bool) -> tuple[Claim, ...]:
    parts: list[list[Word]] = [[]]
    for word in tokens:
        if word.surface == "or":
            parts.append([])
        else:
            parts[-1].append(word)
    exists = exists or any(word.surface in ("anything", "something") for part in parts for word in part)
    options = [content(part) for part in parts]
    options = [tuple(word for word in one if word.stem not in _HAPPENS) or one for one in options]
    return tuple(Claim(one, exists=exists) for one in options if one)


def _predicate(tokens: list[Word], verb: str) -> int:
    """Return the index of the predicate, after the first noun phrase."""
    does = verb in _DO
    if (
        tokens
        and tokens[0].role == "pronoun"
        and (len(tokens) < 2 or tokens[1].role != "" or tokens[0].surface in ("it", "they"))
    ):
        return 1
    nouns = last = 0
    for place, word in enumerate(tokens):
        if nouns and _ends_subject(word, does):
            if not does:
                return place
            if nouns > 1:
                return last
            if word.role != "" and word.surface not in ("with", "of"):
                return place
        if word.surface == "of" and nouns:
            nouns = nouns if does else 0
        elif word.role == "" and word.surface not in PREPOSITIONS:
            nouns, last = nouns + 1, place
    return last if nouns > 1 else len(tokens)


def _ends_subject(word: Word, does: bool) -> bool:
    if word.surface in PREPOSITIONS or word.role == "sign":
        return True
    if word.surface in ("a", "an", "the", "any", "his", "her", "its", "their", "more"):
        return True
    if does:
        return word.surface == "from"
    acting = word.role == "" and word.surface.endswith(("ing", "ed"))
    return acting or compares(word.stem) or word.stem in ("equal", "different")
