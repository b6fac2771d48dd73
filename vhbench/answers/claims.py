"""What a yes/no question asks: a claim, and whether the question is if it holds or if it does not.

"Is there no dog?" and "Is it false that there is a dog?" ask about one claim, that there is a dog, and deny it.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from vhbench.answers.stems import POSTURES, Word, compares, straightened, words
from vhbench.english import NUMBERS

MANY: Final = float("inf")
Range = tuple[float, float]
"""The least and the most that a number can be, both included; an open end is written as the next number."""

_AUXILIARY: Final = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|am|isn't|aren't|wasn't|weren't"
    r"|don't|doesn't|didn't|hasn't|haven't|can't|couldn't|won't|wouldn't)"
)
_TAG: Final = re.compile(r"<[^<>\n]{0,60}>|^\W*(?:question|q|user|human)\s*:", re.IGNORECASE)
_INSTRUCTION: Final = re.compile(
    r"(?i)\A\W*(?:please|kindly|just|only|simply|directly|answer|respond|reply|give|provide|choose|select|options?|note|you"
    r"|use|your|hint|explain|let's|think|a[.):]|b[.):]|yes\b|no\b)"
)
_TRAILING: Final = re.compile(
    r"(?i)[\s,;:(]*(?:please\s+)?(?:just\s+|only\s+)?(?:answer|respond|reply|say)\b[^?]{0,40}\byes\b[^?]{0,20}\bno\b[^?]*\Z"
    r"|[\s,(]*\b(?:yes or no|yes/no|true or false|right|correct)\b[)\s]*(?=\?|\Z)"
)
_QUOTED: Final = re.compile(
    r"(?is)\b(?:is|would|are)\s+\W?(?P<word>yes|no|true|false)\W?\s+(?:be\s+)?(?:the|a|an)\s+"
    r"(?:(?:right|correct|true|accurate|proper|best|appropriate)\s+)*(?:answer|reply|response)\b[^:\"'“]*[:\"'“\s]*(?P<asked>.+)"
)
_JUDGED: Final = re.compile(
    r"(?i)\b(?:is|are|was|would)\s+(?:it|this|that|the following)(?:\s+be)?\s+(?P<denied>not\s+)?"
    r"(?P<word>true|correct|right|accurate|false|untrue|wrong|incorrect|inaccurate|the case)"
    r"(?:\s+to\s+(?:say|claim|state|conclude))?\s+that\s+(?P<claim>.+)"
)
_STATEMENT: Final = re.compile(
    r"(?is)\b(?:is|are)\s+(?:the|this|that)\s+(?:following\s+)?(?:statement|claim|sentence|description|caption|assertion)\b"
    r"(?:\s+(?P<first>true|correct|right|accurate|false|untrue|wrong|incorrect))?\s*[:?,]?\s*[\"'“](?P<claim>[^\"“”]+?)[\"'”]\W*"
    r"(?P<word>true|correct|right|accurate|false|untrue|wrong|incorrect)?\W*\Z"
)
_FALSE: Final = frozenset("false untrue wrong incorrect inaccurate no".split())
_SHOWS: Final = frozenset(
    "show contain have include depict feature display see find spot identify detect notice observe visible present exist"
    " capture recognize discern locate portray".split()
)
_SHOWN: Final = re.compile(
    r"\A(?:(?:the|this|that|these|those|your|either|any|each)\s)?(?:\w+\s)?(?:image|picture|photo|photograph|scene|video|clip|frame|figure|chart"
    r"|screenshot|shot|you|we|one|i|anyone)s?\b(?:\s(?:also|clearly|actually))?\s(?P<verb>\w+)"
)
_BOUNDS: Final = {
    "at_least": lambda n: (n, MANY), "at_most": lambda n: (0, n), "more": lambda n: (n + 1, MANY),
    "over": lambda n: (n + 1, MANY), "above": lambda n: (n + 1, MANY), "fewer": lambda n: (0, n - 1),
    "less": lambda n: (0, n - 1), "under": lambda n: (0, n - 1),
}  # fmt: skip
_VAGUE: Final = {"several": (3, MANY), "multiple": (2, MANY), "many": (3, MANY), "numerous": (3, MANY),
                 "various": (2, MANY), "few": (2, MANY), "lots": (3, MANY), "dozens": (12, MANY)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed.

    Attributes:
        words: its content, in order.
        subject: how many of the words are its subject, for which an answer may say "it".
        denied: the question asks whether the claim does not hold.
        exists: it claims that something is there, and nothing else.
        count: how many of it there are; ``None`` where no number is asked.
        number: what a value is, and in which range: "x is larger than 5".
        either: claims of which one is enough ("a cat or a dog"); then the fields above are those of the whole.
        said_before: a claim that the question makes before it asks.
    """

    words: tuple[Word, ...]
    subject: int = 0
    denied: bool = False
    exists: bool = False
    count: Range | None = None
    value: Range | None = None
    either: tuple["Claim", ...] = field(default=())
    said_before: tuple[Word, ...] = ()

    @property
    def stems(self) -> tuple[str, ...]:
        """The words by their meaning."""
        return tuple(word.stem for word in self.words)


@lru_cache(maxsize=4096)
def claim(question: str) -> Claim | None:
    """Return what a question asks, or None where it is no yes/no question that can be understood.

    >>> asked = claim("Is there no dog in the image?")
    >>> asked.stems, asked.exists, asked.denied
    (('dog',), True, True)
    """
    text = _TAG.sub(" ", question).strip()
    quoted = _QUOTED.search(text)
    if quoted:
        inner = claim(quoted["asked"].strip(" \"'“”"))
        return inner and _turned(inner, quoted["word"].lower() in _FALSE)
    stated = _STATEMENT.search(text)
    if stated and (stated["word"] or stated["first"]):
        return _statement(stated["claim"], (stated["word"] or stated["first"]).lower() in _FALSE)
    before, asked = _sentence(text)
    judged = _JUDGED.search(asked)
    if judged:
        return _statement(judged["claim"].strip(" ?"), (judged["word"].lower() in _FALSE) != bool(judged["denied"]))
    return _question(asked, before)


def content(said: list[Word] | tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the words that say something about a picture."""
    return tuple(word for word in said if word.role == "")


def quantity(before: list[Word]) -> Range | None:
    """Return how many the words before a noun say that there are, or None if they give no number."""
    found: Range | None = None
    for place, word in enumerate(before):
        number = value_of(word)
        if number is None:
            found = _VAGUE.get(word.surface, found)
            continue
        back = [w.surface for w in before[max(0, place - 2) : place]]
        bound = next((_BOUNDS[w] for w in reversed(back) if w in _BOUNDS), None)
        found = bound(number) if bound else (number, number)
    return found


def value_of(word: Word) -> float | None:
    """Return the number that a word is, or None."""
    if word.stem in NUMBERS:
        return NUMBERS.index(word.stem)
    more = {"eleven": 11, "twelve": 12, "single": 1, "dozen": 12}
    if word.surface in more:
        return more[word.surface]
    return float(word.stem) if re.fullmatch(r"\d+(?:\.\d+)?", word.stem) else None


def value_range(said: list[Word]) -> Range | None:
    """Return the range in which a sentence puts a value: "is larger than 5", "= 180", "exactly 3"; else None."""
    for place in range(len(said) - 1, -1, -1):
        number = value_of(said[place])
        if number is None:
            continue
        back = [word.surface for word in said[max(0, place - 4) : place] if word.surface not in ("the", "to", "a")]
        last, before = (["", "", *back][-1], ["", "", *back][-2])
        if last == "than":
            if before in ("larger", "greater", "bigger", "more", "higher", "longer", "taller", "older", "above"):
                return (number + 1e-9, MANY)
            if before in ("smaller", "less", "fewer", "lower", "shorter", "lesser", "younger", "below"):
                return (-MANY, number - 1e-9)
            continue
        signs = {">": (number + 1e-9, MANY), "<": (-MANY, number - 1e-9), ">=": (number, MANY), "<=": (-MANY, number),
                 "≥": (number, MANY), "≤": (-MANY, number), "above": (number + 1e-9, MANY),
                 "over": (number + 1e-9, MANY), "exceeds": (number + 1e-9, MANY), "exceed": (number + 1e-9, MANY),
                 "below": (-MANY, number - 1e-9), "under": (-MANY, number - 1e-9), "at_least": (number, MANY),
                 "at_most": (-MANY, number)}  # fmt: skip
        if last in signs:
            return signs[last]
        if last in ("=", "equal", "equals", "exactly", "precisely", "is", "are", "be") or (
            last in ("of", "as", "at") and before in ("value", "sum", "total", "is", "shown", "labeled", "given")
        ):
            return (number, number)
    return None


def _turned(inner: Claim, turn: bool) -> Claim:
    if not turn:
        return inner
    return Claim(
        inner.words, inner.subject, not inner.denied, inner.exists, inner.count, inner.value, inner.either
    )  # fmt: skip


def _sentence(text: str) -> tuple[str, str]:
    """Return what is said before the question, and the question without what asks for a form of answer."""
    parts = [part.strip() for part in re.split(r"(?<=[?!])\s+|(?<=\w)\.\s+|(?<=[^\w\s])\.\s+|\n+", text) if part.strip()]
    asked = next((n for n in range(len(parts) - 1, -1, -1) if "?" in parts[n] and _begins(parts[n])), None)
    if asked is None:
        asked = next((n for n, part in enumerate(parts) if _begins(part)), None)
    if asked is None:
        return "", ""
    before = " . ".join(part for part in parts[:asked] if not _INSTRUCTION.match(part))
    return before, _TRAILING.sub("", parts[asked].split("?")[0])


def _begins(part: str) -> re.Match[str] | None:
    """Find where a question begins: with its verb, or with a phrase before it."""
    lead = re.match(rf"(?i)\W*(?=(?P<verb>{_AUXILIARY})\b)", part)
    if lead:
        return lead
    return re.match(rf"(?i)[^?]{{1,200}}?[,:]\s*(?:and\s+|then\s+)?(?=(?P<verb>{_AUXILIARY})\b)", part)


def _statement(text: str, denied: bool) -> Claim | None:
    said = words(straightened(text.strip(" \"'“”.?!")))
    return _of(said, text, denied, 0, "")


def _question(asked: str, before: str) -> Claim | None:
    begins = _begins(asked)
    if not begins:
        return None
    rest = asked[begins.end() :]
    verb, _, rest = rest.partition(" ")
    if re.match(r"\s*(?:there\s+not|it\s+not)\b", rest, re.IGNORECASE):
        return None  # "Is there not a dog?" may be asked by who believes it, and by who does not
    said = words(straightened(rest))
    made = _of(said, rest, False, None, verb.lower().removesuffix("n't"))
    if made and before:
        earlier = content(words(straightened(before)))
        illusion = any(word.surface == "illusion" for word in earlier)
        return Claim(
            made.words, made.subject, made.denied, made.exists, made.count, made.value, made.either,
            () if illusion or len(earlier) > 12 else earlier,
        )  # fmt: skip
    return made


def _of(said: list[Word], text: str, denied: bool, subject: int | None, verb: str) -> Claim | None:
    said = [word for word in said if word.role != "stop"]
    negations = [n for n, word in enumerate(said) if word.role == "negation"]
    low = re.sub(r"\s+", " ", text.lower().strip())
    shown = _SHOWN.match(low)
    exists = said[:1] != [] and said[0].surface == "there" or bool(shown and words(shown["verb"])[0].stem in _SHOWS)
    if len(negations) > 1 or (exists and any(said[n].surface == "without" for n in negations)):
        return None  # "a man without a hat" is no claim that is denied as a whole
    denied ^= bool(negations)
    said = [word for word in said if word.role != "negation"]
    found = content([word for word in said if word.surface not in ("exactly", "precisely", "at_least", "at_most")])
    predicate = content(said[_first_predicate(said, verb) :]) if not exists else ()
    if not exists and not any(w for w in predicate) and any(w.role == "neutral" for w in said):
        exists = True  # "Is a dog visible?"
    value = None if exists else value_range(_with_verb(said, verb))
    alternatives = _either(said, exists, denied) if any(w.surface == "or" for w in said) else ()
    count: Range | None = None
    if exists:
        count, found = _counted(said, found)
    if not found:
        return None
    return Claim(found, max(0, len(found) - len(predicate)) if predicate else 0, denied, exists, count, value, alternatives)


def _with_verb(said: list[Word], verb: str) -> list[Word]:
    """Put the verb back where a number follows its subject: "Is x 5" says that x is 5."""
    if verb in ("is", "are", "was", "were") and len(said) > 1 and value_of(said[-1]) is not None:
        if said[-2].surface not in ("than", "to", "=", "<", ">", "at_least", "at_most", ">=", "<="):
            return [*said[:-1], words(verb)[0], said[-1]]
    if len(said) > 2 and value_of(said[-2]) is not None and said[-3].surface not in ("than", "to", "exactly", "="):
        return said
    return said


def _counted(said: list[Word], found: tuple[Word, ...]) -> tuple[Range | None, tuple[Word, ...]]:
    """Take the number of what is there out of the words."""
    first = next((n for n, word in enumerate(said) if word.role == "" and value_of(word) is None
                  and word.surface not in ("more", "fewer", "less", "only", "over", "above", "under", *_VAGUE)), len(said))  # fmt: skip
    count = quantity(said[:first])
    if count is None:
        return None, found
    kept = content(said[first:])
    return count, kept


def _either(said: list[Word], exists: bool, denied: bool) -> tuple[Claim, ...]:
    at = [n for n, word in enumerate(said) if word.surface == "or"]
    parts, start = [], 0
    for stop in [*at, len(said)]:
        parts.append(content(said[start:stop]))
        start = stop + 1
    return tuple(Claim(part, 0, denied, exists) for part in parts if part)


def _first_predicate(said: list[Word], verb: str) -> int:
    """Return where the predicate begins: behind the first noun phrase."""
    if said and (said[0].role == "pronoun" and (len(said) < 2 or said[1].role != "" or said[0].surface not in
                 ("this", "that", "these", "those", "both"))):  # fmt: skip
        return 1
    does = verb in ("do", "does", "did", "can", "could", "will", "would", "should", "may", "might")
    nouns = 0
    last = 0
    for place, word in enumerate(said):
        if word.role == "" and not (place and nouns == 0 and False):
            joined = compares(word.stem) or word.stem in ("equal", "different")
            acting = re.search(r"(?:ing|ed)\Z", word.surface) and nouns > 0
            if nouns and not does and (joined or acting or _preposition(word)):
                return place
            if nouns > 0 and does and _preposition(word):
                return last if nouns > 1 else place
            if not _preposition(word):
                nouns += 1
                last = place
        elif word.surface in ("a", "an", "the", "any", "his", "her", "its", "their", "of", "with", "for", "by", "more") and nouns:
            if word.surface in ("of", "with", "for", "by"):
                nouns = 0 if not does else nouns
                continue
            return last if does and nouns > 1 else place
        elif word.role == "sign" and nouns:
            return place
    return last if nouns > 1 else len(said)


def _preposition(word: Word) -> bool:
    return word.surface in PREPOSITIONS


PREPOSITIONS: Final = frozenset(
    "on in under below above over behind front beside near between inside outside left right against around across along"
    " through beyond off down up towards toward onto upon among during beneath underneath alongside within".split()
)
"""Words of place; "in" is content only where more than the picture follows."""

__all__ = ["MANY", "POSTURES", "PREPOSITIONS", "Claim", "Range", "claim", "content", "quantity", "value_of", "value_range"]
