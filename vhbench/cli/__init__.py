"""The command line: ``vhbench build``, ``verify``, ``push`` … ``demo``, one file per command.

Every module here is cheap to import: what a command needs is imported when it runs.
"""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import vhbench
from vhbench import terminal
from vhbench.schema import VhbenchError, in_one_line

_PANELS = {
    "Build": ("build", "calibrate", "verify", "preview", "review", "diff"),
    "Evaluate and compare": ("demo", "tasks", "score", "answers", "analyse", "compare", "plan", "attack-transfer"),
    "Release": ("release", "secret", "push", "yank"),
    "Leaderboard": ("leaderboard",),
    "Train": ("export", "finetune"),
}
"""Help panel → its commands in the order of work; each is the module's ``app``, or its function of this name."""


class _InOrder(TyperGroup):
    """The commands in the order of the panels; typer lists groups of commands last."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the command names."""
        return [name for panel in _PANELS.values() for name in panel]


app = typer.Typer(
    name="vhbench",
    cls=_InOrder,
    help="Versioned benchmarks of visual hallucination for multimodal language models: ODE, MIOH and VHExpansion.\n\n"
    "Start with `vhbench demo`: it builds the starter splits, evaluates a random baseline and breaks down its scores; "
    "no model weights are needed. "
    "Then build your own split (`vhbench build ode --help`), run a model on it (`lmms-eval --tasks ode_fictional`) and "
    "break down its scores (`vhbench analyse ode results`).",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


def _print_version(enabled: bool) -> None:
    if enabled:
        typer.echo(f"vhbench {vhbench.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Versioned benchmarks of visual hallucination for multimodal language models."""


for _panel, _names in _PANELS.items():
    for _name in _names:
        _module = import_module(f"vhbench.cli.{_name.replace('-', '_')}")
        if group := getattr(_module, "app", None):
            app.add_typer(group, name=_name, rich_help_panel=_panel)
        else:
            app.command(_name, rich_help_panel=_panel)(getattr(_module, _module.__name__.rpartition(".")[2]))


def main() -> None:
    """Run the command line; bad input ends in one line on stderr and exit code 2."""
    terminal.protect()
    try:
        status = app(prog_name="vhbench", standalone_mode=False)
    except Exception as error:
        if (line := _line(error)) is None:
            raise
        print(f"vhbench: {terminal.escaped(in_one_line(line))}", file=sys.stderr)
        sys.exit(1 if isinstance(error, typer.Abort) else 2)
    sys.exit(status or 0)


def _line(error: Exception) -> str | None:
    """Return the line for an error of the input or the machine; None for a bug of ours."""
    if isinstance(error, VhbenchError):
        return str(error)
    if isinstance(error, FileExistsError) and error.filename:
        return f"{error.filename}: expected a folder, got a file"
    if isinstance(error, OSError):  # a place that cannot be written, a full disk
        return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, typer.Abort):
        return "aborted"
    # typer's own message; its classes move between releases.
    wrong, context = getattr(error, "format_message", None), getattr(error, "ctx", None)
    if wrong is None:
        return None
    path = context.command_path if context else "vhbench"
    if type(error).__name__ == "NoArgsIsHelpError":
        return f"expected a command after {path}; see `{path} --help`"
    return f"{wrong()} (see `{path} --help`)"
