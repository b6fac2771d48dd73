"""Which generated images are accepted, and what is then known of them: every threshold on both sides."""

from dataclasses import replace
from math import inf

import pytest

from vhbench.generators.ode import calibrating, concept_graph, filtering
from vhbench.generators.ode.filtering import DetectionThresholds, judge
from vhbench.generators.ode.place_checks import PlaceVerdict
from vhbench.protocols import Detection
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError

LIMITS = DetectionThresholds(keep=0.6, absent=0.2, environment=0.3, environment_share=0.25, overlap=0.7)
WORDS = ("dog", "cat", "kite", "boat", "beach")
BLANK = Scene("s", b"image", 100, 100, (), provenance={"prompt": "a dog"})
DOG, CAT = Detection("dog", 0.6, (0, 0, 20, 20)), Detection("cat", 0.9, (50, 50, 20, 30))
BEACH = Detection("beach", 0.3, (0, 0, 50, 50))


def judged(*found: Detection, environment: str = "", place: PlaceVerdict | None = None) -> Scene | Rejection:
    spec = SceneSpec("s", (ObjectSpec("dog"), ObjectSpec("cat")), environment)
    return judge(BLANK, spec, found, WORDS, LIMITS, place)


def scene(*found: Detection, **options) -> Scene:
    made = judged(*found, **options)
    assert isinstance(made, Scene)
    return made


def test_what_is_found_with_confidence_is_true_and_what_is_not_found_is_absent() -> None:
    made = scene(DOG, CAT)
    assert [(o.id, o.category, o.box, o.area) for o in made.objects] == [
        (1, "cat", (50, 50, 20, 30), 600),
        (2, "dog", (0, 0, 20, 20), 400),
    ]
    assert made.known == made.countable == {*WORDS}
    assert (made.environment, made.areas) == ("", ())
    assert made.provenance == {"prompt": "a dog", "scores": {"dog": 0.6, "cat": 0.9}}


def test_both_targets_must_be_found() -> None:
    made = judged(CAT, replace(DOG, score=0.59999))
    assert isinstance(made, Rejection)
    assert (made.item, made.reason) == ("s", "target not detected")
    assert made.detail == {"word": "dog", "scores": {"dog": 0.6, "cat": 0.9}}  # rounded
    assert judged(DOG).detail == {"word": "cat", "scores": {"dog": 0.6, "cat": 0.0}}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("score", "shown", "known", "counted"),
    [(0.6, True, True, True), (0.59, False, False, False), (0.2, False, False, False), (0.19, False, True, True)],
)
def test_what_lies_between_the_thresholds_is_unknown(score: float, shown: bool, known: bool, counted: bool) -> None:
    made = scene(DOG, CAT, Detection("kite", score, (0, 60, 20, 20)))
    assert ("kite" in made.categories()) is shown
    assert ("kite" in made.known) is known
    assert ("kite" in made.countable) is counted
    assert "boat" in made.known


def test_the_number_of_what_is_seen_again_without_confidence_is_unknown() -> None:
    made = scene(DOG, CAT, Detection("dog", 0.5, (60, 0, 20, 20)))
    assert ("dog" in made.known, "dog" in made.countable, len(made.objects)) == (True, False, 2)
    made = scene(DOG, CAT, Detection("dog", 0.19, (60, 0, 20, 20)))
    assert "dog" in made.countable


@pytest.mark.parametrize(("x", "counted"), [(10, False), (11, True)])
def test_boxes_that_overlap_cannot_be_counted(x: float, counted: bool) -> None:
    """Two of 20: at 10 they share 10 of 30, at 11 they share 9 of 31; 0.3 is too much."""
    made = scene(DOG, CAT, replace(DOG, box=(x, 0, 20, 20)))
    assert len(made.objects) == 3
    assert ("dog" in made.countable) is counted
    assert "cat" in made.countable


def test_one_object_has_one_box_and_the_target_goes_first() -> None:
    """Boxes of 20 and 14 of its columns share 0.7, which is allowed, and 15 columns are too many."""
    kite = Detection("kite", 1.0, (0, 0, 14, 20))
    assert {o.category for o in scene(DOG, CAT, kite).objects} == {"dog", "cat", "kite"}
    made = scene(DOG, CAT, replace(kite, box=(0, 0, 15, 20)))
    assert {o.category for o in made.objects} == {"dog", "cat"}
    assert "kite" not in made.known  # the detector saw it
    again = [replace(CAT, score=0.8, box=(50, 50, 20, 29)), CAT]
    assert [o.box for o in scene(DOG, *again).objects if o.category == "cat"] == [CAT.box]


@pytest.mark.parametrize(
    ("found", "fits"),
    [
        (BEACH, True),
        (replace(BEACH, score=0.29), False),
        (replace(BEACH, box=(0, 0, 50, 49)), False),
        (replace(BEACH, category="boat"), False),
    ],
)
def test_a_place_is_a_large_box_of_it(found: Detection, fits: bool) -> None:
    made = judged(DOG, CAT, found, environment="beach")
    assert isinstance(made, Scene) is fits
    if isinstance(made, Scene):
        assert (made.environment, made.areas) == ("beach", ("beach",))
        assert made.provenance["scores"] == {"dog": 0.6, "cat": 0.9, "beach": 0.3}
        assert "beach" in made.known
        assert len(made.objects) == 2  # a place is no object
    else:
        assert made.reason == "place not recognized"
        assert made.detail["word"] == "beach"


def test_a_verifier_may_judge_the_place() -> None:
    verdict = PlaceVerdict(True, 0.77, frozenset({"street", "dog"}))
    made = scene(DOG, CAT, environment="beach", place=verdict)
    assert made.provenance["scores"] == {"dog": 0.6, "cat": 0.9, "beach": 0.77}
    assert made.known == {*WORDS, "street"}
    refused = judged(DOG, CAT, BEACH, environment="beach", place=replace(verdict, present=False))
    assert isinstance(refused, Rejection)
    assert refused.detail == {"word": "beach", "scores": {"dog": 0.6, "cat": 0.9, "beach": 0.77}}


def test_what_is_easily_confused_with_what_is_shown_is_unknown() -> None:
    spec = SceneSpec("s", (ObjectSpec("panda"),))
    made = judge(BLANK, spec, [Detection("panda", 0.9, (0, 0, 9, 9))], ("panda", "bear", "cat"), LIMITS)
    assert isinstance(made, Scene)
    assert made.known == {"panda", "cat"}


def test_words_have_thresholds_of_their_own() -> None:
    limits = replace(LIMITS, words={"dog": (0.9, 0.1), "cat": (calibrating.NEVER, 0.3)})
    assert [limits.of(word) for word in ("dog", "cat", "kite")] == [(0.9, 0.1), (inf, 0.3), (0.6, 0.2)]
    assert replace(LIMITS, keep=1.0).of("dog") == (1.0, 0.2)  # a general one of 1 can be reached
    for options in ({"keep": 1.01}, {"absent": -0.01}, {"environment": 2}, {"overlap": -1}, {"absent": 0.61}):
        with pytest.raises(VhbenchError, match=f"threshold {next(iter(options))}: expected"):
            replace(LIMITS, **options)
    assert replace(LIMITS, absent=0.6).absent == 0.6
    assert DetectionThresholds() == DetectionThresholds(0.65, 0.2, 0.3, 0.2, 0.7)


CONCEPTS = {"dog": "entity", "cat": "entity", "kite": "entity", "boat": "entity", "beach": "environment"}
CONCEPTS |= {"street": "environment", "kitchen": "environment", "forest": "environment"}
EDGES = {
    ("cat", "dog"): 9, ("dog", "kite"): 2, ("boat", "dog"): 5, ("boat", "cat"): 7, ("cat", "kite"): 8,
    ("beach", "dog"): 4, ("dog", "street"): 6, ("cat", "kitchen"): 3,
}  # fmt: skip
GRAPH = concept_graph.assemble(CONCEPTS, EDGES, where="test")
NAMES = {word: word for word in CONCEPTS}


def test_names_are_sorted_by_their_greatest_number() -> None:
    assert filtering.company(GRAPH, ["dog", "cat"], NAMES) == {
        "cat": 9, "dog": 9, "kite": 8, "boat": 7, "beach": 4, "street": 6, "kitchen": 3,
    }  # fmt: skip
    assert filtering.company(GRAPH, ["unheard of"], NAMES) == {}
    others = ["forest", "boat", "kite", "boat"]
    assert filtering.ranked(GRAPH, ["dog"], others, NAMES) == ["boat", "kite", "forest"]
    assert filtering.ranked(GRAPH, ["dog", "cat"], others, NAMES) == ["kite", "boat", "forest"]


def test_each_concept_suggests_what_is_absent_in_turn() -> None:
    known = replace(scene(DOG, CAT), known=frozenset(CONCEPTS) - {"street"})
    objects, places = filtering.likely_hallucinations(GRAPH, ["dog", "cat"], known, NAMES, seed=0)
    assert objects == ["boat", "kite"]  # of the dog, of the cat; then each other's second
    assert places[:2] == ["beach", "kitchen"]
    assert len(places) == 2
    imagined = concept_graph.assemble(CONCEPTS, {("dog", "kite"): 1}, where="test")
    objects, _ = filtering.likely_hallucinations(GRAPH, ["dog"], known, NAMES, seed=0, imagined=imagined)
    assert objects == ["boat", "kite"]
    objects, places = filtering.likely_hallucinations(GRAPH, ["forest"], known, NAMES, seed=0)
    assert (sorted(objects), len(places), "street" in places) == (["boat", "kite"], 2, False)  # at random
