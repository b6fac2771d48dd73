"""Parquet files of other projects: rows of any columns, but no more than a file of that size may hold.

A file of a few kilobytes can stand for gigabytes: one long text or image that a million rows repeat, a page of zeros,
a list with a billion numbers. So what a file declares is held to its size before it is read; text and bytes are read
as dictionaries, in which a repeated value stands once; and what all rows come to is counted as they are unpacked. Rows
as large as photos are read one by one, without a dictionary, which would keep them all.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vhbench.schema import VhbenchError
from vhbench.splits import footer
from vhbench.splits.unpacking import line, open_parquet

_FREE = 64 << 20
_DENSEST = 50
"""A file may unpack to so many bytes, and so many times its own size."""

_GROUP = 2 << 30
"""Bytes of a row group."""

_BATCH = 64
_BATCH_BYTES = 32 << 20
_BATCH_VALUES = 1 << 20
"""Rows that are read together, their bytes as far as a file tells, and the values that they have."""

_LARGE = 256 << 10
"""Bytes of a row, from which on it is read alone and without a dictionary."""


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file; columns of types that tables of questions do not have are passed over.

    Raises:
        VhbenchError: if it is damaged, or holds far more than its size lets one expect.
    """
    file, schema = open_parquet(path)
    names = list(dict.fromkeys(field.name for field in schema if _is_plain(field.type)))
    left = _Allowance(path, _FREE + _DENSEST * path.stat().st_size)
    try:
        left.check_declared(file.metadata)
        for batch in _batches(path, file, names):
            left.next_batch()
            columns = [left.values(column) for column in batch.columns]
            for values in zip(*columns, strict=True):
                yield dict(zip(batch.schema.names, values, strict=True))
    except (OSError, ValueError, OverflowError, TypeError, pa.ArrowException) as error:
        raise VhbenchError(f"{path.name}: not a readable Parquet file: {line(error)}") from error


def _batches(path: Path, file: pq.ParquetFile, names: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield rows together: few where they are large, and of photos, one to a row, each alone."""
    leaves = [file.metadata.schema.column(i) for i in range(file.metadata.num_columns)]
    # In a list a text may be repeated a million times in one row, which only a dictionary keeps small.
    flat = not any(leaf.physical_type == "BYTE_ARRAY" and leaf.max_repetition_level for leaf in leaves)
    alone: pq.ParquetFile | None = None
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        size = group.total_byte_size // max(1, group.num_rows)
        reader, together = file, max(1, min(_BATCH, _BATCH_BYTES // max(1, size)))
        if flat and size >= _LARGE:
            reader = alone = alone or open_parquet(path, shared=False)[0]
            together = 1
        # Each row group for itself: a dictionary holds all that was read with it.
        yield from reader.iter_batches(batch_size=together, row_groups=[number], columns=names, use_threads=False)


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return all(_is_plain(kind.field(i).type) for i in range(kind.num_fields))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _is_plain(kind.value_type)
    return pa.types.is_primitive(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind) or _is_text(kind)


def _is_text(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    )


class _Allowance:
    """Unpacks values until they are more than a file of its size may hold."""

    def __init__(self, path: Path, most: int) -> None:
        self._path, self._most, self._left, self._batch = path, most, most, _BATCH_VALUES

    def check_declared(self, metadata: pq.FileMetaData) -> None:
        """Hold the sizes and encodings that a file declares to what it may have, before any of it is read."""
        groups, columns = [metadata.row_group(i) for i in range(metadata.num_row_groups)], footer.claims(self._path)
        if (size := sum(max(0, group.total_byte_size) for group in groups)) > self._most:
            raise VhbenchError(f"{self._path.name}: unpacks to {size >> 20:,} MiB; at most {self._most >> 20:,}")
        for number, group in enumerate(groups):
            if group.total_byte_size > _GROUP:
                raise VhbenchError(f"{self._path.name}: row group {number} unpacks to more than {_GROUP >> 20:,} MiB")
            for chunk in columns[number]:
                if chunk.size > self._most or chunk.values > self._most:
                    raise VhbenchError(
                        f"{self._path.name}: column {chunk.path} claims {chunk.values:,} values and "
                        f"{chunk.size >> 20:,} MiB in row group {number}; too many"
                    )
                if footer.DELTA_BYTE_ARRAY in chunk.encodings:
                    raise VhbenchError(
                        f"{self._path.name}: column {chunk.path} is encoded as DELTA_BYTE_ARRAY, which may "
                        "unpack without bound; write it with another encoding"
                    )

    def next_batch(self) -> None:
        """Begin to count the values of a batch."""
        self._batch = _BATCH_VALUES

    def values(self, array: pa.Array) -> list[Any]:
        """Return the values of an array; equal texts are one object."""
        if pa.types.is_dictionary(array.type):
            return self._texts(array)
        if pa.types.is_struct(array.type):
            fields = [array.type.field(i).name for i in range(array.type.num_fields)]
            inner = zip(*map(self.values, array.flatten()), strict=True)
            found = [dict(zip(fields, one, strict=True)) for one in inner]
            return [one if there else None for one, there in zip(found, array.is_valid().to_pylist(), strict=True)]
        if isinstance(array, pa.ListArray | pa.LargeListArray | pa.FixedSizeListArray):
            return self._lists(array)
        plain: list[Any] = array.to_pylist()
        sized = sum(len(value) for value in plain if value is not None) if _is_text(array.type) else len(array)
        self._take(len(array), sized)
        return plain

    def _lists(self, array: Any) -> list[Any]:
        flat = self.values(array.flatten())
        found: list[Any] = []
        start = 0
        for length in pc.list_value_length(array).to_pylist():
            found.append(None if length is None else flat[start : start + length])
            start += length or 0
        return found

    def _texts(self, array: pa.DictionaryArray) -> list[Any]:
        used = pc.unique(array.indices).drop_null()
        texts = dict(zip(used.to_pylist(), array.dictionary.take(used).to_pylist(), strict=True))
        found = [None if index is None else texts[index] for index in array.indices.to_pylist()]
        self._take(len(found), sum(len(text) for text in found if text is not None))
        return found

    def _take(self, values: int, size: int) -> None:
        self._batch -= values
        self._left -= size
        if self._batch < 0:
            raise VhbenchError(f"{self._path.name}: {_BATCH} rows have more than {_BATCH_VALUES:,} values")
        if self._left < 0:
            raise VhbenchError(f"{self._path.name}: unpacks to more than {self._most >> 20:,} MiB")
