"""Conversion of JSON, or a row and a response, to :class:`vhbench.schema.Record`."""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple, get_args

from vhbench.files import convert, quote_value, read_json
from vhbench.language import parsing
from vhbench.schema import TIE, Kind, Record, VhbenchError

KINDS = ("", *get_args(Kind))  # possible kinds of a record
ANSWERED = ("response", "prediction", "failure", "cut_off", "tokens")  # columns specific to a repetition
_HALF = re.compile("[\ud800-\udfff]")
_PREFIX = re.compile(r"((?:[0-9]+#|[rw][1-9]#)+)(.*)", re.DOTALL)
_VARIANT = re.compile(r"([rw])([1-9])#")
# option that refers to those above it, and so stays the last
_STAYS = re.compile(r"\bof (?:the above|these|them)\W*$", re.IGNORECASE)


class ReferenceZeroDivision(VhbenchError, ZeroDivisionError):
    """Division by zero in a reference implementation, and with ``compat=True``."""


def to_records(values: Mapping[str, Any], location: str = "the answer") -> list[Record]:
    """Build the records of a payload: one, or with ``lmms-eval --repeats`` one per answer.

    The ids of further answers are prefixed with a number, so that halves of a pair are matched within a repetition;
    intervals cluster them together.

    >>> [(r.id, r.prediction) for r in to_records({"id": "q", "prediction": "no", "repeats": [{"prediction": "yes"}]})]
    [('q', 'no'), ('2#q', 'yes')]
    """
    first = to_record(values, location)
    question = {name: value for name, value in values.items() if name not in ANSWERED}
    return [first] + [
        replace(
            to_record({**question, **answer}, location),
            id=f"{number}#{first.id}",
            pair_id=first.pair_id and f"{number}#{first.pair_id}",
        )
        for number, answer in enumerate(values.get("repeats") or (), start=2)
    ]


def to_record(values: Mapping[str, Any], location: str = "the answer") -> Record:
    """Build a record from a JSON object; missing or null fields are empty, others are ignored.

    Numbers are converted to digits, but for ``tokens``. A ``response`` that is null or not a text counts as failed.
    Raises VhbenchError if it is not an object, has no id, or a field has the wrong type.
    """
    if not isinstance(values, Mapping):
        raise VhbenchError(f"{location} is {quote_value(values)}, not a Record or a mapping with its fields")
    if values.get("id") in (None, ""):
        raise VhbenchError(f"{location} has no 'id'")
    fields = {
        name: value if type(value) is bool or name == "tokens" else _text(value)
        for name, value in values.items()
        if value is not None
    }
    if "response" in values:
        fields["response"] = text_of(values["response"])
    record: Record = convert(fields, Record, location)
    if record.kind not in KINDS:
        raise VhbenchError(f"{location}: kind: expected one of {', '.join(KINDS[1:])}, got {quote_value(record.kind)}")
    known = "failure" in values and record.kind != "caption"
    return settled(record, empty="response" in values and not known)


def _text(value: Any) -> Any:
    """Return the digits of a number, and of a list's numbers."""
    if isinstance(value, str):
        if value.isascii() or not _HALF.search(value):
            return value
        return value.encode("utf-8", "replace").decode()  # a truncated answer may end in half of a character
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        return [str(item) for item in value]
    return value


def text_of(response: Any) -> str:
    """Return a response as text; "" for None and other empty values.

    >>> [text_of(response) for response in ("Yes", True, 2, 2.0, None, float("nan"), ["Yes"])]
    ['Yes', 'True', '2', '2', '', '', '']
    """
    if isinstance(response, float):
        return f"{response:g}" if isfinite(response) else ""
    return str(response) if isinstance(response, (str, int)) else ""


def target_of(row: Mapping[str, Any]) -> str:
    """Return a row's reference answer: "yes", "no", a letter, or a caption's visible objects."""
    return ", ".join(row["objects"]) if row["kind"] == "caption" else str(row["answer"])


def answered(
    columns: Mapping[str, Any], response: Any, tokens: int = 0, limit: int | None = None, *, cut_off: bool = False
) -> Record:
    """Combine a question's columns and a response; the kind selects the parser.

    Of ``tokens`` generated (0 if unknown), a response that reaches its ``limit`` is truncated, as is one that is known
    to be ``cut_off``.
    """
    text, kind = text_of(response), columns["kind"]
    prediction = parsing.parse(kind, text, tuple(columns["choices"]), question=columns["question"])
    cut = cut_off or bool(limit and tokens >= limit) or parsing.cut_off(text, kind)
    return settled(Record(**columns, response=text, prediction=prediction, cut_off=cut, tokens=tokens), empty=True)


def settled(record: Record, *, empty: bool | None = None) -> Record:
    """Return a record with its failure status; failed ones and refusals have no prediction.

    A record without a response may have lost its text; ``empty`` states that there was none. If that is unknown, a
    caption counts as empty. An empty response that is truncated spent all tokens on reasoning: it has not failed.

    >>> settled(Record("q", response="[LMMS_EVAL_REQUEST_FAILED] 404", prediction="no")).failure
    'failed'
    """
    failure = record.failure
    if empty is None:
        empty = record.kind == "caption"
    only_thought = record.cut_off and not record.response.strip()
    if not failure and not only_thought and (record.response or (empty and not record.prediction)):
        failure = parsing.failure(record.response, record.choices)
    if failure == record.failure and not (failure and record.prediction):
        return record
    return replace(record, failure=failure, prediction="" if failure else record.prediction)


def as_records(rows: Iterable[Record | Mapping[str, Any]]) -> list[Record]:
    """Return rows as records; raise VhbenchError for a field of the wrong type, and for a missing or duplicate id."""
    return list(each_record(rows))


def each_record(rows: Iterable[Record | Mapping[str, Any]]) -> Iterator[Record]:
    """Yield the rows as records, storing only ids. Raises as :func:`as_records`.

    Rows with a true ``unique`` are not checked for duplicates (:class:`vhbench.runs.read.Responses`).
    """
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise VhbenchError(
            f"the rows are {quote_value(rows)}; needed: a list of Records or of mappings with their fields"
        )
    seen, unique = set[str](), getattr(rows, "unique", False)
    for index, row in enumerate(rows):
        record = settled(row) if isinstance(row, Record) else to_record(row, f"row {index}")
        if not unique:
            if record.id in seen:
                raise VhbenchError(
                    f"id {quote_value(record.id)} occurs twice (again in row {index}); each may occur once"
                )
            seen.add(record.id)
        yield record


def outcome_of(record: Record) -> str:
    """Return a record's prediction, "" if unparsed; otherwise "failed", "refused" or "abstained".

    A complete response to a question abstains if it gives no answer but states that it cannot tell.
    """
    known = record.failure or record.prediction
    if known or not record.response or record.kind == "caption" or is_cut_off(record):
        return known
    return parsing.failure(record.response, record.choices, unread=True)


def is_cut_off(record: Record) -> bool:
    """Return whether an answer is truncated, by its record or its remaining text."""
    return record.cut_off or (record.response != "" and parsing.cut_off(record.response, record.kind))


def refuse_duplicates(keys: Iterable[Hashable], name: str) -> None:
    """Raise if a key occurs twice: a duplicate row would distort the score."""
    seen: set[Hashable] = set()
    for index, key in enumerate(keys):
        if key in seen:
            raise VhbenchError(f"{name} {quote_value(key)} occurs twice (again in row {index}); each may occur once")
        seen.add(key)


def binary_answer(record: Record) -> str:
    """Return a record's reference answer, "yes" or "no"; raise if it is neither."""
    known = record.answer in ("yes", "no")  # avoids formatting the error for each of a million rows
    return record.answer if known else yes_or_no(record.answer, f"question {record.id!r}: the answer")


def yes_or_no(answer: Any, location: str) -> str:
    """Return a reference answer in lower case; raise if it is neither "yes" nor "no"."""
    text = answer.strip().lower() if isinstance(answer, str) else answer
    if text not in ("yes", "no"):
        raise VhbenchError(f"{location}: expected 'yes' or 'no', got {quote_value(answer)}")
    return str(text)


def resampling_unit(record: Record) -> str:
    """Return a record's cluster from its own row: for lmms-eval, which sees one row at a time.

    That is its image; for several images its fact (:func:`fact_of`), as images are shared by many facts. With all rows,
    :func:`vhbench.statistics.clusters.clusters_of` finds further dependence.

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
    """Return a pair's test case: its id without the perturbation, "" without one.

    >>> case_of(Record("2#q/jpeg/negated", pair_id="2#q/jpeg", perturbation="jpeg", negated=True))
    '2#q'
    """
    return record.pair_id.removesuffix(f"/{record.perturbation}") if record.perturbation else record.pair_id


def fact_of(record: Record) -> str:
    """Return a record's fact, common to all forms and repetitions; "" without one.

    Tied questions share it too: their ``pair_id`` ends with that of the question that they are tied to.

    >>> fact_of(Record("2#q/jpeg", pair_id="2#q/jpeg", perturbation="jpeg")), fact_of(Record("y", pair_id="e5~e1-12"))
    ('q', 'e1-12')
    """
    return split_repetition(case_of(record))[1].rpartition(TIE)[2]


class _QuestionName(NamedTuple):
    """An id: the prefix of a repetition (:func:`to_records`) or a variant, and the id of the question."""

    prefix: str
    question: str

    @property
    def variant(self) -> tuple[str, int]:
        """Which variant: "r" (rotation) or "w" (wording), and its number; ("", 1) if none."""
        match = _VARIANT.search(self.prefix)
        return (match[1], int(match[2])) if match else ("", 1)

    def vary(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a variant of a row: its id with this prefix and, of a rotation, its options and answer moved.

        Rotation n moves every option n - 1 places up, the first ones to the end ("None of the above" stays in its
        place). A wording changes the prompt alone.

        >>> row = {"id": "q", "choices": ["cat", "dog", "None of the above"], "answer": "B"}
        >>> split_repetition("r2#").vary(row)
        {'id': 'r2#q', 'choices': ['dog', 'cat', 'None of the above'], 'answer': 'A'}
        """
        named = {name: f"{self.prefix}{row[name]}" for name in ("id", "pair_id") if row.get(name)}
        kind, number = self.variant
        choices = list(row.get("choices") or ())
        places = [index for index, choice in enumerate(choices) if not _STAYS.search(choice)]
        if kind != "r" or not places:
            return {**row, **named}
        turn = (number - 1) % len(places)
        moved = dict(zip(places, places[turn:] + places[:turn], strict=True))
        order = [moved.get(index, index) for index in range(len(choices))]
        answer = row.get("answer", "")
        if answer in ascii_uppercase[: len(choices)] and answer:
            answer = ascii_uppercase[order.index(ascii_uppercase.index(answer))]
        return {**row, **named, "choices": type(row["choices"])(choices[index] for index in order), "answer": answer}


def split_repetition(name: str) -> _QuestionName:
    """Return the prefix of an id, and the id of the question.

    >>> tuple(split_repetition("2#q")), tuple(split_repetition("q#2")), split_repetition("2#r3#q").variant
    (('2#', 'q'), ('', 'q#2'), ('r', 3))
    """
    match = _PREFIX.fullmatch(name) if "#" in name else None
    return _QuestionName(match[1], match[2]) if match else _QuestionName("", name)


def loaded(data: Any) -> Any:
    """Return the content of a JSON file; any value other than a path is unchanged."""
    return read_json(data) if isinstance(data, (str, Path)) else data
