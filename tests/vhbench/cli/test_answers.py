"""``vhbench answers``: what was not read can be looked at."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.schema import VhbenchError

UNKNOWN = [
    f"{task}: its samples have no provenance: split, prompts, settings and number of questions are unknown"
    for task in ("mioh", "ode")
]
DEAD = "[LMMS_EVAL_REQUEST_FAILED after 1 retries] 404"


def said(key: str, response: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "kind": "yes_no", "question": "Is there a dog?", "answer": "no", "response": response, **more}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run of two tasks."""
    rows = {
        "ode": [
            said("a", "no", prediction="no"),
            said("b", "A dog\x1b[31m,\nperhaps", prediction=""),
            said("c", DEAD, prediction="no"),
        ],
        "mioh": [said("d", "I cannot see the image.", kind="multiple_choice", choices=["a dog", "=1+1"], cut_off=True)],
    }
    for task, records in rows.items():
        lines = "".join(json.dumps({"accuracy": record}) + "\n" for record in records)
        (tmp_path / f"20260101_samples_{task}.jsonl").write_text(lines)
    return tmp_path


def told(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["answers", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_what_was_not_read_is_listed_with_its_question(run: Path) -> None:
    lines = told(run).splitlines()
    assert lines == [
        *UNKNOWN,
        "refused  mioh  d",
        "  question: Is there a dog?; A. a dog; B. =1+1 (reference answer: no)",
        "  response: I cannot see the image.",
        "unparsed  ode  b",
        "  question: Is there a dog? (reference answer: no)",
        r"  response: A dog\x1b[31m,\nperhaps",
        "failed  ode  c",
        "  question: Is there a dog? (reference answer: no)",
        f"  response: {DEAD}",
        "mioh: 1 refused; n = 1",
        "ode: 1 unparsed, 1 failed; n = 3",
    ]


def test_kinds_and_tasks_can_be_chosen(run: Path) -> None:
    assert told(run, "--only", "failed", "--task", "ode").splitlines()[2] == "failed  ode  c"
    lines = told(run, "--task", "mioh", "--only", "unparsed, failed").splitlines()
    assert lines == [*UNKNOWN, "mioh: 0 unparsed, 0 failed; n = 1"]
    assert told(run, "--only", "cut_off").splitlines()[2] == "refused  mioh  d"


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
def test_they_can_be_written_whole(run: Path, suffix: str) -> None:
    file = run / "new" / f"unread.{suffix}"
    assert f"wrote {file} (3 responses)" in told(run, "--out", file)
    with file.open(encoding="utf-8", newline="") as opened:
        if suffix == "csv":
            rows = list(csv.DictReader(opened))
        elif suffix == "jsonl":
            rows = list(map(json.loads, opened))
        else:
            rows = json.load(opened)
    assert [(row["task"], row["id"], row["why"]) for row in rows] == [
        ("mioh", "d", "refused"),
        ("ode", "b", "unparsed"),
        ("ode", "c", "failed"),
    ]
    assert rows[1]["response"] == "A dog\x1b[31m,\nperhaps"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "bad"), "--only: expected one of unparsed, abstained, cut_off, failed, refused; got 'bad'"),
        (("--only", ""), "--only: expected one of unparsed"),
        (("--task", "ode_x"), "--task: expected one of mioh, ode; got 'ode_x'"),
        (("--out", "x.html"), "--out x.html: its name must end in .json, .jsonl, .csv"),
    ],
)
def test_what_is_not_there_is_named(run: Path, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        told(run, *arguments)
    assert str(raised.value).startswith(message)
