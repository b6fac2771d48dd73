"""Files are read, written and hashed in one way, and what is wrong with one is said in one line."""

import json
import os
from collections.abc import Callable, Iterator
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
        (None, "No such file"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(VhbenchError) as refused:
        files.read_json(tmp_path / "x.json")
    assert message in str(refused.value)
    assert str(tmp_path / "x.json") in str(refused.value)


def test_a_typed_value(tmp_path: Path) -> None:
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
    with pytest.raises(VhbenchError, match=r"x\.json.*: expected a thing, got "):
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

    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path))
    assert (files.cache_folder(), ClipScorer("x/y").cache) == (tmp_path, tmp_path)
    assert list(files.cached("kind", [["key"]], lambda missing: ["made"])) == ["made"]
    assert [path.name for path in tmp_path.iterdir()] == ["kind"]


@pytest.mark.parametrize("place", ["pipe", "device", "stdout"])
def test_what_is_no_file_is_not_replaced_by_one(place: str, tmp_path: Path) -> None:
    path = tmp_path / place
    if place == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"device": "/dev/null", "stdout": "/proc/self/fd/1"}[place])
    with pytest.raises(VhbenchError, match=f"{place}: expected a file, got a pipe, a device or a socket"):
        files.write_atomic(path, b"x")
    assert not path.is_file() or path.is_symlink()


@pytest.mark.parametrize("text", ["a: 2026-99-99", "a: " + "9" * 5000, "[" * 2000, "a: [", "!!python/object:os.x y"])
def test_what_is_no_yaml_is_one_line(text: str) -> None:
    with pytest.raises(VhbenchError, match=r"\Ait is no YAML: [^\n]+\Z"):
        files.parse_yaml(text, "it is no YAML")


def test_a_cache_makes_what_it_lacks_and_nothing_else(tmp_path: Path) -> None:
    made: list[list[int]] = []

    def make(numbers: list[int]) -> list[Any]:
        made.append(numbers)
        return [{"number": number, "png": b"\x89"} for number in numbers]

    def ask(*keys: Any) -> list[Any]:
        return list(files.cached("things", keys, make, folder=tmp_path))

    first = ask(["a", 1], ["b", 2])
    assert first == ask(["a", 1], ["b", 2]) == [{"number": 0, "png": b"\x89"}, {"number": 1, "png": b"\x89"}]
    assert ask(["c"], ["b", 2], ["d"]) == [{"number": 0, "png": b"\x89"}, first[1], {"number": 2, "png": b"\x89"}]
    assert made == [[0, 1], [0, 2]]


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"?", lambda data: b""])
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    assert list(files.cached("things", ["a"], lambda missing: ["old"], folder=tmp_path)) == ["old"]
    (entry,) = (path for path in tmp_path.rglob("*") if path.is_file())
    entry.write_bytes(damage(entry.read_bytes()))
    assert list(files.cached("things", ["a"], lambda missing: ["new"], folder=tmp_path)) == ["new"]


def test_a_value_is_kept_as_soon_as_it_is_made(tmp_path: Path) -> None:
    def fail(missing: list[int]) -> Iterator[str]:
        yield "first"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        list(files.cached("things", ["a", "b"], fail, folder=tmp_path))
    assert next(files.cached("things", ["a"], fail, folder=tmp_path)) == "first"


def test_a_cache_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "things").write_text("no folder")
    assert list(files.cached("things", [None], lambda missing: [7], folder=tmp_path)) == [7]


def test_only_what_must_outlive_a_power_failure_waits_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(files.os, "fsync", flushed.append)
    files.write_atomic(tmp_path / "x", b"1", durable=False)
    assert flushed == []
    files.write_atomic(tmp_path / "x", b"2")
    assert len(flushed) == 2  # the file, and the folder that names it
    assert (tmp_path / "x").read_bytes() == b"2"
