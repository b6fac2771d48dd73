"""Parquet files of one config."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from vhbench.files import file_sha256, sync_folder
from vhbench.splits import manifests, parquet

GROUP_ROWS = 200
FILE_BYTES = 512 << 20  # the Hub recommends Parquet files of about 500 MB

# sort key of a row, its id, its images' SHA-256, its hash, and its other columns
SortedRow = tuple[tuple[bytes, ...], str, tuple[bytes, ...], bytes, tuple[Any, ...]]


class ShardFiles:
    """Writer of row groups to numbered files, named at the end when their total is known."""

    def __init__(self, folder: Path, version: str) -> None:
        self._folder, self._version = folder, version
        self._writer: pq.ParquetWriter | None = None
        self._paths: list[Path] = []
        self._written, self._shared = 0, False
        self.rows = 0
        folder.mkdir()

    def write(self, rows: Sequence[SortedRow], images: Mapping[bytes, bytes]) -> None:
        """Write sorted rows as row groups of about equal size."""
        shared = sum(len(row[2]) for row in rows) > len(images)  # an image repeats
        if self._writer is None or self._written >= FILE_BYTES or (shared and not self._shared):
            self.close()
            path = self._folder / f"part-{len(self._paths):05d}.parquet"
            self._writer, self._shared, self._written = parquet.open_writer(path, shared=shared), shared, 0
            self._paths.append(path)
        self.rows += len(rows)
        count = -(-len(rows) // GROUP_ROWS)  # as few groups as possible
        for i in range(count):
            group = rows[i * len(rows) // count : (i + 1) * len(rows) // count]
            digests, values = [row[2] for row in group], [row[-1] for row in group]
            table = parquet.table(values, digests, images, self._version, shared=self._shared)
            self._writer.write_table(table, row_group_size=parquet.MAX_GROUP_ROWS)
        self._written += sum(map(len, images.values()))

    def finish(self, directory: Path, config: str) -> dict[str, str]:
        """Close and name the files; return path relative to ``directory`` → SHA-256."""
        self.close()
        result = {}
        for i, path in enumerate(self._paths):
            with path.open("rb") as file:
                os.fsync(file.fileno())
            name = manifests.shard_name(config, i, len(self._paths))
            result[name] = file_sha256(path)
            path.rename(directory / name)
        sync_folder(self._folder)
        return result

    def close(self) -> None:
        """Close the current file, if any."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()
