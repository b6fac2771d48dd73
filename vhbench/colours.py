"""Colour names, and which are near one another: whether an orange thing "is red" has no certain answer."""

from collections.abc import Mapping

COLOURS: tuple[str, ...] = (
    *("red", "orange", "yellow", "green", "blue", "purple"),
    *("pink", "brown", "black", "white", "gray"),
)
"""The basic colour terms of English (Berlin and Kay, 1969), by which questions ask."""

_NEAR: Mapping[str, frozenset[str]] = {
    "red": frozenset({"orange", "pink", "brown"}),
    "orange": frozenset({"yellow", "brown"}),
    "yellow": frozenset({"brown", "golden"}),
    "green": frozenset({"blue"}),
    "purple": frozenset({"pink", "blue"}),
    "brown": frozenset({"beige", "tan"}),
}
"""Colour → others that people may call by its name; each pair stands once."""

_NEAR_IN_LIGHT: Mapping[str, frozenset[str]] = {
    "red": frozenset({"purple"}),
    "orange": frozenset({"pink"}),
    "yellow": frozenset({"white", "green"}),
    "green": frozenset({"gray"}),
    "black": frozenset({"blue", "purple", "brown"}),
    "pink": frozenset({"white", "brown"}),
    "gray": frozenset({"white", "black", "silver", "blue", "brown", "purple"}),
}
"""Further ones that light and shade bring near: a navy coat looks black in the evening.

MIOH's drawn scenes are asked about as if this table were not there: its edition 1 was built so, and what is built stays
the same until its next MAJOR version, which shall ask ``near`` without ``flat`` as ODE does.
"""

_SHADES = ("light ", "dark ")


def is_similar_colour(one: str, other: str, *, flat: bool = False) -> bool:
    """Tell whether people may call a thing of one colour by the other's name.

    Args:
        one: a colour, "red" or "dark red".
        other: another.
        flat: leave out what only light and shade bring near, as MIOH does of its drawn scenes.

    >>> [is_similar_colour(one, "red") for one in ("orange", "dark red", "green")]
    [True, True, False]
    >>> is_similar_colour("blue", "black"), is_similar_colour("blue", "black", flat=True)
    (True, False)
    """
    one, other = _plain(one), _plain(other)
    pairs = (_NEAR,) if flat else (_NEAR, _NEAR_IN_LIGHT)
    return one == other or any(other in table.get(one, ()) or one in table.get(other, ()) for table in pairs)


def _plain(colour: str) -> str:
    for shade in _SHADES:
        colour = colour.removeprefix(shade)
    return colour.replace("grey", "gray")
