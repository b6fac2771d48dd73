"""Files: JSON in, files that appear whole or not at all, hashes, and the folder for what can be made again."""

import hashlib
import json
import mmap
import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec
import orjson
import platformdirs

from vhbench.schema import VhbenchError

T = TypeVar("T")

_BOM = b"\xef\xbb\xbf"
_MAPPED = 16 << 20
"""Files from this size on are mapped instead of read."""

_SPACE = re.compile(r"\s*")
_TEMPORARY = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9_.+-]*\.[0-9a-f]{8}\.tmp")
_FAULT = re.compile(r"(.*?)(?: - at (?:`key` in )?`\$\.?(.*)`)?", re.DOTALL)
"""What msgspec says of a value, and where the value is."""


def cache_folder() -> Path:
    """Return the folder for what can be made again: ``VHBENCH_CACHE``, or the user's cache."""
    return Path(os.environ.get("VHBENCH_CACHE") or platformdirs.user_cache_dir("vhbench")).expanduser()


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file, with or without a byte order mark.

    Raises:
        VhbenchError: if it cannot be read, or is not UTF-8.
    """
    return _text(path, _content(path))


def read_json(path: str | Path) -> Any:
    """Read one JSON value; several, one after another (such as JSON lines), come back as a list.

    NaN and the infinities are read too, as Python writes them.

    Raises:
        VhbenchError: with the file and the line of what cannot be read.
    """
    data = _content(path)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # several values, NaN, or something wrong
        return _values(path, _text(path, data))


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """Read rows: a JSON array of objects, or objects one after another (such as JSON lines).

    Raises:
        VhbenchError: with the file and the line or row of what cannot be read.
    """
    data = read_json(path)
    rows = data if isinstance(data, list) else [data]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise VhbenchError(f"{path}, row {number}: is {shown(row)}, not a JSON object")
    return rows


def read_typed(path: Path, kind: type[T], what: str) -> T:
    """Read one JSON value of a type that msgspec knows; parts of type ``msgspec.Raw`` keep a large file open.

    Raises:
        VhbenchError: if it cannot be read or is not ``what``.
    """
    try:
        return msgspec.json.decode(_content(path), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise VhbenchError(f"{path}: not a {what} JSON: {error}") from error


def _content(path: str | Path) -> bytes | memoryview:
    """Return a file's bytes, without a byte order mark; those of a large file are a view of its pages."""
    try:
        with Path(path).open("rb") as file:
            large = os.fstat(file.fileno()).st_size >= _MAPPED
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) if large else file.read()
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from error
    return data[len(_BOM) :] if data[: len(_BOM)] == _BOM else data


def _text(path: str | Path, data: bytes | memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise VhbenchError(f"{path}: not UTF-8 text (byte {error.start})") from None


def _values(path: str | Path, text: str) -> Any:
    decoder, values, place = json.JSONDecoder(), [], _skip_space(text, 0)
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError) as error:
            line = text.count("\n", 0, getattr(error, "pos", place)) + 1
            fault = getattr(error, "msg", "nested too deeply")
            raise VhbenchError(f"{path}, line {line}: not JSON ({fault})") from None
        values.append(value)
        place = _skip_space(text, place)
    if not values:
        raise VhbenchError(f"{path}: the file is empty; JSON or JSON lines are needed")
    return values[0] if len(values) == 1 else values


def _skip_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def convert(value: Any, kind: Any, place: str, allowed: str = "") -> Any:
    """Return a JSON value as a type that msgspec knows, such as a dataclass.

    Args:
        value: what :func:`read_json` gives.
        kind: a type; dataclasses may have fields of any such type.
        place: where the value was found.
        allowed: what is allowed there, in words; msgspec's by default.

    Raises:
        VhbenchError: with the place, the value and what is allowed there.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        fault, inner = _FAULT.fullmatch(str(error)).groups("")  # type: ignore[union-attr]
        for key, index in re.findall(r"(\w+)|\[(\d+)\]", inner.partition("[...]")[0]):
            value = value[int(index)] if index else value[key]
        where = f"{place}: {inner}" if inner else place
        allowed = f"must be {allowed}" if allowed else fault[0].lower() + fault[1:]
        raise VhbenchError(f"{where} is {shown(value)}: {allowed}") from None


def shown(value: Any) -> str:
    """Write a value for an error, cut if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def canonical(value: Any) -> bytes:
    """Return JSON with sorted keys and no spaces; sets become sorted lists.

    Raises:
        VhbenchError: if the value holds something that has no JSON form.
    """
    return _dumps(value, orjson.OPT_SORT_KEYS)


def json_bytes(value: Any, *, sort: bool = False) -> bytes:
    """Return JSON for people, indented. Raises as :func:`canonical` does."""
    return _dumps(value, orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | (orjson.OPT_SORT_KEYS if sort else 0))


def _dumps(value: Any, options: int) -> bytes:
    try:
        return orjson.dumps(value, default=_plain, option=options | orjson.OPT_SERIALIZE_NUMPY)
    except (TypeError, ValueError) as error:
        raise VhbenchError(f"cannot be written as JSON: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")


def write_atomic(path: Path, content: bytes | Callable[[BinaryIO], object], *, durable: bool = True) -> None:
    """Write a file so that it is there whole or not at all, even after a power cut.

    A process that is killed here leaves a file for which :func:`is_temporary` holds.

    Args:
        path: the file; the folder around it is made.
        content: its bytes, or what writes them into an open file.
        durable: wait until the disk has it; a cache, where a lost file is made again, need not.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                content(file)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if durable:
        sync_folder(path.parent)


def is_temporary(name: str) -> bool:
    """Tell whether a file's name is one that :func:`write_atomic` gives what it has not finished."""
    return _TEMPORARY.fullmatch(name) is not None


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable, where the system can."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hex.

    Raises:
        VhbenchError: if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from error
