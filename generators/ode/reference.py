"""ODE's own pair selection, reproduced exactly (concept_composer.py), quirks included."""

import random as python_random
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import networkx as nx

from vhbench.schema import VhbenchError

Pair = tuple[str, str]

_ENVIRONMENT_CAP = 20  # the reference's cap on entity-environment pairs for the fictional criterion


def select(graph: "nx.Graph[str]", criterion: str, *, limit: int, seed: int) -> dict[str, list[Pair]]:
    """Return the reference's pairs, the environment second; raise unless the graph was built with ``compat=True``."""
    if not graph.graph.get("compat"):
        raise VhbenchError("compat=True draws from a graph that from_amber(…, compat=True) made")
    if criterion not in _STREAMS:
        raise VhbenchError(f"unknown criterion {criterion!r}, expected one of {', '.join(_STREAMS)}")
    limits = {"ee": limit, "ev": min(limit, _ENVIRONMENT_CAP) if criterion == "fictional" else limit}
    spill = criterion in ("random", "fictional")  # pairs that do not fit into "ee" go to "ev"
    sets: dict[str, dict[Pair, None]] = {"ee": {}, "ev": {}}
    for a, b in _STREAMS[criterion](graph, seed):
        kinds = graph.nodes[a]["kind"], graph.nodes[b]["kind"]
        mixed = set(kinds) == {"entity", "environment"}
        if kinds == ("entity", "entity") and len(sets["ee"]) < limits["ee"]:
            sets["ee"][a, b] = None
        elif (mixed or (spill and kinds != ("environment", "environment"))) and len(sets["ev"]) < limits["ev"]:
            sets["ev"][(b, a) if kinds[0] == "environment" else (a, b)] = None
        if all(len(sets[pairing]) >= limits[pairing] for pairing in sets):
            return {pairing: list(pairs) for pairing, pairs in sets.items()}
    raise VhbenchError(f"more pairs requested ({limits}) than exist")


def _sorted_edges(graph: "nx.Graph[str]", _seed: int, *, reverse: bool = False) -> Iterator[Pair]:
    edges: list[tuple[str, str, int]] = list(graph.edges(data="weight"))
    for a, b, _ in sorted(edges, key=lambda edge: edge[2], reverse=reverse):
        yield a, b


def _any_two(graph: "nx.Graph[str]", seed: int) -> Iterator[Pair]:
    draw, nodes = python_random.Random(seed), list(graph)
    while True:
        a, b = draw.sample(nodes, 2)
        yield a, b


def _never_together(graph: "nx.Graph[str]", seed: int) -> Iterator[Pair]:
    draw, nodes = python_random.Random(seed), list(graph)
    free = [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :] if b not in graph[a]]
    while free:
        # Same as random.choice and list.remove, without searching 45,000 pairs each time.
        yield free.pop(draw.choice(range(len(free))))


_STREAMS: Mapping[str, Callable[["nx.Graph[str]", int], Iterator[Pair]]] = {
    "standard": partial(_sorted_edges, reverse=True),
    "long_tail": _sorted_edges,
    "random": _any_two,
    "fictional": _never_together,
}
