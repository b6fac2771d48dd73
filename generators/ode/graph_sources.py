"""Concept graph sources for ``vhbench build ode --graph``, and parts of a graph."""

from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from pathlib import Path

import networkx as nx

from vhbench.generators.ode import amber_graph, concept_graph, environments
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.scenes import WHOLE, ConceptPart
from vhbench.schema import VhbenchError

TRAFFIC = Path(__file__).with_name("traffic.json")  # example of a user-defined domain


def load(source: str) -> ConceptGraph:
    """Return the graph for "starter", "traffic", "amber:DIR", "coco:FILE" or a file; raise if it cannot be read."""
    kind, _, place = source.partition(":")
    if source == "starter":
        return concept_graph.starter()
    if source == "traffic":
        return concept_graph.from_file(TRAFFIC)
    if place and kind in READERS:
        return READERS[kind](place)
    if Path(source).suffix.lower() in (".json", ".graphml"):
        graph = concept_graph.from_file(source)
        if graph.graph.get("release"):  # with AMBER's vocabulary
            nx.set_node_attributes(graph, {word: amber_graph.NAMES.get(word, word) for word in graph}, "name")
        return graph
    raise VhbenchError(
        f"--graph: expected starter, traffic, amber:DIR, coco:FILE, FILE.json or FILE.graphml, got {source!r}"
    )


@lru_cache(maxsize=4)
def merged(sources: tuple[str, ...], node_types: str = "", add: str = "") -> ConceptGraph:
    """Return the graph merged from all sources; cached by options.

    Raises if a source cannot be read or is named twice, or if two sources disagree on a word's type.
    """
    if len(set(sources)) < len(sources):
        raise VhbenchError(f"--graph {' '.join(sources)}: expected each graph once")
    if node_types and not any(source.startswith("amber:") for source in sources):
        raise VhbenchError(f"--node-types {node_types}: only goes with --graph amber:DIR, not {', '.join(sources)}")
    graph = reduce(concept_graph.merge, (_read_graph(source, node_types) for source in sources))
    if not add:
        return graph
    more = load(add)
    updated = concept_graph.update(graph, more)
    if not concept_graph.has_additions(updated):
        raise VhbenchError(f"--add {add}: expected new concepts, got {len(more)} that the graph already has")
    return updated


def _read_graph(source: str, node_types: str) -> ConceptGraph:
    if node_types and source.startswith("amber:"):
        return amber_graph.from_amber(source.removeprefix("amber:"), node_types=node_types)
    return load(source)


def files_of(source: str) -> list[Path]:
    """Return the files of a graph source."""
    if source in ("starter", "traffic"):
        return [concept_graph.STARTER if source == "starter" else TRAFFIC]
    if source.startswith("amber:"):
        folder = Path(source.removeprefix("amber:"))
        return [folder / "annotations.json", folder / "query" / "query_all.json"]
    return [Path(source.partition(":")[2] or source)]


def restricted(graph: ConceptGraph, part: ConceptPart, name: Callable[[str], str]) -> ConceptGraph:
    """Return the subgraph of a concept split; ``name`` maps a concept to its word in scenes.

    A place is dropped if its defining objects belong to another split (a bedroom without a bed).
    """
    if part == WHOLE:
        return graph

    def held(word: str) -> bool:
        needed = environments.PLACES[word].made_by if word in environments.PLACES else {}
        return part.holds(word) and (not needed or any(map(part.holds, needed)))

    subgraph: ConceptGraph = graph.subgraph([word for word in graph if held(name(word))]).copy()
    return subgraph


@lru_cache(maxsize=1)
def hallucinations_of(sources: tuple[str, ...]) -> "ConceptGraph | None":
    """Return AMBER's annotated hallucinations per concept; None without an AMBER graph."""
    folders = [source.removeprefix("amber:") for source in sources if source.startswith("amber:")]
    return amber_graph.hallucinations(folders[0]) if folders else None


READERS: Mapping[str, Callable[[str], ConceptGraph]] = {
    "amber": amber_graph.from_amber,
    "coco": concept_graph.from_coco,
}
"""Prefix before the colon → function that reads the path after it."""
