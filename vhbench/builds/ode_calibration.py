"""Calibration of ODE's detector and verifier thresholds on annotated photos."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vhbench.builds import ode_models
from vhbench.files import read_image
from vhbench.generators.ode import calibrating, detection, verifier_scores
from vhbench.protocols import Detector
from vhbench.schema import Scene, VhbenchError
from vhbench.seeding import rng

AT_ONCE = 8
"""Batch size, in photos."""

WORDS = 20
"""Absent words to query per photo."""


def photos(annotations: str, images: Path, number: int, *, seed: int = 0) -> list[Scene]:
    """Return a random sample of annotated photos.

    Args:
        annotations: "FILE" or "coco:FILE" in COCO format, or "paco:FILE", which includes attributes.
        images: folder of the photos.
        number: number of photos.
        seed: random seed.

    Raises:
        VhbenchError: if the file cannot be read or has no photo.
    """
    from vhbench.adapters.coco import CocoScenes
    from vhbench.adapters.paco import PacoScenes

    kind, _, file = annotations.rpartition(":")
    if kind not in ("", "coco", "paco"):
        raise VhbenchError(f"--annotations: expected FILE, coco:FILE or paco:FILE, got {annotations}")
    scenes = (PacoScenes if kind == "paco" else CocoScenes)(Path(file), images, skip_bad=True)
    if not len(scenes):
        raise VhbenchError(f"--annotations {annotations}: has no photo")
    order = rng(seed, "calibrate").permutation(len(scenes))[:number]
    return [scenes[int(place)] for place in order]


def calibrate(
    scenes: Sequence[Scene],
    *,
    detector: str = "",
    verifier: str = "",
    places: Path | None = None,
    precision: float,
    device: str = "auto",
) -> dict[str, Any]:
    """Return thresholds for ``--calibration``: the detector's by word, the verifier's by kind.

    ``places`` is a folder of photos by place, from which the verifier's threshold for places is fitted.
    """
    found: dict[str, Any] = {"precision": precision}
    if detector:
        scored = scores(scenes, ode_models.detector(detector, device))
        found |= {"detector": ode_models.model_of(detector), "words": calibrating.thresholds(scored, precision)}
    if verifier:
        weighed = verifier_scores.scores(scenes, ode_models.verifier(verifier, device), places)
        kinds = {kind: calibrating.keep(cases, precision) for kind, cases in sorted(weighed.items())}
        told = {kind: calibrating.NEVER if value is None else round(value, 4) for kind, value in kinds.items()}
        found |= {"verifier": ode_models.model_of(verifier), "kinds": told}
    return found


def scores(scenes: Sequence[Scene], detector: Detector) -> dict[str, list[tuple[float, bool]]]:
    """Return per word the detector's best score in each photo, and whether the photo shows it."""
    eyes = detection.DetectionModels(detector)
    found: dict[str, list[tuple[float, bool]]] = {}
    for start in range(0, len(scenes), AT_ONCE):
        part = scenes[start : start + AT_ONCE]
        images = [read_image(scene.image) for scene in part]
        phrases = [eyes.meanings(_asked(scene, eyes)) for scene in part]
        seen = [i for i, words in enumerate(phrases) if words]
        looked = detector.detect([images[i] for i in seen], [list(phrases[i]) for i in seen])
        for i, detections in zip(seen, looked, strict=True):
            best = dict.fromkeys(phrases[i].values(), 0.0)
            for one in detections:
                word = phrases[i][one.category]
                best[word] = max(best[word], one.score)
            for word, score in best.items():
                found.setdefault(word, []).append((score, word in part[i].categories()))
    return found


def _asked(scene: Scene, eyes: detection.DetectionModels) -> list[str]:
    """Return words that a photo shows, and some that are annotated as absent."""
    shown = sorted(scene.categories() & scene.known)
    others = sorted(scene.known - scene.categories())
    order = rng(0, "calibrate", scene.id).permutation(len(others))[:WORDS]
    return [word for word in (*shown, *(others[i] for i in order)) if eyes.phrases(word)]
