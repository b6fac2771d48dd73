"""Parts of the concepts: editions of different parts show and ask about different things, whatever their seeds."""

import json
from itertools import islice, pairwise
from pathlib import Path

import pytest

from editions import Editions
from vhbench import splits
from vhbench.builds.ode import OdeBuild
from vhbench.generators.ode import concept_graph, environments, graph_sources, prompts, shards
from vhbench.generators.ode.shards import Share
from vhbench.generators.scenes import WHOLE, read_part
from vhbench.schema import VhbenchError
from vhbench.training import leakage


@pytest.mark.parametrize("text", ["2", "0/2", "3/2", "1/0", "1/10", "a/b", "1/2/3", " 1/2"])
def test_what_is_no_part_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(VhbenchError, match=r"--part: expected I/N with 1 ≤ I ≤ N ≤ 9, such as 1/2"):
        OdeBuild(part=text).check()


def test_too_few_pairs_of_a_part_are_told() -> None:
    with pytest.raises(VhbenchError, match="pairs requested, but the graph has only"):
        OdeBuild(part="1/9", pairs=4000, criteria=("standard",)).check()


@pytest.mark.parametrize("part", ["1/2", "2/2", "1/3", "2/3", "3/3"])
def test_nothing_of_another_part_is_drawn_to_furnish_a_place(part: str) -> None:
    """A bathroom is told by its toilet: one is drawn there, which nobody asked for."""
    build = OdeBuild(part=part)
    recipe, held = build._recipe(), read_part(part)
    for criterion in ("standard", "random", "fictional"):
        found = shards._pairs(recipe, Share(criterion, "ev", 200))
        cases = [case for pair in islice(found, 200) if isinstance(pair, list) for case in pair]
        assert len(cases) > 10  # a third of the starter graph has few standard pairs
        for spec in (prompts.spec(case, recipe.graph, recipe.world, seed=0) for case in cases):
            assert all(held.holds(thing.category) for thing in spec.objects), spec
    for word in recipe.graph.nodes & environments.PLACES.keys():  # a bedroom without a bed would be any room
        needed = environments.PLACES[word].made_by
        assert not needed or any(map(held.holds, needed)), word


def test_editions_of_two_parts_share_no_image_scene_or_concept(editions: Editions) -> None:
    train, test = (leakage.read_contents(path) for path in editions)
    assert train.images.isdisjoint(test.images)
    assert train.scenes.isdisjoint(test.scenes)
    assert not leakage.alike(train.concepts, test.concepts)
    assert min(map(len, (train.concepts, test.concepts))) > 5


def test_nor_does_one_ask_after_a_concept_that_the_other_shows(editions: Editions) -> None:
    shown = leakage.read_contents(editions.test).concepts
    for question in splits.read_questions(editions.train):
        if question.task == "existence":
            asked = question.question.removesuffix(" in the image?").removesuffix("?").split(" ", 2)[-1]
            assert not {asked, asked.partition(" ")[2]} & shown


def test_added_words_extend_a_graph_and_must_be_new(tmp_path: Path) -> None:
    added = tmp_path / "more.json"
    dog, unicorn = {"word": "dog", "kind": "entity"}, {"word": "unicorn", "kind": "entity"}
    added.write_text(json.dumps({"concepts": [dog, unicorn], "edges": [["dog", "unicorn", 3]]}))
    before, after = graph_sources.merged(("starter",)), graph_sources.merged(("starter",), add=str(added))
    assert set(after.nodes) - set(before.nodes) == {"unicorn"}
    added.with_name("same.json").write_text(json.dumps({"concepts": [dog], "edges": []}))
    with pytest.raises(VhbenchError, match="expected new concepts, got 1 that the graph already has"):
        graph_sources.merged(("starter",), add=str(added.with_name("same.json")))


def graph_file(folder: Path, name: str, *words: str, release: bool = False) -> str:
    """Write a graph of some words, each with the next one."""
    edges = [[first, second, 2] for first, second in pairwise(words)]
    content = {"concepts": [{"word": word, "kind": "entity"} for word in words], "edges": edges}
    (folder / name).write_text(json.dumps(content))
    return str(folder / name)


def test_each_source_is_read_by_its_name(tmp_path: Path) -> None:
    starter, traffic = graph_sources.load("starter"), graph_sources.load("traffic")
    assert "lorry" not in starter
    assert traffic.nodes == concept_graph.from_file(graph_sources.TRAFFIC).nodes != starter.nodes
    assert set(graph_sources.load(graph_file(tmp_path, "a.JSON", "dog", "yak"))) == {"dog", "yak"}
    for source in ("other", "amber:", "x:y", "graph.txt", ""):
        with pytest.raises(VhbenchError) as raised:
            graph_sources.load(source)
        expected = "expected starter, traffic, amber:DIR, coco:FILE, FILE.json or FILE.graphml"
        assert str(raised.value) == f"--graph: {expected}, got {source!r}"


def test_sources_are_merged_and_named_once(tmp_path: Path) -> None:
    one, two = (graph_file(tmp_path, f"{word}.json", "dog", word) for word in ("yak", "emu"))
    assert set(graph_sources.merged((one, two))) == {"dog", "yak", "emu"}
    with pytest.raises(VhbenchError, match=rf"^--graph {one} {one}: expected each graph once$"):
        graph_sources.merged((one, one))
    with pytest.raises(VhbenchError) as raised:
        graph_sources.merged((one, two), node_types="x.json")
    assert str(raised.value) == f"--node-types x.json: only goes with --graph amber:DIR, not {one}, {two}"


def test_the_files_of_a_source() -> None:
    assert graph_sources.files_of("starter") == [concept_graph.STARTER]
    assert graph_sources.files_of("traffic") == [graph_sources.TRAFFIC]
    amber = [Path("x/annotations.json"), Path("x/query/query_all.json")]
    assert graph_sources.files_of("amber:x") == amber
    assert graph_sources.files_of("coco:a/b.json") == [Path("a/b.json")]
    assert graph_sources.files_of("a/b.graphml") == [Path("a/b.graphml")]


def test_without_amber_there_are_no_observed_hallucinations() -> None:
    assert graph_sources.hallucinations_of(("starter", "coco:x")) is None


def test_the_part_of_a_graph_keeps_a_place_only_with_what_makes_it() -> None:
    graph = graph_sources.load("starter")
    assert graph_sources.restricted(graph, WHOLE, str) is graph
    part = read_part("1/2")
    own = graph_sources.restricted(graph, part, str)
    places = {word: environments.PLACES[word].made_by for word in graph if word in environments.PLACES}
    made = {word for word in places if not places[word] or any(part.holds(needed) for needed in places[word])}
    assert set(own) == {word for word in graph if part.holds(word) and (word not in places or word in made)}
    dropped = {word for word in places if part.holds(word)} - set(own)
    assert {word for word in places if part.holds(word)} & made <= set(own)
    assert all(places[word] for word in dropped)
    upper = graph_sources.restricted(graph, part, str.upper)
    assert set(upper) == {word for word in graph if part.holds(word.upper())}
