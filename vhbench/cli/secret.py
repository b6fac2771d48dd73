"""``vhbench secret FILE``: make the secret of a hidden test set."""

from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option


@dataclass(frozen=True, kw_only=True)
class _SecretOptions:
    file: Path = option("New file for the secret.", argument=True, metavar="FILE")


@build_command.command
def secret(options: _SecretOptions) -> None:
    """Create the secret for a hidden test set: 256 random bits, in a file that only you can read.

    Build with `--seed-from-secret FILE`, keep the file private, and reveal it once the evaluation is over.

    Example: `vhbench secret secret.txt`
    """
    from vhbench.builds.hidden_seed import write_secret

    write_secret(options.file)
    typer.echo(f"wrote {options.file}; keep it private and back it up: without it, the test set cannot be verified")
