"""Makes lmms-eval know vhbench's tasks and calibration models, with nothing to type but their names.

Whatever vhbench needs of lmms-eval beside its public options is in this file. Where a newer release has it no more,
one line says what to do instead, and everything else goes on.
"""

import functools
import inspect
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from vhbench.schema import VhbenchError

MODELS = {f"vhbench_{name.lower()}": name for name in ("Oracle", "Coin", "Yes", "Blind")}
T = TypeVar("T")
_USE_PATH = 'name the tasks with --include_path "$(vhbench tasks)"'


def tasks_folder() -> Path:
    """Return the folder of the YAML files, for ``lmms-eval --include_path "$(vhbench tasks)"``."""
    return Path(__file__).resolve().parent.parent / "tasks"


def register() -> list[Any]:
    """Entry point of group ``lmms_eval.models``: add our tasks and return the manifests of our models.

    lmms-eval has no entry point for tasks (``LMMS_EVAL_PLUGINS`` extends a path after its TaskManager has read it),
    but it loads this group when ``lmms_eval.models`` is imported, which happens before any TaskManager is made: in
    ``lmms-eval``, in ``python -m lmms_eval`` and in ``simple_evaluate`` alike. A program that makes a TaskManager
    before that calls :func:`vhbench.register`.

    Raises:
        VhbenchError: if lmms-eval is not installed.
    """
    _hook(_add_tasks, None, _USE_PATH)
    return _hook(_manifests, [], f"its models are unknown; where its tasks are too, {_USE_PATH}")


def results_folder(args: Any) -> Path | None:
    """Return the folder into which lmms-eval writes this run's results, or None if it writes none."""
    output_path = getattr(args, "output_path", None)
    if not output_path:
        return None
    instead = f"reports go to {output_path} itself; where tasks are unknown, {_USE_PATH}"
    return Path(output_path) / _hook(lambda: _model_folder(args), "", instead)


def _add_tasks() -> None:
    """Let every TaskManager read our folder after its own and the user's; a second time changes nothing.

    Only what a TaskManager takes is used, no method of it: that is documented, and stays.
    """
    from lmms_eval.tasks import TaskManager

    original = TaskManager.__init__
    if getattr(original, "knows_vhbench", False):
        return
    takes = inspect.signature(original)
    if "include_path" not in takes.parameters:
        raise AttributeError("TaskManager takes no include_path")

    @functools.wraps(original)
    def init(*args: Any, **options: Any) -> None:
        given = takes.bind(*args, **options)
        if given.arguments.get("include_defaults", True):
            theirs = given.arguments.get("include_path") or []
            # Ours comes last: a name that lmms-eval or the user already has stays theirs.
            given.arguments["include_path"] = [*([theirs] if isinstance(theirs, str) else theirs), str(tasks_folder())]
        original(*given.args, **given.kwargs)

    init.knows_vhbench = True  # type: ignore[attr-defined]
    TaskManager.__init__ = init


def _manifests() -> list[Any]:
    from lmms_eval.models import ModelManifest  # it needs the class itself, wherever that is defined

    classes = {name: f"vhbench.adapters.calibration.{class_name}" for name, class_name in MODELS.items()}
    return [
        ModelManifest(model_id=name, simple_class_path=path, chat_class_path=f"{path}Chat")
        for name, path in classes.items()
    ]


def _model_folder(args: Any) -> str:
    from lmms_eval.loggers.evaluation_tracker import GeneralConfigTracker

    tracker = GeneralConfigTracker()
    tracker.log_experiment_args(
        model_source=args.model,
        model_args=args.model_args,
        system_instruction=None,
        chat_template=None,
        fewshot_as_multiturn=False,
    )
    return str(tracker.model_name_sanitized)


def _hook(use: Callable[[], T], default: T, instead: str) -> T:
    """Use something of lmms-eval; where this release lacks it, say once what to do instead and return the default."""
    try:
        return use()
    except (ImportError, AttributeError, TypeError) as missing:
        if isinstance(missing, ModuleNotFoundError) and missing.name == "lmms_eval":
            raise VhbenchError("lmms-eval is not installed: pip install 'vhbench[eval]'") from None
        _say(f"{str(missing).partition(' (')[0]}: {instead}")
        return default


@functools.cache
def _say(line: str) -> None:
    try:
        installed = version("lmms_eval")
    except PackageNotFoundError:  # a copy inside another project
        installed = "of unknown version"
    print(f"vhbench: this lmms-eval ({installed}) is new to it: {line}", file=sys.stderr)
