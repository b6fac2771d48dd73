"""``vhbench push DIR``: release a split on the Hugging Face Hub."""

from pathlib import Path
from typing import Annotated

import typer


def push(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A split directory, such as out/ode.")],
    repo_id: Annotated[str, typer.Option("--repo-id", metavar="ORG/NAME", help="Dataset repository on the Hub.")],
    version: Annotated[str, typer.Option("--version", metavar="X.Y.Z", help="Must be the version of the split.")],
    private: Annotated[bool, typer.Option("--private", help="Create the repository as a private one.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Verify, say what would be sent; nothing is written.")
    ] = False,
    comparable_anyway: Annotated[
        bool,
        typer.Option(
            "--comparable-anyway",
            help="Release it although scores cannot be compared with the version before, and MAJOR is the same.",
        ),
    ] = False,
    notes: Annotated[str, typer.Option("--notes", help="What changed, in Markdown, for the changelog.")] = "",
    pin: Annotated[
        Path | None,
        typer.Option(
            "--pin",
            metavar="FILE",
            envvar="VHBENCH_RELEASE",
            help="Where the commit is pinned. Without it: tasks/release.yaml in a checkout of vhbench, ./release.yaml "
            "otherwise.",
        ),
    ] = None,
) -> None:
    """Release one built split directory: verified, one commit, one tag, all or nothing.

    The token comes from HF_TOKEN or from `hf auth login`. An interrupted push goes on where it stopped when the same
    command is run again. A version that keeps the MAJOR number of the one before must ask and judge the same:
    `vhbench diff` says what differs.

    The commit is pinned in a file from which the tasks take their data; the environment variable VHBENCH_RELEASE names
    it for both.

    Example: `vhbench push out/ode --repo-id ORG/vhbench-ode --version 1.0.0 --dry-run`
    """
    from vhbench import release

    release.push(
        directory,
        repo_id,
        version,
        private=private,
        dry_run=dry_run,
        comparable_anyway=comparable_anyway,
        notes=notes,
        pin=pin,
    )
