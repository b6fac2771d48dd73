"""Validation shared by annotation readers, and the policy for bad entries."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from vhbench.schema import VhbenchError

T = TypeVar("T")

LONGEST_SIDE = 100_000  # largest plausible image side in pixels


def size_fault(width: int, height: int) -> str:
    """Return an error text if the image size is implausible, or "".

    >>> size_fault(1, LONGEST_SIDE), size_fault(LONGEST_SIDE, 1), size_fault(0, 9)
    ('', '', 'size 0x9 is not within 1 to 100000')
    >>> size_fault(9, 0) and size_fault(LONGEST_SIDE + 1, 9) and size_fault(9, LONGEST_SIDE + 1)
    'size 9x100001 is not within 1 to 100000'
    """
    sane = 1 <= width <= LONGEST_SIDE and 1 <= height <= LONGEST_SIDE
    return "" if sane else f"size {width}x{height} is not within 1 to {LONGEST_SIDE}"


def fits_64_bits(identity: int) -> bool:
    """Return whether an id fits into a 64-bit column.

    >>> [fits_64_bits(identity) for identity in (-(2**63) - 1, -(2**63), 2**63 - 1, 2**63)]
    [False, True, True, False]
    """
    return -(2**63) <= identity < 2**63


@dataclass
class BadEntryPolicy:
    """Policy for bad entries: raise at the first one, or (``skip``) drop and count them."""

    path: Path  # file being read
    skip: bool = False
    items: list[tuple[str, str]] = field(default_factory=list)  # (reason, location) of each dropped entry
    notes: list[tuple[str, str]] = field(default_factory=list)  # (reason, location) of unusual but valid entries

    def report(self, reason: str, place: str, text: str) -> None:
        """Raise, or count. ``place`` identifies the entry, such as ``annotation 17``."""
        if not self.skip:
            raise VhbenchError(f"{self.path}: {place}: {text}; --skip-bad leaves such entries out and counts them")
        self.items.append((reason, place))

    def decode(self, kind: type[T], raw: msgspec.Raw, place: str) -> T | None:
        """Return a decoded entry, or None after reporting that it is malformed."""
        try:
            return msgspec.json.decode(raw, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self.report("malformed entry", place, str(error))
            return None
