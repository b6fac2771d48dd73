"""The concepts of a graph that one edition is made of, where another is made of the rest."""

from collections.abc import Callable

from vhbench.generators.ode import environments
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.scenes import WHOLE, ConceptPart


def restricted(graph: ConceptGraph, part: ConceptPart, name: Callable[[str], str]) -> ConceptGraph:
    """Return a graph with the concepts of a part alone; ``name`` gives the word that pictures know a concept by.

    A place that only things of another part would make what it is (a bedroom, without a bed) is left out.
    """
    if part == WHOLE:
        return graph

    def held(word: str) -> bool:
        needed = environments.PLACES[word].made_by if word in environments.PLACES else {}
        return part.holds(word) and (not needed or any(map(part.holds, needed)))

    kept: ConceptGraph = graph.subgraph([word for word in graph if held(name(word))]).copy()
    return kept
