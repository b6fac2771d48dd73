"""``vhbench push DIR``: release a split on the Hugging Face Hub."""

from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option


@dataclass(frozen=True, kw_only=True)
class PushOptions:
    """What ``vhbench push`` takes."""

    directory: Path = option("A split directory, such as out/ode.", metavar="DIR", argument=True)
    repo_id: str = option("Dataset repository on the Hub.", metavar="ORG/NAME")
    version: str = option("Version to release; must equal the split's.", metavar="X.Y.Z")
    private: bool = option("Create the repository as private; an existing public one is refused.", False)
    hidden: bool = option(
        "Release a hidden test set: questions and images in OUT/hidden/BENCHMARK, without answers, with new ids "
        "and another order. Needs --secret.",
        False,
    )
    secret: Path | None = option("With --hidden: the secret that the split was built with.", None, metavar="FILE")
    key: Path | None = option(
        "With --hidden: file for the answers, read by `vhbench score --key FILE`; keep it. By default next to DIR, "
        "BENCHMARK-VERSION.key.jsonl.",
        None,
        metavar="FILE",
    )
    reveal: bool = option("Release the answers of a hidden test set, once its evaluation is over.", False)
    yes: bool = option(
        "Do not ask before deleting or replacing files of the previous version, other files, or an existing key.",
        False,
        names=("--yes", "-y"),
    )
    dry_run: bool = option("Verify and print what would be uploaded; write nothing.", False)
    comparable_anyway: bool = option(
        "Release although scores are not comparable with the previous version and MAJOR is unchanged.",
        False,
    )
    notes: str = option("Changes, in Markdown, for the changelog.", "")


@build_command.taking(PushOptions)
def push(options: PushOptions) -> None:
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
    push_split(options)


def push_split(options: PushOptions) -> None:
    """Release a split, see :func:`push`."""
    from vhbench import release

    release.publish(**asdict(options), ask=lambda question: options.yes or typer.confirm(question))
