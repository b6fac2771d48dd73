"""Files: what is read of them and how much, files that appear whole or not at all, hashes, and the cache.

Every reader opens its files here, and takes its limits from here: what somebody else made may be a pipe without an
end, a device, or a few kilobytes that unpack to gigabytes.
"""

import errno
import hashlib
import io
import json
import mmap
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec
import orjson
import platformdirs

from vhbench.schema import ImageData, VhbenchError

T = TypeVar("T")

LARGEST_FILE = 4 << 30
"""Bytes of a file that is read as a whole, or hashed: annotations of a few hundred megabytes are usual."""

LARGEST_TEXT = 64 << 20
"""Bytes of a plain text, an encoded image or a manifest, and of a table's field, which may be an image as text."""

LARGEST_ROW = 16 << 20
"""Characters of a row of JSON, which takes up to thirty times as much memory."""

LARGEST_YAML = 1 << 18
"""Characters of YAML, of which a reader does 70,000 in a second; the metadata of a card have a fifth of it."""

LARGEST_VALUE = 768 << 20
"""Bytes of memory that a JSON value may take, about."""

_TAKEN = {b"[": 64, b"{": 140, b'"': 25, b",": 32}
"""Sign of JSON → bytes of memory that each of them stands for."""

_CHUNK = 1 << 18

_SHOWN = 60
"""Characters of a value that an error repeats."""

_BOM = b"\xef\xbb\xbf"
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_HANDED = re.compile(r"/dev/stdin|(?:/dev|/proc/self)/fd/\d+")
_LONG_PATH = 1000
_MAPPED = 16 << 20
"""Files from this size on are mapped instead of read."""

_SPACE = re.compile(r"\s*")
_TEMPORARY = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9_.+-]*\.[0-9a-f]{8}\.tmp")
_STOPPED = re.compile(r"(invalid character|trailing characters) \(byte (\d+)\)")
_STARTS = frozenset(bytes([code]) for code in b'[{"-0123456789tfnNI')
"""How msgspec tells where it stopped; and what a further value may begin with."""

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
    return _text(path, _content(path, LARGEST_TEXT))


def read_image(image: ImageData) -> bytes:
    """Return the encoded bytes of an image, reading the file if it is one.

    Raises:
        VhbenchError: if the file cannot be read.
    """
    return image if isinstance(image, bytes) else read_bytes(image, LARGEST_TEXT, "image ")


def read_bytes(path: Path, most: int = LARGEST_FILE, what: str = "") -> bytes:
    """Return what a file holds.

    Raises:
        VhbenchError: naming ``what`` and the file, if it cannot be read or has more bytes than ``most``.
    """
    with open_file(path, most, what) as file:
        return file.read()


@contextmanager
def open_file(path: str | Path, most: int | None = LARGEST_FILE, what: str = "") -> Iterator[BinaryIO]:
    """Open a file for reading, if it is one: no folder, and no pipe or device, of which nobody knows the end.

    What a shell hands over, as in ``<(zcat answers.json.gz)``, is read too, up to :data:`LARGEST_TEXT`.

    Args:
        path: the file.
        most: bytes that it may have; None for any number, where it is read bit by bit.
        what: stands before its name in errors.

    Raises:
        VhbenchError: if it is none, cannot be opened or read, or is larger.
    """
    what = f"{what}{shown_path(path)}"
    try:
        # Without O_NONBLOCK, opening a pipe waits until somebody writes into it.
        descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    except OSError as error:
        raise VhbenchError(f"cannot read {what}: {error.strerror or error}") from error
    except ValueError as error:
        raise VhbenchError(f"cannot read {what!r}: no file has such a name") from error
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            if _HANDED.fullmatch(str(path)) and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                os.set_blocking(descriptor, True)
                yield file if most is None else io.BytesIO(_at_most(file, what))
            else:
                _check(os.fstat(descriptor), most, what)
                yield file
    except OSError as error:
        raise VhbenchError(f"cannot read {what}: {error.strerror or error}") from error
    finally:
        os.close(descriptor)


def _at_most(file: BinaryIO, what: str) -> bytes:
    data = file.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise VhbenchError(f"{what}: gives more than {LARGEST_TEXT >> 20:,} MiB")
    return data


def _check(about: os.stat_result, most: int | None, what: str) -> None:
    if stat.S_ISDIR(about.st_mode):
        raise VhbenchError(f"cannot read {what}: {os.strerror(errno.EISDIR)}")
    if not stat.S_ISREG(about.st_mode):
        raise VhbenchError(f"cannot read {what}: it is no file, but a pipe, a device or a socket")
    if most is not None and about.st_size > most:
        raise VhbenchError(f"{what}: has {about.st_size >> 20:,} MiB; at most {most >> 20:,}")


def check_file(path: Path) -> None:
    """Hold a file to :func:`open_file` without reading it, for readers that open it by themselves.

    Raises:
        VhbenchError: as there.
    """
    with open_file(path, None):
        pass


def there(path: Path) -> bool:
    """Tell whether there is something of this name; names that no file can have are those of none."""
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def last_written(path: Path) -> int:
    """Return when a file was written, in nanoseconds, and 0 if there is none: what is kept of it holds that long."""
    try:
        return path.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def below(folder: Path, name: str) -> Path | None:
    """Return the file of this name below a folder; None if there is none.

    Raises:
        VhbenchError: if the name leads out of the folder.
    """
    path = folder / name
    try:
        if not resolved(path).is_relative_to(resolved(folder)):
            raise VhbenchError(f"{shown(name)} leads out of {shown_path(folder)}")
        return path if path.is_file() else None
    except (OSError, ValueError):  # a name that is too long, or has a NUL
        return None


def resolved(path: Path) -> Path:
    """Return a path without links; one that leads in a circle stays what it is."""
    return Path(os.path.realpath(path))


def shown_path(path: str | Path) -> str:
    """Write a path for an error; of a long one its end."""
    text = str(path)
    return text if len(text) <= _LONG_PATH else f"…{text[-_LONG_PATH:]}"


def read_json(path: str | Path, most: int = LARGEST_FILE) -> Any:
    """Read one JSON value; several, one after another (such as JSON lines), come back as a list.

    NaN and the infinities are read too, as Python writes them. The file may have ``most`` bytes.

    Raises:
        VhbenchError: with the file and the line of what cannot be read; if it would take more than
            :data:`LARGEST_VALUE`.
    """
    data = _content(path, most)
    if isinstance(data, memoryview):
        _check_room(path, data)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:  # several values, NaN, or a fault
        if isinstance(data, memoryview):  # as text, and read once more, it would take twice its size and more
            _refuse_other(path, data, str(error))
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


def each_row(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of :func:`read_rows`, JSON lines of a large file one after another, however many they are.

    A small one is read first, so that what is no JSON is told before what a row lacks.

    Raises:
        VhbenchError: as there.
    """
    count = 0
    with open_file(path, None) as file:
        if os.fstat(file.fileno()).st_size < _MAPPED:
            yield from read_rows(path)
            return
        for line in iter(lambda: file.readline(LARGEST_ROW + 1), b""):
            text = line.removeprefix(_BOM) if not count else line
            if not text.strip():
                continue
            try:
                row = msgspec.json.decode(text) if len(text) <= LARGEST_ROW else None
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                row = None
            if not isinstance(row, dict):
                break
            count += 1
            yield row
        else:
            if count:
                return
    yield from read_rows(path)[count:]


def _check_room(path: str | Path, data: memoryview) -> None:
    """Raise if JSON would take too much memory: each list, object, text and number of it takes some, however short."""
    room = len(data)
    for place in range(0, len(data), _CHUNK):
        chunk = data[place : place + _CHUNK].tobytes()
        room += sum(chunk.count(sign) * size for sign, size in _TAKEN.items())
    if room > LARGEST_VALUE:
        raise VhbenchError(f"{path}: would take about {room >> 20:,} MiB of memory; at most {LARGEST_VALUE >> 20:,}")


def read_typed(path: Path, kind: type[T], what: str) -> T:
    """Read one JSON value of a type that msgspec knows; parts of type ``msgspec.Raw`` keep a large file open.

    Raises:
        VhbenchError: if it cannot be read or is not ``what``.
    """
    try:
        return msgspec.json.decode(_content(path), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise VhbenchError(f"{path}: not a {what} JSON: {error}") from error


def parse_yaml(text: str, fault: str) -> Any:
    """Return what a YAML text says.

    Raises:
        VhbenchError: beginning with ``fault``, if it is none, or so long that it would take minutes; a date such as
            2026-99-99 and a number of 5,000 digits are none either.
    """
    import yaml

    if len(text) > LARGEST_YAML:
        raise VhbenchError(f"{fault}: has {len(text):,} characters; at most {LARGEST_YAML:,}")
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise VhbenchError(f"{fault}: {' '.join(str(error).split())}") from error


def _content(path: str | Path, most: int = LARGEST_FILE) -> bytes | memoryview:
    """Return a file's bytes, without a byte order mark; those of a large file are a view of its pages."""
    with open_file(path, most) as file:
        large = not isinstance(file, io.BytesIO) and os.fstat(file.fileno()).st_size >= _MAPPED
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) if large else file.read()
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
        except (ValueError, RecursionError) as error:  # a number of more digits than Python reads is a ValueError
            line = text.count("\n", 0, getattr(error, "pos", place)) + 1
            fault = "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
            raise VhbenchError(f"{path}, line {line}: not JSON ({fault})") from None
        values.append(value)
        place = _skip_space(text, place)
    if not values:
        raise VhbenchError(f"{path}: the file is empty; JSON or JSON lines are needed")
    return values[0] if len(values) == 1 else values


def _refuse_other(path: str | Path, data: memoryview, fault: str) -> None:
    """Raise VhbenchError where msgspec stopped at what no reader of JSON takes."""
    if found := _STOPPED.search(fault):
        place = int(found[2]) - (found[1] == "trailing characters")
        if data[place : place + 1].tobytes() not in (_STARTS if found[1] == "trailing characters" else (b"N", b"I")):
            raise VhbenchError(f"{path}: not JSON ({found[1]} at byte {place:,})")


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


def short_digest(text: str) -> bytes:
    """Return 8 bytes for a text: two of a million texts have the same once in 40 million such sets.

    >>> short_digest("q1").hex(), len(short_digest("half of a character: \udc80"))
    ('e7837aa50ee28068', 8)
    """
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def shown(value: Any) -> str:
    """Write a value for an error, cut if it is long."""
    if isinstance(value, (str, bytes)):  # which may be so long that writing it takes its time
        value = value[: _SHOWN + 1]
    elif isinstance(value, int) and value.bit_length() > 4 * _SHOWN:  # Python refuses to write the longest
        return f"a number of about {value.bit_length() * 3 // 10} digits"
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


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

    Raises:
        VhbenchError: if a pipe, a device or a socket is in that place.
    """
    check_output(path)
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


def check_output(path: Path) -> None:
    """Check that a file may be written: the new one would take the place of /dev/null, or wait for a pipe's reader.

    Raises:
        VhbenchError: if something else than a file is in that place; of a folder the system says so.
    """
    with suppress(OSError, ValueError):  # nothing is there
        mode = path.stat().st_mode
        handed = path.is_symlink() and str(path.readlink()).startswith("/proc/")  # /dev/stdout, wherever that leads
        if handed or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise VhbenchError(f"{shown_path(path)}: is no file, but a pipe, a device or a socket; name a file")


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
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
