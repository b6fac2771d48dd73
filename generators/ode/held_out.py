"""Concept split of a graph, so that two dataset versions use disjoint concepts."""

from collections.abc import Callable

from vhbench.generators.ode import environments
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.scenes import WHOLE, ConceptPart


def restricted(graph: ConceptGraph, part: ConceptPart, name: Callable[[str], str]) -> ConceptGraph:
    """Return the subgraph of a concept split; ``name`` maps a concept to its word in scenes.

    A place is dropped if its defining objects belong to another split (a bedroom without a bed).
    """
    if part == WHOLE:
        return graph

    def held(word: str) -> bool:
        needed = environments.PLACES[word].made_by if word in environments.PLACES else {}
        return part.holds(word) and (not needed or any(map(part.holds, needed)))

    kept: ConceptGraph = graph.subgraph([word for word in graph if held(name(word))]).copy()
    return kept
