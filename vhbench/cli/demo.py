"""``vhbench demo``: the whole path once, from synthetic scenes to a leaderboard."""

import importlib
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError
from vhbench.terminal import escaped

TASKS = "ode,mioh,vhexpansion"
_QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false"}

MODEL_CLASSES = {
    "qwen3-vl": "qwen3_vl",
    "qwen2.5-vl": "qwen2_5_vl",
    "qwen2-vl": "qwen2_vl",
    "llava-onevision": "llava_hf",
    "llava-hf": "llava_hf",
    "internvl": "internvl_hf",
    "gemma-3": "gemma3",
}
"""Part of a model's name on the Hub → the class of lmms-eval that runs it."""


@dataclass(frozen=True, kw_only=True)
class _DemoOptions:
    model: str = option("Model on the Hub; by default the random baseline.", "")
    tasks: str = option("Tasks and groups, as for `lmms-eval --tasks`.", TASKS)
    output: Path = option("Folder for the results.", Path("results"))


@build_command.taking(_DemoOptions)
def demo(how: _DemoOptions) -> None:
    """Run everything once: starter splits, lmms-eval, analyses, a leaderboard.

    Without `--model` it evaluates `vhbench_coin`, a random baseline that needs no weights.

    Example: `vhbench demo --model Qwen/Qwen2.5-VL-3B-Instruct --tasks ode_fictional --output results`
    """
    from vhbench.benchmarks import of_task

    output = how.output
    command = lmms_eval_command(how.model, how.tasks, output)
    if any(os.path.lexists(place) and not place.is_dir() for place in (output, *output.parents)):
        raise VhbenchError(f"--output {output}: is no folder; name one, or a place where there is nothing yet")
    environment = {**_QUIET, **os.environ}
    # Not lmms-eval's: here and in builds, threads that share small sums wait for cores that others have.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    splits = _starters(dict.fromkeys(owner.name for task in how.tasks.split(",") if (owner := of_task(task))))
    typer.echo("$ " + shlex.join(["lmms-eval", *command[3:]]))
    before = set(output.rglob("*_results.json"))
    ready = threading.Thread(target=_prepare, args=(splits,))
    ready.start()
    status = subprocess.run(command, check=False, env=environment).returncode
    written = sorted(set(output.rglob("*_results.json")) - before)
    if status or not written:
        raise VhbenchError(f"lmms-eval wrote no results to {output} (exit code {status}); its messages are above")
    _print_table(written[-1])
    ready.join()
    _tell(splits, written[-1], how.model or "vhbench_coin", output)
    _print_next(how.model)


def _starters(names: Iterable[str]) -> dict[str, Path]:
    """Build the starter splits that are not there, and return all."""
    from vhbench.builds.starter import starter

    splits = {}
    for name in names:
        start = time.perf_counter()
        splits[name] = starter(name)
        typer.echo(f"{name}: {splits[name]} ({time.perf_counter() - start:.1f} s)")
    return splits


def _prepare(splits: Mapping[str, Path]) -> None:
    """Do what the analyses and the board need of the questions alone, while lmms-eval asks them on another core."""
    from vhbench.benchmarks import BENCHMARKS, load
    from vhbench.leaderboard import demo_board
    from vhbench.tasks import text_only_baseline

    with suppress(Exception):  # a real failure recurs where the result is needed, and is reported there
        for name, split in splits.items():
            load(BENCHMARKS[name].analysis)
            text_only_baseline.of_split(split)
        demo_board.prepare([*splits.values()])
        importlib.import_module("altair")


def _tell(splits: Mapping[str, Path], results: Path, name: str, output: Path) -> None:
    """Print what lies behind the results, and put them on a board."""
    from vhbench.cli import analyse
    from vhbench.leaderboard.demo_board import build_first

    for benchmark in splits:
        typer.echo(f"\n$ vhbench analyse {benchmark} {results}")
        analyse.print_analysis(benchmark, results)
    typer.echo("\nThe leaderboard")
    for line in build_first(results, name, [*splits.values()], output):
        typer.echo(escaped(line))


def lmms_eval_command(model: str, tasks: str, output: Path) -> list[str]:
    """Return the command that runs the tasks; the first three words start lmms-eval in this Python.

    Raises:
        VhbenchError: if no class of lmms-eval is known for the model.
    """
    run = [sys.executable, "-m", "lmms_eval", "--model", _model_class(model)]
    if model:
        run += ["--model_args", f"pretrained={model}"]
    return [*run, "--tasks", tasks, "--batch_size", "1", "--log_samples", "--output_path", str(output)]


def _model_class(model: str) -> str:
    if not model:
        return "vhbench_coin"
    for part, name in MODEL_CLASSES.items():
        if part in model.lower():
            return name
    raise VhbenchError(
        f"no lmms-eval class is known for '{model}' (known: {', '.join(MODEL_CLASSES)}); "
        f"name one yourself: lmms-eval --model CLASS --model_args pretrained={model} --tasks {TASKS}"
    )


def _print_table(results: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    from vhbench.files import read_json
    from vhbench.tasks.report import written_with

    table = Table("task", "metric", "value", "95 % interval", title=str(results))
    for task, metrics in read_json(results)["results"].items():
        rows = {k.split(",")[0]: v for k, v in metrics.items() if isinstance(v, (int, float)) and "," in k}
        file = written_with(results, task)
        report = read_json(file) if file.is_file() else {}
        overall = report.get("overall", {})
        if report.get("partial"):
            typer.echo(f"{task}: {report['partial']}")
        for metric, value in rows.items():
            if "_stderr" not in metric:
                table.add_row(task, metric, f"{value:.1f}", _interval(overall, metric))
    Console(width=max(100, len(str(results)))).print(table)


def _interval(overall: dict[str, Any], metric: str) -> str:
    """Return the interval of a metric as its task's report has it, or "" where there is none."""
    ends = overall.get("intervals", {}).get(metric) or (overall.get("interval") if metric == "accuracy" else None)
    return f"{ends[0]:.1f} – {ends[1]:.1f}" if ends else ""


def _print_next(model: str) -> None:
    typer.echo("\nAll subsets with intervals: *_report.json next to the results.")
    if not model:
        typer.echo("This was a coin. A real model:\n  make demo MODEL=Qwen/Qwen2.5-VL-3B-Instruct")
        typer.echo(
            f"or\n  lmms-eval --model qwen2_5_vl --model_args pretrained=Qwen/Qwen2.5-VL-3B-Instruct --tasks {TASKS}"
        )
