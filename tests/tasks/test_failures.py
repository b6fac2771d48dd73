"""lmms-eval's own class for servers, against one that fails, refuses or says nothing: no score is told for free."""

import json
from pathlib import Path
from typing import Any

import pytest
from openai_standin import OpenAIStandin
from running import CommandLine, Evaluate, scores
from typer.testing import CliRunner

from vhbench.cli import app

EXISTENCE, CAPTION, CHOICE = TASKS = ["ode_fictional_existence", "ode_fictional_caption", "mioh_selective"]
LOST = {"unparsed", "abstained", "failed", "refused", "cut_off"}
REFUSAL = "I cannot see the image."


def run(evaluate: Evaluate, server: OpenAIStandin, **how: Any) -> dict[str, dict[str, float]]:
    with server:
        results = evaluate("openai", TASKS, model_args=server.model_args, limit=5, **how)
    return {task: scores(results, task) for task in TASKS}


@pytest.mark.parametrize(
    ("reply", "failed", "simple"),
    [
        (lambda number: 404, 15, False),
        (lambda number: None, 15, True),
        # All tasks' requests are in one order, of which a regular pattern may spare a task.
        (lambda number: 404 if number * 7919 % 13 < 7 else "Yes", 9, False),
    ],
    ids=["dead", "silent", "every other"],
)
def test_a_server_that_fails_has_no_score(
    evaluate: Evaluate, capfd: pytest.CaptureFixture[str], reply: Any, failed: int, simple: bool
) -> None:
    found = run(evaluate, OpenAIStandin(reply), force_simple=simple)
    told = capfd.readouterr().err
    assert sum(values["failed"] * 5 / 100 for values in found.values()) == pytest.approx(failed), "of 5 in each task"
    for task, values in found.items():
        assert {name for name, value in values.items() if value is not None} <= LOST | {"words"}
        assert f"vhbench: {task}: " in told
    assert "more than 1 %: scores are withheld" in told


def test_a_model_that_refuses_gets_no_credit_and_has_the_same_room_in_every_task(evaluate: Evaluate) -> None:
    server = OpenAIStandin(lambda number: REFUSAL)
    found = run(evaluate, server)
    assert {body["max_tokens"] for body in server.asked} == {4096}
    for values in found.values():
        assert (values["refused"], values["failed"]) == (100, 0)
    assert (found[EXISTENCE]["accuracy"], found[CHOICE]["accuracy"]) == (0, 0)
    assert (found[EXISTENCE]["recall"], found[EXISTENCE]["f1"], found[EXISTENCE]["precision"]) == (0, 0, None)
    assert {name: found[CAPTION][name] for name in ("chair_i", "chair_s", "cover", "cog")} == {
        "chair_i": None, "chair_s": None, "cover": 0, "cog": None
    }  # fmt: skip


def test_thoughts_that_never_end_are_told_from_requests_that_failed(command_line: CommandLine, tmp_path: Path) -> None:
    """Also from the command line, which takes thoughts away by default: nothing would be left of a whole one."""
    said = ["<think>There is a dog, so", "<think>There is a dog.</think>", "<think>No.</think>Yes"]
    with OpenAIStandin(lambda number: said[number % 3]) as server:
        done = command_line("openai", EXISTENCE, tmp_path, "--model_args", server.model_args, "--limit", "6")
    [file] = tmp_path.rglob("*_report.json")
    found = json.loads(file.read_text())["overall"]
    assert (found["failed"], found["refused"]) == (0, 0), done.err[-2000:]
    assert (found["cut_off"], found["unparsed"], found["yes_rate"]) == pytest.approx((200 / 3, 0, 100 / 3))
    assert found["bounds"]["accuracy"] == pytest.approx([found["accuracy"], found["accuracy"] + 200 / 3])


def test_responses_that_reach_the_token_limit_are_truncated_and_did_not_fail(
    command_line: CommandLine, tmp_path: Path
) -> None:
    """A fifth spends all tokens on hidden reasoning and is empty, a fifth breaks off, the others answer."""
    said = [("", 4096), ("The picture shows a room in which", 4096), ("Yes", 5), ("No", 5), ("Yes", 7)]
    with OpenAIStandin(lambda number: said[number % 5]) as server:
        done = command_line("openai", EXISTENCE, tmp_path, "--model_args", server.model_args, "--limit", "20")
    [file] = tmp_path.rglob("*_report.json")
    report = json.loads(file.read_text())
    found = report["overall"]
    assert (found["cut_off"], found["failed"], found["unparsed"]) == (40, 0, 0), done.err[-2000:]
    assert found["bounds"]["accuracy"] == [found["accuracy"], found["accuracy"] + 40]
    assert (
        "8 of 20 responses (40.0 %) are truncated; raise the token limit with --gen_kwargs max_new_tokens" in done.err
    )
    ends = f"{found['accuracy']:.1f}–{found['accuracy'] + 40:.1f}"
    assert f"(20 of 80 evaluated; accuracy {ends} depending on missing predictions)" in done.out
    assert report["tokens"]["responses"] == 20
    assert found["tokens"] == pytest.approx((4096 * 8 + 5 * 8 + 7 * 4) / 20)
    assert report["tokens"]["p95"] == 4096
    scored = CliRunner().invoke(app, ["score", str(tmp_path), "--json"], catch_exceptions=False)
    [again] = json.loads(scored.stdout)["scores"]
    assert (again["cut_off"], again["failed"]) == (0.4, 0)
    assert [100 * end for end in again["bounds"]["accuracy"]] == pytest.approx(found["bounds"]["accuracy"])


def test_the_table_shows_no_score_and_the_report_says_why(command_line: CommandLine, tmp_path: Path) -> None:
    with OpenAIStandin(lambda number: 404) as server:
        done = command_line("openai", EXISTENCE, tmp_path, "--model_args", server.model_args, "--limit", "8")
    rows = [[cell.strip() for cell in line.split("|")] for line in done.out.splitlines() if EXISTENCE in line]
    table = {row[4]: set(row[6:-1]) for row in rows if len(row) > 6}
    assert table["accuracy"] == {"N/A", "±"}, "nor a standard error"
    assert table["failed"] & {"100", "100.0000"}, "as the column is formatted"
    [file] = tmp_path.rglob("*_report.json")
    report = json.loads(file.read_text())
    assert report["withheld"].startswith(
        "8 of 8 requests failed (100.0 %), more than 1 %: scores are withheld; the first"
    )
    assert "There is no vision tower" in report["withheld"]
    assert len(report["unread"]["examples"]["failed"]) == 8
    assert report["overall"]["accuracy"] is None
    assert {cell["accuracy"] for cells in report["cells"].values() for cell in cells} == {None}
    listed = CliRunner().invoke(app, ["answers", str(tmp_path), "--only", "failed"], catch_exceptions=False)
    assert f"{EXISTENCE}: 8 failed; n = 8" in listed.output
    told = CliRunner().invoke(app, ["analyse", "ode", str(tmp_path)], catch_exceptions=False)
    assert "8 of 8 requests failed" in told.output
