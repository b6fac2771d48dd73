"""How text-to-image pipelines are run as their authors intend: steps, guidance, size and negative prompts.

A pipeline itself defines whether and how it takes guidance (its signature and the configuration of its denoiser). What
it does not say, or says otherwise than its authors' model card, is in :data:`PROFILES`.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from vhbench.schema import VhbenchError

TOKENS = 128
"""Text tokens to which the padding of T5 is shortened, where a prompt fits: most of 256 or 512 would be padding."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What the authors of a family recommend, where the pipeline's defaults differ; None for its default."""

    family: str
    pipelines: tuple[str, ...]  # class names in diffusers
    when: Callable[[Any], bool] = lambda pipe: True  # test that separates the family from others with the same pipeline
    steps: int | None = None
    guidance: float | None = None
    size: int | None = None  # side of the image in pixels


@dataclass(frozen=True, slots=True)
class PainterSettings:
    """Effective settings of a pipeline."""

    family: str  # profile, or the pipeline's class
    steps: int
    size: int  # side of the image in pixels, unless a specification has its own
    scale: str = ""  # parameter that takes the guidance scale; "" if the model has no guidance
    guidance: float | None = None  # None without guidance
    negative: bool = False  # whether negative prompts have an effect
    neutral_negative: bool = False  # whether the authors' negative prompt is a blank, which only switches guidance on

    def options(self, negative_prompts: Sequence[str]) -> dict[str, Any]:
        """Return the pipeline's arguments besides prompt, seed and size."""
        kwargs: dict[str, Any] = {"num_inference_steps": self.steps}
        if self.scale:
            kwargs[self.scale] = self.guidance
        if self.negative:
            kwargs["negative_prompt"] = [" "] * len(negative_prompts) if self.neutral_negative else [*negative_prompts]
        return kwargs


def settings(pipe: Any, steps: int | None, guidance: float | None) -> PainterSettings:
    """Return the effective settings of a pipeline; None for its authors' steps and guidance scale."""
    defaults = {name: one.default for name, one in inspect.signature(pipe.__call__).parameters.items()}
    name = type(pipe).__name__
    profile = next((p for p in PROFILES if name in p.pipelines and p.when(pipe)), Profile(name, (name,)))
    scale = _scale(pipe, defaults)
    own = profile.guidance if profile.guidance is not None else defaults.get(scale)
    value = None if not scale else own if guidance is None else guidance
    guided = "negative_prompt" in defaults and not _is_distilled(pipe) and value is not None and value > 1
    return PainterSettings(
        family=profile.family,
        steps=steps or profile.steps or int(defaults.get("num_inference_steps", 30)),
        size=profile.size or _native_size(pipe),
        scale=scale,
        guidance=value,
        negative=guided,
        neutral_negative=guided and scale == "true_cfg_scale",
    )


def sequence_length(pipe: Any, prompts: Sequence[str]) -> int | None:
    """Return the length to which T5 pads, if the prompts fit into :data:`TOKENS`; None for the pipeline's own."""
    default = inspect.signature(pipe.__call__).parameters.get("max_sequence_length")
    tokenizers = [getattr(pipe, name, None) for name in ("tokenizer_3", "tokenizer_2", "tokenizer")]
    tokenizer = next((one for one in tokenizers if type(one).__name__.startswith("T5")), None)
    if default is None or tokenizer is None or default.default <= TOKENS:
        return None
    return TOKENS if max(len(tokenizer(text).input_ids) for text in prompts) <= TOKENS else None


def _scale(pipe: Any, defaults: dict[str, Any]) -> str:
    """Return the parameter of the guidance scale, or ""."""
    if "true_cfg_scale" in defaults:
        return "guidance_scale" if _is_distilled(pipe) else "true_cfg_scale" if defaults["true_cfg_scale"] > 1 else ""
    return "guidance_scale" if "guidance_scale" in defaults else ""


def _is_distilled(pipe: Any) -> bool:
    """Return whether the denoiser was trained with the guidance scale as an input."""
    config = _denoiser(pipe).config
    return bool(config.get("guidance_embeds") or config.get("time_cond_proj_dim"))


def _denoiser(pipe: Any) -> Any:
    denoiser = getattr(pipe, "transformer", None) or getattr(pipe, "unet", None)
    if denoiser is None:
        raise VhbenchError(
            f"{type(pipe).__name__}: expected a pipeline with one denoiser (transformer or unet), got none"
        )
    return denoiser


def _native_size(pipe: Any) -> int:
    size = getattr(pipe, "default_sample_size", None) or _denoiser(pipe).config.get("sample_size") or 64
    return int(size if isinstance(size, int) else size[0]) * int(getattr(pipe, "vae_scale_factor", 8))


def _is_turbo(pipe: Any) -> bool:
    """Return whether a model is a Turbo, by its name: its scheduler is that of other fine-tunes too."""
    return "turbo" in PurePath(pipe.name_or_path or "").name.lower()


def _is_sd3(pipe: Any) -> bool:
    """Return whether this is SD 3, whose attention is not normalized as that of SD 3.5 is."""
    return not _denoiser(pipe).config.get("qk_norm")


def _has_dual_attention(pipe: Any) -> bool:
    """Return whether this is SD 3.5 medium, which alone has layers with two attentions."""
    return bool(_denoiser(pipe).config.get("dual_attention_layers"))


PROFILES = (
    Profile("FLUX.1-dev", ("FluxPipeline",), _is_distilled, steps=50),
    Profile("FLUX.1-schnell", ("FluxPipeline",), steps=4),
    Profile("SD-Turbo", ("StableDiffusionPipeline",), _is_turbo, steps=1, guidance=0.0),
    Profile("SD 1.5", ("StableDiffusionPipeline",)),
    Profile("SDXL-Turbo", ("StableDiffusionXLPipeline",), _is_turbo, steps=1, guidance=0.0),
    Profile("SDXL", ("StableDiffusionXLPipeline",)),
    Profile("SD 3.5-Turbo", ("StableDiffusion3Pipeline",), _is_turbo, steps=4, guidance=0.0),
    Profile("SD 3", ("StableDiffusion3Pipeline",), _is_sd3, steps=28, guidance=7.0),
    Profile("SD 3.5 medium", ("StableDiffusion3Pipeline",), _has_dual_attention, steps=40, guidance=4.5),
    Profile("SD 3.5", ("StableDiffusion3Pipeline",), guidance=3.5),
    Profile("Qwen-Image", ("QwenImagePipeline",), size=1328),
    Profile("Sana", ("SanaPipeline",)),
    Profile("PixArt", ("PixArtAlphaPipeline", "PixArtSigmaPipeline")),
)
"""Families with their authors' settings; of those with one pipeline, the first that fits."""
