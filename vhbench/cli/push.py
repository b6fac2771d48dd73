"""``vhbench push DIR``: release a split on the Hugging Face Hub."""

import typer

from vhbench.cli import build_command
from vhbench.release_options import PushOptions


@build_command.command
def push(options: PushOptions) -> None:
    """Push a verified split to the Hub: one commit, one tag, all or nothing.

    The token comes from HF_TOKEN or `hf auth login`. Run the same command again to resume an interrupted push. Under
    an unchanged MAJOR version, scores must stay comparable; `vhbench diff` shows what differs.

    A version lower than a released one goes to its own branch; the newest stays the default and the pinned version.
    Other files in the repository are kept, and so is manual text in the card outside the generated sections, such as
    its licence. The command asks before it replaces such files or metadata. A repository with other Parquet rows is
    rejected, because the content hash does not cover them.

    Prints the citable name of the release, `hf://ORG/NAME@v1.0.0#sha256:…`: tasks read it from the environment variable
    VHBENCH_RELEASE, and commands accept it in place of a split.

    A hidden test set is released without its answers: lmms-eval then writes a submission instead of scores, and the
    holder of the key scores it with `vhbench score FILE --key KEY`. Its manifest commits to the secret, the options and
    the whole split, and the release commit dates it. Once the secret is revealed, anyone can check the commitment with
    `vhbench verify DIR --secret FILE`.

    Example: `vhbench push out/ode --repo-id ORG/vhbench-ode --version 1.0.0 --dry-run`

    Example: `vhbench push out/ode --repo-id ORG/vhbench-ode --version 2.0.0 --hidden --secret secret.txt`
    """
    from vhbench import release

    release.publish(options, ask=lambda question: options.yes or typer.confirm(question))
