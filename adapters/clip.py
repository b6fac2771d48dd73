"""CLIP: how well texts fit images (transformers), with the image features cached on disk by the image's hash."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from vhbench.files import cache_folder, write_atomic
from vhbench.images import open_image
from vhbench.progress import Progress
from vhbench.schema import ImageData, VhbenchError, read_image

Floats = npt.NDArray[np.float32]


class ClipScorer:
    """Cosine similarities by a CLIP model; implements :class:`vhbench.protocols.TextImageScorer`.

    Args:
        name: a model on the Hub, or a folder.
        device: "cuda", "cpu" …; "" for a GPU where there is one.
        batch: images or texts at once.
        cache: folder for image features; in the user's cache by default.
    """

    def __init__(self, name: str, *, device: str = "", batch: int = 64, cache: Path | None = None) -> None:
        self.name = name
        self.device = device
        self.batch = batch
        self.cache = cache or cache_folder() / "clip"

    def similarity(self, images: Sequence[bytes], texts: Sequence[str]) -> Floats:
        """Return cosine similarities, shape (images, texts)."""
        return self.matrix(images, texts)

    def matrix(self, images: Sequence[ImageData], texts: Sequence[str], *, progress: bool = False) -> Floats:
        """Return cosine similarities, shape (images, texts); files are opened one batch at a time."""
        words = self._text_features(texts)
        rows = np.zeros((len(images), len(texts)), np.float32)
        with Progress("looking with CLIP", total=len(images), unit="images", enabled=progress) as bar:
            for start, part in _batches(images, self.batch):
                rows[start : start + len(part)] = self._image_features([read_image(i) for i in part]) @ words.T
                for _ in part:
                    bar.advance()
        return rows

    @cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        """Return (model, processor, device)."""
        try:
            import torch
            from transformers import AutoModel, AutoProcessor
        except ImportError as error:
            raise VhbenchError(f"--clip needs vhbench[generate]: {error}") from error
        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            model = AutoModel.from_pretrained(self.name, use_safetensors=True).eval().to(device)
            return model, AutoProcessor.from_pretrained(self.name), device
        except (OSError, ValueError) as error:
            raise VhbenchError(f"cannot load CLIP model {self.name!r}: {str(error).splitlines()[0]}") from error

    @cached_property
    def _folder(self) -> Path:
        """The cache of this model: its name and a hash of its weights' configuration."""
        model, _, _ = self._loaded
        weights = hashlib.sha256(model.config.to_json_string().encode())
        weights.update(next(model.parameters()).detach().cpu().float().numpy().tobytes())
        return self.cache / weights.hexdigest()[:16]

    def _image_features(self, images: Sequence[bytes]) -> Floats:
        paths = [self._folder / f"{hashlib.sha256(image).hexdigest()}.npy" for image in images]
        if not all(path.is_file() for path in paths):
            self._folder.mkdir(parents=True, exist_ok=True)
            with FileLock(str(self._folder / "lock")):  # processes that build together share the work, batch by batch
                missing = [i for i, path in enumerate(paths) if not path.is_file()]
                if missing:
                    for i, feature in zip(missing, self._encode_images([images[i] for i in missing]), strict=True):
                        save = partial(np.save, arr=feature, allow_pickle=False)
                        write_atomic(paths[i], save, durable=False)
        return np.stack([np.load(path, allow_pickle=False) for path in paths])

    def _encode_images(self, images: Sequence[bytes]) -> Floats:
        import torch

        model, processor, device = self._loaded
        pixels = [open_image(image).convert("RGB") for image in images]
        with torch.inference_mode():
            inputs = processor(images=pixels, return_tensors="pt").to(device)
            return _unit(model.get_image_features(**inputs))

    def _text_features(self, texts: Sequence[str]) -> Floats:
        import torch

        model, processor, device = self._loaded
        parts = []
        for _, part in _batches(texts, self.batch):
            with torch.inference_mode():
                inputs = processor(text=list(part), return_tensors="pt", padding=True, truncation=True).to(device)
                parts.append(_unit(model.get_text_features(**inputs)))
        return np.concatenate(parts)


def _batches(items: Sequence[Any], size: int) -> Iterator[tuple[int, Sequence[Any]]]:
    return ((start, items[start : start + size]) for start in range(0, len(items), size))


def _unit(features: Any) -> Floats:
    tensor = getattr(features, "pooler_output", features)  # transformers ≥ 5 returns an output object
    array: Floats = tensor.float().cpu().numpy()
    unit: Floats = array / np.linalg.norm(array, axis=1, keepdims=True)
    return unit
