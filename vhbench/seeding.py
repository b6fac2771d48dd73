"""Named random generators, the only source of randomness."""

import hashlib

import numpy as np
import orjson

Key = str | int | float | bool | None | tuple["Key", ...]


def seed_sequence(seed: int, *key: Key) -> tuple[int, ...]:
    """Hash a split's seed and a key, such as ``("ode", "fictional", 12)``, into eight integers in ``[0, 2**32)``.

    They are the same on every machine and for every Python version. Raises TypeError if a part of the key has no
    canonical form (a set, say).
    """
    digest = hashlib.sha256(orjson.dumps([seed, *key])).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4))


def rng(seed: int, *key: Key) -> np.random.Generator:
    """Return the random generator for a seed and a key.

    Two calls with the same arguments give generators with the same numbers, in any process and in any order; so the
    content of a split does not depend on the number of workers.

    >>> bool(rng(1, "a").random() == rng(1, "a").random())
    True
    >>> bool(rng(1, "a").random() == rng(1, "b").random())
    False
    """
    words = np.array(seed_sequence(seed, *key), np.uint32)  # NumPy takes integers one by one, in twice the time
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def label(seed: int, *key: Key) -> str:
    """Return 16 hexadecimal digits that hide the seed and the key they are derived from.

    >>> label(1, "a") == label(1, "a") != label(2, "a")
    True
    """
    return "".join(f"{word:08x}" for word in seed_sequence(seed, *key)[:2])
