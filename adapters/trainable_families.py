"""Model families that fine-tuning is tested with: names of their parts, and what is trained of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vhbench.schema import VhbenchError


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """Parts of a model family."""

    lmms_eval: str  # lmms-eval class that evaluates it
    vision: str = "vision_tower"  # name of the vision tower's module
    projector: str = ""  # its submodule that feeds the language model, "" if the projector is outside the tower
    weights: tuple[str, ...] = ()  # projector weights outside linear layers, for LoRA
    has_max_pixels: bool = False  # whether its processor limits an image's pixels

    @property
    def frozen(self) -> str:
        """Regular expression of the modules and weights that are frozen by default: the tower without projector."""
        return rf"(?:.*\.)?{self.vision}\." + (rf"(?!{self.projector}\.)" if self.projector else "") + ".*"


TESTED: Final[Mapping[str, ModelFamily]] = {
    "llava": ModelFamily("llava_hf"),
    "llava_next": ModelFamily("llava_hf"),
    "llava_onevision": ModelFamily("llava_hf"),
    "qwen2_vl": ModelFamily("qwen2_vl", "visual", "merger", has_max_pixels=True),
    "qwen2_5_vl": ModelFamily("qwen2_5_vl", "visual", "merger", has_max_pixels=True),
    "idefics3": ModelFamily("huggingface", "vision_model"),
    "smolvlm": ModelFamily("huggingface", "vision_model"),
    "gemma3": ModelFamily("gemma3", weights=("multi_modal_projector.mm_input_projection_weight",)),
}
"""Model type → its family. The projectors of the others are ``multi_modal_projector`` or ``connector``."""

_ANY = ModelFamily("huggingface", "(?:vision_tower|vision_model|visual)", "(?:merger|projector|connector)")


def family_of(kind: str) -> ModelFamily:
    """Return the family of a model type; for an untested one, by the usual names."""
    return TESTED.get(kind, _ANY)


def lora_config(kind: str, rank: int, alpha: int, *, vision: bool) -> Any:
    """Return peft's configuration: LoRA on the language model and the projector, and on the tower if requested."""
    from peft import LoraConfig

    family = family_of(kind)
    return LoraConfig(
        r=rank, lora_alpha=alpha, target_modules="all-linear", task_type="CAUSAL_LM",
        exclude_modules=None if vision else family.frozen, target_parameters=list(family.weights) or None,
    )  # fmt: skip


def freeze_vision(model: Any, kind: str) -> None:
    """Freeze the vision tower of a model whose weights are all trained."""
    for name, weight in model.named_parameters():
        weight.requires_grad_(not re.fullmatch(family_of(kind).frozen, name))


def limit_pixels(processor: Any, kind: str, most: int) -> None:
    """Let a processor scale images down to a number of pixels; raise if the family's images have a fixed size."""
    if not family_of(kind).has_max_pixels:
        named = ", ".join(name for name, family in TESTED.items() if family.has_max_pixels)
        raise VhbenchError(f"--max-pixels {most}: expected a model that scales its images ({named}), got {kind}")
    images = processor.image_processor
    images.size = {"shortest_edge": min(most, images.size["shortest_edge"]), "longest_edge": most}
    images.max_pixels = most
