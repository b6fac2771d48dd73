"""ODE pipeline for a share of pairs: pairs → specs → images → ground truth → questions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice

from vhbench.generators.ode import concept_graph, criteria, detection, filtering, prompts, questions
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.criteria import PAIRINGS
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.environments import Wording
from vhbench.generators.ode.prompts import ImagePlan, SourceVocabulary
from vhbench.generators.ode.questions import AttributeClaim
from vhbench.generators.scenes import WHOLE, ConceptPart
from vhbench.protocols import ImageSource
from vhbench.schema import Rejection, Row, Scene, SceneSpec, VhbenchError
from vhbench.seeding import rng

_NO_LEFT = "no pair left"  # rejection reason for requested pairs that could not be replaced
GROUPS = 40  # maximum number of groups of more than two concepts tried per pair
_RANKS = 100_000  # ranks of pairs per graph version

Tried = tuple[ImagePlan, SceneSpec, Scene | Rejection, tuple[AttributeClaim, ...]]


@dataclass(frozen=True)
class Recipe:
    """Everything that determines ODE's questions; the fields without a comment are build options."""

    graph: ConceptGraph
    world: SourceVocabulary  # vocabulary of the image source
    images: ImageSource
    eyes: DetectionModels | None = None  # detection models for images without exact ground truth; None if it is exact
    imagined: "ConceptGraph | None" = None  # observed hallucinations given a word, used as further candidates; or None
    seed: int = 0
    version: str = "2.0.0"
    concepts: int = 2
    variants: int = 1
    best_of: int = 1
    retries: int = 2
    reserve: int = 10
    levels: tuple[str, ...] = questions.LEVELS[:3]
    epsilon: float | None = None
    delta: float | None = None
    part: ConceptPart = WHOLE  # concept split; places of another split are never settings
    size: int = 512

    def __post_init__(self) -> None:
        if not self.images.exact and self.eyes is None:
            raise VhbenchError(f"images from {self.images.name} need a detector to label their objects")


@dataclass(frozen=True, slots=True)
class Share:
    """Share of a criterion's pairs: every ``step``-th from ``first``, up to ``pairs`` pairs."""

    criterion: str
    pairing: str
    pairs: int
    first: int = 0
    step: int = 1
    graph_version: int = 1

    @staticmethod
    def version_of(scene: str) -> int:
        """Return the graph version that added the pair of a scene: 2 for "fictional-ee-100012-0-7"."""
        return int(scene.split("-")[2]) // _RANKS + 1


def make(recipe: Recipe, share: Share) -> Iterator[Row | Scene | Rejection]:
    """Yield a share's rows, their scenes, and every rejection.

    A pair is accepted if one of its variants is. A rejected image is retried with new seeds, ``retries`` times; a pair
    without images is replaced by the criterion's next one. For an updated graph, a share uses its own graph version, so
    earlier output does not change.
    """
    recipe = replace(recipe, graph=concept_graph.as_of(recipe.graph, share.graph_version))
    pairs = _pairs(recipe, share)
    elsewhere = _planned(recipe, share)
    missing, tries = share.pairs, recipe.reserve * share.pairs
    pictures: list[tuple[ImagePlan, SceneSpec, Scene, tuple[AttributeClaim, ...]]] = []
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
        for case, spec, result, claims in _pictures(recipe, cases, elsewhere):
            yield result
            if isinstance(result, Scene):
                done.add(case.rank)
                pictures.append((case, spec, result, claims))
        missing -= len(done)
        if missing and (not cases or tries <= 0):
            detail = {"criterion": share.criterion, "pairing": PAIRINGS[share.pairing], "missing": missing}
            yield Rejection(f"{share.criterion}-{share.pairing}-{share.first:05d}", _NO_LEFT, detail)
            break
    yield from _rows(recipe, pictures)


def first(recipe: Recipe, share: Share, start: int, count: int) -> Iterator[Scene | Rejection]:
    """Yield the results of a share's first images, without retries, from the ``start``-th on; for a pilot."""
    recipe = replace(recipe, graph=concept_graph.as_of(recipe.graph, share.graph_version), retries=0)
    plans = (pair[0] for pair in _pairs(recipe, share) if not isinstance(pair, Rejection))
    for _, _, result, _ in _pictures(recipe, list(islice(plans, start, start + count)), _planned(recipe, share)):
        yield result


def _planned(recipe: Recipe, share: Share) -> list[str]:
    """Return the targets of the share's images if all succeed as planned."""
    plans = (pair for pair in _pairs(recipe, share) if not isinstance(pair, Rejection))
    cases = [pair[0] for pair in islice(plans, share.pairs)] if recipe.eyes else []
    return list(dict.fromkeys(word for case in cases for word in prompts.targets(case, recipe.world)))


def _pairs(recipe: Recipe, share: Share) -> Iterator[list[ImagePlan] | Rejection]:
    """Yield the plans of every pair of a share, or its rejection, in the criterion's order."""
    pool = criteria.PairPool(
        recipe.graph, share.pairing, share.graph_version, recipe.epsilon, recipe.delta, recipe.seed
    )
    drawn = criteria.candidates(pool, share.criterion)
    offset = _RANKS * (share.graph_version - 1)
    turn, dealt = 0, Counter[str]()
    for rank, pair in islice(enumerate(drawn), share.first, None, share.step):
        groups = criteria.extend(recipe.graph, share.criterion, pair, recipe.concepts, seed=recipe.seed)
        verdicts = [(group, _problem(recipe, group)) for group in islice(groups, GROUPS)]
        group = next((group for group, problem in verdicts if not problem), None)
        if group is None:
            concepts, problem = verdicts[0] if verdicts else (pair, "no further concept")
            reason, _, word = problem.partition(": ")
            detail = {"concepts": list(concepts), "word": word, "pairing": PAIRINGS[share.pairing]}
            yield Rejection(f"{share.criterion}-{share.pairing}-{rank + offset:05d}", reason, detail)
        else:
            plan = ImagePlan(share.criterion, share.pairing, rank + offset, 0, group, turn)
            yield [
                replace(plan, variant=variant, states=prompts.deal_states(group, recipe.world, dealt))
                for variant in range(recipe.variants)
            ]
            turn += 1


def _problem(recipe: Recipe, words: Sequence[str]) -> str:
    """Return why words cannot be shown together or not be detected, or ""."""
    if problem := recipe.world.problem(words):
        return problem
    names = {word: recipe.world.name(word) for word in words}
    if recipe.eyes and prompts.is_contradictory(list(names.values())):
        return f"never seen there: {words[0]}"
    judged = concept_graph.wording(recipe.graph).settings if recipe.eyes and recipe.eyes.verifier else ()
    unknown = [
        word for word, name in names.items() if recipe.eyes and name not in judged and not recipe.eyes.phrases(name)
    ]
    return f"the detector does not know: {unknown[0]}" if unknown else ""


def _pictures(recipe: Recipe, cases: Sequence[ImagePlan], elsewhere: Sequence[str]) -> Iterator[Tried]:
    """Yield a scene per plan and a rejection per failed image; failed plans are retried."""
    waiting = list(cases)
    for attempt in range(recipe.retries + 1):
        failed = []
        for case, tried in zip(waiting, _attempts(recipe, waiting, attempt, elsewhere), strict=True):
            results = [(spec, *(seen if isinstance(seen, tuple) else (seen, ()))) for spec, seen, _ in tried]
            best = max(range(len(results)), key=lambda k: (isinstance(results[k][1], Scene), _score(results[k][1]), -k))
            if not isinstance(results[best][1], Scene):
                failed.append(case)
            for k, (spec, result, claims) in enumerate(results):
                if isinstance(result, Scene) and k != best:
                    scores = {"scores": result.provenance["scores"]}
                    result = Rejection(result.id, "another image scored higher", scores)
                if isinstance(result, Rejection):
                    detail = {"concepts": list(case.concepts), "attempt": attempt, "seed": tried[k][2]}
                    name = f"{case.id}-{attempt}{f'-{k}' if k else ''}"
                    result = Rejection(name, result.reason, {**detail, **result.detail})
                yield case, spec, result, claims
        waiting = failed
        if not waiting:
            return


def _attempts(
    recipe: Recipe, cases: Sequence[ImagePlan], attempt: int, elsewhere: Sequence[str]
) -> list[list[tuple[SceneSpec, detection.Seen, int]]]:
    """Return, per plan, the images of one attempt: specification, result and seed."""
    specs = [
        prompts.spec(case, recipe.graph, recipe.world, seed=recipe.seed, size=recipe.size, attempt=attempt)
        for case in cases
    ]
    tried: list[list[tuple[SceneSpec, detection.Seen, int]]] = [[] for _ in cases]
    for k in range(recipe.best_of):
        more = (k,) if k else ()
        seed = int(rng(recipe.seed, "ode", "images", attempt, *more).integers(2**31))
        images = [_of_part(recipe.part, one) for one in recipe.images.make(specs, seed=seed)]
        for each, spec, seen in zip(tried, specs, _seen(recipe, cases, specs, images, elsewhere), strict=True):
            each.append((spec, seen, seed))
    return tried


def _seen(
    recipe: Recipe,
    cases: Sequence[ImagePlan],
    specs: Sequence[SceneSpec],
    images: Sequence[Scene | Rejection],
    elsewhere: Sequence[str],
) -> list[detection.Seen]:
    """Return images with their exact ground truth, or else with detections, in one batch."""
    words = concept_graph.wording(recipe.graph)
    if recipe.eyes is None:
        unclear = {recipe.world.name(word) for word in recipe.graph if recipe.world.problem([word])}
        targets = [prompts.targets(case, recipe.world) for case in cases]
        return [_checked(one, each, unclear, words) for one, each in zip(images, targets, strict=True)]
    scenes = [(i, one) for i, one in enumerate(images) if isinstance(one, Scene)]
    queries = [
        detection.words_for(cases[i], recipe.graph, recipe.world, elsewhere, recipe.eyes, seed=recipe.seed)
        for i, _ in scenes
    ]
    seen = iter(recipe.eyes.look([(specs[i], one) for i, one in scenes], queries, words))
    return [one if isinstance(one, Rejection) else next(seen) for one in images]


def _of_part(part: ConceptPart, image: Scene | Rejection) -> Scene | Rejection:
    """Return an image, or a rejection if its place belongs to another split."""
    if isinstance(image, Rejection) or not image.environment or part.holds(image.environment):
        return image
    return Rejection(image.id, "place outside --part", {"environment": image.environment})


def _score(result: Scene | Rejection) -> float:
    """Return the lowest detection score of a target."""
    scores = result.provenance.get("scores", {}) if isinstance(result, Scene) else {}
    return min(scores.values(), default=0.0)


def _checked(
    image: Scene | Rejection, targets: Sequence[str], unclear: AbstractSet[str], words: Wording
) -> detection.Seen:
    """Return the scene if it shows its targets; concepts never rendered leave ``known``."""
    if isinstance(image, Rejection):
        return image
    scene = words.annotate(image)
    missing = sorted(set(targets) - scene.categories())
    if missing:
        return Rejection(scene.id, "requested object or place missing", {"words": missing})
    return replace(scene, known=scene.known - (unclear - scene.categories())), ()


def _rows(
    recipe: Recipe, images: Sequence[tuple[ImagePlan, SceneSpec, Scene, tuple[AttributeClaim, ...]]]
) -> Iterator[Row]:
    """Yield the rows of a share's images, balanced over words."""
    names = {word: recipe.world.name(word) for word in recipe.graph}
    every = list(dict.fromkeys(word for case, *_ in images for word in prompts.targets(case, recipe.world)))
    pictures = []
    for case, spec, scene, claims in images:
        things, places = filtering.likely_hallucinations(
            recipe.graph, case.concepts, scene, names, seed=recipe.seed, imagined=recipe.imagined
        )
        likely = [*things, *places] if spec.environment else things
        elsewhere = filtering.ranked(recipe.graph, case.concepts, every, names)
        targets = tuple(prompts.targets(case, recipe.world))
        deeds = {names[word]: recipe.world.values(word, "action") or frozenset() for word in case.concepts}
        single = frozenset(names[word] for word in case.concepts if recipe.world.most(word) == 1)
        seen = targets, tuple(likely), tuple(elsewhere), recipe.images.exact, claims
        pictures.append(questions.Picture(case, scene, *seen, deeds, single, concept_graph.wording(recipe.graph)))
    yield from questions.rows(
        pictures, seed=recipe.seed, version=recipe.version, source=recipe.images.name, levels=recipe.levels,
        vocabulary=recipe.world.vocabulary(),
    )  # fmt: skip
