"""What is asked about attributes of images that models made: what was prompted, once it is seen, and its contraries."""

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from perfect_models import PerfectDetector, PerfectPainter, PerfectVerifier
from PIL import Image

from vhbench.builds.ode_source_vocabulary import OpenWorld
from vhbench.colours import COLOURS
from vhbench.generators.ode import attribute_checks, attribute_contraries, attribute_words, graph_sources, questions
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.questions import AttributeClaim
from vhbench.generators.ode.shards import Recipe, Share, make
from vhbench.schema import ObjectSpec, Question, Rejection, Row, Scene, SceneObject, SceneSpec, VhbenchError
from vhbench.tasks import text_only


def picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (100, 80), "white").save(file, "PNG")
    return file.getvalue()


SPEC = SceneSpec(
    "s", (ObjectSpec("cat", action="sleeping"), ObjectSpec("door", colour="red", state="open")), "beach", "sunny"
)
SCENE = Scene(
    "s", picture(), 100, 80, environment="beach",
    objects=(SceneObject(1, "cat", (10, 10, 20, 20), 400), SceneObject(2, "door", (50, 10, 30, 60), 1800)),
)  # fmt: skip


class Saying:
    """Gives each text a share of its own, and everything else the rest."""

    name = "saying"

    def __init__(self, **shares: float) -> None:
        self.shares = shares
        self.asked: list[list[str]] = []
        self.sizes: list[tuple[int, int]] = []

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        self.asked = [list(each) for each in texts]
        self.sizes = [Image.open(io.BytesIO(image)).size for image in images]
        return [
            [max((v for k, v in self.shares.items() if k in text), default=0.01) for text in each] for each in texts
        ]


def test_each_attribute_is_weighed_on_its_things_own_part_of_the_picture() -> None:
    verifier = Saying(sleeping=0.9, red=0.5, open=0.85, running=0.2, sunny=0.95)
    [(scene, claims)] = attribute_checks.verify_attributes(
        [(SCENE, SPEC)], [SCENE.image], verifier, VerifierThresholds()
    )  # type: ignore[list-item]
    assert [texts[0] for texts in verifier.asked] == [
        "a photo of a cat sleeping", "a photo of a red door", "a photo of an open door", "a photo of a sunny beach",
    ]  # fmt: skip
    assert verifier.sizes == [(24, 24), (36, 72), (36, 72), (100, 80)]
    assert [(c.about, c.value) for c in claims] == [("cat", "sleeping"), ("door", "open"), ("beach", "sunny")]
    assert "running" not in claims[0].noes, "the verifier does not exclude it"
    assert claims[1].noes == ("closed",)
    assert dict(scene.objects[1].attributes) == {"opening": "open"}
    assert scene.environment_state == "sunny"


def test_each_kind_has_its_own_threshold() -> None:
    limits = VerifierThresholds(kinds={"action": 0.95})
    made = attribute_checks.verify_attributes([(SCENE, SPEC)], [SCENE.image], Saying(sleeping=0.9, open=0.9), limits)  # type: ignore[list-item]
    assert [claim.value for claim in made[0][1]] == ["open"]
    with pytest.raises(VhbenchError, match=r"threshold action: expected a number from 0 to 1"):
        VerifierThresholds(kinds={"action": 2})


def test_a_trusted_prompt_is_asked_about_with_its_states() -> None:
    scene, claims = attribute_checks.trust_prompt(SCENE, SPEC)
    assert [claim.value for claim in claims] == ["sleeping", "red", "open", "sunny"]
    assert dict(scene.objects[1].attributes) == {"colour": "red", "opening": "open"}


def test_every_class_of_words_has_contraries() -> None:
    said = {found.text: found.kind for found in attribute_words.WORDS.values() if found.text}
    covered = Counter(kind for value, kind in said.items() if attribute_contraries.of(value))
    every = Counter(said.values())
    assert set(covered) == set(attribute_words.KINDS) - {"number", "unusable"}
    assert sum(covered.values()) / sum(every.values()) > 0.9
    for value in said:
        for other in attribute_contraries.of(value):
            colours = {value, other} & set(COLOURS)
            assert colours or value in attribute_contraries.of(other), (
                f"{value} excludes {other}, and not the other way"
            )


@pytest.fixture(scope="module")
def asked(reference: Path) -> tuple[list[Question], int]:
    """Return questions about AMBER's concepts, all painted, found and verified; and how many images of a criterion."""
    sources = (f"amber:{reference / 'AMBER'}",)
    graph = graph_sources.merged(sources)
    eyes = DetectionModels(PerfectDetector(), PerfectVerifier())
    imagined = graph_sources.hallucinations_of(sources)
    recipe = Recipe(graph, OpenWorld(graph), PerfectPainter(), eyes, imagined, seed=6, size=256)
    shares = [Share(c, p, 20, 0, 2) for c in ("standard", "long_tail", "random", "fictional") for p in ("ee", "ev")]
    items = [item for share in shares for item in make(recipe, share)]
    assert sum(isinstance(item, Scene) for item in items) == 4 * 40
    return [item.question for item in items if isinstance(item, Row)], 40


def test_attributes_that_were_prompted_and_verified_are_asked_about(asked: tuple[list[Question], int]) -> None:
    found, images = asked
    attributes = [question for question in found if question.task == "attribute"]
    for criterion, number in Counter(question.criterion for question in attributes).items():
        assert number >= 5 * images, criterion
    told = Counter((q.question_type, q.answer) for q in attributes)
    for kind in ("state", "action", "number"):
        assert told[kind, "yes"] == told[kind, "no"] > 0, told


def test_words_alone_reach_little_on_generated_images(asked: tuple[list[Question], int]) -> None:
    rows = [question for question in asked[0] if question.answer]
    guesses = text_only.guess(rows, lambda questions: [q.scene_ids[0] for q in questions])
    assert guesses is not None
    cells = {**guesses.by(("criterion",)), **guesses.by(("criterion", "task"))}
    floors = {cell: guesses.floor(places) for cell, places in cells.items()}
    assert max(floor.value for floor in floors.values() if floor is not None) <= 0.6


def test_the_best_of_some_images_is_kept(reference: Path) -> None:
    class Doubtful(PerfectDetector):
        def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[object]]:  # type: ignore[override]
            found = super().detect(images, words)
            return [
                [replace(d, score=0.7 + len(image) % 20 / 100) for d in each]
                for image, each in zip(images, found, strict=True)
            ]

    graph = graph_sources.merged(("starter",))
    recipe = Recipe(graph, OpenWorld(graph), PerfectPainter(), DetectionModels(Doubtful()), best_of=3, size=128)
    items = list(make(recipe, Share("standard", "ee", 2)))
    kept = [item for item in items if isinstance(item, Scene)]
    others = [item for item in items if isinstance(item, Rejection) and "attempt" in item.detail]
    assert (len(kept), [r.reason for r in others]) == (2, ["another image scored higher"] * 4)
    for scene in kept:
        mine = [r for r in others if r.item.startswith(scene.id.rsplit("-", 1)[0])]
        assert all(min(scene.provenance["scores"].values()) >= min(r.detail["scores"].values()) for r in mine)


SKIES = {"Is it night in the image?", "Is it a sunny day in the image?", "Is the sky overcast in the image?"}


@pytest.mark.parametrize("value", sorted({found.text for found in attribute_words.WORDS.values() if found.text}))
def test_what_is_right_is_never_taken_from_the_contraries(value: str) -> None:
    tree = SceneObject(1, "tree", (0, 0, 9, 9), 81)
    noes = attribute_contraries.of(value)
    for about, objects in (("tree", (tree,)), ("beach", ())):
        scene = Scene("s", b"", 9, 9, objects, environment="beach", environment_state="" if objects else value)
        claim = AttributeClaim(about, attribute_words.kind_of(value), value, noes)
        for choice in questions._claimed(scene, claim):
            assert choice.word not in noes
            assert value in choice.yes or choice.yes in SKIES


def test_several_do_it_for_themselves() -> None:
    dogs = tuple(SceneObject(i, "dog", (0, 0, 9, 9), 81) for i in (1, 2))
    scene = Scene("s", b"", 9, 9, dogs)
    claim = AttributeClaim("dog", "posture", "raising its head", ("lowering its head",))
    [choice] = questions._claimed(scene, claim)
    assert choice.yes == "Are the two dogs in the image raising their heads?"
    assert list(choice.noes.values()) == ["Are the two dogs in the image lowering their heads?"]


def test_what_a_night_sky_may_also_be_is_not_asked_as_wrong() -> None:
    scene = Scene("s", b"", 9, 9, (), environment="beach", environment_state="night")
    claim = AttributeClaim("beach", "weather", "at night", attribute_contraries.of("at night"))
    [choice] = questions._claimed(scene, claim)
    assert (choice.yes, list(choice.noes)) == ("Is it night in the image?", ["sunny"])


@pytest.mark.parametrize(("word", "other"), [("stone", "rock"), ("railing", "handrail"), ("baggage", "luggage")])
def test_a_thing_is_found_though_another_name_for_it_is_looked_for_too(word: str, other: str) -> None:
    spec = SceneSpec("s", (ObjectSpec("dog"), ObjectSpec(word)), width=128, height=128)
    [made] = PerfectPainter().make([spec], seed=0)
    [seen] = DetectionModels(PerfectDetector()).look([(spec, made)], [["dog", word, "cat", other]])
    assert isinstance(seen, tuple), seen
    assert seen[0].categories() == {"dog", word}
    assert "cat" in seen[0].known
    assert other not in seen[0].known


def test_what_is_known_by_anothers_name_alone_is_not_absent() -> None:
    class Closed(PerfectDetector):
        def knows(self, word: str) -> bool:
            return word in ("dog", "suitcase")

    spec = SceneSpec("s", (ObjectSpec("dog"),), width=128, height=128)
    [made] = PerfectPainter().make([spec], seed=0)
    [seen] = DetectionModels(Closed()).look([(spec, made)], [["dog", "baggage", "luggage"]])
    assert isinstance(seen, tuple)
    assert seen[0].known == {"dog", "baggage"}
