"""Reinforcement learning on the stream of questions: its rate, and GRPO that raises reward and accuracy on a CPU.

``python benchmarks/bench_rl.py`` compares questions per second of the stream with those of a plain build into a folder,
taking turns. ``python benchmarks/bench_rl.py grpo`` fine-tunes a tiny random LLaVA on few questions about places until
it answers some of them, and continues with TRL's GRPO and ``vhbench.rewards`` on fresh scenes of the same places.
Accuracy is measured on other fresh scenes, before and after. Further arguments are the steps of both, the learning
rate and the seed. A run takes less than ten minutes of one core.
"""

import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from measuring import Figure, report
from scipy.stats import ttest_ind

from vhbench import benchmarks, rewards, splits
from vhbench.builds import sharding
from vhbench.training.options import RlOptions
from vhbench.training.question_stream import questions, stream

PART = "1/2"
PLAIN: dict[str, dict[str, Any]] = {
    "ode": {"pairs": 10, "part": PART},
    "mioh": {"source": ("scenes:480",), "cells": "5", "part": PART, "allow_missing": True},
    "vhexpansion": {"source": "ode:{ode}"},
}
"""Options of a plain build; VHExpansion expands the ODE split that was built before it."""


def plain(name: str, out: Path, seed: int) -> tuple[float, int]:
    """Build a split; return the seconds and its number of closed questions."""
    begin = time.perf_counter()
    options = {key: value.format(ode=out / "ode") if key == "source" and isinstance(value, str) else value
               for key, value in PLAIN[name].items()}  # fmt: skip
    if name == "vhexpansion":
        sharding.run(make("ode", seed=seed, **PLAIN["ode"]), out, progress=False)
    sharding.run(make(name, seed=seed, **options), out, progress=False)
    rows = splits.read_questions(out / name)
    spent = time.perf_counter() - begin
    return spent, sum(question.kind != "caption" for question in rows)


def make(name: str, **options: Any) -> Any:
    return benchmarks.load(benchmarks.benchmark(name).build)(**options)


def streamed(name: str, seed: int, number: int) -> float:
    """Return questions per second of the stream, over as many whole blocks as have that many questions."""
    begin = last = time.perf_counter()
    block = ""
    for count, question in enumerate(questions(RlOptions(part=PART, benchmark=(name,), seed=seed))):
        if question.id.split("-")[1] != block:
            if count >= number:
                return count / (last - begin)
            block = question.id.split("-")[1]
        last = time.perf_counter()
    raise AssertionError("a stream has no end")


def figures() -> list[Figure]:
    """Return the stream's questions per second, against a plain build of the same benchmark."""
    rates = []
    for name in PLAIN:
        turns = []
        for seed in (1, 2):
            with TemporaryDirectory() as folder:
                spent, number = plain(name, Path(folder), seed)
            turns.append((streamed(name, seed, number), number / spent))
        ours, theirs = (mean(rate) for rate in zip(*turns, strict=True))
        rates.append(Figure(work=f"stream of {name}", ours=ours, unit="questions/s", baseline="plain build",
                            theirs=theirs, times=0.9))  # fmt: skip
    return rates


# -- GRPO ------------------------------------------------------------------------------------------------------------

KIND, SIDE = "place", 128
SFT_STEPS, GRPO_STEPS, PROMPTS, ANSWERS, TEMPERATURE, RATE = 90, 300, 16, 8, 1.3, 2e-4


def places(seed: int) -> Iterator[dict[str, Any]]:
    """Yield the stream's questions about places, a yes and a no in turn."""
    return (row for row in stream("ode", part=PART, seed=seed, size=SIDE) if row["question_type"] == KIND)


def taught(folder: Path, steps: int) -> Path:
    """Fine-tune a tiny random LLaVA on 40 questions through vhbench's own commands; return its folder."""
    import pyarrow.parquet as pq
    import tiny_trainable
    from typer.testing import CliRunner

    from vhbench.adapters.finetuning import finetune
    from vhbench.adapters.training_options import Training
    from vhbench.cli import app

    for words in (
        ["build", "ode", "--part", PART, "--seed", "7", "--size", str(SIDE), "--pairs", "20", "--out", str(folder)],
        ["export", "sft", "--split", str(folder / "ode"), "--types", KIND, "--answers", "short", "--unchecked", "--out",
         str(folder / "rows")],
    ):  # fmt: skip
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (done.output, done.exception)
    table = pq.read_table(folder / "rows" / "data" / "train-00000-of-00001.parquet").to_pylist()
    texts = [part["text"] for row in table for message in row["messages"] for part in message["content"]]
    base = tiny_trainable.save("llava", texts, folder / "base")
    how = Training(learning_rate=1e-3, batch=20, accumulate=1, rank=0, vision=True, device="cpu", steps=steps)
    print(f"SFT on {len(table)} rows, {steps} steps", flush=True)
    return Path(finetune(str(base), folder / "rows", folder / "tuned", how)["model"])


def accuracy(model: Any, processor: Any, rows: list[dict[str, Any]]) -> float:
    """Return the share of greedy answers that are correct and strict."""
    import torch

    right = 0
    for start in range(0, len(rows), 50):
        group = rows[start : start + 50]
        texts = [processor.apply_chat_template(row["prompt"], add_generation_prompt=True) for row in group]
        batch = processor(text=texts, images=[row["images"] for row in group], padding=True, padding_side="left",
                          return_tensors="pt")  # fmt: skip
        with torch.no_grad():
            ids = model.generate(**batch, max_new_tokens=3, do_sample=False)[:, batch["input_ids"].shape[1] :]
        said = processor.batch_decode(ids, skip_special_tokens=True)
        right += sum(
            rewards.prediction(row["kind"], text, row["choices"], row["question"]) == row["answer"]
            for text, row in zip(said, group, strict=True)
        )
    return 100 * right / len(rows)


def grpo(sft_steps: int = SFT_STEPS, steps: int = GRPO_STEPS, rate: float = RATE, seed: int = 0) -> None:
    """Print accuracy on fresh scenes before and after GRPO, and the mean reward of its first and last fifth."""
    import torch
    from datasets import IterableDataset
    from transformers import AutoModelForImageTextToText, AutoProcessor
    from trl import GRPOConfig, GRPOTrainer

    torch.manual_seed(0)
    with TemporaryDirectory() as folder:
        tuned = taught(Path(folder), sft_steps)
        processor = AutoProcessor.from_pretrained(tuned)
        model = AutoModelForImageTextToText.from_pretrained(tuned)
        held = list(islice(places(99), 400))
        before = accuracy(model.eval(), processor, held)
        print(f"after SFT: {before:.1f} % of {len(held)} questions about fresh scenes", flush=True)
        args = GRPOConfig(
            output_dir=folder, per_device_train_batch_size=PROMPTS * ANSWERS, num_generations=ANSWERS, max_steps=steps,
            max_completion_length=3, learning_rate=rate, lr_scheduler_type="constant", logging_steps=1, report_to=[],
            use_cpu=True, bf16=False, remove_unused_columns=False, shuffle_dataset=False, save_strategy="no", beta=0.0,
            gradient_checkpointing=False, dataloader_num_workers=0, disable_tqdm=True, seed=seed,
            temperature=TEMPERATURE, log_level="error",
        )  # fmt: skip
        trainer = GRPOTrainer(
            model=model, processing_class=processor, reward_funcs=[rewards.trl_reward], args=args,
            train_dataset=IterableDataset.from_generator(places, gen_kwargs={"seed": seed + 1}),
        )  # fmt: skip
        begin = time.process_time()
        trainer.train()
        spent = time.process_time() - begin
        told = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
        fifth = len(told) // 5
        p = ttest_ind(told[-fifth:], told[:fifth], alternative="greater", equal_var=False).pvalue
        after = accuracy(trainer.model.eval(), processor, held)
    print(f"GRPO: {steps} steps of {PROMPTS} questions × {ANSWERS} answers in {spent:.0f} s of processor time")
    tenths = [told[i * len(told) // 10 : (i + 1) * len(told) // 10] for i in range(10)]
    print("mean reward by tenths:", " ".join(f"{mean(part):+.2f}" for part in tenths))
    print(f"first fifth {mean(told[:fifth]):+.3f}, last fifth {mean(told[-fifth:]):+.3f}, p = {p:.2g} (Welch, steps)")
    print(f"accuracy on the same fresh scenes: {before:.1f} % -> {after:.1f} %")


if __name__ == "__main__":
    if sys.argv[1:2] == ["grpo"]:
        grpo(*(kind(value) for kind, value in zip((int, int, float, int), sys.argv[2:], strict=False)))
    else:
        report(figures())
