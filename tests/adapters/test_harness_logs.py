"""Logs of other harnesses: what was sent, what ended a response, and its tokens, reach the row."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from openpyxl import Workbook

from vhbench.adapters import harness_logs
from vhbench.adapters.table_rows import read_rows
from vhbench.runs.column_aliases import answered
from vhbench.schema import VhbenchError

MODEL = {"model": "mockllm/model"}
SAMPLE: dict[str, Any] = {"id": "q", "epoch": 1, "input": [{"role": "user", "content": "Is it?"}]}
SAID = {"role": "assistant", "content": "Yes."}
BRIEF = {"role": "system", "content": "Be brief."}


def test_a_batch_response_at_the_token_limit_is_cut_off() -> None:
    choice = {"finish_reason": "length", "message": {"content": "I see"}}
    body = {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 64}}
    [row] = harness_logs.of_batch({"custom_id": "q", "response": {"status_code": 200, "body": body}})
    assert answered(row, "line 1", joined=True) == {"id": "q", "response": "I see", "cut_off": True, "tokens": 64}


def test_the_usage_of_several_choices_is_no_choice_s_own() -> None:
    choices = [{"finish_reason": "stop", "message": {"content": text}} for text in ("yes", "no")]
    body = {"choices": choices, "usage": {"completion_tokens": 8}}
    rows = harness_logs.of_batch({"custom_id": "q", "response": {"status_code": 200, "body": body}})
    assert [answered(row, "line 1", joined=True) for row in rows] == [
        {"id": "q", "response": "yes", "cut_off": False},
        {"id": "2#q", "response": "no", "cut_off": False},
    ]


def test_a_batch_response_in_parts_is_its_text_without_thoughts() -> None:
    """Mistral's form; other servers give parts of text alone."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "No."}]}
    for parts in ([thought, {"type": "text", "text": "Yes, it is."}], [{"text": "Yes,"}, {"text": " it is."}]):
        body = {"choices": [{"message": {"role": "assistant", "content": parts}}]}
        [row] = harness_logs.of_batch({"custom_id": "q", "response": {"status_code": 200, "body": body}})
        assert answered(row, "line 1", joined=True) == {"id": "q", "response": "Yes, it is."}


def test_an_inspect_response_at_the_token_limit_is_cut_off() -> None:
    output = {
        "choices": [{"stop_reason": "max_tokens", "message": {"content": "I see"}}],
        "usage": {"input_tokens": 9, "output_tokens": 64},
    }
    [row] = harness_logs.of_inspect({"eval": MODEL, "samples": [{**SAMPLE, "epoch": 2, "output": output}]})
    found = answered(row, "sample 1", joined=True)
    assert (found["id"], found["cut_off"], found["tokens"]) == ("2#q", True, 64)


@pytest.mark.parametrize(
    ("messages", "config", "sent"),
    [
        ([], {}, "user:\nIs it?"),
        ([*SAMPLE["input"], SAID], {}, "user:\nIs it?"),
        ([BRIEF, *SAMPLE["input"], SAID], {}, "system:\nBe brief.\nuser:\nIs it?"),
        ([*SAMPLE["input"], SAID], {"system_message": "Be brief."}, "system:\nBe brief.\nuser:\nIs it?"),
        ([{"role": "user", "content": "Is it? Think."}, SAID], {}, "user:\nIs it? Think."),
        ([*SAMPLE["input"], SAID] * 2, {}, "user:\nIs it?\nassistant:\nYes.\nuser:\nIs it?"),
    ],
    ids=["none", "plain", "solver", "option", "template", "asked again"],
)
def test_the_prompt_of_an_inspect_log_is_what_was_sent(messages: list[Any], config: dict[str, str], sent: str) -> None:
    """Inspect logs a solver's system prompt among the messages, and that of --system-message in the plan's settings."""
    log = {"eval": MODEL, "plan": {"config": config}, "samples": [{**SAMPLE, "messages": messages}]}
    [row] = harness_logs.of_inspect(log)
    assert row[harness_logs.SENT].prompt == sent


def test_batch_output_of_the_responses_endpoint_is_read() -> None:
    def row(**body: Any) -> Any:
        said = {"custom_id": "q", "response": {"status_code": 200, "body": {"object": "response", **body}}}
        [found] = harness_logs.of_batch(said)
        return answered(dict(found), "line 1", joined=True)

    def message(*content: dict[str, str]) -> dict[str, Any]:
        return {"type": "message", "role": "assistant", "content": list(content)}

    text, refusal = {"type": "output_text", "text": "Yes, it"}, {"type": "refusal", "refusal": "I cannot."}
    usage = {"output_tokens": 64}
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    thought = {"type": "reasoning", "summary": [{"text": "No."}]}
    assert row(output=[thought, message(text, {"type": "output_text", "text": " is."})]) == {
        "id": "q", "response": "Yes, it is.",
    }  # fmt: skip
    assert row(output=[message(text)], usage=usage, **cut) == {
        "id": "q", "response": "Yes, it", "cut_off": True, "tokens": 64,
    }  # fmt: skip
    assert row(output=[message(refusal)])["response"] == "I cannot."
    assert row(output=[], status="failed", error={"code": "server_error"})["response"] == ""


def test_carriage_returns_of_a_table_stay_within_their_response(tmp_path: Path) -> None:
    """Pandas writes them into a TSV without quotes, and Excel as an escape."""
    said = ["Yes.\r\nIt is.", "No.\rThere", "Yes."]
    rows = "".join(f"{n}\tIs it?\t{text}\n" for n, text in enumerate(['"Yes.\r\nIt is."', *said[1:]]))
    (tmp_path / "out.tsv").write_bytes(b"index\tquestion\tprediction\n" + rows.encode())
    assert [row["prediction"] for row in read_rows(tmp_path / "out.tsv", {"index"})] == said
    (tmp_path / "mac.csv").write_bytes(b"index,prediction\r1,Yes.\r2,No.\r")
    assert [row["prediction"] for row in read_rows(tmp_path / "mac.csv", {"index"})] == ["Yes.", "No."]
    book = Workbook()
    book.active.append(["index", "question", "prediction"])
    book.active.append(["1", "Is it?", "Yes._x000D_\nIt is."])
    book.save(tmp_path / "out.xlsx")
    assert [row["prediction"] for row in read_rows(tmp_path / "out.xlsx", {"index"})] == ["Yes.\r\nIt is."]


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.jsonl", {"custom_id": "q", "response": {"body": "oops"}}, "row 1: expected a row of OpenAI batch output"),
        ("b.jsonl", {"custom_id": "q", "response": {"body": {"output": "text"}}}, "row 1: expected a row of OpenAI"),
        ("c.json", {"eval": MODEL, "samples": [{"id": "q", "response": "yes"}]}, r"row 1: .*Inspect.*no 'epoch'"),
        ("d.json", {"eval": MODEL, "samples": [{"id": "q", "epoch": 1}]}, r"row 1: .*Inspect.*no 'input'"),
        ("e.jsonl", {"doc": {}, "model_response": {}}, r"row 1: expected a row of lighteval details.*no 'text'"),
    ],
)
def test_a_log_with_other_values_is_refused_in_one_line(tmp_path: Path, name: str, content: Any, fault: str) -> None:
    (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(VhbenchError, match=f"{name}, {fault}") as raised:
        list(read_rows(tmp_path / name, {"id"}))
    assert "\n" not in str(raised.value)


def test_a_table_with_the_columns_of_a_log_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "batch.csv").write_text("custom_id,response\nq,Yes.\n")
    [row] = read_rows(tmp_path / "batch.csv", {"id"})
    assert answered(row, "row 1", joined=True) == {"id": "q", "response": "Yes."}
    (tmp_path / "details.jsonl").write_text('{"id": "q", "doc": "Is it?", "model_response": "Yes."}\n')
    [row] = read_rows(tmp_path / "details.jsonl", {"id"})
    assert row == {"id": "q", "doc": "Is it?", "model_response": "Yes."}
    (tmp_path / "one.jsonl").write_text('{"doc": {"specific": {"id": "q"}}, "model_response": {"text": "Yes."}}\n')
    assert [row["response"] for row in read_rows(tmp_path / "one.jsonl", {"id"})] == ["Yes."]


def test_inspects_own_logs_are_read_by_inspect_if_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def read(path: str) -> SimpleNamespace:
        return SimpleNamespace(model_dump=lambda mode: {"path": path, "mode": mode})

    monkeypatch.setitem(sys.modules, "inspect_ai.log", SimpleNamespace(read_eval_log=read))
    file = tmp_path / "x.eval"
    assert list(harness_logs.inspect_log(file)) == [{"path": str(file), "mode": "json"}]
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(VhbenchError) as raised:
        list(harness_logs.inspect_log(file))
    assert str(raised.value) == (
        "x.eval: expected Inspect to read its log (pip install inspect-ai), or its JSON form: inspect log convert "
        "x.eval --to json --output-dir json"
    )


def test_responses_of_other_repetitions_are_numbered_and_failed_ones_are_empty() -> None:
    failed = {"custom_id": "q", "response": {"status_code": 500, "body": {"choices": [{"message": {"content": "x"}}]}}}
    for row in (failed, {"custom_id": "q", "response": None}):
        [found] = harness_logs.of_batch(row)
        assert (found["id"], found["response"] or "") == ("q", "")
    assert harness_logs._repetition("q", 1, "x", a=1) == {"id": "q", "response": "x", "a": 1}
    assert harness_logs._repetition("q", 3, "x") == {"id": "3#q", "response": "x"}
