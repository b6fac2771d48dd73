"""``vhbench verify DIR``: check a split against its manifest, scenes and pairs."""

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
        "rebuilding it.",
        None,
        metavar="DIR",
    )
    recipe: Path | None = option(
        "Recipe, such as editions/ode.yaml: check that the split is the dataset version that it describes.",
        None,
        metavar="FILE",
    )
    other: Path | None = option(
        "Split of the same build with another seed: print the accuracy of the majority answer to each question text in "
        "that split, by criterion and question type. For MIOH, also train classifiers restricted to one image, "
        "presence, unbound values, words or pixels on one split and test them on the other, both ways (takes minutes).",
        None,
        names=("--other-seed",),
        metavar="DIR",
    )
    quiet: bool = option("Print errors only.", False, names=("--quiet", "-q"))


@build_command.command
def verify(options: _VerifyOptions) -> None:
    """Check a split: files, content hash, rows, pairs, images, reference answers, balance.

    Prints one line per error and exits with 1 if there are any. For MIOH, a cell is also an error if an oracle
    restricted to one image, to presence, or to attribute values not bound to objects exceeds the accuracy that the
    design allows. Warnings report imbalanced answers, which some protocols require, and do not change the exit code. A
    text-only baseline above chance means that the wording leaks answers.

    `--other-seed` also trains classifiers on another split. A cell is an error if, in both directions, a classifier
    is significantly more accurate than the design allows.

    Example: `vhbench verify out/ode`

    For a hidden test set whose secret was revealed: `vhbench verify DIR --secret FILE` rebuilds the split from the
    secret and compares the two.
    """
    from vhbench import audit, splits
    from vhbench.builds import hidden_edition, hidden_seed
    from vhbench.builds.recipes import EditionRecipe

    directory = options.directory
    _stop(directory, splits.verify(directory, progress=not options.quiet))
    manifest = splits.read_manifest(directory)
    checked = audit.audit(directory, progress=not options.quiet)
    errors = checked.faults
    if options.secret_file is not None:
        errors += hidden_edition.faults(directory, hidden_seed.read_secret(options.secret_file), options.rebuilt)
    elif options.rebuilt is not None:
        raise VhbenchError(f"--rebuilt {options.rebuilt}: expected --secret FILE as well")
    if options.recipe is not None:
        recipe = EditionRecipe.read(options.recipe)
        errors += recipe.differences(manifest)
        if not (recipe.content_hash or recipe.reviewed or options.quiet):
            typer.echo(
                "warning: the recipe has no content hash; only the entries of the manifest are compared with it",
                err=True,
            )
    learned: list[list[str]] = []
    if options.other is not None and (other := splits.read_manifest(options.other).benchmark) != manifest.benchmark:
        needed = f"expected a split of {manifest.benchmark}"
        raise VhbenchError(f"--other-seed {options.other}: {needed}, got one of {other}")
    if options.other is not None and manifest.benchmark == "mioh":
        from vhbench.audit import learned_oracles

        faults, learned = learned_oracles.compare_splits(directory, options.other)
        errors += faults
    _stop(directory, errors)
    if not options.quiet:
        _print_audit(directory, manifest, checked)
        _print_table("learned oracles: accuracy (%) when trained on the other split, and vice versa", learned)
    if options.other is not None:
        from vhbench.tasks import text_only_baseline

        rows = text_only_baseline.across_seeds(directory, options.other)
        _print_table("accuracy of the majority answer per question text (%)", list(map(list, rows)))


def _print_audit(directory: Path, manifest: Manifest, checked: "Audit") -> None:
    """Print the summary of a valid split: warnings, recomputed answers, baselines, content hash."""
    from vhbench import audit
    from vhbench.audit import restricted_oracles
    from vhbench.splits import manifests
    from vhbench.tasks import text_only_baseline

    hidden, rows = manifests.is_hidden(manifest), sum(manifest.rows.values())
    warnings = [] if hidden else [*audit.imbalances(checked)]
    for warning in warnings:
        typer.echo(in_a_line(f"warning: {warning}"), err=True)
    title = f"{directory}: {manifest.benchmark} {manifest.version}, {rows:,} questions"
    typer.echo(in_a_line(f"OK  {title}, 0 errors, {len(warnings)} warning{'' if len(warnings) == 1 else 's'}"))
    agreement = (
        "hidden test set: its maintainers keep the answers"
        if hidden
        else f"{checked.right:,} of {checked.right:,} agree"
        if checked.right
        else "n/a (the scenes determine no answer)"
    )
    _print_fact("reference answers recomputed from scenes", agreement)
    if checked.open:
        kinds = ", ".join(f"{n:,} {name}" for name, n in checked.open.most_common())
        _print_fact("not decidable from the scenes", f"{checked.open.total():,} ({kinds})")
    if not hidden:
        for line in text_only_baseline.sentences(directory):
            _print_fact("text-only baseline (cross-validated)", line)
        oracles = restricted_oracles.table(checked.views) if checked.views else []
        _print_table(
            "restricted oracles: accuracy in %, guessing among the remaining options (bound by design, ± 3)", oracles
        )
    _print_fact("content hash", manifest.content_hash)


def _print_table(title: str, rows: list[list[str]]) -> None:
    from vhbench.statistics import wording

    if rows:
        typer.echo(f"    {title}")
        for line in wording.aligned(rows):
            typer.echo(f"    {line}")


def _print_fact(name: str, value: str) -> None:
    typer.echo(in_a_line(f"    {name:<42}{value}"))


def _stop(directory: Path, errors: list[str]) -> None:
    """Print the errors of a split and exit with 1, if there are any."""
    for error in errors:
        place = "" if error.startswith(str(directory)) else f"{directory}: "
        typer.echo(in_a_line(in_one_line(f"ERROR {place}{error}")))
    if len(errors) > 1:
        typer.echo(f"FAILED: {len(errors):,} errors")
    if errors:
        raise typer.Exit(1)
