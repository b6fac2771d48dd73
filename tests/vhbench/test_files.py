"""Files are read, written and hashed in one way, and what is wrong with one is said in one line."""

import json
import math
import os
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench import files
from vhbench.schema import VhbenchError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
def test_json_is_read_as_python_reads_it(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    file = tmp_path_factory.mktemp("json") / "a.json"
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        file.write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8", "surrogatepass"))
        try:
            expected = json.loads(text.encode("utf-8"))
        except UnicodeEncodeError:
            continue
        assert files.read_json(file) == expected


@pytest.mark.parametrize(
    "text", ['{"a": 1}\n{"a": 2}\n', '\n{"a":\n1}{"a": 2}', '[{"a": 1}, {"a": 2}]', '{"a": 1}\r\n\r\n{"a": 2}']
)
def test_rows_are_an_array_or_stand_one_after_another(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_bytes(text.encode())
    assert files.read_rows(tmp_path / "x") == [{"a": 1}, {"a": 2}]


def test_nan_and_a_pipe_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"f1": NaN, "n": Infinity}')
    assert files.read_json(tmp_path / "x")["n"] == float("inf")
    reader, writer = os.pipe()
    os.write(writer, b"[1]")
    os.close(writer)
    assert files.read_json(f"/dev/fd/{reader}") == [1]
    os.close(reader)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.json: the file is empty; JSON or JSON lines are needed"),
        (b'{"a": 1}\n\n{oops}', "x.json, line 3: not JSON (Expecting property name"),
        (b"[" * 100_000, "x.json, line 1: not JSON (nested too deeply)"),
        (b'["\xff"]', "x.json: not UTF-8 text (byte 2)"),
        (b'{"a": 1}\n7', "x.json, row 2: is 7, not a JSON object"),
        (None, "No such file"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(VhbenchError) as refused:
        files.read_rows(tmp_path / "x.json")
    assert message in str(refused.value)
    assert str(tmp_path / "x.json") in str(refused.value)


@pytest.mark.parametrize("mapped", [1, 1 << 30])
def test_a_large_file_is_a_view_of_its_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped: int) -> None:
    monkeypatch.setattr(files, "_MAPPED", mapped)
    (tmp_path / "x.json").write_bytes(b'\xef\xbb\xbf{"a": [1, 2]}')
    found = files.read_typed(tmp_path / "x.json", dict[str, msgspec.Raw], "table")
    assert bytes(found["a"]) == b"[1, 2]"
    with pytest.raises(VhbenchError, match=r"x\.json: not a list JSON: Expected `array`"):
        files.read_typed(tmp_path / "x.json", list[int], "list")


@dataclass(frozen=True)
class Thing:
    """What a value shall be."""

    name: str
    sizes: tuple[int, ...] = ()
    parts: dict[str, int] | None = None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"name": 5}, "x.json: name is 5: expected `str`, got `int`"),
        ({"name": "a", "sizes": [1, "b" * 99]}, "x.json: sizes[1] is 'bbbbbbbbbbb"),
        ({"name": "a", "parts": {"leg": "4"}}, "x.json: parts[...] is {'leg': '4'}: expected `int`, got `str`"),
        ({"sizes": []}, "x.json is {'sizes': []}: object missing required field `name`"),
        ("a", "x.json is 'a': expected `object`, got `str`"),
    ],
)
def test_a_value_of_another_type_is_named_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(VhbenchError) as refused:
        files.convert(value, Thing, "x.json")
    assert str(refused.value).startswith(message)
    assert len(str(refused.value)) < 120
    with pytest.raises(VhbenchError, match=r"x\.json.*: must be a thing$"):
        files.convert(value, Thing, "x.json", "a thing")


def test_canonical_json_has_one_form() -> None:
    assert files.canonical({"b": {2, 1}, "a": (1, "é")}) == '{"a":[1,"é"],"b":[1,2]}'.encode()
    with pytest.raises(VhbenchError, match="cannot be written as JSON"):
        files.canonical(object())


@pytest.mark.parametrize("content", [b"new", lambda file: file.write(b"new")])
@pytest.mark.parametrize("durable", [True, False])
def test_a_file_appears_whole(tmp_path: Path, content: bytes | Callable[[BinaryIO], object], durable: bool) -> None:
    files.write_atomic(tmp_path / "new" / "x", content, durable=durable)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["x"]
    assert (tmp_path / "new" / "x").read_bytes() == b"new"


def test_a_file_that_fails_half_way_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")

    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        (name,) = [path.name for path in tmp_path.iterdir() if path.name != "x"]
        assert files.is_temporary(name)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        files.write_atomic(tmp_path / "x", fail)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
    assert not files.is_temporary("x.tmp")


def test_a_hash_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert files.file_sha256(tmp_path / "x").startswith("ba7816bf")
    with pytest.raises(VhbenchError, match=r"cannot read .*none: No such file"):
        files.file_sha256(tmp_path / "none")


def test_one_folder_for_all_that_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vhbench.adapters.clip import ClipScorer
    from vhbench.adapters.rewriters import CachedRewriter, load_rewriter

    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path))
    rewriter = load_rewriter("transformers:x/y")
    assert isinstance(rewriter, CachedRewriter)
    assert (files.cache_folder(), ClipScorer("x/y").cache, rewriter.folder) == (
        tmp_path,
        tmp_path / "clip",
        tmp_path / "rewritings",
    )


@pytest.mark.parametrize("begin", [b"", b"  ", b"[", b"{}", b"1"])
def test_a_large_file_that_is_no_json_is_not_read_whole(tmp_path: Path, begin: bytes) -> None:
    file = tmp_path / "zeros.json"
    file.write_bytes(begin)
    os.truncate(file, 64 << 20)
    tracemalloc.start()
    with pytest.raises(VhbenchError, match=r"zeros\.json: not JSON"):
        files.read_json(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_large_file_may_hold_what_python_writes(tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    blank = b" " * (16 << 20)
    for text, found in ((b"[-Infinity]", [-math.inf]), (b"1" + blank + b"2", [1, 2]), (b"{}\n{}", [{}, {}])):
        file.write_bytes(blank + text)
        assert files.read_json(file) == found


@pytest.mark.parametrize("place", ["pipe", "device", "stdout"])
def test_what_is_no_file_is_not_replaced_by_one(place: str, tmp_path: Path) -> None:
    path = tmp_path / place
    if place == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"device": "/dev/null", "stdout": "/proc/self/fd/1"}[place])
    with pytest.raises(VhbenchError, match=f"{place}: is no file, but a pipe, a device or a socket"):
        files.write_atomic(path, b"x")
    assert not path.is_file() or path.is_symlink()


@pytest.mark.parametrize("unit", ["[],", "{},", '"a",', '{"a":1},'])
def test_json_that_would_take_the_memory_is_refused_before(unit: str, tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    file.write_text(f"[{unit * (45_000_000 // len(unit))}null]")
    with pytest.raises(VhbenchError, match=r"large\.json: would take about [\d,]+ MiB of memory; at most 768"):
        files.read_json(file)
    with pytest.raises(VhbenchError, match="of memory"):
        next(files.each_row(file))


def test_json_lines_are_read_one_after_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MAPPED", 1000)
    file = tmp_path / "rows.jsonl"
    row = b'{"id": "a", "b": [1, {"c": null}]}\n'
    file.write_bytes(b"\xef\xbb\xbf\n" + row * 40_000)
    tracemalloc.start()
    assert sum(found["id"] == "a" for found in files.each_row(file)) == 40_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize(
    "text", ['{"a": 1}\n{"a": NaN}\n', '{"a": 1}\n{\n"a": 2\n}', '[{"a": 1}, {"a": 2}]', '{"a": 1} {"a": 2}']
)
def test_other_rows_are_read_as_they_always_were(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MAPPED", 1)
    (tmp_path / "x").write_text(text)
    found = list(files.each_row(tmp_path / "x"))
    assert [row["a"] == row["a"] and row["a"] for row in found] == [
        row["a"] == row["a"] and row["a"] for row in files.read_rows(tmp_path / "x")
    ]
    assert len(found) == 2


@pytest.mark.parametrize(
    ("text", "fault"), [("", "is empty"), ("{}\n[]", "row 2: is"), ('{}\n{"a"', "line 2: not JSON"), ("7", "row 1")]
)
def test_a_row_that_is_none_is_told_where_it_is(
    text: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_MAPPED", 1)
    (tmp_path / "x").write_text(text)
    with pytest.raises(VhbenchError, match=fault):
        list(files.each_row(tmp_path / "x"))


@pytest.mark.parametrize("text", ["a: 2026-99-99", "a: " + "9" * 5000, "[" * 2000, "a: [", "!!python/object:os.x y"])
def test_what_is_no_yaml_is_one_line(text: str) -> None:
    with pytest.raises(VhbenchError, match=r"\Ait is no YAML: [^\n]+\Z"):
        files.parse_yaml(text, "it is no YAML")
