"""Columns of a split, derived from the fields of :class:`vhbench.schema.Question` only."""

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from vhbench.schema import Question, QuestionBase

_FIELDS = {field.name: field for field in fields(Question)}

COLUMNS = tuple(dict.fromkeys(("id", "images", *_FIELDS)))  # all columns, in file order
LISTS = tuple(name for name in COLUMNS if _FIELDS[name].type == tuple[str, ...])  # columns with lists of words
# Boolean columns. All others but the images are text
FLAGS = tuple(name for name in COLUMNS if _FIELDS[name].type is bool)
# columns shared by a question and the record of its answer
RECORD = tuple(field.name for field in fields(QuestionBase))
CELLS = tuple(name for name in COLUMNS if _FIELDS[name].metadata.get("cell"))  # columns that define cells
# content of a row: images by their digests; without the version, which labels a content
HASHED = tuple(name for name in COLUMNS if name not in ("images", "benchmark_version"))
# function that returns the values of ``HASHED``, in its order
values_of: Callable[[Question], tuple[Any, ...]] = attrgetter(*HASHED)


def hashed(question: Question) -> dict[str, Any]:
    """Return the columns of a row's content, by name."""
    return dict(zip(HASHED, values_of(question), strict=True))
