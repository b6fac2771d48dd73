"""How builds run: the options that every ``vhbench build …`` command shares, and what they do."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    """Return a function for typer that takes the fields of :class:`RunOptions` as options.

    Args:
        function: takes the options that all builds share as ``how: RunOptions``, and its own.
    """
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "how"]
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=field.type,
        )
        for field in fields(RunOptions)
    ]

    @functools.wraps(function)
    def run_with(**values: Any) -> None:
        how = RunOptions(**{parameter.name: values.pop(parameter.name) for parameter in shared})
        function(how=how, **values)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    run_with.__signature__ = inspect.Signature([*parameters, *shared])  # type: ignore[attr-defined]
    return run_with


def run(make: "Callable[[int], Build]", how: RunOptions, *, benchmark: str) -> None:
    """Run a build as the options say, and print what came of it.

    Args:
        make: gives the build for a seed: the one on the command line, or that of a hidden edition.
        how: the options.
        benchmark: its name; with a secret, each benchmark and version has a seed of its own.
    """
    from vhbench import card
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
    card.write_card(split, picture=card.sheet(split))
    total = sum(manifest.rows.values())
    configs = ", ".join(f"{name} {count:,}" for name, count in manifest.rows.items())
    typer.echo(f"{split}: version {manifest.version}, {total:,} questions ({configs})")
    for reason, count in manifest.rejections.items():
        typer.echo(f"  left out: {count:,} × {reason}")
    typer.echo(f"content hash {manifest.content_hash}")
