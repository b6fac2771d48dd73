"""What readers of annotation files share: what is sane, and what becomes of bad entries."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from vhbench.schema import VhbenchError

T = TypeVar("T")

LONGEST_SIDE = 100_000
"""Of an image, in pixels: what is more is a slip."""


def size_fault(width: int, height: int) -> str:
    """Say that an image cannot be that large, or return ""."""
    sane = 1 <= width <= LONGEST_SIDE and 1 <= height <= LONGEST_SIDE
    return "" if sane else f"size {width}x{height} is not within 1 to {LONGEST_SIDE}"


def fits_64_bits(identity: int) -> bool:
    """Tell whether a column can hold an id."""
    return -(2**63) <= identity < 2**63


@dataclass
class Faults:
    """What to do with bad entries: stop at the first one, or (``skip``) leave them out and count them by reason.

    Attributes:
        path: the file.
        skip: count.
        items: (reason, place) of each entry that was left out.
        notes: (reason, place) of what is odd and yet no fault.
    """

    path: Path
    skip: bool = False
    items: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def report(self, reason: str, place: str, text: str) -> None:
        """Raise, or count. ``place`` names the entry, such as ``annotation 17``."""
        if not self.skip:
            raise VhbenchError(f"{self.path}: {place}: {text}; --skip-bad leaves such entries out and counts them")
        self.items.append((reason, place))

    def decode(self, kind: type[T], raw: msgspec.Raw, place: str) -> T | None:
        """Return an entry, or None (reported) where it is not of the form that it must have."""
        try:
            return msgspec.json.decode(raw, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self.report("malformed entry", place, str(error))
            return None
