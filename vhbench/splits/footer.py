"""What a Parquet file's footer says of its columns, read without pyarrow.

pyarrow's own ``RowGroupMetaData.column`` ends the process where the footer of a damaged file contradicts itself
("Definition level histogram size mismatch"): the C++ exception is caught nowhere. The footer is a struct of Thrift's
compact protocol, which is simple to read; names and numbers of fields are those of ``parquet.thrift``.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vhbench.schema import VhbenchError

DELTA_BYTE_ARRAY: Final = 7
"""An encoding in which each text repeats the one before, and nothing tells how much they all come to."""

_MAGIC: Final = b"PAR1"
_DEEPEST: Final = 32  # structs and lists within one another
_MOST: Final = 64 << 20  # bytes of a footer

_ROW_GROUPS, _COLUMNS, _META_DATA = 4, 1, 3
_ENCODINGS, _PATH, _VALUES, _SIZE = 2, 3, 5, 6

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12


@dataclass(frozen=True, slots=True)
class ColumnClaims:
    """What a column of a row group says that it holds.

    Attributes:
        path: its name, with dots: "images.list.element.bytes".
        values: how many.
        size: bytes, unpacked.
        encodings: by their numbers in ``parquet.thrift``.
    """

    path: str
    values: int
    size: int
    encodings: tuple[int, ...]


def claims(path: Path) -> list[list[ColumnClaims]]:
    """Return what each column of each row group of a file says that it holds.

    Raises:
        VhbenchError: if the footer cannot be read.
    """
    data = _footer(path)
    try:
        groups = _Compact(data).struct()[_ROW_GROUPS]
        return [[_column(chunk[_META_DATA]) for chunk in group[_COLUMNS]] for group in groups]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, struct.error) as error:
        raise VhbenchError(f"{path}: not a readable Parquet file: its footer is damaged") from error


def _footer(path: Path) -> bytes:
    with path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(0, end - 8))
        tail = file.read(8)
        size = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or size > min(end - 8, _MOST):
            raise VhbenchError(f"{path}: not a readable Parquet file: its end is not that of one")
        file.seek(end - 8 - size)
        return file.read(size)


def _column(found: dict[int, Any]) -> ColumnClaims:
    name = ".".join(part.decode("utf-8", "replace") for part in found[_PATH])
    return ColumnClaims(name, int(found[_VALUES]), int(found[_SIZE]), tuple(map(int, found[_ENCODINGS])))


class _Compact:
    """Reads Thrift's compact protocol: structs as field → value, lists, numbers and bytes."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read the fields of a struct."""
        fields, number = dict[int, Any](), 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("too deep")
        if kind == _STRUCT:
            return self.struct(depth)
        if kind in (_LIST, _SET):
            head = self._byte()
            number, item = (head >> 4 if head >> 4 < 15 else self._number()), head & 15
            return [self._value(item, depth + 1) for _ in range(self._held(number))]
        if kind == _MAP:
            number = self._held(self._number())
            kinds = self._byte() if number else 0
            return [(self._value(kinds >> 4, depth + 1), self._value(kinds & 15, depth + 1)) for _ in range(number)]
        if kind == _BINARY:
            return self._bytes(self._number())
        if kind == _DOUBLE:
            return struct.unpack("<d", self._bytes(8))[0]
        return self._byte() if kind in (_TRUE, _FALSE, _BYTE) else self._whole()

    def _held(self, number: int) -> int:
        """Hold a number of items to the bytes that are left: each takes one at least."""
        if number > len(self._data) - self._at:
            raise ValueError("a list that is longer than the footer")
        return number

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, number: int) -> bytes:
        found = self._data[self._at : self._at + number]
        if len(found) < number:
            raise ValueError("it ends too early")
        self._at += number
        return found

    def _number(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _whole(self) -> int:
        """Read a signed number, in zigzag."""
        found = self._number()
        return (found >> 1) ^ -(found & 1)
