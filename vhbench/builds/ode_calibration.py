"""Calibration of ODE's detector and verifier thresholds on annotated photos."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vhbench.builds import ode_models
from vhbench.files import read_image
from vhbench.generators.ode import (
    attribute_contraries,
    attribute_words,
    calibrating,
    detection,
    environments,
    place_checks,
)
from vhbench.generators.ode.attribute_checks import AttributeLook, parts_of
from vhbench.protocols import Detector, Verifier
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
        raise VhbenchError(f"--annotations {annotations}: must be FILE, coco:FILE or paco:FILE")
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
        model = ode_models.verifier(verifier, device)
        weighed = weights(scenes, model)
        if places is not None:
            weighed[place_checks.KIND] = place_weights(places, model, len(scenes))
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


def weights(scenes: Sequence[Scene], verifier: Verifier) -> dict[str, list[tuple[float, bool]]]:
    """Return per attribute kind the verifier's scores of correct and incorrect claims."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for scene in scenes:
        image = read_image(scene.image)
        for look, right in _claims(scene):
            [weighed] = verifier.probabilities(parts_of(image, look), [look.texts(scene.environment)])
            found.setdefault(look.kind, []).append((weighed[0], right))
    return found


def place_weights(folder: Path, verifier: Verifier, number: int, *, seed: int = 0) -> list[tuple[float, bool]]:
    """Return the verifier's scores of photos' own places, and of one that each excludes.

    Args:
        folder: folder with a subfolder of photos for each place, named after it ("kitchen", "living room").
        verifier: verifier to calibrate.
        number: maximum number of photos per place.
        seed: random seed of the sample.

    Raises:
        VhbenchError: if no subfolder is named after a place that excludes others.
    """
    found = []
    words = environments.DEFAULT
    for place in sorted(words.settings):
        rivals = place_checks.others(place, words)
        files = sorted(path for path in (folder / place).glob("*") if path.is_file()) if rivals else []
        for i in rng(seed, "calibrate", place).permutation(len(files))[:number].tolist():
            image = files[i].read_bytes()
            wrong = rivals[int(rng(seed, "calibrate", place, files[i].name).integers(len(rivals)))]
            for shown, right in ((place, True), (wrong, False)):
                texts = place_checks.texts_of(shown, place_checks.others(shown, words), words)
                found.append((verifier.probabilities([image], [texts])[0][0], right))
    if not found:
        raise VhbenchError(
            f"--places {folder}: expected subfolders of photos named after places ({', '.join(words.settings)})"
        )
    return found


def _asked(scene: Scene, eyes: detection.DetectionModels) -> list[str]:
    """Return words that a photo shows, and some that are annotated as absent."""
    shown = sorted(scene.categories() & scene.known)
    others = sorted(scene.known - scene.categories())
    order = rng(0, "calibrate", scene.id).permutation(len(others))[:WORDS]
    return [word for word in (*shown, *(others[i] for i in order)) if eyes.phrases(word)]


def _claims(scene: Scene) -> Iterator[tuple[AttributeLook, bool]]:
    """Yield a correct and an incorrect claim per attribute with a known exclusion."""
    for thing in scene.objects:
        held = {value for _, value in thing.attributes}
        for _, value in thing.attributes:
            wrong = [other for other in attribute_contraries.of(value) if other not in held]
            if wrong:
                other = wrong[int(rng(0, "calibrate", scene.id, thing.id, value).integers(len(wrong)))]
                for said, right in ((value, True), (other, False)):
                    yield AttributeLook(thing.category, attribute_words.kind_of(said), said, (thing,)), right
