"""``vhbench tasks``: the folder of the lmms-eval tasks, and tasks for splits that bring configs of their own."""

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError


@dataclass(frozen=True, kw_only=True)
class _TasksOptions:
    split: Path | None = option(
        "A built split with its own `--name`: write tasks for it.", None, argument=True, metavar="SPLIT"
    )
    out: Path | None = option(
        "Folder for the tasks of SPLIT; by default, `tasks` next to it.", None, names=("--out", "-o")
    )
    names: bool = option("Print the names of the tasks and groups instead.", False)
    install: bool = option(
        "Copy the tasks into the installed lmms-eval, so that `lmms-eval tasks`, `power`, `serve`, `ui`, `tui` and "
        "`mcp` list them; repeat after upgrading either.",
        False,
    )
    write: bool = option("For developers: regenerate vhbench's own task files from its registries.", False)


@build_command.command
def tasks(options: _TasksOptions) -> None:
    """Print the path of the lmms-eval task folder.

    vhbench registers its tasks automatically when lmms-eval evaluates. `--install` makes lmms-eval's other commands
    list them. Where neither works (another runner, a vendored lmms-eval), pass the folder:

    Example: `lmms-eval --include_path "$(vhbench tasks)" --tasks ode_fictional …`

    A split built with `vhbench build vhexpansion --name mine` has no tasks yet. Given the split, this command writes
    tasks for it and prints their folder:

    `VHBENCH_DATA=out lmms-eval --include_path "$(vhbench tasks out/vhexpansion)" --tasks vhexpansion_mine_all …`
    """
    from vhbench.adapters.lmms_eval import tasks_folder
    from vhbench.tasks import yaml_files

    if options.install and (options.split or options.out or options.names or options.write):
        raise VhbenchError("--install: expected no SPLIT and no other option; it copies vhbench's own tasks")
    if options.install:
        return typer.echo(f"wrote {_install_tasks(tasks_folder())} (remove the folder to undo)")
    split = options.split
    folder = tasks_folder() if split is None else _write_tasks(split, options.out or split.absolute().parent / "tasks")
    if options.write:
        for path in yaml_files.write(tasks_folder()):
            typer.echo(path)
    elif options.names:
        for file in sorted(folder.glob("**/*.yaml") if split else folder.glob("*/*.yaml")):
            typer.echo(file.stem)
    else:
        typer.echo(folder)


def _write_tasks(split: Path, folder: Path) -> Path:
    """Write a task for each config that has none yet, and a group of all; return the folder, or ours if all have."""
    from vhbench import benchmarks, splits
    from vhbench.adapters.lmms_eval import tasks_folder
    from vhbench.tasks import yaml_files

    manifest = splits.read_manifest(split)
    owner = benchmarks.benchmark(manifest.benchmark)
    known = benchmarks.tasks(owner.name)
    whole = {name for task in known.values() if task.keep is not None and not task.variants for name in manifest.rows}
    new = sorted((config for config in manifest.rows if config not in {*known, *whole}), key=lambda n: (len(n), n))
    if not new:
        return tasks_folder()
    folder.mkdir(parents=True, exist_ok=True)
    # The shortest name is that of the unchanged images.
    group = benchmarks.Task(f"{new[0]}_all", members=tuple(new))
    for task in (*map(benchmarks.task, new), group):
        text = yaml_files.text(owner, task, tasks_folder() / owner.name)
        (folder / f"{task.name}.yaml").write_text(text, encoding="utf-8")
    return folder


def _install_tasks(source: Path) -> Path:
    """Copy the YAML files into lmms-eval's own folder of tasks; return their folder.

    ``lmms-eval tasks``, ``power``, ``serve``, ``ui``, ``tui`` and ``mcp`` read no entry point, variable or file that
    could name other tasks (``docs/lmms_eval_tasks.patch`` would add one).
    """
    from vhbench import benchmarks

    if (package := find_spec("lmms_eval")) is None or package.origin is None:
        raise VhbenchError("lmms-eval is not installed: pip install 'vhbench[eval]'")
    folder = Path(package.origin).parent / "tasks" / "vhbench"
    shutil.rmtree(folder, ignore_errors=True)
    for name in benchmarks.BENCHMARKS:
        shutil.copytree(source / name, folder / name)
    shutil.copy(source / "_question", folder)
    for file in folder.glob("*/*.yaml"):
        if benchmarks.task(file.stem).family is not None:  # the web UI skips files with "!function"
            file.rename(file.with_name(f"_{file.stem}"))
            file.write_text(f"include: _{file.stem}\ntask: {file.stem}\n", encoding="utf-8")
    return folder
