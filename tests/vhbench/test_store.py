"""Values that are kept packed are found by their names, whatever these are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench import store
from vhbench.records import to_record
from vhbench.store import PackedRecords, Store

TEXTS = st.text(max_size=3) | st.sampled_from(["yes", "é"])


@given(st.lists(st.text(), unique=True), st.text())
def test_each_is_found_and_nothing_else(names: list[str], other: str) -> None:
    values = Store((name, {"id": name, "answer": "A"}) for name in names)
    assert [values.find(name) for name in names] == list(range(len(names)))
    assert dict(values) == {name: {"id": name, "answer": "A"} for name in names}
    assert (other in values) == (other in names)
    assert values.repeated() is None


def test_names_whose_digests_are_the_same_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_digest", len)
    values = Store((name, name.upper()) for name in ("a", "bb", "c"))
    assert [values.get(name) for name in ("a", "bb", "c", "d", "ddd")] == ["A", "BB", "C", None, None]


def test_the_first_name_that_occurs_twice() -> None:
    assert Store((name, 0) for name in ("x", "b", "a", "b", "a")).repeated() == 3


def test_values_are_kept_as_they_are_packed() -> None:
    values = Store([("a", 7)], pack=str, unpack=lambda name, kept: int(kept) * len(name), held=1)
    assert (values["a"], values["a"]) == (7, 7)


@given(st.lists(st.dictionaries(st.sampled_from(["answer", "task", "source", "prediction"]), TEXTS), max_size=3))
def test_packed_records_are_those_that_were_packed(rows: list[dict[str, str]]) -> None:
    records = [to_record({"id": str(n), "scene_ids": [f"s{n}"], **row}) for n, row in enumerate(rows)]
    packed = PackedRecords()
    for record in records:
        packed.add(record)
    assert list(packed) == records
    assert list(packed) == []


def test_a_record_that_several_have_is_in_their_union_once() -> None:
    parts = [PackedRecords() for _ in range(2)]
    for part, names in zip(parts, ("ab", "bc"), strict=True):
        for name in names:
            part.add(to_record({"id": name, "answer": "yes"}))
    assert [record.id for record in PackedRecords.union(parts)] == ["a", "b", "c"]
