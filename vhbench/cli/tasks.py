"""``vhbench tasks``: the folder of the lmms-eval tasks."""

from typing import Annotated

import typer


def tasks(
    names: Annotated[bool, typer.Option("--names", help="Print the names of the tasks and groups instead.")] = False,
) -> None:
    """Print the folder of the lmms-eval tasks.

    vhbench registers its tasks by itself. Where that is not possible (another runner, a vendored lmms-eval), name
    the folder:

    `lmms-eval --include_path "$(vhbench tasks)" --tasks ode_fictional …`
    """
    from vhbench.adapters.lmms_eval import tasks_folder

    folder = tasks_folder()
    if not names:
        typer.echo(folder)
        return
    for file in sorted(folder.glob("*/*.yaml")):
        typer.echo(file.stem)
