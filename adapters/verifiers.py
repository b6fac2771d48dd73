"""Image–text verifiers: CLIP-like models and VQA models (transformers)."""

from collections.abc import Sequence
from typing import Any, ClassVar

from vhbench.adapters.loading import batches, loading, needed_by, pick_device
from vhbench.images import open_image, to_display_rgb
from vhbench.schema import VhbenchError

_SCALE = 100.0  # similarity scale for models without one: the value CLIP was trained to


class _Verifier:
    """Model of transformers that scores texts about images, in batches."""

    auto: ClassVar[str]  # class of transformers that loads it

    def __init__(self, model: str, *, revision: str = "", device: str = "auto", batch: int = 32) -> None:
        self.name = model.rstrip("/").rsplit("/", 1)[-1]
        self._batch, self._device = batch, pick_device(device)
        options = {"revision": revision} if revision else {}
        with needed_by("--verifier"):
            import transformers
        with loading(f"the verifier {model!r}"):
            self._processor: Any = transformers.AutoProcessor.from_pretrained(model, **options)
            network = getattr(transformers, self.auto).from_pretrained(model, use_safetensors=True, **options)
        self._model: Any = network.eval().to(self._device)


class ClipVerifier(_Verifier):
    """Softmax over the similarities of CLIP, SigLIP …; implements :class:`vhbench.protocols.Verifier`."""

    auto = "AutoModel"

    def __init__(self, model: str, **options: Any) -> None:
        super().__init__(model, **options)
        if not hasattr(self._model, "get_image_features"):
            raise VhbenchError(f"{model!r} is not a CLIP-like model: it has no comparable image and text features")
        scale = getattr(self._model, "logit_scale", None)
        self._scale = _SCALE if scale is None else float(scale.detach().exp())

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return, per image, the probability of each of its texts, given that one is correct."""
        import torch

        every = list(dict.fromkeys(text for each in texts for text in each))
        places = {text: i for i, text in enumerate(every)}
        with torch.inference_mode():
            seen = torch.cat([self._images(part) for part in batches(images, self._batch)])
            read = torch.cat([self._texts(part) for part in batches(every, self._batch)])
            scores = self._scale * seen @ read.T
            return [
                torch.softmax(row[[places[text] for text in each]], dim=0).tolist()
                for row, each in zip(scores, texts, strict=True)
            ]

    def _images(self, images: Sequence[bytes]) -> Any:
        pictures = [to_display_rgb(open_image(image)) for image in images]
        inputs = self._processor(images=pictures, return_tensors="pt").to(self._device)
        return _unit(self._model.get_image_features(**inputs))

    def _texts(self, texts: Sequence[str]) -> Any:
        # SigLIP was trained on texts of full length.
        padding: Any = "max_length" if "siglip" in self._model.config.model_type else True
        inputs = self._processor(text=list(texts), return_tensors="pt", padding=padding, truncation=True)
        return _unit(self._model.get_text_features(**inputs.to(self._device)))


class QuestionVerifier(_Verifier):
    """VQA model with single-word answers (ViLT …), yes and no among them; implements the same protocol.

    It is queried with "Is this a photo of a sleeping cat?" for each text, and its yes probabilities are normalised.
    """

    auto = "AutoModelForVisualQuestionAnswering"

    def __init__(self, model: str, **options: Any) -> None:
        super().__init__(model, **options)
        labels = {str(label).lower(): int(place) for label, place in self._model.config.label2id.items()}
        if not {"yes", "no"} <= labels.keys():
            raise VhbenchError(f"{model!r}: its answers must include yes and no, as those of ViLT do")
        self._places = [labels["yes"], labels["no"]]

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return, per image, the probability of each of its texts, given that one is correct."""
        queries = [(image, f"Is this {text}?") for image, each in zip(images, texts, strict=True) for text in each]
        yes = iter([value for part in batches(queries, self._batch) for value in self._yes(part)])
        groups = [[next(yes) for _ in each] for each in texts]
        return [[value / (sum(each) or 1) for value in each] for each in groups]  # all may be close to 0

    def _yes(self, queries: Sequence[tuple[bytes, str]]) -> list[float]:
        import torch

        pictures = [to_display_rgb(open_image(image)) for image, _ in queries]
        inputs = self._processor(
            images=pictures, text=[text for _, text in queries], return_tensors="pt", padding=True, truncation=True
        ).to(self._device)
        with torch.inference_mode():
            logits = self._model(**inputs).logits[:, self._places].float()
        return [float(value) for value in torch.softmax(logits, dim=1)[:, 0]]


def _unit(features: Any) -> Any:
    tensor = getattr(features, "pooler_output", features).float()  # transformers ≥ 5 returns an output object
    return tensor / tensor.norm(dim=1, keepdim=True)
