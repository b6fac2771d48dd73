"""Before an ODE build: its prompts and questions without images, and a pilot of a build with models."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from time import perf_counter

from vhbench.generators.ode import shards
from vhbench.generators.ode.criteria import PAIRINGS
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.shards import Recipe, Share
from vhbench.protocols import Detection
from vhbench.schema import Rejection, Row, Scene, SceneSpec, VhbenchError
from vhbench.statistics import wording

FIRST, MOST = 10, 20  # images per criterion and pairing in a pilot; so many more if none of the first is kept
LEAST = 0.05  # smallest yield with which a build is worth its time


class PlannedImages:
    """Image source without images: its "images" are their own specifications, as JSON."""

    name, exact = "planned", False

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield a scene per specification, whose image is the text of the specification."""
        for spec in specs:
            plan = {"things": [(thing.category, thing.count) for thing in spec.objects], "place": spec.environment}
            provenance = {"prompt": spec.prompt}
            image = json.dumps(plan).encode()
            yield Scene(f"{spec.id}-{seed}", image, 512, 512, objects=(), provenance=provenance)


class PlannedDetector:
    """Detector that finds in :class:`PlannedImages` what they are meant to show, and nothing else."""

    name = "planned"

    def knows(self, word: str) -> bool:
        """Return that any word can be queried."""
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return a box for each object, next to each other, and one of the whole image for the place."""
        detections = []
        for image, queries in zip(images, words, strict=True):
            plan = json.loads(image)
            things = [word for word, count in plan["things"] for _ in range(count)]
            boxes = [Detection(word, 1.0, (40.0 * i, 0.0, 30.0, 30.0)) for i, word in enumerate(things)]
            boxes.append(Detection(plan["place"], 1.0, (0.0, 0.0, 1e6, 1e6)))
            detections.append([box for box in boxes if box.category in queries])
        return detections


PLANNED_EYES = DetectionModels(PlannedDetector(), trust_prompt=True)  # models that label :class:`PlannedImages`


def dry_run(recipe: Recipe, plan: Sequence[Share]) -> Iterator[str]:
    """Yield the prompts and questions of a build, if every image shows what its prompt asks for."""
    for share in plan:
        items = list(shards.make(recipe, share))
        questions: dict[str, list[str]] = {item.id: [] for item in items if isinstance(item, Scene)}
        for item in items:
            if isinstance(item, Row) and item.question.answer:
                questions[item.question.scene_ids[0]].append(f"    {item.question.question} {item.question.answer}")
        for item in items:
            if isinstance(item, Scene):
                yield f"{share.criterion}, {PAIRINGS[share.pairing]}: {item.provenance['prompt']}"
                yield from questions[item.id]
        for item in items:
            if isinstance(item, Rejection):
                yield f"  left out: {', '.join(item.detail.get('concepts', [item.item]))}: {item.reason}"


def pilot(recipe: Recipe, plan: Sequence[Share], price: float, *, allow_missing: bool = False) -> Iterator[str]:
    """Paint the first images of each criterion and pairing, and yield what the whole build will take.

    The images are those that the build starts with, and are cached. Each cell goes on until an image is kept. The
    ``price`` is that of an hour on this machine, 0 for none. Raises VhbenchError if a cell yields less than
    :data:`LEAST`, unless ``allow_missing``.
    """
    rows = [("criterion", "pairing", "painted", "kept", "rejected, by reason", "images for all")]
    cells = Counter[tuple[str, str]]()
    for share in plan:
        cells[share.criterion, share.pairing] += share.pairs * recipe.variants
    seconds = painted = total = 0.0
    poor = []
    for (criterion, pairing), needed in cells.items():
        share = next(s for s in plan if (s.criterion, s.pairing) == (criterion, pairing))
        kept, reasons, start = 0, Counter[str](), perf_counter()
        for size in (FIRST, MOST - FIRST):
            done = sum(reasons.values()) + kept
            for result in shards.first(recipe, share, done, size) if not kept else ():
                kept += isinstance(result, Scene)
                reasons.update([result.reason] if isinstance(result, Rejection) else [])
        tried = kept + sum(reasons.values())
        seconds, painted = seconds + perf_counter() - start, painted + tried
        rate = kept / tried if tried else 0.0
        if rate < LEAST:
            poor.append(f"{criterion} × {PAIRINGS[pairing]}: {kept} of {tried} images")
        total += needed / rate if rate else 0.0
        by_reason = ", ".join(f"{count} × {reason}" for reason, count in reasons.most_common()) or "none"
        images = f"{needed / rate:,.0f}" if rate else "n/a"
        rows.append((criterion, PAIRINGS[pairing], f"{tried}", f"{kept}", by_reason, images))
    yield from wording.aligned(rows)
    if poor:
        low = f"pilot: expected at least {100 * LEAST:.0f} % of the images to be kept, got {'; '.join(poor)}"
        if not allow_missing:
            raise VhbenchError(
                f"{low}; calibrate the detector and verifier (`vhbench calibrate`), choose others, or accept missing "
                "pairings with --allow-missing"
            )
        yield f"warning: {low}"
    hours = total * seconds / max(1, painted) / 3600
    cost = f", {hours * price:,.2f} at {price:g} an hour" if price else ""
    yield f"projected: {total:,.0f} images, {hours:,.1f} hours in one process on this machine{cost}"
