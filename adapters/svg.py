"""Synthetic Visual Genome → scenes with relations (arXiv 2506.07643).

``{image_id: {width, height, objects: {id: {name, relations: [{object, name}], bbox: [x1, y1, x2, y2]}}}}``; an image's
photo is ``IMAGES/image_id.*``. Annotators processed selected anchors, so unlisted objects are not known to be absent,
with one exception: a category all of whose listed objects are anchors. Between two such objects, a listed relation
excludes its opposite ("above" excludes "below"). No other absence is known, so ``known_predicates`` is empty, even if a
bad relation is dropped. The category of an object dropped as bad is not countable. Images are stored as packed bytes;
scenes are built on demand.
"""

from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from vhbench.adapters.annotation_errors import BadEntryPolicy, size_fault
from vhbench.adapters.category_names import CategoryNames, read_names
from vhbench.files import read_typed
from vhbench.protocols import SceneSequence
from vhbench.schema import Relation, Scene, SceneObject, VhbenchError

_PREDICATES: Final = {
    "left of": "left of", "to the left of": "left of", "on the left of": "left of",
    "right of": "right of", "to the right of": "right of", "on the right of": "right of",
    "above": "above", "over": "above", "below": "below", "beneath": "under", "underneath": "under", "under": "under",
    "on": "on", "on top of": "on", "lying on": "on", "standing on": "on", "sitting on": "on", "resting on": "on",
    "in front of": "in front of", "behind": "behind", "next to": "next to", "beside": "next to", "inside": "inside",
}  # fmt: skip
"""Spatial predicates → canonical predicate; all others are dropped."""


_STUFF: Final = frozenset(
    "air background clothing dirt fog foliage food furniture grass gravel greenery ground hair ice land light mud "
    "ocean sand sea shade sky smoke snow soil sunlight vegetation water".split()
)
"""Uncountable categories, which have no definite position: dropped."""


class _Relation(msgspec.Struct, gc=False):
    object: int | str
    name: str


class _Object(msgspec.Struct, gc=False):
    name: str
    bbox: tuple[float, float, float, float]
    relations: list[_Relation] = []


class _Image(msgspec.Struct, gc=False):
    width: int
    height: int
    objects: dict[str, _Object]


class _Thing(msgspec.Struct, array_like=True, gc=False):
    name: str
    corners: list[float]
    is_anchor: bool
    relations: list[tuple[str, int]]  # predicate, index of the other object


class _Size(msgspec.Struct, array_like=True, gc=False):
    width: int
    height: int


class _Kept(_Size, array_like=True, gc=False):
    things: list[_Thing]


class SvgScenes(SceneSequence):
    """Images of a Synthetic Visual Genome file as scenes."""

    name = "svg"

    def __init__(
        self, path: Path, images: Path | None, *, skip_bad: bool = False, names: CategoryNames | None = None
    ) -> None:
        """Read a file; errors name the file, the image, the object and the problem."""
        self.path, self.faults = path, BadEntryPolicy(path, skip_bad)
        self._names = names or read_names()
        self._files = None if images is None else _by_stem(images)
        self._images: list[bytes] = []
        self._dropped: dict[str, set[str]] = {}  # image → names of its dropped objects
        self._unlisted: set[str] = set()  # images with a relation to an unlisted object
        self.keys: list[str] = []  # image ids, which are also the file stems
        objects = 0
        for key, raw in read_typed(path, dict[str, msgspec.Raw], "Synthetic Visual Genome").items():
            image = self._image(key, raw)
            if image is not None:
                self.keys.append(key)
                kept = _kept(image, self._readable)
                objects += len(kept.things)
                self._images.append(msgspec.msgpack.encode(kept))
        if not objects:
            raise VhbenchError(f"{path}: no usable image has an object")

    def __len__(self) -> int:
        return len(self.keys)

    def bare(self, place: int) -> Scene:
        """Return the scene of one image without its objects."""
        key, image = self.keys[place], msgspec.msgpack.decode(self._images[place], type=_Size)
        file = (self._files or {}).get(key, Path(key))
        return Scene(f"{self.name}:{key}", file, image.width, image.height, objects=())

    def scene(self, place: int) -> Scene:
        """Build the scene of one image."""
        key = self.keys[place]
        things = msgspec.msgpack.decode(self._images[place], type=_Kept).things
        anchors = frozenset(t.name for t in things) - {t.name for t in things if not t.is_anchor}
        countable = frozenset() if key in self._unlisted else anchors - self._dropped.get(key, set())
        # The float32 values round as Python does, since a hundred times such a number is exact in 64 bits.
        corners = np.rint(np.array([thing.corners for thing in things]).reshape(-1, 4) * 100) / 100
        return replace(
            self.bare(place),
            objects=tuple(
                SceneObject(number, thing.name, (x1, y1, x2 - x1, y2 - y1), (x2 - x1) * (y2 - y1))
                for number, (thing, (x1, y1, x2, y2)) in enumerate(zip(things, corners.tolist(), strict=True))
            ),
            relations=tuple(Relation(i, word, other) for i, t in enumerate(things) for word, other in t.relations),
            known=anchors,
            countable=countable,
            provenance={"source": self.name, "image_id": key},
        )

    def _image(self, key: str, raw: msgspec.Raw) -> _Image | None:
        """Return a valid image without its invalid objects and relations, which are reported."""
        place = f"image {key}"
        image = self.faults.decode(_Image, raw, place)
        if image is None:
            return None
        if self._files is not None and key not in self._files:
            self.faults.report("missing image file", place, "no file of that name in the folder of images")
            return None
        if text := size_fault(image.width, image.height):
            self.faults.report("image without a size", place, text)
            return None
        listed = image.objects
        image.objects = {i: o for i, o in listed.items() if self._box_fits(f"{place}, object {i}", o, image)}
        if len(image.objects) < len(listed):
            self._dropped[key] = {self._readable(o.name) for i, o in listed.items() if i not in image.objects}
        if any(str(r.object) not in listed for o in listed.values() for r in o.relations):
            self._unlisted.add(key)
        for identity, thing in image.objects.items():
            thing.relations = [r for r in thing.relations if self._leads(f"{place}, object {identity}", r, image)]
        return image

    def _readable(self, name: str) -> str:
        """Return the wording of an annotated name."""
        return self._names.readable(" ".join(name.lower().replace("_", " ").split()))

    def _box_fits(self, place: str, thing: _Object, image: _Image) -> bool:
        x1, y1, x2, y2 = thing.bbox
        if 0 <= x1 < x2 <= image.width + 1.5 and 0 <= y1 < y2 <= image.height + 1.5:
            return True
        text = f"bbox {list(thing.bbox)} (x1, y1, x2, y2) does not fit {image.width}x{image.height}"
        self.faults.report("box outside its image", place, text)
        return False

    def _leads(self, place: str, relation: _Relation, image: _Image) -> bool:
        if str(relation.object) in image.objects:
            return True
        self.faults.report("relation to a missing object", place, f"{relation.name!r} to object {relation.object}")
        return False


def _kept(image: _Image, readable: Callable[[str], str]) -> _Kept:
    """Return the countable objects of a valid image, with their spatial relations."""
    named = {i: (name, o) for i, o in image.objects.items() if (name := readable(o.name)) not in _STUFF}
    numbers = {identity: i for i, identity in enumerate(named)}
    things = []
    for name, thing in named.values():
        listed = [(_PREDICATES.get(r.name.lower().strip()), numbers.get(str(r.object))) for r in thing.relations]
        relations = [(word, other) for word, other in listed if word is not None and other is not None]
        things.append(_Thing(name, array("f", thing.bbox).tolist(), bool(thing.relations), relations))
    return _Kept(image.width, image.height, things)


def _by_stem(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise VhbenchError(f"no folder of images at {folder}")
    return {path.stem: path for path in sorted(folder.iterdir())}
