"""Rows that are checked against the content hash of their split whenever they are used.

``digests.parquet`` has the hash of each row and the SHA-256 of its images, in the order of the shards. The row hashes,
the scenes' hash and the vocabulary give the content hash, so the file proves itself without reading any row. Whatever
is read later, from a shard or from the cache of ``datasets``, is compared with it at that moment.
"""

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.columns import HASHED
from vhbench.files import cached, read_bytes
from vhbench.schema import Manifest, VhbenchError
from vhbench.splits import manifests, parquet
from vhbench.splits.hashing import content_hash, hash_of_columns
from vhbench.splits.unpacking import readable

_SCHEMA = pa.schema([("config", pa.dictionary(pa.int32(), pa.string())), ("row", pa.binary()), ("images", pa.binary())])
_LENGTH = 32
_GROUPS = 4  # row groups whose images stay in memory, at most 32 MB each unless single rows are larger

RowDigests = tuple[bytes, bytes]  # A row's hash, and its images' SHA-256 one after the other


def write_digests(path: Path, rows: Mapping[str, Sequence[RowDigests]]) -> None:
    """Write the digests of all rows, by config in the order of the shards."""
    with pq.ParquetWriter(path, _SCHEMA, compression="zstd", store_schema=False) as writer:
        for config in sorted(rows):
            columns = [pa.array(column, pa.binary()) for column in zip(*rows[config], strict=True)]
            configs = pa.array([config] * len(rows[config])).dictionary_encode()
            writer.write_table(pa.Table.from_arrays([configs.cast(_SCHEMA.field(0).type), *columns], schema=_SCHEMA))


class CheckedRows:
    """Rows of a split, compared with its content hash; VhbenchError is raised for missing or damaged digests."""

    def __init__(self, directory: Path, manifest: Manifest) -> None:
        self.directory, self.manifest = directory, manifest
        self._groups_by_config: dict[str, list[tuple[Path, int, int]]] = {}
        if manifests.DIGESTS not in manifest.files:
            raise VhbenchError(f"{directory}: expected {manifests.DIGESTS} in its manifest; build the split again")
        path = manifests.inside(directory, manifests.DIGESTS)
        data = read_bytes(path)
        if hashlib.sha256(data).hexdigest() != manifest.files[manifests.DIGESTS]:
            raise VhbenchError(
                f"{path}: expected SHA-256 {manifest.files[manifests.DIGESTS][:12]}… of the manifest with content hash "
                f"{manifest.content_hash[:12]}…; the data was changed"
            )
        with readable(path):
            table = pq.read_table(io.BytesIO(data), use_threads=False)
            self._rows, self._images = (table.column(name).combine_chunks() for name in ("row", "images"))
            counts = {e["values"]: e["counts"] for e in table.column("config").value_counts().to_pylist()}
        configs = sorted(counts)
        starts = accumulate((counts[config] for config in configs), initial=0)
        self._starts: dict[str, int] = dict(zip(configs, starts, strict=False))
        scenes = manifest.extra.get("scenes_hash", "")
        key = [manifest.files[manifests.DIGESTS], scenes, manifest.config.get("vocabulary")]
        [actual] = cached("content", [key], lambda _: [content_hash(self._rows.to_pylist(), scenes, manifest.config)])
        if actual != manifest.content_hash:
            raise VhbenchError(
                f"{directory}: expected content hash {manifest.content_hash} of its manifest; its rows have {actual}"
            )
        if counts != manifest.rows:
            raise VhbenchError(f"{directory}: expected {dict(manifest.rows)} rows of its manifest; it has {counts}")

    def pairs(self) -> list[RowDigests]:
        """Return the digests of all rows, in the order of the shards."""
        return list(zip(self._rows.to_pylist(), self._images.to_pylist(), strict=True))

    def shards(self, configs: Iterable[str]) -> list[Path]:
        """Return the shards of configs, in order; raise VhbenchError if one is missing or its footer is damaged."""
        return list(dict.fromkeys(path for config in configs for path, _, _ in self._groups(config)))

    def digests(self, index: int) -> list[bytes]:
        """Return the SHA-256 of the images of the row at an index of the split."""
        data: bytes = self._images[index].as_py()
        return [data[i : i + _LENGTH] for i in range(0, len(data), _LENGTH)]

    def begin(self, row: Mapping[str, Any], count: int) -> int:
        """Return the index of the first of a number of loaded rows: of one config, or of the whole split.

        Raises VhbenchError if it is the first row of no config, or there are more or fewer rows.
        """
        config = next((c for c, start in self._starts.items() if self._equals(c, row, start)), None)
        if config is None:
            raise self._differs(row)
        if count not in (expected := self.manifest.rows[config], sum(self.manifest.rows.values())):
            raise VhbenchError(
                f"{self.directory}: expected {expected} rows of config {config!r} in its manifest; {count} were loaded"
            )
        return self._starts[config]

    def check(self, rows: Iterable[Mapping[str, Any]], indices: Iterable[int]) -> None:
        """Compare loaded rows with those at indices in the split; raise VhbenchError, naming a row that differs."""
        for row, index in zip(rows, indices, strict=False):
            if not self._equals(self._config(index), row, index):
                raise self._differs(row)

    def images(self, index: int) -> tuple[bytes, ...]:
        """Return the images of a row; raise VhbenchError if its shard is missing or damaged, or has other images."""
        path, group, first = next(entry for entry in reversed(self._groups(self._config(index))) if entry[2] <= index)
        rows = _read_images(path, group)
        images = rows[index - first] if index - first < len(rows) else ()
        if [hashlib.sha256(image).digest() for image in images] != self.digests(index):
            raise VhbenchError(
                f"{path}: row {index - first} of row group {group} has other images than when it was built; the split "
                "was changed during the run: evaluate it again"
            )
        return images

    def _groups(self, config: str) -> list[tuple[Path, int, int]]:
        """Return file, row group and first index of each row group of a config."""
        if config not in self._groups_by_config:
            index, groups = self._starts[config], []
            for name in manifests.config_files(self.manifest)[config]:
                path = manifests.inside(self.directory, name)
                metadata = parquet.open_shard(path).metadata
                for group in range(metadata.num_row_groups):
                    groups.append((path, group, index))
                    index += metadata.row_group(group).num_rows
            self._groups_by_config[config] = groups
        return self._groups_by_config[config]

    def _config(self, index: int) -> str:
        return next(config for config in reversed(self._starts) if self._starts[config] <= index)

    def _equals(self, config: str, row: Mapping[str, Any], index: int) -> bool:
        row_hash = hash_of_columns(config, {name: row[name] for name in HASHED}, self.digests(index))
        return bool(row_hash == self._rows[index].as_py())

    def _differs(self, row: Mapping[str, Any]) -> VhbenchError:
        return VhbenchError(
            f"row {row['id']!r} was loaded with other values than in {self.directory}; two builds are mixed. The cache "
            "of `datasets` may be of an older build: remove it (HF_DATASETS_CACHE)"
        )


@lru_cache(_GROUPS)
def _read_images(path: Path, group: int) -> list[tuple[bytes, ...]]:
    return parquet.read_images(path, group)
