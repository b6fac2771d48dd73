"""Concept graphs: how they are counted, checked, merged, updated and stored."""

import base64
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from vhbench.generators import scenes
from vhbench.generators.ode import amber_graph, concept_graph, criteria, graph_sources
from vhbench.schema import VhbenchError


def graph_of(concepts: dict[str, str], edges: list[tuple[str, str, int]]) -> concept_graph.ConceptGraph:
    return concept_graph.assemble(concepts, {(a, b): c for a, b, c in edges}, where="test")


def test_amber_in_compat_is_the_graph_that_the_reference_builds(reference: Path) -> None:
    node_types = reference / "ODE" / "node_types.json"
    graph = amber_graph.from_amber(reference / "AMBER", node_types=node_types, compat=True)
    assert (len(graph), graph.number_of_edges(), nx.number_of_selfloops(graph)) == (315, 4364, 11)
    pairs = {kind: [d[kind] for _, d in graph.nodes(data=True) if d[kind]] for kind in ("state", "action")}
    assert (sum(map(len, pairs["state"])), len(pairs["state"])) == (572, 168)
    assert (sum(map(len, pairs["action"])), len(pairs["action"])) == (123, 40)
    assert all(weight % 2 == 1 for _, _, weight in concept_graph.edges(graph))  # 2c - 1


def test_amber_counts_pictures_and_drops_what_is_not_depicted(reference: Path) -> None:
    node_types = json.loads((reference / "ODE" / "node_types.json").read_bytes())
    graph = amber_graph.from_amber(reference / "AMBER", node_types=node_types)
    entries = json.loads((reference / "AMBER" / "annotations.json").read_bytes())
    truths = [set(e["truth"]) for e in entries if e["type"] == "generative"]
    assert graph["person"]["sky"]["weight"] == sum({"person", "sky"} <= truth for truth in truths)
    assert "hot" not in graph
    assert nx.number_of_selfloops(graph) == 0
    assert ("sunny", "gloomy") in graph.nodes["sky"]["state"]


def test_amber_needs_no_table_of_kinds(reference: Path) -> None:
    graph = graph_sources.load(f"amber:{reference / 'AMBER'}")
    assert graph.nodes["beach"]["kind"] == "environment"
    assert graph.nodes["microwave"]["kind"] == "entity"


def test_hallucination_graph_has_the_references_size(reference: Path) -> None:
    graph = amber_graph.hallucinations(reference / "AMBER")
    assert (len(graph), graph.number_of_edges(), nx.number_of_selfloops(graph)) == (340, 5391 - 28, 0)


def test_coco_counts_each_category_once_a_picture(reference: Path) -> None:
    file = reference / "coco_mini" / "instances_val2017.json"
    graph = graph_sources.load(f"coco:{file}")
    data = json.loads(file.read_bytes())
    names = {c["id"]: c["name"] for c in data["categories"]}
    seen: dict[int, set[str]] = {}
    for annotation in data["annotations"]:
        seen.setdefault(annotation["image_id"], set()).add(names[annotation["category_id"]])
    both = sum({"person", "chair"} <= words for words in seen.values())
    assert graph.get_edge_data("person", "chair", {"weight": 0})["weight"] == both
    assert set(concept_graph.kinds(graph).values()) == {"entity"}


def test_every_word_of_the_starter_can_be_drawn_where_the_table_puts_it() -> None:
    graph = concept_graph.starter()
    for word, kind in concept_graph.kinds(graph).items():
        if kind == "environment":
            areas = set(scenes.ENVIRONMENTS[word].areas())
            assert not areas & set(graph[word]), f"{word} paints what the table puts into it"
        else:
            entry = scenes.lookup(word)
            assert entry is not None, word
            assert entry.name == word


def test_the_starters_attributes_can_be_drawn() -> None:
    """Nearly all of them: what a drawing does not take is not asked of it, so that drawings may change."""
    drawn = total = 0
    for word, data in concept_graph.starter().nodes(data=True):
        entry, place = scenes.lookup(word), scenes.ENVIRONMENTS.get(word)
        allowed = set(place.states if place else entry.colours if entry else ())
        actions = {v for pair in data["action"] for v in pair if entry and scenes.action_of(entry, v) is not None}
        for pair in data["state"] + data["action"]:
            total += 1
            drawn += set(pair) <= allowed | actions
    assert drawn / total > 0.9


def test_starter_weights_follow_the_table() -> None:
    graph = concept_graph.starter()
    assert graph["refrigerator"]["kitchen"]["weight"] == 9  # often: 3 * 3
    assert graph["refrigerator"]["sink"]["weight"] == 9  # both often in a kitchen, together nowhere else
    assert not graph.has_edge("camel", "toaster")


def as_json(graph: concept_graph.ConceptGraph) -> dict[str, Any]:
    concepts = [{"word": word, **data} for word, data in graph.nodes(data=True)]
    return {"version": graph.graph["version"], "concepts": concepts, "edges": list(concept_graph.edges(graph))}


@pytest.mark.parametrize("suffix", ["json", "graphml"])
def test_files_keep_everything(tmp_path: Path, suffix: str) -> None:
    graph = concept_graph.update(
        concept_graph.starter(), graph_of({"zeppelin": "entity", "sky": "environment"}, [("sky", "zeppelin", 2)])
    )
    file = tmp_path / f"graph.{suffix}"
    if suffix == "json":
        file.write_text(json.dumps(as_json(graph)))
    else:
        flat = graph.copy()
        for _, data in flat.nodes(data=True):
            data |= {kind: json.dumps(data[kind]) for kind in ("state", "action")}
        nx.write_graphml(flat, file)
    read = graph_sources.load(str(file))
    assert read.graph["version"] == 2
    assert read.nodes(data=True) == graph.nodes(data=True)
    assert sorted(concept_graph.edges(read)) == sorted(
        (*concept_graph.pair(a, b), c) for a, b, c in concept_graph.edges(graph)
    )


def test_merge_adds_counts_and_joins_attributes() -> None:
    first = graph_of({"car": "entity", "road": "environment"}, [("car", "road", 3)])
    second = graph_of(
        {"car": "entity", "road": "environment", "dog": "entity"}, [("road", "car", 2), ("car", "dog", 1)]
    )
    merged = concept_graph.merge(first, second)
    assert sorted(concept_graph.edges(merged)) == [("car", "dog", 1), ("car", "road", 5)]
    with pytest.raises(VhbenchError, match="'road' is an environment in one and an entity in the other"):
        concept_graph.merge(first, graph_of({"road": "entity"}, []))


def test_update_leaves_what_was_there() -> None:
    old = graph_of({"car": "entity", "road": "environment"}, [("car", "road", 3)])
    more = graph_of(
        {"car": "entity", "road": "environment", "cone": "entity"}, [("car", "road", 9), ("cone", "road", 4)]
    )
    new = concept_graph.update(old, more)
    assert new.graph["version"] == 2
    assert new["car"]["road"]["weight"] == 3
    assert (new.nodes["cone"]["since"], new["cone"]["road"]["weight"]) == (2, 4)
    assert "cone" not in old


def test_update_brings_edges_and_attributes_of_what_was_there() -> None:
    kinds = dict.fromkeys(("car", "dog", "cat", "cup"), "entity")
    old = concept_graph.assemble(kinds, {("car", "dog"): 3}, {"cat": {"state": (("black", "white"),)}}, where="old")
    more = concept_graph.assemble(
        kinds, {("car", "dog"): 9, ("cat", "cup"): 2}, {"dog": {"action": (("run", "sit"),)}}, where="more"
    )
    new = concept_graph.update(old, more)
    assert concept_graph.as_of(new, 1) is old
    assert concept_graph.as_of(new, 2) is new
    assert (new["car"]["dog"]["weight"], new["cat"]["cup"]["weight"]) == (3, 2)
    assert new.nodes["dog"]["action"] == (("run", "sit"),)
    assert concept_graph.added_attributes(new, "dog", "action") == (("run", "sit"),)
    pairs = {pair for pair in combinations(sorted(kinds), 2) if concept_graph.is_new(new, *pair)}
    assert pairs == {("cat", "cup"), ("car", "dog"), ("cat", "dog"), ("cup", "dog")}, (
        "a new edge, and what the dog does"
    )
    for criterion in ("standard", "fictional"):
        drawn = [criteria.candidates(criteria.PairPool(new, "ee", v, seed=3), criterion) for v in (1, 2)]
        assert drawn[0] == criteria.candidates(criteria.PairPool(old, "ee", seed=3), criterion)
        assert set(drawn[1]) <= pairs
    with pytest.raises(VhbenchError, match="'dog' is an entity in it and an environment in the new"):
        concept_graph.update(old, concept_graph.assemble({"dog": "environment"}, {}, where="wrong"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"concepts": [{"word": "a", "kind": "thing"}], "edges": []},
            "'a': expected one of entity, en",
        ),
        ({"concepts": [{"word": "a", "kind": "entity"}], "edges": [["a", "a", 1]]}, "'a' has an edge to itself"),
        ({"concepts": [{"word": "a", "kind": "entity"}], "edges": [["a", "b", 1]]}, "names 'b', which is not among"),
        (
            {"concepts": [{"word": "a", "kind": "entity"}, {"word": "b", "kind": "entity"}], "edges": [["a", "b", -2]]},
            "edge 'a'-'b': expected an integer of at least 1",
        ),
        ({"concepts": [{"word": "a"}], "edges": []}, "(KeyError: 'kind')"),
        (
            {"concepts": [{"word": "a", "kind": "entity", "state": ["x"]}], "edges": []},
            "state: expected a list of pairs",
        ),
        ({"concepts": [], "edges": []}, "has no concepts"),
        ([1], "expected a concept graph"),
    ],
)
def test_bad_graph_files_are_named(tmp_path: Path, content: object, message: str) -> None:
    file = tmp_path / "own.json"
    file.write_text(json.dumps(content))
    with pytest.raises(VhbenchError, match=message) as error:
        concept_graph.from_file(file)
    assert "own.json" in str(error.value)


def test_unreadable_sources_are_named(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "broken.graphml").write_text("<graphml>")
    for source, message in [
        (f"amber:{tmp_path}", r"cannot read .*annotations\.json: No such file"),
        (f"coco:{tmp_path / 'broken.json'}", r"broken\.json, line 1: not JSON"),
        (str(tmp_path / "broken.graphml"), r"broken\.graphml is not GraphML"),
        (str(tmp_path / "none.json"), r"cannot read .*none\.json"),
        (
            "wordnet",
            "--graph: expected starter, traffic, amber:DIR, coco:FILE, FILE.json or FILE.graphml, got 'wordnet'",
        ),
    ]:
        with pytest.raises(VhbenchError, match=message):
            graph_sources.load(source)


def test_amber_with_a_word_without_kind(reference: Path) -> None:
    with pytest.raises(VhbenchError, match=r"no kind for .* \(\d+ words\)"):
        amber_graph.from_amber(reference / "AMBER", node_types={"sky": "environment"})


@pytest.mark.parametrize(
    ("name", "frequencies", "counts"),
    [("H", (3, 4, 1), (3, 4, 1)), ("H", (5, 3, 1), (5, 3, 1)), ("T", (5, 7, 1), (3, 4, 1))],
)
@pytest.mark.parametrize("whole", [True, False])
def test_the_form_of_odes_release_is_read(
    name: str, frequencies: tuple[int, ...], counts: tuple[int, ...], whole: bool, tmp_path: Path
) -> None:
    """Graph H has c as frequency, graph T has 2c - 1; "virtual" nodes and self-loops are left out."""

    def coded(value: object) -> str:
        return base64.b64encode(json.dumps(value).encode()).decode()

    graph: nx.Graph[str] = nx.Graph()
    state, action = [["sunny", "gloomy"]], [["run", "sit"]]
    graph.add_node(
        "beach", type="environment", **({"attributes": coded({"state": state})} if whole else {"state": coded(state)})
    )
    graph.add_node(
        "dog", type="entity", **({"attributes": coded({"action": action})} if whole else {"action": coded(action)})
    )
    graph.add_node("pulp", type="entity")
    graph.add_node("cold", type="virtual")
    for (a, b), frequency in zip((("beach", "dog"), ("beach", "pulp"), ("dog", "pulp")), frequencies, strict=True):
        graph.add_edge(a, b, frequency=frequency)
    graph.add_edge("cold", "dog", frequency=1)
    graph.add_edge("dog", "dog", frequency=1)
    nx.write_graphml(graph, tmp_path / f"objects_cooccurrence_graph_{name}.graphml")
    found = graph_sources.load(str(tmp_path / f"objects_cooccurrence_graph_{name}.graphml"))
    assert concept_graph.kinds(found) == {"beach": "environment", "dog": "entity", "pulp": "entity"}
    assert {(a, b): c for a, b, c in concept_graph.edges(found)} == dict(
        zip((("beach", "dog"), ("beach", "pulp"), ("dog", "pulp")), counts, strict=True)
    )
    assert found.nodes["beach"]["state"] == (("sunny", "gloomy"),)
    assert found.nodes["dog"]["action"] == (("run", "sit"),)
    assert found.nodes["pulp"]["name"] == "oar"


def test_own_words_have_their_own_english(tmp_path: Path) -> None:
    concepts = [
        {"word": "motorway", "kind": "environment", "place": "on a motorway", "opposites": ["yard"]},
        {"word": "yard", "kind": "environment", "place": "in a yard", "state": [["congested", "deserted"]]},
        {"word": "cul", "name": "cul-de-sac", "kind": "entity", "plural": "culs-de-sac"},
        {"word": "tarmac", "kind": "entity", "article": ""},
        {"word": "crossroads", "kind": "environment"},
    ]
    file = tmp_path / "own.json"
    file.write_text(json.dumps({"concepts": concepts, "edges": [["cul", "motorway", 2]]}))
    graph = concept_graph.update(concept_graph.from_file(file), concept_graph.starter())
    words = concept_graph.wording(graph)
    assert words.place("motorway", "wet") == "on a wet motorway"
    assert words.place("crossroads", "wet") == "in a scene with wet crossroads"
    assert words.unlike("yard", "motorway")
    assert words.unlike("beach", "kitchen")
    assert words.several(2, "cul-de-sac", ["quiet"]) == "two quiet culs-de-sac"
    assert words.one("tarmac", ["wet"]) == "wet tarmac"
    assert words.opposites["congested"] == {"deserted"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"place": "motorway"}, "has place 'motorway'"),
        ({"plural": ["cars"]}, r"has plural \['cars'\]; expected a text"),
        ({"article": 5}, "has article 5; expected a text"),
        ({"opposites": ["sea"]}, "opposite 'sea'"),
        ({"opposites": [["yard"]]}, r"opposite \['yard'\], which is not among the concepts"),
        ({"place": "motorway "}, "has place 'motorway '; expected a phrase"),
        ({"place": " motorway"}, "has place ' motorway'; expected a phrase"),
        ({"name": ""}, "has name ''; expected a text"),
        ({"word": ""}, "expected each word once, as a text; got 1 × ''"),
        ({"word": None}, "expected each word once, as a text; got 1 × None"),
        ({"word": "yard"}, "expected each word once, as a text; got 2 × 'yard'"),
        ({"state": [[None, "red"]]}, "has the attribute None; expected a text"),
        ({"since": 2}, "expected versions from 1 to 1, got 2"),
    ]
    for broken, message in cases:
        file.write_text(json.dumps({"concepts": [{**concepts[0], **broken}, concepts[1]], "edges": []}))
        with pytest.raises(VhbenchError, match=message):
            concept_graph.from_file(file)


@pytest.mark.parametrize("version", [0, 10_000_000])
def test_versions_are_bounded(version: int, tmp_path: Path) -> None:
    """Every version is a share of the build, so that a wild number would never end."""
    (tmp_path / "own.json").write_text(json.dumps({"version": version, "concepts": [], "edges": []}))
    with pytest.raises(VhbenchError, match=f"own.json: expected versions from 1 to 100, got {version}"):
        concept_graph.from_file(tmp_path / "own.json")


@pytest.mark.parametrize(
    ("kind", "frequency", "message"),
    [("entity", "inf", "expected an integer frequency"), ("thing", "3", "'dog': expected one of .*, virtual, got 'th")],
)
def test_a_broken_release_is_refused_in_one_line(kind: str, frequency: str, message: str, tmp_path: Path) -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_node("beach", type="environment")
    graph.add_node("dog", type=kind)
    graph.add_edge("beach", "dog", frequency=float(frequency))
    nx.write_graphml(graph, tmp_path / "graph_H.graphml")
    with pytest.raises(VhbenchError, match=message):
        concept_graph.from_file(tmp_path / "graph_H.graphml")


@pytest.mark.parametrize(
    ("place", "wet", "shown"),
    [
        ("next to the yard", "next to the wet yard", "the yard"),
        ("in front of a yard", "in front of a wet yard", "a yard"),
        ("in front of yards", "in front of wet yards", "yards"),
        ("at the far end of a yard", "at the wet far end of a yard", "the far end of a yard"),
        ("at road works", "at wet road works", "road works"),
    ],
)
def test_prepositions_of_several_words(place: str, wet: str, shown: str) -> None:
    concepts = [{"word": "yard", "kind": "environment", "place": place}]
    words = concept_graph.wording(concept_graph.from_json({"concepts": concepts, "edges": []}, where="own"))
    assert (words.place("yard"), words.place("yard", "wet"), words.description("yard")) == (place, wet, shown)


def test_coco_instances_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "instances.json"
    categories = [{"id": 1, "name": "dog"}, {"id": 2, "name": "cat"}, {"id": 3, "name": "cup"}]
    shown = [(7, 1), (7, 2), (7, 2), (8, 1), (8, 2), (9, 3)]
    annotations = [{"image_id": image, "category_id": category} for image, category in shown]
    file.write_text(json.dumps({"categories": categories, "annotations": annotations}))
    graph = concept_graph.from_coco(file)
    assert (concept_graph.kinds(graph), [*concept_graph.edges(graph)]) == (
        {"cat": "entity", "cup": "entity", "dog": "entity"},
        [("cat", "dog", 2)],
    )
    file.write_text(json.dumps({"categories": categories, "annotations": [{"image_id": 7, "category_id": 4}]}))
    with pytest.raises(VhbenchError, match=r"instances\.json: not COCO instances: KeyError 4$"):
        concept_graph.from_coco(file)
    with pytest.raises(VhbenchError, match=r"^cannot read the graph x\.txt: its name must end in \.json or \.graphml$"):
        concept_graph.from_file("x.txt")


def test_a_graph_of_a_file_knows_the_versions_of_its_concepts() -> None:
    concepts = [{"word": word, "kind": "entity", "since": since} for word, since in (("a", 1), ("b", 2), ("c", 1))]
    graph = concept_graph.from_json(
        {"version": 2, "concepts": concepts, "edges": [["a", "b", 1], ["a", "c", 2]]}, where=""
    )
    older = concept_graph.as_of(graph, 1)
    assert (set(older), [*concept_graph.edges(older)], older.graph["version"]) == ({"a", "c"}, [("a", "c", 2)], 1)
    assert concept_graph.as_of(graph, 2) is concept_graph.as_of(graph, 3) is graph
    assert (concept_graph.added_attributes(graph, "a", "state"), concept_graph.has_additions(graph)) == ((), False)
    assert [concept_graph.is_new(graph, *pair) for pair in (("a", "b"), ("b", "a"), ("a", "c"))] == [True, True, False]


def test_an_update_that_disagrees_on_a_kind_is_refused() -> None:
    old, more = graph_of({"road": "environment"}, []), graph_of({"road": "entity"}, [])
    with pytest.raises(VhbenchError) as raised:
        concept_graph.update(old, more)
    assert str(raised.value) == "cannot update the graph: 'road' is an environment in it and an entity in the new"
    assert not concept_graph.has_additions(concept_graph.update(old, graph_of({"road": "environment"}, [])))


A, B = {"a": "entity"}, {"b": "entity"}


@pytest.mark.parametrize(
    ("kinds", "edges", "message"),
    [
        ({}, [], "test: the concept graph has no concepts"),
        ({"a": "thing"}, [], "test: 'a': expected one of entity, environment, got 'thing'"),
        (A, [("a", "a", 1)], "test: 'a' has an edge to itself; a concept does not co-occur with itself"),
        (A, [("a", "b", 1)], "test: edge 'a'-'b' names 'b', which is not among the concepts"),
        (A | B, [("a", "b", 0)], "test: edge 'a'-'b': expected an integer of at least 1, got 0"),
        (A | B, [("a", "b", True)], "test: edge 'a'-'b': expected an integer of at least 1, got True"),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_refused(kinds: dict[str, str], edges: list[Any], message: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        graph_of(kinds, edges)
    assert str(raised.value) == message


def amber(folder: Path, *entries: dict[str, Any], queries: dict[int, str] | None = None) -> Path:
    (folder / "query").mkdir(exist_ok=True)
    (folder / "annotations.json").write_text(json.dumps(entries))
    asked = [{"id": number, "query": query} for number, query in (queries or {}).items()]
    (folder / "query/query_all.json").write_text(json.dumps(asked))
    return folder


def test_amber_by_hand(tmp_path: Path) -> None:
    first = {"id": 1, "type": "generative", "truth": ["dog", "sky", "dog"], "hallu": ["cat", "dog"]}
    second = {"id": 2, "type": "generative", "truth": ["dog", "sky"], "hallu": ["cat"]}
    asked = [{"id": n, "type": "discriminative-attribute-state", "truth": t} for n, t in ((3, "yes"), (4, "no"))]
    queries = {3: "Is the sky bright blue in this image?", 4: "Is the sky gray in this image?"}
    folder = amber(tmp_path, first, second, *asked, queries=queries)
    graph = amber_graph.from_amber(folder, node_types={"dog": "entity", "sky": "environment"})
    assert ([*concept_graph.edges(graph)], graph.nodes["sky"]["state"]) == (
        [("dog", "sky", 2)],
        (("bright blue", "gray"),),
    )
    assert concept_graph.kinds(graph) == {"dog": "entity", "sky": "environment"}
    imagined = amber_graph.hallucinations(folder)
    assert {frozenset(edge): data["weight"] for *edge, data in imagined.edges(data=True)} == {
        frozenset(("dog", "cat")): 3, frozenset(("sky", "cat")): 2, frozenset(("sky", "dog")): 1,
    }  # fmt: skip
    compat = amber_graph.from_amber(folder, node_types={"dog": "entity", "sky": "virtual"}, compat=True)
    assert {(a, b): w for a, b, w in concept_graph.edges(compat)} == {
        ("dog", "sky"): 5, ("dog", "dog"): 1,
    }  # fmt: skip
    assert compat.nodes["sky"]["state"] == ()  # of two words: the reference reads one
    assert "sky" not in amber_graph.from_amber(folder, node_types={"dog": "entity", "sky": "virtual"})


@pytest.mark.parametrize(
    ("entries", "types", "message"),
    [
        ([{"type": "generative"}], None, r"annotations\.json: entry 1 lacks type or truth$"),
        ([{"type": "x", "truth": "no"}], None, r"annotations\.json: no entry of type 'generative', which has the "
         "ground truth of each image$"),
        ([{"type": "generative", "truth": ["a", "b"]}], {"a": "entity"}, r"^node types: no kind for b \(1 words\)$"),
        ([{"type": "generative", "truth": ["a"]}], {"a": "x"}, "^node types: 'a': expected entity, environment or "
         "virtual, got 'x'$"),
        ([{"type": "generative", "truth": ["a"]}, *[{"id": 3, "type": "discriminative-attribute", "truth": ""}] * 2],
         {"a": "entity"}, r"query_all\.json: no question with id 3$"),
    ],
)  # fmt: skip
def test_what_is_not_amber_is_named(entries: Any, types: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=message):
        amber_graph.from_amber(amber(tmp_path, *entries), node_types=types)
