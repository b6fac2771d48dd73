"""Vision-language models of transformers, with their weights open: image features that can be differentiated, answers.

One adapter for every family: its own image processor, which on the torchvision backend is made of differentiable
operations, and its own ``get_image_features``, which is the encoder and the connector. Nothing is patched.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image

from vhbench.adapters.loading import loading, needed_by, pick_device
from vhbench.adapters.vlm_connectors import connector_of
from vhbench.images import as_seen, open_image
from vhbench.schema import VhbenchError

_ANY_RESOLUTION = frozenset({"llava_next", "llava_onevision"})
"""Families whose features the code released with VHExpansion compares along the features; others along the tokens."""

INSTRUCTION = "Describe the image."
"""What a Q-Former that reads an instruction (InstructBLIP) is told."""

_BARE = frozenset(
    {"blip", "blip-2", "florence2", "fuyu", "git", "instructblip", "kosmos-2", "kosmos-2.5", "pix2struct"}
)
"""Families whose processor places the image itself, before the text."""

_PROBE = (72, 96)
"""Height and width of the image that tries a model when it is loaded."""

_LAYOUTS = ("nested", "flat", "swapped")
"""How a processor may take several images: one list per question, or a flat one; or only pictures, in place of which
its image processor then gets the floats."""

_SAME_VIEW = 0.02
"""Mean difference, as a share of all values' range, up to which floats and whole levels are seen alike: resizing whole
levels rounds and clips them."""


class TransformersVLM:
    """A white-box vision-language model.

    Attributes:
        name: of the model, as given.
        fingerprint: SHA-256 that changes with the weights, the image processor and the precision.
        device: where it runs.
        reference_axis: see :class:`vhbench.protocols.WhiteBoxVLM`.
        resizing: what is entered while the processor runs; see :mod:`resizing`.
    """

    name: str
    fingerprint: str
    device: Any
    reference_axis: Literal["tokens", "features"]

    def __init__(
        self, model: Any, image_processor: Any, *, name: str, processor: Any = None, instruction: str = INSTRUCTION
    ) -> None:
        """Wrap a loaded model; :func:`load_vlm` loads one.

        Args:
            model: a transformers model that hands image features to its language model, on its device.
            image_processor: its image processor, on the torchvision backend.
            name: for reports and caches.
            processor: its processor with tokenizer: what it makes of an image is what the model sees. None where the
                image processor alone does all of that; the model cannot be asked then.
            instruction: the text beside the image. It changes the features of a Q-Former that reads it.

        Raises:
            VhbenchError: if the model hands over no image features, its processor fails, or is not differentiable.
        """
        self.connector = connector_of(model, name)
        self.model = model.eval().requires_grad_(False)
        self.image_processor, self.processor = image_processor, processor
        self.name, self.device, self.instruction = name, model.device, instruction
        self.layout = _LAYOUTS[0]
        self.resizing: Callable[[], AbstractContextManager[Any]] = _quick_resizing
        self.reference_axis = "features" if model.config.model_type in _ANY_RESOLUTION else "tokens"
        self._try_out()
        self.fingerprint = fingerprint(model, image_processor, processor, instruction)

    def features(self, pixels: Any) -> Any:
        """Map images of one size to what the connector hands to the language model.

        Args:
            pixels: shape (batch, 3, height, width): float in [0, 1], for gradients, or uint8, which takes the very
                path that an evaluation takes: pictures through the unchanged processor.

        Returns:
            float32 features of shape (batch, tokens, dimension).

        Raises:
            ValueError: in one line, where the processor or the model refuses the image.
        """
        import torch

        inputs = self._inputs(pixels)
        with in_one_line(f"{self.name}'s forward pass"):
            given = self.connector(self.model, inputs)
        features: Any = getattr(given, "pooler_output", given)
        # A tensor, or one per image or per tile; images come one after another in all of them.
        parts = [features] if isinstance(features, torch.Tensor) else list(features)
        tokens = torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])
        return tokens.reshape(pixels.shape[0], -1, tokens.shape[-1]).float()

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
            ValueError: in one line, where the processor or the model refuses an image.
        """
        if self.processor is None:
            raise VhbenchError(f"model {self.name} cannot be asked: it has no processor with a tokenizer")
        return [
            self._answer(as_seen(open_image(image)), question + suffix, length)
            for image, question in zip(images, questions, strict=True)
        ]

    def _inputs(self, pixels: Any) -> dict[str, Any]:
        """Run the processor: on floats so that the gradient is kept, on whole levels as on pictures from a file."""
        floats = pixels.is_floating_point()
        images = list(pixels * 255) if floats else [_as_picture(levels) for levels in pixels]
        with in_one_line(f"the processor of {self.name}"), self.resizing():
            if self.processor is None:
                inputs = self.image_processor(images, return_tensors="pt", input_data_format="channels_first")
            elif floats and self.layout == "swapped":
                blank = Image.new("RGB", (pixels.shape[3], pixels.shape[2]))
                with swapped(self.image_processor, images):
                    inputs = self._read([blank] * len(images), self.instruction)
            else:
                inputs = self._read(images, self.instruction)
        return self._moved(inputs)

    def _read(self, images: Sequence[Any], question: str) -> Mapping[str, Any]:
        """Return what the processor makes of images, each with the same question."""
        given = list(images) if self.layout == "flat" else [[image] for image in images]
        read: Mapping[str, Any] = self.processor(
            images=given, text=[self._prompt(question)] * len(given), return_tensors="pt"
        )
        return read

    def _both(self, levels: Any, pixels: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Read whole levels and floats, and find out how the processor takes several images."""
        first: ValueError | None = None
        for layout in _LAYOUTS if self.processor is not None else _LAYOUTS[:1]:
            self.layout = layout
            try:
                return self._inputs(levels), self._inputs(pixels)
            except ValueError as error:
                first = first or error
        raise first or ValueError

    def _moved(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the model's inputs on its device; of what has fractions, in its precision."""
        import torch

        tensors = {k: v.to(self.device) if isinstance(v, torch.Tensor) else v for k, v in inputs.items()}
        return {
            k: v.to(self.model.dtype) if isinstance(v, torch.Tensor) and v.is_floating_point() else v
            for k, v in tensors.items()
        }

    def _try_out(self) -> None:
        """Find out at once, and not after hours, whether a gradient reaches the pixels, and from the right view."""
        import torch

        levels = torch.from_numpy(probe()).to(self.device)
        pixels = (levels / 255).requires_grad_()
        processor = type(self.image_processor).__name__
        refused = f"model {self.name} cannot be attacked: its processor {processor}"
        if getattr(self.image_processor, "backend", "torchvision") != "torchvision":
            raise VhbenchError(
                f"model {self.name}: the image processor {processor} is not differentiable; it must be one of "
                "transformers' torchvision backend"
            )
        try:
            seen, differentiable = self._both(levels, pixels)
            features = self.features(pixels)
        except ValueError as error:
            raise VhbenchError(f"model {self.name} cannot be attacked: {error}") from error
        if not features.requires_grad:
            raise VhbenchError(f"{refused} or its encoder lets no gradient through")
        for key, value in seen.items():
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                other = differentiable[key]
                if other.shape != value.shape:
                    raise VhbenchError(f"{refused} makes other {key} of floats than of a picture")
                off = (other - value).abs().mean() / (value.max() - value.min() + 1e-6)
                if off > _SAME_VIEW:
                    raise VhbenchError(f"{refused} makes other {key} of floats than of a picture ({off:.3f} apart)")

    def _answer(self, image: Any, question: str, length: int) -> str:
        import torch

        with in_one_line(f"the processor of {self.name}"):
            inputs = self._moved(self._read([image], question))
        with torch.no_grad(), in_one_line(f"{self.name}'s answer"):
            output = self.model.generate(**inputs, max_new_tokens=length, do_sample=False)
        tokens, asked = output[0], inputs["input_ids"][0]
        if torch.equal(tokens[: len(asked)], asked):  # a decoder repeats the question, an encoder-decoder does not
            tokens = tokens[len(asked) :]
        answer: str = self.processor.tokenizer.decode(tokens, skip_special_tokens=True)
        return answer.strip()

    def _prompt(self, question: str) -> str:
        """Put the question into the model's chat format, if it has one."""
        bare = self.model.config.model_type in _BARE
        if getattr(self.processor, "chat_template", None) and not bare:
            content = [{"type": "image"}, {"type": "text", "text": question}]
            prompt: str = self.processor.apply_chat_template(
                [{"role": "user", "content": content}], add_generation_prompt=True
            )
            return prompt
        token = "" if bare else getattr(self.processor, "image_token", "")
        return f"{token}\n{question}" if token else question


def load_vlm(
    name: str,
    *,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    instruction: str = INSTRUCTION,
) -> TransformersVLM:
    """Load a vision-language model from the Hub or from a folder; safetensors only, no code of others.

    Args:
        name: repository or folder.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1" …
        dtype: of the network: "auto" (bfloat16 on a GPU, float32 on a CPU), "float32", "float16", "bfloat16". Pixels,
            similarities and steps are float32 whatever it is.
        revision: a commit, branch or tag of the repository.
        instruction: the text beside an image that is attacked.

    Raises:
        VhbenchError: if it cannot be loaded, or cannot be attacked.
    """
    torch, transformers = _libraries()
    where = pick_device(device)
    precision = ("bfloat16" if where.startswith("cuda") else "float32") if dtype == "auto" else dtype
    if precision not in ("float32", "float16", "bfloat16"):
        raise VhbenchError(f"dtype {dtype!r} is unknown; must be one of auto, float32, float16, bfloat16")
    shown = Path(name).name if Path(name).is_dir() else name  # results do not tell where a folder lies
    with loading(f"model {name}"):
        model = _model_class(name, revision).from_pretrained(
            name, revision=revision, dtype=getattr(torch, precision), use_safetensors=True
        )
    connector_of(model, shown)  # before its processor: a model that sees nothing has none
    with loading(f"the processor of model {name}"):
        processor = transformers.AutoProcessor.from_pretrained(name, revision=revision, backend="torchvision")
    pictures = getattr(processor, "image_processor", None)
    if pictures is None or not hasattr(processor, "tokenizer"):
        raise VhbenchError(
            f"model {name} has no processor with an image processor and a tokenizer: what it would see of an image "
            "cannot be told"
        )
    return TransformersVLM(model.to(where), pictures, name=shown, processor=processor, instruction=instruction)


def probe() -> npt.NDArray[np.uint8]:
    """Return a batch of one image with soft slopes, shape (1, 3, height, width)."""
    height, width = _PROBE
    down, across = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    waves = [np.sin(3 * down + across), np.cos(4 * across), np.sin(5 * down * across)]
    return (127 + 100 * np.stack(waves)[None]).astype(np.uint8)


def _quick_resizing() -> AbstractContextManager[Any]:
    from vhbench.adapters.resizing import QuickResizing

    return QuickResizing()


def _as_picture(levels: Any) -> Image.Image:
    """Return whole levels of shape (3, height, width) as a picture, as it is read from a file."""
    return Image.fromarray(np.ascontiguousarray(levels.permute(1, 2, 0).cpu().numpy()))


@contextmanager
def swapped(image_processor: Any, floats: Sequence[Any]) -> Iterator[None]:
    """Let an image processor work on floats in place of the pictures that it is handed, one for one."""
    preprocess, left = image_processor.preprocess, iter(floats)

    def exchanged(given: Any) -> Any:
        return [exchanged(part) for part in given] if isinstance(given, (list, tuple)) else next(left)

    image_processor.preprocess = lambda images, *args, **kwargs: preprocess(exchanged(images), *args, **kwargs)
    try:
        yield
    finally:
        del image_processor.preprocess  # the instance's; the class's is there again


@contextmanager
def in_one_line(what: str) -> Iterator[None]:
    """Turn whatever a processor or a forward pass raises into one line.

    Raises:
        ValueError: in its place, naming what failed.
    """
    try:
        yield
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":  # says nothing of the image
            raise
        lines = str(error).strip().splitlines() or [""]
        raise ValueError(f"{what} fails: {type(error).__name__}: {lines[0].strip()[:200]}") from error


def fingerprint(model: Any, image_processor: Any, processor: Any = None, instruction: str = "") -> str:
    """Return a SHA-256 over the configuration, the processors, the precision and a sample of every weight."""
    import torch

    read = _plain(processor) if processor is not None else ""
    view = f"{_plain(image_processor)} {read} {instruction}"
    state = hashlib.sha256(f"{model.dtype} {view} {_plain(model.config)}".encode())
    for name, weight in sorted(model.state_dict().items()):
        sample = weight.detach().flatten()[:64].to(device="cpu", dtype=torch.float32)
        state.update(f"{name} {tuple(weight.shape)}".encode() + sample.numpy().tobytes())
    return state.hexdigest()


def _plain(config: Any) -> str:
    """Return a configuration's JSON without where it was loaded from, and by which version."""
    import json

    values: Mapping[str, Any] = json.loads(config.to_json_string())
    return json.dumps({k: v for k, v in values.items() if k not in _VOLATILE}, sort_keys=True)


_VOLATILE = ("_name_or_path", "name_or_path", "transformers_version", "_commit_hash", "processor_class")


def _model_class(name: str, revision: str | None) -> Any:
    """Return the class for a model: with a language model where it has one, so that it can also be asked."""
    _, transformers = _libraries()
    config = transformers.AutoConfig.from_pretrained(name, revision=revision)
    for kind in (transformers.AutoModelForImageTextToText, transformers.AutoModelForCausalLM):
        if type(config) in kind._model_mapping:
            return kind
    return transformers.AutoModel


def _libraries() -> tuple[Any, Any]:
    with needed_by("an attack", "attack"):
        import torch
        import transformers
    if int(transformers.__version__.split(".")[0]) < 5:
        raise VhbenchError(f"attacks need transformers 5 or newer, not {transformers.__version__}")
    return torch, transformers
