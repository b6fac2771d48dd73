"""``vhbench analyse …``: a breakdown of the scores of a run, one command per benchmark with an analysis."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vhbench.benchmarks import BENCHMARKS, load, of_task
from vhbench.cli import build_command
from vhbench.cli.lazy import lazy_group
from vhbench.options import option
from vhbench.schema import VhbenchError
from vhbench.terminal import escaped, in_a_line

if TYPE_CHECKING:
    from vhbench.runs import Run


@dataclass(frozen=True, kw_only=True)
class _AnalyseOptions:
    results: Path = option(
        "lmms-eval output written with --log_samples: a folder or a samples file.", metavar="RUN", argument=True
    )
    out: Path | None = option("Folder for the analysis; by default, next to the results.", None, names=("--out", "-o"))


@dataclass(frozen=True, kw_only=True)
class _SplitOptions:
    split: Path | None = option(
        "The evaluated split, for its vocabulary; by default, the one that the tasks use.", None
    )


def print_analysis(name: str, run: Path, out: Path | None = None, **options: Any) -> None:
    """Print the analysis of one run, after writing it; options as of :func:`write_analysis`."""
    from vhbench.tasks.text_only_baseline import baseline_sentences
    from vhbench.tasks.unparsed import KINDS

    analysis, files = write_analysis(name, run, out, **options)
    for note in analysis["notes"]:
        typer.echo(in_a_line(note), err=True)
    sources = analysis["provenance"].values()
    version, model = (", ".join(sorted({f"{source[key]}" for source in sources})) for key in ("version", "model"))
    title = ", ".join(filter(None, (f"{BENCHMARKS[name].title.partition(':')[0]} {version}".strip(), model)))
    shares = ", ".join(f"{kind} {100 * analysis[kind]:.1f} %" for kind in KINDS)
    typer.echo(in_a_line(f"{title}: {analysis['questions']:,} questions; {shares}"))
    report = load(BENCHMARKS[name].analysis).report
    for line in [analysis["summary"]] if analysis["withheld"] else ["", *report(analysis)]:
        typer.echo(escaped(line))
    for sentence in baseline_sentences(analysis["text_only_baseline"]):
        typer.echo(in_a_line(sentence))
    hint = f"; `vhbench answers {run}` lists what failed" if analysis["withheld"] else ""
    typer.echo(f"wrote {' and '.join(map(str, files))}{hint}")


def write_analysis(name: str, run: Path, out: Path | None = None, **options: Any) -> tuple[dict[str, Any], list[Path]]:
    """Write the numbers and the figure of a benchmark's analysis of one run; return the numbers and the files.

    The files go to the run's folder by default. If the run is one lmms-eval file, they get its date.
    """
    from vhbench.files import json_bytes, write_atomic
    from vhbench.runs import date_of, read_run
    from vhbench.tasks import text_only_baseline

    analysis = load(BENCHMARKS[name].analysis)
    responses = read_run(run)
    if "split" in options:
        _same_split(responses, name, options["split"])
    records = responses.merged()
    floors = text_only_baseline.of_records([record for record in records if record.benchmark == name])
    sources = responses.provenance.items()
    origin = {task: source.to_json() for task, source in sources if source and source.benchmark == name}
    head = {"notes": responses.notes, "provenance": origin}
    numbers = {**head, **analysis.analyse(records, **options), "text_only_baseline": floors}
    date = f"{date}_" if (date := date_of(run)) else ""
    folder = out or (run if run.is_dir() else run.parent)
    data, picture = (folder / f"{date}{file}" for file in _files(name))
    write_atomic(data, json_bytes(numbers))
    if numbers["withheld"]:  # nothing to plot; an older figure would show other responses
        picture.unlink(missing_ok=True)
        return numbers, [data]
    analysis.draw(numbers, picture)
    return numbers, [data, picture]


def _files(name: str) -> tuple[str, str]:
    return f"{name}_analysis.json", f"{name}_{BENCHMARKS[name].picture}.png"


@dataclass(frozen=True, kw_only=True)
class _ImageSetOptions:
    sets: tuple[str, ...] = option(
        "A split, then the splits or folders of photos to compare it with.", argument=True, repeat=True
    )
    clip: str = option("CLIP model that computes the features.", "openai/clip-vit-large-patch14-336", metavar="NAME")
    number: int = option("Maximum number of images per set, sampled at random.", 2_000, least=10, most=10_000)
    seed: int = option("Random seed of the samples.", 0, least=0)
    device: str = option("Device of CLIP: auto, cpu, cuda.", "auto")
    out: Path = option("Folder for images_analysis.json and images_map.png.", Path(), names=("--out", "-o"))


def analyse_images(options: _ImageSetOptions) -> None:
    """Compare the CLIP features of a split's images with those of others, such as photos.

    Prints the distance (CMMD) of each set from the first with its 95 % CI and p-value, and plots all images on their
    first two principal components.

    Example: `vhbench analyse images out/ode val2017 --out images`
    """
    from vhbench.adapters.clip import ClipScorer
    from vhbench.analysis import image_sets

    scorer = ClipScorer(options.clip, device=options.device)
    for line in image_sets.analyse(options.sets, scorer.features, options.out, most=options.number, seed=options.seed):
        typer.echo(in_a_line(line))


def _command(name: str) -> Callable[..., None]:
    if name == "images":
        return build_command.command(analyse_images)
    analysis = load(BENCHMARKS[name].analysis)
    data, picture = _files(name)

    def run(options: _AnalyseOptions, *more: _SplitOptions) -> None:
        from vhbench.runs import runs_below

        runs = runs_below(options.results, lambda task: of_task(task) is BENCHMARKS[name])
        if options.out and len(runs) > 1:
            named = ", ".join(map(str, runs))
            raise VhbenchError(f"--out: expected the results of one model; {options.results} has {len(runs)}: {named}")
        for results in runs:
            if len(runs) > 1:
                typer.echo(f"== {results}")
            print_analysis(name, results, options.out, **({"split": more[0].split} if more else {}))

    more = [_SplitOptions] if "split" in inspect.signature(analysis.analyse).parameters else []
    title = f"{BENCHMARKS[name].title.partition(':')[0]}: "
    about = (inspect.getdoc(analysis) or "").removeprefix(title)
    help = f"{title}{about}\n\nWrites {data} and {picture}, and prints tables and a summary.\n\n"
    return build_command.command(run, _AnalyseOptions, *more, help=f"{help}Example: `vhbench analyse {name} results/`")


def _same_split(run: "Run", benchmark: str, split: Path | None) -> None:
    """Raise if the responses belong to another split than the one whose vocabulary scores them."""
    from vhbench import splits
    from vhbench.runs import check_same_split
    from vhbench.tasks import datasets

    for record in run.provenance.values():
        if record is not None and record.benchmark == benchmark:
            folder = split or datasets.resolve(benchmark).path
            check_same_split(record, folder, splits.read_manifest(folder))


app = typer.Typer(
    help="Break down a run's scores by cause.",
    cls=lazy_group([*(name for name, entry in BENCHMARKS.items() if entry.analysis), "images"], _command),
    no_args_is_help=True,
)
