"""Which objects have which attribute, and which might."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from vhbench import colours
from vhbench.generators.mioh.scene_columns import NO_ROWS, Ints, SceneColumns, mark

_ASKED_KINDS: Final = ("colour", "material", "pattern", "transparency", "action")
"""Attribute types that questions use; a ``partly`` value (a minor colour of a mug) is neither true nor false."""

_ALIKE: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("translucent", "transparent"), ("wool", "fabric"), ("velvet", "fabric"), ("crochet", "fabric"),
        ("crochet", "wool"), ("rattan", "wood"), ("woven", "checkered"),
    )
)  # fmt: skip


def close(one: str, other: str, *, flat: bool = False) -> bool:
    """Tell whether two values are the same or so close that people would differ ("dark red", "red").

    Args:
        one: a value.
        other: another of the same type.
        flat: whether colours are those of drawn things, see :func:`vhbench.colours.near`.
    """
    return colours.near(one, other, flat=flat) or frozenset((one, other)) in _ALIKE


class AttributeTable:
    """The objects behind each attribute; all rows are objects of the columns, in ascending order.

    Attributes:
        holders: (category's column, type, value) → the objects that surely have it, for types that questions use.
    """

    def __init__(self, columns: SceneColumns, *, flat: bool = False) -> None:
        """Group the objects by category and value; ``flat`` as for :func:`close`."""
        self._flat = flat
        self.which = columns.which
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

    def close_to(self, column: int, kind: str, value: str) -> Ints:
        """Return the objects of a category that have the value, or one that could be taken for it."""
        table = self._values.get((column, kind), {})
        found = [part for other, parts in table.items() if close(other, value, flat=self._flat) for part in parts]
        return np.concatenate(found) if found else NO_ROWS

    def carriers(self, column: int, kind: str, value: str) -> Ints:
        """Return the objects of other categories that have exactly the value."""
        rows = self._anywhere.get((kind, value), NO_ROWS)
        others: Ints = rows[self.which[rows] != column]
        return others

    def untyped(self, kind: str, rows: Ints) -> Ints:
        """Return the objects among ``rows`` about which a type is not known."""
        return rows[~self._typed[kind][rows]] if kind in self._typed else rows
