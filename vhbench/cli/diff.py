"""``vhbench diff A B``: what changed between two splits, and may their scores be compared?"""

from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.terminal import in_a_line


@dataclass(frozen=True, kw_only=True)
class _DiffOptions:
    first: Path = option("Older split directory.", argument=True, metavar="A")
    second: Path = option("Newer split directory.", argument=True, metavar="B")
    examples: int = option("Number of changed rows to print.", 5, least=0)


@build_command.command
def diff(options: _DiffOptions) -> None:
    """Compare two versions of a split: changes, and whether scores stay comparable.

    Exit code 0: comparable. 1: not comparable, and MAJOR differs. 3: not comparable although the MAJOR version
    is unchanged, which is an error.

    Example: `vhbench diff out-1.0.0/ode out-1.1.0/ode --examples 20`
    """
    from vhbench.split_diff import compare

    difference = compare(options.first, options.second)
    for line in difference.lines(options.examples):
        typer.echo(in_a_line(line))
    typer.echo(difference.verdict)
    if difference.code:
        raise typer.Exit(difference.code)
