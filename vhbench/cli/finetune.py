"""``vhbench finetune``: train a model on exported rows and print how to evaluate it."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from vhbench.adapters.training_options import Training
from vhbench.cli import build_command
from vhbench.files import quote_value
from vhbench.options import option
from vhbench.schema import VhbenchError

_of_evaluation = partial(option, panel="Evaluation")


@dataclass(frozen=True, kw_only=True)
class FinetuneOptions(Training):
    """What ``vhbench finetune`` takes."""

    model: str = option("Model on the Hub or local folder; safetensors only.", metavar="NAME")
    data: Path = option("Output folder of `vhbench export` (parquet or folder layout).", metavar="DIR")
    out: Path = option("Folder for adapter, merged model and checkpoints.", names=("--out", "-o"))
    each: str = option(
        "Train one model per value of this column, such as `criterion` (ODE's Figure 7), in OUT/VALUE.",
        "",
        metavar="COLUMN",
    )
    test: Path | None = _of_evaluation(
        "Split for the printed evaluation commands; the rows must be decontaminated against it.", None, metavar="SPLIT"
    )
    tasks: str = _of_evaluation(
        "lmms-eval tasks in the printed commands; by default, the benchmark of the rows.", "", metavar="TASKS"
    )
    general: str = _of_evaluation("A general lmms-eval benchmark to run as well, to detect forgetting.", "mme")


@build_command.command
def finetune(options: FinetuneOptions) -> None:
    """Fine-tune a vision-language model on exported rows (TRL, LoRA).

    Rows with messages are used for supervised fine-tuning, preference pairs for DPO. Prints a memory estimate before
    it loads the model, and evaluation commands at the end. Tested: LLaVA, LLaVA-NeXT, LLaVA-OneVision,
    Qwen2-VL, Qwen2.5-VL, Idefics3, SmolVLM and Gemma 3. Prompts are formatted as at inference, answers end with the
    model's end-of-turn token, and the loss covers the answers only.

    Example: `vhbench finetune --model llava-hf/llava-1.5-7b-hf --data rows --out tuned`
    """
    from vhbench.adapters.finetuning import finetune as train
    from vhbench.adapters.finetuning import read_rows

    provenance = _provenance(options.data)
    environment, note = _scored(options, provenance)
    for name, value, allowed in (
        ("quantize", options.quantize, ("", "4bit", "8bit")),
        ("optimizer", options.optimizer, ("adamw", "adamw_8bit")),
    ):
        if value not in allowed:
            named = ", ".join(filter(None, allowed))
            raise VhbenchError(f"--{name}: expected one of {named}; got {quote_value(value)}")
    values = [""]
    if options.each:
        rows = read_rows(options.data)
        if options.each not in rows.column_names:
            raise VhbenchError(
                f"--each {options.each}: {options.data} has no such column; it has {', '.join(rows.column_names)}"
            )
        if getattr(rows.features[options.each], "dtype", "") != "string":
            raise VhbenchError(
                f"--each: expected a column of words, such as criterion or question_type, got {options.each}"
            )
        values = sorted({*rows[options.each]} - {"", None})
        if odd := [value for value in values if not re.fullmatch(r"\w[\w. -]*", value)]:
            raise VhbenchError(
                f"--each {options.each}: expected values usable as folder names in {options.out}, "
                f"got {quote_value(odd[0])}"
            )
    tuned: dict[str, Mapping[str, Any]] = {}
    for value in values:
        keep = {options.each: value} if value else None
        tuned[value] = train(options.model, options.data, options.out / value, options, keep, typer.echo)
    if all(summary["first"] for summary in tuned.values()):
        for value, summary in tuned.items():
            typer.echo(_sentence(value, summary))
        typer.echo(note)
        for line in _commands(options, tuned, environment, options.tasks or _benchmark(provenance)):
            typer.echo(line)


def _provenance(data: Path) -> Mapping[str, Any]:
    """Return where rows say that they come from; nothing, of rows that `vhbench export` has not written."""
    from vhbench.files import read_json
    from vhbench.training.training_files import PROVENANCE

    content: Mapping[str, Any] = read_json(data / PROVENANCE) if (data / PROVENANCE).is_file() else {}
    return content


def _benchmark(provenance: Mapping[str, Any]) -> str:
    """Return the benchmark of the rows; ODE if unknown."""
    return next((source["benchmark"] for source in provenance.get("sources", [])), "ode")


def _scored(options: FinetuneOptions, provenance: Mapping[str, Any]) -> tuple[str, str]:
    """Return the prefix that makes the printed commands use the test split, and a note about it.

    Without it lmms-eval would ask the starter split, which shows what was trained on.
    """
    apart = {test["content_hash"]: f"{test['benchmark']} {test['version']}" for test in provenance.get("tests", [])}
    names = ", ".join(f"{name} ({digest[:12]}…)" for digest, name in apart.items())
    if options.test is None:
        which = f"the split the rows are decontaminated against: {names}" if names else "a split of other concepts"
        return "VHBENCH_DATA=TEST ", f"TEST stands for the folder of {which}"
    from vhbench import splits

    digest = splits.read_manifest(options.test).content_hash
    if digest not in apart:
        raise VhbenchError(
            f"--test {options.test}: {options.data} is not decontaminated against it (content hash {digest[:12]}…), "
            f"but against {names or 'nothing'}; pass it to `vhbench export --test`"
        )
    return f"VHBENCH_DATA={shlex.quote(str(options.test.parent))} ", f"the rows do not overlap with {options.test}"


def _sentence(value: str, summary: Mapping[str, Any]) -> str:
    losses = summary["losses"]
    fell = f", loss {losses[0]:.3f} → {losses[-1]:.3f}" if losses else ""
    named = f"{value}: " if value else ""
    steps = f"{summary['steps']:,} step{'s' * (summary['steps'] != 1)}"
    return (
        f"{named}{summary['method']} on {summary['rows']:,} rows, {steps}, "
        f"{summary['processes']} process{'es' * (summary['processes'] > 1)}{fell}: {summary['model']}{_merged(summary)}"
    )


def _merged(summary: Mapping[str, Any]) -> str:
    if "merged_difference" not in summary:
        return ""
    return (
        f"; merged: {summary['merged']}, whose token probabilities differ from the adapter's by at most "
        f"{summary['merged_difference']:.1g} (to evaluate it instead, --model {summary['lmms_eval']} --model_args "
        f"pretrained={shlex.quote(summary['merged'])})"
    )


def _commands(
    options: FinetuneOptions, tuned: Mapping[str, Mapping[str, Any]], environment: str, tasks: str
) -> Iterator[str]:
    """Yield what to type for the answers before and after, the gain, and what was forgotten."""
    first = next(iter(tuned.values()))
    base = f"pretrained={shlex.quote(options.model)}"
    models = {"before": f"{first['lmms_eval']} --model_args {base}"}
    for value, summary in tuned.items():
        folder = shlex.quote(str(summary["model"]))
        models[value or "after"] = (
            f"vhbench_adapter --model_args model_class={summary['lmms_eval']},{base},adapter={folder}"
            if options.rank
            else f"{summary['lmms_eval']} --model_args pretrained={folder}"
        )
    more = f",max_pixels={options.max_pixels}" if options.max_pixels else ""
    more, device = (f"{more},device_map=cpu", " --device cpu") if first["device"] == "cpu" else (more, "")
    where: Callable[[str, str], str] = lambda kind, name: shlex.quote(str(options.out / kind / name))  # noqa: E731
    for kind, before, names in (("results", environment, tasks), ("general", "", options.general)):
        for name, model in models.items():
            if names:
                yield (
                    f"{before}lmms-eval --model {model}{more} --tasks {names}{device} --log_samples --output_path "
                    f"{where(kind, name)}"
                )
    runs = " ".join(where("results", name) for name in models)
    out = shlex.quote(str(options.out / "comparison"))
    yield f"{environment}vhbench compare {runs} --names {','.join(models)} --out {out}"
