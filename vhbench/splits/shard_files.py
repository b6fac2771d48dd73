"""The Parquet files of one config while they are being written, hashed as they grow."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path

import pyarrow.parquet as pq

from vhbench.schema import Question
from vhbench.splits import layout, parquet

GROUP_ROWS = 200
GROUP_IMAGE_BYTES = 64 << 20
FILE_BYTES = 512 << 20

SortedRow = tuple[tuple[bytes, ...], Question]


class ShardFiles:
    """Writes row groups to numbered files; the total number, and so their names, is known at the end.

    Encoding and hashing run in the executor's threads (pyarrow and hashlib let go of the interpreter), while the
    caller goes on making rows. At most one row group is under way.
    """

    def __init__(self, folder: Path, version: str, executor: Executor) -> None:
        self._folder, self._version, self._executor = folder, version, executor
        self._writer: pq.ParquetWriter | None = None
        self._hashes: list[_GrowingHash] = []
        self._written = 0
        self._pending: Future[None] | None = None
        self.rows = 0
        folder.mkdir()

    def write(self, rows: Sequence[SortedRow], images: Mapping[bytes, bytes]) -> None:
        """Write sorted rows as row groups."""
        for group, size in _groups(rows, images):
            self._wait()
            if self._writer is None or self._written >= FILE_BYTES:
                self._open_next()
            self._written += size
            self.rows += len(group)
            digests, questions = [d for d, _ in group], [q for _, q in group]
            table = parquet.table(questions, digests, images, self._version)
            self._pending = self._executor.submit(self._write_table, table)

    def finish(self, directory: Path, config: str) -> dict[str, str]:
        """Close the files, give them their names, and return path below ``directory`` → SHA-256."""
        self._wait()
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

    def _write_table(self, table: object) -> None:
        assert self._writer is not None
        self._writer.write_table(table, row_group_size=parquet.MAX_GROUP_ROWS)
        self._hashes[-1].grow(self._executor)

    def _wait(self) -> None:
        if self._pending is not None:
            pending, self._pending = self._pending, None
            pending.result()

    def _open_next(self) -> None:
        self._close_file()
        path = self._folder / f"part-{len(self._hashes):05d}.parquet"
        self._writer, self._written = parquet.open_writer(path), 0
        self._hashes.append(_GrowingHash(path))

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
    """The SHA-256 of a file that only grows, computed while it does: a step behind the writer, in another thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("rb")
        self._sha256 = hashlib.sha256()
        self._pending: Future[None] | None = None

    def grow(self, executor: Executor) -> None:
        """Take in what has been written so far, once what was there before has been taken in."""
        if self._pending is None or self._pending.done():
            if self._pending is not None:
                self._pending.result()
            self._pending = executor.submit(self._update)

    def finish(self) -> str:
        """Take in the rest, make the file durable, and return the digest in hex."""
        if self._pending is not None:
            self._pending.result()
        self._update()
        self._file.close()
        return self._sha256.hexdigest()

    def _update(self) -> None:
        while block := self._file.read(1 << 20):
            self._sha256.update(block)
        os.fsync(self._file.fileno())  # bit by bit, so that little is left to wait for at the end
