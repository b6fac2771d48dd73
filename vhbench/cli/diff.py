"""``vhbench diff A B``: what changed between two splits, and may their scores be compared?"""

from pathlib import Path
from typing import Annotated

import typer

from vhbench.terminal import in_a_line


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="The older split directory.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The newer one.")],
    examples: Annotated[int, typer.Option("--examples", min=0, help="How many changed rows to show.")] = 5,
) -> None:
    """Say what changed between two versions of a split, and whether scores stay comparable.

    Exit code 0: comparable. 1: not comparable, and the version says so. 3: not comparable, but the MAJOR version
    is the same, which is a mistake.

    Example: `vhbench diff out-1.0.0/ode out-1.1.0/ode --examples 20`
    """
    from vhbench.split_diff import compare

    found = compare(first, second)
    for line in found.lines(examples):
        typer.echo(in_a_line(line))
    typer.echo(found.verdict)
    if found.code:
        raise typer.Exit(found.code)
