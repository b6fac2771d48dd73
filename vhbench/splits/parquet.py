"""Questions as Arrow tables and Parquet shards, for ``datasets`` 3, 4 and 5.

Images are left uncompressed (JPEG and PNG do not shrink), everything else is zstd. Where rows share images, the image
leaf is dictionary-encoded, so each image is stored once per row group: 2,200 questions over 200 images take 14 MB
instead of 154 MB. Otherwise it is plain, which is faster to write and as large. Readers see no difference.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.columns import COLUMNS, FLAGS, HASHED, LISTS
from vhbench.schema import Question, VhbenchError
from vhbench.splits.unpacking import Text, cut, open_parquet, read_group, readable, shared

IMAGE_BYTES = "images.list.element.bytes"

# Third-party files: a few bytes may claim to unpack to gigabytes, so sizes are checked before reading.
MAX_IMAGES_PER_ROW = 64
MAX_GROUP_ROWS = 4096
MAX_GROUP_BYTES = 2 << 30
MAX_GROUP_TEXT = 64 << 20
MAX_TEXT = 1 << 20  # maximum text length, and maximum text of a row group; larger files are rejected


def _type(name: str, image_bytes: pa.DataType) -> pa.DataType:
    if name == "images":
        return pa.list_(pa.struct([("bytes", image_bytes), ("path", pa.string())]))
    if name in LISTS:
        return pa.list_(pa.string())
    return pa.bool_() if name in FLAGS else pa.string()


def _feature(name: str) -> dict[str, Any]:
    # "Sequence", not "List": datasets < 4 only supports "Sequence", later versions both.
    if name == "images":
        return {"feature": {"_type": "Image"}, "_type": "Sequence"}
    if name in LISTS:
        return {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"}
    return {"dtype": "bool" if name in FLAGS else "string", "_type": "Value"}


def schema(image_bytes: pa.DataType | None = None) -> pa.Schema:
    """Return a shard's Arrow schema, which declares the image column to ``datasets``."""
    features = {"info": {"features": {name: _feature(name) for name in COLUMNS}}}
    columns = [(name, _type(name, image_bytes or pa.binary())) for name in COLUMNS]
    return pa.schema(columns, metadata={_FEATURES: json.dumps(features).encode()})


_FEATURES = b"huggingface"  # footer key of the column features for ``datasets``
_PLAIN = schema()
_SHARED = schema(pa.dictionary(pa.int32(), pa.binary()))
_LEAVES = (
    *(f"{name}.list.element" if name in LISTS else name for name in COLUMNS if name != "images"),
    "images.list.element.path",
)
_OPTIONS: dict[str, Any] = {
    "compression": {IMAGE_BYTES: "none", **dict.fromkeys(_LEAVES, "zstd")},
    "dictionary_pagesize_limit": 1 << 30,
    "write_statistics": list(_LEAVES),
    "write_page_index": True,
    "store_schema": False,  # it would record the dictionary type; readers should see plain bytes
}


def open_writer(path: Path, *, shared: bool) -> pq.ParquetWriter:
    """Open a shard for writing; ``shared`` if rows share images."""
    options = {**_OPTIONS, "use_dictionary": [*_LEAVES, IMAGE_BYTES] if shared else list(_LEAVES)}
    writer = pq.ParquetWriter(path, _SHARED if shared else _PLAIN, **options)
    # Without the Arrow schema, its metadata is not stored either; it declares the image column to `datasets`.
    writer.add_key_value_metadata({key.decode(): value.decode() for key, value in _PLAIN.metadata.items()})
    return writer


def table(
    rows: Sequence[Sequence[Any]],
    digests: Sequence[Sequence[bytes]],
    images: Mapping[bytes, bytes],
    version: str,
    *,
    shared: bool,
) -> pa.Table:
    """Return one row group of rows (:func:`vhbench.columns.values_of`) with the SHA-256 ``digests`` of their images."""
    layout = _SHARED if shared else _PLAIN
    columns: dict[str, Sequence[Any]] = dict(zip(HASHED, zip(*rows, strict=True), strict=True))
    columns["benchmark_version"] = [version] * len(rows)
    arrays = {name: pa.array(values, layout.field(name).type) for name, values in columns.items()}
    arrays["images"] = _image_array(digests, images, shared)
    return pa.Table.from_arrays([arrays[name] for name in COLUMNS], schema=layout)


def _image_array(digests: Sequence[Sequence[bytes]], images: Mapping[bytes, bytes], shared: bool) -> pa.Array:
    flat = [digest for row in digests for digest in row]
    if shared:
        position = {digest: i for i, digest in enumerate(dict.fromkeys(flat))}
        indices = pa.array([position[digest] for digest in flat], pa.int32())
        data = pa.DictionaryArray.from_arrays(indices, pa.array([images[digest] for digest in position], pa.binary()))
    else:
        data = pa.array([images[digest] for digest in flat], pa.binary())
    structs = pa.StructArray.from_arrays([data, pa.nulls(len(flat), pa.string())], names=["bytes", "path"])
    offsets = pa.array(accumulate(map(len, digests), initial=0), pa.int32())
    return pa.ListArray.from_arrays(offsets, structs)


def open_shard(path: Path) -> pq.ParquetFile:
    """Open a shard for reading; raise VhbenchError for other columns, absurd sizes, and other image features."""
    shard, columns = open_parquet(path)
    _check_columns(path, columns)
    _check_features(path, columns)
    with readable(path):
        for i in range(shard.metadata.num_row_groups):
            group = shard.metadata.row_group(i)
            if group.num_rows > MAX_GROUP_ROWS:
                raise VhbenchError(f"{path}: row group {i} claims {group.num_rows} rows; at most {MAX_GROUP_ROWS}")
            if (size := group.total_byte_size) > MAX_GROUP_BYTES:
                most = MAX_GROUP_BYTES >> 20
                raise VhbenchError(f"{path}: row group {i} unpacks to {size >> 20} MiB; at most {most}")
    return shard


def _check_columns(path: Path, columns: pa.Schema) -> None:
    expected = schema()
    missing, surplus = Counter(COLUMNS) - Counter(columns.names), Counter(columns.names) - Counter(COLUMNS)
    for fault, names in (("lacks the columns", missing), ("has surplus columns", surplus)):
        if names:
            raise VhbenchError(f"{path}: {fault} {', '.join(names)}")
    for name in COLUMNS:
        if columns.field(name).type != expected.field(name).type:
            raise VhbenchError(f"{path}: column {name} is {columns.field(name).type}, not {expected.field(name).type}")


def _check_features(path: Path, columns: pa.Schema) -> None:
    """Check a footer's features for ``datasets``, which no hash covers: they could make images grey or hide them."""
    features = (columns.metadata or {}).get(_FEATURES)
    with suppress(orjson.JSONDecodeError):
        if features is None or orjson.loads(features) == orjson.loads(_PLAIN.metadata[_FEATURES]):
            return
    raise VhbenchError(f"{path}: expected the `datasets` features of a shard in its footer; got others")


def read_shard(path: Path) -> Iterator[Question]:
    """Yield a shard's questions; equal images in a row group share one ``bytes`` object.

    Raises:
        VhbenchError: if the shard is damaged, unpacks to far more text than questions have, or a row has no image bytes
            or refers to an external file.
    """
    for group in read_columns(path, COLUMNS):
        for values in zip(*group.values(), strict=True):
            yield Question(**dict(zip(group, values, strict=True)))


def read_columns(path: Path, names: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
    """Yield the values of some columns per row group. Raises as :func:`read_shard`."""
    shard = open_shard(path)
    for i in range(shard.metadata.num_row_groups):
        group = read_group(shard, path, i, list(names))
        text = Text(path, MAX_GROUP_TEXT, MAX_TEXT)
        yield {name: _values(path, name, group.column(name), text) for name in names}


def read_images(path: Path, group: int) -> list[tuple[bytes, ...]]:
    """Return the images of each row of a row group. Raises as :func:`read_shard`."""
    return _images(path, read_group(open_shard(path), path, group, ["images"]).column("images"))


def _values(path: Path, name: str, column: pa.ChunkedArray, text: Text) -> list[Any]:
    if name == "images":
        return _images(path, column)
    if name in LISTS:
        return text.lists(column, name)
    if name not in FLAGS:
        return text.column(column, name)
    if column.null_count:
        raise VhbenchError(f"{path}: column {name}: expected true or false, got a null")
    return list(column.to_pylist())


def _images(path: Path, column: pa.ChunkedArray) -> list[tuple[bytes, ...]]:
    rows: list[tuple[bytes, ...]] = []
    for chunk in column.chunks:
        structs = chunk.flatten()
        data, paths = structs.field("bytes"), structs.field("path")
        if chunk.null_count or data.null_count or structs.null_count:
            raise VhbenchError(f"{path}: an image has no bytes")
        if paths.null_count != len(paths):
            raise VhbenchError(
                f"{path}: an image names the file {paths.drop_null()[0].as_py()!r}; images are bytes only"
            )
        rows += cut(shared(data), chunk)
    return rows
