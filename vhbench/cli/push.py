"""``vhbench push DIR``: release a split on the Hugging Face Hub."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.terminal import in_a_line

if TYPE_CHECKING:
    from vhbench.adapters.hub_release import Release


@dataclass(frozen=True, kw_only=True)
class PushOptions:
    """What ``vhbench push`` takes."""

    directory: Path = option("A split directory, such as out/ode.", metavar="DIR", argument=True)
    repo_id: str = option("Dataset repository on the Hub.", metavar="ORG/NAME")
    version: str = option("Version to release; must equal the split's.", metavar="X.Y.Z")
    private: bool = option(
        "Create the repository as private; an existing public one is refused.", False, names=("--private",)
    )
    hidden: bool = option(
        "Release a hidden test set: questions and images in OUT/hidden/BENCHMARK, without answers, with new ids "
        "and another order. Needs --secret.",
        False,
        names=("--hidden",),
    )
    secret: Path | None = option(
        "With --hidden: the secret that the split was built with.", None, metavar="FILE", names=("--secret",)
    )
    key: Path | None = option(
        "With --hidden: file for the answers, read by `vhbench score --key FILE`; keep it. By default next to DIR, "
        "BENCHMARK-VERSION.key.jsonl.",
        None,
        metavar="FILE",
    )
    reveal: bool = option(
        "Release the answers of a hidden test set, once its evaluation is over.", False, names=("--reveal",)
    )
    yes: bool = option(
        "Do not ask before deleting or replacing files of the previous version, of others, or an existing key.",
        False,
        names=("--yes", "-y"),
    )
    dry_run: bool = option("Verify and print what would be uploaded; write nothing.", False, names=("--dry-run",))
    comparable_anyway: bool = option(
        "Release although scores are not comparable with the previous version and MAJOR is unchanged.",
        False,
        names=("--comparable-anyway",),
    )
    notes: str = option("Changes, in Markdown, for the changelog.", "")


@build_command.taking(PushOptions)
def push(how: PushOptions) -> None:
    """Release a verified split on the Hub: one commit, one tag, all or nothing.

    The token comes from HF_TOKEN or `hf auth login`. Run the same command again to resume an interrupted push. Under
    an unchanged MAJOR version, scores must stay comparable; `vhbench diff` shows what differs.

    A version lower than a released one goes to its own branch; the newest stays the default and the pinned one. Other
    files in the repository are kept, and so is manual text in the card outside the generated sections, such as its
    licence. The command asks before it replaces such files or metadata. A repository with other Parquet rows is
    refused, as the content hash does not cover them.

    Prints the citable name of the release, `hf://ORG/NAME@v1.0.0#sha256:…`: tasks take it from the environment variable
    VHBENCH_RELEASE, and commands in place of a split.

    A hidden test set is released without its answers: lmms-eval then writes a submission instead of scores, and the
    holder of the key scores it with `vhbench score FILE --key KEY`. Its manifest commits to the secret, the options and
    the whole split, and the release commit dates that commitment. Once the secret is revealed, anyone can check that
    with `vhbench verify DIR --secret FILE`.

    Example: `vhbench push out/ode --repo-id ORG/vhbench-ode --version 1.0.0 --dry-run`

    Example: `vhbench push out/ode --repo-id ORG/vhbench-ode --version 2.0.0 --hidden --secret secret.txt`
    """
    push_split(how)


def push_split(how: PushOptions) -> None:
    """Release a split, see :func:`push`."""
    from vhbench import release, splits
    from vhbench.adapters.hub_names import ReleaseName
    from vhbench.adapters.hub_release import logged_in, refuse_hidden

    with ExitStack() as held:
        if not how.dry_run:
            held.enter_context(splits.locked(how.directory))
        manifest = release.verify_release(how.directory, how.version)
        directory = how.directory
        if how.hidden or how.secret or how.key:
            folder = Path(held.enter_context(TemporaryDirectory())) if how.dry_run else None
            options: dict[str, Any] = {"hidden": how.hidden, "secret": how.secret, "key": how.key, "overwrite": how.yes}
            directory = release.hide(how.directory, manifest, rehearsed=folder, **options)
            manifest = release.verify_release(directory, how.version)
        refuse_hidden(manifest, reveal=how.reveal)
        if logged_in() and not how.comparable_anyway:
            release.refuse_hidden_change(directory, manifest, how.repo_id)
        shown: dict[str, Any] = {"private": how.private, "reveal": how.reveal}
        if how.dry_run:
            release.rehearse(directory, manifest, how.repo_id, how.notes, **shown)
            return
        approve, overwrite = partial(_approve, how), partial(_overwrite, how)
        sent = release.send(directory, manifest, how.repo_id, how.notes, approve=approve, overwrite=overwrite, **shown)
    _tell(how.repo_id, sent)
    typer.echo(f"VHBENCH_RELEASE={ReleaseName.of(manifest, how.repo_id)}")


def _tell(repo_id: str, sent: "Release") -> None:
    """Say what was released, and where it went."""
    from vhbench.adapters.hub_release import MAIN

    if not sent.is_new:
        typer.echo(f"nothing new: {repo_id} has {sent.tag} with this content already")
    else:
        typer.echo(f"released {repo_id} {sent.tag}: {len(sent.uploaded)} files new, {len(sent.deleted)} deleted")
        if sent.branch != MAIN:
            typer.echo(f"a newer version exists: {MAIN} is unchanged, this version is on the branch {sent.branch}")
    typer.echo(f"commit {sent.sha}")


def _approve(how: PushOptions, names: Sequence[str]) -> bool:
    """Say which files would be deleted, and ask whether they may be."""
    typer.echo(f"{how.repo_id} has {len(names)} files of the previous version that this one lacks:")
    for name in names:
        typer.echo(in_a_line(f"  - {name}"))
    return how.yes or typer.confirm("delete them (previous versions keep them under their tags)?")


def _overwrite(how: PushOptions, names: Sequence[str]) -> bool:
    """Say which files of others would be replaced, and ask whether they may be."""
    if not names:
        return True
    typer.echo(f"{how.repo_id} has {len(names)} files that belong to no version of the benchmark:")
    for name in names:
        typer.echo(in_a_line(f"  ! {name}"))
    return how.yes or typer.confirm("replace them (only the repository's history keeps them)?")
