"""Running lmms-eval itself, in this process, on the starter splits; what such tests share."""

import contextlib
import gc
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

Evaluate = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Done:
    """What became of a run of lmms-eval's command: its exit code, and what it printed."""

    code: int
    out: str
    err: str


CommandLine = Callable[..., Done]


def scores(results: dict[str, Any], task: str) -> dict[str, float]:
    """Return metric → value of one task."""
    values = results["results"][task]
    return {key.split(",")[0]: value for key, value in values.items() if "," in key and "_stderr" not in key}


@pytest.fixture(scope="session")
def task_manager(_caches: None) -> Iterator[Any]:
    """lmms-eval's index of tasks, read once: it takes seconds."""
    from lmms_eval import models  # noqa: F401, loads the entry point that registers our tasks
    from lmms_eval.tasks import TaskManager

    manager = TaskManager("ERROR")
    gc.freeze()  # lmms-eval collects garbage twice a run: all that was imported need not be searched each time
    yield manager
    gc.unfreeze()


@pytest.fixture
def use_data(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Take splits from a folder in place of the starters, in this process, until the test ends."""
    from vhbench.tasks import datasets

    def use(folder: Path) -> None:
        monkeypatch.setenv("VHBENCH_DATA", str(folder))
        datasets.resolve.cache_clear()

    yield use
    datasets.resolve.cache_clear()


@pytest.fixture(scope="session")
def evaluate(task_manager: Any) -> Evaluate:
    """Run tasks with a model; returns what lmms-eval returns."""
    from lmms_eval.evaluator import simple_evaluate

    def run(model: str, tasks: list[str], **kwargs: Any) -> dict[str, Any]:
        kwargs = {"batch_size": 1, "device": "cpu", "bootstrap_iters": 0, "task_manager": task_manager} | kwargs
        results = simple_evaluate(model=model, tasks=tasks, **kwargs)
        assert results is not None
        return dict(results)

    return run


@pytest.fixture(scope="session")
def lmms_eval(task_manager: Any) -> Callable[..., Done]:
    """Run ``lmms-eval WORDS…`` in this process, which spares its start of ten seconds."""
    from lmms_eval import __main__ as command

    def run(*words: str) -> Done:
        out, err, code = io.StringIO(), io.StringIO(), 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["lmms-eval", *words])
            patch.setattr(command, "TaskManager", lambda *_, **__: task_manager)
            try:
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    command.cli_evaluate()
            except SystemExit as end:
                code = int(end.code or 0)
        return Done(code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="session")
def command_line(lmms_eval: Callable[..., Done]) -> CommandLine:
    """Run ``lmms-eval --model … --tasks … --output_path …`` in this process."""

    def run(model: str, tasks: str, output: Path, *more: str) -> Done:
        words = ["--model", model, "--tasks", tasks, "--batch_size", "1", "--log_samples"]
        return lmms_eval(*words, "--output_path", str(output), *more)

    return run
