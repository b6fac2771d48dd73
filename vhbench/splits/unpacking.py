"""Parquet files from anybody: a few kilobytes may claim, or repeat, gigabytes of text.

Columns of text and bytes are read as dictionaries, so that a value stands in memory once, however often rows repeat
it, and what all the repetitions come to is known before anybody copies one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.files import path_exists
from vhbench.schema import VhbenchError

_BUFFER = 1 << 20
"""Bytes that are read at once where a column is larger than what is needed of it."""


def open_parquet(path: Path, *, shared: bool = True) -> tuple[pq.ParquetFile, pa.Schema]:
    """Open a file without reading a row; return it and the schema that it has for others.

    Args:
        path: the file.
        shared: read text and bytes as dictionaries. Such a reader keeps all values that it has seen: of photos, one
            that does not is better, which must be asked for few rows at once.

    Raises:
        VhbenchError: if it is missing or no Parquet file.
    """
    if not path_exists(path):
        raise VhbenchError(f"{path}: is missing, though the manifest lists it")
    with readable(path):
        metadata = pq.read_metadata(path)
        leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        # By what they are: whoever calls the items of a list "item" instead of "element" is read no other way.
        repeated = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        how: dict[str, Any] = {"read_dictionary": repeated} if shared else {"pre_buffer": False, "buffer_size": _BUFFER}
        file = pq.ParquetFile(path, metadata=metadata, **how)
        return file, metadata.schema.to_arrow_schema()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say in one line that a file, or what it tells of itself, is damaged; names in it may not even be text.

    Raises:
        VhbenchError: in place of what pyarrow raises.
    """
    try:
        yield
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise VhbenchError(f"{path}: not a readable Parquet file, perhaps truncated ({line(error)})") from error


def read_group(file: pq.ParquetFile, path: Path, index: int, columns: list[str]) -> pa.Table:
    """Read columns of one row group, text and bytes as dictionaries.

    Raises:
        VhbenchError: if it is damaged.
    """
    try:
        return file.read_row_group(index, columns=columns, use_threads=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise VhbenchError(f"{path}: row group {index} is damaged ({line(error)})") from error


class Text:
    """Unpacks text until an allowance is used up.

    Args:
        path: the file, for messages.
        allowance: characters in all, each repetition counted.
        longest: characters of one text.
    """

    def __init__(self, path: Path, allowance: int, longest: int) -> None:
        self._path, self._allowance, self._left, self._longest = path, allowance, allowance, longest

    def column(self, column: pa.ChunkedArray, name: str) -> list[str]:
        """Return a column of texts.

        Raises:
            VhbenchError: if one is null, not UTF-8 or too long, or all are too much.
        """
        return [text for chunk in column.chunks for text in self._unpack(chunk, name)]

    def lists(self, column: pa.ChunkedArray, name: str) -> list[tuple[str, ...]]:
        """Return a column of lists of texts. Raises as :meth:`column` does."""
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
            found = shared(chunk)
        except UnicodeDecodeError as error:
            raise VhbenchError(f"{self._path}: column {name} is not UTF-8 ({line(error)})") from error
        lengths = list(map(len, found))
        if lengths and max(lengths) > self._longest:
            raise VhbenchError(
                f"{self._path}: column {name} has a text of {max(lengths):,} characters; at most {self._longest:,}"
            )
        self._left -= sum(lengths)
        if self._left < 0:
            raise VhbenchError(
                f"{self._path}: its text unpacks to more than {self._allowance >> 20} MiB in column {name}"
            )
        return found

    def _null(self, name: str) -> VhbenchError:
        return VhbenchError(
            f"{self._path}: column {name} holds a null; a column that does not apply is the empty string"
        )


def shared(data: pa.DictionaryArray) -> list[Any]:
    """Return an array's values; equal ones are one object."""
    values = data.dictionary.to_pylist()
    return [values[i] for i in data.indices.to_pylist()]


def cut(flat: list[Any], lists: pa.ListArray) -> list[tuple[Any, ...]]:
    """Return the rows of a list column, given the values of all rows one after the other."""
    rows: list[tuple[Any, ...]] = []
    start = 0
    for length in lists.value_lengths().to_pylist():
        rows.append(tuple(flat[start : start + length]))
        start += length
    return rows


def line(error: BaseException) -> str:
    """Return an error's words in one line."""
    return " ".join(str(error).split())[:200]
