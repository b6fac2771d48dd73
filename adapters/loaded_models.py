"""Image sources, detectors and verifiers with cached outputs; each model is loaded once per process, when needed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from vhbench.adapters import detectors, hub, model_identity
from vhbench.adapters.loading import needed_by, pick_device, pick_dtype
from vhbench.adapters.model_cache import CachedImageSource, KeptDetections, KeptVerdicts
from vhbench.adapters.onnx_detector import OnnxDetector
from vhbench.adapters.photo_pairs import PhotoSource
from vhbench.adapters.text_to_image import DiffusersSource
from vhbench.adapters.verifiers import ClipVerifier, QuestionVerifier
from vhbench.files import file_sha256
from vhbench.protocols import Detector, ImageSource, Verifier
from vhbench.schema import VhbenchError


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Text-to-image model and how it is run; options of the build."""

    model: str
    revision: str = ""
    steps: int | None = None
    guidance: float | None = None
    dtype: str = "auto"
    device: str = "auto"
    offload: str = "none"  # has no effect on the output, nor has ``batch``
    batch: int = 4

    @property
    def depends_on(self) -> Mapping[str, Any]:
        """Cache key of the images besides their specs and seeds; JSON types only."""
        name, revision = self._named
        identity = model_identity.identity(name, revision, holds=model_identity.PIPELINE)
        libraries = model_identity.libraries("diffusers", "torch", "transformers")
        return {**self.stated, "model": identity, "libraries": libraries}

    @property
    def stated(self) -> Mapping[str, Any]:
        """The part of :attr:`depends_on` that its options say; the model only if they name its commit."""
        name, revision = self._named
        pinned = {"model": f"{name}@{revision}"} if hub.is_commit(revision) else {}
        return {**pinned, "steps": self.steps, "guidance": self.guidance, "dtype": self.dtype}

    @property
    def _named(self) -> tuple[str, str]:
        name, revision = model_identity.named(self.model)
        return name, self.revision or revision


@lru_cache(maxsize=2)
def image_source(pipeline: Pipeline) -> ImageSource:
    """Return a text-to-image model with an image cache."""
    with needed_by("--images diffusers:…"):  # the precision that "auto" selects on this machine
        dtype = pick_dtype(pipeline.dtype, pick_device(pipeline.device))
    identity = {**pipeline.depends_on, "dtype": dtype}

    def load() -> ImageSource:
        model, revision = _pinned(pipeline.model, identity["model"], pipeline.revision)
        return DiffusersSource(**{**asdict(pipeline), "model": model, "revision": revision})

    return CachedImageSource(f"diffusers:{_short(pipeline.model)}", identity, load)


def model_of(name: str) -> str:
    """Return an identifier of the content of a named detector or verifier; "" for none."""
    if not name:
        return ""
    kind, _, place = name.partition(":")
    model, revision = model_identity.named(place if kind in ("onnx", "vqa") else name)
    if kind == "onnx" and not Path(model).is_file():
        raise VhbenchError(f"--detector {name}: no such file")
    identity = model_identity.identity(model, revision)
    beside = Path(model).with_suffix(".txt")
    return f"{identity}+{file_sha256(beside)}" if kind == "onnx" and beside.is_file() else identity


@lru_cache(maxsize=2)
def detector(name: str, device: str = "auto", batch: int = 8) -> Detector:
    """Return a detector with cached results: "NAME", "NAME@REVISION", a folder, or "onnx:FILE"."""
    identity = model_of(name)

    def load() -> Detector:
        if name.startswith("onnx:"):
            return OnnxDetector(name.removeprefix("onnx:"), device=device, batch=batch)
        model, revision = _pinned(name, identity)
        return detectors.ZeroShotDetector(model, revision=revision, device=device, batch=batch)

    libraries = model_identity.libraries("torch", "transformers", "onnxruntime")
    return KeptDetections(_short(name), {"detector": identity, **detectors.SETTINGS, "libraries": libraries}, load)


@lru_cache(maxsize=2)
def verifier(name: str, device: str = "auto") -> Verifier:
    """Return a verifier with cached results: a CLIP-like model, named as a detector is, or "vqa:NAME" for another."""
    identity, questions = model_of(name), name.startswith("vqa:")

    def load() -> Verifier:
        model, revision = _pinned(name.removeprefix("vqa:"), identity)
        return (QuestionVerifier if questions else ClipVerifier)(model, revision=revision, device=device)

    libraries = model_identity.libraries("torch", "transformers")
    return KeptVerdicts(_short(name), {"verifier": identity, "questions": questions, "libraries": libraries}, load)


@lru_cache(maxsize=1)
def photos(source: str) -> PhotoSource:
    """Return the photos of "photos:INSTANCES.json=DIR"; read once per process."""
    annotations, _, folder = source.removeprefix("photos:").rpartition("=")
    return PhotoSource(Path(annotations), Path(folder))


def unload() -> None:
    """Free the models that this process has loaded."""
    for load in (image_source, detector, verifier):
        load.cache_clear()


def _pinned(text: str, identity: str, revision: str = "") -> tuple[str, str]:
    """Return name or folder, and revision of a model: the commit in its identity, which a folder has not."""
    name, named_revision = model_identity.named(text)
    commit = "" if identity.startswith("sha256:") else identity.rpartition("@")[2]
    return name, commit or revision or named_revision


def _short(name: str) -> str:
    return model_identity.named(name)[0].rpartition(":")[2].rstrip("/").rsplit("/", 1)[-1]
