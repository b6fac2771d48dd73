"""``vhbench push DIR``: release a split on the Hugging Face Hub."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer


def push(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A split directory, such as out/ode.")],
    repo_id: Annotated[str, typer.Option("--repo-id", metavar="ORG/NAME", help="Dataset repository on the Hub.")],
    version: Annotated[str, typer.Option("--version", metavar="X.Y.Z", help="Must be the version of the split.")],
    private: Annotated[
        bool, typer.Option("--private", help="Only its owners see the repository; one that all see is refused.")
    ] = False,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Release the answers of a hidden edition: its evaluation is over.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before files of the version before are deleted.")
    ] = False,
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
            help="Where the commit is pinned. Without it: tasks/release.yaml in a checkout of vhbench; elsewhere the "
            "pin is printed.",
        ),
    ] = None,
) -> None:
    """Release one built split directory: verified, one commit, one tag, all or nothing.

    The token comes from HF_TOKEN or from `hf auth login`. An interrupted push goes on where it stopped when the same
    command is run again. A version that keeps the MAJOR number of the one before must ask and judge the same:
    `vhbench diff` says what differs.

    A version that is lower than a released one goes on a branch of its own; the newest stays what everybody gets. Files
    that others put into the repository stay, and so does what they wrote into the card outside our marks.

    The commit is pinned in a file from which the tasks take their data; the environment variable VHBENCH_RELEASE names
    it for both.

    Example: `vhbench push out/ode --repo-id ORG/vhbench-ode --version 1.0.0 --dry-run`
    """
    from vhbench import release, splits
    from vhbench.adapters.hub_release import MAIN, logged_in, place, push, refuse_hidden

    def approve(names: Sequence[str]) -> bool:
        typer.echo(f"{repo_id} has {len(names)} files of the version before that this one lacks:")
        for name in names:
            typer.echo(f"  - {name}")
        return yes or typer.confirm("delete them (former versions keep them under their tags)?")

    with nullcontext() if dry_run else splits.locked(directory):
        manifest = release.verified(directory, version)
        refuse_hidden(manifest, reveal=reveal)
        if logged_in() and not comparable_anyway:
            release.refuse_hidden_change(directory, manifest, repo_id)
        if dry_run:
            release.rehearse(directory, manifest, repo_id, notes, private=private, reveal=reveal)
            return
        put = place(repo_id, manifest)
        release.write_card(directory, manifest, repo_id, notes, release.former_texts(repo_id, put))
        sent = push(directory, repo_id, put=put, private=private, reveal=reveal, approve=approve)
    if sent.is_new:
        typer.echo(f"released {repo_id} {sent.tag}: {len(sent.uploaded)} files new, {len(sent.deleted)} deleted")
        if sent.branch != MAIN:
            typer.echo(f"a newer version is out: {MAIN} stays as it is, this one is on the branch {sent.branch}")
    else:
        typer.echo(f"nothing new: {repo_id} has {sent.tag} with this content already")
    typer.echo(f"commit {sent.sha}")
    release.record(manifest, sent, pin)
