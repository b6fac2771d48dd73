"""Concept splits: disjoint sets of concepts and their lookalikes for dataset versions.

The split of a word depends on the word alone, so versions with different splits share no concept, whatever their
benchmarks, seeds, graphs and options. Easily confused concepts (a dog and a wolf) belong to the same split, since
training on one exposes the other. Ubiquitous areas (sky, grass, a wall) belong to no split.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vhbench.generators.scenes.catalog import CATALOG, readable
from vhbench.schema import VhbenchError
from vhbench.seeding import label

_MOST_PARTS = 9


@dataclass(frozen=True, slots=True)
class ConceptPart:
    """The ``number``-th (from 1) of ``of`` concept splits."""

    number: int = 1
    of: int = 1

    def holds(self, word: str) -> bool:
        """Return whether a concept is in this split.

        >>> [part.holds("dog") for part in (ConceptPart(1, 2), ConceptPart(2, 2), ConceptPart())]
        [False, True, True]
        """
        return int(label(0, "concept", kin(word)), 16) % self.of == self.number - 1

    def __str__(self) -> str:
        """Return the option value: "1/2"."""
        return f"{self.number}/{self.of}"


WHOLE = ConceptPart()


def read_part(text: str) -> ConceptPart:
    """Parse "1/2"; "" stands for all concepts. Raise VhbenchError if there is no such split."""
    if not text:
        return WHOLE
    match = re.fullmatch(r"([1-9])/([1-9])", text)
    if not match or int(match[1]) > int(match[2]):
        raise VhbenchError(f"--part: expected I/N with 1 ≤ I ≤ N ≤ {_MOST_PARTS}, such as 1/2, got {text!r}")
    return ConceptPart(int(match[1]), int(match[2]))


def kin(word: str) -> str:
    """Return the representative of a word's group of lookalikes.

    >>> kin("wolf"), kin("fox"), kin("sofa") == kin("couch"), kin("beach")
    ('dog', 'dog', True, 'beach')
    """
    name = readable(word)
    return _KIN.get(name, name)


def _find_kin() -> Mapping[str, str]:
    """Map each object to the first name in its connected group of lookalikes."""
    kinds = {entry.name: {entry.name} for entry in CATALOG.values()}
    for entry in CATALOG.values():
        for other in map(readable, (*entry.implies, *entry.confusable)):
            if other in kinds and kinds[other] is not kinds[entry.name]:
                kinds[entry.name] |= kinds[other]
                kinds |= dict.fromkeys(kinds[other], kinds[entry.name])
    return {name: min(kind) for name, kind in kinds.items()}


_KIN = _find_kin()
