"""``vhbench analyse …``: what lies behind the scores, one sub-command per benchmark."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(name="analyse", help="Tell what lies behind the scores of a run.", no_args_is_help=True)

Results = Annotated[Path, typer.Argument(help="What lmms-eval wrote with --log_samples: a folder, or a samples file.")]


@app.command()
def ode(
    results: Results,
    split: Annotated[
        Path | None,
        typer.Option(help="The split that was asked, for its vocabulary; by default the words that the answers name."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report; by default beside the results.")
    ] = None,
) -> None:
    """What is imagined next to what, and how do the scores change from standard to fictional?

    Writes ode_analysis.json and ode_analysis.png, and prints a few sentences.

    Example: `vhbench analyse ode results/`
    """
    import orjson

    from vhbench import results as runs
    from vhbench import splits
    from vhbench.analysis import ode as analysis

    vocabulary = splits.read_manifest(split).config.get("vocabulary") if split else None
    found = analysis.analyse(runs.read_samples(results), vocabulary)
    folder = out or (results if results.is_dir() else results.parent)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ode_analysis.json").write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    analysis.draw(found, folder / "ode_analysis.png")
    typer.echo(found["summary"])
    typer.echo(f"wrote {folder / 'ode_analysis.json'} and {folder / 'ode_analysis.png'}")


@app.command()
def mioh(
    results: Results,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report; by default beside the results.")
    ] = None,
) -> None:
    """Perception or integration? And what does each pressure cost?

    Writes mioh_analysis.json and mioh_heat_map.png, and prints a paragraph.

    Example: `vhbench analyse mioh results/`
    """
    import orjson

    from vhbench import results as runs
    from vhbench.analysis import mioh as analysis
    from vhbench.analysis.mioh_map import heat_map

    found = analysis.analyse(runs.read_samples(results))
    folder = out or (results if results.is_dir() else results.parent)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mioh_analysis.json").write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    heat_map(found, folder / "mioh_heat_map.png")
    typer.echo(found["summary"])
    typer.echo(f"wrote {folder / 'mioh_analysis.json'} and {folder / 'mioh_heat_map.png'}")


@app.command()
def vhexpansion(
    results: Results,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report; by default beside the results.")
    ] = None,
) -> None:
    """Are right answers worth anything, and what does each perturbation cost?

    Name a run with the clean questions and the perturbed ones (--tasks vhexpansion_ode_all): the drop is taken case by
    case. Writes vhexpansion_analysis.json and vhexpansion_analysis.png, and prints a few sentences.

    Example: `vhbench analyse vhexpansion results/`
    """
    import orjson

    from vhbench import results as runs
    from vhbench.analysis import vhexpansion as analysis

    found = analysis.analyse(runs.read_samples(results))
    folder = out or (results if results.is_dir() else results.parent)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vhexpansion_analysis.json").write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    analysis.draw(found, folder / "vhexpansion_analysis.png")
    typer.echo(found["summary"])
    typer.echo(f"wrote {folder / 'vhexpansion_analysis.json'} and {folder / 'vhexpansion_analysis.png'}")
