"""Columns of a split, derived from the fields of :class:`vhbench.schema.Question` only."""

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from vhbench.schema import Question, QuestionBase

_FIELDS = {field.name: field for field in fields(Question)}

COLUMNS = tuple(dict.fromkeys(("id", "images", *_FIELDS)))
"""All columns, in file order."""

LISTS = tuple(name for name in COLUMNS if _FIELDS[name].type == tuple[str, ...])
"""Columns with lists of words."""

FLAGS = tuple(name for name in COLUMNS if _FIELDS[name].type is bool)
"""Boolean columns. All others but the images are text."""

RECORD = tuple(field.name for field in fields(QuestionBase))
"""Columns shared by a question and the record of its answer."""

CELLS = tuple(name for name in COLUMNS if _FIELDS[name].metadata.get("cell"))
"""Columns that define cells."""

HASHED = tuple(name for name in COLUMNS if name not in ("images", "benchmark_version"))
"""Content of a row: images by their digests; without the version, which labels a content."""

values_of: Callable[[Question], tuple[Any, ...]] = attrgetter(*HASHED)
"""Function that returns the values of ``HASHED``, in its order."""


def hashed(question: Question) -> dict[str, Any]:
    """Return the columns of a row's content, by name."""
    return dict(zip(HASHED, values_of(question), strict=True))
