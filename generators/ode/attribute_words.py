"""Attribute words of concept graphs: of what kind each is, and how English says it of a thing.

AMBER's annotations, the paper's source, write "lie prone", "half-squat" and "open" (of a lamp), and put opinions
("annoying") beside what can be seen. ``attribute_words.tsv`` classifies each of its words once: ``word``, the nouns
``of`` which the row speaks (all others where empty), its ``class``, and what is ``said`` ("lying", "switched-on").
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
"""Kinds of attributes. A "number" is for counting and "unusable" what no picture decides: neither is prompted."""

KINDS: Final[tuple[str, ...]] = get_args(Kind)
BODILY: Final = frozenset({"posture", "action"})
"""What a thing does or how it holds itself: of these it has one at a time, whichever slot of a graph they stand in."""

_FOLLOWING = frozenset({"with", "at"})
_PRECEDING = frozenset({"parked"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute in words.

    Attributes:
        kind: its class.
        said: what a prompt says; "" where nothing can be.
    """

    kind: Kind
    said: str

    @property
    def bodily(self) -> bool:
        """Whether it is what a thing does, and not what it looks like."""
        return self.kind in BODILY


WORDS: Final[Mapping[tuple[str, str], Attribute]] = {
    (word, noun): Attribute(kind, said)
    for word, nouns, kind, said in tsv.records(
        Path(__file__).with_suffix(".tsv"), lambda word, of, kind, said: (word, of.split(","), kind, said), {}
    )
    for noun in nouns
}
"""(word, noun) → attribute; the noun is "" where the word means the same of every other one."""


def attribute(word: str, noun: str, slot: str) -> Attribute:
    """Return what a graph's word says of a noun.

    Words that the table lacks, as graphs of one's own may have them, are taken by their slot: an action's verb gets its
    -ing form, a state stands before the noun as it is.

    Args:
        word: the value in the graph.
        noun: the graph's word for the thing or environment.
        slot: "state" or "action", where the graph holds the value.

    >>> attribute("lie prone", "cat", "state").said, attribute("open", "lamp", "state").said
    ('lying', 'switched-on')
    >>> attribute("annoying", "bear", "state").said, attribute("juggle knives", "man", "action").said
    ('', 'juggling knives')
    """
    known = WORDS.get((word, noun)) or WORDS.get((word, ""))
    if known:
        return known
    if slot == "action":
        verb, *others = word.split()
        return Attribute("action", " ".join([inflection.gerund(verb), *others]))
    return Attribute("colour" if word in COLOURS else "condition", word)


def follows(said: str) -> bool:
    """Tell whether an appearance stands after the noun: "with falling leaves", "at night"."""
    return said.split(" ", 1)[0] in _FOLLOWING


def precedes(said: str) -> bool:
    """Tell whether a posture stands before the noun, where it would be taken for a verb behind it: "a parked car"."""
    return said in _PRECEDING


_KINDS_OF: Final[Mapping[str, Kind]] = {found.said: found.kind for found in WORDS.values() if found.said}


def kind_of(said: str) -> Kind:
    """Return the kind of what a prompt says of a thing.

    >>> kind_of("sleeping"), kind_of("red"), kind_of("juggling knives"), kind_of("spotted")
    ('action', 'colour', 'action', 'condition')
    """
    usual: Kind = "colour" if said in COLOURS else "action" if said.split(" ", 1)[0].endswith("ing") else "condition"
    return _KINDS_OF.get(said, usual)
