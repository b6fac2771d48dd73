"""``answers.parquet``: the responses of a model in the order of an edition's questions, without ids.

Ids, which the edition has, would be four fifths of the file. With ``--repeats``, all first responses precede all second
ones. Where token counts are known or responses are truncated, two columns record it. Files are untrusted and read with
limits.
"""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vhbench.files import LARGEST_TEXT, read_bytes
from vhbench.schema import VhbenchError
from vhbench.splits.unpacking import readable

COLUMN = "response"
LONGEST = 1 << 20  # maximum characters of a response

# maximum bytes of all responses of an entry: those to 8,786 questions may have 16 kB and more each
MOST_TEXT = 160 << 20
_LONG = 8 << 20  # bytes of distinct responses above which they are decoded one at a time, which takes longer

_GROUP, _BATCH, _BATCH_OF_LONG, _FOOTER = 1 << 16, 256, 8, 1 << 18


class PackedAnswer(NamedTuple):
    """A response."""

    text: str
    tokens: int = 0  # number of generated tokens; 0 if unknown
    cut_off: bool = False  # whether it is truncated


_LENGTHS = {"tokens": pa.int32(), "cut_off": pa.bool_()}
_COLUMNS = [(COLUMN, pa.string()), *_LENGTHS.items()]


def pack(responses: Sequence[PackedAnswer]) -> bytes:
    """Return the file, deterministic in the responses, none of which may have more than :data:`LONGEST` characters."""
    if many := [one.tokens for one in responses if one.tokens > LONGEST]:
        raise VhbenchError(f"expected responses of at most {LONGEST:,} tokens, got {max(many):,}")
    if long := [len(one.text) for one in responses if len(one.text) > LONGEST]:
        raise VhbenchError(f"expected responses of at most {LONGEST:,} characters, got {max(long):,}")
    out = io.BytesIO()
    columns = {COLUMN: pa.array([one.text.encode("utf-8", "replace").decode() for one in responses], pa.string())}
    if any(one.tokens or one.cut_off for one in responses):
        columns |= {name: pa.array([getattr(one, name) for one in responses], kind) for name, kind in _LENGTHS.items()}
    table = pa.table(columns)
    options = {"compression": "zstd", "compression_level": 19, "store_schema": False, "write_statistics": False}
    with pq.ParquetWriter(out, table.schema, data_page_size=1 << 20, **options) as writer:
        writer.write_table(table, row_group_size=_GROUP)
    return out.getvalue()


class _Packed(Sequence[PackedAnswer]):
    """Responses that are decoded where they are used: as text they may take four times their bytes."""

    def __init__(self, *columns: pa.ChunkedArray) -> None:
        self._columns = columns

    def __len__(self) -> int:
        """Return the number of responses."""
        return len(self._columns[0])

    def __getitem__(self, index: Any) -> Any:
        """Return a response."""
        return PackedAnswer(*(column[index].as_py() for column in self._columns))


def unpack(path: Path, count: int) -> Sequence[PackedAnswer]:
    """Return the responses of a file; there must be so many, all of them valid, with no more text than allowed."""
    data = pa.BufferReader(read_bytes(path, LARGEST_TEXT))
    with readable(path):
        metadata = pq.read_metadata(data)
        if [(field.name, field.type) for field in metadata.schema.to_arrow_schema()] not in (_COLUMNS[:1], _COLUMNS):
            both = f"{COLUMN!r}, and perhaps the columns {', '.join(_LENGTHS)}"
            raise VhbenchError(f"{path}: expected a text column, {both}")
        if metadata.num_rows != count:
            raise VhbenchError(f"{path}: expected {count:,} responses, got {metadata.num_rows:,}")
        if metadata.serialized_size > _FOOTER:
            raise VhbenchError(f"{path}: expected a footer of at most {_FOOTER >> 10:,} kB")
        size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        repeated = [COLUMN] if size <= _LONG else []  # dictionaries of later batches would have all earlier texts
        batches = _batches(path, pq.ParquetFile(data, metadata=metadata, read_dictionary=repeated), size)
        answers: Sequence[PackedAnswer] = (
            _Packed(*pa.Table.from_batches(batches).columns)
            if size > _LONG
            else [answer for batch in batches for answer in _decoded(*batch.columns)]
        )
    if len(answers) != count:
        raise VhbenchError(f"{path}: expected {count:,} responses, got {len(answers):,}")
    return answers


def _decoded(texts: pa.DictionaryArray, *lengths: pa.Array) -> Iterator[PackedAnswer]:
    distinct = texts.dictionary.to_pylist()  # equal responses are one object
    responses = [distinct[index] for index in texts.indices.to_pylist()]
    return map(PackedAnswer, responses, *(column.to_pylist() for column in lengths))


def _batches(path: Path, file: pq.ParquetFile, size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file while they are not too large; ``size`` is the one that its footer states."""
    left = MOST_TEXT
    batches = file.iter_batches(_BATCH_OF_LONG if size > _LONG else _BATCH, use_threads=False)
    while size <= MOST_TEXT and left >= 0 and (batch := next(batches, None)) is not None:
        texts = batch.column(COLUMN)
        values = texts.dictionary if isinstance(texts, pa.DictionaryArray) else texts
        if texts.null_count or values.null_count:
            raise VhbenchError(f"{path}: column {COLUMN} holds a null; a response without text is the empty string")
        lengths = [value for column in batch.columns[1:] for value in column.to_pylist()]
        if any(value is None or not 0 <= value <= LONGEST for value in lengths):
            raise VhbenchError(f"{path}: expected token counts of at least 0, and at most {LONGEST:,}")
        try:
            values.validate(full=True)
        except pa.ArrowInvalid as error:
            raise VhbenchError(f"{path}: column {COLUMN} is not UTF-8") from error
        lengths = pc.call_function("utf8_length", [values])
        if (longest := pc.call_function("max", [lengths]).as_py() or 0) > LONGEST:
            raise VhbenchError(f"{path}: has a text of {longest:,} characters; at most {LONGEST:,}")
        yield batch
        sizes = pc.call_function("binary_length", [values])
        sizes = sizes if values is texts else sizes.take(texts.indices)
        left -= pc.call_function("sum", [sizes]).as_py() or 0
    if size > MOST_TEXT or left < 0:
        raise VhbenchError(f"{path}: expected at most {MOST_TEXT >> 20:,} MiB unpacked, got more")
