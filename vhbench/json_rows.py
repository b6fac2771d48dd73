"""Rows of JSON files: JSON lines, an array, consecutive objects, or id → answer."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from vhbench.files import BOM, REFUSED, json_values, open_file, quote_value
from vhbench.schema import VhbenchError

_FEW = 64  # fields checked to recognize an object as a row


def each_row(path: Path, names: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield rows: JSON lines as a stream, an array or other JSON after reading it whole.

    The ``names`` of fields identify an object as a row. A file with one object without them maps ids to answers, or to
    objects with the fields of a row. Without names each object is a row. Raises VhbenchError with the file, and the
    line or row of an error.
    """
    for number, row in enumerate(_row_values(path, frozenset(names)), start=1):
        if not isinstance(row, dict):
            raise VhbenchError(f"{path}, row {number}: is {quote_value(row)}, not a JSON object")
        yield row


def _row_values(path: Path, known: frozenset[str]) -> Iterator[Any]:
    """Yield leading JSON lines, and the values after them."""
    first = True
    with open_file(path, None) as file:
        for line, text in enumerate(file, start=1):
            data = text.removeprefix(BOM) if line == 1 else text
            if start := data.lstrip()[:1]:
                row = _decoded(data) if start == b"{" else None  # an array may be all of a large file
                if not isinstance(row, dict) or (first and _maps_ids(row, known)):
                    row = None  # free it: it is read again
                    break
                first = False
                yield row
        else:
            if first:
                raise VhbenchError(f"{path}: the file is empty; JSON or JSON lines are needed")
            return
        data += file.read()
    with suppress(*REFUSED):
        rows = msgspec.json.decode(data, type=list[msgspec.Raw]) if first else ()
        yield from map(msgspec.json.decode, rows)  # each row is decoded on demand
        if rows:
            return
    values = json_values(path, data, line)
    if not first or len(values) > 1:
        yield from values
    elif _maps_ids(values[0], known):
        values.clear()
        yield from _answers(path, data)
    else:
        yield from values[0] if isinstance(values[0], list) else values


def _decoded(line: bytes) -> Any:
    """Return a line's value, None if invalid; Python reads what msgspec rejects, such as NaN."""
    try:
        return msgspec.json.decode(line)
    except REFUSED:
        with suppress(ValueError, RecursionError):
            return json.loads(line.decode())
    return None


def _maps_ids(value: Any, known: frozenset[str]) -> bool:
    """Return whether an object maps ids to answers."""
    named = isinstance(value, dict) and known and value
    return bool(named) and not any(name.strip().lower() in known for name in islice(value, _FEW))


def _answers(path: Path, data: bytes) -> Iterator[dict[str, Any]]:
    """Yield a row for each member of an object that maps ids to answers."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(fields := dict(pairs)) < len(pairs):
            raise VhbenchError(f"{path}: an id or a field occurs twice; each question may be answered once")
        return fields

    for name, response in json.loads(data, object_pairs_hook=members).items():
        yield {"id": name, **response} if isinstance(response, dict) else {"id": name, "response": response}
