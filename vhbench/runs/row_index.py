"""Rows that are looked up by their ids, in little room: a million questions take a hundred megabytes."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from vhbench.files import short_digest, shown
from vhbench.schema import VhbenchError

Numbered = tuple[int, str, dict[str, Any]]
"""The number of a row in its file, the config that it belongs to, and the row, which has an id."""


class KnownRows:
    """Rows by their ids, packed one behind the other; an id is looked up by its digest, and then compared.

    >>> known = KnownRows(Path("a.csv"), [(1, "mioh", {"id": "a", "answer": "B"}), (2, "mioh", {"id": 7})])
    >>> len(known), known.find("7"), known.find("b"), known[0]
    (2, (1, 'mioh', {'id': 7}), None, ('mioh', {'id': 'a', 'answer': 'B'}))
    """

    def __init__(self, file: Path, rows: Iterable[Numbered]) -> None:
        """Pack the rows of a file.

        Raises:
            VhbenchError: if a row has no id, an id occurs twice, or a row holds what cannot be packed.
        """
        self._packed, self._ends, digests, numbers = bytearray(), array("Q", [0]), array("Q"), array("Q")
        for number, config, row in rows:
            name = str(row.get("id", ""))
            if not name:
                raise VhbenchError(f"{file}, row {number}: has no 'id'")
            try:
                self._packed += msgspec.msgpack.encode((config, row))
                digests.append(_digest(name))
            except (OverflowError, UnicodeEncodeError) as error:  # a number beyond 64 bits, half of a character
                raise VhbenchError(f"{file}, row {number}: {error}") from error
            self._ends.append(len(self._packed))
            numbers.append(number)
        order = np.argsort(np.array(digests), kind="stable")
        self._digests, self._places = (array("Q", found.tobytes()) for found in (np.array(digests)[order], order))
        if (place := self._twice()) is not None:
            raise VhbenchError(
                f"{file}, row {numbers[place]}: id {shown(self._name(place))} occurs twice; each may occur once"
            )

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._places)

    def find(self, name: str) -> tuple[int, str, dict[str, Any]] | None:
        """Return the place of the row with an id, counted from 0, its config and the row; None where there is none."""
        digest = _digest(name)
        at = bisect_left(self._digests, digest)
        while at < len(self._digests) and self._digests[at] == digest:
            config, row = self[self._places[at]]
            if str(row["id"]) == name:
                return self._places[at], config, row
            at += 1
        return None

    def __getitem__(self, place: int) -> tuple[str, dict[str, Any]]:
        """Return the config of a row and the row."""
        config, row = msgspec.msgpack.decode(memoryview(self._packed)[self._ends[place] : self._ends[place + 1]])
        return config, row

    def _name(self, place: int) -> str:
        return str(self[place][1]["id"])

    def _twice(self) -> int | None:
        """Return the place of the first row whose id a row before it has."""
        digests = np.array(self._digests)
        alike = sorted(self._places[at + 1] for at in np.flatnonzero(digests[1:] == digests[:-1]).tolist())
        first = {name: found[0] for name in map(self._name, alike) if (found := self.find(name))}
        return next((place for place in alike if first[self._name(place)] != place), None)


def _digest(name: str) -> int:
    return int.from_bytes(short_digest(name))
