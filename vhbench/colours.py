"""Colour names and their neighbours: whether an orange object "is red" is ambiguous."""

from collections.abc import Mapping

COLOURS = tuple("red orange yellow green blue purple pink brown black white gray".split())
"""Basic colour terms of English (Berlin and Kay, 1969), used in questions."""

_NEAR: Mapping[str, frozenset[str]] = {
    "red": frozenset({"orange", "pink", "brown"}),
    "orange": frozenset({"yellow", "brown"}),
    "yellow": frozenset({"brown", "golden"}),
    "green": frozenset({"blue"}),
    "purple": frozenset({"pink", "blue"}),
    "brown": frozenset({"beige", "tan"}),
}
"""Colour → others with overlapping names; each pair is listed once."""

_NEAR_IN_LIGHT: Mapping[str, frozenset[str]] = {
    "red": frozenset({"purple"}),
    "orange": frozenset({"pink"}),
    "yellow": frozenset({"white", "green"}),
    "green": frozenset({"gray"}),
    "black": frozenset({"blue", "purple", "brown"}),
    "pink": frozenset({"white", "brown"}),
    "gray": frozenset({"white", "black", "silver", "blue", "brown", "purple"}),
}
"""Further neighbours under varying light: a navy coat looks black in the evening."""


def is_similar_colour(one: str, other: str) -> bool:
    """Return whether an object of one colour, "red" or "dark red", may be called by another's name.

    >>> [is_similar_colour(one, "red") for one in ("orange", "dark red", "green")]
    [True, True, False]
    """
    one, other = _plain(one), _plain(other)
    tables = (_NEAR, _NEAR_IN_LIGHT)
    return one == other or any(other in table.get(one, ()) or one in table.get(other, ()) for table in tables)


def _plain(colour: str) -> str:
    return colour.removeprefix("light ").removeprefix("dark ").replace("grey", "gray")
