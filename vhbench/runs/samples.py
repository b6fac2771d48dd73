"""lmms-eval's logged samples (``--log_samples``) of other tasks as rows with the fields of a record.

A sample has no question field, only the prompt (``input``), the reference answer in the task's format (``target``), and
the inputs of the task's metrics. Options are parsed from the prompt.
"""

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from vhbench.runs.column_aliases import ANSWERS, Row, right, words

_LETTERS = string.ascii_uppercase
_OF_A_LINE = re.compile(r"^[ \t]*+(?:Options?:[ \t]*+)?\(?([A-Z])[).:][ \t]*+(.+?)[ \t]*+$", re.MULTILINE)
_INLINE = re.compile(r"(?:(?<=[\s,;:])|^)\(?([A-Z])[).:]\s*+(?=\S)", re.MULTILINE)
# lower-case letters mark options in brackets only, as "a" may be an article
_SMALL = re.compile(r"(?<!\S)\(([a-z])\)\s*+(?=\S)")
_LETTER = re.compile(r"\(?([A-Z])\)?\.?")
_MOST = "H"  # last letter accepted as an option if the prompt lists none
_PROMPT = 20_000  # maximum characters of a prompt that are searched for options, from its end


def is_sample(row: Mapping[str, Any]) -> bool:
    """Return whether a row is one of lmms-eval's samples."""
    return "doc_id" in row and "target" in row and ("resps" in row or "filtered_resps" in row)


def payload(row: Mapping[str, Any], *, logged: bool = False) -> Mapping[str, Any] | None:
    """Return the record in a sample of a vhbench task, the input of its first metric; None for any other row.

    Of ``logged`` samples of vhbench, a record without prediction is accepted.
    """
    if dict not in set(map(type, row.values())):
        return None
    needed = {"id", "response"} if logged else {"id", "response", "prediction"}
    payloads = (value for value in row.values() if isinstance(value, dict) and needed <= value.keys())
    return max(payloads, key=len, default=None)


def rows_of(sample: Mapping[str, Any]) -> Iterator[Row]:
    r"""Yield a row per response of a sample; ``kind`` is "" if the reference answer is neither yes, no nor a letter.

    >>> sample = {"doc_id": 0, "target": "B", "input": "What is it?\nA. a cat\nB. a dog\nNow!", "resps": ["A dog"]}
    >>> [(row["kind"], row["choices"], row["answer"], row["response"]) for row in rows_of(sample)]
    [('multiple_choice', ['a cat', 'a dog'], 'B', 'A dog')]
    """
    handed: dict[str, Any] = {}  # inputs of the task's metrics by name; the first metric with a name wins
    for value in sample.values():
        if isinstance(value, Mapping):
            handed = {str(name).lower(): inner for name, inner in value.items()} | handed
    prompt = sample.get("input")
    question, choices = _options(prompt if isinstance(prompt, str) else "")
    row: Row = {"question": _question(question), "kind": "", "choices": []}
    row |= _right_answer(sample, handed, choices)
    for number, response in enumerate(_responses(sample), start=1):
        name = str(sample["doc_id"])
        yield {"id": name if number == 1 else f"{number}#{name}", "response": response, **row}


def _question(prompt: str) -> str:
    r"""Return a prompt without answer instructions: up to its last question mark, if any.

    >>> _question("Is it a dog?\nAnswer the question using a single word or phrase.")
    'Is it a dog?'
    """
    return prompt[: prompt.rfind("?") + 1] or prompt


def _options(prompt: str) -> tuple[str, list[str]]:
    r"""Return the question and the options of a prompt, in separate lines or within one.

    >>> _options("Which?\n(A) red\n(B) blue"), _options("Which?\nOptions: A: red, B: blue"), _options("Is it a dog?")
    (('Which?', ['red', 'blue']), ('Which?', ['red', 'blue']), ('Is it a dog?', []))
    >>> _options("Which? (a) red (b) blue")
    ('Which?', ['red', 'blue'])
    """
    prompt = prompt[-_PROMPT:]
    lines = _run(list(_OF_A_LINE.finditer(prompt)))
    if lines:
        return prompt[: lines[0].start()].strip(), [mark[2].strip() for mark in lines]
    marks = _run(list(_INLINE.finditer(prompt))) or _run(list(_SMALL.finditer(prompt)))
    if not marks:
        return prompt.strip(), []
    ends = [mark.start() for mark in marks[1:]]
    texts = [prompt[mark.end() : end] for mark, end in zip(marks, [*ends, len(prompt)], strict=True)]
    if all(text.rstrip().endswith(";") for text in texts[:-1]):
        texts[-1] = texts[-1].partition(";")[0]  # followed by answer instructions
    question = re.sub(r"\s*(?:Options?|Choices?):?\s*$", "", prompt[: marks[0].start()])
    return question.strip(), [text.strip().split("\n", 1)[0].rstrip(" ,;.") for text in texts]


def _run(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the last consecutive option marks A, B, C …; empty without B."""
    starts = [index for index, mark in enumerate(marks) if mark[1].upper() == "A"]
    for start in reversed(starts):
        pairs = zip(marks[start:], _LETTERS, strict=False)
        run = [mark for mark, _ in takewhile(lambda pair: pair[0][1].upper() == pair[1], pairs)]
        if len(run) > 1:
            return run
    return []


def _right_answer(sample: Mapping[str, Any], handed: Mapping[str, Any], choices: list[str]) -> Row:
    """Return answer, kind and choices; empty for an open question."""
    for name, value in (("target", sample["target"]), *((name, handed.get(name)) for name in ANSWERS)):
        text = str(value).strip()
        answer = right(text, (), flags=name == "gt_answer")
        if answer in ("yes", "no") and not _LETTER.fullmatch(text):
            return {"answer": answer, "kind": "yes_no"}
        letter = right(text, choices) if choices else ""
        if len(letter) == 1 and letter in _LETTERS[: len(choices)]:
            return {"answer": letter, "kind": "multiple_choice", "choices": choices}
        if not choices and (bare := _LETTER.fullmatch(text)) and bare[1] <= _MOST:
            # The options are in the image, or in another format: letters can still be parsed.
            letters = _LETTERS[: max(4, _LETTERS.index(bare[1]) + 1)]
            return {"answer": bare[1], "kind": "multiple_choice", "choices": [f"option {name}" for name in letters]}
    return {}


def _responses(sample: Mapping[str, Any]) -> list[str]:
    """Return the responses before lmms-eval's filters, one per repetition."""
    logged = sample.get("resps", sample.get("filtered_resps"))
    while isinstance(logged, list) and len(logged) == 1 and isinstance(logged[0], list):
        logged = logged[0]
    return [str(words(one)) for one in logged] if isinstance(logged, list) and logged else [str(words(logged))]
