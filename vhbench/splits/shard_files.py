"""Parquet files of one config, hashed while they are written."""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from vhbench.files import sync_folder
from vhbench.splits import manifests, parquet

GROUP_ROWS = 200
FILE_BYTES = 512 << 20
MAPPED_BYTES = 32 << 20
SYNCED_BYTES = 64 << 20

SortedRow = tuple[tuple[bytes, ...], str, tuple[bytes, ...], bytes, tuple[Any, ...]]
"""Sort key of a row, its id, its images' SHA-256, its hash, and its other columns."""


class ShardFiles:
    """Writer of row groups to numbered files, named at the end when their total is known.

    It is meant for a thread (pyarrow and hashlib release the interpreter lock) while others make rows; hashing runs in
    another thread of the executor.
    """

    def __init__(self, folder: Path, version: str, executor: Executor) -> None:
        self._folder, self._version, self._executor = folder, version, executor
        self._writer: pq.ParquetWriter | None = None
        self._hashes: list[_GrowingHash] = []
        self._written, self._shared = 0, False
        self.rows = 0
        folder.mkdir()

    def write(self, rows: Sequence[SortedRow], images: Mapping[bytes, bytes]) -> None:
        """Write sorted rows as row groups of about equal size."""
        writer = self._make_room(shared=sum(len(row[2]) for row in rows) > len(images))
        self.rows += len(rows)
        for group in _groups(rows):
            digests, values = [row[2] for row in group], [row[-1] for row in group]
            table = parquet.table(values, digests, images, self._version, shared=self._shared)
            writer.write_table(table, row_group_size=parquet.MAX_GROUP_ROWS)
            self._hashes[-1].grow(self._executor)
        self._written += sum(map(len, images.values()))

    def finish(self, directory: Path, config: str) -> dict[str, str]:
        """Close and name the files; return path relative to ``directory`` → SHA-256."""
        self._close_file()
        result = {}
        for i, growing in enumerate(self._hashes):
            name = manifests.shard_name(config, i, len(self._hashes))
            result[name] = growing.finish()
            growing.path.rename(directory / name)
        sync_folder(self._folder)
        return result

    def close(self) -> None:
        """Close files after a failure; a second call does nothing."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def _make_room(self, shared: bool) -> pq.ParquetWriter:
        """Begin a new file if there is none, it is full, or an image repeats for the first time."""
        if self._writer is None or self._written >= FILE_BYTES or (shared and not self._shared):
            self._close_file()
            path = self._folder / f"part-{len(self._hashes):05d}.parquet"
            self._writer, self._shared, self._written = parquet.open_writer(path, shared=shared), shared, 0
            self._hashes.append(_GrowingHash(path))
        return self._writer

    def _close_file(self) -> None:
        self.close()
        if self._hashes:
            self._hashes[-1].grow(self._executor)


def _groups(rows: Sequence[SortedRow]) -> Iterator[Sequence[SortedRow]]:
    """Split rows into as few groups of at most 200 as possible, of about the same size."""
    count = -(-len(rows) // GROUP_ROWS)
    for i in range(count):
        yield rows[i * len(rows) // count : (i + 1) * len(rows) // count]


class _GrowingHash:
    """SHA-256 of a growing file, computed concurrently with its writer.

    Written data is also flushed to disk gradually, so the final wait is short. The file is reopened each time: there
    may be as many as configs.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._done = self._durable = 0
        self._sha256 = hashlib.sha256()
        self._running: dict[Callable[[], None], Future[None]] = {}

    def grow(self, executor: Executor) -> None:
        """Hash the data written so far in the executor, unless the last call is still running."""
        for work in (self._update, self._sync):
            running = self._running.get(work)
            if running is None or running.done():
                if running is not None:
                    running.result()
                self._running[work] = executor.submit(work)

    def finish(self) -> str:
        """Hash the rest, flush the file to disk, and return the digest in hex."""
        for running in self._running.values():
            running.result()
        self._update()
        self._flush()
        return self._sha256.hexdigest()

    def _update(self) -> None:
        # Mapped, not read: the pages are still in memory, and copying them would take as long as writing. Private,
        # since some network file systems allow no shared mapping.
        while (size := self._size()) > self._done:
            start = self._done - self._done % mmap.ALLOCATIONGRANULARITY
            end = min(size, start + MAPPED_BYTES)
            with (
                self.path.open("rb") as file,
                mmap.mmap(file.fileno(), end - start, offset=start, access=mmap.ACCESS_COPY) as pages,
                memoryview(pages) as view,
                view[self._done - start :] as new,
            ):
                self._sha256.update(new)
            self._done = end

    def _sync(self) -> None:
        if self._size() - self._durable >= SYNCED_BYTES:
            self._durable = self._size()
            self._flush()

    def _flush(self) -> None:
        with self.path.open("rb") as file:
            os.fsync(file.fileno())

    def _size(self) -> int:
        return self.path.stat().st_size
