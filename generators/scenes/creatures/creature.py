"""Parametric creatures: people and four-legged animals, drawn for an action, a colour and a variant."""

from functools import lru_cache

from vhbench.generators.scenes.creatures.animals import animal
from vhbench.generators.scenes.creatures.people import FIGURES, person
from vhbench.generators.scenes.creatures.species import SPECIES

VARIANTS = 10
"""How many looks there are of each creature; variants repeat after that."""

CREATURES: tuple[str, ...] = (*FIGURES, *SPECIES)
"""The catalog words that are drawn here."""


def creature(word: str, colour: str, action: str, variant: int) -> tuple[str, float, float]:
    """Draw one of :data:`CREATURES` and return its markup, width and height, tight around (0, 0) to (width, height)."""
    return (person if word in FIGURES else animal)(word, colour, action, variant % VARIANTS).finish()


@lru_cache(maxsize=64)
def usual_size(word: str) -> float:
    """Return the longer side of a creature that stands, in drawing units."""
    _, width, height = creature(word, "", "", 0)
    return max(width, height)
