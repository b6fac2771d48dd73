"""Fine-tuning of VLMs with TRL and peft: LoRA on exported rows, merged for lmms-eval.

Several processes share a training run if a launcher (torchrun, accelerate) starts them; the first one writes.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vhbench.adapters.answer_collator import AnswerCollator, PreferenceCollator, end_tokens
from vhbench.adapters.loading import loading, needed_by, pick_device
from vhbench.files import json_bytes, quote_value, write_atomic
from vhbench.schema import VhbenchError
from vhbench.splits.unpacking import open_parquet

TESTED: Mapping[str, str] = {
    "llava": "llava_hf",
    "llava_next": "llava_hf",
    "llava_onevision": "llava_hf",
    "qwen2_vl": "qwen2_vl",
    "qwen2_5_vl": "qwen2_5_vl",
    "idefics3": "huggingface",
    "smolvlm": "huggingface",
    "gemma3": "gemma3",
}
"""Tested model type → the lmms-eval class that evaluates it."""

VISION = r".*(?:vision_tower|vision_model|visual)\..*"
"""Vision modules; LoRA skips them by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """Training settings; the fields are options of ``vhbench finetune``.

    Attributes:
        learning_rate: learning rate; the default is the papers' for LLaVA-1.5.
        rank: LoRA rank; 0 trains all weights.
        alpha: LoRA alpha.
        steps: number of steps; 0 derives it from the epochs.
        beta: DPO beta.
        processes: required number of processes; 0 for any.
    """

    learning_rate: float = 1.8e-6
    epochs: float = 1
    steps: int = 0
    batch: int = 1
    accumulate: int = 16
    rank: int = 128
    alpha: int = 256
    vision: bool = False
    beta: float = 0.1
    seed: int = 0
    dtype: str = "auto"
    device: str = "auto"
    save_steps: int = 200
    resume: bool = False
    merge: bool = True
    untested: bool = False
    processes: int = 0


def finetune(model: str, data: Path, out: Path, how: Training, keep: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Train a model on exported rows, save it and return a summary.

    Args:
        model: repository or folder.
        data: folder of an export, Parquet or a folder of images.
        out: output folder for ``adapter``, ``checkpoints``, ``training.json``, and ``model`` if the adapter is merged.
        how: training settings.
        keep: column → required value of the training rows; None for all rows.

    Returns:
        ``processes``, ``method`` ("sft" or "dpo"), ``rows``, ``steps``, ``losses``, ``model`` and ``lmms_eval``.

    Raises:
        VhbenchError: if something is missing, untested, or already exists.
    """
    with needed_by("fine-tuning", "finetune"):
        import peft  # noqa: F401
        import trl  # noqa: F401
        from transformers import AutoConfig

    checkpoints = out / "checkpoints"
    _check_place(out, checkpoints, how)
    rows = read_rows(data, keep)
    with loading(f"the configuration of model {model}"):
        kind = str(AutoConfig.from_pretrained(model).model_type)
    if kind not in TESTED and not how.untested:
        raise VhbenchError(
            f"model {model} is a {kind}: tested are {', '.join(TESTED)}; --untested tries it all the same"
        )
    where = pick_device(how.device)
    method = "dpo" if "chosen" in rows.column_names else "sft"
    network, processor = _load(model, where, how.dtype)
    trainer = _trainer(method, network, processor, rows, checkpoints, where, how)
    last = last_checkpoint(checkpoints) if how.resume else None
    with _told():
        trainer.train(resume_from_checkpoint=last)
    told: dict[str, Any] = {
        "base": model, "method": method, "rows": len(rows), "processes": int(trainer.args.world_size),
        "steps": int(trainer.state.global_step), "resumed_from": last and Path(last).name,
        "losses": [entry["loss"] for entry in trainer.state.log_history if "loss" in entry],
        "lmms_eval": TESTED.get(kind, "huggingface"), "settings": asdict(how), "kept": dict(keep or {}),
    }  # fmt: skip
    told["model"] = str(out / ("model" if how.merge or not how.rank else "adapter"))
    if trainer.is_world_process_zero():
        _save(trainer, processor, out, how)
        write_atomic(out / "training.json", json_bytes(told))
    trainer.accelerator.wait_for_everyone()
    return told | {"first": trainer.is_world_process_zero()}


def _check_place(out: Path, checkpoints: Path, how: Training) -> None:
    """Check the number of processes and that the output folder is unused."""
    running = _processes()
    if how.processes not in (0, running):
        raise VhbenchError(
            f"--processes {how.processes}: {running} {'runs' if running == 1 else 'run'}. Start them with `torchrun "
            f"--nproc_per_node {how.processes}`; `accelerate launch --cpu` starts one only"
        )
    first = os.environ.get("RANK", "0") == "0"
    if first and not how.resume and checkpoints.exists():
        raise VhbenchError(f"--out {out}: already contains a training run; --resume continues it")


def _processes() -> int:
    """Return the number of processes that a launcher started."""
    return int(os.environ.get("WORLD_SIZE", "1"))


_COLUMNS = ({"images", "messages"}, {"images", "prompt", "chosen", "rejected"})
"""Required columns for SFT and for DPO."""


def read_rows(data: Path, keep: Mapping[str, str] | None = None) -> Any:
    """Read exported rows with ``images``, and SFT or DPO columns.

    Raises:
        VhbenchError: if there are no rows, or none is left.
    """
    with needed_by("fine-tuning", "finetune"):
        import datasets
    parquet = sorted(str(path) for path in (data / "data").glob("*.parquet"))
    if not parquet and not (data / "metadata.jsonl").is_file():
        raise VhbenchError(
            f"--data {data}: no data/*.parquet and no metadata.jsonl; needed is what `vhbench export` writes with "
            "--layout parquet or folder"
        )
    for file in parquet:  # check before loading: other files may decompress to any size
        _check_columns(data, open_parquet(Path(file))[1].names)
    with loading(f"the rows of {data}"):
        rows = (
            datasets.load_dataset("parquet", data_files=parquet, split="train")
            if parquet
            else datasets.load_dataset("imagefolder", data_dir=str(data), split="train")
        )
    _check_columns(data, rows.column_names)
    for name, value in (keep or {}).items():
        if name not in rows.column_names:
            raise VhbenchError(f"--data {data}: has no column {name!r}; it has {', '.join(rows.column_names)}")
        column = rows[name]
        rows = rows.select([i for i, found in enumerate(column) if found == value])
    if not len(rows):
        raise VhbenchError(f"--data {data}: no row is left")
    return rows


def _check_columns(data: Path, names: Collection[str]) -> None:
    if not any(needed <= {*names} for needed in _COLUMNS):
        forms = "; or ".join(", ".join(sorted(needed)) for needed in _COLUMNS)
        raise VhbenchError(f"--data {data}: has the columns {quote_value(list(names))}; needed are {forms}")


def _load(model: str, where: str, dtype: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    wanted = ("bfloat16" if where != "cpu" else "float32") if dtype == "auto" else dtype
    with loading(f"model {model}"):
        network = AutoModelForImageTextToText.from_pretrained(model, dtype=getattr(torch, wanted), use_safetensors=True)
        processor = AutoProcessor.from_pretrained(model)
    if not getattr(processor, "chat_template", None):
        raise VhbenchError(f"model {model}: its processor has no chat template, which the prompts need")
    return network, processor


def _trainer(method: str, network: Any, processor: Any, rows: Any, folder: Path, where: str, how: Training) -> Any:
    from peft import LoraConfig
    from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

    answers = AnswerCollator(processor, end_tokens(network, processor.tokenizer))
    for place in one_of_each_form(rows):
        answers.check(rows[place])
    lora = None
    if how.rank:
        lora = LoraConfig(
            r=how.rank, lora_alpha=how.alpha, target_modules="all-linear", task_type="CAUSAL_LM",
            exclude_modules=None if how.vision else VISION,
        )  # fmt: skip
    elif not how.vision:
        for name, weight in network.named_parameters():
            weight.requires_grad_(not any(part in name for part in ("vision_tower", "vision_model", "visual")))
    given = _arguments(folder, where, how)
    shared = {"model": network, "processing_class": processor, "train_dataset": rows, "peft_config": lora}
    make: Callable[..., Any] = SFTTrainer
    if method == "sft":
        shared |= {"args": SFTConfig(**given), "data_collator": answers}
    else:
        make = DPOTrainer
        shared |= {"args": DPOConfig(beta=how.beta, **given), "data_collator": PreferenceCollator(answers)}
    with _told():
        return make(**shared)


def one_of_each_form(rows: Any) -> list[int]:
    """Return the first row of each format; some have several turns, others several images."""
    forms = rows["form"] if "form" in rows.column_names else [""]
    return sorted({form: place for place, form in reversed(list(enumerate(forms)))}.values())


def _arguments(folder: Path, where: str, how: Training) -> dict[str, Any]:
    """Return the trainer's arguments, overriding TRL's bf16, checkpointing and truncation."""
    on_gpu = where != "cpu"
    return {
        "output_dir": str(folder), "max_length": None, "learning_rate": how.learning_rate,
        "num_train_epochs": how.epochs, "max_steps": how.steps or -1, "per_device_train_batch_size": how.batch,
        "gradient_accumulation_steps": how.accumulate, "lr_scheduler_type": "cosine", "warmup_steps": 0.03,
        "bf16": on_gpu and how.dtype in ("auto", "bfloat16"), "use_cpu": not on_gpu,
        "gradient_checkpointing": on_gpu, "report_to": "none", "seed": how.seed, "logging_steps": 10,
        "save_strategy": "steps", "save_steps": how.save_steps, "save_total_limit": 2, "disable_tqdm": True,
        "ddp_backend": "gloo" if not on_gpu and _processes() > 1 else None,
        "dataloader_pin_memory": on_gpu,
    }  # fmt: skip


def _save(trainer: Any, processor: Any, out: Path, how: Training) -> None:
    """Save the adapter and the merged model, or the model if all weights were trained."""
    network = trainer.accelerator.unwrap_model(trainer.model)
    if how.rank:
        network.save_pretrained(out / "adapter", safe_serialization=True)
        processor.save_pretrained(out / "adapter")
        network = network.merge_and_unload() if how.merge else None
    if network is not None:
        network.save_pretrained(out / "model", safe_serialization=True)
        processor.save_pretrained(out / "model")


def last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint; its state is written last."""
    steps = {path.parent.name.removeprefix("checkpoint-"): path.parent for path in folder.glob("*/trainer_state.json")}
    last = max((step for step in steps if step.isascii() and step.isdigit()), key=int, default=None)
    return None if last is None else str(steps[last])


@contextmanager
def _told() -> Iterator[None]:
    """Report in one line why a trainer rejects a model, its settings or a row.

    Raises:
        VhbenchError: instead of a ValueError.
    """
    try:
        yield
    except ValueError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise VhbenchError(f"the training stops: {lines[0].strip()}") from error
