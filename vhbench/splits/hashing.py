"""The identity of a split: a hash over its rows that no order, file layout or Parquet writer can change."""

import hashlib
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import orjson

from vhbench.schema import Question, VhbenchError

_COLUMNS = tuple(name for name in Question.__dataclass_fields__ if name not in ("images", "benchmark_version"))
"""Images enter by their digests; the version is the label of a content, not a part of it."""
_values = attrgetter(*_COLUMNS)


def row_hash(config: str, question: Question, digests: Sequence[bytes]) -> bytes:
    """Return the SHA-256 of one row: its config, its columns as canonical JSON, and its images' SHA-256.

    Args:
        config: the part of the split that the row belongs to.
        question: the row; its ``images`` are not read.
        digests: the SHA-256 of each image, in the order of ``question.images``.
    """
    return hashlib.sha256(canonical([config, columns(question), [d.hex() for d in digests]])).digest()


def content_hash(row_hashes: Iterable[bytes]) -> str:
    """Combine row hashes into the content hash of a split: the SHA-256 of the sorted hashes, in hex.

    >>> content_hash([b"b" * 32, b"a" * 32]) == content_hash([b"a" * 32, b"b" * 32])
    True
    """
    return hashlib.sha256(b"".join(sorted(row_hashes))).hexdigest()


def columns(question: Question) -> dict[str, Any]:
    """Return the columns that make up a row's content, by name."""
    return dict(zip(_COLUMNS, _values(question), strict=True))


def canonical(value: Any) -> bytes:
    """Return JSON with sorted keys and no spaces; sets become sorted lists.

    Raises:
        VhbenchError: if the value holds something that has no JSON form.
    """
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    except (TypeError, ValueError) as error:
        raise VhbenchError(f"cannot be written as JSON: {error}") from error


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")
