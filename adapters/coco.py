"""COCO instances JSON → scenes: COCO, COCO-ReM, and any file of the same form (https://cocodataset.org/#format-data).

Every category of the file is known in every image (COCO is exhaustive for its categories); a category with a crowd
region in an image is present there, but its instances are not told apart, so it is not countable there.

The file is memory-mapped and its annotations are decoded one at a time into columns, so that the whole of COCO train
needs a few hundred MB. A scene is made when it is asked for; image files are opened only when they are written.
"""

import mmap
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import msgspec
import numpy as np
import numpy.typing as npt

from vhbench.schema import Scene, SceneObject, VhbenchError

_SLACK = 1.5  # pixels a box may leave its image by: COCO rounds coordinates to hundredths and some boxes to pixels


RIVALS = (frozenset({"car", "truck"}), frozenset({"couch", "chair"}), frozenset({"cup", "wine glass"}))
"""Categories of which annotators take one for another: where one is present, the other's absence is not known."""


class Category(msgspec.Struct, gc=False):
    """One entry of ``categories``."""

    id: int
    name: str


class Image(msgspec.Struct, gc=False):
    """One entry of ``images``; the lists are LVIS's and PACO's."""

    id: int
    file_name: str
    width: int
    height: int
    license: int | None = None
    flickr_url: str | None = None
    neg_category_ids: list[int] | None = None
    not_exhaustive_category_ids: list[int] | None = None
    neg_category_ids_attrs: list[int] | None = None
    not_exhaustive_category_ids_attrs: list[int] | None = None


class Annotation(msgspec.Struct, gc=False):
    """One entry of ``annotations``; the fields below ``segmentation`` are PACO's."""

    id: int
    image_id: int
    category_id: int
    bbox: tuple[float, float, float, float]
    area: float | None = None
    iscrowd: int = 0
    segmentation: msgspec.Raw = msgspec.Raw(b"[]")
    attribute_ids: list[int] | None = None
    dom_color_ids: list[int] | None = None
    obj_ann_id: int | None = None
    unknown_color: int = 0
    unknown_pattern_marking: int = 0
    unknown_material: int = 0
    unknown_transparency: int = 0


class _Document(msgspec.Struct):
    images: list[msgspec.Raw]
    annotations: list[msgspec.Raw]
    categories: list[Category]
    attributes: msgspec.Raw = msgspec.Raw(b"[]")
    joint_obj_attribute_categories: msgspec.Raw = msgspec.Raw(b"[]")


class _Rle(msgspec.Struct):
    size: tuple[int, int]
    counts: str | list[int]


_IMAGE = msgspec.json.Decoder(Image)
_ANNOTATION = msgspec.json.Decoder(Annotation)
_RLE = msgspec.json.Decoder(_Rle)


@dataclass
class Faults:
    """What to do with bad entries: stop at the first one, or (``skip``) leave them out and count them by reason."""

    path: Path
    skip: bool = False
    items: list[tuple[str, str]] = field(default_factory=list)

    def report(self, reason: str, place: str, text: str) -> None:
        """Raise, or count. ``place`` names the entry, such as ``annotation 17``."""
        if not self.skip:
            raise VhbenchError(f"{self.path}: {place}: {text}; --skip-bad leaves such entries out and counts them")
        self.items.append((reason, place))

    @property
    def counts(self) -> Counter[str]:
        """How many entries were left out, by reason."""
        return Counter(reason for reason, _ in self.items)


class CocoScenes(Sequence[Scene]):
    """The images of an instances file as scenes, in the file's order.

    Attributes:
        name: goes into ids and into each row's ``source``.
        skipped: number of bad entries left out, by reason.
    """

    def __init__(
        self,
        path: Path,
        images: Path | None,
        *,
        name: str = "coco",
        skip_bad: bool = False,
        keep: Callable[[Annotation, Faults], bool] | None = None,
    ) -> None:
        """Read a file.

        Args:
            path: the instances JSON.
            images: the folder that ``file_name`` is relative to; None where no image will ever be opened.
            name: of the source.
            skip_bad: leave bad entries out and count them, instead of stopping at the first.
            keep: told of every sound annotation; returns whether it is an object.

        Raises:
            VhbenchError: names the file, the entry's id and what is wrong with it.
        """
        self.name = name
        self.path = path
        self.faults = Faults(path, skip_bad)
        document = _decode(path)
        self.document_extra = (document.attributes, document.joint_obj_attribute_categories)
        self.categories = {
            identity: readable
            for identity, name in _categories(document.categories, self.faults).items()
            if (readable := self.readable(name))
        }
        self._images = _read_images(document.images, images, self.faults)
        self.folder = images
        self._read_annotations(document.annotations, keep)
        self._check_empty_categories()
        self.skipped = self.faults.counts
        self.everything = frozenset(self.categories.values())

    def __len__(self) -> int:
        return len(self._images)

    @overload
    def __getitem__(self, index: int) -> Scene: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Scene]: ...
    def __getitem__(self, index: int | slice) -> Scene | Sequence[Scene]:
        """Make one scene (or a list of them, for a slice)."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        image = self._images[index]
        rows = range(self._starts[index], self._starts[index + 1])
        known, countable = self.knowledge(image, rows)
        return Scene(
            id=f"{self.name}:{image.id}",
            image=(self.folder or Path()) / image.file_name,
            width=image.width,
            height=image.height,
            objects=tuple(self._object(row) for row in rows),
            known=known,
            countable=countable,
            provenance=self._provenance(image),
        )

    def __iter__(self) -> Iterator[Scene]:
        return (self[i] for i in range(len(self)))

    def knowledge(self, image: Image, rows: range) -> tuple[frozenset[str], frozenset[str]]:
        """Return the known and the countable categories of an image; here: all, and all without a crowd."""
        part = slice(rows.start, rows.stop)
        present = {self._names[c] for c in self._category[part].tolist()}
        crowds = {self._names[c] for c in self._category[part][self._crowd[part]].tolist()}
        doubtful = rivals(present, RIVALS)
        known = self.everything - doubtful if doubtful else self.everything
        return known, known - crowds if crowds else known

    def attributes(self, annotation: int) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
        """Return an annotation's attributes and the known types; COCO has none."""
        return (), frozenset()

    def readable(self, category: str) -> str:
        """Return how questions name a category; "" leaves it out."""
        return category

    def is_part(self, annotation: Annotation) -> bool:
        """Tell whether an annotation is about a part of another's object (PACO)."""
        return annotation.obj_ann_id is not None and annotation.obj_ann_id != annotation.id

    def _object(self, row: int) -> SceneObject:
        x, y, width, height = (round(value, 2) for value in self._box[row].tolist())
        identity = int(self._id[row])
        attributes, types = self.attributes(identity)
        return SceneObject(
            id=identity,
            category=self._names[self._category[row]],
            box=(x, y, width, height),
            area=float(self._area[row]),
            attributes=attributes,
            known_attributes=types,
            crowd=bool(self._crowd[row]),
        )

    def _provenance(self, image: Image) -> dict[str, Any]:
        found = {"source": self.name, "image_id": image.id, "license": image.license, "url": image.flickr_url}
        return {key: value for key, value in found.items() if value is not None}

    def _read_annotations(self, raws: list[msgspec.Raw], keep: Callable[[Annotation, Faults], bool] | None) -> None:
        index = {image.id: i for i, image in enumerate(self._images)}
        slots = {identity: slot for slot, identity in enumerate(self.categories)}
        self._names = list(self.categories.values())
        columns = _Columns(len(raws))
        seen: set[int] = set()
        for place, raw in enumerate(raws):
            annotation = _typed(_ANNOTATION, raw, f"annotations[{place}]", self.faults)
            if annotation is None or self.is_part(annotation) or not self._sound(annotation, index, seen):
                continue
            seen.add(annotation.id)
            if keep is None or keep(annotation, self.faults):
                columns.add(
                    annotation,
                    index[annotation.image_id],
                    slots[annotation.category_id],
                    self._images[index[annotation.image_id]],
                )
        order, self._starts = columns.sorted(len(self._images))
        self._id, self._category = columns.id[order], columns.category[order]
        self._box, self._area, self._crowd = columns.box[order], columns.area[order], columns.crowd[order]

    def _sound(self, a: Annotation, index: dict[int, int], seen: set[int]) -> bool:
        fault = _fault(a, index, seen, self.categories, self._images)
        if fault is not None:
            self.faults.report(fault[0], f"annotation {a.id}", fault[1])
        return fault is None

    def _check_empty_categories(self) -> None:
        counts = np.bincount(self._category, minlength=len(self._names))
        empty = [name for name, count in zip(self._names, counts, strict=True) if not count]
        if len(empty) == len(self._names):
            raise VhbenchError(f"{self.path}: none of its {len(self._names)} categories has an instance")
        self.empty_categories = tuple(empty)

    @cached_property
    def instances(self) -> int:
        """How many instances there are, crowd regions included."""
        return len(self._id)


def rivals(present: set[str], groups: Sequence[frozenset[str]]) -> set[str]:
    """Return the words that are not present but could be meant by one that is."""
    return {word for group in groups if group & present for word in group - present}


class _Columns:
    """Grows nothing: one row per annotation of the file, filled from the front."""

    def __init__(self, size: int) -> None:
        self.rows = 0
        self.image = np.zeros(size, np.int32)
        self.id = np.zeros(size, np.int64)
        self.category = np.zeros(size, np.int16)
        self.box = np.zeros((size, 4), np.float32)
        self.area = np.zeros(size, np.float32)
        self.crowd = np.zeros(size, np.bool_)

    def add(self, a: Annotation, image: int, category: int, frame: Image) -> None:
        row = self.rows
        x, y, width, height = a.bbox
        right, bottom = min(x + width, frame.width), min(y + height, frame.height)
        x, y = max(x, 0.0), max(y, 0.0)
        self.image[row], self.id[row], self.category[row] = image, a.id, category
        self.box[row] = (x, y, right - x, bottom - y)
        self.area[row] = a.area if a.area is not None else (right - x) * (bottom - y)
        self.crowd[row] = bool(a.iscrowd)
        self.rows += 1

    def sorted(self, images: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the rows grouped by image, in the file's order, and where each image starts."""
        image = self.image[: self.rows]
        starts = np.concatenate([[0], np.cumsum(np.bincount(image, minlength=images))])
        return np.argsort(image, kind="stable"), starts


def _decode(path: Path) -> _Document:
    try:
        with path.open("rb") as file:
            # Entries stay views into the mapping, which lives as long as they do.
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return msgspec.json.decode(memoryview(data), type=_Document)
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, msgspec.DecodeError) as error:  # an empty file, malformed JSON, a missing list
        raise VhbenchError(f"{path}: not a COCO instances JSON: {error}") from error


def _typed(decoder: "msgspec.json.Decoder[Any]", raw: msgspec.Raw, place: str, faults: Faults) -> Any:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        faults.report("malformed entry", place, str(error))
        return None


def _categories(entries: list[Category], faults: Faults) -> dict[int, str]:
    names: dict[int, str] = {}
    for entry in entries:
        if entry.id in names or entry.name in names.values():
            faults.report("duplicate category", f"category {entry.id}", f"{entry.name!r} is there twice, by id or name")
            continue
        names[entry.id] = entry.name
    if not names:
        raise VhbenchError(f"{faults.path}: no categories")
    return names


def _read_images(raws: list[msgspec.Raw], folder: Path | None, faults: Faults) -> list[Image]:
    images: dict[int, Image] = {}
    there = _Listing(folder)
    for place, raw in enumerate(raws):
        image = _typed(_IMAGE, raw, f"images[{place}]", faults)
        if image is None:
            continue
        if image.id in images:
            faults.report("duplicate image id", f"image {image.id}", "this id is there twice")
        elif image.width <= 0 or image.height <= 0:
            faults.report("image without a size", f"image {image.id}", f"size {image.width}x{image.height}")
        elif not there.safe(image.file_name):
            faults.report(
                "path leaves its folder", f"image {image.id}", f"file_name {image.file_name!r} leaves its folder"
            )
        elif not there.has(image.file_name):
            faults.report("missing image file", f"image {image.id}", f"no file {image.file_name!r} in {folder}")
        else:
            images[image.id] = image
    if not images:
        raise VhbenchError(f"{faults.path}: no usable images")
    return list(images.values())


class _Listing:
    """Which files a folder has: read once per subfolder, since asking for each of 118,000 files is slow."""

    def __init__(self, folder: Path | None) -> None:
        if folder is not None and not folder.is_dir():
            raise VhbenchError(f"no folder of images at {folder}")
        self.folder = folder
        self._names: dict[str, frozenset[str]] = {}

    def safe(self, name: str) -> bool:
        return bool(name) and not Path(name).is_absolute() and ".." not in Path(name).parts

    def has(self, name: str) -> bool:
        if self.folder is None:
            return True
        parent, _, base = name.rpartition("/")
        if parent not in self._names:
            place = self.folder / parent
            self._names[parent] = (
                frozenset(entry.name for entry in os.scandir(place)) if place.is_dir() else frozenset()
            )
        return base in self._names[parent]


def _fault(
    a: Annotation, index: dict[int, int], seen: set[int], categories: dict[int, str], images: list[Image]
) -> tuple[str, str] | None:
    """Return (reason, text) of what is wrong with an annotation, or None."""
    if a.id in seen:
        return "duplicate annotation id", "this id is there twice"
    if a.image_id not in index:
        return "unknown image", f"image_id {a.image_id} is not among the (usable) images"
    if a.category_id not in categories:
        return "unknown category", f"category_id {a.category_id} is not one of the file's {len(categories)} categories"
    frame = images[index[a.image_id]]
    x, y, width, height = a.bbox
    if width <= 0 or height <= 0:
        return "empty box", f"bbox {list(a.bbox)} has no area"
    if x < -_SLACK or y < -_SLACK or x + width > frame.width + _SLACK or y + height > frame.height + _SLACK:
        return "box outside its image", f"bbox {list(a.bbox)} leaves image {frame.id} of {frame.width}x{frame.height}"
    text = bytes(a.segmentation)[:1] == b"{" and rle_fault(a.segmentation, frame)
    return ("RLE does not fit", text) if text else None


def rle_fault(raw: msgspec.Raw, frame: Image) -> str:
    """Return what is wrong with a run-length encoded mask, or ""."""
    try:
        rle = _RLE.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return f"segmentation: {error}"
    if rle.size != (frame.height, frame.width):
        return f"RLE of size {list(rle.size)} does not fit image {frame.id} of [{frame.height}, {frame.width}]"
    total = sum(rle.counts) if isinstance(rle.counts, list) else _rle_total(rle.counts)
    if total != frame.height * frame.width:
        return f"RLE covers {total} pixels, image {frame.id} has {frame.height * frame.width}"
    return ""


def _rle_total(counts: str) -> int:
    """Return the number of pixels that a compressed RLE string covers, -1 if it is malformed.

    Each run is little-endian in groups of 5 bits (bit 6: more follow; the last group's bit 5: sign), offset by 48;
    from the fourth run on it is the difference to the run before the last (pycocotools' ``rleFrString``).
    """
    codes = np.frombuffer(counts.encode(), np.uint8).astype(np.int64) - 48
    if not len(codes) or codes.min() < 0 or codes.max() > 63 or codes[-1] & 32:
        return -1
    ends = np.flatnonzero(~codes & 32 != 0)
    starts = np.concatenate([[0], ends[:-1] + 1])
    shift = 5 * (np.arange(len(codes)) - np.repeat(starts, ends - starts + 1))
    runs = np.add.reduceat((codes & 31) << shift, starts)
    negative = codes[ends] & 16 != 0
    runs -= negative.astype(np.int64) << (5 * (ends - starts + 1))
    # A difference at run i ≥ 3 is added to runs i, i + 2, i + 4 …
    weight = np.ones(len(runs), np.int64)
    weight[1:] = (len(runs) - np.arange(1, len(runs)) + 1) // 2
    return int(runs @ weight)
