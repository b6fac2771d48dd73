"""ONNX files of detectors that always find the same, in each of the forms in which detectors are exported."""

from pathlib import Path
from typing import Any

import numpy as np

CLASSES = ["dog", "person", "cup"]
BOXES = np.array([[20, 30, 60, 80], [100, 40, 140, 90], [100, 42, 141, 90]], np.float32)  # corners, of 160 × 160
SCORES = np.array([[0.9, 0.0, 0.0], [0.0, 0.8, 0.1], [0.0, 0.7, 0.0]], np.float32)


def _rows() -> np.ndarray:
    centre, size = (BOXES[:, :2] + BOXES[:, 2:]) / 2, BOXES[:, 2:] - BOXES[:, :2]
    return np.concatenate([centre, size], axis=1).astype(np.float32)


def outputs_of(form: str) -> list[np.ndarray]:
    """Return what a file of a form gives for each image."""
    best = SCORES.argmax(axis=1)
    if form == "yolov8":
        return [np.concatenate([_rows(), SCORES], axis=1).T]
    if form == "yolov5":
        return [np.concatenate([_rows(), np.ones((3, 1), np.float32), SCORES], axis=1)]
    if form == "end_to_end":
        return [np.concatenate([BOXES, SCORES.max(axis=1)[:, None], best[:, None].astype(np.float32)], axis=1)]
    if form == "boxes_and_scores":
        return [BOXES, SCORES]
    return [np.array([2], np.int64), BOXES, SCORES.max(axis=1), best.astype(np.int64)]  # MMYOLO's, of YOLO-World


def save(folder: Path, form: str, *, names: bool = True) -> Path:
    """Save a file, with the names of its classes in its metadata or without."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    given = outputs_of(form)
    nodes: list[Any] = [helper.make_node("ReduceMean", ["images"], ["mean"], keepdims=0)]
    zero = numpy_helper.from_array(np.array(0, np.float32), "zero")
    nodes.append(helper.make_node("Mul", ["mean", "zero"], ["none"]))
    constants, told = [zero], []
    for i, value in enumerate(given):
        constants.append(numpy_helper.from_array(value[None], f"value{i}"))
        kind = TensorProto.FLOAT if value.dtype == np.float32 else TensorProto.INT64
        if kind == TensorProto.FLOAT:
            nodes.append(helper.make_node("Add", [f"value{i}", "none"], [f"output{i}"]))
        else:
            nodes.append(helper.make_node("Identity", [f"value{i}"], [f"output{i}"]))
        told.append(helper.make_tensor_value_info(f"output{i}", kind, [1, *value.shape]))
    images = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 160, 160])
    model = helper.make_model(
        helper.make_graph(nodes, form, [images], told, constants), opset_imports=[helper.make_opsetid("", 13)]
    )
    model.ir_version = 8
    if names:
        helper.set_model_props(model, {"names": str(dict(enumerate(CLASSES)))})
    file = folder / f"{form}.onnx"
    onnx.save(model, file)
    return file
