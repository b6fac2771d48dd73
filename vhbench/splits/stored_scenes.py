"""Stored scenes of a split, without images, and the rejection log."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import defstruct, structs

from vhbench.files import canonical, convert, open_file, write_atomic
from vhbench.images import to_store
from vhbench.schema import Rejection, Scene, VhbenchError
from vhbench.splits.hashing import combined, truth_hash
from vhbench.splits.unpacking import Text, open_parquet, read_group

_SCHEMA = pa.schema([("id", pa.string()), ("image_sha256", pa.string()), ("truth", pa.string())])
_REST: list[tuple[str, Any]] = [(f.name, f.type) for f in fields(Scene) if f.name not in ("id", "image")]
_Rest = defstruct("_Rest", _REST, forbid_unknown_fields=True)  # columns stored as JSON
_BATCH = 500

_FREE_TEXT, _DENSEST = 64 << 20, 100  # text of a scene file: a base, and per stored byte; real ones have a tenth
_MAX_TEXT, _MAX_LINE = 16 << 20, 1 << 20  # maximum length of a scene, and of a rejection line


@dataclass(frozen=True, slots=True)
class StoredScene:
    """Stored form of a scene: its id, its image's SHA-256 in hex, the rest as canonical JSON."""

    id: str
    image_sha256: str
    json: str


def truth_of(scene: Scene) -> StoredScene:
    """Return the stored form of a scene; its image is read and hashed, but not kept."""
    values = {name: getattr(scene, name) for name, _ in _REST}
    digest = hashlib.sha256(to_store(scene.image)).hexdigest() if scene.image else ""
    return StoredScene(scene.id, digest, canonical(values).decode())


def scene_of(truth: StoredScene) -> Scene:
    """Return a scene, with an empty ``image``, from its stored form; raise VhbenchError if this is not a scene."""
    location = f"scene {truth.id!r}"
    try:
        data = orjson.loads(truth.json)
    except orjson.JSONDecodeError as error:
        raise VhbenchError(f"{location}: not JSON ({error})") from error
    return Scene(id=truth.id, image=b"", **structs.asdict(convert(data, _Rest, location)))


def write_truths(path: Path, scenes: Iterable[Scene | StoredScene]) -> dict[str, Any]:
    """Write scenes, each once; without scenes no file is written.

    The manifest entry is returned: their number, and an order-independent hash. Raises VhbenchError if two different
    scenes share an id.
    """
    hashes: dict[str, bytes] = {}
    unique = _unique(scenes, hashes)
    if not (batch := list(islice(unique, _BATCH))):
        return {}
    with pq.ParquetWriter(path, _SCHEMA, compression="zstd") as writer:
        while batch:
            columns = [[t.id for t in batch], [t.image_sha256 for t in batch], [t.json for t in batch]]
            arrays = [pa.array(column, pa.string()) for column in columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=_SCHEMA))
            batch = list(islice(unique, _BATCH))
    return {"scenes": len(hashes), "scenes_hash": combined(hashes.values())}


def _unique(scenes: Iterable[Scene | StoredScene], hashes: dict[str, bytes]) -> Iterator[StoredScene]:
    for scene in scenes:
        truth = scene if isinstance(scene, StoredScene) else truth_of(scene)
        digest = truth_hash(truth.id, truth.image_sha256, truth.json)
        if truth.id not in hashes:
            hashes[truth.id] = digest
            yield truth
        elif hashes[truth.id] != digest:
            raise VhbenchError(f"scene {truth.id!r}: two different scenes have this id")


def read_truth_file(path: Path) -> Iterator[StoredScene]:
    """Yield the stored scenes of a file; raise VhbenchError if it is damaged, or unpacks to more than scenes do."""
    file, columns = open_parquet(path)
    if columns.names != _SCHEMA.names or columns.types != _SCHEMA.types:
        raise VhbenchError(f"{path}: has the columns {', '.join(columns.names)}, not text id, image_sha256, truth")
    allowance = _FREE_TEXT + _DENSEST * path.stat().st_size
    groups = range(file.metadata.num_row_groups)
    if (size := sum(file.metadata.row_group(i).total_byte_size for i in groups)) > allowance:
        raise VhbenchError(f"{path}: unpacks to {size >> 20} MiB; at most {allowance >> 20}")
    text = Text(path, allowance, _MAX_TEXT)
    for i in groups:
        group = read_group(file, path, i, _SCHEMA.names)
        yield from map(StoredScene, *(text.column(group.column(name), name) for name in _SCHEMA.names))


def write_rejections(path: Path, rejections: Iterable[Rejection]) -> dict[str, int]:
    """Write one JSON object per line, sorted; return the number per reason."""
    reasons: Counter[str] = Counter()
    lines = []
    for rejection in rejections:
        reasons[rejection.reason] += 1
        lines.append(canonical(rejection))
    write_atomic(path, b"".join(line + b"\n" for line in sorted(lines)))
    return dict(sorted(reasons.items()))


def read_rejection_file(path: Path) -> Iterator[Rejection]:
    """Yield the rejections of a file; raise VhbenchError if a line is not a rejection."""
    with open_file(path, None) as file:
        for number, line in enumerate(iter(lambda: file.readline(_MAX_LINE), b""), 1):
            location = f"{path}, line {number}"
            try:
                yield convert(orjson.loads(line), Rejection, location)
            except orjson.JSONDecodeError as error:  # also of a line that is longer
                raise VhbenchError(f"{location}: not a rejection ({error})") from error
