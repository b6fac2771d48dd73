"""What the image sources of ODE can show, and what nobody could tell in them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from vhbench.builds.ode import OdeBuild
from vhbench.builds.ode_source_vocabulary import DrawnWorld, OpenWorld
from vhbench.generators import scenes
from vhbench.generators.ode import concept_graph, environments, questions
from vhbench.schema import Scene, SceneObject


@pytest.fixture(scope="module")
def drawn() -> DrawnWorld:
    return DrawnWorld(concept_graph.starter())


@pytest.mark.parametrize("pair", [("child", "person"), ("bear", "panda"), ("puppy", "dog"), ("cup", "cup")])
def test_one_that_includes_the_other_is_shown_in_no_world(pair: tuple[str, str]) -> None:
    graph = concept_graph.assemble(dict.fromkeys(pair, "entity"), {}, where="test")
    assert OpenWorld(graph).problem(pair) == f"one includes the other: {pair[1]}"
    assert OpenWorld(graph).problem(pair[:1]) == ""


def test_what_is_hard_to_tell_is_not_drawn(drawn: DrawnWorld) -> None:
    for word in ("frisbee", "plate", "scarf", "tin foil"):
        assert drawn.problem(["dog", word]) == f"hard to recognize: {word}"
    assert drawn.problem(["broccoli", "park"]) == "hard to recognize: broccoli"
    assert drawn.problem(["broccoli", "kitchen"]) == ""
    assert "jumping" in (drawn.values("dog", "action") or ())
    assert "jumping" not in (drawn.values("man", "action") or ())


def test_a_place_is_drawn_with_what_makes_it(drawn: DrawnWorld) -> None:
    assert drawn.furniture("airport", ["dog"]) == {"airplane": 1}
    assert drawn.furniture("airport", ["airplane"]) == {}
    assert drawn.furniture("classroom", ["dog"]) == {"chair": 3}
    assert drawn.furniture("kitchen", ["dog"]) == {}


def test_an_empty_office_is_not_asked_for() -> None:
    scene = Scene("s", b"", 100, 100, (), environment="office", known=frozenset({"dog", "office", "beach"}))
    empty = environments.annotate(scene)
    furnished = environments.annotate(replace(scene, objects=(SceneObject(1, "computer", (0, 0, 9, 9), 81),)))
    assert "office" not in empty.known | empty.categories()
    assert "office" in furnished.categories()
    assert "beach" in empty.known, "it is a room, whichever"


def pictures(build: OdeBuild) -> Iterator[Scene]:
    return (item for shard in range(build.shards) for item in build.make(shard) if isinstance(item, Scene))


def test_rooms_of_a_build_can_be_told() -> None:
    build = OdeBuild(pairs=4, size=64, seed=5, criteria=("standard", "fictional"), levels=("existence",))
    made = list(pictures(build))
    shown = [scene for scene in made if scene.environment in scene.categories()]
    assert shown
    assert all(environments.has_defining_object(scene) for scene in shown)
    assert not {"plate", "frisbee"} & {word for scene in made for word in scene.known}


def test_states_of_drawn_things_are_asked_about() -> None:
    things = (
        SceneObject(
            1, "door", (0, 0, 9, 9), 81, attributes=(("state", "open"),), known_attributes=frozenset({"state"})
        ),
    )
    scene = Scene("s", b"", 100, 100, things, known=frozenset({"door"}))
    [choice] = questions._seen(scene, "door", list(things), frozenset())
    assert (choice.yes, choice.noes) == (
        "Is the door in the image open?", {"closed": "Is the door in the image closed?"}
    )  # fmt: skip


def test_an_area_is_shown_in_each_of_its_environments(drawn: DrawnWorld) -> None:
    settings = {drawn.setting("curtain", ["dog"], np.random.default_rng(seed)) for seed in range(20)}
    assert settings == {"bedroom", "stage"}


def test_an_area_is_shown_where_there_is_room_for_the_things() -> None:
    """Of the environments that paint it, one with places for all things is taken, if there is any."""
    graph = concept_graph.starter()
    world, seen = DrawnWorld(graph), set()
    for area in sorted({area for one in scenes.ENVIRONMENTS.values() for area in one.areas()}):
        for thing in ("kite", "cup", "dog", "boat", "clock"):
            painting = [one for one in scenes.ENVIRONMENTS.values() if area in (one.name, *one.areas())]
            fitting = [one.name for one in painting if scenes.lookup(thing).place in one.bands]  # type: ignore[union-attr]
            for seed in range(5) if 0 < len(fitting) < len(painting) else ():
                seen.add(area)
                assert world.setting(area, [thing], np.random.default_rng(seed)) in fitting, (area, thing)
    assert len(seen) > 3
