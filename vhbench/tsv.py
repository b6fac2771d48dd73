"""Tab-separated tables in the package: header row, no quoting; commas within list cells."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from vhbench.schema import VhbenchError

Record = TypeVar("Record")


def records(table: Path, kind: Callable[..., Record], readers: Mapping[str, Callable[[str], Any]]) -> list[Record]:
    """Return a record per row of a table, cells without a reader as text; raise VhbenchError if one rejects a cell."""
    rows = []
    with table.open(encoding="utf-8", newline="") as file:
        columns, *lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    for line, row in enumerate(lines, start=2):
        if len(row) != len(columns):
            raise VhbenchError(f"{table.name}, line {line}: expected {len(columns)} cells between tabs, got {len(row)}")
        try:
            rows.append(kind(**{name: readers.get(name, str)(cell) for name, cell in zip(columns, row, strict=True)}))
        except (AttributeError, ValueError) as error:
            raise VhbenchError(f"{table.name}, line {line}: {error}") from error
    return rows


def words(cell: str) -> tuple[str, ...]:
    """Split a list of words."""
    return tuple(cell.split(",")) if cell else ()


def numbers(cell: str) -> tuple[float, ...]:
    """Split a list of numbers."""
    return tuple(map(float, words(cell)))
