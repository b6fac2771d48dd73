"""Digests of ODE's questions on a few pairs, of drawn scenes and of images with detections: no word changes unseen."""

import json
from dataclasses import asdict, replace
from functools import cache
from itertools import chain
from pathlib import Path

from golden_drawings import digest
from perfect_models import PerfectDetector, PerfectPainter, PerfectVerifier

from vhbench.builds.ode import OdeBuild
from vhbench.builds.ode_source_vocabulary import OpenWorld
from vhbench.generators.ode import graph_sources, questions, shards
from vhbench.generators.ode.criteria import CRITERIA, PAIRINGS
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.shards import Recipe, Share
from vhbench.schema import Rejection, Row

FILE = Path(__file__).resolve().parent.parent / "golden" / "rows.json"


def recipes() -> dict[str, Recipe]:
    """Return name → recipe: of drawn scenes, of groups of three, and of images that a detector and a verifier see."""
    drawn = replace(OdeBuild()._recipe(), seed=3, size=96, levels=questions.LEVELS)
    graph = graph_sources.load("traffic")
    eyes = DetectionModels(PerfectDetector(), PerfectVerifier())
    seen = Recipe(graph, OpenWorld(graph), PerfectPainter(), eyes, seed=3, size=128, best_of=2, variants=2)
    return {"drawn": drawn, "three": replace(drawn, concepts=3), "seen": seen}


@cache
def rows() -> dict[str, str]:
    """Return recipe, criterion and pairing → digest of the rows and rejections of one pair or two."""
    found = {}
    for name, recipe in recipes().items():
        for criterion in CRITERIA:
            for pairing in PAIRINGS:
                made = shards.make(recipe, Share(criterion, pairing, 1 if name == "three" else 2))
                found[f"{name} {criterion} {pairing}"] = digest(chain.from_iterable(map(_lines, made)))
    return found


def _lines(made: object) -> list[str]:
    if isinstance(made, Rejection):
        return [json.dumps(asdict(made), sort_keys=True, default=sorted)]
    if not isinstance(made, Row):
        return []
    question = {**asdict(made.question), "images": len(made.question.images)}
    return [f"{made.config}: {json.dumps(question, sort_keys=True, default=sorted)}"]


def golden() -> dict[str, str]:
    """Return the digests as they were."""
    return dict(json.loads(FILE.read_text()))


def renew() -> None:
    """Write the digests as they are."""
    FILE.write_text(json.dumps(rows(), indent=0, sort_keys=True) + "\n")
