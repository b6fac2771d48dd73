"""Detection in generated images: search words, detector phrases, verdicts and attributes.

A word is searched for by its name and one synonym ("couch, sofa"). The search words depend only on the image's own
concepts, not on which other images were accepted, so a different filter does not change the detector's inputs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from vhbench.files import read_image
from vhbench.generators.ode import attribute_checks, filtering, place_checks, prompts
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.environments import DEFAULT, Wording
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.generators.ode.prompts import ImagePlan, SourceVocabulary
from vhbench.generators.ode.questions import AttributeClaim
from vhbench.language import synonyms
from vhbench.protocols import Detection, Detector, Verifier
from vhbench.schema import Rejection, Scene, SceneSpec, iou
from vhbench.seeding import rng

PHRASES = 2  # maximum number of detector phrases per object

Seen = tuple[Scene, tuple[AttributeClaim, ...]] | Rejection


@dataclass(frozen=True)
class DetectionModels:
    """Models that label images without exact ground truth."""

    detector: Detector
    verifier: Verifier | None = None  # None without attribute questions or with a trusted prompt
    thresholds: DetectionThresholds = field(default_factory=DetectionThresholds)
    beliefs: VerifierThresholds = field(default_factory=VerifierThresholds)
    words: int = 40  # number of words to detect per image
    trust_prompt: bool = False  # accept the prompt as ground truth

    def phrases(self, word: str) -> list[str]:
        """Return the detector phrases of a word; none if the detector supports none."""
        return [phrase for phrase in (word, *synonyms.synonyms_of(word)) if self.detector.knows(phrase)][:PHRASES]

    def meanings(self, words: Sequence[str]) -> dict[str, str]:
        """Return phrase → word for detection.

        A phrase that is itself one of the words means only that word ("rock" next to "stone"). An ambiguous phrase
        means the first word. A word without phrases is not searched for.
        """
        by_phrase: dict[str, str] = {}
        for word in words:
            for phrase in self.phrases(word):
                if phrase == word or phrase not in words:
                    by_phrase.setdefault(phrase, word)
        return by_phrase

    def look(
        self, scenes: Sequence[tuple[SceneSpec, Scene]], queries: Sequence[Sequence[str]], words: Wording = DEFAULT
    ) -> list[Seen]:
        """Return the ground truth of each image, with the words to detect in it, or the reason for its rejection."""
        images = [read_image(scene.image) for _, scene in scenes]
        phrases = [self.meanings(each) for each in queries]
        places = place_checks.judge(
            [spec.environment for spec, _ in scenes], images, self.verifier, self.beliefs, words
        )
        per_image = self.detector.detect(images, [list(each) for each in phrases]) if images else []
        judged = [
            filtering.judge(
                scene, spec, _named(detections, each), list(dict.fromkeys(each.values())), self.thresholds, place
            )
            for (spec, scene), detections, each, place in zip(scenes, per_image, phrases, places, strict=True)
        ]
        indices = [i for i, result in enumerate(judged) if isinstance(result, Scene)]
        sure = [(judged[i], scenes[i][0]) for i in indices]
        seen = iter(self._attributes(sure, [images[i] for i in indices], words))  # type: ignore[arg-type]
        return [next(seen) if isinstance(result, Scene) else result for result in judged]

    def _attributes(
        self, scenes: Sequence[tuple[Scene, SceneSpec]], images: Sequence[bytes], words: Wording
    ) -> list[tuple[Scene, tuple[AttributeClaim, ...]]]:
        if self.trust_prompt:
            return [attribute_checks.trust_prompt(scene, spec, words) for scene, spec in scenes]
        if self.verifier is None:
            return [(scene, ()) for scene, _ in scenes]
        return attribute_checks.verify_attributes(scenes, images, self.verifier, self.beliefs, words)


def words_for(
    case: ImagePlan,
    graph: ConceptGraph,
    world: SourceVocabulary,
    elsewhere: Sequence[str],
    eyes: DetectionModels,
    *,
    seed: int,
) -> list[str]:
    """Return the words to detect in an image: the targets and what co-occurs with them most; the rest are random.

    Up to half are targets of other images (``elsewhere``), accepted or not, which can then be absent objects here.
    """
    names = {word: world.name(word) for word in graph}
    targets = prompts.targets(case, world)
    weights = filtering.company(graph, case.concepts, names)
    ranked = sorted(weights, key=lambda word: (-weights[word], word))
    every = sorted(set(names.values()))
    random = rng(seed, "ode", "detector words", case.id)
    spare = [every[i] for i in random.permutation(len(every))]
    half = eyes.words // 2
    words = [*targets, *ranked[:half], *elsewhere[: eyes.words - half], *ranked[half:], *spare]
    known = [word for word in dict.fromkeys(words) if word in targets or eyes.phrases(word)]
    return known[: max(eyes.words, len(targets))]


def _named(detections: Sequence[Detection], phrases: Mapping[str, str]) -> list[Detection]:
    """Return detections by word, keeping the most confident of boxes for one object."""
    unique: list[Detection] = []
    for one in sorted(detections, key=lambda d: (-d.score, d.category, d.box)):
        named = replace(one, category=phrases[one.category])
        rivals = [other for other in unique if other.category == named.category]
        if all(iou(named.box, other.box) <= filtering.SAME for other in rivals):
            unique.append(named)
    return unique
