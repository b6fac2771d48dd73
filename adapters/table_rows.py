"""Formats of third-party tables and logs, and iterators over their rows."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from vhbench.adapters import harness_logs
from vhbench.adapters.loading import needed_by
from vhbench.files import LARGEST_TEXT, open_file, quote_value
from vhbench.json_rows import each_row
from vhbench.schema import VhbenchError

SEPARATORS = ",;\t|"  # possible field separators; the header determines which
_LONGEST_HEADER = 1 << 20  # a binary file may have no line end
_BATCH, _BATCH_BYTES = 64, 16 << 20  # rows of a Parquet file per batch, and their size in bytes
_AT_ONCE = 1 << 20
_CARRIAGE_RETURN = "\x1e"
"""Stands for a carriage return within a field: pandas does not quote it, and csv would end the row there."""


def _delimited(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV or TSV file; csv.Error or UnicodeDecodeError for another file."""
    csv.field_size_limit(LARGEST_TEXT)
    usual = "\t" if file.suffix.lower() == ".tsv" else ","
    with open_file(file, None) as opened, io.TextIOWrapper(opened, encoding="utf-8-sig", newline="\n") as stream:
        first = stream.readline(_LONGEST_HEADER)
        if len(first) == _LONGEST_HEADER:
            raise VhbenchError(f"{file.name}: has a header of more than {_LONGEST_HEADER:,} characters")
        declared = re.fullmatch(r'"?sep=(.)"?\s*', first)  # as written by Excel
        if not declared:
            stream.seek(0)
        lone = "\r" in first and not first.endswith("\n")
        separator = declared[1] if declared else _separator(first.partition("\r")[0], usual)
        for number, row in enumerate(csv.DictReader(_lines(stream, file, lone), delimiter=separator), start=1):
            if any(row.pop(None, None) or ()):
                raise VhbenchError(
                    f"{file.name}, row {number}: has more fields than the header; text that holds {separator!r} must "
                    "stand in double quotes"
                )
            yield {name: value and value.replace(_CARRIAGE_RETURN, "\r") for name, value in row.items()}


def _lines(stream: io.TextIOWrapper, file: Path, lone: bool) -> Iterator[str]:
    """Yield lines; with ``lone``, they end in carriage returns."""
    while line := stream.readline(LARGEST_TEXT + 1):
        if len(line) > LARGEST_TEXT:
            raise VhbenchError(f"{file.name}: has a line of more than {LARGEST_TEXT:,} characters")
        text = line.rstrip("\r\n")
        yield from text.split("\r") if lone else [text.replace("\r", _CARRIAGE_RETURN) + line[len(text) :]]


def _separator(header: str, usual: str) -> str:
    """Return the separator that yields the most header fields, preferring the usual one."""
    columns = {mark: len(next(csv.reader([header], delimiter=mark), ())) for mark in SEPARATORS}
    return max(columns, key=lambda mark: (columns[mark], mark == usual))


def _excel(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of the first sheet of an Excel file."""
    with needed_by(f"{file.name}, an Excel file,", "score"):
        from openpyxl import load_workbook
        from openpyxl.utils.escape import unescape
    try:
        sheet = load_workbook(file, read_only=True, data_only=True).worksheets[0]
        rows = sheet.iter_rows(values_only=True)
        header = [str(name) if name is not None else "" for name in next(rows, ())]
        for row in rows:
            if any(value is not None for value in row):  # Excel writes a carriage return as "_x000D_"
                yield dict(zip(header, (unescape(v) if isinstance(v, str) else v for v in row), strict=False))
    except MemoryError:
        raise
    except Exception as error:  # openpyxl passes on arbitrary parser exceptions
        raise VhbenchError(f"{file.name}: not a readable Excel file: {error}") from error


def _parquet(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file in small batches, since they may contain photos."""
    import pyarrow.parquet as pq

    from vhbench.splits.unpacking import readable

    # Without read-ahead: a row group of photos may exceed the memory.
    with readable(file), pq.ParquetFile(file, pre_buffer=False, buffer_size=_AT_ONCE) as opened:
        size = sum(opened.metadata.row_group(i).total_byte_size for i in range(opened.num_row_groups))
        together = _BATCH_BYTES * max(1, opened.metadata.num_rows) // max(1, size)
        for batch in opened.iter_batches(batch_size=max(1, min(_BATCH, together)), use_threads=False):
            yield from batch.to_pylist()


Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of tables of questions or responses, or of a harness's log."""

    title: str
    suffixes: tuple[str, ...] = ()  # of its files; empty for a log in JSON or in a table, which its rows show
    read: Callable[[Path], Iterable[Row]] | None = None  # function from a file to its rows; None for JSON
    keys: Mapping[str, Any] = field(default_factory=dict)  # keys of a log's rows, and the types of their values
    unpack: Callable[[Row], Iterable[Row]] | None = None  # from such a row to rows with ``id`` and ``response``


FORMATS: dict[str, Format] = {
    "json": Format("JSON, JSON lines, {id: answer}", (".json", ".jsonl", ".ndjson")),
    "csv": Format("CSV", (".csv",), _delimited),
    "tsv": Format("TSV", (".tsv",), _delimited),
    "excel": Format("XLSX", (".xlsx",), _excel),
    "parquet": Format("Parquet", (".parquet",), _parquet),
    "openai-batch": Format(
        "OpenAI batch output", keys={"custom_id": object, "response": dict | None}, unpack=harness_logs.of_batch
    ),
    "inspect": Format(
        "Inspect logs (.eval or JSON)",
        (".eval",),
        harness_logs.inspect_log,
        {"eval": dict, "samples": object},
        harness_logs.of_inspect,
    ),
    "lighteval": Format(
        "lighteval details", keys={"doc": dict, "model_response": dict}, unpack=harness_logs.of_lighteval
    ),
    "vlmevalkit": Format(
        "VLMEvalKit tables",
        keys=dict.fromkeys(("index", "question", "prediction"), object),
        unpack=harness_logs.of_vlmevalkit,
    ),
}
"""All formats; help, errors and docs list them by :func:`described`."""


def described() -> str:
    """Return the titles of all formats."""
    return ", ".join(one.title for one in FORMATS.values())


def suffixes() -> dict[str, Format]:
    """Return suffix → format."""
    return {suffix: one for one in FORMATS.values() for suffix in one.suffixes}


def read_rows(path: Path, names: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, unchanged but for those of logs; raise if it cannot be read or has another format.

    The suffix selects the format of :data:`FORMATS`; other files are read as JSON. ``names`` are those of
    :func:`vhbench.json_rows.each_row`; none for a table of questions.
    """
    form = suffixes().get(path.suffix.lower())
    if path.is_dir():
        raise VhbenchError(f"{path}: expected a folder written by lmms-eval, or a file ({described()})")
    if not path.exists():
        raise VhbenchError(f"cannot read {path}: No such file or directory")
    count = 0
    try:
        keys = [*names, *chain.from_iterable(one.keys for one in FORMATS.values())] if names else ()
        for row in _unpacked(form.read(path) if form and form.read else each_row(path, keys), path):
            count += 1
            yield dict(row)
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from error
    except (csv.Error, UnicodeDecodeError) as error:
        fault = _not_utf8(error) if isinstance(error, UnicodeDecodeError) else error
        raise VhbenchError(f"{path}: {fault}") from error
    except VhbenchError as error:
        if count or not path.suffix or path.suffix.lower() in suffixes():
            raise
        raise VhbenchError(f"{error}; unsupported format {quote_value(path.suffix)}, expected {described()}") from error
    if not count:
        raise VhbenchError(f"{path}: expected at least one row")


def _unpacked(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    """Yield rows; those of a log as rows with ``id`` and ``response``."""
    logs = [one for one in FORMATS.values() if one.unpack is not None]
    for number, row in enumerate(rows, start=1):
        matches = (
            log for log in logs if all(name in row and isinstance(row[name], kind) for name, kind in log.keys.items())
        )
        log = next(matches, None)
        try:
            yield from [row] if log is None or log.unpack is None else log.unpack(row)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            fault = f"no {error}" if isinstance(error, KeyError) else error
            title = log.title if log else ""
            raise VhbenchError(
                f"{path}, row {number}: expected a row of {title}, got {quote_value(row)} ({fault})"
            ) from None


def _not_utf8(error: UnicodeDecodeError) -> str:
    """Return advice for a file with another encoding."""
    byte = error.object[error.start : error.start + 1].hex().upper()
    wide = error.object.startswith((b"\xff\xfe", b"\xfe\xff"))
    like = "it is UTF-16" if wide else "it may be Latin-1 or Windows-1252"
    return f"expected UTF-8 text, got the byte 0x{byte} ({like}); save it as UTF-8"
