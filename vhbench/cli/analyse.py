"""``vhbench analyse …``: what lies behind the scores, one command per benchmark that has an analysis."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.benchmarks import BENCHMARKS, load
from vhbench.cli import running
from vhbench.cli.lazy import lazy_group
from vhbench.options import option


@dataclass(frozen=True, kw_only=True)
class AnalyseOptions:
    """What every ``vhbench analyse …`` command takes."""

    results: Path = option("What lmms-eval wrote with --log_samples: a folder, or a samples file.", argument=True)
    out: Path | None = option("Folder for the analysis; by default beside the results.", None, names=("--out", "-o"))


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """What an analysis takes that looks at the split too."""

    split: Path | None = option(
        "The split that was asked, for its vocabulary; by default the one that the tasks would ask.", None
    )


def _command(name: str) -> Callable[..., None]:
    analysis = load(BENCHMARKS[name].analysis)
    data, picture = f"{name}_analysis.json", f"{name}_{BENCHMARKS[name].picture}.png"

    def run(how: AnalyseOptions, *more: SplitOptions) -> None:
        from vhbench.files import json_bytes, write_atomic
        from vhbench.results import merged, read_run
        from vhbench.tasks import words_alone

        asked = read_run(how.results)
        for note in asked.notes:
            typer.echo(note)
        given = {"split": more[0].split} if more else {}
        records = merged(asked, how.results)
        found = {"notes": asked.notes} | analysis.analyse(records, **given)
        own = [record for record in records if record.benchmark == name]
        found |= {"word_floor": words_alone.of_records(own)}
        folder = how.out or (how.results if how.results.is_dir() else how.results.parent)
        write_atomic(folder / data, json_bytes(found))
        typer.echo(found["summary"])
        for sentence in words_alone.told(found["word_floor"]):
            typer.echo(sentence)
        if found["withheld"]:  # there is nothing to draw; an older picture would be of other answers
            (folder / picture).unlink(missing_ok=True)
            typer.echo(f"wrote {folder / data}; `vhbench answers {how.results}` lists what failed")
            return
        analysis.draw(found, folder / picture)
        typer.echo(f"wrote {folder / data} and {folder / picture}")

    more = [SplitOptions] if "split" in inspect.signature(analysis.analyse).parameters else []
    help = f"{inspect.getdoc(analysis)}\n\nWrites {data} and {picture}, and prints a few sentences.\n\n"
    return running.command(run, AnalyseOptions, *more, help=f"{help}Example: `vhbench analyse {name} results/`")


app = typer.Typer(
    name="analyse",
    help="Tell what lies behind the scores of a run.",
    cls=lazy_group([name for name, entry in BENCHMARKS.items() if entry.analysis], _command),
    no_args_is_help=True,
)
