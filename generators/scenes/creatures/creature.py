"""Parametric creatures: people and quadrupeds, by action, colour and variant."""

from functools import lru_cache

from vhbench.generators.scenes.creatures.animals import animal
from vhbench.generators.scenes.creatures.people import FIGURES, person
from vhbench.generators.scenes.creatures.species import SPECIES

VARIANTS = 10  # number of appearances per creature; larger variants wrap around
CREATURES: tuple[str, ...] = (*FIGURES, *SPECIES)  # catalog words rendered as parametric creatures


def creature(word: str, colour: str, action: str, variant: int) -> tuple[str, float, float]:
    """Draw one of :data:`CREATURES` and return its markup, width and height.

    The markup fits tightly into (0, 0) to (width, height).
    """
    return (person if word in FIGURES else animal)(word, colour, action, variant % VARIANTS).finish()


@lru_cache(maxsize=64)
def usual_size(word: str) -> float:
    """Return the longer side of a standing creature, in drawing units."""
    _, width, height = creature(word, "", "", 0)
    return max(width, height)
