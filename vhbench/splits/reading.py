"""Split readers, restricted to files that the manifest lists and rows of its version.

All of them raise VhbenchError if a file is missing or damaged, or a row has another version.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from vhbench.schema import Question, Rejection, Row, Scene, VhbenchError
from vhbench.seeding import rng
from vhbench.splits import manifests, parquet
from vhbench.splits.hashing import Digests, combined, content_hash, digested, row_hash, truth_hash
from vhbench.splits.manifests import read_manifest
from vhbench.splits.stored_scenes import StoredScene, read_rejection_file, read_truth_file, scene_of
from vhbench.store import Store


def read_questions(directory: Path, config: str | None = None) -> Iterator[Question]:
    """Yield the questions of a split, or of one config, with their images' bytes; raise if there is no such config."""
    for row in read_rows(directory, config):
        yield row.question


def read_rows(directory: Path, config: str | None = None) -> Iterator[Row]:
    """Yield the rows of a split, questions with their config. See :func:`read_questions`."""
    manifest = read_manifest(directory)
    files = manifests.config_files(manifest)
    if config is not None and config not in files:
        raise VhbenchError(f"{directory}: no config {config!r}; there are {', '.join(files)}")
    for name in files if config is None else [config]:
        count = 0
        for file in files[name]:
            for question in parquet.read_shard(manifests.inside(Path(directory), file)):
                if question.benchmark_version != manifest.version:
                    raise VhbenchError(
                        f"{directory}: row {question.id!r} has version {question.benchmark_version!r}, the manifest "
                        f"says {manifest.version!r}: two versions are mixed"
                    )
                count += 1
                yield Row(name, question)
        if count != manifest.rows[name]:
            raise VhbenchError(
                f"{directory}: config {name!r} has {count} rows, its manifest says {manifest.rows[name]}"
            )


def choose(directory: Path, config: str | None, count: int, seed: int) -> Iterator[Row]:
    """Yield evenly spaced rows of a split, or of one config, in order; raise if it does not exist or has no rows."""
    rows = read_manifest(directory).rows
    total = sum(rows.values()) if config is None else rows.get(config, 0)
    if not rows:
        raise VhbenchError(f"{directory}: has no questions")
    count = min(count, total)
    random = rng(seed, "preview")
    edges = [total * i // count for i in range(count + 1)] if count else []
    numbers = {int(random.integers(low, high)) for low, high in pairwise(edges)}
    yield from (row for number, row in enumerate(read_rows(directory, config)) if number in numbers)


def read_ids(directory: Path) -> dict[str, str]:
    """Return row id → config."""
    return {row["id"]: config for config, row in read_columns(directory, ["id"])}


def read_columns(directory: Path, names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the config of each row with its values in some columns; no image is read."""
    files = manifests.config_files(read_manifest(directory))
    paths = [(config, manifests.inside(Path(directory), name)) for config, names in files.items() for name in names]
    for config, path in paths:
        for group in parquet.read_columns(path, names):
            yield from ((config, dict(zip(group, values, strict=True))) for values in zip(*group.values(), strict=True))


def read_scenes(directory: Path) -> dict[str, Scene]:
    """Return scene id → ground truth, without images; empty where none is stored."""
    return {truth.id: scene_of(truth) for truth in read_truths(directory)}


def packed_scenes(directory: Path) -> Mapping[str, Scene]:
    """Return scenes by id, without images and masks: a hundred thousand take 0.2 GB."""
    truths = ((truth.id, truth.json) for truth in read_truths(directory))
    return Store(truths, pack=lambda text: zlib.compress(text.encode(), 1), unpack=_without_masks, held=2000)


def _without_masks(name: str, packed: bytes) -> Scene:
    scene = scene_of(StoredScene(name, "", zlib.decompress(packed).decode()))
    return replace(scene, objects=tuple(replace(thing, mask=None) for thing in scene.objects))


def read_truths(directory: Path) -> Iterator[StoredScene]:
    """Yield the scenes of a split in stored form."""
    if manifests.SCENES in read_manifest(directory).files:
        yield from read_truth_file(manifests.inside(Path(directory), manifests.SCENES))


def read_rejections(directory: Path) -> Iterator[Rejection]:
    """Yield the rejections of a split."""
    if manifests.REJECTIONS in read_manifest(directory).files:
        yield from read_rejection_file(manifests.inside(Path(directory), manifests.REJECTIONS))


def recompute_content_hash(directory: Path, each: Callable[[Row, Digests], None] = lambda row, digests: None) -> str:
    """Read every row and scene, and return their actual content hash; ``each`` gets the rows with image digests."""
    hashes = []
    for row, digests, _ in digested(read_rows(directory)):
        each(row, digests)
        hashes.append(row_hash(row.config, row.question, digests))
    return content_hash(hashes, recompute_scenes_hash(directory), read_manifest(directory).config)


def recompute_scenes_hash(directory: Path) -> str:
    """Read every scene and return their hash, "" where none are stored."""
    hashes = [truth_hash(truth.id, truth.image_sha256, truth.json) for truth in read_truths(directory)]
    return combined(hashes) if hashes else ""
