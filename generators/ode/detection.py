"""What is in images that models made: the detector's words, its phrases, its verdict, and the attributes.

A word is looked for by its name and another word for it ("couch, sofa"), so that what people call by either is found.
For which words the detector looks depends on the picture's concepts alone, and not on which other pictures were kept:
another filter asks nothing anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from vhbench.files import read_image
from vhbench.generators.ode import attribute_checks, filtering, prompts
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.generators.ode.prompts import ImagePlan, World
from vhbench.generators.ode.questions import AttributeClaim
from vhbench.language import synonyms
from vhbench.protocols import Detection, Detector, Verifier
from vhbench.schema import Rejection, Scene, SceneSpec, iou
from vhbench.seeding import rng

PHRASES = 2
"""How many words for one thing a detector is asked for."""

Seen = tuple[Scene, tuple[AttributeClaim, ...]] | Rejection


@dataclass(frozen=True)
class Eyes:
    """What looks at images whose truth is not exact.

    Attributes:
        detector: finds things.
        verifier: weighs attributes; None where none are asked about, or the prompt is trusted.
        thresholds: when the detector is believed.
        beliefs: when the verifier is.
        words: how many words the detector is asked for in each image.
        trust_prompt: take what was prompted for true.
    """

    detector: Detector
    verifier: Verifier | None = None
    thresholds: DetectionThresholds = field(default_factory=DetectionThresholds)
    beliefs: VerifierThresholds = field(default_factory=VerifierThresholds)
    words: int = 40
    trust_prompt: bool = False

    def phrases(self, word: str) -> list[str]:
        """Return by which phrases a word is looked for; none where the detector does not know any."""
        return [phrase for phrase in (word, *synonyms.same_as(word)) if self.detector.knows(phrase)][:PHRASES]

    def meanings(self, words: Sequence[str]) -> dict[str, str]:
        """Return by which phrases words are looked for, and which word each means.

        What is itself among the words means that and no other one ("rock" beside "stone"); what could mean two of
        them means the first. A word for which nothing is left is not looked for.
        """
        found: dict[str, str] = {}
        for word in words:
            for phrase in self.phrases(word):
                if phrase == word or phrase not in words:
                    found.setdefault(phrase, word)
        return found

    def look(self, made: Sequence[tuple[SceneSpec, Scene]], asked: Sequence[Sequence[str]]) -> list[Seen]:
        """Return each image's truth, or why it is no use.

        Args:
            made: images without truth, each with what it was to show.
            asked: for each image the words that are looked for.
        """
        images = [read_image(scene.image) for _, scene in made]
        phrases = [self.meanings(words) for words in asked]
        found = self.detector.detect(images, [list(each) for each in phrases]) if images else []
        judged = [
            filtering.judge(scene, spec, _named(detections, each), list(dict.fromkeys(each.values())), self.thresholds)
            for (spec, scene), detections, each in zip(made, found, phrases, strict=True)
        ]
        kept = [i for i, result in enumerate(judged) if isinstance(result, Scene)]
        seen = iter(self._attributes([(judged[i], made[i][0]) for i in kept], [images[i] for i in kept]))  # type: ignore[misc]
        return [next(seen) if isinstance(result, Scene) else result for result in judged]

    def _attributes(
        self, kept: Sequence[tuple[Scene, SceneSpec]], images: Sequence[bytes]
    ) -> list[tuple[Scene, tuple[AttributeClaim, ...]]]:
        if self.trust_prompt:
            return [attribute_checks.believed(scene, spec) for scene, spec in kept]
        if self.verifier is None:
            return [(scene, ()) for scene, _ in kept]
        return attribute_checks.verified(kept, images, self.verifier, self.beliefs)


def words_for(
    case: ImagePlan, graph: ConceptGraph, world: World, elsewhere: Sequence[str], eyes: Eyes, *, seed: int
) -> list[str]:
    """Return the words that are looked for in a picture: the targets, and what goes with them most often.

    Up to half are what other pictures had to show, which can then be asked as absent here.

    Args:
        case: the picture.
        graph: the concept graph.
        world: what the image source can show.
        elsewhere: the targets of the share's other pictures, whether they were kept or not.
        eyes: what looks, and for how many words.
        seed: decides what fills up.
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


def _named(found: Sequence[Detection], phrases: Mapping[str, str]) -> list[Detection]:
    """Return detections under their words; of boxes of one word that show one thing, the most confident."""
    kept: list[Detection] = []
    for one in sorted(found, key=lambda d: (-d.score, d.category, d.box)):
        named = replace(one, category=phrases[one.category])
        rivals = [other for other in kept if other.category == named.category]
        if all(iou(named.box, other.box) <= filtering.SAME for other in rivals):
            kept.append(named)
    return kept
