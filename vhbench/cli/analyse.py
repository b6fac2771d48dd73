"""``vhbench analyse …``: what lies behind the scores, one sub-command per benchmark."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(name="analyse", help="Tell what lies behind the scores of a run.", no_args_is_help=True)

Results = Annotated[Path, typer.Argument(help="What lmms-eval wrote with --log_samples: a folder, or a samples file.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the report; by default beside the results.")]


@app.command()
def ode(
    results: Results,
    split: Annotated[
        Path | None,
        typer.Option(help="The split that was asked, for its vocabulary; by default the one that the tasks would ask."),
    ] = None,
    out: Out = None,
) -> None:
    """What is imagined next to what, and how do the scores change from standard to fictional?

    Writes ode_analysis.json and ode_analysis.png, and prints a few sentences.

    Example: `vhbench analyse ode results/`
    """
    from vhbench.analysis import ode_hallucinations as analysis
    from vhbench.results import read_samples

    records = read_samples(results)
    found = analysis.analyse(records, analysis.asked_vocabulary(records, split))
    _report(found, analysis.draw, _folder(results, out), "ode_analysis.json", "ode_analysis.png")


@app.command()
def mioh(results: Results, out: Out = None) -> None:
    """Perception or integration? And what does each pressure cost?

    Writes mioh_analysis.json and mioh_heat_map.png, and prints a paragraph.

    Example: `vhbench analyse mioh results/`
    """
    from vhbench.analysis import mioh_failures as analysis
    from vhbench.analysis.mioh_map import heat_map
    from vhbench.results import read_samples

    found = analysis.analyse(read_samples(results))
    _report(found, heat_map, _folder(results, out), "mioh_analysis.json", "mioh_heat_map.png")


@app.command()
def vhexpansion(results: Results, out: Out = None) -> None:
    """Are right answers worth anything, and what does each perturbation cost?

    Name a run with the clean questions and the perturbed ones (--tasks vhexpansion_ode_all): the drop is taken case by
    case. Writes vhexpansion_analysis.json and vhexpansion_analysis.png, and prints a few sentences.

    Example: `vhbench analyse vhexpansion results/`
    """
    from vhbench.analysis import vhexpansion_costs as analysis
    from vhbench.results import read_samples

    found = analysis.analyse(read_samples(results))
    _report(found, analysis.draw, _folder(results, out), "vhexpansion_analysis.json", "vhexpansion_analysis.png")


def _folder(results: Path, out: Path | None) -> Path:
    """Return the folder for the report: the one that was named, or that of the results."""
    return out or (results if results.is_dir() else results.parent)


def _report(
    found: Mapping[str, Any], draw: Callable[[Mapping[str, Any], Path], None], folder: Path, data: str, picture: str
) -> None:
    """Write an analysis as JSON and as a picture, and print its summary.

    Args:
        found: the analysis.
        draw: writes its picture to a file.
        folder: where both are written; made if it is not there.
        data: name of the JSON file.
        picture: name of the picture.
    """
    from vhbench.files import json_bytes, write_atomic

    write_atomic(folder / data, json_bytes(found))
    draw(found, folder / picture)
    typer.echo(found["summary"])
    typer.echo(f"wrote {folder / data} and {folder / picture}")
