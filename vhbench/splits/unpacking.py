"""Parquet reading shared by shards, scenes and entries of a leaderboard.

Text and bytes are read as dictionaries: a value is in memory once, however often rows repeat it.
"""

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
    """Report a damaged file in one line; names and texts in it may not be text.

    Raises:
        VhbenchError: instead of pyarrow's error.
    """
    try:
        yield
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise VhbenchError(f"{path}: not a readable Parquet file, perhaps truncated ({line(error)})") from error


def read_columns(path: Path, file: pq.ParquetFile, group: int, names: list[str]) -> Iterator[list[Any]]:
    """Yield columns of a row group: texts, flags, or tuples of texts.

    Raises:
        VhbenchError: if the group is damaged, or a value is missing.
    """
    with readable(path):
        table = file.read_row_group(group, columns=names, use_threads=False)
        for name in names:
            column = table.column(name)
            if column.null_count:
                raise VhbenchError(f"{path}: column {name} holds a null; what does not apply is the empty string")
            yield [value for chunk in column.chunks for value in _values(chunk)]


def _values(chunk: pa.Array) -> list[Any]:
    if isinstance(chunk, pa.ListArray):
        return cut(_values(chunk.flatten()), chunk)
    return shared(chunk) if isinstance(chunk, pa.DictionaryArray) else list(chunk.to_pylist())


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


def line(error: BaseException) -> str:
    """Return an error's message in one line."""
    return " ".join(str(error).split())[:200]
