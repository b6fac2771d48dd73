"""Colour names, and which are near one another: whether an orange thing "is red" has no certain answer."""

from collections.abc import Mapping

COLOURS: tuple[str, ...] = (
    *("red", "orange", "yellow", "green", "blue", "purple"),
    *("pink", "brown", "black", "white", "gray"),
)
"""The basic colour terms of English (Berlin and Kay, 1969), by which questions ask."""

_NEAR: Mapping[str, frozenset[str]] = {
    "red": frozenset({"orange", "pink", "brown", "purple"}),
    "orange": frozenset({"yellow", "brown", "pink"}),
    "yellow": frozenset({"brown", "white", "green", "golden"}),
    "green": frozenset({"blue", "gray"}),
    "blue": frozenset({"purple", "gray", "black"}),
    "purple": frozenset({"pink", "black", "gray"}),
    "pink": frozenset({"white", "brown"}),
    "brown": frozenset({"black", "gray", "beige", "tan"}),
    "gray": frozenset({"white", "black", "silver"}),
}
"""Colour → others that people may call by its name; each pair stands once."""

_SHADES = ("light ", "dark ")


def near(one: str, other: str) -> bool:
    """Tell whether people may call a thing of one colour by the other's name.

    >>> near("red", "orange"), near("dark red", "red"), near("light grey", "white"), near("red", "green")
    (True, True, True, False)
    """
    one, other = _plain(one), _plain(other)
    return one == other or other in _NEAR.get(one, ()) or one in _NEAR.get(other, ())


def _plain(colour: str) -> str:
    for shade in _SHADES:
        colour = colour.removeprefix(shade)
    return colour.replace("grey", "gray")
