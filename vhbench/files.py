"""Files: what is read of them, files that appear whole or not at all, hashes, and the cache."""

import hashlib
import io
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
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

LARGEST_YAML = 1 << 18
"""Characters of YAML, of which a reader does 70,000 in a second; the metadata of a card have a fifth of it."""

_SHOWN = 60  # characters of a value that an error repeats

BOM = b"\xef\xbb\xbf"
_SPACE, _DECODER = re.compile(r"\s*"), json.JSONDecoder()
_TEMPORARY = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9_.+-]*\.[0-9a-f]{8}\.tmp")
_FAULT = re.compile(r"(.*?)(?: - at (?:`key` in )?`\$\.?(.*)`)?", re.DOTALL)
"""What msgspec says of a value, and where the value is."""

REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises: for faults, and for NaN and several values in a row, which Python reads."""


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
    """Open a file, or what a shell hands over as one, as in ``<(zcat answers.json.gz)``, for reading.

    Args:
        path: the file.
        most: bytes that it may have; None for any number, where it is read bit by bit.
        what: stands before its name in errors.

    Raises:
        VhbenchError: if it cannot be opened or read, or is larger.
    """
    what = f"{what}{path}"
    try:
        opened = Path(path).open("rb")  # noqa: SIM115 - a name that no file can have raises a ValueError here alone
    except ValueError as error:
        raise VhbenchError(f"cannot read {what!r}: no file has such a name") from error
    except OSError as error:
        raise VhbenchError(f"cannot read {what}: {error.strerror or error}") from error
    with opened as file:
        try:
            about = os.fstat(file.fileno())
            # A pipe or a device may have no end.
            data = None if most is None or stat.S_ISREG(about.st_mode) else file.read(LARGEST_TEXT + 1)
            size, most = (about.st_size, most) if data is None else (len(data), LARGEST_TEXT)
            if most is not None and size > most:
                raise VhbenchError(f"{what}: has {size >> 20:,} MiB; at most {most >> 20:,}")
            yield file if data is None else io.BytesIO(data)
        except OSError as error:
            raise VhbenchError(f"cannot read {what}: {error.strerror or error}") from error


def path_exists(path: Path) -> bool:
    """Tell whether there is something of this name; names that no file can have are those of none."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists() raises for a name that is too long


def last_written(path: Path) -> int:
    """Return when a file was written, in nanoseconds, and 0 if there is none: what is kept of it holds that long."""
    try:
        return path.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def is_inside(folder: Path, name: str) -> Path | None:
    """Return the file of this name below a folder; None if there is none.

    Raises:
        VhbenchError: if the name leads out of the folder.
    """
    path = folder / name
    try:
        if not resolved(path).is_relative_to(resolved(folder)):
            raise VhbenchError(f"{quote_value(name)} leads out of {folder}")
        return path if path.is_file() else None
    except (OSError, ValueError):  # a name that is too long, or has a NUL
        return None


def resolved(path: Path) -> Path:
    """Return a path without links; one that leads in a circle stays what it is."""
    return Path(os.path.realpath(path))


def read_json(path: str | Path, most: int = LARGEST_FILE) -> Any:
    """Read one JSON value; several, one after another (such as JSON lines), come back as a list.

    NaN and the infinities are read too, as Python writes them. The file may have ``most`` bytes.

    Raises:
        VhbenchError: with the file and the line of what cannot be read.
    """
    data = _content(path, most)
    try:
        return msgspec.json.decode(data)
    except REFUSED:
        values = json_values(path, data)
        return values[0] if len(values) == 1 else values


def read_typed(path: Path, kind: type[T], what: str) -> T:
    """Read one JSON value of a type that msgspec knows; parts of type ``msgspec.Raw`` are read when they are asked for.

    Raises:
        VhbenchError: if it cannot be read or is not ``what``.
    """
    try:
        return msgspec.json.decode(_content(path), type=kind)
    except REFUSED as error:
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


def _content(path: str | Path, most: int = LARGEST_FILE) -> bytes:
    return read_bytes(Path(path), most).removeprefix(BOM)


def _text(path: str | Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise VhbenchError(f"{path}: not UTF-8 text (byte {error.start})") from None


def json_values(path: str | Path, data: bytes, line: int = 1) -> list[Any]:
    """Return the values that stand one after another in data that begin in a line, as Python reads them.

    Raises:
        VhbenchError: with the file and the line of what cannot be read.
    """
    text, values, place = _text(path, data), list[Any](), 0
    while (place := _SPACE.match(text, place).end()) < len(text):  # type: ignore[union-attr]
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:  # a number of more digits than Python reads is a ValueError
            line += text.count("\n", 0, getattr(error, "pos", place))
            fault = "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
            raise VhbenchError(f"{path}, line {line}: not JSON ({fault})") from None
        values.append(value)
    if not values:
        raise VhbenchError(f"{path}: the file is empty; JSON or JSON lines are needed")
    return values


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
        raise VhbenchError(f"{where} is {quote_value(value)}: {allowed}") from None


def short_digest(text: str) -> bytes:
    """Return 8 bytes for a text: two of a million texts have the same once in 40 million such sets.

    >>> short_digest("q1").hex(), len(short_digest("half of a character: " + chr(0xDC80)))
    ('e7837aa50ee28068', 8)
    """
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def quote_value(value: Any) -> str:
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


def cached(
    kind: str, keys: Iterable[Any], make: Callable[[list[int]], Iterable[Any]], *, folder: Path | None = None
) -> Iterator[Any]:
    """Yield a value for each key: the one that the cache holds, or one that is made now and kept.

    Entries may be deleted at any time: what is missing, cut off or damaged is made again. A cache that cannot be
    written keeps nothing.

    Args:
        kind: what the values are, the folder of their entries.
        keys: all that each value depends on, of JSON types.
        make: given the numbers of the keys without an entry, returns their values in the same order, of JSON types and
            bytes; called once, and only where there is one. Each value is kept as soon as it is made.
        folder: for all kinds; the user's cache by default.
    """
    root = (folder or cache_folder()) / kind
    names = [hashlib.sha256(canonical(key)).hexdigest() for key in keys]
    places = [root / name[:2] / name for name in names]
    known = [_entry(place) for place in places]
    missing = [number for number, entry in enumerate(known) if entry is None]
    made = iter(make(missing)) if missing else iter(())
    for place, entry in zip(places, known, strict=True):
        if entry is not None:
            yield entry[0]
            continue
        value = next(made)
        packed = msgspec.msgpack.encode([value])
        with suppress(OSError):
            write_atomic(place, hashlib.sha256(packed).digest() + packed, durable=False)
        yield value


def _entry(place: Path) -> Any:
    """Return a list with the value of an entry; None where it is missing or damaged."""
    with suppress(OSError):
        data = place.read_bytes()
        if hashlib.sha256(data[32:]).digest() == data[:32]:
            return msgspec.msgpack.decode(data[32:])
    return None


def check_output(path: Path) -> None:
    """Check that a file may be written: the new one would take the place of /dev/null, or wait for a pipe's reader.

    Raises:
        VhbenchError: if something else than a file is in that place; of a folder the system says so.
    """
    with suppress(OSError, ValueError):  # nothing is there
        mode = path.stat().st_mode
        handed = path.is_symlink() and str(path.readlink()).startswith("/proc/")  # /dev/stdout, wherever that leads
        if handed or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise VhbenchError(f"{path}: is no file, but a pipe, a device or a socket; name a file")


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
