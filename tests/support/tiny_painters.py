"""A tiny random pipeline of each family of text-to-image models, in memory."""

import string
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tiny_qwen
from tiny_image_models import HIDDEN, autoencoder, clip_text_config, clip_tokenizer


def _t5() -> tuple[Any, Any]:
    """Return a tokenizer that knows letters, and an encoder."""
    from transformers import T5Config, T5EncoderModel, T5TokenizerFast

    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((f"▁{c}", -2.0) for c in string.ascii_letters)]
    pieces += [(c, -2.0) for c in string.ascii_letters + string.punctuation]
    config = T5Config(vocab_size=len(pieces), d_model=2 * HIDDEN, d_ff=32, d_kv=8, num_layers=1, num_heads=2)
    return T5TokenizerFast(vocab=pieces, extra_ids=0), T5EncoderModel(config)


def _clip(**more: Any) -> Any:
    from transformers import CLIPTextConfig, CLIPTextModelWithProjection

    return CLIPTextModelWithProjection(CLIPTextConfig(**clip_text_config(**more)))


def flux(*, distilled: bool) -> Any:
    """Return FLUX.1-dev's pipeline, or schnell's, which has no guidance."""
    from diffusers import FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
    from transformers import CLIPTextConfig, CLIPTextModel

    tokenizer, encoder = _t5()
    transformer = FluxTransformer2DModel(
        patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
        joint_attention_dim=2 * HIDDEN, pooled_projection_dim=HIDDEN, axes_dims_rope=[4, 4, 8],
        guidance_embeds=distilled,
    )  # fmt: skip
    clip = CLIPTextModel(CLIPTextConfig(**clip_text_config()))
    parts = FlowMatchEulerDiscreteScheduler(), autoencoder(1), clip, clip_tokenizer(), encoder, tokenizer, transformer
    return FluxPipeline(*parts)


def _named(pipe: Any, name: str) -> Any:
    """Return a pipeline with the name that ``from_pretrained`` gives it."""
    pipe.register_to_config(_name_or_path=name)
    return pipe


def stable_diffusion(name: str = "sd/stable-diffusion-v1-5", *, trailing: bool = False) -> Any:
    """Return the pipeline of Stable Diffusion 1.5, or with a trailing scheduler, as SD-Turbo and others have."""
    from diffusers import DDIMScheduler, EulerDiscreteScheduler, StableDiffusionPipeline, UNet2DConditionModel
    from transformers import CLIPTextConfig, CLIPTextModel

    unet = UNet2DConditionModel(
        block_out_channels=[8, 16], layers_per_block=1, sample_size=8, in_channels=4, out_channels=4, norm_num_groups=4,
        down_block_types=["DownBlock2D", "CrossAttnDownBlock2D"], up_block_types=["CrossAttnUpBlock2D", "UpBlock2D"],
        cross_attention_dim=HIDDEN, attention_head_dim=4,
    )  # fmt: skip
    clip = CLIPTextModel(CLIPTextConfig(**clip_text_config()))
    usual = DDIMScheduler(steps_offset=1, clip_sample=False)
    scheduler = EulerDiscreteScheduler(timestep_spacing="trailing", steps_offset=1) if trailing else usual
    parts = autoencoder(4), clip, clip_tokenizer(), unet, scheduler, None, None
    return _named(StableDiffusionPipeline(*parts, requires_safety_checker=False), name)


def stable_diffusion_xl(name: str = "sd/stable-diffusion-xl-base-1.0", *, trailing: bool = False) -> Any:
    """Return SDXL's pipeline, or with a trailing scheduler, as SDXL-Turbo and Lightning have."""
    from diffusers import (
        EulerAncestralDiscreteScheduler,
        EulerDiscreteScheduler,
        StableDiffusionXLPipeline,
        UNet2DConditionModel,
    )
    from transformers import CLIPTextConfig, CLIPTextModel

    unet = UNet2DConditionModel(
        block_out_channels=[8, 16], layers_per_block=1, sample_size=8, in_channels=4, out_channels=4, norm_num_groups=4,
        down_block_types=["DownBlock2D", "CrossAttnDownBlock2D"], up_block_types=["CrossAttnUpBlock2D", "UpBlock2D"],
        attention_head_dim=4, use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=6 * 8 + HIDDEN, cross_attention_dim=2 * HIDDEN,
    )  # fmt: skip
    usual = EulerDiscreteScheduler(timestep_spacing="leading")
    scheduler = EulerAncestralDiscreteScheduler(timestep_spacing="trailing") if trailing else usual
    clip = CLIPTextModel(CLIPTextConfig(**clip_text_config()))
    parts = autoencoder(4), clip, _clip(), clip_tokenizer(), clip_tokenizer(), unet, scheduler
    return _named(StableDiffusionXLPipeline(*parts, add_watermarker=False), name)


def stable_diffusion_3(name: str, norm: str | None = "rms_norm", dual: tuple[int, ...] = ()) -> Any:
    """Return the pipeline of Stable Diffusion 3 or 3.5; the Turbo differs in its name alone."""
    from diffusers import FlowMatchEulerDiscreteScheduler, SD3Transformer2DModel, StableDiffusion3Pipeline

    tokenizer, encoder = _t5()
    transformer = SD3Transformer2DModel(
        sample_size=8, patch_size=1, in_channels=4, num_layers=1, attention_head_dim=8, num_attention_heads=4,
        caption_projection_dim=32, joint_attention_dim=2 * HIDDEN, pooled_projection_dim=2 * HIDDEN, out_channels=4,
        qk_norm=norm, dual_attention_layers=dual,
    )  # fmt: skip
    pipe = StableDiffusion3Pipeline(
        transformer, FlowMatchEulerDiscreteScheduler(), autoencoder(4), _clip(), clip_tokenizer(), _clip(),
        clip_tokenizer(), encoder, tokenizer,
    )  # fmt: skip
    return _named(pipe, name)


def qwen_image() -> Any:
    """Return the pipeline of Qwen-Image."""
    from diffusers import (
        AutoencoderKLQwenImage,
        FlowMatchEulerDiscreteScheduler,
        QwenImagePipeline,
        QwenImageTransformer2DModel,
    )
    from transformers import AutoTokenizer, Qwen2_5_VLForConditionalGeneration

    transformer = QwenImageTransformer2DModel(
        patch_size=2, in_channels=16, out_channels=4, num_layers=1, attention_head_dim=16, num_attention_heads=2,
        joint_attention_dim=32, guidance_embeds=False, axes_dims_rope=(8, 4, 4),
    )  # fmt: skip
    vae = AutoencoderKLQwenImage(
        base_dim=24, z_dim=4, dim_mult=[1, 2, 4], num_res_blocks=1, temperal_downsample=[False, True],
        latents_mean=[0.0] * 4, latents_std=[1.0] * 4,
    )  # fmt: skip
    with TemporaryDirectory() as name:
        folder = tiny_qwen.save(Path(name))
        encoder = Qwen2_5_VLForConditionalGeneration.from_pretrained(folder)
        tokenizer = AutoTokenizer.from_pretrained(folder)
    return QwenImagePipeline(FlowMatchEulerDiscreteScheduler(), vae, encoder, tokenizer, transformer)


def sana() -> Any:
    """Return Sana's pipeline."""
    from diffusers import AutoencoderDC, FlowMatchEulerDiscreteScheduler, SanaPipeline, SanaTransformer2DModel
    from transformers import Gemma2Config, Gemma2Model

    tokenizer, _ = _t5()
    transformer = SanaTransformer2DModel(
        patch_size=1, in_channels=4, out_channels=4, num_layers=1, num_attention_heads=2, attention_head_dim=4,
        num_cross_attention_heads=2, cross_attention_head_dim=4, cross_attention_dim=8, caption_channels=8,
        sample_size=32,
    )  # fmt: skip
    blocks = ("ResBlock", "EfficientViTBlock")
    vae = AutoencoderDC(
        in_channels=3, latent_channels=4, attention_head_dim=2, encoder_block_types=blocks, decoder_block_types=blocks,
        encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8), encoder_qkv_multiscales=((), (5,)),
        decoder_qkv_multiscales=((), (5,)), encoder_layers_per_block=(1, 1), decoder_layers_per_block=[1, 1],
        downsample_block_type="conv", upsample_block_type="interpolate", decoder_norm_types="rms_norm",
        decoder_act_fns="silu", scaling_factor=0.4,
    )  # fmt: skip
    gemma = Gemma2Config(
        head_dim=8, hidden_size=8, intermediate_size=16, num_attention_heads=2, num_hidden_layers=1,
        num_key_value_heads=2, vocab_size=len(tokenizer), max_position_embeddings=1024,
    )  # fmt: skip
    return SanaPipeline(tokenizer, Gemma2Model(gemma), vae, transformer, FlowMatchEulerDiscreteScheduler())


def pixart() -> Any:
    """Return PixArt's pipeline."""
    from diffusers import DDIMScheduler, PixArtAlphaPipeline, PixArtTransformer2DModel

    tokenizer, encoder = _t5()
    transformer = PixArtTransformer2DModel(
        sample_size=32, num_layers=1, patch_size=2, attention_head_dim=8, num_attention_heads=3,
        caption_channels=2 * HIDDEN, in_channels=4, cross_attention_dim=24, out_channels=8,
    )  # fmt: skip
    return PixArtAlphaPipeline(tokenizer, encoder, autoencoder(4), transformer, DDIMScheduler(clip_sample=False))


FAMILIES = {
    "FLUX.1-dev": lambda: flux(distilled=True),
    "FLUX.1-schnell": lambda: flux(distilled=False),
    "SD-Turbo": lambda: stable_diffusion("stabilityai/sd-turbo", trailing=True),
    "SD 1.5": stable_diffusion,
    "SDXL": stable_diffusion_xl,
    "SDXL-Turbo": lambda: stable_diffusion_xl("stabilityai/sdxl-turbo", trailing=True),
    "SD 3.5-Turbo": lambda: stable_diffusion_3("stabilityai/stable-diffusion-3.5-large-turbo"),
    "SD 3": lambda: stable_diffusion_3("stabilityai/stable-diffusion-3-medium-diffusers", None),
    "SD 3.5 medium": lambda: stable_diffusion_3("stabilityai/stable-diffusion-3.5-medium", dual=(0,)),
    "SD 3.5": lambda: stable_diffusion_3("stabilityai/stable-diffusion-3.5-large"),
    "Qwen-Image": qwen_image,
    "Sana": sana,
    "PixArt": pixart,
}
"""Family of :data:`vhbench.adapters.painter_profiles.PROFILES` → function that makes its pipeline."""
