"""Hidden test sets with an unguessable seed and a verifiable commitment.

The maintainer keeps a secret file (``vhbench secret FILE``). A key derived from it by scrypt, so that a guess takes a
quarter of a second, yields by HMAC-SHA-256 the seed and the commitment in the manifest. After the
evaluation round the secret is revealed: anyone can build the same split with ``--seed-from-secret FILE``, and
``vhbench verify DIR --secret FILE`` checks the commitment.
"""

import hashlib
import hmac
import math
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from vhbench.columns import hashed
from vhbench.files import LARGEST_TEXT, canonical, path_exists, read_bytes, write_atomic
from vhbench.schema import Manifest, Rejection, Row, VhbenchError
from vhbench.seeding import label
from vhbench.splits.stored_scenes import StoredScene

_FORM = re.compile(rb"[0-9a-f]{64}")
# of 64 digits by their frequencies: random ones have 240; decimal ones, such as those of π, at most 212
_LEAST_BITS = 208
_SALT, _COST = b"vhbench hidden test set", 1 << 16


def write_secret(path: Path) -> None:
    """Write 256 random bits into a new file that only its owner can read; raise VhbenchError if the file exists."""
    if path_exists(path):
        raise VhbenchError(f"{path}: already exists; a secret is never replaced")
    secret = b""
    while not is_random(secret):  # 1 in 200,000 has a pattern by chance
        secret = secrets.token_hex(32).encode()
    write_atomic(path, secret + b"\n", private=True)


def read_secret(path: Path) -> bytes:
    """Return the key derived from a secret's file; raise VhbenchError if that is not 256 random bits in hexadecimal."""
    secret = read_bytes(path, LARGEST_TEXT, "the secret ").strip()
    if not is_random(secret):
        form = "with a pattern" if _FORM.fullmatch(secret) else "in another format"
        raise VhbenchError(
            f"the secret {path}: expected 64 random hexadecimal digits (0-9, a-f), got {len(secret)} characters "
            f"{form}, which can be guessed; make one with `vhbench secret FILE`"
        )
    return key_of(secret)


def key_of(secret: bytes) -> bytes:
    """Return the key derived from a secret; a guess takes a quarter of a second and 64 MB."""
    return hashlib.scrypt(secret, salt=_SALT, n=_COST, r=8, p=1, maxmem=2 * 128 * 8 * _COST, dklen=32)


def is_random(secret: bytes) -> bool:
    """Return whether a secret can be 256 random bits in hexadecimal: words, repetitions and patterns cannot.

    Digits, and steps from one to the next, are about as diverse as random ones, and no 8 digits occur twice. Of
    random secrets, 1 in 200,000 is refused.

    >>> [is_random(text) for text in (b"deadbeef" * 8, b"0123456789abcdef" * 4, b"correct horse battery staple")]
    [False, False, False]
    """
    if not _FORM.fullmatch(secret):
        return False
    digits = [int(digit, 16) for digit in secret.decode()]
    steps = [(after - before) % 16 for before, after in pairwise(digits)]
    repeats = len({secret[i : i + 8] for i in range(57)}) < 57
    return not repeats and min(_bits(digits), _bits(steps)) >= _LEAST_BITS


def _bits(values: Sequence[int]) -> float:
    """Return the bits of values by their frequencies."""
    return sum(n * math.log2(len(values) / n) for n in Counter(values).values())


def seed_of(secret: bytes, benchmark: str, version: str) -> int:
    """Return the seed of a dataset version, in [0, 2**63)."""
    return int.from_bytes(_hmac(secret, "seed", benchmark, version)[:8], "big") >> 1


def commitment_of(secret: bytes, benchmark: str, version: str) -> str:
    """Return the hex commitment that a version's manifest shows instead of its seed."""
    return _hmac(secret, "commitment", benchmark, version).hex()


def derived(file: Path, benchmark: str, version: str) -> tuple[int, str]:
    """Return a dataset version's seed and the commitment to it, from a secret's file. Raises as :func:`read_secret`."""
    secret = read_secret(file)
    return seed_of(secret, benchmark, version), commitment_of(secret, benchmark, version)


def check(manifest: Manifest, secret: bytes) -> str:
    """Return the error of a revealed secret, or "" if the manifest was made with it."""
    committed = manifest.extra.get("commitment")
    if not isinstance(committed, str) or not committed:
        return f"the manifest commits to no secret; its seed is {manifest.seed}"
    expected = commitment_of(secret, manifest.benchmark, manifest.version)
    return "" if hmac.compare_digest(committed, expected) else "the manifest commits to another secret"


def scene_name(name: str, seed: int) -> str:
    """Return a scene id with a keyed hash instead of the seed, which image sources append.

    >>> scene_name("mioh-000001-4242", 4242) == scene_name("mioh-000001-4242", 4242) != "mioh-000001-4242"
    True
    >>> scene_name("coco-4242", 7)
    'coco-4242'
    """
    end = f"-{seed}"
    return name.removesuffix(end) + "-" + label(seed, "scene", name) if name.endswith(end) else name


def redacted(truth: StoredScene, seed: int) -> StoredScene:
    """Return a stored scene without the seeds in its provenance; raise VhbenchError if the seed occurs elsewhere."""
    data = orjson.loads(truth.json)
    data["provenance"] = without_seeds(data["provenance"])
    _check(f"scene {truth.id!r}", [truth.id, data], seed)
    return replace(truth, json=canonical(data).decode())


def redacted_rejection(rejection: Rejection, seed: int) -> Rejection:
    """Return a rejection without the seeds in its details; raise VhbenchError if the seed occurs elsewhere in it."""
    public = replace(rejection, detail=without_seeds(dict(rejection.detail)))
    _check(f"rejection of {rejection.item!r}", [public.item, public.reason, public.detail], seed)
    return public


def guarded(rows: Iterable[Row], seed: int) -> Iterator[Row]:
    """Yield rows with hashed scene ids; raise VhbenchError at a row whose columns would leak the seed."""
    for row in rows:
        names = tuple(scene_name(name, seed) for name in row.question.scene_ids)
        question = replace(row.question, scene_ids=names)
        _check(f"row {question.id!r}", [row.config, hashed(question)], seed)
        yield replace(row, question=question)


def _check(what: str, content: Any, seed: int) -> None:
    if str(seed).encode() in canonical(content):
        raise VhbenchError(f"{what}: reveals the seed of a hidden test set")


def without_seeds(value: Any) -> Any:
    """Return JSON data without the entries whose key mentions a seed."""
    if isinstance(value, dict):
        return {key: without_seeds(inner) for key, inner in value.items() if "seed" not in key.lower()}
    return [without_seeds(inner) for inner in value] if isinstance(value, list) else value


def _hmac(secret: bytes, *what: str) -> bytes:
    return hmac.digest(secret, " ".join(("vhbench", *what)).encode(), "sha256")
