"""Zero-shot object detectors, through transformers: Grounding DINO, OWL-ViT, OWLv2 and what follows their interface."""

import inspect
import io
from collections.abc import Iterator, Sequence
from typing import Any

from vhbench.protocols import Detection
from vhbench.schema import VhbenchError

LEAST_SCORE = 0.05
"""Detections below this confidence are noise, and are dropped."""

WORDS_AT_ONCE = 20
"""A text query holds so many words; Grounding DINO reads 256 tokens at most."""


class ZeroShotDetector:
    """A zero-shot detector; implements :class:`vhbench.protocols.Detector`.

    Args:
        model: name on the Hub or folder, e.g. "IDEA-Research/grounding-dino-base", "google/owlv2-base-patch16".
        batch: images looked at together; halved where GPU memory does not suffice.
        revision: of the model on the Hub.

    Raises:
        VhbenchError: if transformers is missing or the model cannot be loaded or is no zero-shot detector.
    """

    def __init__(self, model: str, *, batch: int = 8, revision: str = "") -> None:
        self.name = model.rstrip("/").rsplit("/", 1)[-1]
        self._batch = batch
        self._processor, self._model, self._device = _load(model, revision)
        accepted = inspect.signature(self._processor.post_process_grounded_object_detection).parameters
        self._grounding = "input_ids" in accepted
        self._threshold = "threshold" if "threshold" in accepted else "box_threshold"

    def detect(self, images: Sequence[bytes], words: Sequence[str]) -> list[list[Detection]]:
        """Return the detections per image, for the words that were asked for, most confident first.

        Raises:
            VhbenchError: if no words are given, or one image does not fit into GPU memory.
        """
        if not words:
            raise VhbenchError(f"{self.name}: no words to look for")
        found: list[list[Detection]] = [[] for _ in images]
        for chunk in _chunks(list(words), WORDS_AT_ONCE):
            for start, batch in self._batches(images):
                for offset, detections in enumerate(self._detect(batch, chunk)):
                    found[start + offset].extend(detections)
        return [sorted(each, key=lambda d: (-d.score, d.category, d.box)) for each in found]

    def _batches(self, images: Sequence[bytes]) -> Iterator[tuple[int, Sequence[bytes]]]:
        for start in range(0, len(images), self._batch):
            yield start, images[start : start + self._batch]

    def _detect(self, images: Sequence[bytes], words: Sequence[str]) -> list[list[Detection]]:
        """Look at a batch; where GPU memory does not suffice, at its halves."""
        import torch

        try:
            return self._forward(images, words)
        except torch.cuda.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            if len(images) == 1:
                raise VhbenchError(f"{self.name}: one image does not fit into GPU memory") from error
        half = len(images) // 2
        return [*self._detect(images[:half], words), *self._detect(images[half:], words)]

    def _forward(self, images: Sequence[bytes], words: Sequence[str]) -> list[list[Detection]]:
        import torch
        from PIL import Image

        pictures = [Image.open(io.BytesIO(image)).convert("RGB") for image in images]
        # Grounding DINO reads one lower-case sentence per image, its phrases ended by full stops; OWL reads phrases.
        text: Any = [". ".join(words).lower() + "."] if self._grounding else [[f"a photo of {word}" for word in words]]
        inputs = self._processor(images=pictures, text=text * len(pictures), return_tensors="pt").to(self._device)
        with torch.inference_mode():
            outputs = self._model(**inputs)
        options: dict[str, Any] = {self._threshold: LEAST_SCORE}
        if self._grounding:
            options |= {"input_ids": inputs["input_ids"], "text_threshold": LEAST_SCORE}
        else:
            options["text_labels"] = [list(words)] * len(pictures)
        sizes = [(picture.height, picture.width) for picture in pictures]
        results = self._processor.post_process_grounded_object_detection(outputs, target_sizes=sizes, **options)
        return [list(_detections(r, words, p.width, p.height)) for r, p in zip(results, pictures, strict=True)]


def _detections(result: Any, words: Sequence[str], width: int, height: int) -> Iterator[Detection]:
    """Yield what a post-processor found, clipped to the image; labels that join several words are left out."""
    known = {word.lower(): word for word in words}
    for score, label, corners in zip(result["scores"], result["text_labels"], result["boxes"], strict=True):
        word = known.get(str(label).strip().lower())
        left, top, right, bottom = (float(value) for value in corners)
        left, right = max(0.0, left), min(float(width), right)
        top, bottom = max(0.0, top), min(float(height), bottom)
        if word is not None and right > left and bottom > top:
            yield Detection(word, round(float(score), 6), (left, top, right - left, bottom - top))


def _chunks(items: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _load(model: str, revision: str) -> tuple[Any, Any, str]:
    try:
        import torch
        from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor
    except ImportError as error:
        raise VhbenchError(f"--detector needs: pip install 'vhbench[generate]' ({error})") from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    options: dict[str, Any] = {"revision": revision} if revision else {}
    try:
        processor = AutoProcessor.from_pretrained(model, **options)
        network = AutoModelForZeroShotObjectDetection.from_pretrained(model, use_safetensors=True, **options)
    except (OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise VhbenchError(f"cannot load the zero-shot detector {model!r}: {reason}") from error
    if not hasattr(processor, "post_process_grounded_object_detection"):
        raise VhbenchError(f"{model!r} is no zero-shot object detector that vhbench knows (Grounding DINO, OWLv2, …)")
    return processor, network.eval().to(device), device
