"""Safe reading of untrusted Parquet: a few kilobytes may expand to gigabytes of text.

Text and bytes are read as dictionaries: a value is in memory once, however often rows repeat it, and the expanded size
is known before any copy is made.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.files import path_exists
from vhbench.schema import VhbenchError


def open_parquet(path: Path) -> tuple[pq.ParquetFile, pa.Schema]:
    """Return a file, unread, and its logical schema; raise VhbenchError if it is missing or not Parquet."""
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
    """Raise VhbenchError, in one line, for a damaged file or footer, instead of pyarrow's errors."""
    try:
        yield
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise VhbenchError(f"{path}: not a readable Parquet file, perhaps truncated ({_line(error)})") from error


def read_group(file: pq.ParquetFile, path: Path, index: int, columns: list[str]) -> pa.Table:
    """Read columns of one row group, text and bytes as dictionaries; raise VhbenchError if it is damaged."""
    try:
        return file.read_row_group(index, columns=columns, use_threads=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise VhbenchError(f"{path}: row group {index} is damaged ({_line(error)})") from error


class Text:
    """Text reader with limits: ``allowance`` characters in all, including repetitions, ``longest`` in one text."""

    def __init__(self, path: Path, allowance: int, longest: int) -> None:
        self._path, self._allowance, self._left, self._longest = path, allowance, allowance, longest

    def column(self, column: pa.ChunkedArray, name: str) -> list[str]:
        """Return a column of texts; raise VhbenchError if one is null, not UTF-8 or too long, or all together are."""
        return [text for chunk in column.chunks for text in self._unpack(chunk, name)]

    def lists(self, column: pa.ChunkedArray, name: str) -> list[tuple[str, ...]]:
        """Return a column of lists of texts. Raises as :meth:`column`."""
        rows: list[tuple[str, ...]] = []
        for chunk in column.chunks:
            if chunk.null_count:
                raise self._null(name)
            rows += cut(self._unpack(chunk.flatten(), name), chunk)
        return rows

    def _unpack(self, chunk: pa.DictionaryArray, name: str) -> list[str]:
        if chunk.null_count:
            raise self._null(name)
        try:
            texts = shared(chunk)
        except UnicodeDecodeError as error:
            raise VhbenchError(f"{self._path}: column {name} is not UTF-8 ({_line(error)})") from error
        lengths = list(map(len, texts))
        if lengths and max(lengths) > self._longest:
            raise VhbenchError(
                f"{self._path}: column {name} has a text of {max(lengths):,} characters; at most {self._longest:,}"
            )
        self._left -= sum(lengths)
        if self._left < 0:
            raise VhbenchError(
                f"{self._path}: its text unpacks to more than {self._allowance >> 20} MiB in column {name}"
            )
        return texts

    def _null(self, name: str) -> VhbenchError:
        return VhbenchError(
            f"{self._path}: column {name} holds a null; a column that does not apply is the empty string"
        )


def shared(data: pa.DictionaryArray) -> list[Any]:
    """Return an array's values; equal ones are one object."""
    values = data.dictionary.to_pylist()
    return [values[i] for i in data.indices.to_pylist()]


def cut(flat: list[Any], lists: pa.ListArray) -> list[tuple[Any, ...]]:
    """Return the rows of a list column, given its flattened values."""
    values = iter(flat)
    return [tuple(islice(values, length)) for length in lists.value_lengths().to_pylist()]


def _line(error: BaseException) -> str:
    """Return an error's message in one line."""
    return " ".join(str(error).split())[:200]
