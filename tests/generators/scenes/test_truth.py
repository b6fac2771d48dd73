"""The truth of random scenes, recomputed from their masks by code written apart from the generator.

Masks are decoded by pycocotools. Boxes, areas and sides are recomputed from them; nothing here imports the
generator's measuring or judging code.
"""

import dataclasses
import hashlib
import io
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from pycocotools import mask as coco

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.environments import atlas
from vhbench.generators.scenes.source import SceneSource
from vhbench.generators.scenes.specs import random_spec
from vhbench.generators.scenes.truth.known_words import known_words
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec

# pycocotools decodes through a deprecated form of numpy's array protocol.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

OPPOSITE = {"left of": "right of", "in front of": "behind", "above": "below"}


def decode(thing):
    rle = {"size": list(thing.mask.size), "counts": thing.mask.counts.encode()}
    return coco.decode(rle).astype(bool), coco.toBbox(rle).tolist(), int(coco.area(rle))


def check(scene: Scene) -> None:
    """Assert everything that masks alone can tell."""
    covered = np.zeros((scene.height, scene.width), np.uint8)
    for thing in scene.objects:
        mask, box, area = decode(thing)
        assert list(thing.box) == box
        assert thing.area == area > 0
        assert 0 < thing.visible_fraction <= 1
        assert 0 < thing.in_frame_fraction <= 1
        covered += mask
    assert covered.max(initial=0) <= 1, "visible masks overlap"
    assert sum(thing.area for thing in scene.objects) <= scene.width * scene.height
    check_words(scene)
    check_relations(scene)


def check_words(scene: Scene) -> None:
    names = {thing.category for thing in scene.objects}
    assert not names & set(scene.areas), "an object's word is painted in its environment"
    assert names <= scene.known
    assert set(scene.areas) <= scene.known
    assert scene.countable <= scene.known
    assert not set(scene.areas) & scene.countable
    for entry in catalog.CATALOG.values():
        doubtful = {catalog.lookup(w).name for w in (*entry.implies, *entry.confusable) if catalog.lookup(w)}
        parts = {catalog.lookup(w).name for w in entry.parts if catalog.lookup(w)}
        if entry.name in names:
            assert not (parts - names - set(scene.areas)) & scene.known, f"{entry.name} contains a word"
            assert not parts & scene.countable
            assert not (doubtful - names - set(scene.areas)) & scene.known, f"{entry.name} leaves a word in doubt"
            assert not (doubtful - {entry.name}) & scene.countable
        elif doubtful & names - {entry.name} and entry.name not in scene.areas:
            assert entry.name not in scene.known


def check_relations(scene: Scene) -> None:
    things = {thing.id: thing for thing in scene.objects}
    held = {(r.subject, r.predicate, r.object) for r in scene.relations}
    for subject, predicate, other in held:
        assert subject != other
        assert {subject, other} <= things.keys()
        if predicate in OPPOSITE:
            assert (other, OPPOSITE[predicate], subject) in held
            assert (other, predicate, subject) not in held
        a, b = things[subject], things[other]
        if predicate == "left of":
            assert centre(a)[0] < centre(b)[0]
        if predicate == "above":
            assert centre(a)[1] < centre(b)[1]
        if predicate in ("on", "in front of"):
            # What is visible of the farther one may end just where the nearer one begins.
            assert a.box[0] <= b.box[0] + b.box[2]
            assert b.box[0] <= a.box[0] + a.box[2]
    if "left of" in scene.known_predicates:
        for a in scene.objects:
            for b in scene.objects:
                apart = a.box[0] + a.box[2] <= b.box[0]
                assert not apart or (a.id, "left of", b.id) in held


def centre(thing):
    x, y, width, height = thing.box
    return x + width / 2, y + height / 2


def fingerprint(made) -> tuple[str, str]:
    """Hash a scene's annotations, and its image."""
    if isinstance(made, Rejection):
        return hashlib.sha256(repr(made).encode()).hexdigest(), ""
    truth = {field: getattr(made, field) for field in made.__dataclass_fields__ if field != "image"}
    plain = orjson.dumps(truth, default=sorted, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_DATACLASS)
    return hashlib.sha256(plain).hexdigest(), hashlib.sha256(made.image).hexdigest()


def fingerprints(specs: list[SceneSpec]) -> list[tuple[str, str]]:
    return [fingerprint(made) for made in SceneSource().make(specs, seed=5)]


words = sorted(entry.name for entry in catalog.CATALOG.values())
sprawling = st.builds(
    ObjectSpec,
    category=st.sampled_from(words),
    count=st.integers(1, 4),
    colour=st.sampled_from(["", "red", "blue"]),
    size=st.sampled_from(["", "small", "large"]),
    hard=st.sampled_from([(), ("small",), ("occluded",), ("truncated",), ("low_contrast",)]),
)
specs = st.builds(
    SceneSpec,
    id=st.text("abc", min_size=1, max_size=4),
    objects=st.lists(sprawling, min_size=1, max_size=3).map(tuple),
    environment=st.sampled_from(["", "street", "kitchen", *atlas.ENVIRONMENTS]),
    absent=st.lists(st.sampled_from(words), max_size=2).map(tuple),
    width=st.sampled_from([256, 512]),
    height=st.sampled_from([256, 384]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(specs, st.integers(0, 3))
def test_any_spec_is_met_or_refused(spec, seed):
    [made] = SceneSource().make([spec], seed=seed)
    if isinstance(made, Rejection):
        assert made.item == spec.id
        assert made.reason
        return
    check(made)
    assert (made.width, made.height) == (spec.width, spec.height) == Image.open(io.BytesIO(made.image)).size
    for thing in spec.objects:
        name = catalog.find(thing.category).name
        asked = sum(other.count for other in spec.objects if catalog.find(other.category).name == name)
        assert sum(found.category == name for found in made.objects) == asked
    for word in spec.absent:
        name = catalog.find(word).name
        assert name in made.known - made.categories()
    asked_hard = [hard for thing in spec.objects for _ in range(thing.count) for hard in thing.hard]
    assert sorted(asked_hard) == sorted(hard for each in made.provenance["hard"] for hard in each)


def test_random_scenes_pass_the_checker():
    made = list(SceneSource().make([random_spec(2, "checker", i) for i in range(60)], seed=2))
    scenes = [scene for scene in made if isinstance(scene, Scene)]
    assert len(scenes) >= 55
    for scene in scenes:
        check(scene)


def test_the_checker_finds_a_wrong_box():
    [scene] = SceneSource().make([SceneSpec("s", (ObjectSpec("car"),))], seed=1)
    wrong = dataclasses.replace(scene.objects[0], box=(0.0, 0.0, 5.0, 5.0))
    with pytest.raises(AssertionError):
        check(dataclasses.replace(scene, objects=(wrong,)))


def test_scenes_are_the_same_in_any_order_and_in_any_process():
    specs = [random_spec(4, "twice", i) for i in range(12)]
    once = fingerprints(specs)
    assert fingerprints(specs[::-1])[::-1] == once
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        halves = list(pool.map(fingerprints, [specs[:6], specs[6:]]))
    assert halves[0] + halves[1] == once


def test_a_car_has_windows_but_a_window_has_no_car() -> None:
    known, countable = known_words(["car"], ["street", "window", "building"])
    assert {"car"} <= countable
    assert "window" not in countable
    known, _ = known_words(["car"], [])
    assert not {"window", "tire", "door"} & known
    known, _ = known_words([], ["window", "wall", "floor"])
    assert "car" in known
