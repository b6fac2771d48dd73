"""Concept graphs (ODE §3.1): concepts and their co-occurrence counts.

A graph is a :class:`networkx.Graph`. Nodes are words with the attributes

- ``kind``: "entity" or "environment";
- ``state``, ``action``: tuples of pairs (frequent, rare), such as ``(("sunny", "gloomy"),)``;
- ``name``: readable English, if it differs from the word;
- ``since``: the graph version that added it;
- ``place``, ``plural``, ``article``, ``opposites``: its English, where the project's tables do not know it, see
  :func:`wording`.

Edges carry ``weight``, the co-occurrence count c. ``graph.graph["version"]`` starts at 1; :func:`update` adds concepts,
edges and attributes and increments it. Pairs of older versions are sampled from the graph as of that version, so they
stay unchanged.
"""

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import networkx as nx
import orjson

from vhbench.files import LARGEST_TEXT, open_file, read_json
from vhbench.generators.ode import attribute_words, environments
from vhbench.generators.ode.environments import SettingWords, Wording
from vhbench.schema import VhbenchError

Kind = Literal["entity", "environment"]
ConceptGraph: TypeAlias = "nx.Graph[str]"  # validated graph in the format of the module docstring

Attributes = Mapping[str, tuple[tuple[str, str], ...]]
"""Attribute type ("state", "action") → pairs of values (frequent, rare)."""

STARTER = Path(__file__).with_name("starter.json")  # the project's own table: environment → objects found there
ENGLISH = ("place", "plural", "article", "opposites")  # optional attributes of a concept that :func:`wording` reads
_WEIGHTS: Mapping[str, int] = {"often": 3, "sometimes": 2, "rarely": 1}  # weight of each column in the starter table


def from_coco(file: str | Path) -> ConceptGraph:
    """Build a graph without environments from co-occurrence in COCO-format instances; raise if they are unreadable."""
    data = read_json(Path(file))
    try:
        names = {int(c["id"]): str(c["name"]) for c in data["categories"]}
        seen: dict[int, set[str]] = {}
        for annotation in data["annotations"]:
            seen.setdefault(int(annotation["image_id"]), set()).add(names[int(annotation["category_id"])])
    except (KeyError, TypeError, ValueError) as error:
        raise VhbenchError(f"{file}: not COCO instances: {type(error).__name__} {error}") from error
    counts = count_together(sorted(words) for _, words in sorted(seen.items()))
    return assemble(dict.fromkeys(names.values(), "entity"), counts, where=str(file))


def from_file(file: str | Path) -> ConceptGraph:
    """Read a custom graph from JSON (see :func:`from_json`) or GraphML; raise if it is unreadable or invalid."""
    path = Path(file)
    if path.suffix.lower() == ".graphml":
        return _from_graphml(path)
    if path.suffix.lower() != ".json":
        raise VhbenchError(f"cannot read the graph {path}: its name must end in .json or .graphml")
    return from_json(read_json(path), where=str(path))


def starter() -> ConceptGraph:
    """Return the project's own graph of concepts that the scene renderer supports.

    The table rates how often an object occurs in an environment: w = 3 (often), 2 (sometimes), 1 (rarely). The
    co-occurrence of two objects is the sum of w·w′ over the environments; that of an object and an environment is 3·w.
    """
    table = read_json(STARTER)
    kinds: dict[str, str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for environment, columns in table["environments"].items():
        kinds[environment] = "environment"
        weights = {word: _WEIGHTS[column] for column, words in columns.items() for word in words}
        for word, weight in weights.items():
            kinds[word] = "entity"
            counts[environment, word] += 3 * weight
        for (a, weight_a), (b, weight_b) in combinations(weights.items(), 2):
            counts[pair(a, b)] += weight_a * weight_b
    groups = [(group["words"], _attributes(group, STARTER.name)) for group in table["attributes"]]
    attributes = {word: pairs for words, pairs in groups for word in words}
    return assemble(kinds, counts, attributes, where=STARTER.name)


def merge(first: ConceptGraph, second: ConceptGraph) -> ConceptGraph:
    """Return the union of two graphs: counts are added, attribute pairs combined; raise if they disagree on a kind."""
    both = kinds(first)
    for word, kind in kinds(second).items():
        if both.setdefault(word, kind) != kind:
            raise VhbenchError(f"cannot merge graphs: {word!r} is an {both[word]} in one and an {kind} in the other")
    counts = Counter({pair(a, b): int(c) for a, b, c in edges(first)})
    counts.update({pair(a, b): int(c) for a, b, c in edges(second)})
    attributes = {word: _union(first.nodes.get(word, {}), second.nodes.get(word, {})) for word in both}
    names = {word: graph.nodes[word]["name"] for graph in (second, first) for word in graph}
    english = {word: data for graph in (second, first) for word, data in graph.nodes(data=True)}
    return assemble(both, counts, attributes, names=names, english=english, where="merged graph")


class UpdatedGraph(nx.Graph):  # type: ignore[type-arg]
    """Graph with a reference to its previous version, for sampling older pairs."""

    older: "ConceptGraph | None" = None


def update(graph: ConceptGraph, more: ConceptGraph) -> ConceptGraph:
    """Return the next version of a graph, extended by another graph's additions; raise if they disagree on a kind.

    Additions are concepts, edges and attributes. Older versions remain available, see :func:`as_of`. Counts of shared
    edges are not changed.
    """
    version = int(graph.graph["version"]) + 1
    result = UpdatedGraph(graph)
    result.graph["version"], result.older = version, graph
    for word in sorted(more):
        data = more.nodes[word]
        if word not in graph:
            result.add_node(word, **{**data, "since": version})
        elif data["kind"] != (kind := graph.nodes[word]["kind"]):
            raise VhbenchError(f"cannot update the graph: {word!r} is an {kind} in it and an {data['kind']} in the new")
        else:
            result.nodes[word].update(_union(graph.nodes[word], data))
    new_edges = sorted((*pair(a, b), count) for a, b, count in edges(more) if not graph.has_edge(a, b))
    result.add_weighted_edges_from(new_edges)
    return check(result, where="updated graph")


def as_of(graph: ConceptGraph, version: int) -> ConceptGraph:
    """Return a graph as of one of its versions.

    A graph read from a file records versions of concepts only. There, concepts of later versions are dropped with their
    edges.
    """
    while int(graph.graph["version"]) > version and (before := getattr(graph, "older", None)) is not None:
        graph = before
    if int(graph.graph["version"]) <= version:
        return graph
    older: ConceptGraph = graph.subgraph(w for w, d in graph.nodes(data=True) if d["since"] <= version).copy()
    older.graph["version"] = version
    return older


def added_attributes(graph: ConceptGraph, word: str, slot: str) -> tuple[tuple[str, str], ...]:
    """Return an older concept's attribute pairs that the newest version added."""
    older = getattr(graph, "older", None)
    if older is None or word not in older:
        return ()
    return tuple(pair for pair in graph.nodes[word][slot] if pair not in older.nodes[word][slot])


def has_additions(graph: ConceptGraph) -> bool:
    """Return whether an update added a concept, an edge or an attribute."""
    older = getattr(graph, "older", None)
    return older is not None and (
        len(graph) > len(older)
        or graph.number_of_edges() > older.number_of_edges()
        or any(added_attributes(graph, word, slot) for word in older for slot in ("state", "action"))
    )


def is_new(graph: ConceptGraph, a: str, b: str) -> bool:
    """Return whether the newest version added a concept, attribute or the edge of a pair."""
    version, older = int(graph.graph["version"]), getattr(graph, "older", None)
    if any(graph.nodes[word]["since"] == version for word in (a, b)):
        return True
    if older is None:
        return False
    return (graph.has_edge(a, b) and not older.has_edge(a, b)) or any(
        added_attributes(graph, word, slot) for word in (a, b) for slot in ("state", "action")
    )


def assemble(
    kinds: Mapping[str, str],
    counts: Mapping[tuple[str, str], int],
    attributes: Mapping[str, Attributes] | None = None,
    *,
    names: Mapping[str, str] | None = None,
    english: Mapping[str, Mapping[str, Any]] | None = None,
    where: str,
) -> ConceptGraph:
    """Build a graph in alphabetical order and validate it."""
    graph: ConceptGraph = nx.Graph(version=1)
    attributes, names, english = attributes or {}, names or {}, english or {}
    for word in sorted(kinds):
        own = attributes.get(word, {})
        pairs = {kind: own.get(kind, ()) for kind in ("state", "action")}
        extra = {key: value for key, value in english.get(word, {}).items() if key in ENGLISH}
        graph.add_node(word, kind=kinds[word], name=names.get(word, word), since=1, **pairs, **extra)
    for (a, b), count in sorted(counts.items()):
        for word in (a, b):
            if word not in graph:
                raise VhbenchError(f"{where}: edge {a!r}-{b!r} names {word!r}, which is not among the concepts")
        graph.add_edge(a, b, weight=count)
    return check(graph, where=where)


def check(graph: ConceptGraph, *, where: str) -> ConceptGraph:
    """Return the graph; raise if it is empty, or for an unknown kind, a self-loop, or no positive whole weight."""
    if not graph:
        raise VhbenchError(f"{where}: the concept graph has no concepts")
    for word, kind in kinds(graph).items():
        if kind not in get_args(Kind):
            raise VhbenchError(f"{where}: {word!r}: expected one of {', '.join(get_args(Kind))}, got {kind!r}")
    for a, b, weight in edges(graph):
        if a == b:
            raise VhbenchError(f"{where}: {a!r} has an edge to itself; a concept does not co-occur with itself")
        if isinstance(weight, bool) or not isinstance(weight, int) or weight < 1:
            raise VhbenchError(f"{where}: edge {a!r}-{b!r}: expected an integer of at least 1, got {weight!r}")
    return graph


def count_together(pictures: Iterable[Iterable[str]]) -> Counter[tuple[str, str]]:
    """Count the images in which two words co-occur; repeated words count once per image."""
    counts: Counter[tuple[str, str]] = Counter()
    for words in pictures:
        counts.update(combinations(sorted(set(words)), 2))
    return counts


def edges(graph: ConceptGraph) -> Iterator[tuple[str, str, int]]:
    """Yield (a, b, count) for each edge."""
    for a, b, data in graph.edges(data=True):
        yield a, b, data["weight"]


def wording(graph: ConceptGraph) -> Wording:
    """Return the English of a graph's concepts, by readable name: the project's tables, and what the graph adds.

    The two values of an attribute pair exclude each other if the project's tables do not know both.
    """
    places, plurals, mass = dict[str, SettingWords](), dict[str, str](), set[str]()
    opposites: dict[str, set[str]] = {}
    for _, data in graph.nodes(data=True):
        if "place" in data:
            places[data["name"]] = SettingWords(data["name"], "", data["place"], {})
        if "plural" in data:
            plurals[data["name"]] = data["plural"]
        if data.get("article") == "":
            mass.add(data["name"])
        pairs = [(data["name"], graph.nodes[other]["name"]) for other in data.get("opposites", ()) if other in graph]
        pairs += [pair for pair in data["state"] if not attribute_words.KNOWN.issuperset(pair)]
        for one, other in pairs:
            opposites.setdefault(one, set()).add(other)
            opposites.setdefault(other, set()).add(one)
    if not (places or plurals or mass or opposites):
        return environments.DEFAULT
    excluded = {word: frozenset(others) for word, others in opposites.items()}
    return Wording({**environments.PLACES, **places}, plurals, frozenset(mass), excluded)


def kinds(graph: ConceptGraph) -> dict[str, str]:
    """Return word → "entity" or "environment"."""
    return {word: data["kind"] for word, data in graph.nodes(data=True)}


def pair(a: str, b: str) -> tuple[str, str]:
    """Return two words in alphabetical order: the key of an undirected edge."""
    return (a, b) if a <= b else (b, a)


_VERSIONS = 100  # maximum number of versions of a graph


def from_json(data: Any, *, where: str) -> ConceptGraph:
    """Return the graph that JSON describes; raise with the location if an entry is missing or invalid.

    ``{"version": 1, "concepts": [{"word": "car", "kind": "entity", "state": [["red", "pink"]]}], "edges": [["car",
    "street", 9]]}``. ``name``, ``state``, ``action`` and ``since`` of a concept are optional, and so is its English:
    ``place`` ("on a motorway"), ``plural``, ``article`` ("" for none), and ``opposites`` (places that an image of this
    one cannot show).
    """
    try:
        words = [c["word"] for c in data["concepts"]]
        concepts = {str(word): c for word, c in zip(words, data["concepts"], strict=True)}
        counts = {(str(a), str(b)): c for a, b, c in data["edges"]}
        version = int(data.get("version", 1))
        kinds = {word: c["kind"] for word, c in concepts.items()}
        since = {word: int(c.get("since", 1)) for word, c in concepts.items()}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise VhbenchError(
            f'{where}: expected a concept graph, {{"concepts": [{{"word", "kind"}}], "edges": [["a", "b", count]]}} '
            f"({type(error).__name__}: {error})"
        ) from error
    for word, count in Counter(map(str, words)).items():
        if not word.strip() or not isinstance(concepts[word]["word"], str) or count > 1:
            raise VhbenchError(f"{where}: expected each word once, as a text; got {count} × {concepts[word]['word']!r}")
    for number, most in ((version, _VERSIONS), *((one, version) for one in since.values())):
        if not 1 <= number <= most:
            raise VhbenchError(f"{where}: expected versions from 1 to {most}, got {number}")
    attributes = {word: _attributes(c, f"{where}: {word!r}") for word, c in concepts.items()}
    names = {word: str(c.get("name", word)) for word, c in concepts.items()}
    graph = assemble(kinds, counts, attributes, names=names, english=_english(concepts, where), where=where)
    graph.graph["version"] = version
    nx.set_node_attributes(graph, since, "since")
    return graph


def _english(concepts: Mapping[str, Mapping[str, Any]], where: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the concepts' English after validating it."""
    for word, concept in concepts.items():
        place, opposites = concept.get("place", "in it"), concept.get("opposites", [])
        for key in ("name", "plural", "article"):
            text = concept.get(key, "one")
            if not isinstance(text, str) or not (text.strip() or key == "article"):
                raise VhbenchError(f"{where}: {word!r} has {key} {text!r}; expected a text")
        for value in (value for kind in ("state", "action") for pair in concept.get(kind, ()) for value in pair):
            if not isinstance(value, str) or not value.strip():
                raise VhbenchError(f"{where}: {word!r} has the attribute {value!r}; expected a text")
        if not isinstance(place, str) or " " not in place or place != " ".join(place.split()):
            raise VhbenchError(f"{where}: {word!r} has place {place!r}; expected a phrase such as 'on a motorway'")
        if not isinstance(opposites, (list, tuple)):
            raise VhbenchError(f"{where}: {word!r} has opposites {opposites!r}; expected a list of concepts")
        for other in opposites:
            if not isinstance(other, str) or other not in concepts:
                raise VhbenchError(f"{where}: {word!r} has the opposite {other!r}, which is not among the concepts")
    return concepts


def _from_graphml(path: Path) -> ConceptGraph:
    from xml.etree.ElementTree import ParseError

    try:
        with open_file(path, LARGEST_TEXT) as file:
            flat = nx.read_graphml(file)
    except (ParseError, nx.NetworkXError, ValueError, KeyError, TypeError) as error:
        raise VhbenchError(f"{path} is not GraphML: {error}") from error
    if any("type" in data for _, data in flat.nodes(data=True)):
        return _from_release(flat, path)
    concepts: list[dict[str, Any]] = []
    for word, data in flat.nodes(data=True):
        try:
            lists = ("state", "action", *(key for key in ("opposites",) if key in data))
            concepts.append({"word": word, **data} | {key: orjson.loads(data.get(key, "[]")) for key in lists})
        except orjson.JSONDecodeError as error:
            raise VhbenchError(f"{path}: {word!r}: state and action hold JSON lists of pairs: {error}") from error
    edges = [[a, b, data.get("weight")] for a, b, data in flat.edges(data=True)]
    version = flat.graph.get("version", 1)
    return from_json({"version": version, "concepts": concepts, "edges": edges}, where=str(path))


_MANY = 20  # number of edges whose counts are all odd by chance in one file of a million


def _from_release(flat: "nx.Graph[str]", path: Path) -> ConceptGraph:
    """Return the graph of a GraphML file in the form of ODE's release.

    Nodes have ``type``, of which "virtual" is dropped, and attributes as base64-encoded JSON: {"state": [[true, false],
    …]}, or one list per key. Edges have ``frequency``: c in the graph H; 2c - 1, and so always odd, in T. It is T
    if the file name ends in "_T.graphml", or if many edges have odd numbers only.
    """
    real = {word: data for word, data in flat.nodes(data=True) if data.get("type") in get_args(Kind)}
    for word, data in flat.nodes(data=True):
        if word not in real and data.get("type", "virtual") != "virtual":
            expected = ", ".join(get_args(Kind))
            raise VhbenchError(f"{path}: {word!r}: expected one of {expected}, virtual, got {data['type']!r}")
    attributes = {word: _attributes(_decoded(data), f"{path}: {word!r}") for word, data in real.items()}
    try:
        edges = [(a, b, int(data["frequency"])) for a, b, data in flat.edges(data=True)]
        counts = {pair(a, b): frequency for a, b, frequency in edges if a != b and {a, b} <= real.keys()}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise VhbenchError(f"{path}: expected an integer frequency of each edge: {error}") from error
    name = path.stem.rpartition("_")[2].upper()
    if name == "T" or (name != "H" and len(counts) >= _MANY and all(count % 2 for count in counts.values())):
        counts = {edge: (count + 1) // 2 for edge, count in counts.items()}
    kinds = {word: data["type"] for word, data in real.items()}
    graph = assemble(kinds, counts, attributes, where=str(path))
    graph.graph["release"] = True
    return graph


def _decoded(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state and action pairs of a node whose attributes are base64-encoded JSON."""
    attributes: dict[str, Any] = {}
    for key in ("attributes", "state", "action"):
        try:
            value = orjson.loads(base64.b64decode(data[key], validate=True)) if key in data else {}
        except ValueError as error:
            raise VhbenchError(f"attribute {key!r}: expected base64-encoded JSON, got {data[key]!r:.60}") from error
        attributes |= value if isinstance(value, dict) else {key: value}
    return attributes


def _attributes(entry: Mapping[str, Any], where: str) -> Attributes:
    result: dict[str, tuple[tuple[str, str], ...]] = {}
    for kind in ("state", "action"):
        try:
            result[kind] = tuple((str(frequent), str(rare)) for frequent, rare in entry.get(kind, ()))
        except (TypeError, ValueError) as error:
            raise VhbenchError(f"{where}: {kind}: expected a list of pairs [frequent, rare]") from error
    return result


def _union(first: Mapping[str, Any], second: Mapping[str, Any]) -> Attributes:
    both = {kind: (*first.get(kind, ()), *second.get(kind, ())) for kind in ("state", "action")}
    return {kind: tuple(dict.fromkeys(pairs)) for kind, pairs in both.items()}
