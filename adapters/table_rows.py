"""Rows of tables that somebody else made, one at a time: CSV, TSV, Excel and Parquet, never more than fits."""

import csv
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from vhbench.adapters import foreign_parquet
from vhbench.adapters.loading import needed_by
from vhbench.files import LARGEST_TEXT, open_file
from vhbench.schema import VhbenchError

SEPARATORS = ",;\t|"
"""What stands between the fields of a line; the header tells which."""

_LONGEST_HEADER = 1 << 20
_SHEET_ROWS = 1 << 20
"""Rows of an Excel file's sheet: Excel itself knows no more."""

_UNZIPPED, _FREE, _DENSEST = 256 << 20, 8 << 20, 100
"""Bytes that an Excel file unpacks to: so many, and beyond the free ones so many times its own size."""

_ELEMENTS = 8_000_000
"""Elements of its XML, of which openpyxl keeps a hundred bytes each; a million answers with their ids have seven."""

_AT_ONCE = 1 << 20


def delimited(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV or TSV file.

    Raises:
        VhbenchError: if it cannot be read, or a row has more fields than the header.
        UnicodeDecodeError: if it is not UTF-8.
        csv.Error: if a field is left open, or longer than any.
    """
    csv.field_size_limit(LARGEST_TEXT)
    usual = "\t" if file.suffix.lower() == ".tsv" else ","
    with open_file(file, None) as opened, io.TextIOWrapper(opened, encoding="utf-8-sig", newline="") as stream:
        first = stream.readline(_LONGEST_HEADER)
        if len(first) == _LONGEST_HEADER:
            raise VhbenchError(f"{file.name}: has a header of more than {_LONGEST_HEADER:,} characters")
        told = re.fullmatch(r'"?sep=(.)"?\s*', first)  # as Excel tells it
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
    """Return what separates the fields of a header: what gives most of them, the usual one where others do as well."""
    found = {mark: len(next(csv.reader([header], delimiter=mark), ())) for mark in SEPARATORS}
    return max(found, key=lambda mark: (found[mark], mark == usual))


def excel(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of the first sheet of an Excel file.

    Raises:
        VhbenchError: if it cannot be read, or unpacks to more than Excel files have.
    """
    with needed_by(f"{file.name}, an Excel file,", "score"):
        from openpyxl import load_workbook
    _check_unzipped(file)
    try:
        sheet = load_workbook(file, read_only=True, data_only=True).worksheets[0]
        rows = sheet.iter_rows(values_only=True)
        header = [str(name) if name is not None else "" for name in next(rows, ())]
        for number, row in enumerate(rows, start=2):
            if number > _SHEET_ROWS:
                raise VhbenchError(f"{file.name}: has more than {_SHEET_ROWS:,} rows")
            if any(value is not None for value in row):
                yield dict(zip(header, row, strict=False))
    except VhbenchError:
        raise
    except MemoryError:
        raise
    except Exception as error:  # openpyxl raises whatever its parsers meet
        raise VhbenchError(f"{file.name}: not a readable Excel file: {error}") from error


def _check_unzipped(file: Path) -> None:
    import zipfile

    try:
        with open_file(file, None) as opened, zipfile.ZipFile(opened) as packed:
            size, most = sum(part.file_size for part in packed.infolist()), _most_unzipped(file)
            if size > most:
                raise VhbenchError(f"{file.name}: unpacks to {size >> 20:,} MiB; at most {most >> 20}")
            found = sum(_elements(packed.open(part)) for part in packed.infolist() if size > _FREE)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:  # a password is the fourth
        raise VhbenchError(f"{file.name}: not a readable Excel file: {error}") from error
    if found > _ELEMENTS:
        raise VhbenchError(f"{file.name}: has {found:,} elements of XML; at most {_ELEMENTS:,}")


def _most_unzipped(file: Path) -> int:
    return min(_UNZIPPED, _FREE + _DENSEST * file.stat().st_size)


def _elements(part: IO[bytes]) -> int:
    """Return how many elements a part of an Excel file has, about, without parsing it."""
    chunks = iter(lambda: part.read(_AT_ONCE), b"")
    return sum(chunk.count(b"<") - chunk.count(b"</") for chunk in chunks)


Reader = Callable[[Path], Iterable[Mapping[str, Any]]]
READERS: dict[str, Reader] = {".csv": delimited, ".tsv": delimited, ".parquet": foreign_parquet.rows, ".xlsx": excel}
"""Suffix → reader; all others are JSON."""
