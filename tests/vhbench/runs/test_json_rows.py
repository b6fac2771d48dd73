"""Rows come out of a stream as they would of the whole file, wherever the reader's chunks end."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.runs import json_rows as stream
from vhbench.runs.json_rows import json_rows
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


def read(folder: Path, text: str | bytes, chunk: int, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    file = folder / "rows"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    monkeypatch.setattr(stream, "_CHUNK", chunk)
    return list(json_rows(file, NAMES))


@given(rows=ROWS, chunk=st.integers(1, 40), indent=st.sampled_from([None, 1]), ascii=st.booleans())
def test_every_form_gives_the_same_rows(rows: list[dict[str, Any]], chunk: int, indent: Any, ascii: bool) -> None:
    import tempfile

    def dump(value: Any) -> str:
        return json.dumps(value, indent=indent, ensure_ascii=ascii)

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for text in (
            dump(rows),
            "\n".join(map(dump, rows)),
            "\ufeff" + dump(rows),
            " \n".join(map(dump, rows)) + "\n\n",
        ):
            assert read(Path(folder), text, chunk, patch) == rows


@pytest.mark.parametrize(
    "value", ["NaN", "-Infinity", "1e400", '"\\ud800"', "1" * 40, "-0", '{"a": 1, "a": 2}', '"\\u0000"']
)
def test_what_one_parser_refuses_the_other_reads(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f'{{"id": "q", "response": {value}}}'
    rows = read(tmp_path, f"{line}\n{line}\n{line}", 1_000, monkeypatch)
    assert [repr(row) for row in rows] == [repr(json.loads(line))] * 3


def test_a_line_of_several_objects_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    decode = stream.msgspec.json.decode
    monkeypatch.setattr(stream.msgspec.json, "decode", lambda text: (tried.append(text), decode(text))[1])
    line = " ".join(f'{{"id": {n}}}' for n in range(50))
    rows = read(tmp_path, f'{line}\n{{"id": 50}}\n{line}', 1_000_000, monkeypatch)
    assert [row["id"] for row in rows] == [*range(51), *range(50)]
    assert [len(text.split("}")) - 1 for text in tried] == [49, 1]


@given(said=st.dictionaries(st.text("abc0123", min_size=1), st.text(max_size=9), min_size=1), chunk=st.integers(1, 40))
def test_an_object_of_ids_gives_a_row_each(said: dict[str, str], chunk: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        rows = [{"id": name, "response": text} for name, text in said.items()]
        assert read(Path(folder), json.dumps(said), chunk, patch) == rows


def test_an_id_that_is_answered_twice_is_not_answered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = read(tmp_path, '{"q1": "yes", "q1": "no"}', 9, monkeypatch)
    assert twice == [{"id": "q1", "response": "yes"}, {"id": "q1", "response": "no"}]


def test_an_object_of_ids_may_hold_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"q1": {"response": "yes"}, "q2": null}'
    assert read(tmp_path, text, 9, monkeypatch) == [{"id": "q1", "response": "yes"}, {"id": "q2", "response": None}]


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
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
def test_a_fault_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, text: str | bytes, message: str
) -> None:
    with pytest.raises(VhbenchError, match=message):
        read(tmp_path, text, chunk, monkeypatch)


def test_a_large_answer_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": 1, "response": "x" * 3_000_000}, {"id": 2, "response": "y"}]
    assert read(tmp_path, "\n".join(map(json.dumps, rows)), 1 << 16, monkeypatch) == rows


def test_a_large_row_is_a_row_and_a_too_large_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "row.json"
    row = {"id": "a", "response": "yes", **{f"f{n}": "x" * 90 for n in range(100)}}
    file.write_text(json.dumps(row))
    assert list(json_rows(file, NAMES)) == [row]
    monkeypatch.setattr(stream, "LARGEST_ROW", 2_000)
    with pytest.raises(VhbenchError, match=r"row\.json, line 1: not JSON \(a row of more than 2,000 characters\)"):
        list(json_rows(file, NAMES))
