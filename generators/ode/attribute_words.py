"""Attribute words of concept graphs: their kind and their English wording.

AMBER's annotations, the paper's source, contain "lie prone", "half-squat" and "open" (of a lamp), and mix opinions
("annoying") with visible properties. ``attribute_words.tsv`` classifies each word once: ``word``, the nouns the row
applies to (``of``; all others if empty), its ``class`` and its wording (``said``: "lying", "switched-on").
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from vhbench import tsv
from vhbench.colours import COLOURS
from vhbench.language import inflection

Kind = Literal[
    "colour", "material", "pattern", "shape", "size", "condition", "opening", "lighting", "weather", "posture",
    "action", "number", "unusable",
]  # fmt: skip
"""Kinds of attributes.

A "number" belongs to counting and an "unusable" word is not visible; neither is prompted.
"""

KINDS: Final[tuple[str, ...]] = get_args(Kind)
BODILY: Final = frozenset({"posture", "action"})
"""Kinds of which an object has one value at a time, whatever slot the graph uses."""

_FOLLOWING = frozenset({"with", "at"})
_PRECEDING = frozenset({"parked"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """Attribute with its English wording."""

    kind: Kind
    text: str  # wording in a prompt; "" if it has none

    @property
    def bodily(self) -> bool:
        """Whether it is a posture or action rather than an appearance."""
        return self.kind in BODILY


WORDS: Final[Mapping[tuple[str, str], Attribute]] = {
    (word, noun): Attribute(kind, text)
    for word, nouns, kind, text in tsv.records(
        Path(__file__).with_suffix(".tsv"), lambda word, of, kind, said: (word, of.split(","), kind, said), {}
    )
    for noun in nouns
}
"""(word, noun) → attribute; the noun is "" if the word means the same for all other nouns."""


KNOWN: Final = frozenset(word for word, _ in WORDS) | frozenset(COLOURS)  # words of the table, and colours


def attribute(word: str, noun: str, slot: str) -> Attribute:
    """Return the attribute that a graph's word, in the slot "state" or "action", denotes for a noun.

    Words outside the table, as custom graphs may have, are interpreted by slot: the verb of an action takes its -ing
    form, a state is used unchanged before the noun.

    >>> attribute("lie prone", "cat", "state").text, attribute("open", "lamp", "state").text
    ('lying', 'switched-on')
    >>> attribute("annoying", "bear", "state").text, attribute("juggle knives", "man", "action").text
    ('', 'juggling knives')
    """
    known = WORDS.get((word, noun)) or WORDS.get((word, ""))
    if known:
        return known
    if slot == "action":
        verb, *others = word.split()
        return Attribute("action", " ".join([inflection.gerund(verb), *others]))
    return Attribute("colour" if word in COLOURS else "condition", word)


def follows(text: str) -> bool:
    """Return whether an appearance follows the noun: "with falling leaves", "at night"."""
    return text.split(" ", 1)[0] in _FOLLOWING


def precedes(text: str) -> bool:
    """Return whether a posture precedes the noun ("a parked car"), behind which it is a verb."""
    return text in _PRECEDING


_KINDS_OF: Final[Mapping[str, Kind]] = {entry.text: entry.kind for entry in WORDS.values() if entry.text}


def kind_of(text: str) -> Kind:
    """Return the kind of an attribute from its wording.

    >>> kind_of("sleeping"), kind_of("red"), kind_of("juggling knives"), kind_of("spotted")
    ('action', 'colour', 'action', 'condition')
    """
    usual: Kind = "colour" if text in COLOURS else "action" if text.split(" ", 1)[0].endswith("ing") else "condition"
    return _KINDS_OF.get(text, usual)
