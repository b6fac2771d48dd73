"""Which annotations are usable: each fault, and each bound on both sides."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from vhbench.adapters import coco_entries
from vhbench.adapters.annotation_errors import BadEntryPolicy
from vhbench.adapters.coco_entries import annotation_fault
from vhbench.schema import VhbenchError

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


def raw(**fields: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode({"id": 1, "width": 20, "height": 10, "file_name": "a.png", **fields}))


@pytest.mark.parametrize(
    ("images", "ids", "dropped"),
    [
        ([raw()], [1], []),
        ([raw(), raw(), raw(id=2)], [2], [("duplicate image id", "image 1")]),
        ([raw(id=2**63), raw(id=2)], [2], [("id out of range", f"image {2**63}")]),
        ([raw(width=0), raw(id=2)], [2], [("image without a size", "image 1")]),
        ([raw(file_name=""), raw(id=2)], [2], [("image without a file name", "image 1")]),
        ([raw(file_name="../a.png"), raw(id=2)], [2], [("path leaves its folder", "image 1")]),
        ([raw(file_name="/a.png"), raw(id=2)], [2], [("path leaves its folder", "image 1")]),
        ([raw(file_name="b.png"), raw(id=2)], [2], [("missing image file", "image 1")]),
        ([raw(file_name="none/a.png"), raw(id=2)], [2], [("missing image file", "image 1")]),
        ([raw(id="x"), raw(id=2)], [2], [("malformed entry", "images[0]")]),
    ],
)
def test_faults_of_images(
    images: list[msgspec.Raw], ids: list[int], dropped: list[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "a.png").touch()
    faults = BadEntryPolicy(tmp_path / "x.json", skip=True)
    assert [image.id for image in coco_entries.read_images(images, tmp_path, faults)] == ids
    assert faults.items == dropped
    if dropped:
        with pytest.raises(VhbenchError, match=r"--skip-bad leaves such entries out and counts them$"):
            coco_entries.read_images(images, tmp_path, BadEntryPolicy(tmp_path / "x.json"))


def test_files_of_urls_and_files_without_a_folder(tmp_path: Path) -> None:
    (tmp_path / "train2017").mkdir()
    (tmp_path / "train2017/7.jpg").touch()
    (tmp_path / "8.jpg").touch()
    faults = BadEntryPolicy(tmp_path / "x.json")
    url = {"file_name": "", "coco_url": "http://x/train2017/7.jpg"}
    images = [raw(**url), raw(**{**url, "coco_url": "http://x/train2017/8.jpg"}, id=2)]
    found = coco_entries.read_images(images, tmp_path, faults)
    assert [image.file_name for image in found] == ["train2017/7.jpg", "8.jpg"]
    [image] = coco_entries.read_images(images[:1], None, faults)  # no folder: no file is looked for
    assert image.file_name == "7.jpg"
    with pytest.raises(VhbenchError, match=rf"^no folder of images at {tmp_path / 'none'}$"):
        coco_entries.read_images(images, tmp_path / "none", faults)
    with pytest.raises(VhbenchError, match=r"x\.json: no usable images$"):
        coco_entries.read_images([raw(), raw()], None, BadEntryPolicy(tmp_path / "x.json", skip=True))


def test_categories_with_one_id_or_name_are_ambiguous(tmp_path: Path) -> None:
    def categories(*pairs: tuple[int, str]) -> list[Any]:
        return [coco_entries._Category(*pair) for pair in pairs]

    faults = BadEntryPolicy(tmp_path / "x.json", skip=True)
    assert coco_entries.read_categories(categories((1, "dog"), (2, "cat"), (1, "cow"), (3, "cat")), faults) == {
        2: "cat"
    }
    assert faults.items == [("duplicate category", "category 1"), ("duplicate category", "category 3")]
    with pytest.raises(VhbenchError, match=r"x\.json: no categories$"):
        coco_entries.read_categories(categories((1, "dog"), (1, "dog")), faults)


def keypoints(*seen: int, labelled: int = 2) -> list[float]:
    return [float(value) for place in range(17) for value in (1, 1, labelled * (place in seen))]


@pytest.mark.parametrize(
    ("points", "shown"),
    [
        (None, None), ([], None), (keypoints(), None), (keypoints(4), True), (keypoints(7, 8, 13), False),
        (keypoints(5), False), (keypoints(5, 12), True), (keypoints(6, 11), True), (keypoints(0)[:-3], None),
        (keypoints(0, labelled=1), True),
    ],
)  # fmt: skip
def test_a_head_or_half_a_torso_is_a_body(points: list[float] | None, shown: bool | None) -> None:
    assert coco_entries.shows_body(points) is shown


def test_keypoints_of_people_are_read_by_annotation(tmp_path: Path) -> None:
    file = tmp_path / "keypoints.json"
    people = [{"id": 1, "keypoints": keypoints(0)}, {"id": 2, "keypoints": keypoints(9)}, {"id": 3}]
    file.write_bytes(msgspec.json.encode({"annotations": people}))
    assert coco_entries.read_keypoints(file) == {1: True, 2: False}
    file.write_bytes(msgspec.json.encode({"annotations": people[2:]}))
    with pytest.raises(VhbenchError, match=r"keypoints\.json: none of its 1 annotations has keypoints$"):
        coco_entries.read_keypoints(file)


@pytest.mark.parametrize(
    ("box", "small"),
    [
        ((2, 2, 10, 20), False),  # within
        ((0, 2, 10, 20), True),  # 200 of 10,000 pixels
        ((1, 2, 10, 20), True),
        ((1.1, 2, 10, 20), False),
        ((0, 2, 10, 25), False),  # a fortieth
        ((0, 2, 60, 50), True),  # wide
        ((0, 2, 50, 50), False),
        ((89, 2, 10, 20), True),
        ((88.9, 2, 10, 20), False),
        ((2, 1, 10, 20), True),
        ((2, 79, 10, 20), True),
        ((2, 78.9, 10, 20), False),
    ],
)
def test_small_or_wide_boxes_at_the_frame_are_cut(box: tuple[float, ...], small: bool) -> None:
    frame: Any = SimpleNamespace(width=100, height=100)
    assert coco_entries.is_cut_small(annotation(bbox=box), frame) is small


def test_ids_of_a_malformed_annotation_are_read_as_far_as_possible() -> None:
    def about(text: str) -> tuple[int | None, int | None]:
        return coco_entries.about(msgspec.Raw(text.encode()))

    assert about('{"image_id": 3, "category_id": "x"}') == (3, None)
    assert about('{"category_id": 4, "image_id": true}') == (None, 4)
    assert about("[1]") == (None, None)
