"""The columns of a split, taken from the fields of :class:`vhbench.schema.Question`: nobody else lists them."""

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from vhbench.schema import Question, QuestionBase

_FIELDS = {field.name: field for field in fields(Question)}

COLUMNS = tuple(dict.fromkeys(("id", "images", *_FIELDS)))
"""All, in the order in which they stand in a file."""

LISTS = tuple(name for name in COLUMNS if _FIELDS[name].type == tuple[str, ...])
"""Those that hold lists of words."""

FLAGS = tuple(name for name in COLUMNS if _FIELDS[name].type is bool)
"""Those that hold true or false. All others but the images hold text."""

RECORD = tuple(field.name for field in fields(QuestionBase))
"""Those that a question shares with the record of its answer."""

CELLS = tuple(name for name in COLUMNS if _FIELDS[name].metadata.get("cell"))
"""Those that sort questions into cells."""

HASHED = tuple(name for name in COLUMNS if name not in ("images", "benchmark_version"))
"""What identifies a row: images enter by their digests; the version is the label of a content, not a part of it."""

values_of: Callable[[Question], tuple[Any, ...]] = attrgetter(*HASHED)
"""Returns the values of ``HASHED``, in its order."""


def hashed(question: Question) -> dict[str, Any]:
    """Return the columns that make up a row's content, by name."""
    return dict(zip(HASHED, values_of(question), strict=True))
