"""``vhbench analyse …``: what lies behind the scores, one command per benchmark that has an analysis."""

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
from vhbench.terminal import in_a_line

if TYPE_CHECKING:
    from vhbench.runs import Run


@dataclass(frozen=True, kw_only=True)
class AnalyseOptions:
    """What every ``vhbench analyse …`` command takes."""

    results: Path = option("lmms-eval output written with --log_samples: a folder or a samples file.", argument=True)
    out: Path | None = option("Folder for the analysis; next to the results by default.", None, names=("--out", "-o"))


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """What an analysis takes that looks at the split too."""

    split: Path | None = option("The evaluated split, for its vocabulary; by default the one that the tasks use.", None)


def print_analysis(name: str, run: Path, out: Path | None = None, **given: Any) -> None:
    """Print the analysis of one run; write its numbers and figure next to the results, or into ``out``.

    Args:
        name: of the benchmark.
        run: a folder, or one file of lmms-eval, whose date the written files have too.
        out: the folder to write into; None for that of the run.
        given: further arguments of the analysis.
    """
    from vhbench.files import json_bytes, write_atomic
    from vhbench.runs import date_of, read_run
    from vhbench.tasks import text_only_baseline

    analysis = load(BENCHMARKS[name].analysis)
    asked = read_run(run)
    notes = asked.notes
    for note in notes:
        typer.echo(in_a_line(note))
    if "split" in given:
        _same_split(asked, name, given["split"])
    records = asked.merged()
    floors = text_only_baseline.of_records([record for record in records if record.benchmark == name])
    origin = {task: one.to_json() for task, one in asked.provenance.items() if one and one.benchmark == name}
    found = {"notes": notes, "provenance": origin} | analysis.analyse(records, **given) | {"word_floor": floors}
    date = f"{date}_" if (date := date_of(run)) else ""
    folder = out or (run if run.is_dir() else run.parent)
    data, picture = (folder / f"{date}{file}" for file in _files(name))
    write_atomic(data, json_bytes(found))
    typer.echo(found["summary"])
    for sentence in text_only_baseline.baseline_sentences(floors):
        typer.echo(in_a_line(sentence))
    if found["withheld"]:  # nothing to plot; an older figure would show other responses
        picture.unlink(missing_ok=True)
        typer.echo(f"wrote {data}; `vhbench answers {run}` lists what failed")
        return
    analysis.draw(found, picture)
    typer.echo(f"wrote {data} and {picture}")


def _files(name: str) -> tuple[str, str]:
    return f"{name}_analysis.json", f"{name}_{BENCHMARKS[name].picture}.png"


def _command(name: str) -> Callable[..., None]:
    analysis = load(BENCHMARKS[name].analysis)
    data, picture = _files(name)

    def run(how: AnalyseOptions, *more: SplitOptions) -> None:
        from vhbench.runs import runs_below

        runs = runs_below(how.results, lambda task: of_task(task) is BENCHMARKS[name])
        if how.out and len(runs) > 1:
            named = ", ".join(map(str, runs))
            raise VhbenchError(f"{how.results} holds the results of {len(runs)} models; with --out name one: {named}")
        for one in runs:
            if len(runs) > 1:
                typer.echo(f"== {one}")
            print_analysis(name, one, how.out, **({"split": more[0].split} if more else {}))

    more = [SplitOptions] if "split" in inspect.signature(analysis.analyse).parameters else []
    help = f"{inspect.getdoc(analysis)}\n\nWrites {data} and {picture}, and prints a few sentences.\n\n"
    return build_command.command(run, AnalyseOptions, *more, help=f"{help}Example: `vhbench analyse {name} results/`")


def _same_split(asked: "Run", benchmark: str, split: Path | None) -> None:
    """Raise if answers are to another split than the one whose words they are read by."""
    from vhbench import splits
    from vhbench.runs import check_same_split
    from vhbench.tasks import datasets

    for told in asked.provenance.values():
        if told is not None and told.benchmark == benchmark:
            folder = split or datasets.resolve(benchmark).path
            check_same_split(told, folder, splits.read_manifest(folder))


app = typer.Typer(
    name="analyse",
    help="Break down a run's scores by cause.",
    cls=lazy_group([name for name, entry in BENCHMARKS.items() if entry.analysis], _command),
    no_args_is_help=True,
)
