"""``answers.parquet``: the responses of a model in the order of an edition's questions, without ids.

Ids, which the edition has, would be four fifths of the file. With ``--repeats``, all first responses precede all second
ones. Files are untrusted and read with limits.
"""

import io
from collections.abc import Sequence
from pathlib import Path

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


def pack(responses: Sequence[str]) -> bytes:
    """Return the file, deterministic in the responses.

    Raises:
        VhbenchError: if a response is longer than :data:`LONGEST`.
    """
    if long := [len(text) for text in responses if len(text) > LONGEST]:
        raise VhbenchError(f"expected responses of at most {LONGEST:,} characters, got {max(long):,}")
    out = io.BytesIO()
    texts = [text.encode("utf-8", "replace").decode() for text in responses]
    table = pa.table({COLUMN: pa.array(texts, pa.string())})
    options = {"compression": "zstd", "compression_level": 19, "store_schema": False, "write_statistics": False}
    with pq.ParquetWriter(out, table.schema, data_page_size=1 << 20, **options) as writer:
        writer.write_table(table, row_group_size=_GROUP)
    return out.getvalue()


def unpack(path: Path, count: int) -> list[str]:
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
    if schema.names != [COLUMN] or schema.field(COLUMN).type != pa.string():
        raise VhbenchError(f"{path}: expected one text column, {COLUMN!r}")
    with readable(path):
        if file.metadata.num_rows != count:
            raise VhbenchError(f"{path}: expected {count:,} responses, got {file.metadata.num_rows:,}")
        sizes = [file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups)]
        if sum(sizes) > MOST_TEXT:
            raise VhbenchError(f"{path}: expected at most {MOST_TEXT >> 20:,} MiB unpacked, got {sum(sizes) >> 20:,}")
    text, found = Text(path, MOST_TEXT, LONGEST), list[str]()
    for i in range(file.metadata.num_row_groups):
        found += text.column(read_group(file, path, i, [COLUMN]).column(COLUMN), COLUMN)
        if len(found) > count:
            break
    if len(found) != count:
        raise VhbenchError(f"{path}: expected {count:,} responses, got {len(found):,}")
    return found
