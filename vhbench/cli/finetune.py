"""``vhbench finetune``: train a model on exported rows, and say how to see what it gained."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from vhbench.cli import running
from vhbench.options import LARGEST_SEED, option
from vhbench.schema import VhbenchError

_HOW, _RUNS, _AFTER = "How it is trained", "Where it runs", "What comes after"


@dataclass(frozen=True, kw_only=True)
class FinetuneOptions:
    """What ``vhbench finetune`` takes."""

    model: str = option("A repository on the Hub, or a folder; safetensors only.", metavar="NAME")
    data: Path = option("What `vhbench export` wrote as parquet or folder.", metavar="DIR")
    out: Path = option("Folder for adapter, merged model and checkpoints.", names=("--out", "-o"))
    each: str = option(
        "Train one model for each value of this column, such as `criterion` (ODE's figure 7), each into OUT/VALUE.",
        "",
        metavar="COLUMN",
    )
    learning_rate: float = option("The papers' for LLaVA-1.5 with LoRA.", 1.8e-6, least=0, panel=_HOW)
    epochs: float = option("Passes over the rows.", 1.0, least=0, panel=_HOW)
    steps: int = option("Steps instead of epochs; 0 for as many as the epochs have.", 0, least=0, panel=_HOW)
    batch: int = option("Rows at once on each device.", 1, least=1, panel=_HOW)
    accumulate: int = option("Batches for one step.", 16, least=1, panel=_HOW)
    rank: int = option("Of LoRA; 0 trains all weights.", 128, least=0, panel=_HOW)
    alpha: int = option("Of LoRA.", 256, least=1, panel=_HOW)
    vision: bool = option(
        "Train the vision tower, too; by default it stays as it is.", False, names=("--vision/--no-vision",), panel=_HOW
    )
    beta: float = option("Of DPO, for preference pairs.", 0.1, least=0, panel=_HOW)
    seed: int = option("Of the order of rows and of LoRA's start.", 0, least=0, most=LARGEST_SEED, panel=_HOW)
    untested: bool = option(
        "Try a model class that this was not tested with.", False, names=("--untested",), panel=_HOW
    )
    device: str = option("auto, cpu or cuda.", "auto", panel=_RUNS)
    dtype: str = option("auto (bfloat16 on a GPU), float32, float16 or bfloat16.", "auto", panel=_RUNS)
    save_steps: int = option("Steps between checkpoints.", 200, least=1, panel=_RUNS)
    resume: bool = option("Go on from the last checkpoint in OUT.", False, names=("--resume",), panel=_RUNS)
    processes: int = option(
        "How many processes must share the training: start them with `torchrun --nproc_per_node N $(which vhbench) "
        "finetune …`. 0 for any number.",
        0,
        least=0,
        panel=_RUNS,
    )
    merge: bool = option(
        "Merge the adapter into the model, as lmms-eval loads it.", True, names=("--merge/--no-merge",), panel=_AFTER
    )
    tasks: str = option("Tasks of lmms-eval in the commands that are printed.", "ode", metavar="TASKS", panel=_AFTER)
    general: str = option(
        "A general benchmark of lmms-eval to ask beside them, so that forgetting shows.", "mme", panel=_AFTER
    )


def finetune(how: FinetuneOptions) -> None:
    """Train a vision-language model on exported rows with TRL and LoRA, merge it, and tell how to evaluate it.

    Rows with messages are learnt (SFT), preference pairs are preferred (DPO). Tested are LLaVA, LLaVA-NeXT,
    LLaVA-OneVision, Qwen2-VL, Qwen2.5-VL, Idefics3, SmolVLM and Gemma 3. Prompts are those that inference asks, answers
    end with the model's own end, and all else is left out of the loss.

    Example: `vhbench finetune --model llava-hf/llava-1.5-7b-hf --data rows --out tuned`
    """
    from dataclasses import fields

    from vhbench.adapters.finetuning import Training, read_rows
    from vhbench.adapters.finetuning import finetune as train

    training = Training(**{f.name: getattr(how, f.name) for f in fields(Training)})
    values = [""]
    if how.each:
        rows = read_rows(how.data)
        if how.each not in rows.column_names:
            raise VhbenchError(
                f"--each {how.each}: {how.data} has no such column; it has {', '.join(rows.column_names)}"
            )
        values = sorted(set(rows[how.each]) - {""})
    tuned: dict[str, Mapping[str, Any]] = {}
    for value in values:
        tuned[value] = train(how.model, how.data, how.out / value, training, {how.each: value} if value else None)
    if all(told["first"] for told in tuned.values()):
        for value, told in tuned.items():
            typer.echo(_told(value, told))
        for line in commands(how, tuned):
            typer.echo(line)


def _told(value: str, told: Mapping[str, Any]) -> str:
    losses = told["losses"]
    fell = f", loss {losses[0]:.3f} → {losses[-1]:.3f}" if losses else ""
    named = f"{value}: " if value else ""
    return (
        f"{named}{told['method']} on {told['rows']:,} rows, {told['steps']:,} step{'s' * (told['steps'] != 1)}, "
        f"{told['processes']} process{'es' * (told['processes'] > 1)}{fell}: {told['model']}"
    )


def commands(how: FinetuneOptions, tuned: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what to type for the answers before and after, the gain, and what was forgotten."""
    models = {"before": how.model} | {value or "after": str(told["model"]) for value, told in tuned.items()}
    asked = next(iter(tuned.values()))["lmms_eval"]
    where: Callable[[str, str], str] = lambda kind, name: shlex.quote(str(how.out / kind / name))  # noqa: E731
    for kind, tasks in (("results", how.tasks), ("general", how.general)):
        for name, model in models.items():
            if tasks:
                yield (
                    f"lmms-eval --model {asked} --model_args pretrained={shlex.quote(model)} --tasks {tasks} "
                    f"--log_samples --output_path {where(kind, name)}"
                )
    runs = " ".join(where("results", name) for name in models)
    yield f"vhbench compare {runs} --names {','.join(models)} --out {shlex.quote(str(how.out / 'comparison'))}"


command = running.command(finetune, FinetuneOptions, help=(finetune.__doc__ or "").replace("\n    ", "\n"))
