"""Column names of other harnesses' tables for the fields of a record."""

import ast
import json
import math
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any

from vhbench.adapters.tables import OPTION_FIELDS, split_options
from vhbench.columns import FLAGS, LISTS, RECORD
from vhbench.files import quote_value
from vhbench.language import parsing
from vhbench.schema import VhbenchError

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Field → column of a table; columns with one option each; fields to parse; column that names the image."""

    columns: Mapping[str, str]
    single: tuple[str, ...]
    read: tuple[str, ...]
    image: str | None

    @property
    def flags(self) -> bool:
        """Return whether the answer is 1 or 0."""
        return self.columns.get("answer") == "gt_answer"


IDS = ("id", "question_id", "index", "qid", "doc_id", "idx", "sample_id", "image_id", "custom_id")
ANSWERS = (
    "answer", "label", "gold", "gt", "gt_answer", "ground_truth", "correct_answer", "correct answer", "target",
    "dis_truth", "truth",
)  # fmt: skip
RESPONSES = ("response", "prediction", "pred", "output", "model_answer", "model_output", "model_prediction", "caption")
QUESTIONS = ("question", "prompt", "query", "text")
CHOICES = ("choices", "options")
IMAGES = ("image", "image_id", "image_path", "image_file", "img")
# keys that identify a JSON object as a row: ours, POPE's, VLMEvalKit's, LLaVA's and similar ones
KNOWN = frozenset((*RECORD, *IDS, *ANSWERS, *RESPONSES, *QUESTIONS, *CHOICES))
_TOKENS = ("completion_tokens", "output_tokens", "tokens")
_LIMITS = ("max_new_tokens", "max_completion_tokens", "max_tokens", "max_output_tokens")
_AT_THE_LIMIT = ("length", "max_tokens", "max_output_tokens")
_LETTERS = string.ascii_uppercase

_LONGEST = 1 << 20  # maximum characters of a list stored as text; parsing takes up to 250 times as much memory
_LONGEST_NAME = 1000  # maximum characters of an image's name; longer texts are images in base64


def asked(row: Row, location: str) -> Row:
    """Return a row of questions with the field names of a record.

    >>> asked({"question_id": 1, "text": "Is there a dog?", "label": "no"}, "row 1")
    {'id': 1, 'answer': 'no', 'question': 'Is there a dog?'}
    >>> asked({"id": 1, "image": "7.jpg", "answer": "no"}, "row 1")  # questions about one image form a cluster
    {'id': 1, 'answer': 'no', 'scene_ids': ('7.jpg',)}
    >>> asked({"id": 1, "type": "generative", "truth": ["dog"], "hallu": ["cat"]}, "row 1")  # ODE's and AMBER's
    {'id': 1, 'kind': 'caption', 'objects': ['dog'], 'candidates': ['cat']}
    """
    truth = row.get("dis_truth", row.get("truth"))
    if "hallu" in row and isinstance(truth, list):
        return {"id": row.get("id"), "kind": "caption", "objects": truth, "candidates": row["hallu"]}
    return _usual(row, location, _plan(tuple(row), ""))


def answered(row: Row, location: str, *, joined: bool) -> Row:
    """Return a row of responses with the field names of a record; ``location`` is for errors.

    ``joined``: reference answers come from elsewhere, so that a field ``answer`` is the response.

    >>> row = {"index": 3, "A": "cat", "B": "dog", "answer": "B", "prediction": "A dog."}  # VLMEvalKit's
    >>> sorted(answered(row, "row 1", joined=False).items())
    [('answer', 'B'), ('choices', ['cat', 'dog']), ('id', 3), ('response', 'A dog.')]
    """
    fields = _usual(row, location, _plan(tuple(row), "joined" if joined else "answered"))
    if type(response := fields.get("response")) is not str:
        fields["response"] = words(response)
    return fields | _ending(row)


def _ending(row: Row) -> Row:
    """Return the number of tokens of a response and whether it is truncated, as OpenAI and Anthropic name them.

    >>> _ending({"finish_reason": "length", "usage": {"completion_tokens": 4096}}), _ending({"stop_reason": "end_turn"})
    ({'cut_off': True, 'tokens': 4096}, {'cut_off': False})
    >>> _ending({"usage": {"completion_tokens": 64}, "max_tokens": 64})
    {'cut_off': True, 'tokens': 64}
    >>> _ending({"cut_off": True, "tokens": 9}), _ending({"cut_off": False})  # vhbench's own
    ({'cut_off': True, 'tokens': 9}, {'cut_off': False})
    """
    usage = row.get("usage")
    counts = (places.get(name) for places in (row, usage) if isinstance(places, dict) for name in _TOKENS)
    tokens = next((count for count in counts if type(count) is int and count > 0), None)
    reasons = [str(row[name]).lower() for name in ("finish_reason", "stop_reason") if row.get(name)]
    own = row.get("cut_off")
    cut = own is True or any(reason in _AT_THE_LIMIT for reason in reasons)
    limit = next((row[name] for name in _LIMITS if type(row.get(name)) is int), None)
    cut = cut or bool(tokens and limit and tokens >= limit)
    return ({"cut_off": cut} if cut or reasons or own is False else {}) | ({"tokens": tokens} if tokens else {})


def words(response: Any) -> Any:
    """Return a response as text; the item of a list of one, "" for nothing."""
    if isinstance(response, list | tuple) and len(response) == 1:
        return words(response[0])
    if response is None or (isinstance(response, float) and math.isnan(response)):
        return ""
    return str(response) if isinstance(response, bool | int | float) else response


@lru_cache(maxsize=256)
def _plan(columns: tuple[str | None, ...], role: str) -> _Plan:
    """Return the mapping of some columns, cached; ``said`` are the candidates for the response column."""
    there = {name.strip().lower(): name for name in reversed(columns) if name is not None}
    fields = {name: there[name] for name in RECORD if name in there} | _first(there, "id", IDS)
    if role:
        more = ("answer", "text") if role == "joined" else ("text",)
        fields |= _first(there, "response", (*RESPONSES, *more))
        if fields.get("response") == there.get("response") and "prediction" in there:
            fields["prediction"] = there["prediction"]
    if role != "joined" or fields.get("response") != there.get("answer"):
        fields |= _first(there, "answer", ANSWERS)
    free = [name for name in QUESTIONS if there.get(name) not in (None, fields.get("response"))]
    fields |= _first(there, "question", free) | _first(there, "choices", CHOICES)
    names = next((names for names in OPTION_FIELDS if {names[0].lower(), names[1].lower()} <= there.keys()), ())
    listed = tuple(there[name.lower()] for name in takewhile(lambda name: name.lower() in there, names))
    single = listed if "choices" not in fields else ()
    read = tuple([field for field in _READ if field in fields])
    image = next((there[name] for name in IMAGES if name in there), None)
    return _Plan(fields, single, read, image if role != "joined" and "scene_ids" not in fields else None)


def _first(there: Mapping[str, str], field: str, names: tuple[str, ...] | list[str]) -> dict[str, str]:
    return next(({field: there[name]} for name in names if name in there), {})


def _usual(row: Row, location: str, plan: _Plan) -> Row:
    if None in row:
        raise VhbenchError(
            f"{location}: expected as many fields as columns, got more; quote fields that contain a separator"
        )
    there = ((field, row[column]) for field, column in plan.columns.items())
    fields = {field: value for field, value in there if not _missing(value)}
    if plan.single:
        fields["choices"] = [str(row[name]) for name in plan.single if not _missing(row[name]) and row[name] != ""]
    for field in plan.read:
        if isinstance(text := fields.get(field), str):
            if len(text) > _LONGEST:
                raise VhbenchError(
                    f"{location}: expected {field} of at most {_LONGEST:,} characters, got {len(text):,}"
                )
            fields[field] = _READ[field](text)
    image = row[plan.image] if plan.image else ""
    if isinstance(image, str | int) and 0 < len(str(image)) <= _LONGEST_NAME:
        fields["scene_ids"] = (str(image),)
    if isinstance(identity := fields.get("id"), float) and identity.is_integer():
        fields["id"] = int(identity)
    if (choices := fields.get("choices")) is not None and not isinstance(choices, str):
        fields["choices"] = _listed(choices, location)
    if "answer" in fields:
        fields["answer"] = right(fields["answer"], fields.get("choices", ()), flags=plan.flags)
    return fields


def _listed(choices: Any, location: str) -> list[str]:
    if isinstance(choices, dict):
        choices = [choices[letter] for letter in sorted(choices)]
    if not isinstance(choices, (list, tuple)):
        raise VhbenchError(f"{location}: expected a list of options, got {quote_value(choices)}")
    return [str(choice) for choice in choices]


def right(answer: Any, choices: Any, *, flags: bool = False) -> Any:
    """Return a reference answer as "yes", "no" or a letter if it is one of them, else unchanged.

    >>> right("Yes.", ()), right("(b)", ("cat", "dog")), right("Dog", ("cat", "dog")), right("1", (), flags=True)
    ('yes', 'B', 'B', 'yes')
    """
    text = str(answer).strip()
    if not choices:
        return parsing.label(text) or ({"1": "yes", "0": "no"}.get(text, answer) if flags else answer)
    letters = _LETTERS[: len(choices)]
    letter = text.strip("(). :").upper()
    if len(letter) == 1 and letter in letters:
        return letter
    same = [index for index, choice in enumerate(choices) if str(choice).strip().lower() == text.lower()]
    return letters[same[0]] if len(same) == 1 and same[0] < len(letters) else answer


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _list(text: str) -> Any:
    """Parse a list in a table cell: JSON, Python literal, or options with letters."""
    text = text.strip()
    if not text.startswith("["):
        return list(split_options(text)) or (text if text else [])
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


def _flag(text: str) -> Any:
    return {"yes": True, "no": False}.get(parsing.label(text) or {"1": "yes", "0": "no", "": "no"}.get(text, ""), text)


# fields that tables store as text
_READ: dict[str, Callable[[str], Any]] = dict.fromkeys(LISTS, _list) | dict.fromkeys(FLAGS, _flag)
