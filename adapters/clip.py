"""CLIP image–text similarity (transformers), with image features cached by image hash."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from vhbench.adapters.loading import batches, loading, needed_by, pick_device
from vhbench.files import cache_folder, cached, read_image
from vhbench.images import open_image, to_display_rgb
from vhbench.schema import ImageData

Floats = npt.NDArray[np.float32]


class ClipScorer:
    """Cosine similarities from a CLIP model on the Hub or in a folder; its image features are cached."""

    def __init__(self, name: str, *, device: str = "auto", batch: int = 64, cache: Path | None = None) -> None:
        self.name = name
        self.device = device
        self.batch = batch
        self.cache = cache or cache_folder()

    def similarities(self, images: Sequence[ImageData], texts: Sequence[Sequence[str]]) -> Callable[[str], Floats]:
        """Return a function from a text to its cosine similarity with each image; images are read in batches.

        Texts come in groups; a group is encoded when one of its texts is requested, since there may be thousands.
        """
        seen, known = self.features(images), dict[str, Floats]()

        def similarity(text: str) -> Floats:
            if text not in known:
                group = next((group for group in texts if text in group), (text,))
                known.update(zip(group, self._text_features(group), strict=True))
            scores: Floats = seen @ known[text]
            return scores

        return similarity

    def features(self, images: Sequence[ImageData]) -> Floats:
        """Return the unit-length features of images, shape (images, dimension)."""
        parts = (self._image_features([read_image(i) for i in part]) for part in batches(images, self.batch))
        return np.concatenate(list(parts))

    @cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        with needed_by("--clip"):
            from transformers import AutoModel, AutoProcessor
        device = pick_device(self.device)
        with loading(f"CLIP model {self.name!r}"):
            model = AutoModel.from_pretrained(self.name, use_safetensors=True).eval().to(device)
            return model, AutoProcessor.from_pretrained(self.name), device

    @cached_property
    def _weights(self) -> str:
        """Cache key of this model: a hash of its configuration and of a sample of its weights."""
        model, _, _ = self._loaded
        weights = hashlib.sha256(model.config.to_json_string().encode())
        weights.update(next(model.parameters()).detach().cpu().float().numpy().tobytes())
        return weights.hexdigest()

    def _image_features(self, images: Sequence[bytes]) -> Floats:
        keys = [[self._weights, hashlib.sha256(image).hexdigest()] for image in images]

        def make(missing: list[int]) -> list[bytes]:
            return [feature.tobytes() for feature in self._encode_images([images[i] for i in missing])]

        self.cache.mkdir(parents=True, exist_ok=True)
        with FileLock(self.cache / "clip.lock"):  # concurrent builds share the work, batch by batch
            features = list(cached("clip", keys, make, folder=self.cache))
        return np.stack([np.frombuffer(feature, np.float32) for feature in features])

    def _encode_images(self, images: Sequence[bytes]) -> Floats:
        model, processor, device = self._loaded
        import torch

        pixels = [to_display_rgb(open_image(image)) for image in images]
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
