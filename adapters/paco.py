"""PACO → scenes with attributes (arXiv 2301.01795): 75 objects, 59 attributes.

The format is COCO's, and the attributes have 4 types. PACO is federated, like LVIS (:mod:`vhbench.adapters.coco`). An
attribute type is known for an object if an attribute of that type is annotated and its ``unknown_…`` field is 0. An
object's colour is its dominant one; other colours are ``partly`` there. An object with a skipped bad attribute id is
kept without known attributes.
"""

from bisect import bisect
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from vhbench.adapters.coco import CocoScenes
from vhbench.adapters.coco_entries import Annotation, Image
from vhbench.schema import VhbenchError

T = TypeVar("T")

_TYPES: Final = {
    "color": "colour",
    "pattern_marking": "pattern",
    "material": "material",
    "transparency": "transparency",
}
"""PACO's attribute types → ours, in id order."""

_BOUNDS: Final = (30, 41, 55, 59)  # first id beyond each type

_SILENT: Final = frozenset({"plain", "logo", "text", "opaque"})
"""Known values not used in questions: awkward in text, or true of nearly everything."""


class _Attribute(msgspec.Struct):
    id: int
    name: str


class _AttributePair(msgspec.Struct, rename={"pair": "obj-attr"}):
    obj: int | str
    pair: int


class PacoScenes(CocoScenes):
    """PACO file (LVIS or Ego4D part) as scenes."""

    federated = True

    def __init__(self, path: Path, images: Path | None, *, name: str = "paco", **options: Any) -> None:
        """Read a file; see :class:`CocoScenes`. An attribute outside the file's classes is a bad entry, too."""
        self._found: dict[int, tuple[tuple[tuple[str, str], ...], frozenset[str]]] = {}
        super().__init__(path, images, name=name, **options)
        pairs = self._listed(self.document_extra[1], list[_AttributePair], "joint_obj_attribute_categories")
        self._pairs = {
            p.pair: self.categories.get(p.obj, "") if isinstance(p.obj, int) else self.readable(p.obj) for p in pairs
        }

    def readable(self, category: str) -> str:
        """Return the wording; parts ("mug:handle") are excluded."""
        return "" if ":" in category else super().readable(category)

    def attributes(self, annotation: int) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
        """Return an annotation's attributes and the known types."""
        return self._found.get(annotation, ((), frozenset()))

    def knowledge(self, image: Image, rows: slice) -> tuple[frozenset[str], frozenset[str]]:
        """Return the known categories (present or verified absent) and the countable ones."""
        known, countable = super().knowledge(image, rows)
        doubtful = {name for pair in image.not_exhaustive_category_ids_attrs or () if (name := self._pairs.get(pair))}
        return known, countable - doubtful

    def note(self, annotation: Annotation) -> None:
        """Read the annotation's attributes."""
        names = self._attribute_names
        listed, dominant = annotation.attribute_ids or [], annotation.dom_color_ids or []
        for identity in (*listed, *dominant):
            if identity not in names or not 0 <= identity < _BOUNDS[-1]:
                text = f"attribute {identity} is not one of the file's {len(names)} classes"
                self.faults.report("unknown attribute", f"annotation {annotation.id}", text)
                return
        values: dict[str, list[int]] = defaultdict(list)
        for identity in sorted({*listed, *dominant}):
            values[[*_TYPES][bisect(_BOUNDS, identity)]].append(identity)
        known = {ours for paco, ours in _TYPES.items() if values[paco] and not getattr(annotation, f"unknown_{paco}")}
        pairs: list[tuple[str, str]] = []
        for paco, identities in values.items():
            for identity in identities:
                name = names[identity].replace("_", " ")
                sure = paco != "color" or {*dominant} == {identity} or (not dominant and len(identities) == 1)
                silent = name.startswith("other(") or name in _SILENT
                pairs.append((_TYPES[paco] if sure and not silent else f"partly {_TYPES[paco]}", name))
        self._found[annotation.id] = tuple(pairs), frozenset(known)

    @cached_property
    def _attribute_names(self) -> dict[int, str]:
        return {entry.id: entry.name for entry in self._listed(self.document_extra[0], list[_Attribute], "attributes")}

    def _listed(self, raw: msgspec.Raw, kind: type[T], what: str) -> T:
        try:
            return msgspec.json.decode(raw, type=kind)
        except msgspec.DecodeError as error:
            raise VhbenchError(f"{self.path}: {what}: {error}") from error
