"""Parts of the concepts: what one edition shows and asks about, another does not.

Which part a word belongs to follows from the word alone, so that editions of different parts share no concept whatever
their seeds, graphs and options are. What is painted everywhere (sky, grass, a wall) belongs to no part.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.schema import VhbenchError
from vhbench.seeding import label

MOST_PARTS = 9


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
        return int(label(0, "concept", word), 16) % self.of == self.number - 1


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
        raise VhbenchError(f"--part {text!r}: must be I/N with 1 ≤ I ≤ N ≤ {MOST_PARTS}, such as 1/2")
    return ConceptPart(int(found[1]), int(found[2]))


def restricted(graph: ConceptGraph, part: ConceptPart, name: Callable[[str], str]) -> ConceptGraph:
    """Return a graph with the concepts of a part alone; ``name`` gives the word that pictures know a concept by."""
    if part == WHOLE:
        return graph
    kept: ConceptGraph = graph.subgraph([word for word in graph if part.holds(name(word))]).copy()
    return kept
