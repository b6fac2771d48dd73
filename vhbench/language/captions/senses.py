"""Word senses in context: "to train", an orange cat, a bed of flowers.

``senses.tsv`` lists the context words that indicate another sense.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from vhbench.language import lexicon
from vhbench.language.captions.vocabulary import Match, Vocabulary
from vhbench.tsv import records, words


class _Sense(NamedTuple):
    """A row of ``senses.tsv``: words with another sense near certain other words."""

    words: tuple[str, ...]  # as captions write them
    within: str  # "sentence" or "text": scope of the context
    near: frozenset[str]  # at least one of these is present
    unless: frozenset[str]  # none of these is
    thing: str  # the other meaning, or ""
    why: str  # documentation only


def _read(table: Path) -> Mapping[str, Sequence[_Sense]]:
    def several(cell: str) -> frozenset[str]:
        return frozenset(words(cell))

    senses: dict[str, list[_Sense]] = {}
    for sense in records(table, _Sense, {"words": words, "near": several, "unless": several}):
        for word in sense.words:
            senses.setdefault(word, []).append(sense)
    return senses


_SENSES = _read(Path(__file__).with_name("senses.tsv"))

_VERBS = lexicon.words("verbs like things")
_MODALS = "can|could|will|would|may|might|must|should|cannot"
_BEFORE_A_VERB = re.compile(
    r"(?:\b(?:(?<!next )(?<!close )(?<!adjacent )(?<!due )(?<!attached )(?<!connected )(?<!leading )(?<!similar )to"
    rf"|{_MODALS}|not|who|they|we|you|he|she|i)"
    r"|\b(?:he|she|who|man|woman|person|boy|girl|child|skier|snowboarder|someone)(?= \Z))\s\Z"
)
_COLOURS = "red|yellow|white|black|blue|green|brown|pink|purple|gr[ae]y|gold|tan|beige|silver|cream|teal|orange"
_ALSO_VERBS = lexicon.words("also verbs")
_AFTER_A_MODAL = re.compile(rf"\b(?:{_MODALS})\s\Z")
_STARTS_A_NOUN = re.compile(
    rf"(?:\A|[^\w\s]\s?|\b(?:an?|the|these|those|his|her|its|their|some|many|several|few|no|any|all|both|two|three|four"
    rf"|five|six|is|are|was|were|has|have|see|of|with|by|for|in|on|at|near|under|behind|beside|between|from|to|like|as|large|big|small|{_COLOURS}|[a-z]{{2,}}ing)\s)\Z"
)
_DETERMINER = re.compile(r"(?:an?|the|his|her|its|their|him|them|it|each|another|some)\b")
_IS_PLAYED = frozenset({"skis", "snowboards", "skateboards"})
_PATIENT = re.compile(r"\b(?:is|are|be|being|very|so|appears|seems|looks|and|calm,?|more)\s\Z")

_ONE = re.compile(
    r"(?:\b(?:an|one|each|every|another|single|whole|half|ripe|peeled|sliced|fresh|juicy|cut|half-eaten|navel|blood"
    r"|mandarin)(?: (?:peeled|sliced|ripe|fresh|whole|juicy|cut|half-eaten|small|large|round))?"
    r"|\bthe|\bthis|\bthat|\b(?:slices?|pieces?|half|halves|wedges?|segments?|sections?) of)\s\Z"
)
_ENDS = re.compile(
    r"\s*(?:\Z|[.,;:!?)\"']|\s(?:is|are|was|has|sits|lies|rests|can|in|on|at|near|next|beside|with|from|by|to|that"
    r"|which|who|being|sitting|lying|resting|placed|cut|sliced|peeled|located|positioned|visible|for|under|behind"
    r"|inside|between|nearby|there|or|and (?!(?:" + _COLOURS + r")\b))\b|\sand (?=an? |the |two |some ))"
)
_BEFORE_A_TIN = re.compile(
    rf"\b(?:an?|the|this|that|one|each|every|another|large|big|small|tall|old|empty|open|full|closed|crushed|rusty"
    rf"|shiny|trash|garbage|soda|cola|beer|drink|paint|spray|oil|gas|milk|food|metal|tin|steel|aluminum|aluminium"
    rf"|watering|{_COLOURS})\s\Z"
)
_PAINTED = re.compile(rf"(?:{_COLOURS})(?:,? and|,| or)\s(?:an?\s)?\Z")


def of_things(lowered: str, mentions: Sequence[Match], terms: Set[str], vocabulary: Vocabulary) -> Iterator[Match]:
    """Yield the mentions that name an object; ``terms``: the text's words in lower case.

    >>> words = Vocabulary.build([["train"], ["orange"], ["bed"], ["cat"]])
    >>> text = "An orange cat, taught to train, in a bed of flowers, looks at an orange."
    >>> [(one.word, one.start) for one in of_things(text.lower(), words.find(text), {"flowers"}, words)]
    [('cat', 10), ('orange', 65)]
    """
    starts = {one.start for one in mentions}
    for one in mentions:
        surface = lowered[one.start : one.end]
        if surface in _VERBS and _is_verb(lowered, one, surface):
            continue
        if one.word in _ALSO_VERBS and _governs(lowered, one, starts):
            continue
        if (test := _OWN.get(surface)) and not test(lowered, one):
            continue
        sense = next(filter(lambda sense: _holds(sense, lowered, one, terms), _SENSES.get(surface, ())), None)
        if sense is None:
            yield one
        elif sense.thing and (node := vocabulary.node(sense.thing)):
            yield one._replace(word=sense.thing, node=node)


def is_modal(lowered: str, start: int, end: int) -> bool:
    """Return whether the word there is the verb of "a dog can be seen", not a tin.

    >>> [is_modal(text, 6, 9) for text in ("a dog can be seen", "a red can")]
    [True, False]
    """
    return lowered[start:end] == "can" and not _BEFORE_A_TIN.search(lowered, max(0, start - 20), start)


def _governs(lowered: str, one: Match, starts: Set[int]) -> bool:
    """Return whether a word is a verb after a modal, or with an object: "a hydrant sprays water, a lamp lights it"."""
    if _AFTER_A_MODAL.search(lowered, max(0, one.start - 10), one.start):
        return True
    if lowered[one.start : one.end] == one.word or lowered[one.end : one.end + 1] != " ":
        return False
    has_object = one.end + 1 in starts or _DETERMINER.match(lowered, one.end + 1)
    return bool(has_object) and not _STARTS_A_NOUN.search(lowered, max(0, one.start - 12), one.start)


def _is_verb(lowered: str, one: Match, surface: str) -> bool:
    before = _BEFORE_A_VERB.search(lowered, max(0, one.start - 20), one.start)
    if not before:
        return False
    plural_subject = before[0].split()[0] in ("man", "woman", "person", "boy", "girl", "child", "skier", "he", "she")
    return surface in _IS_PLAYED or not plural_subject


def _is_fruit(lowered: str, one: Match) -> bool:
    """Distinguish an orange from the colour: a single one, without a noun after it."""
    if not _ENDS.match(lowered, one.end) or _PAINTED.search(lowered, max(0, one.start - 20), one.start):
        return False
    return bool(_ONE.search(lowered, max(0, one.start - 30), one.start))


# words that depend on neighbours → function that checks whether they name an object
_OWN: Mapping[str, Callable[[str, Match], bool]] = {
    "orange": _is_fruit,
    "patient": lambda lowered, one: not _PATIENT.search(lowered, max(0, one.start - 12), one.start),
}


def _holds(sense: _Sense, lowered: str, one: Match, terms: Set[str]) -> bool:
    if not sense.near & terms:
        return False
    if sense.within == "sentence":
        terms = words_of(_sentence_around(lowered, one.start))
    if not sense.near & terms or sense.unless & terms:
        return False
    if not sense.thing:
        return True
    # a thing that is listed next to a context word keeps its sense
    beside = _LISTED_BEFORE.search(lowered, max(0, one.start - 60), one.start), _LISTED_BEHIND.match(lowered, one.end)
    return not any(mark is not None and mark[1] in sense.near for mark in beside)


_LISTED_BEFORE = re.compile(r"(\w+),? (?:and|or) (?:\w+ ){0,2}\Z")
_LISTED_BEHIND = re.compile(r"(?:,|,? and|,? or) (?:(?:an?|some|several|two|three|many|the) )?(\w+)")


_APART = str.maketrans(dict.fromkeys('.,;:!?()[]{}"“”*/\n\t—–', " "))


def words_of(lowered: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(lowered.translate(_APART).split())


def _sentence_around(text: str, place: int) -> str:
    """Return the sentence around an index, at most 500 characters to either side."""
    start = max(text.rfind(end, max(0, place - 500), place) for end in (". ", "! ", "? ", "\n")) + 1
    ends = [end for mark in (". ", "! ", "? ", "\n") if (end := text.find(mark, place, place + 500)) >= 0]
    return text[max(start, place - 500, 0) : min(ends, default=place + 500)]
