"""File reading with limits, atomic writing, hashes, and the cache."""

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

LARGEST_FILE = 4 << 30  # maximum bytes of a file read or hashed whole; annotations often have hundreds of MB
LARGEST_TEXT = 64 << 20  # maximum bytes of text, an encoded image, a manifest, or a table's field
LARGEST_YAML = 1 << 18  # maximum characters of YAML (70,000 per second); card metadata have a fifth of it
_SHOWN = 60  # characters of a value in an error

BOM = b"\xef\xbb\xbf"
_SPACE, _DECODER = re.compile(r"\s*"), json.JSONDecoder()
_TEMPORARY = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9_.+-]*\.[0-9a-f]{8}\.tmp")
_FAULT = re.compile(r"(.*?)(?: - at (?:`key` in )?`\$\.?(.*)`)?", re.DOTALL)  # msgspec's error message and location

# msgspec's exceptions for invalid input, NaN and consecutive values
REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def cache_folder() -> Path:
    """Return the folder of regenerable files: ``VHBENCH_CACHE``, or the user's cache."""
    return Path(os.environ.get("VHBENCH_CACHE") or platformdirs.user_cache_dir("vhbench")).expanduser()


def read_text(path: str | Path) -> str:
    """Read UTF-8, with or without a byte order mark; raise VhbenchError if the file cannot be read or is not UTF-8."""
    return _text(path, _content(path, LARGEST_TEXT))


def read_image(image: ImageData) -> bytes:
    """Return the encoded bytes of an image; raise VhbenchError if its file cannot be read."""
    return image if isinstance(image, bytes) else read_bytes(image, LARGEST_TEXT, "image ")


def read_bytes(path: Path, most: int = LARGEST_FILE, what: str = "") -> bytes:
    """Return a file's content; raise VhbenchError naming ``what`` if it is unreadable or larger than ``most``."""
    with open_file(path, most, what) as file:
        return file.read()


@contextmanager
def open_file(path: str | Path, most: int | None = LARGEST_FILE, what: str = "") -> Iterator[BinaryIO]:
    """Open a file, or a process substitution such as ``<(zcat answers.json.gz)``.

    Raises VhbenchError, beginning with ``what``, if it cannot be opened or read, or has more bytes than ``most``.
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
            # A pipe or a device may be endless.
            data = None if most is None or stat.S_ISREG(about.st_mode) else file.read(LARGEST_TEXT + 1)
            size, most = (about.st_size, most) if data is None else (len(data), LARGEST_TEXT)
            if most is not None and size > most:
                raise VhbenchError(f"{what}: has {size >> 20:,} MiB; at most {most >> 20:,}")
            yield file if data is None else io.BytesIO(data)
        except OSError as error:
            raise VhbenchError(f"cannot read {what}: {error.strerror or error}") from error


def path_exists(path: Path) -> bool:
    """Return whether a path exists; invalid names do not."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists() raises for a name that is too long


def last_written(path: Path) -> int:
    """Return a file's modification time in nanoseconds, or 0 if it is missing, as a cache key."""
    try:
        return path.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def is_inside(folder: Path, name: str) -> Path | None:
    """Return the file of this name in a folder, None without one; raise VhbenchError if the name leads out of it."""
    path = folder / name
    try:
        if not resolved(path).is_relative_to(resolved(folder)):
            raise VhbenchError(f"{quote_value(name)} leads out of {folder}")
        return path if path.is_file() else None
    except (OSError, ValueError):  # a name that is too long, or has a NUL
        return None


def resolved(path: Path) -> Path:
    """Return a path without links; a circular one is unchanged."""
    return Path(os.path.realpath(path))


def read_json(path: str | Path, most: int = LARGEST_FILE) -> Any:
    """Read one JSON value, or consecutive values (such as JSON lines) as a list.

    NaN and the infinities are accepted, as Python writes them. The file may have ``most`` bytes. Raises VhbenchError
    with the file and line of a syntax error.
    """
    data = _content(path, most)
    try:
        return msgspec.json.decode(data)
    except REFUSED:
        values = json_values(path, data)
        return values[0] if len(values) == 1 else values


def read_typed(path: Path, kind: type[T], what: str) -> T:
    """Read a JSON value of a msgspec type, ``msgspec.Raw`` parts lazily; raise VhbenchError if it is not ``what``."""
    try:
        return msgspec.json.decode(_content(path), type=kind)
    except REFUSED as error:
        raise VhbenchError(f"{path}: not a {what} JSON: {error}") from error


def parse_yaml(text: str, fault: str) -> Any:
    """Parse a YAML text.

    Raises VhbenchError, beginning with ``fault``, if it is invalid or so long that it would take minutes; a date
    such as 2026-99-99 and a number of 5,000 digits are invalid.
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
    """Return consecutive JSON values in data from a line on; raise VhbenchError with the line of a syntax error."""
    text, values, offset = _text(path, data), list[Any](), 0
    while (offset := _SPACE.match(text, offset).end()) < len(text):  # type: ignore[union-attr]
        try:
            value, offset = _DECODER.raw_decode(text, offset)
        except (ValueError, RecursionError) as error:  # a number with more digits than Python reads is a ValueError
            line += text.count("\n", 0, getattr(error, "pos", offset))
            fault = "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
            raise VhbenchError(f"{path}, line {line}: not JSON ({fault})") from None
        values.append(value)
    if not values:
        raise VhbenchError(f"{path}: the file is empty; JSON or JSON lines are needed")
    return values


def convert(value: Any, kind: Any, location: str, allowed: str = "") -> Any:
    """Convert a JSON value to a msgspec type; raise VhbenchError with location, value and the ``allowed`` ones."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        fault, inner = _FAULT.fullmatch(str(error)).groups("")  # type: ignore[union-attr]
        for key, index in re.findall(r"(\w+)|\[(\d+)\]", inner.partition("[...]")[0]):
            value = value[int(index)] if index else value[key]
        where = f"{location}: {inner}" if inner else location
        if allowed:
            raise VhbenchError(f"{where}: expected {allowed}, got {quote_value(value)}") from None
        raise VhbenchError(f"{where} is {quote_value(value)}: {fault[0].lower()}{fault[1:]}") from None


def short_digest(text: str) -> bytes:
    """Return 8 bytes for a text; a million texts collide in one of 40 million such sets.

    >>> short_digest("q1").hex(), len(short_digest("half of a character: " + chr(0xDC80)))
    ('e7837aa50ee28068', 8)
    """
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def quote_value(value: Any) -> str:
    """Format a value for an error, truncated if long."""
    if isinstance(value, (str, bytes)):  # repr would be slow for very long ones
        value = value[: _SHOWN + 1]
    elif isinstance(value, int) and value.bit_length() > 4 * _SHOWN:  # Python refuses to format the longest
        return f"a number of about {value.bit_length() * 3 // 10} digits"
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def canonical(value: Any) -> bytes:
    """Return JSON with sorted keys and no spaces; sets become sorted lists. Raises VhbenchError for other types."""
    return _dumps(value, orjson.OPT_SORT_KEYS)


def json_bytes(value: Any, *, sort: bool = False) -> bytes:
    """Return indented JSON. Raises as :func:`canonical`."""
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


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name a file or folder in errors of the system that name none, such as of a full disk, as VhbenchError."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename:
            raise
        raise VhbenchError(f"{path}: cannot be written ({os.strerror(error.errno)})") from error


def write_atomic(
    path: Path, content: bytes | Callable[[BinaryIO], object], *, durable: bool = True, private: bool = False
) -> None:
    """Write a file atomically, even under a power failure; raise VhbenchError for a pipe, a device or a socket.

    A process that is killed here leaves a file for which :func:`is_temporary` holds. The folder is created. A
    ``durable`` file is flushed to disk, which a cache does not need; a ``private`` one can be read by its owner alone.
    """
    _check_output(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.touch(0o600 if private else 0o666)
        with temporary.open("wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                content(file)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:  # of a full disk names no file
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
    if durable:
        sync_folder(path.parent)


def cached(
    kind: str, keys: Iterable[Any], make: Callable[[list[int]], Iterable[Any]], *, folder: Path | None = None
) -> Iterator[Any]:
    """Yield a value for each key, from the cache or computed and stored.

    Entries may be deleted at any time: missing, truncated or damaged ones are recomputed. An unwritable cache stores
    nothing. Entries of a kind are in one folder, of the user's cache by default; a key is everything that its value
    depends on, of JSON types. Given the indices of uncached keys, ``make`` returns their values in the same order, of
    JSON types and bytes; it is called at most once, and each value is stored as soon as it is yielded.
    """
    root = (folder or cache_folder()) / kind
    names = [hashlib.sha256(canonical(key)).hexdigest() for key in keys]
    places = [root / name[:2] / name for name in names]
    known = [_entry(place) for place in places]
    missing = [number for number, entry in enumerate(known) if entry is None]
    values = iter(make(missing)) if missing else iter(())
    for place, entry in zip(places, known, strict=True):
        if entry is not None:
            yield entry[0]
            continue
        value = next(values)
        packed = msgspec.msgpack.encode([value])
        with suppress(OSError):
            write_atomic(place, hashlib.sha256(packed).digest() + packed, durable=False)
        yield value


def _entry(path: Path) -> Any:
    """Return a list with the value of an entry; None where it is missing or damaged."""
    with suppress(OSError):
        data = path.read_bytes()
        if hashlib.sha256(data[32:]).digest() == data[:32]:
            return msgspec.msgpack.decode(data[32:])
    return None


def _check_output(path: Path) -> None:
    """Check that a file may be written: not over /dev/null, nor into a pipe without a reader; not for folders."""
    with suppress(OSError, ValueError):  # nothing is there
        mode = path.stat().st_mode
        handed = path.is_symlink() and str(path.readlink()).startswith("/proc/")  # /dev/stdout, wherever that leads
        if handed or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise VhbenchError(f"{path}: expected a file, got a pipe, a device or a socket")


def is_temporary(name: str) -> bool:
    """Return whether a file name is an unfinished one of :func:`write_atomic`."""
    return _TEMPORARY.fullmatch(name) is not None


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable, where the system supports it."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hex; raise VhbenchError if it cannot be read."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
