"""Answers are read back from what lmms-eval wrote."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.runs import Responses, read_run, runs_below
from vhbench.schema import VhbenchError


def write(folder: Path, name: str, *records: dict[str, Any]) -> Path:
    """Write a samples file as lmms-eval does."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    lines = [{"doc_id": i, "accuracy": record, "f1": {"id": record["id"]}} for i, record in enumerate(records)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def answer(key: str, response: str = "yes") -> dict[str, Any]:
    """Return a record as a task logs it."""
    return {"id": key, "response": response, "prediction": response, "objects": ["dog"], "score": 1.0}


def test_records_come_back_ordered_by_id(tmp_path: Path) -> None:
    file = write(tmp_path, "20260101_samples_ode.jsonl", answer("b"), answer("a", "no"))
    records = read_run(file).merged()
    assert [(r.id, r.response, r.objects) for r in records] == [("a", "no", ("dog",)), ("b", "yes", ("dog",))]


def test_of_several_runs_the_newest_of_each_task_counts(tmp_path: Path) -> None:
    write(tmp_path / "m", "20260101_samples_ode.jsonl", answer("a", "no"))
    write(tmp_path / "m", "20260102_samples_ode.jsonl", answer("a", "yes"))
    write(tmp_path / "m", "20260101_samples_mioh.jsonl", answer("b"))
    assert [(r.id, r.response) for r in read_run(tmp_path).merged()] == [("a", "yes"), ("b", "yes")]


def test_benchmarks_made_of_one_another_may_share_ids(tmp_path: Path) -> None:
    write(tmp_path, "20260101_samples_ode_fictional.jsonl", answer("a", "no") | {"benchmark": "ode"})
    write(tmp_path, "20260101_samples_vhexpansion_ode.jsonl", answer("a", "yes") | {"benchmark": "vhexpansion"})
    found = [(r.id, r.benchmark, r.response) for r in read_run(tmp_path).merged()]
    assert found == [("a", "ode", "no"), ("a", "vhexpansion", "yes")]


def test_of_several_models_each_is_named_that_was_asked(tmp_path: Path) -> None:
    coin = write(tmp_path, "1_samples_ode_fictional.jsonl", answer("a"))
    (tmp_path / "1_results.json").write_text('{"config": {"model": "vhbench_coin"}}')
    write(tmp_path / "qwen", "2_samples_ode_fictional.jsonl", answer("a"))
    write(tmp_path / "qwen", "3_samples_mioh.jsonl", answer("b"))
    for date in "23":
        (tmp_path / "qwen" / f"{date}_results.json").write_text('{"config": {"model": "qwen"}}')
    assert runs_below(tmp_path, lambda task: task.startswith("ode")) == [
        tmp_path / "1_results.json",
        tmp_path / "qwen" / "2_results.json",
    ]
    assert runs_below(tmp_path, lambda task: task == "mioh") == [tmp_path / "qwen" / "3_results.json"]
    assert runs_below(tmp_path / "qwen", lambda task: True) == [tmp_path / "qwen"], "one model: its newest of each task"
    assert runs_below(coin, lambda task: True) == [coin]


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="no such file"):
        read_run(tmp_path / "nowhere").merged()
    with pytest.raises(VhbenchError, match="--log_samples"):
        read_run(tmp_path).merged()
    write(tmp_path / "m1", "1_samples_ode.jsonl", answer("a"))
    write(tmp_path / "m2", "1_samples_ode.jsonl", answer("a"))
    with pytest.raises(VhbenchError, match="the results of one model, got 2"):
        read_run(tmp_path).merged()
    other = tmp_path / "other.jsonl"
    other.write_text('{"score": 1}\n')
    with pytest.raises(VhbenchError, match="row 1: expected a response"):
        read_run(other).merged()
    other.write_text("nonsense\n")
    with pytest.raises(VhbenchError, match="line 1"):
        read_run(other).merged()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("objects", "dog", "row 1: objects is 'dog': expected `array`, got `str`"),
        ("negated", "yes", "row 1: negated is 'yes': expected `bool`, got `str`"),
        ("question", ["why?"], r"row 1: question is \['why\?'\]: expected `str`, got `array`"),
        ("id", "", "row 1 has no 'id'"),
    ],
)
def test_a_field_of_the_wrong_type_is_named_with_its_place(
    tmp_path: Path, field: str, value: Any, message: str
) -> None:
    with pytest.raises(VhbenchError, match=message):
        read_run(write(tmp_path, "1_samples_ode.jsonl", answer("a") | {field: value})).merged()


def test_null_is_empty(tmp_path: Path) -> None:
    (record,) = read_run(
        write(tmp_path, "1_samples_ode.jsonl", answer("a") | {"pair_id": None, "objects": None})
    ).merged()
    assert (record.pair_id, record.objects) == ("", ())


def test_tasks_that_were_not_asked_alike_are_named(tmp_path: Path) -> None:
    for task, tokens in (("ode_a", 16), ("ode_b", 4096), ("ode_c", 4096)):
        told = {
            "task": task, "benchmark": "ode", "version": "1.0.0", "content_hash": "c", "data": {"kind": "starter"},
            "vhbench": "0.1.0", "lmms_eval": "0.7.3", "generation": {"max_new_tokens": tokens}, "asked": 1, "of": 1,
        }  # fmt: skip
        write(
            tmp_path, f"1_samples_{task}.jsonl", answer(task) | {"kind": "yes_no", "answer": "yes", "provenance": told}
        )
    line = "generation settings differ between tasks: max_new_tokens is 16 in ode_a, 4096 in ode_b and 1 more"
    assert line in read_run(tmp_path).notes
    for command in (["score", str(tmp_path)], ["answers", str(tmp_path)]):
        assert line in CliRunner().invoke(app, command).output


def test_several_logs_of_one_model_are_joined(tmp_path: Path) -> None:
    """An export of a split with two token limits is two tasks in Inspect, and so two logs."""
    asked = [{"id": name, "question": "Is there a dog?", "answer": "yes"} for name in "abc"]
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    logs = [tmp_path / f"{name}.json" for name in "ab"]

    def log_one(log: Path, model: str, name: str) -> None:
        output = {"choices": [{"message": {"content": "Yes."}}]}
        sample = {"id": name, "epoch": 1, "input": "Is there a dog?", "output": output}
        log.write_text(json.dumps({"eval": {"model": model}, "samples": [sample]}))

    for log in logs:
        log_one(log, "tiny", log.stem)
    responses = Responses(logs[0], tmp_path / "asked.json", further=logs[1:])
    assert [(record.id, record.prediction) for record in responses] == [("a", "yes"), ("b", "yes")]
    assert (responses.count, responses.missing.total(), responses.first_missing) == (2, 1, "c")
    words = ["score", *map(str, logs), "--questions", str(tmp_path / "asked.json"), "--json"]
    done = CliRunner().invoke(app, words)
    assert json.loads(done.stdout)["answers"] == 2, done.output
    log_one(logs[1], "tiny", "a")
    with pytest.raises(VhbenchError, match="'a' occurs twice"):
        list(Responses(logs[0], tmp_path / "asked.json", further=logs[1:]))
    log_one(logs[1], "large", "b")
    with pytest.raises(VhbenchError, match="expected responses of one model, got tiny and large"):
        list(Responses(logs[0], tmp_path / "asked.json", further=logs[1:]))
