"""lmms-eval as a command with two processes, and with a real model class on a tiny model."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiny_qwen
from running import Evaluate, scores

from vhbench import benchmarks
from vhbench.adapters import lmms_eval
from vhbench.files import json_bytes
from vhbench.records import to_record
from vhbench.runs import read_run
from vhbench.tasks import report

TASKS = "ode_fictional_existence,mioh_selective"
TWO_RANKS = """
import os
from lmms_eval import __main__ as command, models  # the latter loads the entry point that registers our tasks
from torch.multiprocessing import start_processes

def run(rank):
    os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
    command.cli_evaluate()

tasks = command.TaskManager("ERROR")  # read once for both
command.TaskManager = lambda *_, **__: tasks
start_processes(run, nprocs=2, start_method="fork")
"""
"""What torchrun and accelerate launch start as two processes, forked from one, which spares the time of imports."""


@pytest.mark.slow
@pytest.mark.usefixtures("_caches")
def test_two_processes_score_what_one_scores(evaluate: Evaluate, tmp_path: Path) -> None:
    alone = evaluate("vhbench_coin", TASKS.split(","))
    with socket.create_server(("127.0.0.1", 0)) as free:
        environment = os.environ | {"ACCELERATE_USE_CPU": "true", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
        environment["MASTER_PORT"] = str(free.getsockname()[1])
    command = [sys.executable, "-c", TWO_RANKS, "--model", "vhbench_coin", "--tasks", TASKS]
    command += ["--log_samples", "--output_path", str(tmp_path), "--batch_size", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=900)
    files = list(tmp_path.rglob("*_results.json"))
    assert files, done.stdout[-2000:] + done.stderr[-2000:]
    assert set(re.findall(r"Running on rank (\d)", done.stdout)) == {"0", "1"}, "two processes ran"
    together = json.loads(files[0].read_text())
    records = {task: [to_record(s["accuracy"]) for s in alone["samples"][task]] for task in TASKS.split(",")}
    for task, answers in records.items():
        assert scores(alone, task) == scores(together, task)
        written = json.loads(next(tmp_path.rglob(f"*_{task}_report.json")).read_text())
        told = {name: written.pop(name) for name in ("date", "partial", "provenance")}
        assert told["partial"] is None
        assert told["provenance"]["asked"] == told["provenance"]["answered"] == len(answers)
        grid = report.grid(answers, benchmarks.task(task)) | {"task": task, "repetitions": 1}
        assert written == json.loads(json_bytes(grid))
    answered = [record for answers in records.values() for record in answers]
    assert sorted(answered, key=lambda record: record.id) == read_run(tmp_path).merged()


@pytest.fixture(scope="session")
def tiny_model(shared_folder: Path) -> Path:
    """A Qwen2.5-VL with 60,000 random weights."""
    from filelock import FileLock

    with FileLock(str(shared_folder / "qwen.lock")):
        folder = shared_folder / "qwen"
        return folder if (folder / "config.json").exists() else tiny_qwen.save(folder)


@pytest.mark.slow
@pytest.mark.parametrize("simple", [True, False], ids=["simple", "chat"])
def test_a_real_model_class_sees_the_images(
    evaluate: Evaluate, tiny_model: Path, simple: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import Qwen2_5_VLProcessor

    seen: list[int] = []
    original = Qwen2_5_VLProcessor.__call__

    def count(self: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(len(kwargs["images"]))
        return original(self, *args, **kwargs)

    monkeypatch.setattr(Qwen2_5_VLProcessor, "__call__", count)
    args = f"pretrained={tiny_model},device=cpu,device_map=cpu,min_pixels=3136,max_pixels=3136"
    results = evaluate(
        "qwen2_5_vl",
        TASKS.split(","),
        model_args=args,
        device=None,  # it is among the model's arguments
        limit=4,
        force_simple=simple,
        gen_kwargs="max_new_tokens=4",
    )
    assert sorted(set(seen))[0] == 1
    assert max(seen) >= 2
    for task in TASKS.split(","):
        assert 0 <= scores(results, task)["accuracy"] <= 100
        assert results["n-samples"][task]["effective"] == 4


def test_tasks_without_a_model_end_with_commands_to_copy() -> None:
    """lmms-eval's default model "hf" does not exist; nothing is loaded before the exit."""
    tasks = "ode_fictional,mioh_selective"
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lmms-eval")), "--tasks", tasks],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    first, *commands = done.stderr.splitlines()[-4:]
    assert first == f"vhbench: expected --model MODEL with --tasks {tasks}; for example"
    assert [line.split()[2] for line in commands] == ["vhbench_coin", "qwen2_5_vl", "openai"]
    assert all(f"--tasks {tasks} " in line for line in commands)


@pytest.mark.parametrize(
    "argv",
    [
        ["lmms-eval", "--model", "vhbench_coin", "--tasks", "mioh"],
        ["lmms-eval", "eval", "--model=x", "--tasks", "mioh"],
        ["lmms-eval", "--tasks", "pope"],
        ["lmms-eval", "--tasks", "amber_g"],  # lmms-eval's own
        ["lmms-eval", "--task", "mioh", "--model_args", "x=1", "--model", "vhbench_coin"],
        ["lmms-eval", "--config", "run.yaml"],
        ["lmms-eval", "models"],
        ["pytest", "--tasks", "mioh"],
        [],
    ],
)
def test_every_other_command_goes_on(argv: list[str]) -> None:
    lmms_eval._expect_model(argv)


@pytest.mark.parametrize(
    "argv", [["eval", "--tasks=mioh"], ["--limit", "3", "--tasks", "pope,mioh"], ["--task", "amber"]]
)
def test_a_model_is_expected_for_our_tasks(argv: list[str]) -> None:
    with pytest.raises(SystemExit):
        lmms_eval._expect_model(["/x/lmms_eval/__main__.py", *argv])


@pytest.mark.parametrize("command", ["power", "tasks", "serve"])
def test_other_commands_of_lmms_eval_need_no_model(command: str) -> None:
    lmms_eval._expect_model(["lmms-eval", command, "--tasks", "mioh"])
