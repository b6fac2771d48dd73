"""Content hash of a split, independent of order, file layout and writer.

It covers everything that scores depend on: rows with their images, scenes, and the caption vocabulary.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from vhbench.columns import hashed
from vhbench.files import canonical, read_image
from vhbench.schema import ImageData, Question, Row, VhbenchError

Digests = tuple[bytes, ...]  # SHA-256 of a row's images


def row_hash(config: str, question: Question, digests: Sequence[bytes]) -> bytes:
    """Return the SHA-256 of a row: config, columns as canonical JSON, images' SHA-256."""
    return hash_of_columns(config, hashed(question), digests)


def hash_of_columns(config: str, values: Mapping[str, Any], digests: Sequence[bytes]) -> bytes:
    """Return the SHA-256 of a row, given its columns ``HASHED`` by name."""
    return hashlib.sha256(canonical([config, values, [d.hex() for d in digests]])).digest()


def combined(hashes: Iterable[bytes]) -> str:
    """Return the SHA-256 of hashes in sorted order, in hex.

    >>> combined([b"b" * 32, b"a" * 32]) == combined([b"a" * 32, b"b" * 32])
    True
    """
    return hashlib.sha256(b"".join(sorted(hashes))).hexdigest()


def content_hash(row_hashes: Iterable[bytes], scenes_hash: str, config: Mapping[str, Any]) -> str:
    """Return the content hash of a split, by the hashes of its rows and scenes and the config's vocabulary, if any."""
    facts = {"scenes": scenes_hash, "vocabulary": config.get("vocabulary")}
    present = (canonical([name, value]) for name, value in facts.items() if value)
    return combined([*row_hashes, *(hashlib.sha256(fact).digest() for fact in present)])


def truth_hash(name: str, image_sha256: str, truth: str) -> bytes:
    """Return the SHA-256 of a stored scene: id, image's SHA-256 in hex, canonical JSON."""
    return hashlib.sha256(canonical([name, image_sha256, truth])).digest()


def digested(
    rows: Iterable[Row], *, read: Callable[[ImageData], bytes] = read_image
) -> Iterator[tuple[Row, Digests, tuple[bytes, ...]]]:
    """Yield rows with their images' SHA-256 and bytes, reading consecutive images once.

    Hashing has no threads of its own: they would contend for the interpreter, and the previous window is already being
    written and hashed in the background. Raises VhbenchError if an image cannot be read, or is empty.
    """
    cache: dict[int, tuple[ImageData, bytes, bytes]] = {}  # by identity, valid while the image is referenced here
    for row in rows:
        cache = {id(image): cache.get(id(image)) or _read(image, read) for image in row.question.images}
        images = [cache[id(image)] for image in row.question.images]
        yield row, tuple(digest for _, digest, _ in images), tuple(data for _, _, data in images)


def _read(image: ImageData, read: Callable[[ImageData], bytes]) -> tuple[ImageData, bytes, bytes]:
    data = read(image)
    if not data:
        raise VhbenchError(f"image {image!r}: is empty")
    return image, hashlib.sha256(data).digest(), data
