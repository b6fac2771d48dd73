"""``vhbench demo``: the whole path once, from synthetic scenes to a leaderboard."""

import importlib
import os
import shlex
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.benchmarks import of_task
from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError
from vhbench.terminal import escaped, in_a_line

TASKS = "ode,mioh,vhexpansion"
_WIDTH = 100  # columns of the progress line
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
    out: Path = option("Folder for the results.", Path("results"), names=("--out", "-o"))


@build_command.command
def demo(options: _DemoOptions) -> None:
    """Run the whole pipeline once: starter splits, lmms-eval, analyses, a leaderboard.

    Without `--model` it evaluates `vhbench_coin`, a random baseline that needs no weights. With VHBENCH_DATA or
    VHBENCH_RELEASE, it uses those splits in place of the starters.

    Example: `vhbench demo --model Qwen/Qwen2.5-VL-3B-Instruct --tasks ode_fictional --out results`
    """
    output, log = options.out, options.out / "lmms_eval.log"
    command = lmms_eval_command(options.model, options.tasks, output)
    if any(os.path.lexists(folder) and not folder.is_dir() for folder in (output, *output.parents)):
        raise VhbenchError(f"--out {output}: expected a folder, or a path that does not exist yet")
    environment = {**_QUIET, **os.environ}
    # For builds and analyses, not for lmms-eval: threads that share small sums wait for busy cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    splits = _splits(dict.fromkeys(owner.name for task in options.tasks.split(",") if (owner := of_task(task))))
    typer.echo(f"\n$ {shlex.join(['lmms-eval', *command[3:]])}\n  log: {log}")
    before = set(output.rglob("*_results.json"))
    ready = threading.Thread(target=_prepare, args=(splits,))
    ready.start()
    status = _run(command, environment, log)
    written = sorted(set(output.rglob("*_results.json")) - before)
    if status or not written:
        raise VhbenchError(f"lmms-eval wrote no results to {output} (exit code {status}); its messages are in {log}")
    _print_table(written[-1])
    ready.join()
    _print_findings(splits, written[-1], options.model or "vhbench_coin", output)
    _print_next(options.model, written[-1], next(iter(splits), ""))


def _run(command: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
    """Run lmms-eval with its output in a file; on a terminal, show the last line that it wrote."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)
        while sys.stderr.isatty() and process.poll() is None:
            time.sleep(1)
            lines = log.read_bytes()[-4096:].decode(errors="replace").replace("\r", "\n").splitlines()
            last = in_a_line(next((line for line in reversed(lines) if line.strip()), ""))
            print(f"\r{last[:_WIDTH]:{_WIDTH}}", end="\r", file=sys.stderr, flush=True)
    return process.wait()


def _splits(names: Collection[str]) -> dict[str, Path]:
    """Return the splits that the tasks use; missing starters are built, each in processes of its own."""
    from vhbench.tasks.datasets import resolve

    typer.echo("Splits")
    start, splits = time.perf_counter(), dict[str, Path]()
    with ThreadPoolExecutor() as pool:
        for name, data in zip(names, pool.map(resolve, names), strict=True):
            splits[name] = data.path
            typer.echo(f"  {name}: {data.path} (after {time.perf_counter() - start:.1f} s)")
    return splits


def _prepare(splits: Mapping[str, Path]) -> None:
    """Prepare the analyses and the board as far as they depend on the questions only, while lmms-eval runs."""
    from vhbench.benchmarks import BENCHMARKS, load
    from vhbench.leaderboard import demo_board
    from vhbench.tasks import text_only_baseline

    with suppress(Exception):  # a real failure recurs where the result is needed, and is reported there
        for name, split in splits.items():
            load(BENCHMARKS[name].analysis)
            text_only_baseline.of_split(split)
        demo_board.prepare([*splits.values()])
        importlib.import_module("altair")


def _print_findings(splits: Mapping[str, Path], results: Path, name: str, output: Path) -> None:
    """Print the summary of each analysis, and add the results to a leaderboard."""
    from vhbench.cli import analyse
    from vhbench.leaderboard.demo_board import build_first

    typer.echo("\nFindings")
    for benchmark in splits:
        analysis, _ = analyse.write_analysis(benchmark, results)
        typer.echo(escaped(textwrap.fill(analysis["summary"], 118, initial_indent="  ", subsequent_indent="    ")))
    typer.echo("\nLeaderboard")
    for line in build_first(results, name, [*splits.values()], output):
        typer.echo(escaped(f"  {line}"))


def lmms_eval_command(model: str, tasks: str, output: Path) -> list[str]:
    """Return the command that runs the tasks, ``-m lmms_eval`` first; raise VhbenchError if no class runs the model."""
    known = (name for part, name in MODEL_CLASSES.items() if part in model.lower())
    if not (chosen := next(known, "") if model else "vhbench_coin"):
        raise VhbenchError(
            f"no lmms-eval class is known for '{model}' (known: {', '.join(MODEL_CLASSES)}); "
            f"choose one: lmms-eval --model CLASS --model_args pretrained={model} --tasks {TASKS}"
        )
    run = [sys.executable, "-m", "lmms_eval", "--model", chosen]
    if model:
        run += ["--model_args", f"pretrained={model}"]
    return [*run, "--tasks", tasks, "--batch_size", "1", "--log_samples", "--output_path", str(output)]


def _print_table(results: Path) -> None:
    """Print the headline metric of each task with its interval."""
    from vhbench.benchmarks import task
    from vhbench.files import read_json
    from vhbench.statistics import wording
    from vhbench.tasks.metrics.registry import headline_of
    from vhbench.tasks.report import written_with

    rows = []
    for name, metrics in read_json(results)["results"].items():
        family, file = task(name).family if of_task(name) else None, written_with(results, name)
        if family is None or not file.is_file():
            continue
        report, metric = read_json(file), headline_of(family.name).name
        value, overall = metrics.get(f"{metric},none"), report["overall"]
        ends = overall.get("intervals", {}).get(metric) or (overall.get("interval") if metric == "accuracy" else None)
        if report.get("partial"):
            typer.echo(f"{name}: partial: {report['partial']}")
        score = "n/a" if not isinstance(value, (int, float)) else f"{wording.number(value)} {wording.interval(ends)}"
        rows.append((name, metric, score, str(overall["n"])))
    typer.echo(f"\nHeadline metrics in %, with 95 % CI ({results})")
    for line in wording.aligned([("task", "metric", "score", "n"), *rows]):
        typer.echo(line)


def _print_next(model: str, results: Path, benchmark: str) -> None:
    typer.echo("\nNext steps")
    if benchmark:
        typer.echo(f"  vhbench analyse {benchmark} {results}   # tables behind a finding; *.png next to the results")
    reports = results.name.removesuffix("results.json")
    typer.echo(f"  {results.parent}/{reports}*_report.json   # all metrics and subsets, with intervals")
    if not model:
        typer.echo(
            "  vhbench demo --model Qwen/Qwen2.5-VL-3B-Instruct   # a real model; vhbench_coin is a random baseline\n"
            f"  lmms-eval --model qwen2_5_vl --model_args pretrained=Qwen/Qwen2.5-VL-3B-Instruct --tasks {TASKS}"
        )
