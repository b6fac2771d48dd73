"""Steps per second of the attack, against a loop that embeds the original again in every step, as the released code.

That loop leaves resizing to PyTorch, too. Both drive the same randomly initialised LLaVA with half a ViT-S for its
vision tower, on one device, in one run, taking turns; a step is one gradient step of one image. On a CPU one thread
works and its own time counts, so that other work on the machine does not; the baseline is in float32 there, and
``--dtype bfloat16`` is what a processor with units for it (AMX) can have. What is done once per attack is taken out: it
does not count among 500 steps, and would among the few that are measured. Run as a script:
``bench_attack.py [--steps N] [--repeats N]``.
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import torch
from measuring import Figure

from vhbench.adapters.vlms import TransformersVLM
from vhbench.generators.vhexpansion.attack import (
    project,
    run,
    similarity_and_gradient,
    start,
    to_tensor,
)
from vhbench.generators.vhexpansion.attack_config import AttackConfig

SIDE = 224


def build(device: str, dtype: torch.dtype) -> TransformersVLM:
    from transformers import LlavaConfig, LlavaForConditionalGeneration, LlavaImageProcessor

    torch.manual_seed(0)
    vision = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6, "num_attention_heads": 6}
    text = {"hidden_size": 1024, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = LlavaConfig(
        vision_config={"model_type": "clip_vision_model", "image_size": SIDE, "patch_size": 16, **vision},
        text_config={"model_type": "llama", "vocab_size": 64, **text},
        image_token_index=1,
    )
    model = LlavaForConditionalGeneration(config).to(device, dtype)
    size = {"height": SIDE, "width": SIDE}
    processor = LlavaImageProcessor(size={"shortest_edge": SIDE}, crop_size=size)
    return TransformersVLM(model, processor, name="random LLaVA, half a ViT-S/16")


def recompute(images: Sequence[Any], starts: torch.Tensor, *, model: TransformersVLM, config: AttackConfig) -> None:
    """The baseline: the same step, but the original is embedded in each, and PyTorch resizes."""
    resizing, model.resizing = model.resizing, nullcontext
    original = to_tensor(images, model.device)
    clean, x = original / 255, starts.to(model.device)
    for step in range(config.steps("apart")):
        with torch.no_grad():
            reference = model.features(original)
        _, gradient = similarity_and_gradient(x, reference, model=model, config=config)
        x = project(x - config.rate(step, "apart") * gradient.sign(), clean, epsilon=config.epsilon)
    model.resizing = resizing


def once(images: Sequence[Any], starts: torch.Tensor, *, model: TransformersVLM, config: AttackConfig) -> None:
    """The attack as it is."""
    run(images, starts, "apart", model=model, config=config)


def start_all(images: Sequence[Any]) -> torch.Tensor:
    generator = np.random.default_rng(0)
    return torch.stack([start(image, "apart", generator=generator, config=AttackConfig()) for image in images])


def seconds(work: Callable[[], object], device: str) -> float:
    clock = time.perf_counter if device == "cuda" else time.process_time
    begin = clock()
    work()
    if device == "cuda":
        torch.cuda.synchronize()
    return clock() - begin


def rates(steps: int, repeats: int, device: str) -> dict[str, float]:
    """Return the steps a second of every variant, the best of several repeats that take turns."""
    default = "bfloat16" if device == "cuda" else "float32"
    variants = {name: (loop, batch, dtype or default) for name, (loop, batch, dtype) in VARIANTS.items()}
    models = {dtype: build(device, getattr(torch, dtype)) for dtype in sorted({one[2] for one in variants.values()})}
    taken: dict[tuple[str, int], float] = {}
    for _, name, number in product(range(repeats), variants, (1, 1 + steps)):
        loop, batch, dtype = variants[name]
        images = list(np.random.default_rng(0).integers(0, 256, (batch, 360, 480, 3), dtype=np.uint8))
        config = AttackConfig(steps_apart=number)
        work = partial(loop, images, start_all(images), model=models[dtype], config=config)
        taken[name, number] = min(taken.get((name, number), math.inf), seconds(work, device))
    return {name: batch * steps / (taken[name, 1 + steps] - taken[name, 1]) for name, (_, batch, _) in variants.items()}


def figures() -> list[Figure]:
    """Return the figures that have a goal; on a CPU, in processor time of one thread."""
    torch.set_num_threads(1)
    (base, theirs), *ours = rates(10, 3, "cpu").items()
    return [
        Figure(work=f"attack {name}, CPU", ours=rate, unit="steps/s", baseline=base, theirs=theirs, times=GOALS[name])
        for name, rate in ours
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"random LLaVA, {device}, 480x360 images, {options.steps} steps, best of {options.repeats}", flush=True)
    baseline = None
    for name, rate in rates(options.steps, options.repeats, device).items():
        baseline = baseline or rate
        print(f"{name:40} {rate:8.2f} steps/s {rate / baseline:6.2f}x")


VARIANTS = {  # the first is the baseline
    "embedded in each step, batch 1": (recompute, 1, ""),
    "embedded once, batch 1": (once, 1, ""),
    "embedded once, batch 8": (once, 8, ""),
    "embedded once, batch 1, bfloat16": (once, 1, "bfloat16"),
    "embedded once, batch 8, bfloat16": (once, 8, "bfloat16"),
}
"""Name → the loop, images at once, and the precision, "" for the usual one of the device."""

GOALS = {name: 1.6 if "batch 1" in name else 2.0 for name in [*VARIANTS][1:]}

if __name__ == "__main__":
    main()
