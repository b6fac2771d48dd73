"""The YAML files of the tasks are what the registries say, and writing them restores what was changed."""

import shutil
from pathlib import Path

import pytest

import vhbench
from vhbench.benchmarks import BENCHMARKS, task
from vhbench.provenance import DataSource
from vhbench.tasks import versions, yaml_files

FOLDER = Path(__file__).parents[2] / "tasks"


def test_writing_again_changes_nothing_and_restores_what_was_changed(tmp_path: Path) -> None:
    for name in BENCHMARKS:
        shutil.copytree(FOLDER / name, tmp_path / name)
    assert list(yaml_files.write(tmp_path)) == []
    (tmp_path / "ode/ode.yaml").write_text("group: ode\n")
    (tmp_path / "mioh/_multiple_choice").unlink()
    (tmp_path / "chair/old.yaml").write_text("task: old\n")
    (tmp_path / "chair/folder").mkdir()
    changed = {path.relative_to(tmp_path).as_posix() for path in yaml_files.write(tmp_path)}
    assert changed == {"ode/ode.yaml", "mioh/_multiple_choice", "chair/old.yaml"}
    assert not (tmp_path / "chair/old.yaml").exists()
    for file in ("ode/ode.yaml", "mioh/_multiple_choice"):
        assert (tmp_path / file).read_text() == (FOLDER / file).read_text()
    shutil.rmtree(tmp_path / "ode")
    assert (tmp_path / "ode/ode.yaml") in list(yaml_files.write(tmp_path))


def test_a_task_may_include_a_template_from_another_folder(tmp_path: Path) -> None:
    assert yaml_files.text(BENCHMARKS["chair"], task("chair_64"), tmp_path) == (
        f'include: "{tmp_path}/_caption"\n'
        "task: chair_64\n"
        "dataset_kwargs: !function vhbench.tasks.datasets.chair\n"
        "process_docs: !function vhbench.tasks.slices.chair_64\n"
        "metric_list: !function vhbench.tasks.aggregate.chair_64\n"
        "generation_kwargs:\n  until: []\n  max_new_tokens: 64\n  do_sample: false\n  temperature: 0\n"
    )


def test_the_metadata_of_a_task_is_that_of_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    class Data:
        source = DataSource(kind="folder", folder="/data")

        class manifest:
            version, content_hash = "1.2.0", "ab"

    monkeypatch.setattr(versions, "resolve", lambda name: Data)
    assert versions.ode == {
        "version": "1.2.0",
        "benchmark": "ode",
        "content_hash": "ab",
        "data": {"kind": "folder", "folder": "/data"},
        "vhbench": vhbench.__version__,
    }
    with pytest.raises(AttributeError, match=r"^module 'vhbench\.tasks\.versions' has no attribute 'other'$"):
        _ = versions.other
