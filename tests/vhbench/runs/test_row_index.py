"""Questions that are kept packed are found by their ids, whatever these are."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.runs import row_index
from vhbench.runs.row_index import KnownRows
from vhbench.schema import VhbenchError

FILE = Path("a.csv")


@given(st.lists(st.text(min_size=1).filter(lambda name: name.isprintable()), unique=True), st.text())
def test_each_is_found_and_nothing_else(names: list[str], other: str) -> None:
    rows = KnownRows(FILE, ((n, "mioh", {"id": name, "answer": "A"}) for n, name in enumerate(names)))
    assert [rows.find(name) for name in names] == [(place, *rows[place]) for place in range(len(names))]
    assert [rows[n][1]["id"] for n in range(len(rows))] == names
    assert (rows.find(other) is None) == (other not in names)


def test_ids_whose_digests_are_the_same_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_index, "_digest", lambda name: len(name))
    rows = KnownRows(FILE, [(1, "", {"id": "a"}), (2, "", {"id": "bb"}), (3, "", {"id": "c"})])
    assert [found and found[0] for found in map(rows.find, ("a", "bb", "c", "d", "ddd"))] == [0, 1, 2, None, None]


def test_the_first_id_that_occurs_twice_is_named() -> None:
    asked = [(n, "", {"id": name}) for n, name in enumerate(("x", "b", "a", "b", "a"), start=1)]
    with pytest.raises(VhbenchError, match=r"a\.csv, row 4: id 'b' occurs twice"):
        KnownRows(FILE, asked)


def test_what_has_no_id_is_refused() -> None:
    with pytest.raises(VhbenchError, match=r"a\.csv, row 3: has no 'id'"):
        KnownRows(FILE, [(3, "", {"answer": "A"})])
