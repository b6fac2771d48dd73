"""CLIP: how well texts fit images (transformers), with the image features cached on disk by the image's hash."""

import hashlib
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from vhbench.adapters.loading import batches, loading, needed_by, pick_device
from vhbench.files import cache_folder, read_image, write_atomic
from vhbench.images import as_seen, open_image
from vhbench.schema import ImageData

Floats = npt.NDArray[np.float32]


class ClipScorer:
    """Cosine similarities by a CLIP model.

    Args:
        name: a model on the Hub, or a folder.
        device: "cuda", "cpu" …; "auto" for a GPU where there is one.
        batch: images or texts at once.
        cache: folder for image features; in the user's cache by default.
    """

    def __init__(self, name: str, *, device: str = "auto", batch: int = 64, cache: Path | None = None) -> None:
        self.name = name
        self.device = device
        self.batch = batch
        self.cache = cache or cache_folder() / "clip"

    def matrix(self, images: Sequence[ImageData], texts: Sequence[str]) -> Floats:
        """Return cosine similarities, shape (images, texts); files are opened one batch at a time."""
        words = self._text_features(texts)
        parts = (self._image_features([read_image(i) for i in part]) for part in batches(images, self.batch))
        return np.concatenate([part @ words.T for part in parts])

    @cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        """Return (model, processor, device)."""
        with needed_by("--clip"):
            from transformers import AutoModel, AutoProcessor
        device = pick_device(self.device)
        with loading(f"CLIP model {self.name!r}"):
            model = AutoModel.from_pretrained(self.name, use_safetensors=True).eval().to(device)
            return model, AutoProcessor.from_pretrained(self.name), device

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
        model, processor, device = self._loaded
        import torch

        pixels = [as_seen(open_image(image)) for image in images]
        with torch.inference_mode():
            inputs = processor(images=pixels, return_tensors="pt").to(device)
            return _unit(model.get_image_features(**inputs))

    def _text_features(self, texts: Sequence[str]) -> Floats:
        model, processor, device = self._loaded
        import torch

        parts = []
        for part in batches(texts, self.batch):
            with torch.inference_mode():
                inputs = processor(text=list(part), return_tensors="pt", padding=True, truncation=True).to(device)
                parts.append(_unit(model.get_text_features(**inputs)))
        return np.concatenate(parts)


def _unit(features: Any) -> Floats:
    tensor = getattr(features, "pooler_output", features)  # transformers ≥ 5 returns an output object
    array: Floats = tensor.float().cpu().numpy()
    unit: Floats = array / np.linalg.norm(array, axis=1, keepdims=True)
    return unit
