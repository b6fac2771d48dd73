"""YAML files of the tasks, generated from :mod:`vhbench.benchmarks` and its registries.

``vhbench tasks --write`` writes them; a test compares the committed files with its output.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from vhbench.benchmarks import BENCHMARKS, Benchmark, Family, Task, tasks


def write(folder: Path) -> Iterator[Path]:
    """Write the files of all benchmarks; yield changed and removed ones."""
    expected = {folder / name / file: text for name in BENCHMARKS for file, text in texts(BENCHMARKS[name]).items()}
    for path, text in expected.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            yield path
    for path in sorted(path for name in BENCHMARKS for path in (folder / name).iterdir()):
        if path.is_file() and path not in expected:
            path.unlink()
            yield path


def texts(benchmark: Benchmark) -> dict[str, str]:
    """Return the files of a benchmark: relative path → content."""
    families = {family.name: family for family in benchmark.families.values()}
    templates = {f"_{name}": template(benchmark, family) for name, family in families.items()}
    return templates | {f"{task.name}.yaml": text(benchmark, task) for task in tasks(benchmark.name).values()}


def template(benchmark: Benchmark, family: Family) -> str:
    """Return the template that the tasks of a family include."""
    return (
        f"# {benchmark.title.partition(':')[0]}, {family.about}\n"
        "include: ../_question\n"
        f"metadata: !function vhbench.tasks.versions.{benchmark.name}\n"
        "process_docs: !function vhbench.tasks.slices.whole\n" + _generation(family.max_new_tokens)
    )


def _generation(max_new_tokens: int) -> str:
    limit = f"  max_new_tokens: {max_new_tokens}\n"
    return f"generation_kwargs:\n  until: []\n{limit}  do_sample: false\n  temperature: 0\n"


def text(benchmark: Benchmark, task: Task, folder: Path | None = None) -> str:
    """Return the file of a task or group; ``folder`` is that of the templates, if another one."""
    lines = [f"# {task.about}"] if task.about else []
    if task.family is None:
        members = [f"  - {member}" for member in task.members]
        metadata = f"metadata: !function vhbench.tasks.versions.{benchmark.name}"
        lines += [f"group: {task.name}", "task:", *members, metadata]
    else:
        name = f"_{task.family.name}"
        lines += [f"include: {name if folder is None else json.dumps(str(folder / name))}", f"task: {task.name}"]
        # Tasks that select rows of a whole benchmark read all its configs; others read one.
        source = task.name if task.keep is None else benchmark.name
        lines += [f"dataset_kwargs: !function vhbench.tasks.datasets.{source}"]
        if task.keep is not None:
            lines += [f"process_docs: !function vhbench.tasks.slices.{task.name}"]
        lines += [f"metric_list: !function vhbench.tasks.aggregate.{task.name}"]
    return "\n".join(lines) + "\n" + (_generation(task.max_new_tokens) if task.max_new_tokens else "")
