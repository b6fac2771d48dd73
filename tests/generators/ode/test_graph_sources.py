"""Parts of the concepts: editions of different parts show and ask about different things, whatever their seeds."""

import json
from itertools import islice
from pathlib import Path

import pytest

from editions import Editions
from vhbench import splits
from vhbench.builds.ode import OdeBuild
from vhbench.generators.ode import environments, graph_sources, prompts, shards
from vhbench.generators.ode.shards import Share
from vhbench.generators.scenes import read_part
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
