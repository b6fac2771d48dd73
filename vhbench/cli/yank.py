"""``vhbench yank VERSION``: withdraw a released version, with the reason."""

from pathlib import Path
from typing import Annotated

import typer


def yank(
    version: Annotated[str, typer.Argument(metavar="X.Y.Z", help="The released version that nobody shall use.")],
    repo_id: Annotated[str, typer.Option("--repo-id", metavar="ORG/NAME", help="Dataset repository on the Hub.")],
    reason: Annotated[str, typer.Option("--reason", help="What is wrong with it, in a sentence.")],
    pin: Annotated[
        Path | None,
        typer.Option(
            "--pin",
            metavar="FILE",
            envvar="VHBENCH_RELEASE",
            help="Pins to mark as well. Without it: tasks/release.yaml in a checkout of vhbench.",
        ),
    ] = None,
) -> None:
    """Withdraw a released version: nothing is deleted, but tasks refuse it and say why.

    One commit on `main` marks it: a line in the card, an entry in yanked.json and, where it is the newest version, in
    its manifest. A pin of the version is marked too, with or without a tag. Whoever evaluates on a pinned version
    learns of it at the next run that reaches the Hub, even if its tag was deleted, and of a newer version that there
    is; VHBENCH_ALLOW_YANKED=1 runs it all the same, for numbers that shall be recomputed.

    Example: `vhbench yank 1.0.0 --repo-id ORG/vhbench-ode --reason "answers of 12 questions were wrong"`
    """
    from vhbench import release

    sha, withdrawn = release.withdraw(repo_id, version, " ".join(reason.split()))
    typer.echo(f"{repo_id}: {version} is withdrawn (commit {sha})")
    for file in release.mark_pins(pin, repo_id, withdrawn):
        typer.echo(f"marked in {file}")
