"""The command line: ``vhbench build``, ``verify``, ``push`` … ``demo``, one file per command.

Every module here is cheap to import: what a command needs is imported when it runs.
"""

import sys
from collections.abc import Callable

import typer

from vhbench import terminal
from vhbench.cli import (
    analyse,
    answers,
    attack_transfer,
    build,
    calibrate,
    compare,
    demo,
    diff,
    export,
    finetune,
    leaderboard,
    preview,
    push,
    review,
    score,
    tasks,
    verify,
    yank,
)
from vhbench.schema import VhbenchError, in_one_line

app = typer.Typer(
    name="vhbench",
    help="Versioned benchmarks of visual hallucination for multimodal language models: ODE, MIOH and VHExpansion.\n\n"
    "First `vhbench demo`: everything once, from drawn scenes to numbers, without weights. Then "
    "`vhbench build ode --help` for splits of your own, `lmms-eval --tasks ode_fictional` to run a model on them, and "
    "`vhbench analyse ode results` to read what came of it.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


@app.callback()
def _root() -> None:
    """Versioned benchmarks of visual hallucination for multimodal language models."""


_COMMANDS: dict[str, typer.Typer | Callable[..., None]] = {
    "build": build.app,
    "calibrate": calibrate.calibrate,
    "preview": preview.preview,
    "tasks": tasks.tasks,
    "demo": demo.demo,
    "verify": verify.verify,
    "diff": diff.diff,
    "push": push.push,
    "yank": yank.yank,
    "score": score.app,
    "review": review.review,
    "answers": answers.answers,
    "compare": compare.compare,
    "export": export.app,
    "finetune": finetune.finetune,
    "analyse": analyse.app,
    "leaderboard": leaderboard.app,
    "attack-transfer": attack_transfer.attack_transfer,
}
for _name, _command in _COMMANDS.items():
    if isinstance(_command, typer.Typer):
        app.add_typer(_command, name=_name)
    else:
        app.command(_name)(_command)


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
    """Return the line that tells a fault of the input, or of the machine; None for a fault of ours."""
    if isinstance(error, VhbenchError):
        return str(error)
    if isinstance(error, OSError):  # a place that cannot be written, a full disk
        return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, typer.Abort):
        return "aborted"
    # What typer says of a command line; its classes have moved from release to release.
    wrong, context = getattr(error, "format_message", None), getattr(error, "ctx", None)
    if wrong is None:
        return None
    path = context.command_path if context else "vhbench"
    if type(error).__name__ == "NoArgsIsHelpError":
        return f"{path} needs more than its name; `{path} --help` tells what"
    return f"{wrong()} (`{path} --help` tells more)"
