"""Ground truth of generated images, and their likely hallucinations (ODE §3.3).

Images with exact ground truth need no filter. For others, a detector decides: an image is accepted if both targets are
detected with confidence. All other confident detections become ground truth too. Detections between the presence and
absence thresholds are removed from ``known``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vhbench.generators import scenes
from vhbench.generators.ode import calibrating, concept_graph
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.environments import SETTINGS
from vhbench.generators.ode.place_checks import PlaceVerdict
from vhbench.language import synonyms
from vhbench.protocols import Detection
from vhbench.schema import Rejection, Scene, SceneObject, SceneSpec, VhbenchError, iou
from vhbench.seeding import rng

SAME = 0.5  # IoU above which two boxes of one word are duplicates from two phrases
_LIKELY = 5  # number of objects listed as likely hallucinations
PLACES = 2  # number of places listed as likely hallucinations


@dataclass(frozen=True, slots=True)
class DetectionThresholds:
    """Presence and absence thresholds of a detector."""

    keep: float = 0.65  # confidence from which an object is present (the paper's value); both targets must reach it
    absent: float = 0.2  # confidence below which an object counts as absent; in between, it is unknown
    environment: float = 0.3  # confidence from which the environment counts as present; detectors score places lower
    environment_share: float = 0.2  # minimum fraction of the image that the environment's box covers
    overlap: float = 0.7  # IoU above which two boxes show one object
    words: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # word → its own (keep, absent), calibrated

    def of(self, word: str) -> tuple[float, float]:
        """Return a word's (keep, absent); ``keep`` is infinite for a word that is never accepted."""
        keep, absent = self.words.get(word, (self.keep, self.absent))
        return calibrating.reached(keep) if word in self.words else keep, absent

    def __post_init__(self) -> None:
        for name in ("keep", "absent", "environment", "environment_share", "overlap"):
            if not 0 <= getattr(self, name) <= 1:
                raise VhbenchError(f"threshold {name}: expected a number from 0 to 1, got {getattr(self, name)}")
        if self.absent > self.keep:
            raise VhbenchError(f"threshold absent: expected at most keep = {self.keep}, got {self.absent}")


def judge(
    scene: Scene,
    spec: SceneSpec,
    detections: Sequence[Detection],
    words: Sequence[str],
    limits: DetectionThresholds,
    place: PlaceVerdict | None = None,
) -> Scene | Rejection:
    """Return a scene with the detected ground truth, or the reason for its rejection.

    ``detections`` of the given words are all, confident or not; without a verdict on the place, its box is looked for.
    """
    best = {word: max((d.score for d in detections if d.category == word), default=0.0) for word in words}
    scores = {word: round(best.get(word, 0.0), 4) for word in (*(o.category for o in spec.objects), spec.environment)}
    scores.pop("", None)
    if place:
        scores[spec.environment] = place.score
    for thing in spec.objects:
        if best.get(thing.category, 0.0) < limits.of(thing.category)[0]:
            return Rejection(scene.id, "target not detected", {"word": thing.category, "scores": scores})
    if spec.environment and not (place.present if place else _fills(scene, spec.environment, detections, limits)):
        return Rejection(scene.id, "place not recognized", {"word": spec.environment, "scores": scores})
    things = [d for d in detections if d.score >= limits.of(d.category)[0] and d.category != spec.environment]
    unique = _one_each(things, frozenset(o.category for o in spec.objects), limits)
    objects = tuple(SceneObject(i + 1, d.category, d.box, d.box[2] * d.box[3]) for i, d in enumerate(unique))
    present = {d.category for d in unique} | ({spec.environment} - {""})
    doubtful = {word for word, score in best.items() if score >= limits.of(word)[1]} - present
    doubtful |= {word for word in words if word not in present and related(word, present)}
    known = frozenset(words) - doubtful
    if place:
        known = known - SETTINGS.keys() | place.absent - present | {spec.environment}
    return replace(
        scene,
        objects=objects,
        environment=spec.environment,
        areas=(spec.environment,) if spec.environment else (),
        known=known,
        countable=frozenset(word for word in known if _clear_number(word, unique, detections, limits)),
        provenance={**scene.provenance, "scores": scores},
    )


def related(word: str, others: Iterable[str]) -> bool:
    """Return whether one of two names includes the other or they are easily confused.

    A child is a person and a panda a bear, in synthetic scenes as well as in others.

    >>> related("child", ["person"]), related("bear", ["panda"]), related("dog", ["cat"]), related("puppy", ["dog"])
    (True, True, False, True)
    """
    own = scenes.readable(word)
    return any(
        other != word and (scenes.clash(own, [scenes.readable(other)]) or synonyms.related(word, other))
        for other in others
    )


def likely_hallucinations(
    graph: ConceptGraph,
    words: Sequence[str],
    scene: Scene,
    names: Mapping[str, str],
    *,
    seed: int,
    imagined: "ConceptGraph | None" = None,
) -> tuple[list[str], list[str]]:
    """Return objects and places that co-occur with the graph's words of an image but are known to be absent.

    The most likely come first. Each word contributes its neighbours in turn, by co-occurrence, so all are represented;
    observed hallucinations given a word (``imagined``) alternate with the graph's. If these are too few, other known
    words follow at random. ``names`` maps the graph's words to the scene's.
    """
    known_absent, kinds = scene.known - scene.categories(), concept_graph.kinds(graph)
    random = rng(seed, "ode", "likely", scene.id)
    lists = []
    for kind, limit in (("entity", _LIKELY), ("environment", PLACES)):
        absent = known_absent & concept_graph.wording(graph).settings.keys() if kind == "environment" else known_absent
        queues = [
            [names[other] for other in _neighbours(source, word, kinds, kind) if names[other] in absent]
            for word in words
            for source in (graph, imagined)
            if source is not None and word in source
        ]
        turns = [queue[turn] for turn in range(limit) for queue in queues if turn < len(queue)]
        others = sorted({names[w] for w, k in kinds.items() if k == kind} & absent)
        spare = [others[i] for i in random.permutation(len(others))]
        lists.append(list(dict.fromkeys([*turns, *spare]))[:limit])
    return lists[0], lists[1]


def ranked(graph: ConceptGraph, words: Sequence[str], others: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Return other names sorted by co-occurrence with the graph's words of an image, highest first."""
    weights = company(graph, words, names)
    return sorted(dict.fromkeys(others), key=lambda name: -weights[name])


def company(graph: ConceptGraph, words: Sequence[str], names: Mapping[str, str]) -> Counter[str]:
    """Return the names that co-occur with any of the words, and their maximum counts."""
    weights: Counter[str] = Counter()
    for word in words:
        for other, data in graph[word].items() if word in graph else ():
            weights[names[other]] = max(weights[names[other]], data["weight"])
    return weights


def _neighbours(source: ConceptGraph, word: str, kinds: Mapping[str, str], kind: str) -> list[str]:
    """Return a word's neighbours of one kind, most frequent first."""
    others = ((-data["weight"], other) for other, data in source[word].items() if kinds.get(other) == kind)
    return [other for _, other in sorted(others)]


def _fills(scene: Scene, environment: str, detections: Sequence[Detection], limits: DetectionThresholds) -> bool:
    least = limits.environment_share * scene.width * scene.height
    return any(
        d.category == environment and d.score >= limits.environment and d.box[2] * d.box[3] >= least for d in detections
    )


def _one_each(things: Sequence[Detection], targets: frozenset[str], limits: DetectionThresholds) -> list[Detection]:
    """Keep one detection per object: a target first, then the most confident."""
    ranked = sorted(things, key=lambda d: (d.category not in targets, -d.score, d.category, d.box))
    unique: list[Detection] = []
    for thing in ranked:
        if all(iou(thing.box, other.box) <= limits.overlap for other in unique):
            unique.append(thing)
    return unique


def _clear_number(
    word: str, unique: Sequence[Detection], detections: Sequence[Detection], limits: DetectionThresholds
) -> bool:
    """Return whether a word's count is reliable: no uncertain detections or overlapping boxes."""
    sure = [d for d in unique if d.category == word]
    keep, absent = limits.of(word)
    half = [d for d in detections if d.category == word and absent <= d.score < keep]
    pairs = [(a, b) for i, a in enumerate(sure) for b in sure[i + 1 :]]
    return not half and all(iou(a.box, b.box) < 0.3 for a, b in pairs)
