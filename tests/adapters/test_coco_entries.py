"""Which annotations are usable: each fault, and each bound on both sides."""

from types import SimpleNamespace
from typing import Any

import pytest

from vhbench.adapters import coco_entries
from vhbench.adapters.coco_entries import annotation_fault

SLACK = coco_entries._SLACK


def annotation(**options: Any) -> Any:
    return SimpleNamespace(**{"id": 5, "image_id": 3, "category_id": 1, "area": 10, "bbox": [0, 0, 20, 10], **options})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, None),
        ({"id": 2**63 - 1}, None),
        ({"id": 2**63}, "id out of range"),
        ({"id": 4}, "duplicate annotation id"),
        ({"image_id": 4}, "unknown image"),
        ({"category_id": 2}, "unknown category"),
        ({"area": None}, None),
        ({"area": 0}, None),
        ({"area": coco_entries.LONGEST_SIDE**2}, None),
        ({"area": -1}, "impossible area"),
        ({"area": coco_entries.LONGEST_SIDE**2 + 1}, "impossible area"),
        ({"bbox": [0, 0, 0, 10]}, "empty box"),
        ({"bbox": [0, 0, 10, -1]}, "empty box"),
        ({"bbox": [-SLACK, -SLACK, 20 + 2 * SLACK, 10 + 2 * SLACK]}, None),
        ({"bbox": [-SLACK - 0.1, 0, 5, 5]}, "box outside its image"),
        ({"bbox": [0, -SLACK - 0.1, 5, 5]}, "box outside its image"),
        ({"bbox": [0, 0, 20.1 + SLACK, 5]}, "box outside its image"),
        ({"bbox": [0, 0, 5, 10.1 + SLACK]}, "box outside its image"),
        ({"bbox": [15, 0, 5 + SLACK, 5]}, None),
        ({"bbox": [0, 5, 5, 5 + SLACK]}, None),
    ],
)
def test_faults_of_annotations(options: dict[str, Any], reason: str | None) -> None:
    images: Any = [SimpleNamespace(id=1, width=1, height=1), SimpleNamespace(id=3, width=20, height=10)]
    fault = annotation_fault(annotation(**options), {1: 0, 3: 1}, {4}, {1: "dog"}, images)
    assert (fault and fault[0]) == reason
    if reason == "box outside its image":
        assert fault is not None
        assert fault[1].endswith("leaves image 3 of 20x10")
