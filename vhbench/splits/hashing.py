"""The identity of a split: a hash over its rows that no order, file layout or Parquet writer can change."""

import hashlib
from collections.abc import Iterable, Sequence

from vhbench.columns import hashed
from vhbench.files import canonical
from vhbench.schema import Question


def row_hash(config: str, question: Question, digests: Sequence[bytes]) -> bytes:
    """Return the SHA-256 of one row: its config, its columns as canonical JSON, and its images' SHA-256.

    Args:
        config: the part of the split that the row belongs to.
        question: the row; its ``images`` are not read.
        digests: the SHA-256 of each image, in the order of ``question.images``.
    """
    return hashlib.sha256(canonical([config, hashed(question), [d.hex() for d in digests]])).digest()


def content_hash(row_hashes: Iterable[bytes]) -> str:
    """Combine row hashes into the content hash of a split: the SHA-256 of the sorted hashes, in hex.

    >>> content_hash([b"b" * 32, b"a" * 32]) == content_hash([b"a" * 32, b"b" * 32])
    True
    """
    return hashlib.sha256(b"".join(sorted(row_hashes))).hexdigest()
