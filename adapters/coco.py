"""COCO instances JSON → scenes: COCO, COCO-ReM, LVIS, and files of the same format.

See https://cocodataset.org/#format-data. Every category of the file is known in every image, since COCO is exhaustive
for its categories. Federated files such as LVIS's list the verified categories per image instead. There an image knows
the categories that it shows and those of its ``neg_category_ids``; those of ``not_exhaustive_category_ids`` are not
countable, and no category is known in an image without either list. A category with a crowd region in an image is
present but not countable there, since its instances are not separated. A dropped bad annotation makes its category
uncertain in its image: not countable and not known to be absent. If several images reference one photo, each is
uncertain about the annotations of the others. A person of whom only a part such as a hand is visible is present and
never used in questions.

The file is memory-mapped and its annotations are decoded one at a time into columns, so all of COCO train needs a few
hundred MB. Scenes are built on demand; image files are only opened for writing rows.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from vhbench.adapters import coco_entries
from vhbench.adapters.annotation_errors import BadEntryPolicy
from vhbench.adapters.category_names import CategoryNames, read_names
from vhbench.adapters.coco_entries import Annotation, Document, Image
from vhbench.files import read_typed
from vhbench.protocols import SceneSequence
from vhbench.schema import Scene, SceneObject, VhbenchError

_ROW = np.dtype(
    [("image", "i4"), ("id", "i8"), ("category", "i2"), ("box", "f4", 4), ("area", "f4"), ("crowd", "?"), ("part", "?")]
)
"""One annotation; ``image`` and ``category`` are indices, ``id`` is the annotation's."""


class CocoScenes(SceneSequence):
    """Images of an instances file as scenes, in file order."""

    federated = False  # whether categories that an image neither shows nor lists are unknown

    def __init__(
        self,
        path: Path,
        images: Path | None,
        *,
        name: str = "coco",
        skip_bad: bool = False,
        names: CategoryNames | None = None,
        keypoints: Mapping[int, bool] | None = None,
    ) -> None:
        """Read a file; errors name the file, the entry's id and the problem.

        Args:
            path: instances JSON.
            images: base folder of ``file_name``; None if no image will be opened.
            name: source name.
            skip_bad: drop and count bad entries instead of raising at the first.
            names: wording and confusion groups of the categories.
            keypoints: of :func:`vhbench.adapters.coco_entries.read_keypoints`.
        """
        self.name, self.path, self.faults = name, path, BadEntryPolicy(path, skip_bad)
        self.names, self._keypoints = names or read_names(), keypoints or {}
        document = read_typed(path, Document, "COCO instances")
        # Copies: a view would keep the whole file in memory.
        self.document_extra = (document.attributes.copy(), document.joint_obj_attribute_categories.copy())
        listed = coco_entries.read_categories(document.categories, self.faults)
        self.categories = {identity: words for identity, name in listed.items() if (words := self.readable(name))}
        self._check_names(listed)
        self._people = {identity for identity, name in listed.items() if name == "person"}
        self._images = coco_entries.read_images(document.images, images, self.faults)
        self.federated = self.federated or any(image.is_federated() for image in self._images)
        self.folder = images
        self._dropped: dict[int, set[str]] = {}  # image id → categories of its dropped annotations
        self._unlisted: set[int] = set()  # ids of images with a dropped annotation of unknown category
        self._names = list(self.categories.values())
        self._read_annotations(document.annotations)
        self._doubt_photos_listed_twice()
        self.instances = len(self._rows)  # with crowd regions
        # A COCO subset lists all 80 categories but may show few.
        counts = np.bincount(self._rows["category"], minlength=len(self._names)).tolist()
        if not any(counts):
            raise VhbenchError(f"{self.path}: none of its {len(self._names)} categories has an instance")
        self.faults.notes += [
            ("category without instances", f"category {identity} ({name!r})")
            for (identity, name), count in zip(self.categories.items(), counts, strict=True)
            if not count
        ]

    def __len__(self) -> int:
        return len(self._images)

    def scene(self, place: int) -> Scene:
        """Build the scene of one image."""
        image = self._images[place]
        rows = slice(self._starts[place], self._starts[place + 1])
        known, countable = self.knowledge(image, rows)
        instances = self._rows[rows]
        parts = {self._names[c] for c in instances["category"][instances["part"]].tolist()}  # not used in questions
        origin = {"source": self.name, "image_id": image.id, "license": image.license, "url": image.flickr_url}
        return replace(
            self.bare(place),
            objects=self._objects(instances[~instances["part"]]),
            areas=tuple(sorted(parts)),
            known=known,
            countable=countable - parts,
            provenance={key: value for key, value in origin.items() if value is not None},
        )

    def bare(self, place: int) -> Scene:
        """Return the scene of one image without its objects."""
        image = self._images[place]
        file = (self.folder or Path()) / image.file_name
        return Scene(f"{self.name}:{image.id}", file, image.width, image.height, objects=())

    def file_names(self) -> Iterator[str]:
        """Yield each image's ``file_name``."""
        return (image.file_name for image in self._images)

    def knowledge(self, image: Image, rows: slice) -> tuple[frozenset[str], frozenset[str]]:
        """Return the known and the countable categories of an image."""
        category, crowd = self._rows["category"][rows], self._rows["crowd"][rows]
        present = {self._names[c] for c in category.tolist()}
        crowds = {self._names[c] for c in category[crowd].tolist()}
        dropped = self._dropped.get(image.id, set())
        if image.id in self._unlisted:  # an annotation of unknown category was dropped, so nothing is absent
            return frozenset(present), frozenset()
        doubtful = self.names.confused_with(present | dropped) | (dropped - present)
        everything = frozenset(self.categories.values())
        looked_for = self._named(image.neg_category_ids) | present if self.federated else everything
        known = looked_for - doubtful
        if self.federated and not image.is_federated():
            return known, frozenset()
        uncounted = crowds | dropped | self.names.mixed_up(present)
        return known, known - self._named(image.not_exhaustive_category_ids) - uncounted

    def _named(self, identities: Sequence[int] | None) -> frozenset[str]:
        return frozenset(self.categories[c] for c in identities or () if c in self.categories)

    def attributes(self, annotation: int) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
        """Return an annotation's attributes and the known types; COCO has none."""
        return (), frozenset()

    def readable(self, category: str) -> str:
        """Return the wording of a category; "" excludes it."""
        return self.names.readable(category)

    def note(self, annotation: Annotation) -> None:
        """Process a valid annotation; a hook for subclasses."""

    def _objects(self, rows: Any) -> tuple[SceneObject, ...]:
        objects = []
        boxes: list[list[float]] = np.round(rows["box"].astype(np.float64), 2).tolist()
        for (_, identity, slot, _, area, crowd, _), (x, y, w, h) in zip(rows.tolist(), boxes, strict=True):
            attributes, types = self.attributes(identity)
            box, name = (x, y, w, h), self._names[slot]
            objects.append(
                SceneObject(identity, name, box, area, crowd=crowd, attributes=attributes, known_attributes=types)
            )
        return tuple(objects)

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
                frame = self._images[image]
                part = annotation.category_id in self._people and self._is_part(annotation, frame)
                rows[used] = _row(annotation, image, slots[annotation.category_id], frame, part)
                used += 1
        self._rows = rows[:used][np.argsort(rows["image"][:used], kind="stable")]
        counts = np.bincount(self._rows["image"], minlength=len(self._images))
        self._starts = np.concatenate([[0], np.cumsum(counts)])

    def _is_part(self, person: Annotation, frame: Image) -> bool:
        """Return whether only a part such as a hand is visible, by keypoints or else by the box."""
        shown = self._keypoints.get(person.id)
        shown = coco_entries.shows_body(person.keypoints) if shown is None else shown
        return coco_entries.is_cut_small(person, frame) if shown is None else not shown

    def _check_names(self, listed: Mapping[int, str]) -> None:
        """Check that wordings are unique, and note renamed categories that do not exist."""
        used: dict[str, str] = {}
        for identity, words in self.categories.items():
            if other := used.get(words):
                raise VhbenchError(
                    f"{self.path}: categories {other!r} and {listed[identity]!r} would both be named {words!r}; "
                    "--rename NAME=WORDS distinguishes them"
                )
            used[words] = listed[identity]
        missing = sorted(set(self.names.renamed).difference(listed.values()))
        self.faults.notes += [("--rename of a category that the file does not have", repr(name)) for name in missing]

    def _drop(self, image: int | None, category: int | None, index: dict[int, int]) -> None:
        """Record the category and image of a dropped annotation."""
        if image is None or image not in index:
            return  # no usable image is affected, or it is unknown which
        if category in self.categories:
            self._dropped.setdefault(image, set()).add(self.categories[category])
        else:
            self._unlisted.add(image)

    def _doubt_photos_listed_twice(self) -> None:
        """Make the categories of one entry of a photo uncertain in the photo's other entries."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, image in enumerate(self._images):
            places[image.file_name].append(place)
        for name, group in places.items():
            if len(group) < 2:
                continue
            self.faults.notes.append(("the same photo under several image ids", name))
            ids = [self._images[place].id for place in group]
            shown = [
                self._dropped.get(identity, set()) | self._shown(place)
                for place, identity in zip(group, ids, strict=True)
            ]
            for i, identity in enumerate(ids):
                self._dropped[identity] = set().union(*shown[:i], *shown[i + 1 :]) | self._dropped.get(identity, set())
            if not self._unlisted.isdisjoint(ids):
                self._unlisted.update(ids)

    def _shown(self, place: int) -> set[str]:
        """Return the categories that one image shows."""
        slots = self._rows["category"][self._starts[place] : self._starts[place + 1]]
        return {self._names[c] for c in slots.tolist()}


def _row(a: Annotation, image: int, category: int, frame: Image, part: bool) -> tuple[Any, ...]:
    """Return an annotation as a row, its box clipped to the image."""
    x, y, width, height = a.bbox
    right, bottom = min(x + width, frame.width), min(y + height, frame.height)
    x, y = max(x, 0.0), max(y, 0.0)
    area = a.area if a.area is not None else (right - x) * (bottom - y)
    return image, a.id, category, (x, y, right - x, bottom - y), area, bool(a.iscrowd), part
