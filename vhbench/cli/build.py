"""``vhbench build …``: one command per benchmark; its options are the fields of the benchmark's build."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.benchmarks import BENCHMARKS, load
from vhbench.cli import build_command
from vhbench.cli.lazy import lazy_group
from vhbench.options import option


def _command(name: str) -> Callable[..., None]:
    build = load(BENCHMARKS[name].build)
    return build_command.command(build_command.run, build, build_command.RunOptions, help=inspect.getdoc(build) or "")


@dataclass(frozen=True, kw_only=True)
class _RecipeOptions:
    recipe: Path | None = option(
        "Build the dataset version of a recipe, such as editions/ode.yaml, instead of naming a benchmark.",
        None,
        metavar="FILE",
    )
    out: Path = option("With --recipe: output folder.", Path("out"), names=("--out", "-o"))
    workers: int = option("With --recipe: worker processes.", 1, least=1, names=("--workers", "-w"))
    shard: str = option("With --recipe: build only part i of N of the shards.", "", metavar="i/N")
    pin: bool = option(
        "With --recipe: only write the Hub commits of its models and the SHA-256 of its inputs into the recipe.", False
    )


def _build_recipe(how: _RecipeOptions) -> None:
    """Build a split: Parquet files of images and questions."""
    from vhbench.builds.recipes import EditionRecipe

    if how.recipe is None:
        raise typer.BadParameter(f"expected --recipe FILE or one of {', '.join(BENCHMARKS)}")
    recipe = EditionRecipe.read(how.recipe)
    if how.pin:
        recipe = recipe.pinned()
        recipe.write(how.recipe)
        typer.echo(f"{how.recipe}: pinned {len(recipe.models)} models and {len(recipe.sources or ())} inputs")
        for source in recipe.unpinned:
            typer.echo(
                f"not pinned: {source}: name it under models as KEY, and write NAME@{{KEY}} or revision: '{{KEY}}'"
            )
        return
    run = build_command.RunOptions(out=how.out, workers=how.workers, shard=how.shard)
    build_command.run(recipe.build(), run, recipe.recorded(how.recipe.stem))


def _unless_named(run: Callable[..., None]) -> Callable[..., None]:
    """Return a function for typer that runs unless a benchmark's command is named."""

    def callback(ctx: typer.Context, **values: object) -> None:
        if ctx.invoked_subcommand is None:
            run(**values)
        elif values.get("recipe"):
            raise typer.BadParameter(f"--recipe names its benchmark; expected no command, got {ctx.invoked_subcommand}")

    own = inspect.signature(run)
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    callback.__signature__ = own.replace(parameters=[context, *own.parameters.values()])  # type: ignore[attr-defined]
    callback.__doc__ = run.__doc__
    return callback


app = typer.Typer(
    help="Build a split: Parquet files of images and questions.",
    cls=lazy_group(BENCHMARKS, _command),
    no_args_is_help=True,
    invoke_without_command=True,
)
app.callback()(_unless_named(build_command.command(_build_recipe)))
