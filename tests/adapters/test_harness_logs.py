"""Logs of other harnesses: what ended a response, and its tokens, reach the row."""

from vhbench.adapters import harness_logs
from vhbench.runs.column_aliases import answered


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
        {"id": "q", "response": "yes"},
        {"id": "2#q", "response": "no"},
    ]


def test_an_inspect_response_at_the_token_limit_is_cut_off() -> None:
    output = {
        "choices": [{"stop_reason": "max_tokens", "message": {"content": "I see"}}],
        "usage": {"input_tokens": 9, "output_tokens": 64},
    }
    [row] = harness_logs.of_inspect({"samples": [{"id": "q", "epoch": 2, "input": "Is it?", "output": output}]})
    found = answered(row, "sample 1", joined=True)
    assert (found["id"], found["cut_off"], found["tokens"]) == ("2#q", True, 64)
