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
        for line, row in enumerate(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE), start=2):
            try:
                rows.append(kind(**{name: readers.get(name, str)(cell) for name, cell in row.items()}))
            except ValueError as error:
                raise VhbenchError(f"{table.name}, line {line}: {error}") from error
    return rows


def words(cell: str) -> tuple[str, ...]:
    """Split a list of words."""
    return tuple(cell.split(",")) if cell else ()


def numbers(cell: str) -> tuple[float, ...]:
    """Split a list of numbers."""
    return tuple(map(float, words(cell)))
