"""``vhbench compare RUN RUN …``: paired comparison of runs on the same questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError
from vhbench.terminal import in_a_line


@dataclass(frozen=True, kw_only=True)
class _CompareOptions:
    runs: tuple[str, ...] = option(
        "Two or more runs on the same questions: folders that lmms-eval wrote with --log_samples, or files of "
        "responses in any format (then with --questions). The first run is the reference.",
        metavar="RUN RUN …",
        argument=True,
        repeat=True,
    )
    unpaired: bool = option(
        "The runs are on different questions of the same kinds (two dataset versions, or photos and generated "
        "images): compare them within each criterion and question type.",
        False,
    )
    questions: tuple[str, ...] = option(
        "The evaluated split, if the responses do not name it; it also gives the vocabulary for captions. With "
        "--unpaired, one per run, in the same order.",
        (),
        metavar="SPLIT",
        repeat=True,
    )
    names: tuple[str, ...] = option(
        "Comma-separated names of the runs, in order; by default, their folder or file names.", ()
    )
    out: Path | None = option(
        "Folder for comparison.json, .md, .tex and .png, with all cells.", None, names=("--out", "-o")
    )
    as_json: bool = option("Print everything as JSON.", False, names=("--json",))
    seed: int = option("Random seed of the sign flips.", 0)


@build_command.command
def compare(options: _CompareOptions) -> None:
    """Compare runs sample by sample: paired differences, 95 % CIs, adjusted p-values, ranks.

    Scores equal those in the reports. Intervals are paired by question and clustered by image or fact. *p* comes from
    a sign-flip test over clusters; *adj. p* is adjusted (max-t) over all metrics compared in a benchmark, or over all
    its subsets, at a family-wise error rate of 5 %. Verdicts: "better" or "worse" ("higher" or "lower" for metrics
    without a direction), "not significant", or "n/a (k)" where only k clusters are discordant and a test needs six.
    A rank range contains the ranks that these verdicts, on all pairs of runs, cannot exclude.

    Runs on different questions, or with missing responses, are rejected. Differences in prompts, settings or
    repetitions are reported in one line.

    With `--unpaired`, questions are stratified by criterion, question type, pressure and perturbation, with equal
    weights in each run; *p* comes from a t-test over clusters, with Holm correction.

    Example: `vhbench compare results/qwen2.5-vl-3b results/internvl3-2b --out comparison`
    """
    from vhbench.compare import forest, match, tables
    from vhbench.files import write_atomic

    paths = [Path(run) for run in options.runs]
    for path in paths:
        if not path.exists():
            raise VhbenchError(f"cannot read {path}: No such file or directory")
    names = _names(paths, options.names)
    questions: list[Path | None] = [Path(split) for split in options.questions]
    questions = questions or [None]
    if len(questions) not in (1, len(paths)) or (len(questions) > 1 and not options.unpaired):
        raise VhbenchError(
            f"--questions: expected one split{', or one a run' * options.unpaired}, got {len(questions)}"
        )
    splits = questions * len(paths) if len(questions) == 1 else questions
    comparison = match(zip(names, paths, splits, strict=True), unpaired=options.unpaired, seed=options.seed)
    if options.as_json:
        from vhbench.cli.score_tables import print_json

        print_json(tables.to_json(comparison))
    else:
        for note in comparison.notes:
            typer.echo(in_a_line(f"note: {note}"), err=True)
        for line in tables.terminal(comparison):
            typer.echo(line)
    if options.out is not None:
        files = tables.files(comparison)
        for name, data in files.items():
            write_atomic(options.out / name, data)
        written = [*files, *(["comparison.png"] if forest.draw(comparison, options.out / "comparison.png") else [])]
        typer.echo(f"wrote {', '.join(str(options.out / name) for name in written)}", err=options.as_json)


def _names(paths: Sequence[Path], chosen: Sequence[str]) -> list[str]:
    """Return what the runs are called; raise where two are the same."""
    from vhbench.runs import sample_files

    if len(paths) < 2:
        raise VhbenchError(f"expected two or more runs, got {len(paths)}")
    if chosen and len(chosen) != len(paths):
        raise VhbenchError(f"--names: expected {len(paths)} names, one per run; got {len(chosen)}")
    if "" in map(str.strip, chosen):
        raise VhbenchError(f"--names: expected a name for each run; got {','.join(chosen)!r}")
    samples = [sample_files(path) if path.is_dir() else [] for path in paths]
    own = [files[0].parent.name if files else path.stem for path, files in zip(paths, samples, strict=True)]
    names = list(chosen) or own
    if len(set(names)) < len(names) and not chosen:
        names = [str(path) for path in paths]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise VhbenchError(f"run {twice!r} occurs twice; pass different runs, or name them with --names A,B")
    return names
