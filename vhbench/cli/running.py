"""How builds run: the options that every ``vhbench build …`` command shares, and what they do."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from vhbench.protocols import Build

_PANEL = "How it runs"
_EDITION = "Edition"

Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for the split: it is written to OUT/BENCHMARK.")]
Version = Annotated[
    str,
    typer.Option(
        "--version",
        metavar="X.Y.Z",
        help="Version of the edition. MAJOR says that scores are no longer comparable.",
        rich_help_panel=_EDITION,
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Everything random follows from it.", rich_help_panel=_EDITION)]
SecretFile = Annotated[
    Path | None,
    typer.Option(
        "--seed-from-secret",
        metavar="FILE",
        help="Hidden edition: the seed comes from this file, and the manifest only commits to it (HMAC-SHA-256). "
        "Make one with `openssl rand -hex 32 > FILE`; reveal it when the evaluation is over.",
        rich_help_panel=_EDITION,
    ),
]
Workers = Annotated[
    int,
    typer.Option("--workers", "-w", min=1, help="Processes on this machine.", rich_help_panel=_PANEL),
]
Shard = Annotated[
    str,
    typer.Option(
        "--shard",
        metavar="i/N",
        help="Build one N-th of the shards, as in a Slurm array: `--shard $SLURM_ARRAY_TASK_ID/8` with `--array=0-7`. "
        "The job that ends last merges them; so does the same command without `--shard`.",
        rich_help_panel=_PANEL,
    ),
]
Ray = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Build with Ray tasks: `local`, `auto` for a running cluster, or its address. "
        "OUT must be visible to all machines.",
        rich_help_panel=_PANEL,
    ),
]
Gpus = Annotated[float, typer.Option("--gpus", min=0, help="GPUs per Ray task.", rich_help_panel=_PANEL)]


def run(
    make: "Callable[[int], Build]",
    out: Path,
    *,
    seed: int = 0,
    secret_file: Path | None = None,
    benchmark: str = "",
    version: str = "1.0.0",
    workers: int = 1,
    shard: str = "",
    ray: str = "",
    gpus: float = 0,
) -> None:
    """Run a build as the options say, and print what came of it.

    Args:
        make: gives the build for a seed.
        out: the folder that holds split directories.
        seed: used where there is no secret.
        secret_file: of a hidden edition.
        benchmark: needed with a secret, which gives each benchmark and version a seed of its own.
        version: likewise.
        workers: see :func:`vhbench.builds.sharding.run`.
        shard: "i/N" or "".
        ray: address or "".
        gpus: per Ray task.
    """
    from vhbench import card
    from vhbench.builds import secret, sharding

    commitment = ""
    if secret_file is not None:
        key = secret.read_secret(secret_file)
        seed = secret.seed_of(key, benchmark, version)
        commitment = secret.commitment_of(key, benchmark, version)
    build = make(seed)
    part = sharding.parse_shard(shard) if shard else None
    manifest = sharding.run(build, out, workers=workers, shard=part, ray=ray or None, gpus=gpus, commitment=commitment)
    if manifest is None:
        typer.echo(f"shards {shard} of {build.benchmark} are built; other jobs still have some to do")
        return
    card.write_card(out / build.benchmark, picture=card.sheet(out / build.benchmark))
    total = sum(manifest.rows.values())
    configs = ", ".join(f"{name} {count:,}" for name, count in manifest.rows.items())
    typer.echo(f"{out / build.benchmark}: version {manifest.version}, {total:,} questions ({configs})")
    for reason, count in manifest.rejections.items():
        typer.echo(f"  left out: {count:,} × {reason}")
    typer.echo(f"content hash {manifest.content_hash}")
