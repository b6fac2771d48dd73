"""Rows come out of a file one at a time as they would of the whole, whatever its form."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.json_rows import each_row
from vhbench.schema import VhbenchError

NAMES = ("id", "response")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
ROWS = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 99)}, optional={"response": VALUES, "é\n": VALUES}), min_size=1
)


def read(folder: Path, text: str | bytes) -> list[dict[str, Any]]:
    (folder / "rows").write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(each_row(folder / "rows", NAMES))


@given(rows=ROWS, indent=st.sampled_from([None, 1]), ascii=st.booleans())
def test_every_form_gives_the_same_rows(rows: list[dict[str, Any]], indent: Any, ascii: bool) -> None:
    import tempfile

    def dump(value: Any) -> str:
        return json.dumps(value, indent=indent, ensure_ascii=ascii)

    with tempfile.TemporaryDirectory() as folder:
        for text in (
            dump(rows),
            "\n".join(map(dump, rows)),
            "\ufeff" + dump(rows),
            " \n".join(map(dump, rows)) + "\n\n",
        ):
            assert read(Path(folder), text) == rows


@pytest.mark.parametrize(
    "value", ["NaN", "-Infinity", "1e400", '"\\ud800"', "1" * 40, "-0", '{"a": 1, "a": 2}', '"\\u0000"']
)
def test_what_one_parser_refuses_the_other_reads(value: str, tmp_path: Path) -> None:
    line = f'{{"id": "q", "response": {value}}}'
    rows = read(tmp_path, f"{line}\n{line}\n{line}")
    assert [repr(row) for row in rows] == [repr(json.loads(line))] * 3


def test_a_line_may_have_several_objects(tmp_path: Path) -> None:
    line = " ".join(f'{{"id": {n}}}' for n in range(50))
    assert [row["id"] for row in read(tmp_path, f'{line}\n{{"id": 50}}\n{line}')] == [*range(51), *range(50)]


@given(said=st.dictionaries(st.text("abc0123", min_size=1), st.text(max_size=9), min_size=1))
def test_an_object_of_ids_gives_a_row_each(said: dict[str, str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        rows = [{"id": name, "response": text} for name, text in said.items()]
        assert read(Path(folder), json.dumps(said)) == rows


def test_an_id_that_is_answered_twice_is_not_answered_once(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="occurs twice; each question may be answered once"):
        read(tmp_path, '{"q1": "yes", "q1": "no"}')


def test_an_object_of_ids_may_hold_rows(tmp_path: Path) -> None:
    text = '{"q1": {"response": "yes"}, "q2": null}'
    assert read(tmp_path, text) == [{"id": "q1", "response": "yes"}, {"id": "q2", "response": None}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": 1}\n{"id": ', "line 2: not JSON"),
        ('{"id": 1}\n{"id" 2}', "line 2: not JSON"),
        ('[{"id": 1},\n {"id": 2}', "line 2: not JSON"),
        ('[{"id": 1},\n\n nonsense]', "line 3: not JSON"),
        ('{"id": "1\n2"}', "line 1: not JSON"),
        ("[1, 2]", "row 1: is 1, not a JSON object"),
        ('{"id": 1}\n"a"', "row 2: is 'a', not a JSON object"),
        (" \n", "the file is empty"),
        (b'{"id": "\xff\xff"}', "not UTF-8 text"),
        ("[" * 5_000, "not JSON"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(VhbenchError, match=message):
        read(tmp_path, text)


def test_a_large_answer_is_read(tmp_path: Path) -> None:
    rows = [{"id": 1, "response": "x" * 3_000_000}, {"id": 2, "response": "y"}]
    assert read(tmp_path, "\n".join(map(json.dumps, rows))) == rows


@pytest.mark.parametrize("form", ["lines", "array"])
def test_rows_are_made_one_after_another(tmp_path: Path, form: str) -> None:
    row = json.dumps({"id": "a", "response": [1, {"c": None}] * 20})
    text = "\n".join([row] * 5_000) if form == "lines" else f"[{','.join([row] * 5_000)}]"
    (tmp_path / "rows").write_text(text)
    tracemalloc.start()
    assert sum(found["id"] == "a" for found in each_row(tmp_path / "rows")) == 5_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (1 if form == "lines" else 3) * len(text)
