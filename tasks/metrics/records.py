"""Answered questions in any form → :class:`vhbench.schema.Record`.

Every metric that reads answered questions takes a sequence of records, or of plain mappings with the same field names
(other keys are ignored)::

    records = as_records([{"id": "q1", "answer": "yes", "response": "Yes, it is."}])
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from vhbench.files import shown
from vhbench.results import to_record
from vhbench.schema import Record, VhbenchError


class ReferenceZeroDivision(VhbenchError, ZeroDivisionError):
    """Where a reference implementation divides by zero, and ``compat=True`` does too."""


def as_records(rows: Iterable[Record | Mapping[str, Any]]) -> list[Record]:
    """Return the rows as records.

    Raises:
        VhbenchError: for a row without an id, an id that occurs twice, or a field of the wrong type.
    """
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise VhbenchError(f"the rows are {shown(rows)}; needed: a list of Records or of mappings with their fields")
    records = [row if isinstance(row, Record) else to_record(row, f"row {place}") for place, row in enumerate(rows)]
    refuse_duplicates((record.id for record in records), "id")
    return records


def refuse_duplicates(keys: Iterable[Hashable], what: str) -> None:
    """Raise if a key occurs twice: a row that counts double is a wrong score."""
    seen: set[Hashable] = set()
    for place, key in enumerate(keys):
        if key in seen:
            raise VhbenchError(f"{what} {key!r} occurs twice (again in row {place}); each may occur once")
        seen.add(key)


def binary_answer(record: Record) -> str:
    """Return a record's gold answer as "yes" or "no".

    Raises:
        VhbenchError: if it is neither.
    """
    answer = record.answer.strip().lower()
    if answer not in ("yes", "no"):
        raise VhbenchError(f"question {record.id!r}: the answer {record.answer!r} is neither 'yes' nor 'no'")
    return answer


def image_set(record: Record) -> Hashable:
    """Return what a record shares with those that stand and fall with it: its images, its pair, or its own id."""
    return record.scene_ids or record.pair_id or record.id
