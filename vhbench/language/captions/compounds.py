"""Compound nouns: a bus stop is not a bus, a toilet bowl not a bowl, a toy car not a car.

English compounds end with their head. So of two adjacent vocabulary words ("desk chair") the last is the object, and a
word before another noun describes it ("dog food"). ``compounds.tsv`` lists further compounds and exceptions ("train
car": the train is present, but not a car).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from vhbench.language import lexicon
from vhbench.language.captions.vocabulary import Match, Vocabulary
from vhbench.tsv import records, words

ANY, ANIMATE = "*", "@animate"  # in the table: any word of the vocabulary; any that names a person or an animal
_BARE = "!"  # suffix of table nouns with verb forms: the bus stops, the horse races
_CREATURES = lexicon.words("creatures")
_BETWEEN = frozenset(
    "red blue green yellow brown black white gray grey pink purple orange big large small little tiny old cute".split()
)

# Second word of a compound → first word → object: "first", "second", "=another" or "" for none. "!node" also means
# none, but only for a word that names this node of the vocabulary.
_Table = Mapping[str, Mapping[str, str]]


def _read(table: Path) -> _Table:
    outcomes: dict[str, dict[str, str]] = {}

    def add(first: str, second: str, outcome: str, why: str) -> None:
        for head in words(second):
            plain = head.removesuffix(_BARE)
            alone = head != plain or plain.endswith("s") or plain in (ANY, ANIMATE)
            for form in (plain,) if alone else (plain, f"{plain}s"):
                outcomes.setdefault(form, {}).update(dict.fromkeys(words(first), outcome))

    records(table, add, {})
    return outcomes


_TABLE = _read(Path(__file__).with_name("compounds.tsv"))
_FIRST = frozenset(first for row in _TABLE.values() for first in row)
_AFTER = re.compile(r"(?P<of>'s|(?<=s)')?[ -](?P<word>[a-z][a-z-]*)")


def heads(lowered: str, mentions: Sequence[Match], vocabulary: Vocabulary) -> Iterator[Match]:
    """Yield the mentions that are heads of their compounds.

    >>> words = Vocabulary.build([["bus"], ["toilet"], ["bowl"], ["car"]])
    >>> for text in ("a bus stop, a bus", "a toilet bowl", "toy cars"):
    ...     print([one.word for one in heads(text, words.find(text), words)])
    ['bus']
    ['toilet']
    []
    """
    last = len(mentions) - 1
    for place, one in enumerate(mentions):
        earlier = mentions[place - 1] if place and mentions[place - 1].end == one.start - 1 else None
        later = mentions[place + 1] if place < last and mentions[place + 1].start == one.end + 1 else None
        outcome = _as_second(lowered, one, earlier)
        if outcome in (None, "second"):
            if _as_first(lowered, one, later) in (None, "first"):
                yield one
        elif outcome.startswith("=") and (node := vocabulary.node(outcome[1:])):
            yield one._replace(word=outcome[1:], node=node)
        elif outcome.startswith("!") and outcome[1:] != one.node:
            yield one


def _as_second(lowered: str, one: Match, earlier: Match | None) -> str | None:
    """Return the object of a mention and the word before it; None if they are not a compound."""
    if lowered[one.start - 1 : one.start] not in (" ", "-"):
        return None
    before = lowered[max(0, one.start - 30) : one.start - 1].rsplit(" ", 2)
    first = before[-1]
    if first in _BETWEEN and len(before) > 1 and before[-2] in _FIRST:
        first, earlier = before[-2], None
    if earlier:
        return _outcome((lowered[earlier.start : earlier.end], earlier.word), _forms(lowered, one), any_first=False)
    return _outcome((first,), _forms(lowered, one), any_first=False) if first in _FIRST else None


def _as_first(lowered: str, one: Match, later: Match | None) -> str | None:
    """Return the object of a mention and the word after it; None if they are not a compound."""
    after = _AFTER.match(lowered, one.end)
    if not after or (later is None and after["word"] not in _TABLE):
        return None
    surface = lowered[one.start : one.end]
    if after["of"]:
        return _outcome((surface + after["of"],), (after["word"],), any_first=False)
    single = surface.replace("-", " ") == one.word
    if later is None:
        return _outcome((surface, one.word), (after["word"],), any_first=single)
    return _outcome((surface, one.word), _forms(lowered, later), any_first=single) or ("second" if single else None)


def _forms(lowered: str, one: Match) -> tuple[str, str]:
    return lowered[one.start : one.end], one.word


def _outcome(first: Iterable[str], second: Iterable[str], *, any_first: bool) -> str | None:
    """Look up a pair in the table, specific words before wildcards."""
    kinds = (*second, ANIMATE) if any(word in _CREATURES for word in second) else tuple(second)
    for head in (*kinds, ANY):
        row = _TABLE.get(head)
        for word in first if row else ():
            if word in row:  # type: ignore[operator]
                return row[word]  # type: ignore[index]
    return next((_TABLE[head][ANY] for head in kinds if any_first and ANY in _TABLE.get(head, ())), None)
