"""Concept graph sources for ``vhbench build ode --graph``."""

from collections.abc import Callable, Mapping
from pathlib import Path

import networkx as nx

from vhbench.generators.ode import amber_graph, concept_graph
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.schema import VhbenchError

TRAFFIC = Path(__file__).with_name("traffic.json")
"""Example of a domain of one's own."""


def load(source: str) -> ConceptGraph:
    """Return the graph for "starter", "traffic", "amber:DIR", "coco:FILE" or a file.

    Raises:
        VhbenchError: if it cannot be read.
    """
    kind, _, place = source.partition(":")
    if source == "starter":
        return concept_graph.starter()
    if source == "traffic":
        return concept_graph.from_file(TRAFFIC)
    if place and kind in READERS:
        return READERS[kind](place)
    if Path(source).suffix.lower() in (".json", ".graphml"):
        graph = concept_graph.from_file(source)
        if graph.graph.get("release"):  # its words are AMBER's
            nx.set_node_attributes(graph, {word: amber_graph.NAMES.get(word, word) for word in graph}, "name")
        return graph
    raise VhbenchError(
        f"unknown graph {source!r}: allowed are starter, traffic, amber:DIR, coco:FILE, FILE.json, FILE.graphml"
    )


READERS: Mapping[str, Callable[[str], ConceptGraph]] = {
    "amber": amber_graph.from_amber,
    "coco": concept_graph.from_coco,
}
"""Prefix before the colon → function that reads the path after it."""
