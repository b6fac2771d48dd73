"""What a spec asks for is in the picture, or the spec is refused with a reason."""

import io

import golden_drawings
import pytest
from PIL import Image

from vhbench.generators.scenes import catalog, source
from vhbench.generators.scenes.drawings import artwork
from vhbench.generators.scenes.environments import atlas
from vhbench.generators.scenes.layout import plan
from vhbench.generators.scenes.source import SceneSource
from vhbench.generators.scenes.specs import random_spec
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng


def draw(*objects: ObjectSpec, seed: int = 1, **options) -> Scene:
    spec = SceneSpec("s", objects, **options)
    [scene] = SceneSource().make([spec], seed=seed)
    assert isinstance(scene, Scene), scene
    return scene


def refuse(*objects: ObjectSpec, **options) -> Rejection:
    [rejection] = SceneSource().make([SceneSpec("s", objects, **options)], seed=1)
    assert isinstance(rejection, Rejection)
    return rejection


def test_a_scene_is_an_image_and_its_truth():
    scene = draw(ObjectSpec("car", count=2, colour="red"), environment="street", state="sunny")
    assert scene.id == "s-1"
    assert Image.open(io.BytesIO(scene.image)).size == (512, 512)
    assert scene.count("car") == 2
    assert all(("colour", "red") in thing.attributes for thing in scene.objects)
    assert (scene.environment, scene.environment_state) == ("street", "sunny")
    assert "road" in scene.areas
    assert "banana" in scene.known
    assert "bus" not in scene.categories()


@pytest.mark.parametrize("count", range(1, 11))
def test_counts_are_met(count):
    scene = draw(ObjectSpec("chair", count=count))
    assert scene.count("chair") == count


def test_a_word_is_known_by_its_readable_name():
    scene = draw(ObjectSpec("sofa"))
    assert [thing.category for thing in scene.objects] == ["couch"] == [catalog.readable("sofa")]


def test_what_a_spec_leaves_open_is_where_such_things_are_seen() -> None:
    for seed in range(12):
        for words, suits in (
            (("couch", "lamp"), lambda e: e.indoor),
            (("car", "elephant"), lambda e: not e.indoor),
            (("train",), lambda e: "rail" in e.paints),
        ):
            spec = SceneSpec(f"{words[0]}-{seed}", tuple(map(ObjectSpec, words)))
            entries = plan.check(spec)
            assert suits(plan.choose_locale(spec, entries, rng(seed, "x")).environment)
        spec = random_spec(seed, "open")
        locale = plan.Locale(atlas.ENVIRONMENTS[spec.environment], spec.state)
        assert all(plan.at_home(catalog.find(thing.category), locale) for thing in spec.objects)


def test_a_couch_on_a_beach_can_be_asked_for() -> None:
    made = next(SceneSource().make([SceneSpec("odd", (ObjectSpec("couch"),), "beach")], seed=1))
    assert isinstance(made, Scene)
    assert made.environment == "beach"


@pytest.mark.parametrize(("word", "state"), [(e.name, state) for e in catalog.CATALOG.values() for state in e.states])
def test_a_state_is_drawn_and_told(word: str, state: str) -> None:
    thing = draw(ObjectSpec(word, state=state)).objects[0]
    assert ("state", state) in thing.attributes
    assert "state" in thing.known_attributes
    usual, shown = artwork.draw(word), artwork.draw(word, state=state)
    assert (usual == shown) == (state == catalog.find(word).states[0])


def test_what_cannot_be_drawn_is_refused_with_a_reason_without_painting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vhbench.generators.scenes.source.arrange", None)
    refusal = refuse(ObjectSpec("umbrella", state="broken"))
    assert refusal.reason == "no such state"
    assert refusal.detail["allowed"] == ["open", "closed"]
    above = ((0, "above", 1),)
    assert refuse(ObjectSpec("dog"), ObjectSpec("car"), environment="park", relations=above).detail["failures"] == {
        "object belongs on the ground": source._TRIES
    }


def test_a_thing_of_which_no_pixel_would_be_left_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(source, "_zoom", lambda things, attempt: 0.1)
    rejection = refuse(ObjectSpec("fishing rod"), width=64, height=64)
    assert (rejection.reason, set(rejection.detail["failures"])) == ("too small", {"too small"})


def test_scenes_of_many_things_and_later_attempts_are_drawn_smaller() -> None:
    assert [source._zoom(things, 0) for things in range(1, 9)] == [1, 1, 0.9, 0.9, 0.75, 0.75, 0.62, 0.62]
    assert [round(source._zoom(1, attempt), 4) for attempt in range(5)] == [1, 1, 0.84, 0.84, 0.7056]


def test_no_spec_and_no_scene_changes() -> None:
    specs = {name: golden_drawings.digest([str(spec)]) for name, spec in golden_drawings.specs().items()}
    assert specs == golden_drawings.golden("specs")
    assert golden_drawings.scenes() == golden_drawings.golden("scenes")


def test_too_many_categories_for_a_place_are_refused() -> None:
    with pytest.raises(VhbenchError) as raised:
        random_spec(1, "few", id="x", words=("dog", "cat"), k=4)
    assert str(raised.value) == "scene x: 4 categories requested, but only 2 fit together"
    with pytest.raises(VhbenchError, match=r"^scene x: no environment fits: .+ \{.*\}$"):
        random_spec(1, "none", id="x", environment="beach", absent=("sand", "sea", "beach"))


def test_a_spec_is_named_by_its_id_or_key_and_keeps_what_it_must_show() -> None:
    names = [random_spec(1, *key, id=id).id for key, id in ((("a", 2), ""), (("a",), "b"), ((), ""))]
    assert names == ["a-2", "b", "spec"]
    must = (ObjectSpec("car", 2, colour="red"),)
    assert random_spec(1, "must", must=must, k=1).objects == must
    full = random_spec(1, "full", must=(ObjectSpec("car", plan.MOST_THINGS - 1),), k=2, counts=(5,))
    assert [thing.count for thing in full.objects] == [plan.MOST_THINGS - 1, 1]
