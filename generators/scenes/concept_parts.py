"""Parts of the concepts: what one edition shows and asks about, another does not, nor what looks like it.

Which part a word belongs to follows from the word alone, so that editions of different parts share no concept whatever
their benchmarks, seeds, graphs and options are. What people take for one another (a dog and a wolf) goes together,
since who has learnt the one has seen the other. What is painted everywhere (sky, grass, a wall) belongs to no part.
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
    """The ``number``-th (from 1) of ``of`` parts."""

    number: int = 1
    of: int = 1

    def holds(self, word: str) -> bool:
        """Tell whether a concept is in this part.

        >>> [part.holds("dog") for part in (ConceptPart(1, 2), ConceptPart(2, 2), ConceptPart())]
        [False, True, True]
        """
        return int(label(0, "concept", kin(word)), 16) % self.of == self.number - 1

    def __str__(self) -> str:
        """Return it as it is asked for: "1/2"."""
        return f"{self.number}/{self.of}"


WHOLE = ConceptPart()


def read_part(text: str) -> ConceptPart:
    """Read "1/2"; "" stands for all concepts.

    Raises:
        VhbenchError: if it has another form, or there is no such part.
    """
    if not text:
        return WHOLE
    found = re.fullmatch(r"([1-9])/([1-9])", text)
    if not found or int(found[1]) > int(found[2]):
        raise VhbenchError(f"--part {text!r}: must be I/N with 1 ≤ I ≤ N ≤ {_MOST_PARTS}, such as 1/2")
    return ConceptPart(int(found[1]), int(found[2]))


def kin(word: str) -> str:
    """Return the word by which everything is known that looks like a thing, or like what looks like it, and so on.

    >>> kin("wolf"), kin("fox"), kin("sofa") == kin("couch"), kin("beach")
    ('dog', 'dog', True, 'beach')
    """
    name = readable(word)
    return _KIN.get(name, name)


def _find_kin() -> Mapping[str, str]:
    """Map each drawn thing to the first, by name, of those that it is joined to by what the catalog says is alike."""
    kinds = {entry.name: {entry.name} for entry in CATALOG.values()}
    for entry in CATALOG.values():
        for other in map(readable, (*entry.implies, *entry.confusable)):
            if other in kinds and kinds[other] is not kinds[entry.name]:
                kinds[entry.name] |= kinds[other]
                kinds |= dict.fromkeys(kinds[other], kinds[entry.name])
    return {name: min(kind) for name, kind in kinds.items()}


_KIN = _find_kin()
