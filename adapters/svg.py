"""Synthetic Visual Genome → scenes with relations (arXiv 2506.07643).

``{image_id: {width, height, objects: {id: {name, relations: [{object, name}], bbox: [x1, y1, x2, y2]}}}}``; an
image's photo is ``IMAGES/image_id.*``. Annotators went through chosen anchors, so what is not listed is not known to be
absent, with one exception: a category all of whose listed objects are anchors. Between two such objects a listed
relation excludes its opposite ("above" excludes "below"); nothing else is known to be absent.
"""

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, overload

import msgspec

from vhbench.adapters.coco import Faults
from vhbench.schema import Relation, Scene, SceneObject, VhbenchError

PREDICATES: Final = {
    "left of": "left of", "to the left of": "left of", "on the left of": "left of",
    "right of": "right of", "to the right of": "right of", "on the right of": "right of",
    "above": "above", "over": "above", "below": "below", "beneath": "under", "underneath": "under", "under": "under",
    "on": "on", "on top of": "on", "lying on": "on", "standing on": "on", "sitting on": "on", "resting on": "on",
    "in front of": "in front of", "behind": "behind", "next to": "next to", "beside": "next to", "inside": "inside",
}  # fmt: skip
"""Spatial predicates and the one word for each; all others are left out."""


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


class SvgScenes(Sequence[Scene]):
    """The images of a Synthetic Visual Genome file as scenes."""

    def __init__(self, path: Path, images: Path | None, *, name: str = "svg", skip_bad: bool = False) -> None:
        """Read a file.

        Raises:
            VhbenchError: names the file, the image, the object and what is wrong.
        """
        self.name, self.path, self.faults = name, path, Faults(path, skip_bad)
        self._files = _by_stem(images)
        raw = _decode(path)
        self._images = {key: image for key, value in raw.items() if (image := self._image(key, value))}
        self._keys = list(self._images)
        if not self._keys:
            raise VhbenchError(f"{path}: no usable images")

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, index: int) -> Scene: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Scene]: ...
    def __getitem__(self, index: int | slice) -> Scene | Sequence[Scene]:
        """Make one scene (or a list of them, for a slice)."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        key = self._keys[index]
        image = self._images[key]
        numbers = {identity: i for i, identity in enumerate(image.objects)}
        objects = tuple(_scene_object(numbers[i], thing) for i, thing in image.objects.items())
        listed = frozenset(o.category for o in objects)
        anchors = listed - {_category(o) for o in image.objects.values() if not o.relations}
        return Scene(
            id=f"{self.name}:{key}",
            image=self._files.get(key, Path(key)),
            width=image.width,
            height=image.height,
            objects=objects,
            relations=_relations(image, numbers),
            known=anchors,
            countable=anchors,
            provenance={"source": self.name, "image_id": key},
        )

    def __iter__(self) -> Iterator[Scene]:
        return (self[i] for i in range(len(self)))

    def _image(self, key: str, raw: msgspec.Raw) -> _Image | None:
        """Return a sound image, its unsound objects and relations left out (and reported)."""
        place = f"image {key}"
        try:
            image = msgspec.json.decode(raw, type=_Image)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self.faults.report("malformed entry", place, str(error))
            return None
        if self._files and key not in self._files:
            self.faults.report("missing image file", place, "no file of that name in the folder of images")
            return None
        image.objects = {i: o for i, o in image.objects.items() if self._box_fits(f"{place}, object {i}", o, image)}
        for identity, thing in image.objects.items():
            thing.relations = [r for r in thing.relations if self._leads(f"{place}, object {identity}", r, image)]
        return image

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


def _category(thing: _Object) -> str:
    return " ".join(thing.name.lower().replace("_", " ").split())


def _scene_object(number: int, thing: _Object) -> SceneObject:
    x1, y1, x2, y2 = thing.bbox
    return SceneObject(number, _category(thing), (x1, y1, x2 - x1, y2 - y1), (x2 - x1) * (y2 - y1))


def _relations(image: _Image, numbers: dict[str, int]) -> tuple[Relation, ...]:
    return tuple(
        Relation(numbers[identity], predicate, numbers[str(r.object)])
        for identity, thing in image.objects.items()
        for r in thing.relations
        if (predicate := PREDICATES.get(r.name.lower().strip()))
    )


def _decode(path: Path) -> dict[str, msgspec.Raw]:
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return msgspec.json.decode(memoryview(data), type=dict[str, msgspec.Raw])
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, msgspec.DecodeError) as error:
        raise VhbenchError(f"{path}: not a Synthetic Visual Genome JSON: {error}") from error


def _by_stem(folder: Path | None) -> dict[str, Path]:
    if folder is None:
        return {}
    if not folder.is_dir():
        raise VhbenchError(f"no folder of images at {folder}")
    return {path.stem: path for path in sorted(folder.iterdir())}
