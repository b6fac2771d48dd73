"""Records in little room: a hundred bytes each instead of several hundred."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any, get_type_hints

import msgspec

from vhbench.runs.payloads import filled, setters_of
from vhbench.schema import Record

_TYPES = get_type_hints(Record)
_WORDS = ("response", "objects", "candidates", "neutral")
"""What captions are scored by; the answers to questions have been read."""


class PackedRecords:
    """Records that are scored together: all are captions, or all are answers, which have been read.

    Iterating over them yields each once, and lets it go. What no score looks at is left out: the words of the question,
    and those of an answer.

    >>> packed = PackedRecords()
    >>> packed.add(Record("q", kind="yes_no", response="No.", prediction="no", scene_ids=("s1", "s2")))
    >>> list(packed), list(packed)
    ([Record(id='q', kind='yes_no', scene_ids=('s1', 's2'), prediction='no')], [])
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._rows: list[bytes] = []
        self._fields = _OF_ANSWERS

    def add(self, record: Record) -> None:
        """Pack a record."""
        self._fields = _OF_CAPTIONS if record.kind == "caption" else _OF_ANSWERS
        self._rows.append(msgspec.msgpack.encode(self._fields.pick(record)))

    def __iter__(self) -> Iterator[Record]:
        """Yield the records in the order in which they were packed."""
        self._rows.reverse()
        while self._rows:
            yield self._fields.unpacked(self._rows.pop())


class _Fields:
    """The fields that are kept: all but some."""

    def __init__(self, left_out: Iterable[str]) -> None:
        rest = tuple(left_out)
        kept = [one.name for one in fields(Record) if one.name not in rest]
        self.pick: Callable[[Record], tuple[Any, ...]] = attrgetter(*kept)
        self._decode = msgspec.msgpack.Decoder(tuple[tuple(_TYPES[name] for name in kept)]).decode  # type: ignore[misc]
        self._rest = tuple([getattr(Record(""), name) for name in rest])
        self._setters = setters_of((*kept, *rest))

    def unpacked(self, row: bytes) -> Record:
        return filled(self._decode(row) + self._rest, self._setters)


_OF_CAPTIONS = _Fields(["question"])
_OF_ANSWERS = _Fields(["question", *_WORDS])
