"""Zero-shot object detectors via transformers: Grounding DINO, OWL-ViT, OWLv2 and similar."""

import inspect
from collections.abc import Sequence
from typing import Any

from vhbench.adapters.loading import batches, loading, needed_by, pick_device
from vhbench.images import open_image, to_display_rgb
from vhbench.protocols import Detection
from vhbench.schema import VhbenchError, iou

LEAST_SCORE = 0.05  # minimum detection confidence
SAME = 0.5  # IoU above which two boxes of one word are duplicates
WORDS_AT_ONCE = 20  # maximum number of words per text query; Grounding DINO truncates at 256 tokens

SETTINGS = {"least": LEAST_SCORE, "same": SAME, "words": WORDS_AT_ONCE}
"""Everything but the model that decides what is detected; part of the cache's key."""

_Look = tuple[bytes, Sequence[str]]  # image, and the words to detect in it


class ZeroShotDetector:
    """Zero-shot detector; implements :class:`vhbench.protocols.Detector`.

    The model is a name on the Hub or a folder, e.g. "IDEA-Research/grounding-dino-base", "google/owlv2-base-patch16".
    Batches of images are halved on GPU out-of-memory. Raises if it cannot be loaded or is not a zero-shot detector.
    """

    def __init__(self, model: str, *, batch: int = 8, revision: str = "", device: str = "auto") -> None:
        self.name = model.rstrip("/").rsplit("/", 1)[-1]
        self._batch = batch
        self._processor, self._model, self._device = _load(model, revision, device)
        # Grounding DINO scores the tokens of a sentence, OWL one phrase per query; the post-processing signature
        # differs.
        accepted = inspect.signature(self._processor.post_process_grounded_object_detection).parameters
        self._grounding = "input_ids" in accepted

    def knows(self, word: str) -> bool:
        """Return True: any word can be queried."""
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return the detections per image for the given words, most confident first.

        Raises if no words are given, or one image does not fit into GPU memory.
        """
        if not all(words):
            raise VhbenchError(f"{self.name}: expected at least one word to detect")
        looks = [(i, chunk) for i, own in enumerate(words) for chunk in batches(own, WORDS_AT_ONCE)]
        looks.sort(key=lambda look: -len(look[1]))  # all images of a batch have the same number of words
        results: list[list[Detection]] = [[] for _ in images]
        for batch in batches(looks, self._batch):
            for (i, _), detections in zip(batch, self._detect([(images[i], chunk) for i, chunk in batch]), strict=True):
                results[i] += detections
        return [sorted(each, key=lambda d: (-d.score, d.category, d.box)) for each in results]

    def _detect(self, looks: Sequence[_Look]) -> list[list[Detection]]:
        """Run a batch; on GPU out-of-memory, run its halves."""
        import torch

        try:
            return self._forward(looks)
        except torch.cuda.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            if len(looks) == 1:
                raise VhbenchError(f"{self.name}: one image does not fit into GPU memory") from error
        half = len(looks) // 2
        return [*self._detect(looks[:half]), *self._detect(looks[half:])]

    def _forward(self, looks: Sequence[_Look]) -> list[list[Detection]]:
        import torch

        pictures = [to_display_rgb(open_image(image)) for image, _ in looks]
        most = max(len(words) for _, words in looks)
        # Grounding DINO takes one lower-case sentence per image, its phrases ended by full stops; OWL takes phrases,
        # the same number for each image.
        phrases = [[*words, *[words[-1]] * (most - len(words))] for _, words in looks]
        text: Any = [
            ". ".join(words).lower() + "." if self._grounding else [f"a photo of {word}" for word in words]
            for words in phrases
        ]
        padding: Any = True if self._grounding else "max_length"
        inputs = self._processor(images=pictures, text=text, padding=padding, truncation=True, return_tensors="pt").to(
            self._device
        )
        with torch.inference_mode():
            outputs = self._model(**inputs)
        sizes = [(picture.height, picture.width) for picture in pictures]
        if self._grounding:
            results = self._grounded(outputs, inputs["input_ids"], [words for _, words in looks], sizes)
        else:
            results = self._labelled(outputs, phrases, sizes)
        return [distinct(each) for each in results]

    def _labelled(
        self, outputs: Any, words: Sequence[Sequence[str]], sizes: Sequence[tuple[int, int]]
    ) -> list[list[Detection]]:
        """Parse OWL's outputs: each box has one label and its score."""
        results = self._processor.post_process_grounded_object_detection(
            outputs, threshold=LEAST_SCORE, target_sizes=sizes, text_labels=[list(phrases) for phrases in words]
        )
        return [
            [
                detection(str(label), float(score), [float(v) for v in box], size)
                for score, label, box in zip(result["scores"], result["text_labels"], result["boxes"], strict=True)
            ]
            for result, size in zip(results, sizes, strict=True)
        ]

    def _grounded(
        self, outputs: Any, tokens: Any, words: Sequence[Sequence[str]], sizes: Sequence[tuple[int, int]]
    ) -> list[list[Detection]]:
        """Parse Grounding DINO's outputs: a box's phrase score is the maximum over its tokens.

        The library's own post-processing joins all tokens above a threshold into one label. With many phrases, this
        yields labels such as "dog cat" that were never queried.
        """
        stop = self._processor.tokenizer.convert_tokens_to_ids(".")
        results: list[list[Detection]] = []
        for i, (height, width) in enumerate(sizes):
            logits, boxes = outputs.logits[i].float().sigmoid(), outputs.pred_boxes[i].float()
            each = []
            for word, (first, last) in zip(words[i], _spans(tokens[i].tolist(), stop), strict=False):
                scores = logits[:, first:last].max(dim=1).values
                for index in (scores > LEAST_SCORE).nonzero().flatten().tolist():
                    x, y, w, h = boxes[index].tolist()
                    corners = [(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height]
                    each.append(detection(word, float(scores[index]), corners, (height, width)))
            results.append(each)
        return results


def _spans(tokens: Sequence[int], stop: int) -> list[tuple[int, int]]:
    """Return the token span of each phrase, between the class token and full stops.

    >>> _spans([101, 7, 8, 4, 9, 4, 102, 0], stop=4)
    [(1, 3), (4, 5)]
    """
    ends = [i for i, token in enumerate(tokens) if token == stop]
    return list(zip([1, *(end + 1 for end in ends)], ends, strict=False))


def detection(word: str, score: float, corners: Sequence[float], size: tuple[int, int]) -> Detection:
    """Return a detection whose box, given as corners, is clipped to the image (height, width)."""
    left, right = (min(max(value, 0.0), float(size[1])) for value in corners[::2])
    top, bottom = (min(max(value, 0.0), float(size[0])) for value in corners[1::2])
    box = (round(left, 2), round(top, 2), round(right - left, 2), round(bottom - top, 2))
    return Detection(word, round(score, 6), box)


def distinct(detections: Sequence[Detection]) -> list[Detection]:
    """Drop empty boxes, and duplicates of a more confident box of the same word (IoU > 0.5)."""
    kept: list[Detection] = []
    for one in sorted(detections, key=lambda d: (-d.score, d.category, d.box)):
        rivals = [other for other in kept if other.category == one.category]
        if one.box[2] > 0 and one.box[3] > 0 and all(iou(one.box, other.box) <= SAME for other in rivals):
            kept.append(one)
    return kept


def _load(model: str, revision: str, device: str) -> tuple[Any, Any, str]:
    with needed_by("--detector"):
        import torch
        from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor
    device = pick_device(device)
    options: dict[str, Any] = {"revision": revision} if revision else {}
    with loading(f"the zero-shot detector {model!r}"):
        processor = AutoProcessor.from_pretrained(model, **options)
        network = AutoModelForZeroShotObjectDetection.from_pretrained(model, use_safetensors=True, **options)
    if not hasattr(processor, "post_process_grounded_object_detection"):
        raise VhbenchError(f"{model!r} is not a supported zero-shot object detector (Grounding DINO, OWLv2, …)")
    return processor, network.eval().to(device, dtype=torch.float32), device
