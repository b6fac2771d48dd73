"""Claims of yes/no questions, and whether a question affirms or denies its claim.

"Is there no dog?" and "Is it false that there is a dog?" have the same claim, that there is a dog, and deny it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from vhbench.language import lexicon
from vhbench.language.parsing.normalization import normalize_phrases
from vhbench.language.parsing.quantities import BOUNDS, Range, number, quantity, value
from vhbench.language.parsing.stems import Word, compares, content, stem, words

YEAR: Final = re.compile(r"(?:19|20)\d\d")
ALL: Final = frozenset("all every each both everyone everybody".split())
PREPOSITIONS: Final = lexicon.words("prepositions")
"""Words of place, except in "in the image"."""

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
_FALSE: Final = lexicon.words("say that something is false") | {"no"}
_QUOTED: Final = re.compile(
    r"(?is)\b(?:is|would|are)\s+\W?(?P<word>yes|no|true|false)\W?\s+(?:be\s+)?(?:the|a|an)\s+"
    rf"(?:(?:{_RIGHT}|proper|best|appropriate)\s+)*(?:answer|reply|response)\b[^:\"'“]*[:\"'“\s]*(?P<asked>.+)"
)
_WRAPPED: Final = re.compile(r"(?i)\bis it false that the (?:right|correct) answer to this question is \W?yes\b")
"""The same question as whether "no" is the right answer."""
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
    r"\s*(?:(?:the|this|that|these|those|your|either|any|each)\s)?(?:\w+\s)?(?:image|picture|photo|photograph|scene|video"
    r"|clip|frame|figure|chart|screenshot|shot|you|we|one|i|anyone)s?\b(?:\s(?:also|clearly|actually))?\s(?:not\s)?(?P<verb>\w+)"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim.

    Attributes:
        words: its content, in order.
        subject: number of words in its subject, which an answer may replace by "it".
        denied: the question asks whether the claim does not hold.
        exists: it claims existence, and nothing else.
        count: claimed count; ``None`` without one.
        value: the range of a value: "x is larger than 5".
        either: claims of which one is enough ("a cat or a dog").
        before: text before the question.
        year: the year for which it is claimed.
        all: it is claimed of all: "all the children", "both men".
        word: the judgement in question: "false" in "Is it false that …?".
        quoted: the question asks if that word is the correct answer to another question.
        stems: stems of the words.
    """

    words: tuple[Word, ...]
    subject: int = 0
    denied: bool = False
    exists: bool = False
    count: Range | None = None
    value: Range | None = None
    either: tuple["Claim", ...] = ()
    before: tuple[Word, ...] = ()
    year: str = ""
    all: bool = False
    word: str = ""
    quoted: bool = False

    stems: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stems", tuple([word.stem for word in self.words]))


@lru_cache(maxsize=8_192)
def claim(question: str) -> Claim | None:
    """Return a question's claim, or None if it is not an understood yes/no question.

    >>> asked = claim("Is there no dog in the image?")
    >>> asked.stems, asked.exists, asked.denied
    (('dog',), True, True)
    """
    text = question[:_LONGEST].strip()
    if "<" in text or ":" in text:
        text = _NOISE.sub(" ", text).strip()
    quoted = _QUOTED.search(_WRAPPED.sub('Is "no" the right answer', text))
    if quoted:
        inner = claim(quoted["asked"].strip(" \"'“”"))
        return inner and _judged(inner, quoted["word"], quoted=True)
    stated = _STATEMENT.search(text)
    if stated and (stated["word"] or stated["first"]):
        return _judged(_claimed(stated["claim"], ""), stated["word"] or stated["first"])
    before, asked = _sentence(text)
    judged = _JUDGED.search(asked)
    if judged:
        return _judged(_claimed(judged["claim"], ""), judged["word"], denied=bool(judged["denied"]))
    return _question(asked, before)


def is_negative_judgement(word: str) -> bool:
    """Return whether a judgement calls a statement false."""
    return word.lower() in _FALSE


def _judged(inner: Claim | None, word: str, *, denied: bool = False, quoted: bool = False) -> Claim | None:
    """Return the claim that another one is correct, or is not."""
    false = is_negative_judgement(word) != denied
    return inner and replace(inner, denied=inner.denied != false, word="false" if false else "true", quoted=quoted)


_LONGEST: Final = 2_000


def _sentence(text: str) -> tuple[str, str]:
    """Return the text before the question, and the question without format instructions."""
    parts = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    begins = [n for n, part in enumerate(parts) if _begins(part)]
    asked = next((n for n in reversed(begins) if "?" in parts[n]), begins[0] if begins else None)
    if asked is None:
        return "", ""
    before = " . ".join(part for part in parts[:asked] if not _INSTRUCTION.match(part))
    found = parts[asked].split("?")[0]
    return before, _TRAILING.sub("", found)


def _begins(part: str) -> re.Match[str] | None:
    """Find the start of a question: its verb, or a phrase before it."""
    return _BEGINS.match(part) or _LEAD.match(part)


def _question(asked: str, before: str) -> Claim | None:
    begins = _begins(asked)
    if not begins:
        return None
    counted = _NUMBER_OF.match(asked)
    reported = _SHOWS_THAT.match(asked)
    if counted:
        return _claimed(f"there are {counted['count']} {counted['what']}", "are")
    if reported:
        return _claimed(reported["claim"], "")
    verb, _, rest = asked[begins.end() :].partition(" ")
    if _NOT_BEHIND.match(rest):
        return None  # "Is there not a dog?" may expect either answer
    made = _claimed(rest, verb.lower().removesuffix("n't"))
    earlier = content(words(normalize_phrases(before))) if made and before else ()
    kept = earlier if len(earlier) <= 12 and all(word.surface != "illusion" for word in earlier) else ()
    return replace(made, before=kept) if made and kept else made


def _claimed(text: str, verb: str) -> Claim | None:
    """Return the claim of a statement, or of a question after its verb."""
    said = [word for word in words(normalize_phrases(text.strip(" \"'“”.?!"))) if word.role != "stop"]
    year, said = _year(said)
    negations = [word.surface for word in said if word.role == "negation"]
    exists = _says_that_it_is_there(said, text)
    if len(negations) > 1 or (exists and "without" in negations):
        return None  # in "a man without a hat" the claim as a whole is not denied
    everything = any(word.surface in ALL for word in said)
    if not exists:
        points = [word.surface in _POINTS for word in said]
        counted = [n for n, word in enumerate(said) if n and points[n - 1] and number(word) is not None]
        everything = everything or bool(counted)
        said = [word for n, word in enumerate(said) if n not in counted]  # "the two lamps" are all of them
    if any(word.surface == "possible" for word in said):
        said = [_possible(word, after) for word, after in zip(said, [*said[1:], None], strict=False)]
    said = [word for word in said if word.role != "negation" and word.surface not in ALL]
    found = content([word for word in said if word.surface not in ("at_least", "at_most")])
    exists = exists or (verb in _BE | {"can", "could"} and bool(said) and said[-1].stem in _IS_THERE)
    predicate = () if exists else content(said[_predicate(said, verb) :])
    exists = exists or (not predicate and bool(said) and said[-1].stem in _IS_THERE)
    if not exists:
        said = _meant(said)
        predicate, found = content(said[_predicate(said, verb) :]), content(said)
    ranged = None if exists else value(_with_verb(said, verb))
    either = _either(said, exists) if any(word.surface == "or" for word in said) else ()
    count, found = _counted(said, found) if exists else (None, found)
    subject = len(found) - len(predicate) if predicate else 0
    made = Claim(found, subject, bool(negations), exists, count, ranged, either, (), year, everything)
    return made if found else None


def _possible(word: Word, after: Word | None) -> Word:
    """Mark "possible" as content where the question is about possibility."""
    return word._replace(role="") if word.surface == "possible" and after and after.surface == "to" else word


def _meant(said: list[Word]) -> list[Word]:
    """Mark a normally neutral verb as content: "look" in "Does the man look at the dog?"."""
    kept = [word for word in said if word.surface not in ("at_least", "at_most")]
    alike = any(word.stem in ("equal", "different") for word in kept)  # "the same colour"
    acts = [
        (alike and word.stem == _COLOUR) or (word.role == "neutral" and (word.stem in _ACTS or word is kept[-1]))
        for word in kept
    ]
    return [word._replace(role="") if act else word for word, act in zip(kept, acts, strict=True)]


def _year(said: list[Word]) -> tuple[str, list[Word]]:
    """Remove the year at the end, if it is the only one."""
    if len(said) > 3 and said[-2].surface == "in" and [word for word in said if YEAR.fullmatch(word.stem)] == said[-1:]:
        return said[-1].stem, said[:-2]
    return "", said


def _says_that_it_is_there(said: Sequence[Word], text: str) -> bool:
    if said and said[0].surface == "there":
        return True
    shown = _SHOWN.match(_SPACE.sub(" ", text.lower()))
    return shown is not None and words(shown["verb"])[0].stem in _SHOWS


def _with_verb(said: list[Word], verb: str) -> list[Word]:
    """Restore the verb before a number: "Is x 5" claims that x is 5."""
    joined = ("than", "to", "=", "<", ">", "at_least", "at_most", ">=", "<=")
    if verb in _BE and len(said) > 1 and number(said[-1]) is not None and said[-2].surface not in joined:
        return [*said[:-1], words(verb)[0], said[-1]]
    return said


def _counted(said: list[Word], found: tuple[Word, ...]) -> tuple[Range | None, tuple[Word, ...]]:
    """Remove the count of objects from the words."""
    nouns = (
        n for n, word in enumerate(said) if word.role == "" and number(word) is None and word.surface not in BOUNDS
    )
    first = next(nouns, len(said))
    count = quantity(said[:first])
    return (None, found) if count is None else (count, content(said[first:]))


def _either(said: list[Word], exists: bool) -> tuple[Claim, ...]:
    parts: list[list[Word]] = [[]]
    for word in said:
        if word.surface == "or":
            parts.append([])
        else:
            parts[-1].append(word)
    exists = exists or any(word.surface in ("anything", "something") for part in parts for word in part)
    found = [content(part) for part in parts]
    found = [tuple(word for word in one if word.stem not in _HAPPENS) or one for one in found]
    return tuple(Claim(one, exists=exists) for one in found if one)


def _predicate(said: list[Word], verb: str) -> int:
    """Return the index of the predicate, after the first noun phrase."""
    does = verb in _DO
    if (
        said
        and said[0].role == "pronoun"
        and (len(said) < 2 or said[1].role != "" or said[0].surface in ("it", "they"))
    ):
        return 1
    nouns = last = 0
    for place, word in enumerate(said):
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
    return last if nouns > 1 else len(said)


def _ends_subject(word: Word, does: bool) -> bool:
    if word.surface in PREPOSITIONS or word.role == "sign":
        return True
    if word.surface in ("a", "an", "the", "any", "his", "her", "its", "their", "more"):
        return True
    if does:
        return word.surface == "from"
    acting = word.role == "" and word.surface.endswith(("ing", "ed"))
    return acting or compares(word.stem) or word.stem in ("equal", "different")
