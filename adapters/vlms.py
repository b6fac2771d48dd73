"""Vision-language models of transformers, with their weights open: image features that can be differentiated, answers.

One adapter for every family: its own image processor, which on the torchvision backend is made of differentiable
operations, and its own ``get_image_features``, which is the encoder and the connector. Nothing is patched.
"""

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from vhbench.adapters.loading import loading, needed_by, pick_device
from vhbench.images import as_seen, open_image
from vhbench.schema import VhbenchError

ANY_RESOLUTION = frozenset({"llava_next", "llava_onevision"})
"""Families whose features the code released with VHExpansion compares along the features; others along the tokens."""

INSTRUCTION = "Describe the image."
"""What a Q-Former that reads an instruction (InstructBLIP) is told."""

PROBE = (64, 64)
"""Height and width of the image that tries a model when it is loaded."""


class TransformersVLM:
    """A white-box vision-language model.

    Attributes:
        name: of the model, as given.
        fingerprint: SHA-256 that changes with the weights, the image processor and the precision.
        device: where it runs.
        reference_axis: see :class:`vhbench.protocols.WhiteBoxVLM`.
    """

    name: str
    fingerprint: str
    device: Any
    reference_axis: Literal["tokens", "features"]

    def __init__(self, model: Any, image_processor: Any, *, name: str, processor: Any = None) -> None:
        """Wrap a loaded model; :func:`load_vlm` loads one.

        Args:
            model: a transformers model with ``get_image_features``, on its device.
            image_processor: its image processor, on the torchvision backend.
            name: for reports and caches.
            processor: its processor with tokenizer; needed to answer, and by a Q-Former that reads an instruction.

        Raises:
            VhbenchError: if the model has no ``get_image_features``, or its features do not depend on the pixels in a
                differentiable way.
        """
        if not hasattr(model, "get_image_features"):
            raise VhbenchError(
                f"model {name} ({type(model).__name__}) has no get_image_features: a white-box attack needs a "
                "transformers vision-language model that has one, such as LLaVA, InstructBLIP or Qwen2-VL"
            )
        self.model = model.eval().requires_grad_(False)
        self.image_processor, self.processor = image_processor, processor
        self.name, self.device = name, model.device
        self.reference_axis = "features" if model.config.model_type in ANY_RESOLUTION else "tokens"
        self.accepted = frozenset(inspect.signature(model.get_image_features).parameters)
        self.instruction = self._instruction()
        self._try_out()
        self.fingerprint = fingerprint(model, image_processor)

    def features(self, pixels: Any) -> Any:
        """Map images of one size to what the connector hands to the language model.

        Args:
            pixels: shape (batch, 3, height, width): float in [0, 1], for gradients, or uint8, which takes the very
                path that an evaluation takes.

        Returns:
            float32 features of shape (batch, tokens, dimension).

        Raises:
            ValueError: where the image processor refuses the size.
        """
        import torch

        batch = pixels.shape[0]
        inputs = {**self._process(pixels), **{k: v.expand(batch, -1) for k, v in self.instruction.items()}}
        output = self.model.get_image_features(**{k: v for k, v in inputs.items() if k in self.accepted})
        features = getattr(output, "pooler_output", output)
        # A tensor, or one per image or per tile; images come one after another in all of them.
        parts = [features] if isinstance(features, torch.Tensor) else list(features)
        tokens = torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])
        return tokens.reshape(batch, -1, tokens.shape[-1]).float()

    def answer(
        self, images: Sequence[bytes], questions: Sequence[str], *, suffix: str = "", length: int = 16
    ) -> list[str]:
        """Answer one question per image, greedily.

        Args:
            images: encoded images.
            questions: as many.
            suffix: appended to each question, such as " Please answer yes or no."
            length: the most tokens of an answer.

        Raises:
            VhbenchError: if the model came without a tokenizer.
        """
        if self.processor is None:
            raise VhbenchError(f"model {self.name} cannot be asked: it has no processor with a tokenizer")
        return [
            self._answer(as_seen(open_image(image)), question + suffix, length)
            for image, question in zip(images, questions, strict=True)
        ]

    def _process(self, pixels: Any) -> dict[str, Any]:
        """Run the image processor, keeping the gradient; what it returns besides pixels goes along."""
        import torch

        images = list(pixels * 255 if pixels.is_floating_point() else pixels)
        inputs = self.image_processor(images, return_tensors="pt", input_data_format="channels_first")
        moved = {k: v.to(self.device) for k, v in inputs.items() if isinstance(v, torch.Tensor)}
        return {**moved, "pixel_values": moved["pixel_values"].to(self.model.dtype)}

    def _instruction(self) -> dict[str, Any]:
        """Return what a Q-Former that reads an instruction needs, else nothing."""
        if "qformer_input_ids" not in self.accepted:
            return {}
        tokenizer = getattr(self.processor, "qformer_tokenizer", None)
        if tokenizer is None:
            raise VhbenchError(f"model {self.name} has a Q-Former that reads an instruction, but no qformer_tokenizer")
        encoded = tokenizer([INSTRUCTION], return_tensors="pt")
        return {f"qformer_{k}": encoded[k].to(self.device) for k in ("input_ids", "attention_mask")}

    def _try_out(self) -> None:
        """Find out at once, and not after hours, whether a gradient reaches the pixels."""
        import torch

        pixels = torch.rand((1, 3, *PROBE), generator=torch.Generator().manual_seed(0)).to(self.device).requires_grad_()
        backend = getattr(self.image_processor, "backend", "torchvision")
        try:
            differentiable = backend == "torchvision" and self.features(pixels).requires_grad
        except TypeError as error:  # a family whose features need more than the image
            raise VhbenchError(f"model {self.name}: its image processor alone gives no features: {error}") from error
        if not differentiable:
            raise VhbenchError(
                f"model {self.name}: the image processor {type(self.image_processor).__name__} is not differentiable; "
                "it must be one of transformers' torchvision backend"
            )

    def _answer(self, image: Any, question: str, length: int) -> str:
        import torch

        inputs = self.processor(images=image, text=self._prompt(question), return_tensors="pt").to(self.device)
        inputs["pixel_values"] = inputs["pixel_values"].to(self.model.dtype)
        with torch.no_grad():
            output = self.model.generate(**inputs, max_new_tokens=length, do_sample=False)
        tokens, asked = output[0], inputs["input_ids"][0]
        if torch.equal(tokens[: len(asked)], asked):  # a decoder repeats the question, an encoder-decoder does not
            tokens = tokens[len(asked) :]
        answer: str = self.processor.tokenizer.decode(tokens, skip_special_tokens=True)
        return answer.strip()

    def _prompt(self, question: str) -> str:
        """Put the question into the model's chat format, if it has one."""
        if getattr(self.processor, "chat_template", None):
            content = [{"type": "image"}, {"type": "text", "text": question}]
            prompt: str = self.processor.apply_chat_template(
                [{"role": "user", "content": content}], add_generation_prompt=True
            )
            return prompt
        return question if self.instruction else f"{self.processor.image_token}\n{question}"


def load_vlm(name: str, *, device: str = "auto", dtype: str = "auto", revision: str | None = None) -> TransformersVLM:
    """Load a vision-language model from the Hub or from a folder; safetensors only, no code of others.

    Args:
        name: repository or folder.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1" …
        dtype: of the network: "auto" (bfloat16 on a GPU, float32 on a CPU), "float32", "float16", "bfloat16". Pixels,
            similarities and steps are float32 whatever it is.
        revision: a commit, branch or tag of the repository.

    Raises:
        VhbenchError: if it cannot be loaded, or cannot be attacked.
    """
    torch, transformers = _libraries()
    where = pick_device(device)
    precision = ("bfloat16" if where.startswith("cuda") else "float32") if dtype == "auto" else dtype
    if precision not in ("float32", "float16", "bfloat16"):
        raise VhbenchError(f"dtype {dtype!r} is unknown; must be one of auto, float32, float16, bfloat16")
    with loading(f"model {name}"):
        model = _model_class(name, revision).from_pretrained(
            name, revision=revision, dtype=getattr(torch, precision), use_safetensors=True
        )
        processor = transformers.AutoImageProcessor.from_pretrained(name, revision=revision, backend="torchvision")
    shown = Path(name).name if Path(name).is_dir() else name  # results do not tell where a folder lies
    return TransformersVLM(model.to(where), processor, name=shown, processor=_processor(name, revision))


def fingerprint(model: Any, image_processor: Any) -> str:
    """Return a SHA-256 over the configuration, the image processor, the precision and a sample of every weight."""
    import torch

    state = hashlib.sha256(f"{model.dtype} {_plain(image_processor)} {_plain(model.config)}".encode())
    for name, weight in sorted(model.state_dict().items()):
        sample = weight.detach().flatten()[:64].to(device="cpu", dtype=torch.float32)
        state.update(f"{name} {tuple(weight.shape)}".encode() + sample.numpy().tobytes())
    return state.hexdigest()


def _plain(config: Any) -> str:
    """Return a configuration's JSON without where it was loaded from, and by which version."""
    import json

    values: Mapping[str, Any] = json.loads(config.to_json_string())
    return json.dumps({k: v for k, v in values.items() if k not in VOLATILE}, sort_keys=True)


VOLATILE = ("_name_or_path", "name_or_path", "transformers_version", "_commit_hash", "processor_class")


def _model_class(name: str, revision: str | None) -> Any:
    """Return the class for a model: with a language model where it has one, so that it can also be asked."""
    _, transformers = _libraries()
    config = transformers.AutoConfig.from_pretrained(name, revision=revision)
    known = type(config) in transformers.AutoModelForImageTextToText._model_mapping
    return transformers.AutoModelForImageTextToText if known else transformers.AutoModel


def _processor(name: str, revision: str | None) -> Any:
    """Return the processor with its tokenizer, or None for a model without one: it can be attacked, not asked."""
    _, transformers = _libraries()
    try:
        processor = transformers.AutoProcessor.from_pretrained(name, revision=revision, backend="torchvision")
    except (OSError, ValueError, TypeError):
        return None
    return processor if hasattr(processor, "tokenizer") else None


def _libraries() -> tuple[Any, Any]:
    with needed_by("an attack", "attack"):
        import torch
        import transformers
    if int(transformers.__version__.split(".")[0]) < 5:
        raise VhbenchError(f"attacks need transformers 5 or newer, not {transformers.__version__}")
    return torch, transformers
