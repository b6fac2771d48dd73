"""COCO instances JSON → scenes: COCO, COCO-ReM, and any file of the same form (https://cocodataset.org/#format-data).

Every category of the file is known in every image (COCO is exhaustive for its categories); a category with a crowd
region in an image is present there, but its instances are not told apart, so it is not countable there. An annotation
that was left out as bad leaves its category uncertain in its image: not countable, and not known to be absent.

The file is memory-mapped and its annotations are decoded one at a time into columns, so that the whole of COCO train
needs a few hundred MB. A scene is made when it is asked for; image files are opened only when they are written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from vhbench.adapters import coco_entries
from vhbench.adapters.coco_entries import Annotation, Document, Image
from vhbench.adapters.faults import Faults
from vhbench.files import read_typed
from vhbench.protocols import SceneSequence
from vhbench.schema import Scene, SceneObject, VhbenchError

RIVALS = (frozenset({"car", "truck"}), frozenset({"couch", "chair"}), frozenset({"cup", "wine glass"}))
"""Categories of which annotators take one for another: where one is present, the other's absence is not known."""

_ROW = np.dtype([("image", "i4"), ("id", "i8"), ("category", "i2"), ("box", "f4", 4), ("area", "f4"), ("crowd", "?")])
"""An annotation: the place of its image, its id, the place of its category's name …"""


class CocoScenes(SceneSequence):
    """The images of an instances file as scenes, in the file's order.

    Attributes:
        name: goes into ids and into each row's ``source``.
        faults: bad entries that were left out.
        instances: how many there are, crowd regions included.
    """

    def __init__(self, path: Path, images: Path | None, *, name: str = "coco", skip_bad: bool = False) -> None:
        """Read a file.

        Args:
            path: the instances JSON.
            images: the folder that ``file_name`` is relative to; None where no image will ever be opened.
            name: of the source.
            skip_bad: leave bad entries out and count them, instead of stopping at the first.

        Raises:
            VhbenchError: names the file, the entry's id and what is wrong with it.
        """
        self.name, self.path, self.faults = name, path, Faults(path, skip_bad)
        document = read_typed(path, Document, "COCO instances")
        # Copies: a view would keep the whole file in memory.
        self.document_extra = (document.attributes.copy(), document.joint_obj_attribute_categories.copy())
        self.categories = {
            identity: readable
            for identity, name in coco_entries.read_categories(document.categories, self.faults).items()
            if (readable := self.readable(name))
        }
        self._images = coco_entries.read_images(document.images, images, self.faults)
        self.folder = images
        self._dropped: dict[int, set[str]] = {}  # image id → the categories of its annotations that were left out
        self._unlisted: set[int] = set()  # ids of images of which an annotation of no readable category was left out
        self._names = list(self.categories.values())
        self._read_annotations(document.annotations)
        self.instances = len(self._rows)
        self._note_empty_categories()
        self.everything = frozenset(self.categories.values())

    def __len__(self) -> int:
        return len(self._images)

    def scene(self, place: int) -> Scene:
        """Make the scene of one image."""
        image = self._images[place]
        rows = slice(self._starts[place], self._starts[place + 1])
        known, countable = self.knowledge(image, rows)
        return Scene(
            id=f"{self.name}:{image.id}",
            image=(self.folder or Path()) / image.file_name,
            width=image.width,
            height=image.height,
            objects=tuple(self._object(row) for row in self._rows[rows]),
            known=known,
            countable=countable,
            provenance=self._provenance(image),
        )

    def file_names(self) -> Iterator[str]:
        """Yield each image's ``file_name``."""
        return (image.file_name for image in self._images)

    def knowledge(self, image: Image, rows: slice) -> tuple[frozenset[str], frozenset[str]]:
        """Return the known and the countable categories of an image; here: all, and all without a crowd."""
        present, crowds, dropped = self.evidence(image, rows)
        if self.unlisted(image):
            return frozenset(present), frozenset()
        doubtful = rivals(present | dropped, RIVALS) | (dropped - present)
        known = self.everything - doubtful if doubtful else self.everything
        uncounted = crowds | dropped
        return known, known - uncounted if uncounted else known

    def evidence(self, image: Image, rows: slice) -> tuple[set[str], set[str], set[str]]:
        """Return the categories that an image shows, those with a crowd, and those of annotations left out as bad."""
        category, crowd = self._rows["category"][rows], self._rows["crowd"][rows]
        present = {self._names[c] for c in category.tolist()}
        crowds = {self._names[c] for c in category[crowd].tolist()}
        return present, crowds, self._dropped.get(image.id, set())

    def unlisted(self, image: Image) -> bool:
        """Tell whether anything may be in an image: an annotation was left out, nobody knows of which category."""
        return image.id in self._unlisted

    def attributes(self, annotation: int) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
        """Return an annotation's attributes and the known types; COCO has none."""
        return (), frozenset()

    def readable(self, category: str) -> str:
        """Return how questions name a category; "" leaves it out."""
        return category

    def note(self, annotation: Annotation) -> None:
        """Look at a sound annotation; here there is nothing more to see."""

    def _object(self, row: Any) -> SceneObject:
        _, identity, slot, box, area, crowd = row.tolist()
        x, y, width, height = (round(value, 2) for value in box)
        found = SceneObject(identity, self._names[slot], (x, y, width, height), area, crowd=crowd)
        attributes, types = self.attributes(identity)
        return replace(found, attributes=attributes, known_attributes=types) if types or attributes else found

    def _provenance(self, image: Image) -> dict[str, Any]:
        found = {"source": self.name, "image_id": image.id, "license": image.license, "url": image.flickr_url}
        return {key: value for key, value in found.items() if value is not None}

    def _read_annotations(self, raws: Sequence[msgspec.Raw]) -> None:
        index = {image.id: i for i, image in enumerate(self._images)}
        slots = {identity: slot for slot, identity in enumerate(self.categories)}
        rows, used, seen = np.zeros(len(raws), _ROW), 0, set[int]()
        for place, raw in enumerate(raws):
            annotation = self.faults.decode(Annotation, raw, f"annotations[{place}]")
            if annotation is None:
                self._drop(*coco_entries.about(raw), index)
            elif annotation.is_part():
                continue
            elif fault := coco_entries.annotation_fault(annotation, index, seen, self.categories, self._images):
                self.faults.report(fault[0], f"annotation {annotation.id}", fault[1])
                self._drop(annotation.image_id, annotation.category_id, index)
            else:
                seen.add(annotation.id)
                self.note(annotation)
                image = index[annotation.image_id]
                rows[used] = _row(annotation, image, slots[annotation.category_id], self._images[image])
                used += 1
        self._rows = rows[:used][np.argsort(rows["image"][:used], kind="stable")]
        counts = np.bincount(self._rows["image"], minlength=len(self._images))
        self._starts = np.concatenate([[0], np.cumsum(counts)])

    def _drop(self, image: int | None, category: int | None, index: dict[int, int]) -> None:
        """Keep in mind what an annotation that is left out was about."""
        if image is None or image not in index:
            return  # it is of no image that is read, or of any: nothing can be done
        if category in self.categories:
            self._dropped.setdefault(image, set()).add(self.categories[category])
        else:
            self._unlisted.add(image)

    def _note_empty_categories(self) -> None:
        """Note them: a part of COCO lists all 80 and may show few; of one that is nowhere, nothing is asked."""
        counts = np.bincount(self._rows["category"], minlength=len(self._names)).tolist()
        if not any(counts):
            raise VhbenchError(f"{self.path}: none of its {len(self._names)} categories has an instance")
        self.faults.notes += [
            ("category without instances", f"category {identity} ({name!r})")
            for (identity, name), count in zip(self.categories.items(), counts, strict=True)
            if not count
        ]


def rivals(present: set[str], groups: Sequence[frozenset[str]]) -> set[str]:
    """Return the words that are not present but could be meant by one that is."""
    return {word for group in groups if group & present for word in group - present}


def _row(a: Annotation, image: int, category: int, frame: Image) -> tuple[Any, ...]:
    """Return an annotation as a row, its box cut to the image."""
    x, y, width, height = a.bbox
    right, bottom = min(x + width, frame.width), min(y + height, frame.height)
    x, y = max(x, 0.0), max(y, 0.0)
    area = a.area if a.area is not None else (right - x) * (bottom - y)
    return image, a.id, category, (x, y, right - x, bottom - y), area, bool(a.iscrowd)
