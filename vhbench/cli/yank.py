"""``vhbench yank VERSION``: withdraw a released version, with the reason."""

from dataclasses import dataclass

import typer

from vhbench.cli import build_command
from vhbench.options import option


@dataclass(frozen=True, kw_only=True)
class _YankOptions:
    version: str = option("The released version to withdraw.", argument=True, metavar="X.Y.Z")
    repo_id: str = option("Dataset repository on the Hub.", metavar="ORG/NAME")
    reason: str = option("Reason, in one sentence.")


@build_command.command
def yank(options: _YankOptions) -> None:
    """Withdraw a released version: tasks refuse to run it and print the reason; nothing is deleted.

    One commit on `main` marks the version in the dataset card and in yanked.json, and in the manifest if it is the
    newest. The next evaluation with access to the Hub reports the withdrawal and the newer version, even if the tag
    was deleted. Set VHBENCH_ALLOW_YANKED=1 to run a withdrawn version and recompute its scores.

    Example: `vhbench yank 1.0.0 --repo-id ORG/vhbench-ode --reason "answers of 12 questions were wrong"`
    """
    from vhbench import release

    sha = release.withdraw(options.repo_id, options.version, " ".join(options.reason.split()))
    typer.echo(f"{options.repo_id}: {options.version} is withdrawn (commit {sha})")
