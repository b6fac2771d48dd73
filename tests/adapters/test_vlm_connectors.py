"""Every vision-language class that can be attacked, as a tiny random model, is attacked in what its forward sees.

The table of all classes, with those that are refused and why, is in docs/attacks.md; tests/by_hand/vlm_coverage.py
writes it.
"""

import io
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import any_vlm
import numpy as np
import pytest
import torch
from PIL import Image

from vhbench.adapters import vlm_connectors
from vhbench.adapters.attack_config import AttackConfig
from vhbench.adapters.attacks import AttackCase, AttackResult, attack
from vhbench.adapters.vlms import TransformersVLM, load_vlm
from vhbench.schema import VhbenchError

SHOWN = (
    "internvl", "aya_vision", "llava", "llava_next", "llava_onevision", "qwen2_5_vl", "qwen3_vl", "gemma3", "smolvlm",
    "idefics3",
)  # fmt: skip
DOCS = Path(__file__).resolve().parents[2] / "docs" / "attacks.md"
WORKS = re.findall(r"^\| `([a-z][\w.-]*)` \| -?\d", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
BY_HAND = {
    "gemma3n", "perception_lm",  # on timm, which takes seven seconds to load
    "glm46v", "glmga",  # glm4v's code, as the figures in the table show
    "llava_next_video",  # llava_next's
    "minicpmv4_7",  # minicpmv4_6's
    "pp_chart2table",  # got_ocr2's
    "qianfan_ocr",  # internvl's
    "shieldgemma2",  # gemma3's
}  # fmt: skip
"""Tried by tests/by_hand/vlm_coverage.py alone: what is the same as another class, or slow to load."""
ALSO = [name for name in WORKS if name not in {*SHOWN, *BY_HAND}]


def test_the_table_in_docs_lists_them() -> None:
    assert set(SHOWN) | BY_HAND < set(WORKS)
    assert not set(SHOWN) & BY_HAND
    assert len(WORKS) == len(set(WORKS))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a tiny model of a type, saved as a repository would be."""
    folders: dict[str, Path] = {}

    def folder(model_type: str) -> Path:
        if model_type not in folders:
            folders[model_type] = any_vlm.save(model_type, tmp_path_factory.mktemp(model_type))
        return folders[model_type]

    return folder


@pytest.mark.parametrize("model_type", SHOWN)
def test_pgd_and_ifgsm_move_a_photo_and_report_what_the_model_sees(
    model_type: str, saved: Callable[[str], Path]
) -> None:
    from transformers import AutoProcessor

    photo = any_vlm.photo(160, 107)
    assert photo.shape == (107, 160, 3)
    folder = str(saved(model_type))
    vlm = load_vlm(folder, device="cpu")
    processor, prompt = AutoProcessor.from_pretrained(folder), vlm._prompt(vlm.instruction)
    clean = any_vlm.own_features(vlm.model, processor, Image.fromarray(photo), prompt)
    for method in ("pgd", "ifgsm"):
        config = AttackConfig(method=method, steps_apart=2)  # type: ignore[arg-type]
        (result,) = attack([AttackCase("a", photo, "apart")], model=vlm, config=config)
        assert isinstance(result, AttackResult)
        picture = Image.open(io.BytesIO(result.png))
        seen = any_vlm.own_features(vlm.model, processor, picture, prompt)
        assert result.saved == pytest.approx(torch.cosine_similarity(seen, clean, dim=1).mean().item(), abs=1e-5)
        assert result.achieved, f"{method}: {result.before:.5f} → {result.saved:.5f}"
        assert 1 < np.abs(np.asarray(picture).astype(int) - photo).max() == result.linf <= 8


@pytest.mark.parametrize("model_type", ALSO)
def test_other_classes_see_a_picture_as_their_forward_pass_does(model_type: str) -> None:
    model, processor = any_vlm.build(model_type)
    vlm = TransformersVLM(model, processor, name=model_type)
    levels = torch.from_numpy(any_vlm.photo(160, 120)).permute(2, 0, 1)[None]
    x = (levels / 255).requires_grad_()
    seen, soft = vlm.features(levels), vlm.features(x)
    assert soft.shape == seen.shape
    assert torch.cosine_similarity(soft, seen, dim=2).mean() > 0.999, "floats are seen as the picture is"
    (gradient,) = torch.autograd.grad(soft.square().sum(), x)
    assert (gradient != 0).float().mean() > 0.5
    two = torch.cat([levels, levels.flip(3)])
    torch.testing.assert_close(vlm.features(two)[0], seen[0], atol=1e-4, rtol=1e-4)


def test_tiles_that_the_processor_makes_are_seen(saved: Callable[[str], Path]) -> None:
    """InternVL's image processor alone gives one tile, its processor several: the attack must see all of them."""
    vlm = load_vlm(str(saved("internvl")), device="cpu")
    levels = torch.from_numpy(any_vlm.photo(160, 120)).permute(2, 0, 1)[None]
    alone = vlm.image_processor(list(levels), return_tensors="pt")["pixel_values"]
    assert vlm._inputs(levels)["pixel_values"].shape[0] > alone.shape[0] == 1


def test_nothing_of_the_model_is_left_changed() -> None:
    for model_type in ("llava", "mllama"):
        model, processor = any_vlm.build(model_type)
        vlm = TransformersVLM(model, processor, name=model_type)
        hooks = [len(part._forward_hooks) for part in model.modules()]  # transformers sets its own in the first pass
        vlm.features(torch.zeros((1, 3, 64, 64), dtype=torch.uint8))
        assert not any("get_image_features" in vars(part) for part in model.modules())
        assert [len(part._forward_hooks) for part in model.modules()] == hooks


@pytest.mark.parametrize(
    ("model_type", "reason"),
    [
        ("video_llava", "VideoLlavaImageProcessor or its encoder lets no gradient through"),
        ("udop", "has no get_image_features"),
    ],
)
def test_what_cannot_be_attacked_is_refused_in_one_line(model_type: str, reason: str) -> None:
    model, processor = any_vlm.build(model_type)
    with pytest.raises(VhbenchError, match=reason) as refused:
        TransformersVLM(model, processor, name=model_type)
    assert "\n" not in str(refused.value)


def test_a_package_that_a_processor_misses_is_told_in_one_line(
    saved: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers.models.smolvlm import processing_smolvlm

    folder = str(saved("smolvlm"))
    monkeypatch.setattr(processing_smolvlm, "num2words", None)
    with pytest.raises(VhbenchError, match=r"cannot load the processor of model .*num2words") as refused:
        load_vlm(folder, device="cpu")
    assert "\n" not in str(refused.value)


def test_errors_of_a_processor_are_one_line() -> None:
    model, processor = any_vlm.build("llava")

    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("first\nsecond")

    vlm = TransformersVLM(model, processor, name="llava")
    vlm.processor = broken
    vlm._prompt = lambda question: question  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"the processor of llava fails: KeyError: 'first") as error:
        vlm.features(torch.zeros((1, 3, 64, 64), dtype=torch.uint8))
    assert "\n" not in str(error.value)


def test_a_part_of_a_model_is_found_by_its_path() -> None:
    model = SimpleNamespace(vision=SimpleNamespace(last=3))
    found = [vlm_connectors._module(model, path) for path in ("vision.last", "vision", "vision.none", "none.last", "")]
    assert found == [3, model.vision, None, None, None]


def test_a_forward_pass_that_requests_no_image_features_is_named() -> None:
    with pytest.raises(ValueError, match=r"^its forward pass requests no image features$"):
        vlm_connectors._reached(lambda **inputs: inputs, {"x": 1})
    assert vlm_connectors._reached(vlm_connectors._stopping(lambda x: x + 1), {"x": 1}) == 2


def test_outputs_are_collected_up_to_the_end_of_another_module() -> None:
    first, last, unreached = torch.nn.Identity(), torch.nn.Identity(), torch.nn.Identity()

    def model(x: Any) -> Any:
        y = first(first(x) + 1)
        return unreached(last(y))

    assert vlm_connectors._outputs_of(first, last, model, {"x": torch.tensor(1)}) == [1, 2]
    assert not first._forward_hooks
    assert not last._forward_hooks
