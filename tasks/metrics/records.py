"""Answered questions in any form → :class:`vhbench.schema.Record`; rows from JSON and JSON lines.

Every metric that reads answered questions takes a sequence of records, or of plain mappings with the same field names
(other keys are ignored)::

    records = as_records([{"id": "q1", "answer": "yes", "response": "Yes, it is."}])
    rows = read_rows("answers.jsonl")
"""

import json
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from vhbench.results import shown, to_record
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


def resampling_unit(record: Record) -> str:
    """Return what a record stands and falls with."""
    return " ".join(record.scene_ids) or record.pair_id or record.id


def image_set(record: Record) -> Hashable:
    """Return what a record shares with those that stand and fall with it: its images, its pair, or its own id."""
    return record.scene_ids or record.pair_id or record.id


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """Read a JSON array, JSON lines, or JSON objects written one after another.

    Raises:
        VhbenchError: with the file and the line of what cannot be read.
    """
    data = read_json(path)
    rows = data if isinstance(data, list) else [data]
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            raise VhbenchError(f"{path}: row {place} is {shown(row)}, not a JSON object")
    return rows


def read_json(path: str | Path) -> Any:
    """Read one JSON value; several, one after another (JSON lines), come back as a list.

    Raises:
        VhbenchError: with the file and the line of what cannot be read.
    """
    text = read_text(path)
    decoder = json.JSONDecoder()
    values: list[Any] = []
    place = _skip_space(text, 0)
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError) as error:
            line = text.count("\n", 0, getattr(error, "pos", place)) + 1
            raise VhbenchError(
                f"{path}, line {line}: not JSON ({getattr(error, 'msg', 'nested too deeply')})"
            ) from None
        values.append(value)
        place = _skip_space(text, place)
    if not values:
        raise VhbenchError(f"{path}: the file is empty; JSON or JSON lines are needed")
    return values[0] if len(values) == 1 else values


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file, with or without a byte order mark.

    Raises:
        VhbenchError: if it cannot be read, or is not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise VhbenchError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise VhbenchError(f"{path}: not UTF-8 text (byte {error.start})") from None


def _skip_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place
