"""``vhbench build …``: one command per benchmark; its options are the fields of the benchmark's build."""

import inspect
from collections.abc import Callable

import typer

from vhbench.benchmarks import BENCHMARKS, load
from vhbench.cli import build_command
from vhbench.cli.lazy import lazy_group


def _command(name: str) -> Callable[..., None]:
    build = load(BENCHMARKS[name].build)
    return build_command.command(build_command.run, build, build_command.RunOptions, help=inspect.getdoc(build) or "")


app = typer.Typer(
    name="build",
    help="Build a split: Parquet files of images and questions.",
    cls=lazy_group(BENCHMARKS, _command),
    no_args_is_help=True,
)
