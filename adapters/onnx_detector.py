"""ONNX detectors via onnxruntime: the YOLO family with closed classes, and YOLO-World.

The export type follows from the output shapes: (1, 4 + classes, boxes) for YOLOv8 to 11 and RT-DETR, (1, boxes, 5 +
classes) for YOLOv5, (1, boxes, 6) after non-maximum suppression, a pair of boxes and scores, or the four outputs of
MMYOLO (numbers, boxes, scores, labels). Class names come from the file's metadata ("names", as written by Ultralytics)
or from ``FILE.txt`` next to it, one per line.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench.adapters.detectors import LEAST_SCORE, detection, distinct
from vhbench.adapters.loading import batches, loading, needed_by
from vhbench.files import read_text
from vhbench.images import open_image, to_display_rgb
from vhbench.protocols import Detection
from vhbench.schema import VhbenchError

_Floats = npt.NDArray[np.float32]

_SIDE = 640  # input side in pixels if the file leaves it open
_GREY = 114  # padding value around an image of another aspect ratio, as in training


class OnnxDetector:
    """Closed-vocabulary detector of an ONNX file; implements :class:`vhbench.protocols.Detector`.

    The device "auto" is a GPU if onnxruntime supports one; images come in batches if the file allows more than one.
    Raises if onnxruntime is missing, the file is invalid, or its classes are unknown.
    """

    def __init__(self, file: str, *, device: str = "auto", batch: int = 8) -> None:
        self.name = Path(file).stem
        with needed_by("--detector onnx:…", "onnx"):
            import onnxruntime
        providers = ["CPUExecutionProvider"]
        if device != "cpu" and "CUDAExecutionProvider" in onnxruntime.get_available_providers():
            providers.insert(0, "CUDAExecutionProvider")
        if not Path(file).is_file():
            raise VhbenchError(f"--detector onnx:{file}: no such file")
        with loading(f"the detector {file}"):
            try:
                self._session: Any = onnxruntime.InferenceSession(file, providers=providers)
            except Exception as error:  # onnxruntime's exceptions share no other base class
                raise ValueError(str(error)) from error
        node = self._session.get_inputs()[0]
        self._input = node.name
        height, width = (side if isinstance(side, int) else _SIDE for side in node.shape[2:4])
        self._size = (height, width)
        self._batch = 1 if node.shape[0] == 1 else batch
        self.classes = _classes(Path(file), self._session.get_modelmeta().custom_metadata_map)
        self._known = {name.lower() for name in self.classes}

    def knows(self, word: str) -> bool:
        """Return whether a word is one of the classes."""
        return word.lower() in self._known

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return the detections per image for the given words, most confident first."""
        results: list[list[Detection]] = []
        for part in batches(list(zip(images, words, strict=True)), self._batch):
            pictures = [to_display_rgb(open_image(image)) for image, _ in part]
            fitted = [_fitted(picture, self._size) for picture in pictures]
            outputs = self._session.run(None, {self._input: np.stack([pixels for pixels, *_ in fitted])})
            for i, (_, queries) in enumerate(part):
                query_of = {word.lower(): word for word in queries}
                _, scale, left, top = fitted[i]
                size = (pictures[i].height, pictures[i].width)
                each = []
                for place, score, corners in _read([output[i] for output in outputs], self.name, len(self.classes)):
                    word = query_of.get(self.classes[place].lower()) if place < len(self.classes) else None
                    if word is not None and score > LEAST_SCORE:
                        back = [(v - shift) / scale for v, shift in zip(corners, (left, top) * 2, strict=True)]
                        each.append(detection(word, score, back, size))
                results.append(distinct(each))
        return results


def _classes(file: Path, metadata: Mapping[str, str]) -> list[str]:
    beside = file.with_suffix(".txt")
    if beside.is_file():
        return [line.strip() for line in read_text(beside).splitlines() if line.strip()]
    try:
        names = ast.literal_eval(metadata["names"])
        return [str(names[i]) for i in range(len(names))]
    except (KeyError, ValueError, SyntaxError, TypeError) as error:
        raise VhbenchError(
            f"{file}: its metadata names no classes; list them in {beside}, one per line, in the model's order"
        ) from error


def _fitted(picture: Any, size: tuple[int, int]) -> tuple[_Floats, float, float, float]:
    """Return an image as model input, (3, height, width) in [0, 1], with scale and offsets."""
    height, width = size
    scale = min(height / picture.height, width / picture.width)
    small = picture.resize((max(1, round(picture.width * scale)), max(1, round(picture.height * scale))))
    left, top = (width - small.width) // 2, (height - small.height) // 2
    whole = np.full((height, width, 3), _GREY, np.uint8)
    whole[top : top + small.height, left : left + small.width] = np.asarray(small.convert("RGB"))
    return (whole.transpose(2, 0, 1) / np.float32(255)).astype(np.float32), scale, float(left), float(top)


def _read(outputs: Sequence[Any], name: str, classes: int) -> Iterator[tuple[int, float, list[float]]]:
    """Yield (class, score, corners in pixels of the input) of one image."""
    if len(outputs) == 4:
        number, boxes, scores, labels = outputs
        rows = zip(labels, scores, boxes, strict=True)
        yield from (
            (int(label), float(score), [float(v) for v in box])
            for label, score, box in list(rows)[: int(np.ravel(number)[0])]
        )
    elif len(outputs) == 2:
        boxes, scores = sorted(outputs, key=lambda output: output.shape[-1] != 4)
        yield from _best(boxes, scores)
    elif outputs[0].ndim == 2 and outputs[0].shape[1] == 6 and classes != 1:
        yield from ((int(row[5]), float(row[4]), [float(v) for v in row[:4]]) for row in outputs[0])
    elif outputs[0].ndim == 2 and outputs[0].shape[0] == 4 + classes:
        yield from _best(_corners(outputs[0][:4].T), outputs[0][4:].T)
    elif outputs[0].ndim == 2 and outputs[0].shape[1] == 5 + classes:
        yield from _best(_corners(outputs[0][:, :4]), outputs[0][:, 5:] * outputs[0][:, 4:5])
    else:
        shapes = ", ".join(str(output.shape) for output in outputs)
        raise VhbenchError(
            f"{name}: outputs of shapes {shapes} with {classes} classes are not supported; expected "
            "(4 + classes, boxes), (boxes, 5 + classes), (boxes, 6), boxes and scores, or MMYOLO's four"
        )


def _best(boxes: _Floats, scores: _Floats) -> Iterator[tuple[int, float, list[float]]]:
    """Yield each box with every class above the minimum score."""
    for row, place in np.argwhere(scores > LEAST_SCORE).tolist():
        yield place, float(scores[row, place]), [float(v) for v in boxes[row]]


def _corners(boxes: _Floats) -> _Floats:
    """Convert boxes from centre and size to corners."""
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.concatenate([centre - half, centre + half], axis=1)
