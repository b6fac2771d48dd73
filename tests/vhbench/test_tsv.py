"""A table with a mistake is reported with its line."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from vhbench.schema import VhbenchError
from vhbench.tsv import records


@dataclass(frozen=True)
class Thing:
    """A row with a number, a method of text and a word."""

    number: int
    change: str
    word: str


READERS = {"number": int, "change": lambda cell: getattr(str, cell).__name__}


def table(folder: Path, row: str) -> Path:
    path = folder / "things.tsv"
    path.write_text(f"number\tchange\tword\n1\tlower\t\n{row}\n", encoding="utf-8")
    return path


def test_each_row_is_a_record(tmp_path: Path) -> None:
    assert records(table(tmp_path, '2\tupper\ta "b", c'), Thing, READERS) == [
        Thing(1, "lower", ""),
        Thing(2, "upper", 'a "b", c'),
    ]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("2\tupper", "expected 3 cells between tabs, got 2"),
        ("2\tupper\tdog\t", "expected 3 cells between tabs, got 4"),
        ("2 upper dog", "expected 3 cells between tabs, got 1"),
        ("two\tupper\tdog", "invalid literal for int.* 'two'"),
        ("2\tuper\tdog", "has no attribute 'uper'"),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, row: str, error: str) -> None:
    with pytest.raises(VhbenchError, match=f"^things.tsv, line 3: .*{error}$"):
        records(table(tmp_path, row), Thing, READERS)
