"""What lmms-eval logs (``--log_samples``) of tasks that are not ours, as rows with the fields of a record.

A sample has no question of its own: there is the prompt (``input``), the right answer in the task's form (``target``),
and whatever the task's metrics were handed. Options are found again in the prompt, in the form in which it lists them.
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
_SMALL = re.compile(r"(?<!\S)\(([a-z])\)\s*+(?=\S)")
"""Small letters mark options in brackets only: an article, "a", stands alone."""

_LETTER = re.compile(r"\(?([A-Z])\)?\.?")
_MOST = "H"
"""The last letter that is taken for an option where no options are found."""

_PROMPT = 20_000
"""Characters of a prompt that are searched for options, from its end."""


def is_sample(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is a line of lmms-eval's samples."""
    return "doc_id" in row and "target" in row and ("resps" in row or "filtered_resps" in row)


def payload(row: Mapping[str, Any], *, logged: bool = False) -> Mapping[str, Any] | None:
    """Return the whole record that a sample of a task of vhbench holds: its first metric was handed it.

    Args:
        row: a sample, or any row.
        logged: the row is a sample of ours; a record without a prediction is one, too.
    """
    if dict not in set(map(type, row.values())):
        return None
    needed = {"id", "response"} if logged else {"id", "response", "prediction"}
    found = (value for value in row.values() if isinstance(value, dict) and needed <= value.keys())
    return max(found, key=len, default=None)


def rows_of(sample: Mapping[str, Any]) -> Iterator[Row]:
    r"""Yield a row for each answer of a sample; ``kind`` is "" where the right answer is neither yes, no nor a letter.

    >>> sample = {"doc_id": 0, "target": "B", "input": "What is it?\nA. a cat\nB. a dog\nNow!", "resps": ["A dog"]}
    >>> [(row["kind"], row["choices"], row["answer"], row["response"]) for row in rows_of(sample)]
    [('multiple_choice', ['a cat', 'a dog'], 'B', 'A dog')]
    """
    handed = _handed(sample)
    prompt = sample.get("input")
    asked, choices = options(prompt if isinstance(prompt, str) else "")
    row: Row = {"question": _question(asked), "kind": "", "choices": []}
    row |= _right_answer(sample, handed, choices)
    for number, said in enumerate(_said(sample), start=1):
        name = str(sample["doc_id"])
        yield {"id": name if number == 1 else f"{number}#{name}", "response": said, **row}


def _question(prompt: str) -> str:
    r"""Return a prompt without what tells how to answer: it ends with its last question mark, where it has one.

    >>> _question("Is it a dog?\nAnswer the question using a single word or phrase.")
    'Is it a dog?'
    """
    return prompt[: prompt.rfind("?") + 1] or prompt


def options(prompt: str) -> tuple[str, list[str]]:
    r"""Return the question and the options that a prompt lists, by lines or within one.

    >>> options("Which?\n(A) red\n(B) blue"), options("Which?\nOptions: A: red, B: blue"), options("Is it a dog?")
    (('Which?', ['red', 'blue']), ('Which?', ['red', 'blue']), ('Is it a dog?', []))
    >>> options("Which? (a) red (b) blue")
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
        texts[-1] = texts[-1].partition(";")[0]  # behind it stands how to answer
    asked = re.sub(r"\s*(?:Options?|Choices?):?\s*$", "", prompt[: marks[0].start()])
    return asked.strip(), [text.strip().split("\n", 1)[0].rstrip(" ,;.") for text in texts]


def _run(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the last marks that count A, B, C … without a gap; none where there is no B."""
    starts = [place for place, mark in enumerate(marks) if mark[1].upper() == "A"]
    for start in reversed(starts):
        pairs = zip(marks[start:], _LETTERS, strict=False)
        run = [mark for mark, _ in takewhile(lambda pair: pair[0][1].upper() == pair[1], pairs)]
        if len(run) > 1:
            return run
    return []


def _handed(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the metrics of a task were handed, by name; the first that has a name tells it."""
    found: dict[str, Any] = {}
    for value in sample.values():
        if isinstance(value, Mapping):
            found = {str(name).lower(): inner for name, inner in value.items()} | found
    return found


def _right_answer(sample: Mapping[str, Any], handed: Mapping[str, Any], choices: list[str]) -> Row:
    """Return answer, kind and choices; nothing where the question is an open one."""
    for name, value in (("target", sample["target"]), *((name, handed.get(name)) for name in ANSWERS)):
        text = str(value).strip()
        said = right(text, (), flags=name == "gt_answer")
        if said in ("yes", "no") and not _LETTER.fullmatch(text):
            return {"answer": said, "kind": "yes_no"}
        letter = right(text, choices) if choices else ""
        if len(letter) == 1 and letter in _LETTERS[: len(choices)]:
            return {"answer": letter, "kind": "multiple_choice", "choices": choices}
        if not choices and (bare := _LETTER.fullmatch(text)) and bare[1] <= _MOST:
            # The options stand in the picture, or in a form of their own: their letters can be read all the same.
            letters = _LETTERS[: max(4, _LETTERS.index(bare[1]) + 1)]
            return {"answer": bare[1], "kind": "multiple_choice", "choices": [f"option {name}" for name in letters]}
    return {}


def _said(sample: Mapping[str, Any]) -> list[str]:
    """Return what the model said, before lmms-eval's filters took a part of it, once for each repetition."""
    said = sample.get("resps", sample.get("filtered_resps"))
    while isinstance(said, list) and len(said) == 1 and isinstance(said[0], list):
        said = said[0]
    return [str(words(one)) for one in said] if isinstance(said, list) and said else [str(words(said))]
