"""PACO → scenes with attributes (arXiv 2301.01795): COCO form, 75 objects, 59 attributes of 4 types.

PACO is federated, as LVIS is: an image knows the categories that it shows and those of its ``neg_category_ids``; those
of ``not_exhaustive_category_ids`` are not counted. An attribute type is known of an object if something of that type is
annotated and its ``unknown_…`` field is 0. An object's colour is its dominant one; other colours are ``partly`` there.
An object with a bad attribute id that is skipped stays, with nothing known of its attributes.
"""

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

import msgspec

from vhbench.adapters.coco import CocoScenes, rivals
from vhbench.adapters.coco_entries import Annotation, Image
from vhbench.adapters.faults import Faults
from vhbench.schema import VhbenchError

TYPES: Final = {"color": "colour", "pattern_marking": "pattern", "material": "material", "transparency": "transparency"}
"""PACO's attribute types and ours; their order is that of the ids."""

BOUNDS: Final = (0, 30, 41, 55, 59)
SILENT: Final = frozenset({"plain", "logo", "text", "opaque"})
"""Values that are known but not asked about: they read badly, or hold of nearly everything."""

NAMES: Final = {
    "car_(automobile)": "car",
    "cellular_telephone": "cell phone",
    "drum_(musical_instrument)": "drum",
    "glass_(drink_container)": "drinking glass",
    "laptop_computer": "laptop",
    "mouse_(computer_equipment)": "computer mouse",
    "pan_(for_cooking)": "cooking pan",
    "slipper_(footwear)": "slipper",
    "tape_(sticky_cloth_or_paper)": "adhesive tape",
    "television_set": "television",
    "microwave_oven": "microwave",
    "trash_can": "trash can",
}
"""Categories whose readable name is not the one without underscores."""

_RIVALS = """
    cup, mug, drinking glass; telephone, cell phone; box, carton, crate, basket; can, bottle, jar
    chair, stool, bench; shoe, slipper; plate, tray, bowl; napkin, tissue paper, towel
    hat, helmet; pen, pencil; bucket, trash can
"""
RIVALS: Final = tuple(frozenset(words.strip().split(", ")) for words in re.split("[;\n]", _RIVALS.strip()))


class _Attribute(msgspec.Struct):
    id: int
    name: str


class _AttributePair(msgspec.Struct, rename={"pair": "obj-attr"}):
    obj: int | str
    attr: int | str
    pair: int


class PacoScenes(CocoScenes):
    """A PACO file (LVIS or Ego4D part) as scenes."""

    def __init__(self, path: Path, images: Path | None, *, name: str = "paco", skip_bad: bool = False) -> None:
        """Read a file; see :class:`CocoScenes`.

        Raises:
            VhbenchError: also for an attribute outside the file's classes.
        """
        self._attribute_names: dict[int, str] = {}
        self._found: dict[int, tuple[tuple[tuple[str, str], ...], frozenset[str]]] = {}
        super().__init__(path, images, name=name, skip_bad=skip_bad, note=self._note)
        self._pairs = self._joint()

    def readable(self, category: str) -> str:
        """Return the readable name; parts ("mug:handle") are left out."""
        return "" if ":" in category else NAMES.get(category, category.replace("_", " "))

    def is_part(self, annotation: Annotation) -> bool:
        """Parts have their own annotations, which point to their object's."""
        return super().is_part(annotation)

    def attributes(self, annotation: int) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
        """Return an annotation's attributes and the known types."""
        return self._found.get(annotation, ((), frozenset()))

    def knowledge(self, image: Image, rows: range) -> tuple[frozenset[str], frozenset[str]]:
        """Return the present and the verified absent categories, and which of them are all listed."""
        present, crowds, dropped = self.evidence(image, rows)
        if self.unlisted(image):
            return frozenset(present), frozenset()
        negative = {self.categories[c] for c in image.neg_category_ids or () if c in self.categories}
        partial = {self.categories[c] for c in image.not_exhaustive_category_ids or () if c in self.categories}
        known = frozenset((present | negative) - rivals(present | dropped, RIVALS) - (dropped - present))
        doubtful = {name for pair in image.not_exhaustive_category_ids_attrs or () if (name := self._pairs.get(pair))}
        return known, known - partial - crowds - doubtful - dropped

    def _joint(self) -> dict[int, str]:
        """Return the id of a joint (object, attribute) category → the object's name."""
        try:
            pairs = msgspec.json.decode(self.document_extra[1], type=list[_AttributePair])
        except msgspec.DecodeError as error:
            raise VhbenchError(f"{self.path}: joint_obj_attribute_categories: {error}") from error
        return {
            p.pair: self.categories.get(p.obj, "") if isinstance(p.obj, int) else self.readable(p.obj) for p in pairs
        }

    def _names_of_attributes(self, faults: Faults) -> dict[int, str]:
        if not self._attribute_names:
            try:
                entries = msgspec.json.decode(self.document_extra[0], type=list[_Attribute])
            except msgspec.DecodeError as error:
                raise VhbenchError(f"{faults.path}: attributes: {error}") from error
            self._attribute_names = {entry.id: entry.name for entry in entries}
        return self._attribute_names

    def _note(self, annotation: Annotation, faults: Faults) -> None:
        names = self._names_of_attributes(faults)
        listed, dominant = annotation.attribute_ids or [], annotation.dom_color_ids or []
        for identity in (*listed, *dominant):
            if identity not in names or not 0 <= identity < BOUNDS[-1]:
                text = f"attribute {identity} is not one of the file's {len(names)} classes"
                faults.report("unknown attribute", f"annotation {annotation.id}", text)
                return
        self._found[annotation.id] = self._read_attributes(annotation, names, listed, set(dominant))

    def _read_attributes(
        self, annotation: Annotation, names: dict[int, str], listed: list[int], dominant: set[int]
    ) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
        values: dict[str, list[int]] = defaultdict(list)
        for identity in sorted({*listed, *dominant}):
            values[_type_of(identity)].append(identity)
        known = {ours for paco, ours in TYPES.items() if values[paco] and not getattr(annotation, f"unknown_{paco}")}
        pairs: list[tuple[str, str]] = []
        for paco, identities in values.items():
            for identity in identities:
                name = names[identity].replace("_", " ")
                sure = paco != "color" or dominant == {identity} or (not dominant and len(identities) == 1)
                silent = name.startswith("other(") or name in SILENT
                pairs.append((TYPES[paco] if sure and not silent else f"partly {TYPES[paco]}", name))
        return tuple(pairs), frozenset(known)


def _type_of(attribute: int) -> str:
    return next(name for name, end in zip(TYPES, BOUNDS[1:], strict=True) if attribute < end)
