"""``vhbench tasks``: the folder of the lmms-eval tasks, and tasks for splits that bring configs of their own."""

import json
from pathlib import Path
from typing import Annotated

import typer


def tasks(
    split: Annotated[
        Path | None,
        typer.Argument(metavar="SPLIT", help="A built split with a `--name` of its own: write tasks for it."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for the tasks of SPLIT; `tasks` beside it by default."),
    ] = None,
    names: Annotated[bool, typer.Option("--names", help="Print the names of the tasks and groups instead.")] = False,
) -> None:
    """Print the folder of the lmms-eval tasks.

    vhbench registers its tasks by itself. Where that is not possible (another runner, a vendored lmms-eval), name
    the folder:

    Example: `lmms-eval --include_path "$(vhbench tasks)" --tasks ode_fictional …`

    A split that was built with `vhbench build vhexpansion --name mine` has no tasks yet. This writes them, and prints
    their folder:

    `VHBENCH_DATA=out lmms-eval --include_path "$(vhbench tasks out/vhexpansion)" --tasks vhexpansion_mine_all …`
    """
    from vhbench.adapters.lmms_eval import tasks_folder

    folder = tasks_folder() if split is None else write_tasks(split, out or split.absolute().parent / "tasks")
    if not names:
        typer.echo(folder)
        return
    for file in sorted(folder.glob("**/*.yaml") if split else folder.glob("*/*.yaml")):
        typer.echo(file.stem)


def write_tasks(split: Path, folder: Path) -> Path:
    """Write a task for each config of a split that has none yet, and a group of them all.

    Returns:
        The folder, or vhbench's own where every config has its task there.

    Raises:
        VhbenchError: if there is no split.
    """
    from vhbench import splits
    from vhbench.adapters.lmms_eval import tasks_folder

    manifest = splits.read_manifest(split)
    own = tasks_folder() / manifest.benchmark
    template = own / "_template"
    known = {file.stem for file in own.glob("*.yaml")} | {manifest.benchmark}
    new = sorted((config for config in manifest.rows if config not in known), key=lambda name: (len(name), name))
    if not new:
        return tasks_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for config in new:
        task = f"dataset_path: !function vhbench.tasks.datasets.{config}"
        (folder / f"{config}.yaml").write_text(f"include: {json.dumps(str(template))}\ntask: {config}\n{task}\n")
    group = f"{new[0]}_all"  # the shortest name is that of the unchanged images
    members = "".join(f"  - {config}\n" for config in new)
    (folder / f"{group}.yaml").write_text(f"group: {group}\ntask:\n{members}metadata:\n  version: 1\n")
    return folder
