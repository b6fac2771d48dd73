"""Concept graphs from AMBER's annotations of 1,004 images, and likely hallucinations."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import networkx as nx

from vhbench import tsv
from vhbench.files import read_json
from vhbench.generators.ode import concept_graph
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.schema import VhbenchError

_WORDS = tsv.records(Path(__file__).with_suffix(".tsv"), lambda word, name, kind: (word, name, kind), {})

ENVIRONMENTS = frozenset(word for word, _, kind in _WORDS if kind)
"""AMBER's words for places, and for what objects are placed near or on.

ODE's table has 53, with which this one agrees on 289 of 315 words; the rest are things by any other standard, such as
the melon, the microwave and the moon. ``--node-types`` reads another table.
"""

NAMES: Mapping[str, str] = {word: name for word, name, _ in _WORDS if name}
"""AMBER's word → readable English, if different."""

_QUESTIONS = {
    "state": re.compile(r"Is the (\w+) (.+) in this image\??$"),
    "action": re.compile(r"Does the (\w+) (.+) in this image\??$"),
}
_ONE_WORD = {
    "state": re.compile(r"Is the (\w+) (\w+) in this image"),
    "action": re.compile(r"Does the (\w+) (\w+) in this image"),
}


def from_amber(
    folder: str | Path, *, node_types: str | Path | Mapping[str, str] | None = None, compat: bool = False
) -> ConceptGraph:
    """Build a co-occurrence graph from AMBER's annotations.

    Args:
        folder: AMBER's data, with ``annotations.json`` and ``query/query_all.json``.
        node_types: word → "entity", "environment" or "virtual" (dropped), or a JSON file with this mapping. By default,
            words in the project's own list are environments and all others entities.
        compat: keep the reference's self-loops, virtual concepts, node order and edge weight 2c - 1.

    Raises:
        VhbenchError: if a file is missing or unreadable, or a word has no kind.
    """
    directory = Path(folder)
    annotations = _annotations(directory)
    pictures = [tuple(entry["truth"]) for entry in annotations if entry["type"] == "generative"]
    kinds = _kinds(node_types, {word for words in pictures for word in words})
    if compat:
        return _reference_graph(pictures, kinds, _pairs(directory, annotations, _ONE_WORD))
    real = {word: kind for word, kind in kinds.items() if kind != "virtual"}
    counts = concept_graph.count_together((w for w in words if w in real) for words in pictures)
    attributes = _pairs(directory, annotations, _QUESTIONS)
    names = {word: NAMES.get(word, word) for word in real}
    return concept_graph.assemble(real, counts, attributes, names=names, where=str(directory))


def hallucinations(directory: str | Path) -> "nx.Graph[str]":
    """Return the truth–hallucination graph H: how often b is a likely hallucination given a.

    Edges join each present concept with each one that AMBER lists as a likely hallucination; ``weight`` is the number
    of images. The graph is undirected, as in ODE, but without the reference's self-loops.
    """
    result: nx.Graph[str] = nx.Graph()
    for entry in _annotations(Path(directory)):
        if entry["type"] != "generative":
            continue
        for truth in entry["truth"]:
            for imagined in entry["hallu"]:
                if truth != imagined:
                    weight = result.get_edge_data(truth, imagined, {"weight": 0})["weight"]
                    result.add_edge(truth, imagined, weight=weight + 1)
    return result


def _annotations(directory: Path) -> list[dict[str, Any]]:
    path = directory / "annotations.json"
    entries: list[dict[str, Any]] = read_json(path)
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or "type" not in entry or "truth" not in entry:
            raise VhbenchError(f"{path}: entry {number} lacks type or truth")
    if not any(entry["type"] == "generative" for entry in entries):
        raise VhbenchError(f"{path}: no entry of type 'generative', which has the ground truth of each image")
    return entries


def _kinds(node_types: str | Path | Mapping[str, str] | None, words: set[str]) -> dict[str, str]:
    if node_types is None:
        return {word: "environment" if word in ENVIRONMENTS else "entity" for word in words}
    table = node_types if isinstance(node_types, Mapping) else read_json(Path(node_types))
    missing = sorted(words - table.keys())
    if missing:
        raise VhbenchError(f"node types: no kind for {', '.join(missing[:5])} ({len(missing)} words)")
    for word in sorted(words):
        if table[word] not in ("entity", "environment", "virtual"):
            raise VhbenchError(f"node types: {word!r}: expected entity, environment or virtual, got {table[word]!r}")
    return {word: table[word] for word in sorted(words)}


def _pairs(
    directory: Path, annotations: list[dict[str, Any]], patterns: Mapping[str, re.Pattern[str]]
) -> dict[str, concept_graph.Attributes]:
    """Return word → attribute pairs (true, false) from AMBER's paired attribute questions."""
    by_word: dict[str, dict[str, dict[tuple[str, str], None]]] = {}
    for yes, no in _couples(directory, annotations):
        for kind, pattern in patterns.items():
            true, false = pattern.match(yes), pattern.match(no)
            if true and false and true[1] == false[1]:
                by_word.setdefault(true[1], {}).setdefault(kind, {})[true[2], false[2]] = None
    return {word: {kind: tuple(pairs) for kind, pairs in kinds.items()} for word, kinds in by_word.items()}


def _couples(directory: Path, annotations: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    path = directory / "query" / "query_all.json"
    texts = {int(entry["id"]): str(entry["query"]) for entry in read_json(path)}
    entries = [entry for entry in annotations if entry["type"].startswith("discriminative-attribute")]
    try:
        for first, second in zip(entries[::2], entries[1::2], strict=True):
            yield texts[int(first["id"])], texts[int(second["id"])]
    except KeyError as error:
        raise VhbenchError(f"{path}: no question with id {error}") from error


def _reference_graph(
    pictures: list[tuple[str, ...]], kinds: Mapping[str, str], attributes: Mapping[str, concept_graph.Attributes]
) -> ConceptGraph:
    """Return the graph of the reference's data_extractor, which counts edges from both ends."""
    result: ConceptGraph = nx.Graph(version=1, compat=True)
    for words in pictures:
        for i, first in enumerate(words):
            for second in words[i + 1 :]:
                a, b = concept_graph.pair(first, second)
                if result.has_edge(a, b):
                    result[a][b]["weight"] += 2
                else:
                    result.add_edge(a, b, weight=1)
    for word in result:
        pairs = {kind: attributes.get(word, {}).get(kind, ()) for kind in ("state", "action")}
        result.nodes[word].update(kind=kinds[word], name=NAMES.get(word, word), since=1, **pairs)
    return result
