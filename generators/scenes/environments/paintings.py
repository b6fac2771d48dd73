"""Paintings that are kept from process to process, since a painting is dear and there are few."""

import hashlib
import importlib.metadata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import orjson

from vhbench import seeding
from vhbench.files import cache_folder, write_atomic
from vhbench.generators.scenes import paints, rasters

_MOST = 256 << 20
"""Bytes that paintings may take: all of them at 512 pixels take 170 MB."""

_PAINTERS = (Path(__file__).parent, Path(paints.__file__), Path(rasters.__file__), Path(seeding.__file__))
"""The code by which a painting comes about; besides the libraries that it draws with."""


@dataclass(frozen=True, slots=True)
class Painting:
    """Pixels (sRGB, uint8, shape (height, width, 3), read-only) and the words that are painted there."""

    pixels: npt.NDArray[np.uint8]
    areas: tuple[str, ...]


def kept(key: tuple[str, str, int, int], paint: Callable[[], Painting]) -> Painting:
    """Return a painting from the cache folder, or paint it and put it there.

    What was painted by other code, or is damaged, is painted anew; where nothing can be written, nothing is kept.

    Args:
        key: what tells the painting from the others that the same code paints.
        paint: paints it.
    """
    name = hashlib.sha256(orjson.dumps([*key, _code()])).hexdigest()[:32]
    file = cache_folder() / "paintings" / f"{name}.bin"
    found = _read(file)
    if found is None:
        found = paint()
        with suppress(OSError):
            _make_room(file.parent, found.pixels.nbytes)
            write_atomic(file, _packed(found), durable=False)
    return found


def _packed(painting: Painting) -> bytes:
    head = orjson.dumps([painting.pixels.shape, painting.areas]) + b"\n"
    body = np.ascontiguousarray(painting.pixels).data
    digest = hashlib.sha256(head)
    digest.update(body)
    return b"".join((digest.digest(), head, body))


def _read(file: Path) -> Painting | None:
    """Return a kept painting, or None where there is none or it is not what was written."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        return None
    end = content.index(b"\n", 32)
    shape, areas = orjson.loads(content[32:end])
    return Painting(np.frombuffer(content, np.uint8, offset=end + 1).reshape(shape), tuple(areas))


def _make_room(folder: Path, size: int) -> None:
    """Delete what was painted first, until another painting fits."""
    files = [(file.stat(), file) for file in folder.glob("*.bin")] if folder.is_dir() else []
    taken = sum(stat.st_size for stat, _ in files)
    for stat, file in sorted(files, key=lambda item: (item[0].st_mtime_ns, item[1].name)):
        if taken + size <= _MOST:
            break
        file.unlink(missing_ok=True)
        taken -= stat.st_size


@cache
def _code() -> str:
    """Return a digest of what decides over a painting's pixels."""
    digest = hashlib.sha256(f"{importlib.metadata.version('resvg')} {cv2.__version__} {np.__version__}".encode())
    for place in _PAINTERS:
        for file in sorted(place.iterdir()) if place.is_dir() else [place]:
            if file.suffix in (".py", ".tsv"):
                digest.update(file.read_bytes())
    return digest.hexdigest()
