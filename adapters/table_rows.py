"""Row iterators for third-party tables: CSV, TSV, Excel and Parquet."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.adapters.loading import needed_by
from vhbench.files import LARGEST_TEXT, open_file
from vhbench.schema import VhbenchError
from vhbench.splits.unpacking import line

SEPARATORS = ",;\t|"
"""Possible field separators; the header determines which."""

_LONGEST_HEADER = 1 << 20
_BATCH, _BATCH_BYTES = 64, 16 << 20  # rows of a Parquet file per batch, and their size in bytes
_AT_ONCE = 1 << 20


def delimited(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV or TSV file.

    Raises:
        VhbenchError: if it cannot be read, or a row has more fields than the header.
        UnicodeDecodeError: if it is not UTF-8.
        csv.Error: if a field is unterminated or too long.
    """
    csv.field_size_limit(LARGEST_TEXT)
    usual = "\t" if file.suffix.lower() == ".tsv" else ","
    with open_file(file, None) as opened, io.TextIOWrapper(opened, encoding="utf-8-sig", newline="") as stream:
        first = stream.readline(_LONGEST_HEADER)
        if len(first) == _LONGEST_HEADER:
            raise VhbenchError(f"{file.name}: has a header of more than {_LONGEST_HEADER:,} characters")
        told = re.fullmatch(r'"?sep=(.)"?\s*', first)  # as written by Excel
        if not told:
            stream.seek(0)
        separator = told[1] if told else _separator(first, usual)
        for number, row in enumerate(csv.DictReader(_lines(stream, file), delimiter=separator), start=1):
            if any(row.pop(None, None) or ()):
                raise VhbenchError(
                    f"{file.name}, row {number}: has more fields than the header; text that holds {separator!r} must "
                    "stand in double quotes"
                )
            yield row


def _lines(stream: io.TextIOWrapper, file: Path) -> Iterator[str]:
    while line := stream.readline(LARGEST_TEXT + 1):
        if len(line) > LARGEST_TEXT:
            raise VhbenchError(f"{file.name}: has a line of more than {LARGEST_TEXT:,} characters")
        yield line


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
    try:
        # Without read-ahead: a row group of photos may exceed the memory.
        with pq.ParquetFile(file, pre_buffer=False, buffer_size=_AT_ONCE) as opened:
            size = sum(opened.metadata.row_group(i).total_byte_size for i in range(opened.num_row_groups))
            together = _BATCH_BYTES * max(1, opened.metadata.num_rows) // max(1, size)
            for batch in opened.iter_batches(batch_size=max(1, min(_BATCH, together)), use_threads=False):
                yield from batch.to_pylist()
    except (OSError, ValueError, OverflowError, TypeError, pa.ArrowException) as error:
        raise VhbenchError(f"{file.name}: not a readable Parquet file: {line(error)}") from error


Reader = Callable[[Path], Iterable[Mapping[str, Any]]]
READERS: dict[str, Reader] = {".csv": delimited, ".tsv": delimited, ".parquet": parquet, ".xlsx": excel}
"""Suffix → reader; all others are JSON."""
