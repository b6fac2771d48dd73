"""The scenes of a large split by id, in little room: a hundred thousand take 0.2 GB instead of several."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import orjson

from vhbench.schema import Scene, VhbenchError
from vhbench.splits.stored_scenes import StoredScene, scene_of

_UNPACKED = 2000
"""Scenes that are held as they are, since the next question may be about them too."""


class PackedScenes(Mapping[str, Scene]):
    """Scene id → scene, without image and masks, unpacked when it is asked for."""

    def __init__(self, truths: Iterable[StoredScene]) -> None:
        self._packed = {truth.id: _pack(truth) for truth in truths}
        self._scene = lru_cache(maxsize=_UNPACKED)(self._unpack)

    def __getitem__(self, name: str) -> Scene:
        """Return a scene."""
        return self._scene(name)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is such a scene, without unpacking it."""
        return name in self._packed

    def __iter__(self) -> Iterator[str]:
        """Yield the ids."""
        return iter(self._packed)

    def __len__(self) -> int:
        """Return the number of scenes."""
        return len(self._packed)

    def _unpack(self, name: str) -> Scene:
        return scene_of(StoredScene(name, "", zlib.decompress(self._packed[name]).decode()))


def _pack(truth: StoredScene) -> bytes:
    try:
        told = orjson.loads(truth.json)
        for thing in told["objects"]:
            thing["mask"] = None
    except (orjson.JSONDecodeError, TypeError, KeyError) as error:
        raise VhbenchError(f"scene {truth.id!r}: is no scene ({error})") from error
    return zlib.compress(orjson.dumps(told), 1)
