"""Parquet files read with one-line errors; text and bytes as dictionaries, so that a repeated value is stored once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.files import path_exists
from vhbench.schema import VhbenchError


def open_parquet(path: Path) -> tuple[pq.ParquetFile, pa.Schema]:
    """Open a file without reading a row; return it and its logical schema.

    Raises:
        VhbenchError: if it is missing or not a Parquet file.
    """
    if not path_exists(path):
        raise VhbenchError(f"{path}: is missing, though the manifest lists it")
    with readable(path):
        metadata = pq.read_metadata(path)
        leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        # By type, not name: a file that calls list items "item" instead of "element" is read the same way.
        repeated = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        return pq.ParquetFile(path, metadata=metadata, read_dictionary=repeated), metadata.schema.to_arrow_schema()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Report a damaged file or footer in one line; names in it may not be text.

    Raises:
        VhbenchError: instead of pyarrow's error.
    """
    try:
        yield
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise VhbenchError(f"{path}: not a readable Parquet file, perhaps truncated ({_line(error)})") from error


def read_group(file: pq.ParquetFile, path: Path, index: int, columns: list[str]) -> pa.Table:
    """Read columns of one row group, text and bytes as dictionaries.

    Raises:
        VhbenchError: if it is damaged.
    """
    try:
        return file.read_row_group(index, columns=columns, use_threads=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise VhbenchError(f"{path}: row group {index} is damaged ({_line(error)})") from error


def texts(path: Path, column: pa.ChunkedArray, name: str) -> list[str]:
    """Return a column of texts.

    Raises:
        VhbenchError: if one is null or not UTF-8.
    """
    return [text for chunk in column.chunks for text in _texts(path, chunk, name)]


def text_lists(path: Path, column: pa.ChunkedArray, name: str) -> list[tuple[str, ...]]:
    """Return a column of lists of texts. Raises as :func:`texts`."""
    rows: list[tuple[str, ...]] = []
    for chunk in column.chunks:
        if chunk.null_count:
            raise _null(path, name)
        rows += cut(_texts(path, chunk.flatten(), name), chunk)
    return rows


def _texts(path: Path, chunk: pa.DictionaryArray, name: str) -> list[str]:
    if chunk.null_count:
        raise _null(path, name)
    try:
        return shared(chunk)
    except UnicodeDecodeError as error:
        raise VhbenchError(f"{path}: column {name} is not UTF-8 ({_line(error)})") from error


def _null(path: Path, name: str) -> VhbenchError:
    return VhbenchError(f"{path}: column {name} holds a null; a column that does not apply is the empty string")


def shared(data: pa.DictionaryArray) -> list[Any]:
    """Return an array's values; equal ones are one object."""
    values = data.dictionary.to_pylist()
    return [values[i] for i in data.indices.to_pylist()]


def cut(flat: list[Any], lists: pa.ListArray) -> list[tuple[Any, ...]]:
    """Return the rows of a list column, given its flattened values."""
    rows: list[tuple[Any, ...]] = []
    start = 0
    for length in lists.value_lengths().to_pylist():
        rows.append(tuple(flat[start : start + length]))
        start += length
    return rows


def _line(error: BaseException) -> str:
    """Return an error's message in one line."""
    return " ".join(str(error).split())[:200]
