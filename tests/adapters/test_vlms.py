"""The white-box adapter: one for every family, on tiny models that were saved as a repository would be."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from vhbench.adapters.vlms import TransformersVLM, load_vlm
from vhbench.schema import VhbenchError

FAMILIES = ("llava", "llava_next", "llava_onevision", "instructblip", "qwen2_vl")


@pytest.fixture(scope="session")
def vlm(tiny_vlm: Callable[[str], Path]) -> Callable[[str], TransformersVLM]:
    loaded: dict[str, TransformersVLM] = {}
    return lambda family: loaded.setdefault(family, load_vlm(str(tiny_vlm(family)), device="cpu"))


def noise(batch: int, height: int = 40, width: int = 56) -> torch.Tensor:
    return torch.rand((batch, 3, height, width), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("family", FAMILIES)
def test_features_are_differentiable_down_to_every_pixel(family: str, vlm: Callable[[str], TransformersVLM]) -> None:
    x = noise(2).requires_grad_()
    features = vlm(family).features(x)
    assert features.dtype == torch.float32
    assert features.shape[0] == 2
    assert features.shape[2] == 32, "the connector's output, of the language model's width"
    (gradient,) = torch.autograd.grad(features.square().sum(), x)
    assert (gradient != 0).float().mean() > 0.99


@pytest.mark.parametrize("family", FAMILIES)
def test_images_of_a_batch_do_not_mix(family: str, vlm: Callable[[str], TransformersVLM]) -> None:
    model, x = vlm(family), noise(3)
    together = model.features(x)
    for i in range(3):
        torch.testing.assert_close(model.features(x[i : i + 1])[0], together[i], atol=1e-4, rtol=1e-4)
    y = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(model.features(y)[1].sum(), y)
    assert gradient[1].abs().sum() > 0
    assert gradient[[0, 2]].abs().sum() == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_levels_take_the_path_of_an_evaluation(family: str, vlm: Callable[[str], TransformersVLM]) -> None:
    """Features of uint8 pixels are those of the model's own processor on the picture."""
    model = vlm(family)
    pixels = (noise(1) * 255).round().to(torch.uint8)
    picture = Image.fromarray(pixels[0].permute(1, 2, 0).numpy())
    inputs = dict(model.image_processor(picture, return_tensors="pt"))
    if family == "instructblip":
        text = model.processor.qformer_tokenizer(["Describe the image."], return_tensors="pt")
        inputs |= {"qformer_input_ids": text.input_ids, "qformer_attention_mask": text.attention_mask}
    expected = model.model.get_image_features(**inputs).pooler_output
    torch.testing.assert_close(model.features(pixels)[0], torch.cat(list(expected)).reshape(-1, 32))


def test_instructblip_is_attacked_through_its_q_former(vlm: Callable[[str], TransformersVLM]) -> None:
    model = vlm("instructblip")
    assert model.features(noise(2)).shape == (2, 4, 32), "four query tokens, not the patches"
    seen = []
    handle = model.model.qformer.register_forward_hook(lambda *_: seen.append(1))
    model.features(noise(1))
    handle.remove()
    assert seen == [1]


def test_qwen2_vl_follows_the_size_of_the_image(vlm: Callable[[str], TransformersVLM]) -> None:
    model = vlm("qwen2_vl")
    assert [model.features(noise(1, *size)).shape[1] for size in ((28, 28), (28, 56), (56, 56))] == [1, 2, 4]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_answers_without_repeating_the_question(
    family: str, vlm: Callable[[str], TransformersVLM]
) -> None:
    buffer = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 56), dtype=np.uint8)).save(buffer, format="PNG")
    question = "is there a dog in the image ?"
    answers = vlm(family).answer([buffer.getvalue()] * 2, [question] * 2, length=4)
    assert answers[0] == answers[1]
    assert all(len(answer.split()) <= 4 and question not in answer for answer in answers)


def test_the_fingerprint_tells_models_apart_and_nothing_else(tiny_vlm: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tiny_vlm("llava")
    first, copy = (load_vlm(str(path), device="cpu") for path in (folder, shutil.copytree(folder, tmp_path / "copy")))
    assert first.fingerprint == copy.fingerprint, "where it lies does not matter"
    assert first.fingerprint != load_vlm(str(folder), device="cpu", dtype="bfloat16").fingerprint
    copy.model.get_input_embeddings().weight[0, 0] += 1
    assert first.fingerprint != TransformersVLM(copy.model, copy.processor, name="x").fingerprint


def test_bfloat16_keeps_pixels_and_similarities_in_float32(tiny_vlm: Callable[[str], Path]) -> None:
    model = load_vlm(str(tiny_vlm("qwen2_vl")), device="cpu", dtype="bfloat16")
    x = noise(1).requires_grad_()
    features = model.features(x)
    assert (model.model.dtype, features.dtype) == (torch.bfloat16, torch.float32)
    (gradient,) = torch.autograd.grad(features.sum(), x)
    assert gradient.dtype == torch.float32


def test_a_model_without_image_features_is_named(tmp_path: Path) -> None:
    from transformers import CLIPImageProcessor, LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(vocab_size=8, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1)
    LlamaForCausalLM(config).save_pretrained(tmp_path)
    CLIPImageProcessor().save_pretrained(tmp_path)
    with pytest.raises(VhbenchError, match="has no get_image_features: a white-box attack needs"):
        load_vlm(str(tmp_path), device="cpu")


def test_an_image_processor_without_gradients_is_named(tiny_vlm: Callable[[str], Path]) -> None:
    from transformers import AutoProcessor

    folder = str(tiny_vlm("llava"))
    model: Any = load_vlm(folder, device="cpu").model
    processor = AutoProcessor.from_pretrained(folder, backend="pil")
    with pytest.raises(VhbenchError, match=r"image processor \w+Pil is not differentiable"):
        TransformersVLM(model, processor, name="llava")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("no-such/model", {}, "cannot load model no-such/model"),
        ("folder", {}, "cannot load model"),
        ("folder", {"dtype": "int4"}, "--dtype: expected one of auto, float32, float16, bfloat16"),
    ],
)
def test_models_that_cannot_be_loaded_are_named(
    name: str, options: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(VhbenchError, match=message):
        load_vlm(str(tmp_path) if name == "folder" else name, device="cpu", **options)
