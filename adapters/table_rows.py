"""Formats of third-party tables and logs, and iterators over their rows."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from vhbench.adapters import harness_logs
from vhbench.adapters.loading import needed_by
from vhbench.files import open_file, quote_value
from vhbench.json_rows import each_row
from vhbench.schema import VhbenchError

SEPARATORS = ",;\t|"
"""Possible field separators; the header determines which."""

_LONGEST_FIELD = 64 << 20
_BATCH, _BATCH_BYTES = 64, 16 << 20  # rows of a Parquet file per batch, and their size in bytes
_AT_ONCE = 1 << 20


def delimited(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV or TSV file.

    Raises:
        VhbenchError: if it cannot be read, or a row has more fields than the header.
        UnicodeDecodeError: if it is not UTF-8.
        csv.Error: if a field is unterminated or too long.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    usual = "\t" if file.suffix.lower() == ".tsv" else ","
    with open_file(file) as opened, io.TextIOWrapper(opened, encoding="utf-8-sig", newline="") as stream:
        first = stream.readline()
        told = re.fullmatch(r'"?sep=(.)"?\s*', first)  # as written by Excel
        if not told:
            stream.seek(0)
        separator = told[1] if told else _separator(first, usual)
        for number, row in enumerate(csv.DictReader(stream, delimiter=separator), start=1):
            if any(row.pop(None, None) or ()):
                raise VhbenchError(
                    f"{file.name}, row {number}: has more fields than the header; text that holds {separator!r} must "
                    "stand in double quotes"
                )
            yield row


def _separator(header: str, usual: str) -> str:
    """Return the separator that yields the most header fields, preferring the usual one."""
    found = {mark: len(next(csv.reader([header], delimiter=mark), ())) for mark in SEPARATORS}
    return max(found, key=lambda mark: (found[mark], mark == usual))


def excel(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of the first sheet of an Excel file.

    Raises:
        VhbenchError: if it cannot be read.
    """
    with needed_by(f"{file.name}, an Excel file,", "score"):
        from openpyxl import load_workbook
    try:
        sheet = load_workbook(file, read_only=True, data_only=True).worksheets[0]
        rows = sheet.iter_rows(values_only=True)
        header = [str(name) if name is not None else "" for name in next(rows, ())]
        for row in rows:
            if any(value is not None for value in row):
                yield dict(zip(header, row, strict=False))
    except MemoryError:
        raise
    except Exception as error:  # openpyxl passes on arbitrary parser exceptions
        raise VhbenchError(f"{file.name}: not a readable Excel file: {error}") from error


def parquet(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file in small batches, since they may contain photos.

    Raises:
        VhbenchError: if it is corrupt.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from vhbench.splits.unpacking import line

    try:
        # Without read-ahead: a row group of photos may exceed the memory.
        with pq.ParquetFile(file, pre_buffer=False, buffer_size=_AT_ONCE) as opened:
            size = sum(opened.metadata.row_group(i).total_byte_size for i in range(opened.num_row_groups))
            together = _BATCH_BYTES * max(1, opened.metadata.num_rows) // max(1, size)
            for batch in opened.iter_batches(batch_size=max(1, min(_BATCH, together)), use_threads=False):
                yield from batch.to_pylist()
    except (OSError, ValueError, OverflowError, TypeError, pa.ArrowException) as error:
        raise VhbenchError(f"{file.name}: not a readable Parquet file: {line(error)}") from error


Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of tables of questions or responses, or of a harness's log.

    Attributes:
        title: name for people.
        suffixes: of its files; empty for a log in JSON or in a table, which its rows show.
        read: function from a file to its rows; None for JSON.
        keys: keys by which a row of a log is recognized.
        unpack: function from such a row to rows with ``id`` and ``response``.
    """

    title: str
    suffixes: tuple[str, ...] = ()
    read: Callable[[Path], Iterable[Row]] | None = None
    keys: frozenset[str] = frozenset()
    unpack: Callable[[Row], Iterable[Row]] | None = None


FORMATS: dict[str, Format] = {
    "json": Format("JSON, JSON lines, {id: answer}", (".json", ".jsonl", ".ndjson")),
    "csv": Format("CSV", (".csv",), delimited),
    "tsv": Format("TSV", (".tsv",), delimited),
    "excel": Format("XLSX", (".xlsx",), excel),
    "parquet": Format("Parquet", (".parquet",), parquet),
    "openai-batch": Format(
        "OpenAI batch output", keys=frozenset({"custom_id", "response"}), unpack=harness_logs.of_batch
    ),
    "inspect": Format(
        "Inspect logs (.eval or JSON)",
        (".eval",),
        harness_logs.inspect_log,
        frozenset({"eval", "samples"}),
        harness_logs.of_inspect,
    ),
    "lighteval": Format(
        "lighteval details", keys=frozenset({"doc", "model_response"}), unpack=harness_logs.of_lighteval
    ),
    "vlmevalkit": Format(
        "VLMEvalKit tables", keys=frozenset({"index", "question", "prediction"}), unpack=harness_logs.of_vlmevalkit
    ),
}
"""All formats; help, errors and docs list them by :func:`described`."""


def described() -> str:
    """Return the titles of all formats."""
    return ", ".join(one.title for one in FORMATS.values())


def suffixes() -> dict[str, Format]:
    """Return suffix → format."""
    return {suffix: one for one in FORMATS.values() for suffix in one.suffixes}


def reader_of(suffix: str) -> Callable[[Path], Iterable[Row]] | None:
    """Return the reader of a file; None for JSON."""
    found = suffixes().get(suffix)
    return None if found is None else found.read


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Report in one line why a table cannot be read.

    Raises:
        VhbenchError: instead of errors of the system, of text and of CSV.
    """
    try:
        yield
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.start + 1].hex().upper()
        wide = error.object.startswith((b"\xff\xfe", b"\xfe\xff"))
        like = "it is UTF-16" if wide else "it may be Latin-1 or Windows-1252"
        raise VhbenchError(
            f"{path}: must be UTF-8 text, but has the byte 0x{found} ({like}); save it as UTF-8"
        ) from error
    except csv.Error as error:
        raise VhbenchError(f"{path}: {error}") from error


def read_rows(path: Path, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, unchanged but for those of logs.

    Args:
        path: a format of :data:`FORMATS` by its suffix; other files are read as JSON.
        names: see :func:`vhbench.json_rows.each_row`.

    Raises:
        VhbenchError: if it cannot be read; for an unknown format, with the supported ones.
    """
    read = reader_of(path.suffix.lower())
    if path.is_dir():
        raise VhbenchError(f"{path}: expected a folder written by lmms-eval, or a file ({described()})")
    if not path.exists():
        raise VhbenchError(f"cannot read {path}: No such file or directory")
    count = 0
    try:
        logged = chain.from_iterable(one.keys for one in FORMATS.values())
        with readable(path):
            for row in _unpacked(read(path) if read else each_row(path, [*names, *logged])):
                count += 1
                yield dict(row)
    except VhbenchError as error:
        if count or not path.suffix or path.suffix.lower() in suffixes():
            raise
        raise VhbenchError(f"{error}; unsupported format {quote_value(path.suffix)}, expected {described()}") from error
    if not count:
        raise VhbenchError(f"{path}: expected at least one row")


def _unpacked(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows; those of a log as rows with ``id`` and ``response``."""
    logs = [one for one in FORMATS.values() if one.unpack is not None]
    for row in rows:
        log = next((one for one in logs if one.keys <= row.keys()), None)
        yield from [row] if log is None or log.unpack is None else log.unpack(row)
