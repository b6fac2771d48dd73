"""``vhbench verify DIR``: is a split what it says, down to its answers?"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import Manifest, VhbenchError, in_one_line
from vhbench.terminal import in_a_line

if TYPE_CHECKING:
    from vhbench.audit import Audit


@dataclass(frozen=True, kw_only=True)
class _VerifyOptions:
    directory: Path = option("A split directory, such as out/ode.", argument=True, metavar="DIR")
    secret_file: Path | None = option(
        "Revealed secret: check that the manifest commits to it and that it yields exactly this split.",
        None,
        names=("--secret",),
        metavar="FILE",
    )
    rebuilt: Path | None = option(
        "With --secret: compare with this split, built by `vhbench build … --seed-from-secret FILE`, instead of "
        "building it here.",
        None,
        metavar="DIR",
    )
    quiet: bool = option("Print errors only.", False, names=("--quiet", "-q"))


@build_command.taking(_VerifyOptions)
def verify(how: _VerifyOptions) -> None:
    """Check a split: files, content hash, rows, pairs, images, reference answers, balance.

    Prints one line per error and exits with 1 if there are any. Warnings do not change the exit code: imbalanced
    answers, which some protocols require; a text-only baseline above chance, which means that the wording leaks
    answers; and, for MIOH, oracles restricted to one image or to presence that exceed the bound of a question type.

    Example: `vhbench verify out/ode`

    Of a hidden edition whose secret was revealed: `vhbench verify DIR --secret FILE` builds the split that the secret
    gives, and compares.
    """
    from vhbench import audit, splits
    from vhbench.builds import hidden_edition, hidden_seed

    directory = how.directory
    if faults := splits.verify(directory, progress=not how.quiet):
        _stop(faults)
    manifest = splits.read_manifest(directory)
    found = audit.audit(directory, progress=not how.quiet)
    faults = list(found.faults)
    if how.secret_file is not None:
        faults += hidden_edition.faults(directory, hidden_seed.read_secret(how.secret_file), how.rebuilt)
    elif how.rebuilt is not None:
        raise VhbenchError(f"--rebuilt {how.rebuilt}: only goes with --secret FILE, from which it was built")
    _stop(faults)
    if not how.quiet:
        _tell(directory, manifest, found)


def _tell(directory: Path, manifest: Manifest, found: "Audit") -> None:
    """Print the summary of a valid split: imbalances, baselines and hash."""
    from vhbench import audit
    from vhbench.audit import restricted_oracles
    from vhbench.splits import manifests
    from vhbench.tasks import text_only_baseline

    hidden = manifests.is_hidden(manifest)
    for warning in () if hidden else (*audit.imbalances(found), *restricted_oracles.warnings(found.views)):
        typer.echo(in_a_line(f"warning: {warning}"), err=True)
    rows = sum(manifest.rows.values())
    typer.echo(f"{directory}: {manifest.benchmark} {manifest.version}, {rows:,} questions, no errors")
    if not hidden:
        for sentence in (
            *restricted_oracles.sentences(found.views),
            *text_only_baseline.sentences(text_only_baseline.of_split(directory)),
        ):
            typer.echo(in_a_line(sentence))
    told = "; a hidden test set, whose maintainers keep the answers" if hidden else ""
    left = f"; left open: {', '.join(f'{n:,} {name}' for name, n in found.open.most_common())}" if found.open else ""
    typer.echo(in_a_line(f"answers recomputed from the scenes: {found.right:,}{told or left}"))
    typer.echo(f"content hash {manifest.content_hash}")


def _stop(faults: list[str]) -> None:
    if faults:
        for fault in faults:
            typer.echo(in_a_line(in_one_line(fault)))
        raise typer.Exit(1)
