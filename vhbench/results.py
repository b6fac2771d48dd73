"""JSON → :class:`vhbench.schema.Record`; reads the answers back from what lmms-eval wrote with ``--log_samples``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vhbench.files import convert, read_rows, shown
from vhbench.schema import Record, VhbenchError


def read_samples(path: Path) -> list[Record]:
    """Read the records of a run, ordered by id.

    Args:
        path: a ``*_samples_*.jsonl`` file, or a folder: of the sample files below it, the newest of each task and
            model folder is read. A folder with several models is refused.

    Raises:
        VhbenchError: if nothing can be read, a line is no sample of vhbench, or an id has two different answers.
    """
    records: dict[str, Record] = {}
    for file in sample_files(path):
        for record in _read(file):
            if records.setdefault(record.id, record) != record:
                raise VhbenchError(f"{file}: question {record.id} was answered twice, differently; name one run")
    if not records:
        raise VhbenchError(f"no answers in {path}; run lmms-eval with --log_samples --output_path {path}")
    return [records[key] for key in sorted(records)]


def sample_files(path: Path) -> list[Path]:
    """Return a samples file, or of those below a folder the newest of each task. Raises as :func:`read_samples` does."""
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
    for number, sample in enumerate(read_rows(file), start=1):
        whole = [
            value for value in sample.values() if isinstance(value, dict) and "id" in value and "response" in value
        ]
        if not whole:
            raise VhbenchError(f"{file}, line {number}: not an answer to a question of vhbench")
        yield from to_records(max(whole, key=len), f"{file}, line {number}")


def to_records(values: Mapping[str, Any], place: str = "the answer") -> list[Record]:
    """Build the records of a payload: one, or with ``lmms-eval --repeats`` one per answer.

    Each further answer is a record like the first with a number before the ids, so that halves of a pair are tied
    within a repetition; intervals take all of them together.

    >>> [(r.id, r.prediction) for r in to_records({"id": "q", "prediction": "no", "repeats": [{"prediction": "yes"}]})]
    [('q', 'no'), ('2#q', 'yes')]
    """
    first, further = to_record(values, place), values.get("repeats") or ()
    if not further:
        return [first]
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


def to_record(values: Mapping[str, Any], place: str = "the answer") -> Record:
    """Build a record from a JSON object; fields that are missing or null are empty, others are ignored.

    Args:
        values: field → value; a number stands for its digits.
        place: where the object was found, for errors.

    Raises:
        VhbenchError: if it is no object, has no id, or a field is of the wrong type.
    """
    if not isinstance(values, Mapping):
        raise VhbenchError(f"{place} is {shown(values)}, not a Record or a mapping with its fields")
    if values.get("id") in (None, ""):
        raise VhbenchError(f"{place} has no 'id'")
    record: Record = convert({k: _text(v) for k, v in values.items() if v is not None}, Record, place)
    return record


def _text(value: Any) -> Any:
    """Return the digits of a number, and of a list's numbers."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        return [str(item) for item in value]
    return value
