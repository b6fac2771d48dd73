"""Estimate of the memory that a fine-tuning run needs, before its weights are loaded."""

from dataclasses import dataclass
from typing import Any, Final

from vhbench.adapters.trainable_families import freeze_vision, lora_config

_QUANTIZED: Final = {"": 0.0, "8bit": 1.0, "4bit": 0.516}
"""Bytes of a quantized weight; 4 bits have a scale of 8 bits per 64 weights, and that one of 32 bits per 256."""

_GIB: Final = 2**30


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes at the peak of a training step."""

    weights: float  # of the base model and the adapter
    gradients: float  # of the trained weights
    optimizer: float  # its state, two moments per trained weight
    activations: float  # kept for the backward pass, and of the largest layer and the logits
    trained: int  # number of trained weights

    @property
    def total(self) -> float:
        """All bytes; CUDA's context and fragmentation, about 1 GiB, come on top."""
        return self.weights + self.gradients + self.optimizer + self.activations

    def __str__(self) -> str:
        parts = ("weights", "gradients", "optimizer", "activations")
        named = ", ".join(f"{name} {getattr(self, name) / _GIB:.1f}" for name in parts)
        return f"estimated memory {self.total / _GIB:.1f} GiB ({named}); {self.trained / 1e6:,.1f} M trained weights"


def estimate(config: Any, tokens: int, how: Any, *, on_gpu: bool) -> Memory:
    """Return the memory of a training step, from a model without weights (PyTorch's meta device).

    ``tokens`` are those of the longest batch, images included; on a GPU, gradients are checkpointed and in bfloat16.
    """
    import torch
    from peft import get_peft_model
    from transformers import AutoModelForImageTextToText

    with torch.device("meta"):
        model: Any = AutoModelForImageTextToText.from_config(config)
    kind, size = str(config.model_type), 2 if on_gpu or how.dtype in ("bfloat16", "float16") else 4
    linear = {
        id(part.weight) for name, part in model.named_modules()
        if isinstance(part, torch.nn.Linear) and not name.endswith("lm_head")
    }  # fmt: skip
    per_weight = _QUANTIZED[how.quantize] or size
    weights = sum(w.numel() * (per_weight if id(w) in linear else size) for w in model.parameters())
    if how.rank:
        model = get_peft_model(model, lora_config(kind, how.rank, how.alpha, vision=how.vision))
    elif not how.vision:
        freeze_vision(model, kind)
    trained = sum(w.numel() for w in model.parameters() if w.requires_grad)
    own = 4 if how.rank else size  # peft keeps adapters of half-precision models in float32
    text = config.get_text_config()  # the frozen vision tower keeps no activations
    hidden, inner = int(text.hidden_size), int(text.intermediate_size)
    layer = tokens * (11 * hidden + 4 * inner) * size
    layers = int(text.num_hidden_layers)
    kept = layers * tokens * hidden * size + layer if on_gpu else layers * layer
    logits = tokens * int(text.vocab_size) * (size + 8)  # in float32 too, and their gradient
    return Memory(
        weights=weights + (trained * own if how.rank else 0), gradients=trained * own,
        optimizer=trained * (2 if how.optimizer == "adamw_8bit" else 2 * own),
        activations=kept + logits, trained=trained,
    )  # fmt: skip
