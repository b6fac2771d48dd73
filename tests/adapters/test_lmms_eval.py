"""The adapter against the installed lmms-eval, and against releases to come in which something has another name."""

import importlib
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest
import yaml

import vhbench
from vhbench.adapters import lmms_eval as adapter
from vhbench.schema import VhbenchError

GROUPS = ("ode", "ode_fictional", "mioh", "vhexpansion", "vhexpansion_ode_all")
HINT = '--include_path "$(vhbench tasks)"'


class Loader(yaml.SafeLoader):
    """Reads ``!function vhbench.tasks.prompts.to_text`` as the words after the tag."""


Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a TaskManager knows of ours in a program that never names ``lmms_eval.models``."""
    import lmms_eval.tasks

    with _fresh() as patch:
        patch.setattr(lmms_eval.tasks, "__file__", str(tmp_path_factory.mktemp("none") / "__init__.py"))
        vhbench.register()
        manager = lmms_eval.tasks.TaskManager("WARNING")
    assert len(manager.all_subtasks) == len(set(manager.all_subtasks))
    kinds = {"task": manager.all_subtasks, "group": manager.all_groups}
    assert all(name in kinds[entry["type"]] for name, entry in manager.task_index.items())
    return dict(manager.task_index)


def _is_ours(entry: dict[str, Any]) -> bool:
    return str(entry["yaml_path"]).startswith(str(adapter.tasks_folder()))


class _fresh(pytest.MonkeyPatch):
    """A process in which nothing has been registered yet."""

    def __enter__(self) -> "_fresh":
        from lmms_eval import models  # noqa: F401, registers us for the tests that come later
        from lmms_eval.tasks import TaskManager

        adapter._say.cache_clear()
        init = TaskManager.__init__
        self.setattr(TaskManager, "__init__", getattr(init, "__wrapped__", init))
        return self

    def __exit__(self, *_: object) -> None:
        self.undo()


@pytest.fixture
def fresh() -> Iterator[_fresh]:
    with _fresh() as patch:
        yield patch


def read(path: str | Path) -> dict[str, Any]:
    """Return a task's YAML with what it includes."""
    config = yaml.load(Path(path).read_text(), Loader)
    assert isinstance(config, dict)
    template = config.pop("include", None)
    return (read(Path(path).parent / template) if template else {}) | config


# What lmms-eval's test/eval/test_task_pipeline.py asks of its mainstream tasks, asked of all of ours.


def test_every_yaml_file_is_a_task_or_a_group_by_its_name(index: dict[str, Any]) -> None:
    files = {str(file): file.stem for file in adapter.tasks_folder().glob("*/*.yaml")}
    assert {entry["yaml_path"]: name for name, entry in index.items()} == files
    assert set(GROUPS) <= set(index)


def test_every_task_says_where_its_data_is_and_how_it_is_asked(index: dict[str, Any]) -> None:
    tasks = {name: read(entry["yaml_path"]) for name, entry in index.items() if entry["type"] == "task"}
    assert len(tasks) > 50
    for name, config in tasks.items():
        assert config["task"] == name
        assert config["output_type"] == "generate_until"
        assert config["dataset_path"] == "parquet"
        assert config["dataset_kwargs"].startswith("vhbench.tasks.datasets.")


def found(name: str) -> Any:
    """Return what a YAML file names, as lmms-eval looks it up."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def test_every_function_that_a_task_names_is_there(index: dict[str, Any]) -> None:
    configs = [read(entry["yaml_path"]) for entry in index.values() if entry["type"] == "task"]
    keys = ("doc_to_visual", "doc_to_text", "doc_to_messages", "doc_to_target", "process_docs", "process_results")
    named = {config[key] for config in configs for key in keys}
    for name in named:
        assert callable(found(name)), name
    for config in configs:
        metrics = found(config["metric_list"])
        assert metrics, config["task"]
        assert all(callable(entry["aggregation"]) for entry in metrics), config["task"]


def test_every_member_of_a_group_is_known(index: dict[str, Any]) -> None:
    for name, entry in index.items():
        if entry["type"] == "group":
            assert set(read(entry["yaml_path"])["task"]) <= set(index), name


# Releases to come, and what is found in them.


@pytest.fixture
def empty(fresh: _fresh, tmp_path: Path) -> Path:
    """Let lmms-eval find no task of its own, which saves seconds."""
    import lmms_eval.tasks

    fresh.setattr(lmms_eval.tasks, "__file__", str(tmp_path / "__init__.py"))
    return tmp_path


def test_registering_twice_is_registering_once(empty: Path) -> None:
    from lmms_eval.tasks import TaskManager

    assert "ode" not in TaskManager("ERROR").all_tasks
    vhbench.register()
    init = TaskManager.__init__
    vhbench.register()
    assert TaskManager.__init__ is init
    assert {"ode", "mioh", "vhexpansion"} <= set(TaskManager("ERROR").all_tasks)
    assert TaskManager("ERROR", None, False).all_tasks == []


def test_a_name_that_somebody_has_already_stays_theirs(empty: Path) -> None:
    from lmms_eval.tasks import TaskManager

    vhbench.register()
    (empty / "own").mkdir()
    for folder, task in ((empty, "mioh"), (empty / "own", "ode_fictional_caption")):
        (folder / f"{task}.yaml").write_text(f"task: {task}\n")
    for paths in (str(empty / "own"), [str(empty / "own")]):
        found = TaskManager("ERROR", include_path=paths).task_index
        assert not _is_ours(found["mioh"])
        assert not _is_ours(found["ode_fictional_caption"])
        assert _is_ours(found["ode_fictional_existence"])


@pytest.mark.parametrize("hook", ["initialize_tasks", "_get_task_and_group"])
def test_a_method_with_another_name_changes_nothing(
    hook: str, fresh: _fresh, empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lmms_eval.tasks import TaskManager

    for name, function in [*vars(TaskManager).items()]:
        if isinstance(function, FunctionType):
            names = tuple("renamed" if n == hook else n for n in function.__code__.co_names)
            code = function.__code__.replace(co_names=names)
            renamed = FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
            fresh.setattr(TaskManager, "renamed" if name == hook else name, renamed, raising=False)
    fresh.delattr(TaskManager, hook)
    assert len(adapter.register()) == len(adapter.MODELS)
    assert "ode" in TaskManager("ERROR").all_tasks
    assert capsys.readouterr().err == ""


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that was told."""
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"vhbench: untested lmms-eval version {version('lmms_eval')}: ")
    assert HINT in line
    return line


class Without:
    """A TaskManager that takes no further folders."""

    def __init__(self, verbosity: str = "INFO") -> None:
        """Take nothing."""


@pytest.mark.parametrize("manager", [None, Without], ids=["moved", "takes no folder"])
def test_models_are_known_where_tasks_cannot_be(
    manager: type | None, fresh: _fresh, capsys: pytest.CaptureFixture[str]
) -> None:
    import lmms_eval.tasks

    if manager:
        fresh.setattr(lmms_eval.tasks, "TaskManager", manager)
    else:
        fresh.delattr(lmms_eval.tasks, "TaskManager")
    for _ in range(2):  # it is told once
        assert {manifest.model_id for manifest in adapter.register()} == set(adapter.MODELS)
    assert "TaskManager" in told(capsys)


def test_models_are_known_where_the_registry_has_moved(fresh: _fresh, capsys: pytest.CaptureFixture[str]) -> None:
    fresh.setitem(sys.modules, "lmms_eval.models.registry_v2", None)
    assert len(adapter.register()) == len(adapter.MODELS)
    assert capsys.readouterr().err == ""


def test_tasks_are_known_where_models_cannot_be(fresh: _fresh, empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import lmms_eval.models
    from lmms_eval.tasks import TaskManager

    fresh.delattr(lmms_eval.models, "ModelManifest")
    assert adapter.register() == []
    assert "ModelManifest" in told(capsys)
    assert "ode" in TaskManager("ERROR").all_tasks


def test_reports_are_kept_where_the_tracker_is_gone(
    fresh: _fresh, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lmms_eval.loggers import evaluation_tracker

    run = SimpleNamespace(output_path=str(tmp_path), model="vhbench_coin", model_args="model=org/x")
    assert adapter.results_folder(run) == tmp_path / "org__x"
    fresh.delattr(evaluation_tracker, "GeneralConfigTracker")
    assert adapter.results_folder(run) == tmp_path
    assert "GeneralConfigTracker" in told(capsys)
    assert adapter.results_folder(SimpleNamespace(output_path=None)) is None


def test_scores_are_told_where_their_origin_cannot_be(fresh: _fresh, capsys: pytest.CaptureFixture[str]) -> None:
    from lmms_eval.api.task import Task

    fresh.delattr(Task, "build_all_requests")
    assert len(adapter.register()) == len(adapter.MODELS)
    [line] = capsys.readouterr().err.splitlines()
    assert "build_all_requests" in line
    assert line.endswith("samples and reports have no provenance")


def test_reports_are_written_at_once_where_nobody_tells_the_date(
    fresh: _fresh, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lmms_eval.loggers.evaluation_tracker import EvaluationTracker

    run = SimpleNamespace(output_path=str(tmp_path), model="vhbench_coin", model_args="")
    fresh.setattr(adapter, "_RUN", adapter._Run(args=run))
    fresh.delattr(EvaluationTracker, "save_results_aggregated")
    assert len(adapter.register()) == len(adapter.MODELS)
    [line] = capsys.readouterr().err.splitlines()
    assert "save_results_aggregated" in line
    adapter.write_beside_results(run, "ode_report", {"task": "ode"})
    assert [file.name for file in tmp_path.iterdir()] == ["ode_report.json"]


def test_where_lmms_eval_is_not_installed(fresh: _fresh) -> None:
    class Nowhere:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "lmms_eval":
                raise ModuleNotFoundError(name=name)

    for name in [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]:
        fresh.delitem(sys.modules, name)
    fresh.setattr(sys, "meta_path", [Nowhere, *sys.meta_path])
    with pytest.raises(VhbenchError, match=r"lmms-eval is not installed: pip install 'vhbench\[eval\]'"):
        vhbench.register()
