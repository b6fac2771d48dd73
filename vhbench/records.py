"""JSON, or a row and a response → :class:`vhbench.schema.Record`; what records are about, and what they say."""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, get_args

from vhbench.files import convert, quote_value, read_json
from vhbench.language import parsing
from vhbench.schema import TIE, Kind, Record, VhbenchError

KINDS = ("", *get_args(Kind))
"""What a record's kind may be."""

ANSWERED = ("response", "prediction", "failure", "cut_off")
"""The columns that a repetition has of its own."""

_HALF = re.compile("[\ud800-\udfff]")


class ReferenceZeroDivision(VhbenchError, ZeroDivisionError):
    """Where a reference implementation divides by zero, and ``compat=True`` does too."""


def to_records(values: Mapping[str, Any], place: str = "the answer") -> list[Record]:
    """Build the records of a payload: one, or with ``lmms-eval --repeats`` one per answer.

    Each further answer is a record like the first with a number before the ids, so that halves of a pair are tied
    within a repetition; intervals take all of them together.

    >>> [(r.id, r.prediction) for r in to_records({"id": "q", "prediction": "no", "repeats": [{"prediction": "yes"}]})]
    [('q', 'no'), ('2#q', 'yes')]
    """
    first, asked = to_record(values, place), {name: value for name, value in values.items() if name not in ANSWERED}
    return [first] + [
        replace(
            to_record({**asked, **answer}, place),
            id=f"{number}#{first.id}",
            pair_id=first.pair_id and f"{number}#{first.pair_id}",
        )
        for number, answer in enumerate(values.get("repeats") or (), start=2)
    ]


def to_record(values: Mapping[str, Any], place: str = "the answer") -> Record:
    """Build a record from a JSON object; fields that are missing or null are empty, others are ignored.

    Args:
        values: field → value; a number stands for its digits. A ``response`` that is null, or no text, is a failed one.
        place: where the object was found, for errors.

    Raises:
        VhbenchError: if it is no object, has no id, or a field is of the wrong type.
    """
    if not isinstance(values, Mapping):
        raise VhbenchError(f"{place} is {quote_value(values)}, not a Record or a mapping with its fields")
    if values.get("id") in (None, ""):
        raise VhbenchError(f"{place} has no 'id'")
    given = {
        name: value if type(value) is bool else _text(value) for name, value in values.items() if value is not None
    }
    if "response" in values:
        given["response"] = text_of(values["response"])
    record: Record = convert(given, Record, place)
    if record.kind not in KINDS:
        raise VhbenchError(f"{place}: kind is {quote_value(record.kind)}; must be one of {', '.join(KINDS[1:])}")
    known = "failure" in values and record.kind != "caption"
    return settled(record, empty="response" in values and not known)


def _text(value: Any) -> Any:
    """Return the digits of a number, and of a list's numbers."""
    if isinstance(value, str):
        if value.isascii() or not _HALF.search(value):
            return value
        return value.encode("utf-8", "replace").decode()  # an answer that was cut may end in half of a character
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        return [str(item) for item in value]
    return value


def text_of(response: Any) -> str:
    """Return a response as text; None, and all else that says nothing, is ``""``.

    >>> [text_of(response) for response in ("Yes", True, 2, 2.0, None, float("nan"), ["Yes"])]
    ['Yes', 'True', '2', '2', '', '', '']
    """
    if isinstance(response, float):
        return f"{response:g}" if isfinite(response) else ""
    return str(response) if isinstance(response, (str, int)) else ""


def target_of(row: Mapping[str, Any]) -> str:
    """Return the right answer to a row: "yes", "no" or a letter; of captions the words that are in the picture."""
    return ", ".join(row["objects"]) if row["kind"] == "caption" else str(row["answer"])


def answered(asked: Mapping[str, Any], response: Any) -> Record:
    """Join the columns of a question and a response; the parser is chosen by the kind, and is told the question."""
    text, kind = text_of(response), asked["kind"]
    said = parsing.parse(kind, text, tuple(asked["choices"]), question=asked["question"])
    record = Record(**asked, response=text, prediction=said, cut_off=parsing.cut_off(text, kind))
    return settled(record, empty=True)


def settled(record: Record, *, empty: bool | None = None) -> Record:
    """Return a record that says whether it is an answer at all; what is none has no prediction.

    A record without any words may be one whose words were left out; ``empty`` says that there were none. Where nothing
    is said about that, a caption had none: it is its words.

    >>> settled(Record("q", response="[LMMS_EVAL_REQUEST_FAILED] 404", prediction="no")).failure
    'failed'
    """
    failure = record.failure
    if empty is None:
        empty = record.kind == "caption"
    if not failure and (record.response or (empty and not record.prediction)):
        failure = parsing.failure(record.response)
    if failure == record.failure and not (failure and record.prediction):
        return record
    return replace(record, failure=failure, prediction="" if failure else record.prediction)


def as_records(rows: Iterable[Record | Mapping[str, Any]]) -> list[Record]:
    """Return the rows as records.

    Raises:
        VhbenchError: for a row without an id, an id that occurs twice, or a field of the wrong type.
    """
    return list(each_record(rows))


def each_record(rows: Iterable[Record | Mapping[str, Any]]) -> Iterator[Record]:
    """Yield the rows as records, and keep none: of a million, only the ids. Raises as :func:`as_records` does.

    Rows that say by ``unique`` that each has an id of its own are believed
    (:class:`vhbench.runs.read.Responses`).
    """
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise VhbenchError(
            f"the rows are {quote_value(rows)}; needed: a list of Records or of mappings with their fields"
        )
    seen, unique = set[str](), getattr(rows, "unique", False)
    for place, row in enumerate(rows):
        record = settled(row) if isinstance(row, Record) else to_record(row, f"row {place}")
        if not unique:
            if record.id in seen:
                raise VhbenchError(
                    f"id {quote_value(record.id)} occurs twice (again in row {place}); each may occur once"
                )
            seen.add(record.id)
        yield record


def outcome_of(record: Record) -> str:
    """Return what an answer says, "" where that could not be read; of what is no answer "failed" or "refused"."""
    return record.failure or record.prediction


def is_cut_off(record: Record) -> bool:
    """Tell whether an answer visibly stops midway: its record says so, or the words that it still has."""
    return record.cut_off or (record.response != "" and parsing.cut_off(record.response, record.kind))


def refuse_duplicates(keys: Iterable[Hashable], what: str) -> None:
    """Raise if a key occurs twice: a row that counts double is a wrong score."""
    seen: set[Hashable] = set()
    for place, key in enumerate(keys):
        if key in seen:
            raise VhbenchError(f"{what} {quote_value(key)} occurs twice (again in row {place}); each may occur once")
        seen.add(key)


def binary_answer(record: Record) -> str:
    """Return a record's right answer, "yes" or "no"; raise if it is neither."""
    known = record.answer in ("yes", "no")  # the words for an error are not made for each of a million
    return record.answer if known else yes_or_no(record.answer, f"question {record.id!r}: the answer")


def yes_or_no(answer: Any, what: str) -> str:
    """Return a right answer in lower case; raise, beginning with what it is, if it is neither "yes" nor "no"."""
    text = answer.strip().lower() if isinstance(answer, str) else answer
    if text not in ("yes", "no"):
        raise VhbenchError(f"{what} is {quote_value(answer)}; must be 'yes' or 'no'")
    return str(text)


def resampling_unit(record: Record) -> str:
    """Return the cluster of a record as far as its own row tells: for lmms-eval, which sees one row at a time.

    That is its image; of several images its fact (:func:`fact_of`), as images are shared by many facts. Where all rows
    are known, :func:`vhbench.statistics.clusters.clusters_of` finds what else they share.

    >>> resampling_unit(Record("q", scene_ids=("s1",), pair_id="p"))
    's1'
    >>> resampling_unit(Record("q", scene_ids=("s1", "s2"), pair_id="e5~e1-12"))
    'e1-12'
    >>> resampling_unit(Record("q/jpeg/negated", pair_id="q/jpeg", perturbation="jpeg", negated=True))
    'q'
    >>> resampling_unit(Record("2#q"))
    'q'
    """
    images, fact = record.scene_ids, fact_of(record)
    return images[0] if len(images) == 1 else fact or " ".join(images) or split_repetition(record.id)[1]


def case_of(record: Record) -> str:
    """Return the test case that a pair is a form of: its id without the perturbation, "" where it has none.

    >>> case_of(Record("2#q/jpeg/negated", pair_id="2#q/jpeg", perturbation="jpeg", negated=True))
    '2#q'
    """
    return record.pair_id.removesuffix(f"/{record.perturbation}") if record.perturbation else record.pair_id


def fact_of(record: Record) -> str:
    """Return what a record is about, in all forms and repetitions: its test case; "" where it names none.

    Tied questions share it too: their ``pair_id`` ends with that of the question that they are tied to.

    >>> fact_of(Record("2#q/jpeg", pair_id="2#q/jpeg", perturbation="jpeg")), fact_of(Record("y", pair_id="e5~e1-12"))
    ('q', 'e1-12')
    """
    return split_repetition(case_of(record))[1].rpartition(TIE)[2]


def split_repetition(name: str) -> tuple[str, str]:
    """Return the number that :func:`to_records` puts before the ids of repetitions, and the id.

    >>> split_repetition("2#q"), split_repetition("q#2")
    (('2#', 'q'), ('', 'q#2'))
    """
    if "#" not in name:
        return "", name
    number, mark, rest = name.partition("#")
    return (number + mark, rest) if mark and number.isdecimal() else ("", name)


def loaded(data: Any) -> Any:
    """Return the content of a JSON file, and anything but a path as it is."""
    return read_json(data) if isinstance(data, (str, Path)) else data
