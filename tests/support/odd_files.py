"""Files that are not what a command wants: made by accident, or by somebody with bad intentions."""

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

LONG = "A" * 2_000_000


def _text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8")


def _bytes(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def _json(value: Any) -> Callable[[Path], object]:
    return _text(json.dumps(value))


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 42)


def _table(**columns: Any) -> Callable[[Path], object]:
    return lambda path: pq.write_table(pa.table(columns), path)


def _cut(path: Path) -> None:
    _table(id=["a", "b"], response=["yes", "no"])(path)
    path.write_bytes(path.read_bytes()[:-30])


def _repeated(path: Path) -> None:
    """48 kB that stand for 4 GB: one text that 4,000 rows repeat."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 4000, pa.int32()), pa.array(["A" * (1 << 20)]))
    columns = dict.fromkeys(("id", "question", "answer", "response", "image"), text)
    options: dict[str, Any] = {"dictionary_pagesize_limit": 1 << 30, "store_schema": False, "write_statistics": False}
    pq.write_table(pa.table(columns), path, compression="zstd", **options)


def _zeros(path: Path) -> None:
    """One value of 300 MB that compresses to nothing."""
    value = pa.array([b"\0" * (100 << 20)] * 3, pa.large_binary())
    pq.write_table(pa.table({"id": ["a", "b", "c"], "image": value}), path, compression="zstd", use_dictionary=False)


def _list(path: Path) -> None:
    """A list of 20 million equal numbers in one row."""
    flat = pa.Array.from_buffers(pa.int8(), 20_000_000, [None, pa.py_buffer(bytes(20_000_000))])
    lists = pa.ListArray.from_arrays(pa.array([0, 20_000_000], pa.int32()), flat)
    pq.write_table(pa.table({"id": ["a"], "response": lists}), path)


def _repeated_in_a_row(path: Path) -> None:
    """505 bytes that stand for 100 GB: one text, 100,000 times in a list of one row."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), pa.array(["A" * (1 << 20)]))
    lists = pa.ListArray.from_arrays(pa.array([0, len(text)], pa.int32()), text)
    options: dict[str, Any] = {"dictionary_pagesize_limit": 1 << 30, "store_schema": False, "write_statistics": False}
    pq.write_table(pa.table({"id": ["a"], "response": lists}), path, compression="zstd", **options)


def _locked(path: Path) -> None:
    """A flag says that a part is encrypted."""
    _zipped(1 << 20)(path)
    path.write_bytes(
        path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    )


def _zipped(size: int) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("[Content_Types].xml", "<Types/>")
            packed.writestr("xl/sharedStrings.xml", b"A" * size)

    return write


ANY: Mapping[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "a folder": Path.mkdir,
    "a link to itself": _loop,
    "empty": _bytes(b""),
    "binary": _bytes(bytes(range(256)) * 20),
    "NULs": _bytes(b"\0" * 5000),
    "not UTF-8": _bytes(b'{"id": "\xff\xfe", "response": "\xe9"}'),
    "UTF-16": _bytes('{"id": "a", "response": "yes"}'.encode("utf-16")),
    "a BOM and nothing": _bytes(b"\xef\xbb\xbf"),
    "cut": _text('{"id": "a", "resp'),
    "an array without an end": _text('[{"id": "a"}, '),
    "deep": _text("[" * 200_000),
    "deep objects": _text('{"a":' * 200_000),
    "deep in a row": _text('{"id": "a", "response": ' + "[" * 100_000 + "]" * 100_000 + "}"),
    "null": _json(None),
    "a number": _json(7),
    "a text": _json("yes"),
    "[]": _json([]),
    "[[]]": _json([[]]),
    "{}": _json({}),
    "NaN": _text("NaN"),
    "Infinity in a row": _text('[{"id": Infinity, "response": -Infinity, "answer": NaN}]'),
    "an int of 5,000 digits": _text('[{"id": ' + "9" * 5000 + ', "response": "yes"}]'),
    "an int of 41 digits": _text('[{"id": "a", "response": "yes", "answer": ' + "9" * 41 + "}]"),
    "wrong types": _json([{"id": ["a"], "response": {"b": 1}, "answer": [None], "question": 3.5, "choices": 7}]),
    "wrong types in columns": _json({"id": 1, "response": [], "question": {}, "answer": {}, "pair_id": [], "kind": 3}),
    "half of a character": _text('[{"id": "\\ud800", "response": "yes", "answer": "\\udfff"}]'),
    "a key twice": _text('{"id": "a", "id": "b", "kind": "essay", "answer": "perhaps"}'),
    "names with NUL": _json(
        [{"id": "a\0", "image": "a\0.png", "question": "Is it?", "answer": "yes", "file_name": "\0"}]
    ),
    "a name of 5,000 characters": _json([{"id": "a", "image": "x" * 5000, "question": "Is it?", "answer": "yes"}]),
    "a name that leads out": _json([{"id": "a", "image": "../" * 40 + "etc/passwd", "question": "?", "answer": "no"}]),
    "a value of 2,000,000 characters": _json(
        [{"id": "a", "answer": LONG, "question": LONG, "image": LONG, "kind": LONG}]
    ),
    "a key of 2,000,000 characters": _json({LONG: {LONG: LONG}}),
    "terminal codes": _text("\x1b]0;owned\x07\x1b[2J\x1b[H"),
    "a page": _text("<html><body>404 Not Found</body></html>"),
    "a pickle": _bytes(b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94."),
    "aliases of YAML": _text("a: &a [x,x]\nb: &b [*a,*a]\n"),
}
"""What any file may be, whatever its name ends in."""

MOST_DIFFERENT = ("missing", "a folder", "empty", "not UTF-8", "deep", "[]", "{}", "a number", "wrong types")
"""A few of them."""

FEW = ("missing", "empty", "cut", "wrong types", "other columns", "a header alone", "no zip")
"""Accidents that every command is tried with."""

YAML: Mapping[str, Callable[[Path], object]] = {
    "a billion laughs": _text(
        "format: &0 [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"name{i}: &{i} [{','.join([f'*{i - 1}'] * 9)}]\n" for i in range(1, 12))
    ),
    "a megabyte of lists": _text("[" + "[]," * 350_000),
    "an object of Python's": _text("format: !!python/object/apply:os.system ['touch owned']\n"),
}

PARQUET: Mapping[str, Callable[[Path], object]] = {
    "cut": _cut,
    "no Parquet": _text("PAR1 but not really PAR1"),
    "no columns": lambda path: pq.write_table(pa.table({}), path),
    "no rows": _table(id=pa.array([], pa.string())),
    "other columns": _table(x=[1], y=["z"]),
    "nulls": _table(id=[None, None], response=[None, None], question=[None, None], answer=[None, None]),
    "numbers": _table(id=[1.5], response=[2.5], question=[1], answer=[3], image=[4]),
    "lists": _table(id=[["a"]], response=[[["b"]]], question=[[]], answer=[[1]], image=[[b"x", b"y"]]),
    "half of UTF-8": _table(
        id=pa.array([b"\xff"], pa.binary()).view(pa.string()),
        response=pa.array([b"\xfe"], pa.binary()).view(pa.string()),
    ),
}

BOMBS: Mapping[str, Callable[[Path], object]] = {
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "4 TB of nothing": _sparse,
    "a text that is repeated": _repeated,
    "zeros": _zeros,
    "a list without an end": _list,
    "a list that repeats a text": _repeated_in_a_row,
}
"""Files of strangers: a few kilobytes that stand for gigabytes."""

CSV: Mapping[str, Callable[[Path], object]] = {
    "a header alone": _text("id,response,question,answer\n"),
    "an open quote": _text('id,response\na,"yes\n' + "b,no\n" * 10),
    "too many fields": _text("id,response\na,yes,no,perhaps\n"),
    "other columns": _text("x,y\n1,2\n"),
    "Latin-1": _bytes("id,response\né,oui\n".encode("latin-1")),
    "a long header": _text("," * 2_000_000),
    "a long value": _text(f"id,question,answer,response,image\na,{LONG},{LONG},{LONG},{LONG}\n"),
    "a name with a NUL": _bytes(b"id,image,question,answer\na,x\0y.png,Is it?,yes\n"),
    "a name that leads out": _text("id,image,question,answer\na,/etc/passwd,Is it?,yes\n"),
}

EXCEL: Mapping[str, Callable[[Path], object]] = {
    "no zip": _bytes(b"PK\x03\x04 but not really"),
    "an empty zip": _bytes(b"PK\x05\x06" + b"\0" * 18),
    "no sheet": _zipped(1 << 20),
    "a password": _locked,
}

_FEW = ("a folder", "empty", "binary")
KINDS: Mapping[str, Mapping[str, Callable[[Path], object]]] = {
    "json": ANY,
    "yaml": {**{name: ANY[name] for name in (*MOST_DIFFERENT, "aliases of YAML")}, **YAML},
    "parquet": {**{name: ANY[name] for name in _FEW}, **PARQUET},
    "stranger": {**{name: ANY[name] for name in _FEW}, **PARQUET, **BOMBS},
    "csv": {**{name: ANY[name] for name in _FEW}, **CSV},
    "xlsx": {**{name: ANY[name] for name in _FEW}, **EXCEL},
    **{suffix: {name: ANY[name] for name in MOST_DIFFERENT} for suffix in ("jsonl", "graphml", "txt")},
}
"""Suffix → what such files may be."""

SUFFIXES = {"stranger": "parquet"}


def write_all(folder: Path) -> dict[tuple[str, str], Path]:
    """Write every odd file, each in a folder of its own; return (suffix, what) → file."""
    found = {}
    for suffix, kinds in KINDS.items():
        for number, (name, write) in enumerate(kinds.items()):
            found[suffix, name] = folder / f"{suffix}{number:02}" / f"odd.{SUFFIXES.get(suffix, suffix)}"
            found[suffix, name].parent.mkdir()
            write(found[suffix, name])
    return found
