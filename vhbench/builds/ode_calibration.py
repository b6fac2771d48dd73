"""Calibration of ODE's detector and verifier thresholds on annotated photos."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from vhbench.adapters import loaded_models
from vhbench.adapters.coco import CocoScenes
from vhbench.adapters.paco import PacoScenes
from vhbench.files import read_image, read_json
from vhbench.generators.ode import calibrating, detection, verifier_scores
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.protocols import Detector
from vhbench.schema import Scene, VhbenchError
from vhbench.seeding import rng

T = TypeVar("T")

AT_ONCE = 8  # batch size, in photos
WORDS = 20  # absent words to query per photo


def photos(annotations: str, images: Path, number: int, *, seed: int = 0) -> list[Scene]:
    """Return a random sample of photos annotated in "FILE", "coco:FILE" or "paco:FILE"; raise VhbenchError if empty."""
    kind, _, file = annotations.rpartition(":")
    if kind not in ("", "coco", "paco"):
        raise VhbenchError(f"--annotations: expected FILE, coco:FILE or paco:FILE, got {annotations}")
    scenes = (PacoScenes if kind == "paco" else CocoScenes)(Path(file), images, skip_bad=True)
    if not len(scenes):
        raise VhbenchError(f"--annotations {annotations}: has no photo")
    order = rng(seed, "calibrate").permutation(len(scenes))[:number]
    return [scenes[int(place)] for place in order]


def calibrate(
    annotations: str,
    images: Path,
    number: int,
    *,
    seed: int = 0,
    detector: str = "",
    verifier: str = "",
    places: Path | None = None,
    precision: float,
    device: str = "auto",
) -> dict[str, Any]:
    """Return thresholds for ``--calibration``: the detector's by word, the verifier's by kind.

    Photos are sampled as by :func:`photos`; ``places`` is a folder of photos by place, from which the verifier's
    threshold for places is fitted.
    """
    scenes = photos(annotations, images, number, seed=seed)
    thresholds: dict[str, Any] = {"precision": precision}
    if detector:
        scored = scores(scenes, loaded_models.detector(detector, device))
        thresholds |= {"detector": loaded_models.model_of(detector), "words": calibrating.thresholds(scored, precision)}
    if verifier:
        weighed = verifier_scores.scores(scenes, loaded_models.verifier(verifier, device), places)
        kinds = {kind: calibrating.acceptance(cases, precision) for kind, cases in sorted(weighed.items())}
        thresholds |= {"verifier": loaded_models.model_of(verifier), "kinds": kinds}
    return thresholds


def scores(scenes: Sequence[Scene], detector: Detector) -> dict[str, list[tuple[float, bool]]]:
    """Return per word the detector's best score in each photo, and whether the photo shows it."""
    eyes = detection.DetectionModels(detector)
    by_word: dict[str, list[tuple[float, bool]]] = {}
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
                by_word.setdefault(word, []).append((score, word in part[i].categories()))
    return by_word


def _asked(scene: Scene, eyes: detection.DetectionModels) -> list[str]:
    """Return words that a photo shows, and some that are annotated as absent."""
    shown = sorted(scene.categories() & scene.known)
    others = sorted(scene.known - scene.categories())
    order = rng(0, "calibrate", scene.id).permutation(len(others))[:WORDS]
    return [word for word in (*shown, *(others[i] for i in order)) if eyes.phrases(word)]


@dataclass(frozen=True)
class Calibration:
    """Result of ``vhbench calibrate``, a JSON file; "" for none."""

    file: str

    @cached_property
    def _data(self) -> Mapping[str, Any]:
        data = read_json(Path(self.file)) if self.file else {}
        if not isinstance(data, dict) or not data.keys() <= {"detector", "verifier", "precision", "words", "kinds"}:
            raise VhbenchError(f"--calibration: expected a file that `vhbench calibrate` wrote, got {self.file}")
        return data

    def detection(self, keep: float, absent: float) -> DetectionThresholds:
        """Return the detector's thresholds; words without calibrated ones take those given."""
        words = self._read("words", "{WORD: {keep, absent}}", lambda pair: (float(pair["keep"]), float(pair["absent"])))
        return DetectionThresholds(keep=keep, absent=absent, words=words)

    def verification(self, keep: float, absent: float) -> VerifierThresholds:
        """Return the verifier's thresholds by attribute kind."""
        kinds = self._read("kinds", "{KIND: keep}", float)
        return VerifierThresholds(keep=keep, absent=absent, kinds=kinds)

    def _read(self, name: str, form: str, read: Callable[[Any], T]) -> dict[str, T]:
        try:
            return {str(key): read(value) for key, value in self._data.get(name, {}).items()}
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise VhbenchError(f"--calibration {self.file}: expected {name} as {form}: {error}") from error
