"""Compact in-memory storage: a million rows take a hundred megabytes."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar, get_type_hints

import msgspec
import numpy as np

from vhbench.files import short_digest
from vhbench.schema import Record

T = TypeVar("T")


class Store(Mapping[str, T]):
    """Packed values by name, looked up by digest and then compared.

    >>> store = Store([("a", {"answer": "B"}), ("7", {"id": 7})])
    >>> len(store), store["7"], store.find("7"), store.find("b"), store.at(0)
    (2, {'id': 7}, 1, None, {'answer': 'B'})
    """

    def __init__(
        self,
        values: Iterable[tuple[str, Any]],
        *,
        pack: Callable[[Any], Any] = lambda value: value,
        unpack: Callable[[str, Any], T] = lambda name, value: value,
        held: int = 0,
    ) -> None:
        """Pack named values.

        ``pack`` converts a value to JSON types or bytes, ``unpack`` restores it, given its name; the cache has so many
        unpacked values as ``held``.
        """
        self._packed, self._ends, self._unpack, digests = bytearray(), array("Q", [0]), unpack, array("Q")
        for name, value in values:
            self._packed += msgspec.msgpack.encode((name, pack(value)))
            self._ends.append(len(self._packed))
            digests.append(_digest(name))
        order = np.argsort(np.array(digests), kind="stable")
        self._places = array("Q", order.astype(np.uint64).tobytes())
        self._digests = array("Q", np.array(digests, dtype=np.uint64)[order].tobytes())
        if held:
            self.look_up = lru_cache(held)(self.look_up)  # type: ignore[method-assign]

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        """Yield the names in the order of the values."""
        return map(self.name, range(len(self)))

    def __contains__(self, name: object) -> bool:
        """Return whether a value has this name."""
        return isinstance(name, str) and self.find(name) is not None

    def __getitem__(self, name: str) -> T:
        """Return the first value with a name."""
        if (entry := self.look_up(name)) is None:
            raise KeyError(name)
        return entry[1]

    def look_up(self, name: str) -> tuple[int, T] | None:
        """Return the index (from 0) and value of the first one with a name; None if there is none."""
        digest = _digest(name)
        at = bisect_left(self._digests, digest)
        while at < len(self._digests) and self._digests[at] == digest:
            stored, value = self._read(self._places[at])
            if stored == name:
                return self._places[at], self._unpack(name, value)
            at += 1
        return None

    def find(self, name: str) -> int | None:
        """Return the index of the first value with a name, None if there is none."""
        entry = self.look_up(name)
        return entry and entry[0]

    def name(self, index: int) -> str:
        """Return the name of the value at an index."""
        return str(self._read(index)[0])

    def repeated(self) -> int | None:
        """Return the index of the first value with an earlier one's name; None if all differ."""
        digests = np.array(self._digests)
        alike = sorted(self._places[at + 1] for at in np.flatnonzero(digests[1:] == digests[:-1]).tolist())
        return next((index for index in alike if self.find(self.name(index)) != index), None)

    def at(self, index: int) -> T:
        """Return the value at an index."""
        return self._unpack(*self._read(index))

    def _read(self, index: int) -> Any:
        return msgspec.msgpack.decode(memoryview(self._packed)[self._ends[index] : self._ends[index + 1]])


def _digest(name: str) -> int:
    return int.from_bytes(short_digest(name))


class PackedRecords:
    """Records that are scored together: all captions, or all parsed answers.

    Iteration yields each once without storing it. Fields without effect on scores are dropped: the texts of
    questions, and the objects of captions.

    >>> packed = PackedRecords()
    >>> packed.add(Record("q", question="Is there a dog?", kind="yes_no", prediction="no", scene_ids=("s1", "s2")))
    >>> [(record.id, record.prediction, record.question) for record in packed], list(packed)
    ([('q', 'no', '')], [])
    """

    def __init__(self) -> None:
        """Begin without records."""
        self._rows: list[bytes] = []
        self._kept = _OF_ANSWERS

    @classmethod
    def union(cls, parts: "Iterable[PackedRecords]") -> "PackedRecords":
        """Return the records of several, equal ones once."""
        union = cls()
        for part in parts:
            union._kept = part._kept
            union._rows += part._rows
        union._rows = list(dict.fromkeys(union._rows))
        return union

    def add(self, record: Record) -> None:
        """Pack a record."""
        self._kept = _OF_CAPTIONS if record.kind == "caption" else _OF_ANSWERS
        self._rows.append(msgspec.msgpack.encode(attrgetter(*self._kept)(record)))

    def __iter__(self) -> Iterator[Record]:
        """Yield the records in packing order."""
        types: Any = tuple[tuple(_TYPES[name] for name in self._kept)]  # type: ignore[misc]
        decode = msgspec.msgpack.Decoder(types).decode
        self._rows.reverse()
        while self._rows:
            yield Record(**dict(zip(self._kept, decode(self._rows.pop()), strict=True)))


_TYPES = get_type_hints(Record)
_OF_CAPTIONS = tuple(field.name for field in fields(Record) if field.name != "question")
_OF_ANSWERS = tuple(name for name in _OF_CAPTIONS if name not in ("objects", "candidates", "neutral"))
