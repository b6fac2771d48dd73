"""``answers.parquet``: what a model said, in the order of an edition's questions, without their ids.

Ids are four fifths of such a file, and the edition has them. With ``--repeats`` all first answers stand before all
second ones. A file is read with limits, as anybody may have made it.
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
"""Characters of an answer."""

MOST_TEXT = 256 << 20
"""Characters of all answers of an entry."""

_GROUP = 1 << 16


def pack(responses: Sequence[str]) -> bytes:
    """Return the file; the same answers give the same bytes.

    Raises:
        VhbenchError: if an answer is longer than :data:`LONGEST`.
    """
    if long := [len(text) for text in responses if len(text) > LONGEST]:
        raise VhbenchError(f"an answer has {max(long):,} characters; at most {LONGEST:,}")
    out = io.BytesIO()
    texts = [text.encode("utf-8", "replace").decode() for text in responses]
    table = pa.table({COLUMN: pa.array(texts, pa.string())})
    options = {"compression": "zstd", "compression_level": 19, "store_schema": False, "write_statistics": False}
    with pq.ParquetWriter(out, table.schema, data_page_size=1 << 20, **options) as writer:
        writer.write_table(table, row_group_size=_GROUP)
    return out.getvalue()


def unpack(path: Path, count: int) -> list[str]:
    """Return the answers of a file.

    Args:
        path: the file.
        count: how many there must be.

    Raises:
        VhbenchError: if it is damaged, has other columns or another number of answers, lacks one, or unpacks to far
            more text than answers have.
    """
    read_bytes(path, LARGEST_TEXT)
    file, schema = open_parquet(path)
    if schema.names != [COLUMN] or schema.field(COLUMN).type != pa.string():
        raise VhbenchError(f"{path}: must have one column of text, {COLUMN!r}")
    with readable(path):
        if file.metadata.num_rows != count:
            raise VhbenchError(f"{path}: has {file.metadata.num_rows:,} answers to {count:,} questions; each needs one")
        sizes = [file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups)]
        if sum(sizes) > MOST_TEXT:
            raise VhbenchError(f"{path}: unpacks to {sum(sizes) >> 20:,} MiB; at most {MOST_TEXT >> 20:,}")
    text, found = Text(path, MOST_TEXT, LONGEST), list[str]()
    for i in range(file.metadata.num_row_groups):
        found += text.column(read_group(file, path, i, [COLUMN]).column(COLUMN), COLUMN)
        if len(found) > count:
            break
    if len(found) != count:
        raise VhbenchError(f"{path}: holds {len(found):,} answers to {count:,} questions; each needs one")
    return found
