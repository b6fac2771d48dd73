"""White-box VLMs of transformers: differentiable image features and responses.

One adapter covers all families: it uses the model's own image processor, which is differentiable on the torchvision
backend, and its own ``get_image_features``, which is encoder plus connector. Nothing is patched.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from vhbench.adapters.loading import loading, needed_by, pick_device, pick_dtype
from vhbench.adapters.vlm_connectors import connector_of
from vhbench.images import open_image, to_display_rgb
from vhbench.schema import VhbenchError

with needed_by("an attack", "attack"):
    import torch
    import transformers

_ANY_RESOLUTION = frozenset({"llava_next", "llava_onevision"})
"""Families that VHExpansion's code compares along features; others along tokens."""

INSTRUCTION = "Describe the image."  # instruction for Q-Formers that read one (InstructBLIP)

_BARE = frozenset(
    {"blip", "blip-2", "florence2", "fuyu", "git", "instructblip", "kosmos-2", "kosmos-2.5", "pix2struct"}
)
"""Families whose processor inserts the image itself, before the text."""

_LAYOUTS = ("nested", "flat", "swapped")
"""How a processor takes several images.

One list per question, a flat list, or PIL images only; in the last case its image processor receives the floats
instead.
"""

_VOLATILE = ("_name_or_path", "name_or_path", "transformers_version", "_commit_hash", "processor_class")
"""Entries of a configuration that record where a model was loaded, not what it is."""

_SAME_VIEW = 0.02
"""Tolerance between float and uint8 inputs: mean difference over the value range.

Resizing uint8 images rounds and clips them.
"""


class TransformersVLM:
    """White-box VLM; for ``reference_axis`` see :class:`vhbench.protocols.WhiteBoxVLM`."""

    def __init__(self, model: Any, processor: Any, *, name: str, instruction: str = INSTRUCTION) -> None:
        """Wrap a loaded model with a processor on the torchvision backend; :func:`load_vlm` loads one.

        The instruction, next to the image, affects the features of a Q-Former. Raises a VhbenchError if the model
        exposes no image features, or its processor fails or is not differentiable.
        """
        self.connector = connector_of(model, name)
        self.model = model.eval().requires_grad_(False)
        self.processor, self.image_processor = processor, processor.image_processor
        self.name, self.device, self.instruction = name, model.device, instruction
        self.layout = _LAYOUTS[0]
        self.reference_axis: Literal["tokens", "features"]
        self.reference_axis = "features" if model.config.model_type in _ANY_RESOLUTION else "tokens"
        self._try_out()
        self.fingerprint = fingerprint(model, processor, instruction)  # of weights, image processor and precision

    def features(self, pixels: Any) -> Any:
        """Map images of one size to the connector's outputs for the language model.

        Args:
            pixels: shape (batch, 3, height, width): float in [0, 1] for gradients, or uint8 for exactly the evaluation
                path, with PIL images through the unchanged processor.

        Returns:
            float32 features of shape (batch, tokens, dimension).

        Raises:
            ValueError: with one line, if the processor or the model rejects the image.
        """
        inputs = self._inputs(pixels)
        with in_one_line(f"{self.name}'s forward pass"):
            output = self.connector(self.model, inputs)
        features: Any = getattr(output, "pooler_output", output)
        # A tensor, or one per image or tile; images are consecutive in all cases.
        parts = [features] if isinstance(features, torch.Tensor) else list(features)
        tokens = torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])
        return tokens.reshape(pixels.shape[0], -1, tokens.shape[-1]).float()

    def answer(
        self, images: Sequence[bytes], questions: Sequence[str], *, suffix: str = "", length: int = 16
    ) -> list[str]:
        """Answer one question per encoded image with greedy decoding, in ``length`` tokens at most.

        The suffix follows each question, such as " Please answer yes or no." Raises a ValueError of one line if the
        processor or the model rejects an image.
        """
        shown = [to_display_rgb(open_image(image)) for image in images]
        return [self._answer(image, text + suffix, length) for image, text in zip(shown, questions, strict=True)]

    def answer_loss(self, pixels: Any, questions: Sequence[str], responses: Sequence[str]) -> Any:
        """Return each response's negative log-likelihood per token, differentiable by pixels (as of :meth:`features`).

        Raises a ValueError of one line if the processor or the model rejects an image, or a response has no token.
        """
        cases = zip(pixels.split(1), questions, responses, strict=True)
        return torch.stack([self._response_loss(image, question, response) for image, question, response in cases])

    def _response_loss(self, pixels: Any, question: str, response: str) -> Any:
        inputs = self._inputs(pixels, question)
        ids = self.processor.tokenizer(response, add_special_tokens=False, return_tensors="pt")["input_ids"]
        ids = ids.to(self.device)
        if not ids.numel():
            raise ValueError(f"{self.name}: the response {response!r} has no token")
        apart = self.model.config.is_encoder_decoder
        more = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        for name in ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids"):
            if name in inputs and not apart:
                added = more.get(name, torch.zeros_like(ids)).to(inputs[name].dtype)
                inputs[name] = torch.cat([inputs[name], added], dim=1)
        with in_one_line(f"{self.name}'s forward pass"):
            logits = self.model(**inputs, **({"labels": ids} if apart else {})).logits.float()
        return torch.nn.functional.cross_entropy(logits[0] if apart else logits[0, -ids.shape[1] - 1 : -1], ids[0])

    def _inputs(self, pixels: Any, question: str = "") -> dict[str, Any]:
        """Run the processor on floats, keeping the gradient, or on uint8 as on images from a file."""
        floats = pixels.is_floating_point()
        images = list(pixels * 255) if floats else list(map(Image.fromarray, pixels.permute(0, 2, 3, 1).cpu().numpy()))
        with in_one_line(f"the processor of {self.name}"):
            if floats and self.layout == "swapped":
                blank = Image.new("RGB", (pixels.shape[3], pixels.shape[2]))
                with swapped(self.image_processor, images):
                    inputs = self._read([blank] * len(images), question or self.instruction)
            else:
                inputs = self._read(images, question or self.instruction)
        return self._moved(inputs)

    def _read(self, images: Sequence[Any], question: str) -> Mapping[str, Any]:
        """Return the processor's output for images, each with the same question."""
        nested = list(images) if self.layout == "flat" else [[image] for image in images]
        prompts = [self._prompt(question)] * len(nested)
        read: Mapping[str, Any] = self.processor(images=nested, text=prompts, return_tensors="pt")
        return read

    def _both(self, levels: Any, pixels: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Process uint8 and float inputs, detecting how the processor takes several images."""
        first: ValueError | None = None
        for layout in _LAYOUTS:
            self.layout = layout
            try:
                return self._inputs(levels), self._inputs(pixels)
            except ValueError as error:
                first = first or error
        raise first or ValueError

    def _moved(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Move inputs to the model's device, and float inputs to its precision."""
        real = self.model.dtype
        return {
            name: held.to(self.device, real if held.is_floating_point() else None) if torch.is_tensor(held) else held
            for name, held in inputs.items()
        }

    def _try_out(self) -> None:
        """Check at load time that a gradient reaches the pixels, and for the correct view."""
        down, across = np.mgrid[:72, :96]
        ramps = np.stack([across, down, down + across])[None]  # smooth, so that resizing floats and bytes agrees
        levels = torch.from_numpy(ramps.astype(np.uint8)).to(self.device)
        pixels = (levels / 255).requires_grad_()
        processor = type(self.image_processor).__name__
        refused = f"model {self.name} cannot be attacked: its processor {processor}"
        if getattr(self.image_processor, "backend", "torchvision") != "torchvision":
            needs = "expected one of transformers' torchvision backend"
            raise VhbenchError(f"model {self.name}: the image processor {processor} is not differentiable; {needs}")
        try:
            seen, differentiable = self._both(levels, pixels)
            features = self.features(pixels)
        except ValueError as error:
            raise VhbenchError(f"model {self.name} cannot be attacked: {error}") from error
        if not features.requires_grad:
            raise VhbenchError(f"{refused} or its encoder lets no gradient through")
        for key, value in seen.items():
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                other, reach = differentiable[key], value.max() - value.min() + 1e-6
                if other.shape != value.shape or (other - value).abs().mean() / reach > _SAME_VIEW:
                    raise VhbenchError(f"{refused} gives different {key} for float tensors than for images")

    def _answer(self, image: Any, question: str, length: int) -> str:
        with in_one_line(f"the processor of {self.name}"):
            inputs = self._moved(self._read([image], question))
        with torch.no_grad(), in_one_line(f"{self.name}'s answer"):
            output = self.model.generate(**inputs, max_new_tokens=length, do_sample=False)
        tokens, start = output[0], inputs["input_ids"][0]
        if torch.equal(tokens[: len(start)], start):  # decoder-only models repeat the question, encoder-decoders do not
            tokens = tokens[len(start) :]
        answer: str = self.processor.tokenizer.decode(tokens, skip_special_tokens=True)
        return answer.strip()

    def _prompt(self, question: str) -> str:
        """Format the question with the model's chat template, if it has one."""
        if self.model.config.model_type in _BARE:
            return question
        if getattr(self.processor, "chat_template", None):
            turn = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": question}]}
            return str(self.processor.apply_chat_template([turn], add_generation_prompt=True))
        token = getattr(self.processor, "image_token", "")
        return f"{token}\n{question}" if token else question


def load_vlm(
    name: str, *, device: str = "auto", dtype: str = "auto", revision: str = "", instruction: str = ""
) -> TransformersVLM:
    """Load a VLM from the Hub or a folder; safetensors only, no remote code. Raises if it cannot be loaded or attacked.

    The dtype is that of the network (:func:`vhbench.adapters.loading.pick_dtype`): pixels, similarities and steps are
    always float32. The instruction is the text next to an attacked image; "" for :data:`INSTRUCTION`.
    """
    if int(transformers.__version__.split(".")[0]) < 5:
        raise VhbenchError(f"attacks need transformers 5 or newer, not {transformers.__version__}")
    where = pick_device(device)
    precision = getattr(torch, pick_dtype(dtype, where))
    shown = Path(name).name if Path(name).is_dir() else name  # results do not reveal local paths
    with loading(f"model {name}"):
        config = transformers.AutoConfig.from_pretrained(name, revision=revision or None)
        answering = (transformers.AutoModelForImageTextToText, transformers.AutoModelForCausalLM)
        kind = next((option for option in answering if type(config) in option._model_mapping), transformers.AutoModel)
        model = kind.from_pretrained(name, revision=revision or None, dtype=precision, use_safetensors=True)
    connector_of(model, shown)  # before its processor: a text-only model has none
    with loading(f"the processor of model {name}"):
        processor = transformers.AutoProcessor.from_pretrained(name, revision=revision or None, backend="torchvision")
    if not (hasattr(processor, "image_processor") and hasattr(processor, "tokenizer")):
        raise VhbenchError(f"model {name}: expected a processor with an image processor and a tokenizer, got none")
    return TransformersVLM(model.to(where), processor, name=shown, instruction=instruction or INSTRUCTION)


@contextmanager
def swapped(image_processor: Any, floats: Sequence[Any]) -> Iterator[None]:
    """Make an image processor process floats instead of the images it is given, one for one."""
    preprocess, left = image_processor.preprocess, iter(floats)

    def exchanged(given: Any) -> Any:
        return [exchanged(part) for part in given] if isinstance(given, (list, tuple)) else next(left)

    image_processor.preprocess = lambda images, *args, **kwargs: preprocess(exchanged(images), *args, **kwargs)
    try:
        yield
    finally:
        del image_processor.preprocess  # removes the instance attribute, restoring the class's


@contextmanager
def in_one_line(what: str) -> Iterator[None]:
    """Turn any exception of a processor or a forward pass into a ValueError of one line that names what failed."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":  # independent of the image
            raise
        lines = str(error).strip().splitlines() or [""]
        raise ValueError(f"{what} fails: {type(error).__name__}: {lines[0].strip()[:200]}") from error


def fingerprint(model: Any, processor: Any, instruction: str = "") -> str:
    """Return a SHA-256 of configuration, processors, precision and a sample of every weight."""

    def plain(config: Any) -> str:
        values = json.loads(config.to_json_string())
        return json.dumps({k: v for k, v in values.items() if k not in _VOLATILE}, sort_keys=True)

    parts = (model.dtype, plain(processor.image_processor), plain(processor), instruction, plain(model.config))
    state = hashlib.sha256(" ".join(map(str, parts)).encode())
    for name, weight in sorted(model.state_dict().items()):
        sample = weight.detach().flatten()[:64].cpu().float()
        state.update(f"{name} {tuple(weight.shape)}".encode() + sample.numpy().tobytes())
    return state.hexdigest()
