"""Models of ODE's build: their identity, cache keys and loading."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vhbench.adapters import model_identity
from vhbench.adapters.model_cache import CachedImageSource, KeptDetections, KeptVerdicts
from vhbench.files import file_sha256, read_json
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.protocols import Detector, ImageSource, Verifier
from vhbench.schema import VhbenchError

if TYPE_CHECKING:
    from vhbench.adapters.photo_pairs import PhotoSource

ALLOWED = "allowed are scenes, photos:INSTANCES.json=DIR, diffusers:NAME, photos:DIR"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Text-to-image model and how it is run; options of the build.

    Attributes:
        offload: has no effect on the output, nor has ``batch``.
    """

    model: str
    revision: str = ""
    steps: int | None = None
    guidance: float | None = None
    dtype: str = "auto"
    device: str = "auto"
    offload: str = "none"
    batch: int = 4

    @property
    def depends_on(self) -> Mapping[str, Any]:
        """Cache key of the images besides their specs and seeds; JSON types only."""
        name, revision = model_identity.named(self.model)
        return {
            "model": model_identity.identity(name, self.revision or revision, holds=model_identity.PIPELINE),
            "steps": self.steps,
            "guidance": self.guidance,
            "dtype": self.dtype,
            "libraries": model_identity.libraries("diffusers", "torch", "transformers"),
        }


@lru_cache(maxsize=2)
def image_source(pipeline: Pipeline) -> ImageSource:
    """Return a text-to-image model with an image cache; loaded once per process."""

    def load() -> ImageSource:
        from vhbench.adapters.text_to_image import DiffusersSource

        options = asdict(pipeline)
        name, revision = model_identity.named(options.pop("model"))
        return DiffusersSource(
            name, **{**options, "revision": _commit(found["model"]) or pipeline.revision or revision}
        )

    found = {**pipeline.depends_on, "dtype": _dtype(pipeline)}
    name = model_identity.named(pipeline.model)[0].rstrip("/").rsplit("/", 1)[-1]
    return CachedImageSource(f"diffusers:{name}", found, load)


def _dtype(pipeline: Pipeline) -> str:
    """Return the precision that "auto" selects on this machine."""
    from vhbench.adapters.loading import needed_by, pick_device, pick_dtype

    with needed_by("--images diffusers:…"):
        return pick_dtype(pipeline.dtype, pick_device(pipeline.device))


def _commit(found: str) -> str:
    """Return the commit of an identity; "" for a folder or file."""
    return "" if found.startswith("sha256:") else found.rpartition("@")[2]


def model_of(name: str) -> str:
    """Return an identifier of the content of a named detector or verifier; "" for none."""
    if not name:
        return ""
    kind, _, place = name.partition(":")
    model, revision = model_identity.named(place if kind in ("onnx", "vqa") else name)
    if kind == "onnx" and not Path(model).is_file():
        raise VhbenchError(f"--detector {name}: there is no such file")
    found = model_identity.identity(model, revision)
    beside = Path(model).with_suffix(".txt")
    return f"{found}+{file_sha256(beside)}" if kind == "onnx" and beside.is_file() else found


@lru_cache(maxsize=2)
def detector(name: str, device: str = "auto", batch: int = 8) -> Detector:
    """Return a detector with cached results; loaded once per process.

    Args:
        name: "NAME", "NAME@REVISION", a folder, or "onnx:FILE".
        device: device that it runs on.
        batch: batch size, in images.
    """

    def load() -> Detector:
        if name.startswith("onnx:"):
            from vhbench.adapters.onnx_detector import OnnxDetector

            return OnnxDetector(name.removeprefix("onnx:"), device=device, batch=batch)
        from vhbench.adapters.detectors import ZeroShotDetector

        model, revision = model_identity.named(name)
        return ZeroShotDetector(model, revision=_commit(found) or revision, device=device, batch=batch)

    from vhbench.adapters import detectors

    found = model_of(name)
    depends_on = {
        "detector": found,
        **detectors.SETTINGS,
        "libraries": model_identity.libraries("torch", "transformers", "onnxruntime"),
    }
    return KeptDetections(_named(name), depends_on, load)


@lru_cache(maxsize=2)
def verifier(name: str, device: str = "auto") -> Verifier:
    """Return a verifier with cached results; loaded once per process.

    Args:
        name: "NAME", "NAME@REVISION" or a folder of a CLIP-like model; "vqa:NAME" for a visual question answering
            model.
        device: device that it runs on.
    """

    def load() -> Verifier:
        from vhbench.adapters.verifiers import ClipVerifier, QuestionVerifier

        model, revision = model_identity.named(name.removeprefix("vqa:"))
        kind = QuestionVerifier if name.startswith("vqa:") else ClipVerifier
        return kind(model, revision=_commit(found) or revision, device=device)

    found = model_of(name)
    depends_on = {
        "verifier": found,
        "questions": name.startswith("vqa:"),
        "libraries": model_identity.libraries("torch", "transformers"),
    }
    return KeptVerdicts(_named(name), depends_on, load)


@lru_cache(maxsize=1)
def photos(source: str) -> "PhotoSource":
    """Return the photos of "photos:INSTANCES.json=DIR"; read once per process."""
    from vhbench.adapters.photo_pairs import PhotoSource

    annotations, _, folder = source.removeprefix("photos:").rpartition("=")
    return PhotoSource(Path(annotations), Path(folder))


def unlabelled_photos(source: str, eyes: DetectionModels | None, names: Sequence[str]) -> ImageSource:
    """Return the photos of "photos:DIR", in which a detector finds the named concepts."""
    from vhbench.adapters.photo_pairs import UnlabelledPhotos

    assert eyes is not None, "they are labelled by a detector"
    limits, folder = eyes.thresholds, Path(source.partition(":")[2])
    return UnlabelledPhotos(folder, eyes.detector, eyes.meanings(names), lambda word: limits.of(word)[0])


def photo_names(source: str) -> list[str]:
    """Return the file names of "photos:DIR"."""
    from vhbench.adapters.photo_pairs import photo_files

    return [file.name for file in photo_files(Path(source.partition(":")[2]))]


def unload() -> None:
    """Free the models that this process has loaded."""
    for load in (image_source, detector, verifier):
        load.cache_clear()


def _named(name: str) -> str:
    return model_identity.named(name)[0].rpartition(":")[2].rstrip("/").rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Calibration:
    """Result of ``vhbench calibrate``; a JSON file.

    Attributes:
        file: its path; "" for none.
    """

    file: str

    @cached_property
    def _data(self) -> Mapping[str, Any]:
        data = read_json(Path(self.file)) if self.file else {}
        if not isinstance(data, dict) or not data.keys() <= {"detector", "verifier", "precision", "words", "kinds"}:
            raise VhbenchError(f"--calibration: expected a file that `vhbench calibrate` wrote, got {self.file}")
        return data

    def detection(self, keep: float, absent: float) -> DetectionThresholds:
        """Return the detector's thresholds; words without calibrated ones take those given."""
        try:
            words = {str(w): (float(t["keep"]), float(t["absent"])) for w, t in self._data.get("words", {}).items()}
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise VhbenchError(
                f"--calibration {self.file}: expected words as {{WORD: {{keep, absent}}}}: {error}"
            ) from error
        return DetectionThresholds(keep=keep, absent=absent, words=words)

    def verification(self, keep: float, absent: float) -> VerifierThresholds:
        """Return the verifier's thresholds by attribute kind."""
        try:
            kinds = {str(kind): float(value) for kind, value in self._data.get("kinds", {}).items()}
        except (TypeError, ValueError, AttributeError) as error:
            raise VhbenchError(f"--calibration {self.file}: expected kinds as {{KIND: keep}}: {error}") from error
        return VerifierThresholds(keep=keep, absent=absent, kinds=kinds)
