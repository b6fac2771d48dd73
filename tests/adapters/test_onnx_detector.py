"""Detectors as ONNX files: each form of export is read alike, and its classes are all that it knows."""

import io
from pathlib import Path

import pytest
from PIL import Image

from vhbench.adapters.onnx_detector import OnnxDetector
from vhbench.schema import VhbenchError

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
from tiny_onnx_detector import CLASSES, save


def picture(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize("form", ["yolov8", "yolov5", "end_to_end", "boxes_and_scores", "mmyolo"])
def test_each_form_of_export_is_read_alike(form: str, tmp_path: Path) -> None:
    detector = OnnxDetector(str(save(tmp_path, form)), device="cpu")
    # 320 × 160 pixels lie in the middle of 160 × 160, at half their size: what is seen at y = 40 is there at 0.
    square, wide = detector.detect([picture(160, 160), picture(320, 160)], [["Dog", "person"], ["dog", "zebra"]])
    assert [(d.category, round(d.score, 3), d.box) for d in square] == [
        ("Dog", 0.9, (20.0, 30.0, 40.0, 50.0)),
        ("person", 0.8, (100.0, 40.0, 40.0, 50.0)),
    ], "two boxes of one person are one"
    assert [(d.category, d.box) for d in wide] == [("dog", (40.0, 0.0, 80.0, 80.0))]
    assert [detector.knows(word) for word in ("cup", "zebra")] == [True, False]


def test_classes_may_stand_beside_the_file(tmp_path: Path) -> None:
    file = save(tmp_path, "yolov8", names=False)
    with pytest.raises(VhbenchError, match=r"yolov8\.onnx: its metadata names no classes; list them in .*yolov8\.txt"):
        OnnxDetector(str(file))
    file.with_suffix(".txt").write_text("\n".join(CLASSES))
    assert OnnxDetector(str(file)).classes == CLASSES


def test_what_is_no_detector_is_named(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="no such file"):
        OnnxDetector(str(tmp_path / "none.onnx"))
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    with pytest.raises(VhbenchError, match=r"cannot load the detector .*bad\.onnx"):
        OnnxDetector(str(tmp_path / "bad.onnx"))
    file = save(tmp_path, "yolov8")
    file.with_suffix(".txt").write_text("dog\n")
    with pytest.raises(VhbenchError, match=r"outputs of shapes \(7, 3\) with 1 classes are not supported"):
        OnnxDetector(str(file)).detect([picture(160, 160)], [["dog"]])
