"""JSON becomes a record, whatever is quick about it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from vhbench.runs import PackedRecords, payloads, to_record
from vhbench.schema import Record, VhbenchError

TEXTS = st.text(max_size=3) | st.sampled_from(["yes", "é", "yes\ud800"])
VALUES = TEXTS | st.none() | st.booleans() | st.integers() | st.floats() | st.lists(TEXTS | st.integers(), max_size=2)
FIELDS = st.sampled_from([*payloads._NAMES, "something else"])


def result_of(read: Any, values: dict[str, Any]) -> tuple[Record | None, str]:
    try:
        return read(values), ""
    except VhbenchError as error:
        return None, str(error)


@given(st.dictionaries(FIELDS, VALUES, max_size=6))
def test_what_is_read_at_once_is_what_is_converted(values: dict[str, Any]) -> None:
    at_once = payloads._of_plain({"id": "q", **values})
    converted, fault = result_of(lambda given: payloads._of_any(given, "row 1"), {"id": "q", **values})
    assert at_once is None or (at_once == converted and not fault)


def test_most_rows_are_read_at_once() -> None:
    row = {"id": "q", "choices": ["a", "b"], "negated": True, "response": "No.", "model": 7}
    assert payloads._of_plain(row) == Record("q", choices=("a", "b"), negated=True, response="No.")
    assert payloads._of_plain({"id": 7}) is None
    assert to_record({"id": 7}).id == "7"


@given(st.lists(st.dictionaries(st.sampled_from(["answer", "task", "source", "prediction"]), TEXTS), max_size=3))
def test_packed_records_are_those_that_were_packed(rows: list[dict[str, str]]) -> None:
    records = [to_record({"id": str(n), "scene_ids": [f"s{n}"], **row}) for n, row in enumerate(rows)]
    packed = PackedRecords()
    for record in records:
        packed.add(record)
    assert list(packed) == records
    assert list(packed) == []
