"""Results of functions of a text that are asked for several times, and often of the same few words."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

T = TypeVar("T")

_SHORT, _MANY, _FEW = 300, 4_096, 8


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Remember a function's results: of short texts many, of long ones a few, so that the room for them is bounded."""
    short, long = lru_cache(maxsize=_MANY)(function), lru_cache(maxsize=_FEW)(function)

    @wraps(function)
    def known(text: str) -> Any:
        return short(text) if len(text) <= _SHORT else long(text)

    return known
