"""Split writer: one pass over the rows, bounded memory, atomic result."""

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from vhbench import columns
from vhbench.files import file_sha256, naming, write_atomic
from vhbench.images import to_store
from vhbench.schema import Manifest, Question, Rejection, Row, Scene, VhbenchError
from vhbench.splits import manifests, parquet
from vhbench.splits.checked_rows import RowDigests, write_digests
from vhbench.splits.hashing import Digests, content_hash, digested, row_hash
from vhbench.splits.replacing import replace
from vhbench.splits.shard_files import ShardFiles, SortedRow
from vhbench.splits.stored_scenes import StoredScene, write_rejections, write_truths

WINDOW_BYTES = 32 << 20  # total image bytes of buffered rows, after which they are sorted by image and written
WINDOW_ROWS = 50_000
MAX_ROW_BYTES = 512 << 20  # maximum encoded image bytes of a row: no reader unpacks row groups beyond 2 GB


def write_split(
    directory: Path,
    rows: Iterable[Row],
    *,
    benchmark: str,
    version: str,
    seed: int,
    config: Mapping[str, Any],
    sources: Mapping[str, str] | None = None,
    scenes: Iterable[Scene | StoredScene] = (),
    rejections: Iterable[Rejection] = (),
    extra: Mapping[str, Any] | None = None,
    may_be_empty: bool = False,
    order: bytes = b"",
) -> Manifest:
    """Write a split directory, replacing a previous one only when the new one is complete, and return its manifest.

    Only one process may write at a time; otherwise lock the directory with :func:`vhbench.splits.locked`. Scenes and
    rejections are read after the rows.

    Args:
        directory: output directory, such as ``out/ode``.
        rows: in any order; read once, with a buffer of 32 MB of images.
        benchmark: its name.
        version: MAJOR.MINOR.PATCH; stored in every row.
        seed: seed of the build.
        config: every option of the build, JSON types only.
        sources: name → SHA-256 of an input file.
        scenes: ground truth of the images. A scene may occur more than once.
        rejections: rejected samples.
        extra: further manifest entries, JSON types only.
        may_be_empty: allow a split without rows (one shard of a larger one).
        order: key of the image order; each image's rows are sorted by id.

    Raises:
        VhbenchError: if there are no rows, an id occurs twice, a row belongs to another benchmark or version, an image
            cannot be read, or the directory is not a split. A previous split, if any, is left unchanged.
    """
    directory = Path(directory)
    manifests.check_name(benchmark, "benchmark")
    manifests.parse_version(version)
    with _staging(directory) as staging:
        with _Writer(staging, benchmark, version, order) as writer:
            for row, digests, images in digested(rows, read=to_store):
                writer.add(row, digests, images)
        reasons = write_rejections(staging / manifests.REJECTIONS, rejections)
        write_digests(staging / manifests.DIGESTS, writer.digests)
        if not writer.rows and not may_be_empty:
            why = ", ".join(f"{count} × {reason}" for reason, count in reasons.items()) or "nothing was made"
            raise VhbenchError(f"the {benchmark} split would have no rows ({why})")
        facts = {**(extra or {}), **write_truths(staging / manifests.SCENES, scenes)}
        settings = {"benchmark": benchmark, "version": version, "seed": seed, "config": dict(config)}
        manifest = _manifest(staging, writer, **settings, sources=dict(sources or {}), rejections=reasons, extra=facts)
        write_atomic(staging / manifests.MANIFEST, manifests.manifest_bytes(manifest))
        replace(staging, directory)
    return manifest


def _manifest(staging: Path, writer: "_Writer", **settings: Any) -> Manifest:
    """Return the manifest of a fully written split, from metadata and its files."""
    hashes = [row for rows in writer.digests.values() for row, _ in rows]
    content = content_hash(hashes, settings["extra"].get("scenes_hash", ""), settings["config"])
    others = {name: file_sha256(staging / name) for name in manifests.PARTS if (staging / name).exists()}
    return Manifest(rows=writer.rows, files={**writer.files, **others}, content_hash=content, **settings)


@contextmanager
def _staging(directory: Path) -> Iterator[Path]:
    """Create a split's staging folder next to its destination; remove it afterwards."""
    staging = directory.with_name(f".{directory.name}.new")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        with naming(directory):
            yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@dataclass
class _Window:
    """Buffered rows of one config, with each image once."""

    order: bytes
    rows: list[SortedRow] = field(default_factory=list)
    images: dict[bytes, bytes] = field(default_factory=dict)
    size: int = 0

    def add(self, config: str, question: Question, digests: Digests, images: tuple[bytes, ...]) -> int:
        before = self.size
        for digest, image in zip(digests, images, strict=True):
            if digest not in self.images:
                self.images[digest] = image
                self.size += len(image)
        order_key = tuple(hashlib.sha256(self.order + digest).digest() for digest in digests)
        # Without its images: equal ones in other windows, or read from files, are separate objects.
        self.rows.append(
            (order_key, question.id, digests, row_hash(config, question, digests), columns.values_of(question))
        )
        return self.size - before


class _Writer:
    """Assigns rows to configs, windows and shard files, and counts them."""

    def __init__(self, directory: Path, benchmark: str, version: str, order: bytes) -> None:
        self._directory, self._benchmark, self._version, self._order = directory, benchmark, version, order
        self._windows: dict[str, _Window] = {}
        self._shards: dict[str, ShardFiles] = {}
        self._ids: set[str] = set()
        self._size = 0
        self.digests: dict[str, list[RowDigests]] = {}
        self.files: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                for config in list(self._windows):
                    self._flush(config)
                for config, shards in self._shards.items():
                    self.files |= shards.finish(self._directory, config)
        finally:
            for shards in self._shards.values():
                shards.close()

    def add(self, row: Row, digests: Digests, images: tuple[bytes, ...]) -> None:
        """Add one row; when all windows together are too large, write the fullest."""
        question, config = row.question, row.config
        self._check(row, images)
        self._ids.add(question.id)
        window = self._windows.setdefault(config, _Window(self._order))
        self._size += window.add(config, question, digests, images)
        if self._size > WINDOW_BYTES:
            self._flush(max(self._windows, key=lambda name: self._windows[name].size))
        elif len(window.rows) >= WINDOW_ROWS:
            self._flush(config)

    @property
    def rows(self) -> dict[str, int]:
        """Number of rows per config."""
        return {config: shards.rows for config, shards in self._shards.items()}

    def _check(self, row: Row, images: tuple[bytes, ...]) -> None:
        question = row.question
        if row.config not in self._windows:
            manifests.check_name(row.config, "config")
        if question.benchmark != self._benchmark:
            raise VhbenchError(f"row {question.id!r}: belongs to {question.benchmark!r}, not {self._benchmark!r}")
        if question.benchmark_version not in ("", self._version):
            raise VhbenchError(f"row {question.id!r}: has version {question.benchmark_version}, not {self._version}")
        if question.id in self._ids:
            raise VhbenchError(f"row {question.id!r}: the id occurs twice; ids are unique within a split")
        if not question.images or not question.id:
            raise VhbenchError(f"row {question.id!r}: has {len(question.images)} images; an id and an image are needed")
        if len(question.images) > parquet.MAX_IMAGES_PER_ROW or sum(map(len, images)) > MAX_ROW_BYTES:
            raise VhbenchError(
                f"row {question.id!r}: has {len(images)} images of {sum(map(len, images)) >> 20} MiB; "
                f"at most {parquet.MAX_IMAGES_PER_ROW} and {MAX_ROW_BYTES >> 20} MiB"
            )

    def _flush(self, config: str) -> None:
        """Write a config's window."""
        window = self._windows[config]
        if not window.rows:
            return
        if config not in self._shards:
            self._shards[config] = ShardFiles(self._directory / config, self._version)
        # By image, so that a row group has each image once; the order within an image leaks nothing.
        window.rows.sort()
        self.digests.setdefault(config, []).extend((row[3], b"".join(row[2])) for row in window.rows)
        self._shards[config].write(window.rows, window.images)
        self._windows[config] = _Window(self._order)
        self._size -= window.size
