"""Mutually exclusive attributes, for all classes of ``attribute_words.tsv``.

Each row of ``attribute_contraries.tsv`` is a group of word sets, separated by bars, with commas between words. Words of
one set are compatible; words of different sets in a row are never true of one object at once. Colours exclude all
colours that are not similar to them.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from vhbench import tsv
from vhbench.colours import COLOURS, is_similar_colour

_BASIC: Final[Mapping[str, str]] = {
    "azure": "blue", "bright red": "red", "deep blue": "blue", "emerald": "green", "fluorescent green": "green",
    "golden": "yellow", "jet-black": "black", "khaki": "brown", "pure white": "white", "reddish-brown": "brown",
    "silver": "gray", "wood-coloured": "brown", "yellow-green": "green",
}  # fmt: skip
"""Colour → the basic colour term that covers it."""


def of(attribute: str) -> tuple[str, ...]:
    """Return the attributes that this one excludes, in table order.

    >>> of("sleeping")[:3], of("open"), "red" in of("golden"), "yellow" in of("golden")
    (('standing', 'running', 'walking'), ('closed',), True, False)
    """
    base = _BASIC.get(attribute, attribute)
    colours = [other for other in COLOURS if not is_similar_colour(other, base)] if base in COLOURS else []
    return tuple(dict.fromkeys([*colours, *_table().get(attribute, ())]))


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    rows = tsv.records(Path(__file__).with_suffix(".tsv"), lambda kind, sets: sets.split("|"), {})
    by_word: dict[str, list[str]] = {}
    for groups in rows:
        sets = [group.split(",") for group in groups]
        for i, group in enumerate(sets):
            others = [word for j, other in enumerate(sets) if j != i for word in other]
            for word in group:
                by_word.setdefault(word, []).extend(others)
    return {word: tuple(dict.fromkeys(others)) for word, others in by_word.items()}
