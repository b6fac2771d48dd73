"""Reads the answers back from what lmms-eval wrote with ``--log_samples``."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import orjson

from vhbench.schema import Record, VhbenchError

_FIELDS = frozenset(f.name for f in fields(Record))


def read_samples(path: Path) -> list[Record]:
    """Read the records of a run, ordered by id.

    Args:
        path: a ``*_samples_*.jsonl`` file, or a folder: of the sample files below it, the newest of each task and
            model folder is read. A folder with several models is refused.

    Raises:
        VhbenchError: if nothing can be read, a line is no sample of vhbench, or an id has two different answers.
    """
    records: dict[str, Record] = {}
    for file in _files(path):
        for record in _read(file):
            if records.setdefault(record.id, record) != record:
                raise VhbenchError(f"{file}: question {record.id} was answered twice, differently; name one run")
    if not records:
        raise VhbenchError(f"no answers in {path}; run lmms-eval with --log_samples --output_path {path}")
    return [records[key] for key in sorted(records)]


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise VhbenchError(f"no such file or folder: {path}")
    found = sorted(path.rglob("*_samples_*.jsonl"))
    if len(folders := sorted({str(file.parent) for file in found})) > 1:
        raise VhbenchError(f"{path} holds the results of {len(folders)} models; name one: {', '.join(folders)}")
    newest = {file.name.split("_samples_", 1)[1]: file for file in found}  # names begin with the date: the last wins
    return sorted(newest.values())


def _read(file: Path) -> Iterator[Record]:
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            sample = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise VhbenchError(f"{file}, line {number}: {error}") from error
        whole = [
            value for value in sample.values() if isinstance(value, dict) and "id" in value and "response" in value
        ]
        if not whole:
            raise VhbenchError(f"{file}, line {number}: not an answer to a question of vhbench")
        yield from to_records(max(whole, key=len))


def to_records(values: Mapping[str, Any]) -> list[Record]:
    """Build the records of a payload: one, or with ``lmms-eval --repeats`` one per answer.

    Each further answer is a record like the first with a number before the ids, so that halves of a pair are tied
    within a repetition; all share their images, by which intervals cluster.

    >>> [(r.id, r.prediction) for r in to_records({"id": "q", "prediction": "no", "repeats": [{"prediction": "yes"}]})]
    [('q', 'no'), ('2#q', 'yes')]
    """
    first, further = to_record(values), values.get("repeats") or ()
    if not further:
        return [first]
    first = replace(first, scene_ids=first.scene_ids or (first.pair_id or first.id,))
    return [first] + [
        replace(
            first,
            id=f"{number}#{first.id}",
            pair_id=first.pair_id and f"{number}#{first.pair_id}",
            response=str(answer.get("response", "")),
            prediction=str(answer.get("prediction", "")),
        )
        for number, answer in enumerate(further, start=2)
    ]


def to_record(values: Mapping[str, Any]) -> Record:
    """Build a record from a JSON object; fields that are missing are empty, others are ignored."""
    known: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items() if k in _FIELDS}
    return Record(**known)
