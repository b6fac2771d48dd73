"""Makes lmms-eval know vhbench's tasks and calibration models, with nothing to type but their names."""

import functools
from pathlib import Path
from typing import Any

MODELS = {
    "vhbench_oracle": "Oracle",
    "vhbench_coin": "Coin",
    "vhbench_yes": "Yes",
    "vhbench_blind": "Blind",
}


def tasks_folder() -> Path:
    """Return the folder of the YAML files, for ``lmms-eval --include_path "$(vhbench tasks)"``."""
    return Path(__file__).resolve().parent.parent / "tasks"


def register() -> list[Any]:
    """Entry point of group ``lmms_eval.models``: add our tasks and return the manifests of our models.

    lmms-eval has no entry point for tasks (``LMMS_EVAL_PLUGINS`` extends a path after its TaskManager has read it),
    but it loads this group when ``lmms_eval.models`` is imported, which happens before any TaskManager is made: in
    ``lmms-eval``, in ``python -m lmms_eval`` and in ``simple_evaluate`` alike.
    """
    from lmms_eval.models.registry_v2 import ModelManifest

    _add_tasks()
    module = "vhbench.adapters.calibration"
    return [
        ModelManifest(
            model_id=name,
            simple_class_path=f"{module}.{class_name}",
            chat_class_path=f"{module}.{class_name}Chat",
        )
        for name, class_name in MODELS.items()
    ]


def _add_tasks() -> None:
    """Let every TaskManager index our folder too; doing it a second time changes nothing."""
    from lmms_eval.tasks import TaskManager

    original = TaskManager.initialize_tasks
    if getattr(original, "knows_vhbench", False):
        return

    @functools.wraps(original)
    def initialize_tasks(
        self: Any, include_path: str | list[str] | None = None, include_defaults: bool = True
    ) -> dict[str, Any]:
        index: dict[str, Any] = original(self, include_path=include_path, include_defaults=include_defaults)
        ours = self._get_task_and_group(str(tasks_folder())) if include_defaults else {}
        return {**ours, **index}  # a name that lmms-eval or the user already has stays theirs

    initialize_tasks.knows_vhbench = True  # type: ignore[attr-defined]
    TaskManager.initialize_tasks = initialize_tasks


def results_folder(args: Any) -> Path | None:
    """Return the folder into which lmms-eval writes this run's results, or None if it writes none."""
    output_path = getattr(args, "output_path", None)
    if not output_path:
        return None
    from lmms_eval.loggers.evaluation_tracker import GeneralConfigTracker

    tracker = GeneralConfigTracker()
    tracker.log_experiment_args(
        model_source=args.model,
        model_args=args.model_args,
        system_instruction=None,
        chat_template=None,
        fewshot_as_multiturn=False,
    )
    return Path(output_path) / str(tracker.model_name_sanitized)
