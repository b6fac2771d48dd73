"""The Parquet files of one config while they are being written, hashed as they grow."""

import hashlib
import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path

import pyarrow.parquet as pq

from vhbench.schema import Question
from vhbench.splits import layout, parquet

GROUP_ROWS = 200
GROUP_IMAGE_BYTES = 64 << 20
FILE_BYTES = 512 << 20
MAPPED_BYTES = 32 << 20
SYNCED_BYTES = 64 << 20

SortedRow = tuple[tuple[bytes, ...], Question]


class ShardFiles:
    """Writes row groups to numbered files; the total number, and so their names, is known at the end.

    Meant to be called in a thread (pyarrow and hashlib let go of the interpreter) while others make rows; the hash of
    what is written grows in another of the executor's threads.
    """

    def __init__(self, folder: Path, version: str, executor: Executor) -> None:
        self._folder, self._version, self._executor = folder, version, executor
        self._writer: pq.ParquetWriter | None = None
        self._hashes: list[_GrowingHash] = []
        self._written = 0
        self.rows = 0
        folder.mkdir()

    def write(self, rows: Sequence[SortedRow], images: Mapping[bytes, bytes]) -> None:
        """Write sorted rows as row groups."""
        for group, size in _groups(rows, images):
            if self._writer is None or self._written >= FILE_BYTES:
                self._writer = self._open_next()
            self._written += size
            self.rows += len(group)
            digests, questions = [d for d, _ in group], [q for _, q in group]
            table = parquet.table(questions, digests, images, self._version)
            self._writer.write_table(table, row_group_size=parquet.MAX_GROUP_ROWS)
            self._hashes[-1].grow(self._executor)

    def finish(self, directory: Path, config: str) -> dict[str, str]:
        """Close the files, give them their names, and return path below ``directory`` → SHA-256."""
        self._close_file()
        result = {}
        for i, growing in enumerate(self._hashes):
            name = layout.shard_name(config, i, len(self._hashes))
            result[name] = growing.finish()
            growing.path.rename(directory / name)
        layout.sync_folder(self._folder)
        return result

    def close(self) -> None:
        """Let go of open files after a failure; a second call does nothing."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def _open_next(self) -> pq.ParquetWriter:
        self._close_file()
        path = self._folder / f"part-{len(self._hashes):05d}.parquet"
        writer, self._written = parquet.open_writer(path), 0
        self._hashes.append(_GrowingHash(path))
        return writer

    def _close_file(self) -> None:
        self.close()
        if self._hashes:
            self._hashes[-1].grow(self._executor)


def _groups(rows: Sequence[SortedRow], images: Mapping[bytes, bytes]) -> list[tuple[list[SortedRow], int]]:
    """Cut rows into groups of at most 200 rows and about 64 MB of images."""
    groups: list[tuple[list[SortedRow], int]] = []
    group: list[SortedRow] = []
    seen: set[bytes] = set()
    size = 0
    for row in rows:
        if len(group) == GROUP_ROWS or size > GROUP_IMAGE_BYTES:
            groups.append((group, size))
            group, seen, size = [], set(), 0
        group.append(row)
        size += sum(len(images[digest]) for digest in set(row[0]) - seen)
        seen.update(row[0])
    return [*groups, (group, size)]


class _GrowingHash:
    """The SHA-256 of a file that only grows, computed while it does, a step behind the writer.

    What has been written is also made durable bit by bit, so that little is left to wait for at the end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("rb")
        self._done = self._durable = 0
        self._sha256 = hashlib.sha256()
        self._running: dict[Callable[[], None], Future[None]] = {}

    def grow(self, executor: Executor) -> None:
        """Take in what has been written so far, unless the last time is still under way."""
        for work in (self._update, self._sync):
            running = self._running.get(work)
            if running is None or running.done():
                if running is not None:
                    running.result()
                self._running[work] = executor.submit(work)

    def finish(self) -> str:
        """Take in the rest, make the file durable, and return the digest in hex."""
        for running in self._running.values():
            running.result()
        self._update()
        os.fsync(self._file.fileno())
        self._file.close()
        return self._sha256.hexdigest()

    def _update(self) -> None:
        # Mapped, not read: the pages are still in memory, and copying them once more would cost as much as writing.
        while (size := self._size()) > self._done:
            start = self._done - self._done % mmap.ALLOCATIONGRANULARITY
            end = min(size, start + MAPPED_BYTES)
            with (
                mmap.mmap(self._file.fileno(), end - start, offset=start, access=mmap.ACCESS_READ) as pages,
                memoryview(pages) as view,
                view[self._done - start :] as new,
            ):
                self._sha256.update(new)
            self._done = end

    def _sync(self) -> None:
        if self._size() - self._durable >= SYNCED_BYTES:
            self._durable = self._size()
            os.fsync(self._file.fileno())

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size
