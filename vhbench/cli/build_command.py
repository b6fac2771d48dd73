"""How builds run: the options that every ``vhbench build …`` command has, and what such a command does."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_origin, get_type_hints

import typer

from vhbench.files import quote_value
from vhbench.options import check_numbers, option, options_of
from vhbench.schema import VhbenchError
from vhbench.terminal import in_a_line

if TYPE_CHECKING:
    from vhbench.builds.split_build import SplitBuild

_of_execution = partial(option, panel="Execution")
_SCHEME = "hf://"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of every ``vhbench build`` command."""

    out: Path = option("Output folder; the split is written to OUT/BENCHMARK.", names=("--out", "-o"))
    secret_file: Path | None = option(
        "Hidden test set: derive the seed from this secret; the manifest stores only a commitment to it "
        "(HMAC-SHA-256). Create it with `vhbench secret FILE`, and reveal it once the evaluation is over.",
        None,
        names=("--seed-from-secret",),
        metavar="FILE",
        panel="Dataset version",
    )
    workers: int = _of_execution("Worker processes on this machine.", 1, least=1, names=("--workers", "-w"))
    shard: str = _of_execution(
        "Build only part i of N of the shards, e.g. in a Slurm array: `--shard $SLURM_ARRAY_TASK_ID/8` with "
        "`--array=0-7` (docs/slurm_array.sh). The last job to finish merges them, as does a run without `--shard`.",
        "",
        metavar="i/N",
    )
    ray: str = _of_execution(
        "Build with Ray tasks: `local`, `auto` for a running cluster, or its address. All machines need access to OUT.",
        "",
        metavar="ADDRESS",
    )
    gpus: float = _of_execution("GPUs per Ray task.", 0, least=0)
    sheet: Path | None = option(
        "Also render a contact sheet; for VHExpansion, originals next to their perturbed versions.",
        None,
        metavar="FILE",
    )


def command(run: Callable[..., None], *kinds: type[Any], help: str = "") -> Callable[..., None]:
    """Return a function for typer whose options are the fields of dataclasses, in their order.

    When it runs, the dataclasses are made from the options and handed to ``run``, one after the other.

    Args:
        run: what the command does.
        kinds: dataclasses with fields made by :func:`vhbench.options.option`; by default, the types of the parameters
            of ``run``.
        help: Markdown help of the command; the docstring of ``run`` by default.

    Raises:
        TypeError: if two options have one name.
    """
    kinds = kinds or tuple(kind for name, kind in get_type_hints(run).items() if name != "return")
    entries = [(kind, name) for kind in kinds for name in options_of(kind)]
    names = [name for _, name in entries]
    if twice := {name for name in names if names.count(name) > 1}:
        raise TypeError(f"two options are named {', '.join(sorted(twice))}")

    def run_with(**values: Any) -> None:
        groups = [kind(**{name: _given(kind, name, values[name]) for name in options_of(kind)}) for kind in kinds]
        for options in groups:
            check_numbers(options)
        run(*groups)

    run_with.__signature__ = inspect.Signature([_parameter(kind, name) for kind, name in entries])  # type: ignore[attr-defined]
    run_with.__doc__ = help or inspect.getdoc(run)
    return run_with


def _parameter(kind: type[Any], name: str) -> inspect.Parameter:
    """Return what typer needs to know about an option."""
    metadata = options_of(kind)[name]
    default: Any = next(f.default for f in fields(kind) if f.name == name)
    if _is_tuple(kind, name) and default is not MISSING:
        default = list(default) if metadata.repeat else ",".join(default)
    more: dict[str, Any] = {
        "help": metadata.help,
        "metavar": metadata.metavar or None,
        "show_default": metadata.show_default,
        "min": metadata.least,
        "max": metadata.most,
        "rich_help_panel": metadata.panel or None,
        "envvar": metadata.envvar or None,
    }
    if get_type_hints(kind)[name] in (Path, Path | None):
        more["parser"] = path
    flags = metadata.names or (f"--{name.replace('_', '-')}",)
    declared = typer.Argument(**more) if metadata.argument else typer.Option(*flags, **more)
    typed = (list[str] if metadata.repeat else str) if _is_tuple(kind, name) else get_type_hints(kind)[name]
    empty = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=empty, annotation=Annotated[typed, declared])


def _is_tuple(kind: type[Any], name: str) -> bool:
    return get_origin(get_type_hints(kind)[name]) is tuple


def _given(kind: type[Any], name: str, value: Any) -> Any:
    """Return an option's value as its field has it: comma-separated text as a tuple; "" as the default None.

    Names of releases may be separated by commas, as in VHBENCH_RELEASE.
    """
    if not _is_tuple(kind, name):
        return value
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",")) if value or getattr(kind, name, None) else ()
    names = (filter(str.strip, part.split(",")) if part.startswith(_SCHEME) else [part] for part in value)
    return tuple(str(path(one.strip())) if one.strip().startswith(_SCHEME) else one for one in chain(*names))


def path(text: str | Path) -> Path:
    """Return a path as given; for the name of a release, ``hf://…``, its local folder.

    Raises typer.BadParameter if no file can have this name, VhbenchError if there is no such release.
    """
    text = str(text)
    if text.startswith(_SCHEME):
        from vhbench.adapters.hub_names import ReleaseName

        if "," in text:
            raise typer.BadParameter(f"expected one release, got {text.count(',') + 1} separated by commas")
        return ReleaseName.parse(text).folder()
    if not text or any("\ud800" <= sign <= "\udfff" for sign in text):  # bytes that are not UTF-8
        raise typer.BadParameter(f"expected a path, got {quote_value(text)}")
    if "::" in text:
        raise typer.BadParameter(f"expected a path without '::', which `datasets` takes for an archive, got {text}")
    return Path(text)


def run(build: "SplitBuild", how: RunOptions, extra: Mapping[str, Any] | None = None) -> None:
    """Run a build with these options and print its outcome; ``extra`` are further manifest entries."""
    from vhbench import benchmarks, card, splits
    from vhbench.builds import hidden_seed, sharding

    seed, commitment = build.seed, ""
    if how.secret_file is not None:
        seed, commitment = hidden_seed.derived(how.secret_file, build.benchmark, build.version)
    build = replace(build, seed=seed, scratch=str(how.out))
    build.check()
    part = sharding.parse_shard(how.shard) if how.shard else None
    question = build.prepare(lambda line: typer.echo(in_a_line(line)), pilot=not part)
    if question is None:
        return
    if question:
        typer.confirm(question, abort=True)
    manifest = sharding.run(
        build,
        how.out,
        workers=how.workers,
        shard=part,
        ray=how.ray or None,
        gpus=how.gpus,
        commitment=commitment,
        extra=extra,
    )
    if manifest is None:
        typer.echo(f"shards {how.shard} of {build.benchmark} are built; other jobs still build the rest")
        return
    split = how.out / build.benchmark
    with splits.locked(split):
        card.write_card(split, picture=card.sheet(split))
    total = sum(manifest.rows.values())
    configs = ", ".join(f"{name} {count:,}" for name, count in manifest.rows.items())
    typer.echo(f"{split}: version {manifest.version}, {total:,} questions ({configs})")
    for reason, count in manifest.rejections.items():
        typer.echo(f"  left out: {count:,} × {reason}")
    typer.echo(f"content hash {manifest.content_hash}")
    _print_outcome(build.outcome(split), build.benchmark)
    if gaps := build.gaps(split):
        raise VhbenchError(
            f"{split}: expected questions in every requested part, got none in {', '.join(gaps)}; see "
            "rejections.jsonl, or accept the split with --allow-missing"
        )
    if how.sheet is not None:
        benchmarks.load(benchmarks.benchmark(build.benchmark).sheet)(split, how.sheet)
        typer.echo(f"contact sheet {how.sheet}")


def _print_outcome(outcome: Sequence[Sequence[str]], title: str) -> None:
    from rich.console import Console
    from rich.table import Table

    if outcome:
        table = Table(*outcome[0], title=title)
        for row in outcome[1:]:
            table.add_row(*row)
        Console().print(table)
