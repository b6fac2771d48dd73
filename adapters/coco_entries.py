"""Entries of a COCO instances JSON, and their validation."""

import os
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from vhbench.adapters.annotation_errors import LONGEST_SIDE, BadEntryPolicy, fits_64_bits, size_fault
from vhbench.files import quote_value, read_typed
from vhbench.schema import VhbenchError

_SLACK = 1.5  # tolerance in pixels: COCO rounds coordinates to hundredths and some boxes to pixels


class _Category(msgspec.Struct, gc=False):
    id: int
    name: str


class Image(msgspec.Struct, gc=False):
    """One entry of ``images``; the lists are LVIS's and PACO's, ``coco_url`` is LVIS's."""

    id: int
    width: int
    height: int
    file_name: str = ""
    coco_url: str = ""
    license: int | None = None
    flickr_url: str | None = None
    neg_category_ids: list[int] | None = None
    not_exhaustive_category_ids: list[int] | None = None
    not_exhaustive_category_ids_attrs: list[int] | None = None

    def is_federated(self) -> bool:
        """Return whether it lists its own verified categories."""
        return self.neg_category_ids is not None or self.not_exhaustive_category_ids is not None


class Annotation(msgspec.Struct, gc=False):
    """One entry of ``annotations``; the fields from ``attribute_ids`` on are PACO's."""

    id: int
    image_id: int
    category_id: int
    bbox: tuple[float, float, float, float]
    area: float | None = None
    iscrowd: int = 0
    keypoints: list[float] | None = None
    attribute_ids: list[int] | None = None
    dom_color_ids: list[int] | None = None
    obj_ann_id: int | None = None
    unknown_color: int = 0
    unknown_pattern_marking: int = 0
    unknown_material: int = 0
    unknown_transparency: int = 0

    def is_part(self) -> bool:
        """Return whether it annotates a part of another object (PACO)."""
        return self.obj_ann_id is not None and self.obj_ann_id != self.id


class Document(msgspec.Struct):
    """The file; the last two lists are PACO's."""

    images: list[msgspec.Raw]
    annotations: list[msgspec.Raw]
    categories: list[_Category]
    attributes: msgspec.Raw = msgspec.Raw(b"[]")
    joint_obj_attribute_categories: msgspec.Raw = msgspec.Raw(b"[]")


class _About(msgspec.Struct):
    image_id: Any = None
    category_id: Any = None


_ABOUT = msgspec.json.Decoder(_About)


def read_categories(entries: list[_Category], faults: BadEntryPolicy) -> dict[int, str]:
    """Return unique id → name; duplicate ids are dropped because they are ambiguous."""
    names: dict[int, str] = {}
    twice: set[int] = set()
    for entry in entries:
        if entry.id in names or entry.name in names.values():
            faults.report("duplicate category", f"category {entry.id}", f"{entry.name!r} occurs twice, by id or name")
            twice.add(entry.id)
        else:
            names[entry.id] = entry.name
    names = {identity: name for identity, name in names.items() if identity not in twice}
    if not names:
        raise VhbenchError(f"{faults.path}: no categories")
    return names


def read_images(raws: list[msgspec.Raw], folder: Path | None, faults: BadEntryPolicy) -> list[Image]:
    """Return the valid images; files are checked unless ``folder`` is None.

    Duplicate ids are dropped, since their annotations are ambiguous.
    """
    images: dict[int, Image] = {}
    twice: set[int] = set()
    there = _Listing(folder)
    for place, raw in enumerate(raws):
        image = faults.decode(Image, raw, f"images[{place}]")
        if image is None:
            continue
        image.file_name = image.file_name or there.of_url(image.coco_url)
        if fault := _image_fault(image, images, there):
            faults.report(fault[0], f"image {image.id}", fault[1])
            twice |= {image.id} & images.keys()
        else:
            images[image.id] = image
    if not images.keys() - twice:
        raise VhbenchError(f"{faults.path}: no usable images")
    return [image for image in images.values() if image.id not in twice]


def _image_fault(image: Image, images: Container[int], there: "_Listing") -> tuple[str, str] | None:
    """Return (reason, text) for an invalid image, or None."""
    if image.id in images:
        return "duplicate image id", "this id occurs twice"
    if not fits_64_bits(image.id):
        return "id out of range", "the id does not fit into 64 bits"
    if text := size_fault(image.width, image.height):
        return "image without a size", text
    if not image.file_name:
        return "image without a file name", "has neither file_name nor coco_url"
    if not there.safe(image.file_name):
        return "path leaves its folder", f"file_name {quote_value(image.file_name)} leaves its folder"
    if not there.has(image.file_name):
        return "missing image file", f"no file {quote_value(image.file_name)} in {there.folder}"
    return None


_HEAD, _TORSO = slice(0, 5), (5, 6, 11, 12)  # of COCO's 17 keypoints: nose, eyes, ears; shoulders and hips
_SMALL_SHARE = 0.025  # of the image: boxes of hands that reach into it are rarely larger


def shows_body(keypoints: list[float] | None) -> bool | None:
    """Return whether keypoints (x, y, visibility; 17 times) show a head or half a torso.

    None means that no keypoint is labelled.
    """
    seen = [value > 0 for value in (keypoints or [])[2::3]]
    if len(seen) != 17 or not any(seen):
        return None
    return any(seen[_HEAD]) or sum(seen[i] for i in _TORSO) >= 2


def is_cut_small(a: Annotation, frame: Image) -> bool:
    """Return whether a box is cut by the frame and small, or wide: a hand, an arm, a foot."""
    x, y, width, height = a.bbox
    touches = min(x, frame.width - x - width) <= 0.01 * frame.width
    touches |= min(y, frame.height - y - height) <= 0.01 * frame.height
    return touches and (width * height < _SMALL_SHARE * frame.width * frame.height or width > height)


class _Keyed(msgspec.Struct):
    id: int
    keypoints: list[float] = []


class _KeyedDocument(msgspec.Struct):
    annotations: list[_Keyed]


def read_keypoints(path: Path) -> dict[int, bool]:
    """Read COCO's person keypoints: annotation id → whether they show a head or half a torso.

    Annotations without labelled keypoints are omitted. Raises if the file cannot be read, or has no keypoints.
    """
    bodies = {
        a.id: shows_body(a.keypoints) for a in read_typed(path, _KeyedDocument, "COCO person keypoints").annotations
    }
    shown = {identity: shows for identity, shows in bodies.items() if shows is not None}
    if not shown:
        raise VhbenchError(f"{path}: none of its {len(bodies)} annotations has keypoints")
    return shown


class _Listing:
    """Cached directory listing, since checking each of 118,000 files is slow."""

    def __init__(self, folder: Path | None) -> None:
        if folder is not None and not folder.is_dir():
            raise VhbenchError(f"no folder of images at {folder}")
        self.folder = folder
        self._names: dict[str, frozenset[str]] = {}

    def of_url(self, url: str) -> str:
        """Return the file of a COCO URL: ``train2017/7.jpg`` if it exists, else ``7.jpg``."""
        folder, _, name = url.rpartition("/")
        longer = f"{folder.rpartition('/')[2]}/{name}"
        return longer if self.folder is not None and self.safe(longer) and self.has(longer) else name

    def safe(self, name: str) -> bool:
        return bool(name) and not Path(name).is_absolute() and ".." not in Path(name).parts

    def has(self, name: str) -> bool:
        if self.folder is None:
            return True
        parent, _, base = name.rpartition("/")
        if parent not in self._names:
            self._names[parent] = frozenset()
            with suppress(OSError, ValueError):  # the folder is missing or its name is invalid
                self._names[parent] = frozenset(entry.name for entry in os.scandir(self.folder / parent))
        return base in self._names[parent]


def annotation_fault(
    a: Annotation, index: dict[int, int], seen: set[int], categories: dict[int, str], images: list[Image]
) -> tuple[str, str] | None:
    """Return (reason, text) for an invalid annotation, or None."""
    if not fits_64_bits(a.id):
        return "id out of range", "the id does not fit into 64 bits"
    if a.id in seen:
        return "duplicate annotation id", "this id occurs twice"
    if a.image_id not in index:
        return "unknown image", f"image_id {a.image_id} is not among the (usable) images"
    if a.category_id not in categories:
        return "unknown category", f"category_id {a.category_id} is not one of the file's {len(categories)} categories"
    if a.area is not None and not 0 <= a.area <= LONGEST_SIDE**2:
        return "impossible area", f"area {a.area} is not within 0 to {LONGEST_SIDE**2}"
    frame = images[index[a.image_id]]
    x, y, width, height = a.bbox
    if width <= 0 or height <= 0:
        return "empty box", f"bbox {list(a.bbox)} has no area"
    if x < -_SLACK or y < -_SLACK or x + width > frame.width + _SLACK or y + height > frame.height + _SLACK:
        return "box outside its image", f"bbox {list(a.bbox)} leaves image {frame.id} of {frame.width}x{frame.height}"
    return None


def about(raw: msgspec.Raw) -> tuple[int | None, int | None]:
    """Return image_id and category_id of a malformed annotation, None if not an integer."""
    try:
        entry = _ABOUT.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None, None
    image, category = (value if type(value) is int else None for value in (entry.image_id, entry.category_id))
    return image, category
