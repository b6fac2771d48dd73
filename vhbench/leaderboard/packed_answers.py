"""``answers.parquet``: the responses of a model in the order of an edition's questions, without ids.

Ids, which the edition has, would be four fifths of the file. With ``--repeats``, all first responses precede all second
ones. Where token counts are known or responses are truncated, two columns record it. Files are untrusted and read with
limits.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.files import LARGEST_TEXT, read_bytes
from vhbench.schema import VhbenchError
from vhbench.splits.unpacking import Text, open_parquet, read_group, readable

COLUMN = "response"
LONGEST = 1 << 20
"""Maximum characters of a response."""

MOST_TEXT = 256 << 20
"""Maximum characters of all responses of an entry."""

_GROUP = 1 << 16


class PackedAnswer(NamedTuple):
    """A response.

    Attributes:
        text: its text.
        tokens: number of generated tokens; 0 if unknown.
        cut_off: whether it is truncated.
    """

    text: str
    tokens: int = 0
    cut_off: bool = False


_LENGTHS = {"tokens": pa.int32(), "cut_off": pa.bool_()}
_COLUMNS = [(COLUMN, pa.string()), *_LENGTHS.items()]


def pack(responses: Sequence[PackedAnswer]) -> bytes:
    """Return the file, deterministic in the responses.

    Raises:
        VhbenchError: if a response is longer than :data:`LONGEST`.
    """
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


def unpack(path: Path, count: int) -> list[PackedAnswer]:
    """Return the responses of a file.

    Args:
        path: the file.
        count: expected number of responses.

    Raises:
        VhbenchError: if it is damaged, has other columns, another number of responses or a missing one, or unpacks to
            more text than allowed.
    """
    read_bytes(path, LARGEST_TEXT)
    file, schema = open_parquet(path)
    if [(field.name, field.type) for field in schema] not in (_COLUMNS[:1], _COLUMNS):
        raise VhbenchError(f"{path}: expected a text column, {COLUMN!r}, and perhaps the columns {', '.join(_LENGTHS)}")
    with readable(path):
        if file.metadata.num_rows != count:
            raise VhbenchError(f"{path}: expected {count:,} responses, got {file.metadata.num_rows:,}")
        sizes = [file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups)]
        if sum(sizes) > MOST_TEXT:
            raise VhbenchError(f"{path}: expected at most {MOST_TEXT >> 20:,} MiB unpacked, got {sum(sizes) >> 20:,}")
    text, answers = Text(path, MOST_TEXT, LONGEST), list[PackedAnswer]()
    for i in range(file.metadata.num_row_groups):
        group = read_group(file, path, i, schema.names)
        lengths = [group.column(name).to_pylist() for name in schema.names[1:]]
        if any(value is None or value < 0 for values in lengths for value in values):
            raise VhbenchError(f"{path}: expected token counts of at least 0")
        answers += map(PackedAnswer, text.column(group.column(COLUMN), COLUMN), *lengths)
        if len(answers) > count:
            break
    if len(answers) != count:
        raise VhbenchError(f"{path}: expected {count:,} responses, got {len(answers):,}")
    return answers
