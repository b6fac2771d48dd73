"""Steps a second of the attack, against a loop that embeds the original again in every step, as the released code.

Both drive the same randomly initialised LLaVA with half a ViT-S for its vision tower (on a GPU LLaVA-1.5's ViT-L at 336
pixels), on one device, taking turns; a step is one gradient step of one image of 480×360. On a CPU one thread works and
its own time counts; the baseline is in float32 there, and bfloat16 is what a processor with units for it (AMX) can
have. The cost of starting an attack is subtracted: it does not matter among the usual 500 steps.
"""

import math
import sys
import time
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import torch
from measuring import Figure, report

from vhbench.adapters.attack_config import AttackConfig
from vhbench.adapters.attack_updates import project
from vhbench.adapters.attacks import AttackCase, objective_of, run, start, to_tensor, value_and_gradient
from vhbench.adapters.vlms import TransformersVLM

SIZES = {  # of the vision tower: half a ViT-S/16, and LLaVA-1.5's ViT-L/14
    "cpu": (224, 16, {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6, "num_attention_heads": 6}),
    "cuda": (
        336,
        14,
        {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16},
    ),
}


def build(device: str, dtype: torch.dtype) -> TransformersVLM:
    import any_vlm
    from transformers import LlavaConfig, LlavaForConditionalGeneration, LlavaImageProcessor, LlavaProcessor

    torch.manual_seed(0)
    words = any_vlm.tokenizer()
    side, patch, vision = SIZES[device]
    text = {"hidden_size": 1024, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = LlavaConfig(
        vision_config={"model_type": "clip_vision_model", "image_size": side, "patch_size": patch, **vision},
        text_config={"model_type": "llama", "vocab_size": len(words), **text},
        image_token_index=words.convert_tokens_to_ids("<image>"),
    )
    model = LlavaForConditionalGeneration(config).to(device, dtype)
    images = LlavaImageProcessor(size={"shortest_edge": side}, crop_size={"height": side, "width": side})
    select = {"patch_size": patch, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    processor = LlavaProcessor(images, words, image_token="<image>", **select)
    return TransformersVLM(model, processor, name="random LLaVA")


def recompute(images: Sequence[Any], starts: torch.Tensor, *, model: TransformersVLM, config: AttackConfig) -> None:
    """The baseline: the same step, but the original is embedded in each."""
    clean, x = to_tensor(images, model.device) / 255, starts.to(model.device)
    for step in range(config.steps("apart")):
        cases = [AttackCase("", image, "apart") for image in images]
        _, gradient = value_and_gradient(x, objective_of(cases, [model], config))
        x = project(x - config.rate(step, "apart") * gradient.sign(), clean, epsilon=config.epsilon)


def once(images: Sequence[Any], starts: torch.Tensor, *, model: TransformersVLM, config: AttackConfig) -> None:
    """The attack as it is."""
    objective = objective_of([AttackCase("", image, "apart") for image in images], [model], config)
    run(starts.to(model.device), to_tensor(images, model.device) / 255, "apart", objective, config)


VARIANTS = {  # the first is the baseline
    "embedded in each step, batch 1": (recompute, 1, ""),
    "embedded once, batch 1": (once, 1, ""),
    "embedded once, batch 8": (once, 8, ""),
    "embedded once, batch 1, bfloat16": (once, 1, "bfloat16"),
    "embedded once, batch 8, bfloat16": (once, 8, "bfloat16"),
}
"""Name → the loop, images at once, and the precision, "" for the usual one of the device (bfloat16 on a GPU)."""


def figures(steps: int = 10, repeats: int = 3) -> list[Figure]:
    """Compare the best of several repeats that take turns."""
    torch.set_num_threads(1)
    device, usual = ("cuda", "bfloat16") if torch.cuda.is_available() else ("cpu", "float32")
    clock = time.perf_counter if device == "cuda" else time.process_time
    models = {dtype: build(device, getattr(torch, dtype or usual)) for dtype in ("", "bfloat16")}
    took: dict[tuple[str, int], float] = {}
    for _, (name, (loop, batch, dtype)), count in product(range(repeats), VARIANTS.items(), (1, 1 + steps)):
        generator, config = np.random.default_rng(0), AttackConfig(steps_apart=count)
        images = list(generator.integers(0, 256, (batch, 360, 480, 3), dtype=np.uint8))
        starts = torch.stack([start(image, "apart", generator=generator, config=AttackConfig()) for image in images])
        begin = clock()
        loop(images, starts, model=models[dtype], config=config)
        if device == "cuda":
            torch.cuda.synchronize()
        took[name, count] = min(took.get((name, count), math.inf), clock() - begin)
    rates = {name: batch * steps / (took[name, 1 + steps] - took[name, 1]) for name, (_, batch, _) in VARIANTS.items()}
    (baseline, theirs), *ours = rates.items()
    goal = {"unit": "steps/s", "baseline": baseline, "theirs": theirs}
    return [
        Figure(work=f"attack {name}, {device}", ours=rate, times=1.6 if "batch 1" in name else 2.0, **goal)
        for name, rate in ours
    ]


if __name__ == "__main__":
    report(figures(*map(int, sys.argv[1:3])))
