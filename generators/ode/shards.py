"""The pipeline of ODE: pairs → specs → images → truth → questions, for a share of one criterion's pairs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from vhbench.files import read_image
from vhbench.generators.ode import criteria, filtering, held_out, prompts, questions, settings
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.criteria import PAIRINGS
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.generators.ode.held_out import ConceptPart
from vhbench.generators.ode.prompts import ImagePlan, World
from vhbench.protocols import Detector, ImageSource
from vhbench.schema import Rejection, Row, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng

NO_LEFT = "no pair left"
"""Reason of the rejection that stands for pairs which were asked for and could not be replaced."""

GROUPS = 40
"""How many groups of more than two concepts are looked at for each pair."""

Tried = tuple[ImagePlan, SceneSpec, Scene | Rejection]


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what ODE's questions are.

    Attributes:
        graph: the concept graph.
        world: what the image source can show.
        images: the image source.
        detector: looks at images whose truth is not exact; None where it is.
        thresholds: when the detector is believed.
        detector_words: how many words the detector is asked for in each image.
        part: of the concepts; a place of another part is no setting, also where none was asked for.

    The others are options of the build, which says what they are for.
    """

    graph: ConceptGraph
    world: World
    images: ImageSource
    detector: Detector | None = None
    seed: int = 0
    version: str = "1.0.0"
    concepts: int = 2
    variants: int = 1
    retries: int = 2
    reserve: int = 10
    levels: tuple[str, ...] = questions.LEVELS[:3]
    epsilon: float = 0
    delta: float | None = None
    thresholds: DetectionThresholds = field(default_factory=DetectionThresholds)
    detector_words: int = 40
    part: ConceptPart = held_out.WHOLE
    trust_prompt: bool = False
    size: int = 512

    def __post_init__(self) -> None:
        if not self.images.exact and self.detector is None:
            raise VhbenchError(f"images from {self.images.name} need a detector to tell what is in them")


@dataclass(frozen=True, slots=True)
class Share:
    """A part of one criterion's pairs: every ``step``-th from ``first`` on, until ``pairs`` of them are kept."""

    criterion: str
    pairing: str
    pairs: int
    first: int = 0
    step: int = 1
    graph_version: int = 1


def make(recipe: Recipe, share: Share) -> Iterator[Row | Scene | Rejection]:
    """Yield a share's rows, the scenes behind them, and every rejection.

    A pair is kept if one of its variants is. A rejected picture is tried again with new seeds, ``retries`` times; a
    pair of which nothing remains is replaced by the next one, as long as the criterion has any.
    """
    pairs = _pairs(recipe, share)
    names = {word: recipe.world.name(word) for word in recipe.graph}
    missing, tries = share.pairs, recipe.reserve * share.pairs
    kept: list[tuple[ImagePlan, SceneSpec, Scene]] = []
    while missing > 0:
        cases: list[ImagePlan] = []
        for pair in pairs:
            if isinstance(pair, Rejection):
                yield pair
                continue
            cases.extend(pair)
            tries -= 1
            if len(cases) == missing * recipe.variants or tries <= 0:
                break
        done: set[int] = set()
        for case, spec, result in _pictures(recipe, cases, names):
            yield result
            if isinstance(result, Scene):
                done.add(case.rank)
                kept.append((case, spec, result))
        missing -= len(done)
        if missing and (not cases or tries <= 0):
            detail = {"criterion": share.criterion, "pairing": PAIRINGS[share.pairing], "missing": missing}
            yield Rejection(f"{share.criterion}-{share.pairing}-{share.first:05d}", NO_LEFT, detail)
            break
    yield from _rows(recipe, kept, names)


def _pairs(recipe: Recipe, share: Share) -> Iterator[list[ImagePlan] | Rejection]:
    """Yield the cases of every pair of a share, or why the pair cannot be shown, in the criterion's order."""
    pool = criteria.PairPool(recipe.graph, share.pairing, share.graph_version, recipe.epsilon, recipe.delta)
    drawn = criteria.candidates(pool, share.criterion, seed=recipe.seed)
    offset = 100_000 * (share.graph_version - 1)
    for rank, pair in islice(enumerate(drawn), share.first, None, share.step):
        groups = criteria.extend(recipe.graph, share.criterion, pair, recipe.concepts, seed=recipe.seed)
        shown = [(group, recipe.world.problem(group)) for group in islice(groups, GROUPS)]
        group = next((group for group, problem in shown if not problem), None)
        if group is None:
            concepts, problem = shown[0] if shown else (pair, "no further concept")
            reason, _, word = problem.partition(": ")
            detail = {"concepts": list(concepts), "word": word, "pairing": PAIRINGS[share.pairing]}
            yield Rejection(f"{share.criterion}-{share.pairing}-{rank + offset:05d}", reason, detail)
        else:
            yield [
                ImagePlan(share.criterion, share.pairing, rank + offset, variant, group)
                for variant in range(recipe.variants)
            ]


def _pictures(recipe: Recipe, cases: Sequence[ImagePlan], names: Mapping[str, str]) -> Iterator[Tried]:
    """Yield a scene for each case, and a rejection for each picture that was no use; those are tried again."""
    waiting = list(cases)
    others = list(dict.fromkeys(word for case in cases for word in prompts.targets(case, recipe.world)))
    for attempt in range(recipe.retries + 1):
        seed = int(rng(recipe.seed, "ode", "images", attempt).integers(2**31))
        specs = [
            prompts.spec(case, recipe.graph, recipe.world, seed=recipe.seed, size=recipe.size, attempt=attempt)
            for case in waiting
        ]
        failed = []
        for case, spec, made in zip(waiting, specs, list(recipe.images.make(specs, seed=seed)), strict=True):
            result = _judged(recipe, case, spec, made, names, others)
            if isinstance(result, Rejection):
                failed.append(case)
                detail = {"concepts": list(case.concepts), "attempt": attempt, "seed": seed, **result.detail}
                result = Rejection(f"{case.id}-{attempt}", result.reason, detail)
            yield case, spec, result
        waiting = failed
        if not waiting:
            return


def _judged(
    recipe: Recipe,
    case: ImagePlan,
    spec: SceneSpec,
    made: Scene | Rejection,
    names: Mapping[str, str],
    others: Sequence[str],
) -> Scene | Rejection:
    """Return a picture with its truth: its own where that is exact, otherwise what the detector finds."""
    if isinstance(made, Rejection):
        return made
    if made.environment and not recipe.part.holds(made.environment):
        return Rejection(made.id, "place of another part", {"environment": made.environment})
    if recipe.images.exact:
        return _checked(settings.annotate(made), prompts.targets(case, recipe.world))
    assert recipe.detector is not None
    words = _asked(recipe, case, names, others)
    found = recipe.detector.detect([read_image(made.image)], words)[0]
    result = filtering.judge(made, spec, found, words, recipe.thresholds)
    return filtering.trust_prompt(result, spec) if isinstance(result, Scene) and recipe.trust_prompt else result


def _checked(scene: Scene, targets: Sequence[str]) -> Scene | Rejection:
    """Return the scene if it shows what it was made for."""
    missing = sorted(set(targets) - scene.categories())
    return Rejection(scene.id, "target missing", {"words": missing}) if missing else scene


def _asked(recipe: Recipe, case: ImagePlan, names: Mapping[str, str], others: Sequence[str]) -> list[str]:
    """Return the words that the detector looks for: the targets, and what goes with them most often.

    Up to half are what other pictures had to show, which can then be asked as absent here.
    """
    targets = prompts.targets(case, recipe.world)
    weights: Counter[str] = Counter()
    for word in case.concepts:
        for other, data in recipe.graph[word].items():
            weights[names[other]] = max(weights[names[other]], data["weight"])
    ranked = sorted(weights, key=lambda word: (-weights[word], word))
    every = sorted(set(names.values()))
    random = rng(recipe.seed, "ode", "detector words", case.id)
    spare = [every[i] for i in random.permutation(len(every))]
    half = recipe.detector_words // 2
    words = [*targets, *ranked[:half], *others[: recipe.detector_words - half], *ranked[half:], *spare]
    return list(dict.fromkeys(words))[: max(recipe.detector_words, len(targets))]


def _rows(
    recipe: Recipe, kept: Sequence[tuple[ImagePlan, SceneSpec, Scene]], names: Mapping[str, str]
) -> Iterator[Row]:
    """Yield the rows of a share's pictures, among which each word is asked as often rightly as wrongly."""
    every = list(dict.fromkeys(word for case, _, _ in kept for word in prompts.targets(case, recipe.world)))
    pictures = []
    for case, spec, scene in kept:
        things, places = filtering.likely_hallucinations(recipe.graph, case.concepts, scene, names, seed=recipe.seed)
        likely = [*things, *places] if spec.environment else things
        elsewhere = filtering.ranked(recipe.graph, case.concepts, every, names)
        targets = prompts.targets(case, recipe.world)
        pictures.append(
            questions.Picture(case, scene, tuple(targets), tuple(likely), tuple(elsewhere), recipe.images.exact)
        )
    yield from questions.rows(
        pictures, seed=recipe.seed, version=recipe.version, source=recipe.images.name, levels=recipe.levels,
        vocabulary=recipe.world.vocabulary(),
    )  # fmt: skip
