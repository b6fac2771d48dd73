"""Fine-tuning of VLMs with TRL and peft: LoRA on exported rows, merged in float32 for lmms-eval.

Several processes share a training run if a launcher (torchrun, accelerate) starts them; the first one writes.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from vhbench.adapters.answer_collator import AnswerCollator, PreferenceCollator, end_tokens
from vhbench.adapters.loading import loading, needed_by, pick_device
from vhbench.adapters.trainable_families import TESTED, family_of, freeze_vision, limit_pixels, lora_config
from vhbench.adapters.training_memory import estimate
from vhbench.adapters.training_options import Training
from vhbench.files import json_bytes, quote_value, write_atomic
from vhbench.schema import VhbenchError


def finetune(
    model: str,
    data: Path,
    out: Path,
    how: Training,
    keep: Mapping[str, str] | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Train a model on exported rows, save it and return a summary.

    Args:
        model: repository or folder.
        data: folder of an export, Parquet or a folder of images.
        out: output folder for ``adapter``, ``checkpoints``, ``training.json``, and ``model`` if the adapter is merged.
        how: training settings.
        keep: column → required value of the training rows; None for all rows.
        tell: called with the memory estimate before the weights are loaded.

    Returns:
        ``processes``, ``method`` ("sft" or "dpo"), ``rows``, ``steps``, ``losses``, ``model`` (the adapter, if there
        is one), ``device``, ``lmms_eval``, and if merged ``merged`` and ``merged_difference`` (:func:`merge`).

    Raises:
        VhbenchError: if something is missing, untested, or already exists.
    """
    with needed_by("fine-tuning", "finetune"):
        import peft  # noqa: F401
        import trl  # noqa: F401
    checkpoints = out / "checkpoints"
    _check_place(out, checkpoints, how)
    rows, config = read_rows(data, keep), _configuration(model, how)
    kind = str(config.model_type)
    where = pick_device(how.device)
    answers = AnswerCollator(processor := _processor(model, kind, how), [processor.tokenizer.eos_token or ""])
    probe = [rows[place] for place in one_of_each_form(rows)]
    tokens = how.batch * max(int(answers([row])["input_ids"].shape[1]) for row in probe)
    tell(str(estimate(config, tokens, how, on_gpu=where != "cpu")))
    network = _load(model, where, how)
    answers.ends = tuple(end_tokens(network, answers.tokenizer))
    for row in probe:  # one of each format
        answers.check(row)
    method = "dpo" if "chosen" in rows.column_names else "sft"
    trainer = _trainer(method, network, answers, rows, checkpoints, where, how)
    last = last_checkpoint(checkpoints) if how.resume else None
    with _told():
        trainer.train(resume_from_checkpoint=last)
    told: dict[str, Any] = {
        "base": model, "method": method, "rows": len(rows), "processes": int(trainer.args.world_size),
        "steps": int(trainer.state.global_step), "resumed_from": last and Path(last).name,
        "losses": [entry["loss"] for entry in trainer.state.log_history if "loss" in entry],
        "lmms_eval": family_of(kind).lmms_eval, "kept": dict(keep or {}), "device": where,
        "model": str(out / ("adapter" if how.rank else "model")),
        "settings": {field.name: getattr(how, field.name) for field in fields(Training)},
    }  # fmt: skip
    if trainer.is_world_process_zero():
        _save(trainer, processor, out, how)
        told |= merge(model, out, answers(probe)) if how.merge and how.rank else {}
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


_COLUMNS = ({"images", "messages"}, {"images", "prompt", "chosen", "rejected"})  # required columns for SFT and for DPO


def read_rows(data: Path, keep: Mapping[str, str] | None = None) -> Any:
    """Read exported rows with ``images``, and SFT or DPO columns; raise if there are none, or none is left."""
    with needed_by("fine-tuning", "finetune"):
        import datasets
        import pyarrow.parquet as pq
    parquet = sorted(str(path) for path in (data / "data").glob("*.parquet"))
    if not parquet and not (data / "metadata.jsonl").is_file():
        raise VhbenchError(
            f"--data {data}: expected a folder that `vhbench export` wrote with --layout parquet or folder; got no "
            "data/*.parquet and no metadata.jsonl"
        )
    for file in parquet:  # check before loading: other files may decompress to any size
        with loading(f"the rows of {data}"):
            names = pq.read_schema(file).names
        _check_columns(data, names)
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
        raise VhbenchError(f"--data {data}: no rows left")
    return rows


def _check_columns(data: Path, names: Collection[str]) -> None:
    if not any(needed <= {*names} for needed in _COLUMNS):
        forms = "; or ".join(", ".join(sorted(needed)) for needed in _COLUMNS)
        raise VhbenchError(f"--data {data}: has the columns {quote_value(list(names))}; needed are {forms}")


def _configuration(model: str, how: Training) -> Any:
    from transformers import AutoConfig

    with loading(f"the configuration of model {model}"):
        config = AutoConfig.from_pretrained(model)
    if config.model_type not in TESTED and not how.untested:
        raise VhbenchError(
            f"model {model} is a {config.model_type}: tested are {', '.join(TESTED)}; --untested tries it anyway"
        )
    return config


def _processor(model: str, kind: str, how: Training) -> Any:
    from transformers import AutoProcessor

    with loading(f"the processor of model {model}"):
        processor: Any = AutoProcessor.from_pretrained(model)
    if not getattr(processor, "chat_template", None):
        raise VhbenchError(f"model {model}: its processor has no chat template, which the prompts need")
    if how.max_pixels:
        limit_pixels(processor, kind, how.max_pixels)
    return processor


def _load(model: str, where: str, how: Training) -> Any:
    import torch
    from transformers import AutoModelForImageTextToText, BitsAndBytesConfig

    dtype = getattr(torch, ("bfloat16" if where != "cpu" else "float32") if how.dtype == "auto" else how.dtype)
    given: dict[str, Any] = {}
    if how.quantize:
        if not how.rank:
            raise VhbenchError(
                f"--quantize {how.quantize}: expected LoRA (--rank above 0); quantized weights are fixed"
            )
        with needed_by("--quantize", "finetune"):
            import bitsandbytes  # noqa: F401
        given["device_map"] = {"": where}
        given["quantization_config"] = BitsAndBytesConfig(
            load_in_8bit=how.quantize == "8bit", load_in_4bit=how.quantize == "4bit", bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=dtype,
        )  # fmt: skip
    with loading(f"model {model}"):
        return AutoModelForImageTextToText.from_pretrained(model, dtype=dtype, use_safetensors=True, **given)


def _trainer(
    method: str, network: Any, answers: AnswerCollator, rows: Any, folder: Path, where: str, how: Training
) -> Any:
    from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

    kind, lora = str(network.config.model_type), None
    if how.rank:
        lora = lora_config(kind, how.rank, how.alpha, vision=how.vision)
    elif not how.vision:
        freeze_vision(network, kind)
    given = _arguments(folder, where, how)
    shared = {"model": network, "processing_class": answers.processor, "train_dataset": rows, "peft_config": lora}
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


_OPTIMIZERS = {"adamw": "adamw_torch", "adamw_8bit": "adamw_8bit"}  # optimizer → its name in transformers


def _arguments(folder: Path, where: str, how: Training) -> dict[str, Any]:
    """Return the trainer's arguments, overriding TRL's bf16, checkpointing and truncation."""
    on_gpu = where != "cpu"
    return {
        "output_dir": str(folder), "max_length": None, "learning_rate": how.learning_rate,
        "num_train_epochs": how.epochs, "max_steps": how.steps or -1, "per_device_train_batch_size": how.batch,
        "gradient_accumulation_steps": how.accumulate, "lr_scheduler_type": "cosine", "warmup_steps": 0.03,
        "bf16": on_gpu and how.dtype in ("auto", "bfloat16"), "use_cpu": not on_gpu,
        "gradient_checkpointing": on_gpu, "optim": _OPTIMIZERS[how.optimizer],
        "report_to": "none", "seed": how.seed, "logging_steps": 10,
        "save_strategy": "steps", "save_steps": how.save_steps, "save_total_limit": 2, "disable_tqdm": True,
        "ddp_backend": "gloo" if not on_gpu and _processes() > 1 else None,
        "dataloader_pin_memory": on_gpu,
    }  # fmt: skip


def _save(trainer: Any, processor: Any, out: Path, how: Training) -> None:
    """Save the adapter, or the model if all weights were trained."""
    network, folder = trainer.accelerator.unwrap_model(trainer.model), out / ("adapter" if how.rank else "model")
    network.save_pretrained(folder, safe_serialization=True)
    processor.save_pretrained(folder)


def merge(model: str, out: Path, probe: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the adapter in ``out`` into its base model in float32, save it as ``out/model``, and compare both.

    In bfloat16, updates smaller than half a unit in the last place of a weight would be lost. Returns ``merged``, the
    folder, and ``merged_difference``, the largest difference in a probability of the answer tokens of ``probe``.
    """
    import torch
    from peft import PeftModel
    from transformers import AutoModelForImageTextToText, AutoProcessor

    def probabilities(network: Any) -> Any:
        with torch.no_grad():
            logits = network(**{name: part for name, part in probe.items() if name != "labels"}).logits
        likely, labels = logits[:, :-1].float().softmax(-1), probe["labels"][:, 1:]
        return likely.gather(-1, labels.clamp(min=0)[..., None])[..., 0][labels >= 0]

    base = AutoModelForImageTextToText.from_pretrained(model, dtype=torch.float32, use_safetensors=True).eval()
    network = PeftModel.from_pretrained(base, str(out / "adapter")).eval()
    before = probabilities(network)
    merged = network.merge_and_unload()
    merged.save_pretrained(out / "model", safe_serialization=True)
    AutoProcessor.from_pretrained(out / "adapter").save_pretrained(out / "model")
    return {
        "merged": str(out / "model"), "merged_difference": float((probabilities(merged) - before).abs().max())
    }  # fmt: skip


def last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint; its state is written last."""
    steps = {path.parent.name.removeprefix("checkpoint-"): path.parent for path in folder.glob("*/trainer_state.json")}
    last = max((step for step in steps if step.isascii() and step.isdigit()), key=int, default=None)
    return None if last is None else str(steps[last])


@contextmanager
def _told() -> Iterator[None]:
    """Report in one line, as a VhbenchError, why a trainer rejects a model, its settings or a row."""
    try:
        yield
    except ValueError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise VhbenchError(f"the training stops: {lines[0].strip()}") from error
