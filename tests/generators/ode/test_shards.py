"""The images of a share of ODE's pairs, in the order in which a build makes them."""

from dataclasses import replace

import golden_rows
import pytest
from perfect_models import PerfectDetector

from vhbench.builds.ode import OdeBuild
from vhbench.generators.ode import shards
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.shards import Recipe, Share
from vhbench.generators.scenes import read_part
from vhbench.schema import Rejection, Scene, VhbenchError


def test_the_first_images_of_a_share_are_those_it_would_begin_with() -> None:
    recipe = replace(OdeBuild()._recipe(), size=128)
    share = Share("standard", "ee", 4)
    all_of_them = list(shards.first(recipe, share, 0, 3))
    assert len(all_of_them) == 3
    assert list(shards.first(recipe, share, 1, 2)) == all_of_them[1:]
    made = [result for result in shards.make(replace(recipe, retries=0), share) if isinstance(result, Scene)]
    drawn = [scene.image for scene in all_of_them if isinstance(scene, Scene)]
    assert drawn == [scene.image for scene in made][: len(drawn)]


def test_a_share_without_enough_pairs_says_how_many_are_missing() -> None:
    recipe = replace(OdeBuild()._recipe(), reserve=1, retries=0)
    recipe = replace(recipe, graph=recipe.graph.subgraph(["dog", "cat", "boat"]).copy())
    results = list(shards.make(recipe, Share("standard", "ee", 5, first=0)))
    shown = sum(isinstance(result, Scene) for result in results)
    lacking = [result for result in results if isinstance(result, Rejection) and "missing" in result.detail]
    assert lacking == [
        Rejection(
            "standard-ee-00000",
            shards._NO_LEFT,
            {"criterion": "standard", "pairing": shards.PAIRINGS["ee"], "missing": 5 - shown},
        )
    ]


def test_images_without_exact_truth_need_a_detector() -> None:
    recipe = OdeBuild()._recipe()

    class Painter:
        name, exact = "painter", False

    with pytest.raises(VhbenchError, match=r"^images from painter need a detector to label their objects$"):
        Recipe(recipe.graph, recipe.world, Painter())  # type: ignore[arg-type]


def test_the_graph_version_that_added_a_pair() -> None:
    assert [Share.version_of(f"fictional-ee-{rank:05}-0-7") for rank in (0, 99_999, 100_000, 200_012)] == [1, 1, 2, 3]


@pytest.mark.parametrize(("result", "score"), [
    (Scene("s", b"", 9, 9, (), provenance={"scores": {"dog": 0.9, "cat": 0.4}}), 0.4),
    (Scene("s", b"", 9, 9, (), provenance={"scores": {}}), 0.0),
    (Scene("s", b"", 9, 9, ()), 0.0),
    (Rejection("s", "why", {"scores": {"dog": 0.9}}), 0.0),
])  # fmt: skip
def test_an_image_is_scored_by_its_least_certain_target(result: Scene | Rejection, score: float) -> None:
    assert shards._score(result) == score


def test_no_row_of_a_share_changes() -> None:
    assert golden_rows.rows() == golden_rows.golden()


def test_an_image_of_a_place_of_another_part_is_rejected() -> None:
    first, second = read_part("1/2"), read_part("2/2")
    scene = Scene("s", b"", 9, 9, (), environment="beach")
    own, other = (first, second) if first.holds("beach") else (second, first)
    assert shards._of_part(own, scene) is scene
    assert shards._of_part(other, scene) == Rejection("s", "place outside --part", {"environment": "beach"})
    nowhere, rejected = Scene("s", b"", 9, 9, ()), Rejection("s", "why")
    assert shards._of_part(other, nowhere) is nowhere
    assert shards._of_part(other, rejected) is rejected


def test_what_a_detector_does_not_know_is_not_asked_of_it() -> None:
    class Closed(PerfectDetector):
        def knows(self, word: str) -> bool:
            return word != "motorway"

    seen = golden_rows.recipes()["seen"]
    words = ("pedestrian", "motorway")
    assert {"pedestrian", "motorway"} <= set(seen.graph)
    assert shards._problem(seen, words) == ""
    closed = replace(seen, eyes=DetectionModels(Closed()))
    assert shards._problem(closed, words) == "the detector does not know: motorway"
    assert shards._problem(closed, ("pedestrian",)) == ""
