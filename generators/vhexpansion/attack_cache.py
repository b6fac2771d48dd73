"""Finished images of an attack on disk, so that an interrupted attack goes on where it was."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from vhbench.files import read_json, write_atomic
from vhbench.schema import VhbenchError

Key = tuple[str, str]
"""Digest of an image, and the direction in which it is driven."""


class ResultCache:
    """A folder with one PNG and one JSON file per attacked image, named by what they depend on.

    Args:
        folder: created when needed; None keeps nothing.
        settings: everything but the image that a result depends on: seed, model, options. JSON types.
    """

    def __init__(self, folder: Path | None, *, settings: object) -> None:
        self.folder = folder
        self.settings = orjson.dumps(settings, option=orjson.OPT_SORT_KEYS)

    def load(self, batch: Sequence[Key]) -> list[dict[str, Any]] | None:
        """Return the results of a batch, or None if any of them is missing or damaged."""
        if self.folder is None:
            return None
        try:
            return [self._read(self._path(key, batch)) for key in batch]
        except (OSError, ValueError, VhbenchError):
            return None

    def save(self, batch: Sequence[Key], results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Keep the results of a batch and return them."""
        if self.folder is not None:
            for key, fields in zip(batch, results, strict=True):
                self._write(self._path(key, batch), fields)
        return results

    def _path(self, key: Key, batch: Sequence[Key]) -> Path:
        # The neighbours in a batch change the last bits of a gradient, hence sign() and bytes: they are in the name.
        assert self.folder is not None
        name = hashlib.sha256(self.settings + orjson.dumps([key, list(batch)])).hexdigest()
        return self.folder / name[:2] / name

    def _read(self, path: Path) -> dict[str, Any]:
        fields: dict[str, Any] = read_json(path.with_suffix(".json"))
        checksum = fields.pop("sha256", None)
        if checksum is not None:
            fields["png"] = path.with_suffix(".png").read_bytes()
            if hashlib.sha256(fields["png"]).hexdigest() != checksum:
                raise ValueError(f"{path}.png is damaged")
        return fields

    def _write(self, path: Path, fields: dict[str, Any]) -> None:
        report = {name: value for name, value in fields.items() if name != "png"}
        if "png" in fields:
            report["sha256"] = hashlib.sha256(fields["png"]).hexdigest()
            write_atomic(path.with_suffix(".png"), fields["png"], durable=False)
        # Last: a result without it is not there.
        write_atomic(path.with_suffix(".json"), orjson.dumps(report), durable=False)


def digest(image: npt.NDArray[np.uint8]) -> str:
    """Return the SHA-256 of an image's shape and pixels."""
    return hashlib.sha256(str(image.shape).encode() + np.ascontiguousarray(image).tobytes()).hexdigest()
