"""The concepts of a graph that one edition is made of, where another is made of the rest."""

from collections.abc import Callable

from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.scenes import WHOLE, ConceptPart


def restricted(graph: ConceptGraph, part: ConceptPart, name: Callable[[str], str]) -> ConceptGraph:
    """Return a graph with the concepts of a part alone; ``name`` gives the word that pictures know a concept by."""
    if part == WHOLE:
        return graph
    kept: ConceptGraph = graph.subgraph([word for word in graph if part.holds(name(word))]).copy()
    return kept
