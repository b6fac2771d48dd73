"""Colour names and their neighbours: whether an orange object "is red" is ambiguous."""

from collections.abc import Mapping

# basic colour terms of English (Berlin and Kay, 1969), used in questions
COLOURS = tuple("red orange yellow green blue purple pink brown black white gray".split())

# colour → others with overlapping names, or similar under some light: a navy coat looks black in the evening
_NEAR: Mapping[str, tuple[str, ...]] = {
    "red": ("orange", "pink", "brown", "purple"),
    "orange": ("yellow", "brown", "pink"),
    "yellow": ("brown", "golden", "white", "green"),
    "green": ("blue", "gray"),
    "purple": ("pink", "blue"),
    "brown": ("beige", "tan"),
    "black": ("blue", "purple", "brown"),
    "pink": ("white", "brown"),
    "gray": ("white", "black", "silver", "blue", "brown", "purple"),
}


def is_similar_colour(one: str, other: str) -> bool:
    """Return whether an object of one colour, "red" or "dark red", may be called by another's name.

    >>> [is_similar_colour(one, "red") for one in ("orange", "dark red", "green")]
    [True, True, False]
    """
    one, other = _plain(one), _plain(other)
    return one == other or other in _NEAR.get(one, ()) or one in _NEAR.get(other, ())


def _plain(colour: str) -> str:
    return colour.removeprefix("light ").removeprefix("dark ").replace("grey", "gray")
