"""How builds run: the options that every ``vhbench build …`` command shares, and what they do."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from vhbench.protocols import Build

_PANEL = "How it runs"
_EDITION = "Edition"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What every ``vhbench build …`` command takes beside its own options; see :func:`command`."""

    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the split: it is written to OUT/BENCHMARK.")]
    seed: Annotated[
        int, typer.Option("--seed", help="Everything random follows from it.", rich_help_panel=_EDITION)
    ] = 0
    version: Annotated[
        str,
        typer.Option(
            "--version",
            metavar="X.Y.Z",
            help="Version of the edition. MAJOR says that scores are no longer comparable.",
            rich_help_panel=_EDITION,
        ),
    ] = "1.0.0"
    secret_file: Annotated[
        Path | None,
        typer.Option(
            "--seed-from-secret",
            metavar="FILE",
            help="Hidden edition: the seed comes from this file, and the manifest only commits to it (HMAC-SHA-256). "
            "Make one with `openssl rand -hex 32 > FILE`; reveal it when the evaluation is over.",
            rich_help_panel=_EDITION,
        ),
    ] = None
    workers: Annotated[
        int,
        typer.Option("--workers", "-w", min=1, help="Processes on this machine.", rich_help_panel=_PANEL),
    ] = 1
    shard: Annotated[
        str,
        typer.Option(
            "--shard",
            metavar="i/N",
            help="Build one N-th of the shards, as in a Slurm array: `--shard $SLURM_ARRAY_TASK_ID/8` with "
            "`--array=0-7`. The job that ends last merges them; so does the same command without `--shard`.",
            rich_help_panel=_PANEL,
        ),
    ] = ""
    ray: Annotated[
        str,
        typer.Option(
            "--ray",
            metavar="ADDRESS",
            help="Build with Ray tasks: `local`, `auto` for a running cluster, or its address. "
            "OUT must be visible to all machines.",
            rich_help_panel=_PANEL,
        ),
    ] = ""
    gpus: Annotated[float, typer.Option("--gpus", min=0, help="GPUs per Ray task.", rich_help_panel=_PANEL)] = 0


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function for typer whose options are the fields of the dataclasses that ``function`` takes.

    ``def ode(what: OdeOptions, how: RunOptions)`` becomes a command with the options of both, in that order; when it
    runs, the dataclasses are made from the options and handed over. Other parameters stay options of their own.

    Args:
        function: a command. Each field of its dataclasses is ``Annotated[type, typer.Option(...)]``, with a default
            (not a default factory) unless the option is required.

    Raises:
        TypeError: if two options have one name.
    """
    groups: dict[str, Any] = {}
    options: list[inspect.Parameter] = []
    for parameter in _parameters(function):
        kind = parameter.annotation
        if isinstance(kind, type) and is_dataclass(kind):
            groups[parameter.name] = kind
            options += _parameters(kind)
        else:
            options.append(parameter)
    names = [option.name for option in options]
    if twice := {name for name in names if names.count(name) > 1}:
        raise TypeError(f"{function.__name__}: two options are named {', '.join(sorted(twice))}")

    @functools.wraps(function)
    def run_with(**values: Any) -> None:
        made = {name: kind(**{f.name: values.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        function(**made, **values)

    run_with.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return run_with


def _parameters(source: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return what a function or a dataclass takes, each by its name and with its type, which may stand in quotes."""
    types = get_type_hints(source, include_extras=True)
    taken = inspect.signature(source).parameters.values()
    return [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=types[p.name]) for p in taken]


def run(make: "Callable[[int], Build]", how: RunOptions, *, benchmark: str) -> None:
    """Run a build as the options say, and print what came of it.

    Args:
        make: gives the build for a seed: the one on the command line, or that of a hidden edition.
        how: the options.
        benchmark: its name; with a secret, each benchmark and version has a seed of its own.
    """
    from vhbench import card, splits
    from vhbench.builds import secret, sharding

    seed, commitment = how.seed, ""
    if how.secret_file is not None:
        key = secret.read_secret(how.secret_file)
        seed = secret.seed_of(key, benchmark, how.version)
        commitment = secret.commitment_of(key, benchmark, how.version)
    build = make(seed)
    part = sharding.parse_shard(how.shard) if how.shard else None
    manifest = sharding.run(
        build, how.out, workers=how.workers, shard=part, ray=how.ray or None, gpus=how.gpus, commitment=commitment
    )
    if manifest is None:
        typer.echo(f"shards {how.shard} of {benchmark} are built; other jobs still have some to do")
        return
    split = how.out / benchmark
    with splits.locked(split):
        card.write_card(split, picture=card.sheet(split))
    total = sum(manifest.rows.values())
    configs = ", ".join(f"{name} {count:,}" for name, count in manifest.rows.items())
    typer.echo(f"{split}: version {manifest.version}, {total:,} questions ({configs})")
    for reason, count in manifest.rejections.items():
        typer.echo(f"  left out: {count:,} × {reason}")
    typer.echo(f"content hash {manifest.content_hash}")
