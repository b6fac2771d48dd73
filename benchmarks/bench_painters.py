"""Images a second of text-to-image models, against their pipelines called for one prompt at a time.

The pipelines have random weights and the sizes of SD 1.5, SDXL and FLUX.1 (12 billion weights, T5-XXL): a GPU of 80 GB
is needed. Both sides take the authors' steps, guidance and size; the baseline keeps the pipeline's length of the text.
"""

import sys
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import tiny_image_models
import tiny_painters
import torch
from measuring import Figure, report

from vhbench.adapters import text_to_image
from vhbench.schema import SceneSpec

PROMPT = "a photo of a dog beside a red suitcase in a kitchen"
VAE = {"block_out_channels": (128, 256, 512, 512), "layers_per_block": 2, "norm_num_groups": 32,
       "down_block_types": ("DownEncoderBlock2D",) * 4, "up_block_types": ("UpDecoderBlock2D",) * 4}  # fmt: skip


def _clip(kind: str, **size: int) -> Any:
    import transformers

    config = transformers.CLIPTextConfig(**tiny_image_models.clip_text_config(**size, max_position_embeddings=77))
    return getattr(transformers, kind)(config)


def stable_diffusion() -> Any:
    """Return a pipeline of the size of Stable Diffusion 1.5."""
    from diffusers import AutoencoderKL, DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel

    text = _clip("CLIPTextModel", hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12)
    unet = UNet2DConditionModel(cross_attention_dim=768, sample_size=64)
    parts = AutoencoderKL(**VAE), text, tiny_image_models.clip_tokenizer(), unet, DDIMScheduler(clip_sample=False)
    return StableDiffusionPipeline(*parts, None, None, requires_safety_checker=False)


def stable_diffusion_xl() -> Any:
    """Return a pipeline of the size of SDXL."""
    from diffusers import AutoencoderKL, EulerDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel

    text = _clip("CLIPTextModel", hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12)
    larger = {"hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32, "num_attention_heads": 20}
    pooled = _clip("CLIPTextModelWithProjection", **larger | {"projection_dim": 1280})
    unet = UNet2DConditionModel(
        sample_size=128, block_out_channels=(320, 640, 1280), transformer_layers_per_block=(1, 2, 10),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=2048,
        attention_head_dim=(5, 10, 20), use_linear_projection=True, addition_embed_type="text_time",
        addition_time_embed_dim=256, projection_class_embeddings_input_dim=2816,
    )  # fmt: skip
    tokenizers = tiny_image_models.clip_tokenizer(), tiny_image_models.clip_tokenizer()
    scheduler = EulerDiscreteScheduler(timestep_spacing="leading")
    vae = AutoencoderKL(**VAE)
    return StableDiffusionXLPipeline(vae, text, pooled, *tokenizers, unet, scheduler, add_watermarker=False)


def flux(*, distilled: bool) -> Any:
    """Return a pipeline of the size of FLUX.1-dev, or of schnell, which has no guidance."""
    from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
    from transformers import T5Config, T5EncoderModel

    tokenizer, _ = tiny_painters._t5()
    size = {"d_model": 4096, "d_ff": 10240, "d_kv": 64, "num_layers": 24, "num_heads": 64}
    t5 = T5EncoderModel(T5Config(vocab_size=len(tokenizer), feed_forward_proj="gated-gelu", **size))
    text = _clip("CLIPTextModel", hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12)
    vae = AutoencoderKL(**VAE, latent_channels=16, shift_factor=0.1159, use_quant_conv=False, use_post_quant_conv=False)
    transformer = FluxTransformer2DModel(guidance_embeds=distilled)
    clip = tiny_image_models.clip_tokenizer()
    return FluxPipeline(FlowMatchEulerDiscreteScheduler(), vae, text, clip, t5, tokenizer, transformer)


FAMILIES: dict[str, Callable[[], Any]] = {
    "SD 1.5": stable_diffusion,
    "SDXL": stable_diffusion_xl,
    "FLUX.1-schnell": lambda: flux(distilled=False),
    "FLUX.1-dev": lambda: flux(distilled=True),
}


def figures(count: int = 4) -> list[Figure]:
    """Return the images a second of each family, in batches of four; none without a GPU."""
    return [_measured(name, make, count) for name, make in FAMILIES.items() if torch.cuda.is_available()]


def _measured(name: str, make: Callable[[], Any], count: int) -> Figure:
    torch.manual_seed(0)
    with torch.device("cuda"):
        pipe = make()
    pipe.scheduler = type(pipe.scheduler).from_config(pipe.scheduler.config)  # its tables belong on the CPU
    pipe.to(torch.bfloat16).set_progress_bar_config(disable=True)
    with patch.object(text_to_image, "_load", return_value=(pipe, "bfloat16")):
        source = text_to_image.DiffusersSource(name)
    specs = [SceneSpec(f"s{i}", (), prompt=PROMPT, width=0, height=0) for i in range(count)]
    size, options = source.settings.size, source.settings.options([""])

    def ours() -> None:
        list(source.make(specs, seed=0))

    def theirs() -> None:
        for _ in specs:
            pipe([PROMPT], width=size, height=size, **options)

    pipe([PROMPT], width=size, height=size, **options | {"num_inference_steps": 2})  # compiles what both need
    took = [_seconds(function) for function in (theirs, ours)]
    work = f"{name}, {size} pixels, {source.settings.steps} steps, {torch.cuda.get_device_name()}"
    baseline = {"baseline": "one prompt at a time", "theirs": count / took[0]}
    return Figure(work=work, ours=count / took[1], unit="images/s", times=1.0, **baseline)


def _seconds(function: Callable[[], None]) -> float:
    start = time.perf_counter()
    function()
    torch.cuda.synchronize()
    return time.perf_counter() - start


if __name__ == "__main__":
    report(figures(*map(int, sys.argv[1:2])))
