"""Index of objects by definite and possible attribute values."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from vhbench import colours
from vhbench.generators.mioh.scene_columns import NO_ROWS, Bools, Ints, SceneColumns, mark

_ASKED_KINDS: Final = ("colour", "material", "pattern", "transparency", "action")
"""Attribute types used in questions.

A ``partly`` value (such as a minor colour of a mug) counts as neither true nor false.
"""

_ALIKE: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("translucent", "transparent"), ("wool", "fabric"), ("velvet", "fabric"), ("crochet", "fabric"),
        ("crochet", "wool"), ("rattan", "wood"), ("woven", "checkered"),
    )
)  # fmt: skip


def close(one: str, other: str) -> bool:
    """Return whether two values of one type are equal or easily confused ("dark red", "red")."""
    return colours.is_similar_colour(one, other) or frozenset((one, other)) in _ALIKE


class AttributeTable:
    """Objects by attribute; rows are object indices of the columns, in ascending order.

    Attributes:
        holders: (category column, type, value) → objects that definitely have it, for types used in questions.
    """

    def __init__(self, columns: SceneColumns) -> None:
        """Group the objects by category and value."""
        self.which, self._attributes = columns.which, columns.attributes
        self._typed = {kind: mark(rows, len(self.which)) for kind, rows in columns.known_kinds.items()}
        self._values: dict[tuple[int, str], dict[str, list[Ints]]] = defaultdict(lambda: defaultdict(list))
        self.holders: dict[tuple[int, str, str], Ints] = {}
        self._anywhere: dict[tuple[str, str], Ints] = {}
        for (kind, value), rows in columns.attributes.items():
            plain = kind.removeprefix("partly ")
            for column, part in self._by_category(rows):
                self._values[column, plain][value].append(part)
            if kind in _ASKED_KINDS and kind in self._typed:
                sure = rows[self._typed[kind][rows]]
                self._anywhere[kind, value] = sure
                self.holders |= {(column, kind, value): part for column, part in self._by_category(sure)}

    def _by_category(self, rows: Ints) -> Iterator[tuple[int, Ints]]:
        columns = self.which[rows]
        for column in np.unique(columns).tolist():
            yield column, rows[columns == column]

    def unsure(self, column: int, kind: str, value: str) -> Ints:
        """Return the objects of a category that have the value, one easily confused with it, or none annotated."""
        table = self._values.get((column, kind), {})
        rows = [part for other, parts in table.items() if close(other, value) for part in parts]
        return np.concatenate([*rows, np.flatnonzero((self.which == column) & ~self._annotated(kind))])

    def carriers(self, kind: str, value: str) -> tuple[Ints, Ints]:
        """Return the objects that have exactly the value, and those that have it at least partly."""
        all_of, part = (self._attributes.get((name, value), NO_ROWS) for name in (kind, f"partly {kind}"))
        return self._anywhere.get((kind, value), NO_ROWS), np.union1d(all_of, part)

    def others(self, column: int, kind: str) -> Ints:
        """Return the objects of other categories for which the attribute type is annotated."""
        return np.flatnonzero((self.which != column) & self._annotated(kind))

    def _annotated(self, kind: str) -> Bools:
        """Return for each object whether the attribute type is annotated."""
        return self._typed.get(kind, np.zeros(len(self.which), np.bool_))
