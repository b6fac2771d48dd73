"""Fixtures that run lmms-eval itself, in this process, on the starter splits."""

from typing import Any

import pytest
from running import Evaluate


@pytest.fixture(scope="session")
def task_manager(_caches: None) -> Any:
    """lmms-eval's index of tasks, read once: it takes seconds."""
    from lmms_eval import models  # noqa: F401, loads the entry point that registers our tasks
    from lmms_eval.tasks import TaskManager

    return TaskManager("ERROR")


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
