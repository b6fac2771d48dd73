"""JSON → :class:`vhbench.schema.Record`: what a task logs for each row, and what metrics and analyses read."""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from itertools import repeat
from math import isfinite
from operator import attrgetter, call
from typing import Any, get_args, get_type_hints

from vhbench.files import convert, shown
from vhbench.language import parsing
from vhbench.schema import Kind, Record, VhbenchError

KINDS = ("", *get_args(Kind))
"""What a record's kind may be."""

_HALF = re.compile("[\ud800-\udfff]")


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
    asked = {name: value for name, value in values.items() if name not in ANSWERED}
    return [first] + [
        replace(
            to_record({**asked, **answer}, place),
            id=f"{number}#{first.id}",
            pair_id=first.pair_id and f"{number}#{first.pair_id}",
        )
        for number, answer in enumerate(further, start=2)
    ]


def target_of(row: Mapping[str, Any]) -> str:
    """Return the right answer to a row: "yes", "no" or a letter; of captions the words that are in the picture."""
    return ", ".join(row["objects"]) if row["kind"] == "caption" else str(row["answer"])


ANSWERED = ("response", "prediction", "failure", "cut_off")
"""The columns that a repetition has of its own."""


def text_of(response: Any) -> str:
    """Return a response as text; None, and all else that says nothing, is ``""``.

    >>> [text_of(response) for response in ("Yes", True, 2, 2.0, None, float("nan"), ["Yes"])]
    ['Yes', 'True', '2', '2', '', '', '']
    """
    if isinstance(response, float):
        return f"{response:g}" if isfinite(response) else ""
    return str(response) if isinstance(response, (str, int)) else ""


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
    return changed(record, failure=failure, prediction="" if failure else record.prediction)


_NAMES = tuple(field.name for field in fields(Record))
_VALUES = attrgetter(*_NAMES)
_SET = {name: getattr(Record, name).__set__ for name in _NAMES}


def changed(record: Record, **changes: Any) -> Record:
    """Return a record with some fields changed, as ``dataclasses.replace`` does, in a third of its time.

    >>> changed(Record("q", response="no"), prediction="no") == Record("q", response="no", prediction="no")
    True
    """
    made = filled(_VALUES(record))
    for name, value in changes.items():
        _SET[name](made, value)
    return made


def setters_of(names: Iterable[str]) -> tuple[Any, ...]:
    """Return what puts a value into each of these fields of a new record."""
    return tuple([_SET[name] for name in names])


_IN_ORDER = setters_of(_NAMES)


def filled(values: Iterable[Any], setters: Iterable[Any] = _IN_ORDER) -> Record:
    """Return the record with these values of all fields, in the order of these setters; none is put in by a loop."""
    made = object.__new__(Record)
    deque(map(call, setters, repeat(made), values), maxlen=0)  # pyright: ignore[reportArgumentType]
    return made


def to_record(values: Mapping[str, Any], place: str = "the answer") -> Record:
    """Build a record from a JSON object; fields that are missing or null are empty, others are ignored.

    Args:
        values: field → value; a number stands for its digits. A ``response`` that is null, or no text, is a failed one.
        place: where the object was found, for errors.

    Raises:
        VhbenchError: if it is no object, has no id, or a field is of the wrong type.
    """
    if type(values) is not dict and not isinstance(values, Mapping):
        raise VhbenchError(f"{place} is {shown(values)}, not a Record or a mapping with its fields")
    if values.get("id") in (None, ""):
        raise VhbenchError(f"{place} has no 'id'")
    record = _of_plain(values) or _of_any(values, place)
    if record.kind not in KINDS:
        raise VhbenchError(f"{place}: kind is {shown(record.kind)}; must be one of {', '.join(KINDS[1:])}")
    known = "failure" in values and record.kind != "caption"
    return settled(record, empty="response" in values and not known)


def _of_any(values: Mapping[str, Any], place: str) -> Record:
    given = {k: _text(v) for k, v in values.items() if v is not None}
    if "response" in values:
        given["response"] = text_of(values["response"])
    record: Record = convert(given, Record, place)
    return record


_DEFAULTS = [field.default for field in fields(Record)]
_TYPES = get_type_hints(Record)
_IN_JSON: dict[Any, type[Any]] = {str: str, tuple[str, ...]: list, bool: bool}
_PLAIN = {name: (place, _IN_JSON[_TYPES[name]]) for place, name in enumerate(_NAMES) if _TYPES[name] in _IN_JSON}
"""Field → its place, and the type that JSON has for it."""


def _of_plain(values: Mapping[str, Any]) -> Record | None:
    """Return the record of an object that has texts, lists of texts and flags, as most have: in a third of the time.

    None is returned where a value is to be converted, or is wrong.
    """
    found = _DEFAULTS.copy()
    for name, value in values.items():
        if name not in _PLAIN:
            if name in _SET:
                return None
            continue
        place, kind = _PLAIN[name]
        if type(value) is not kind or (kind is str and not value.isascii()):
            return None
        if kind is list:
            if not all(type(one) is str for one in value):
                return None
            value = tuple(value)
        found[place] = value
    return filled(found)


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
