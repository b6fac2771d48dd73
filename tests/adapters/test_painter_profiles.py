"""Each family of text-to-image models is run as its authors intend, and what is recorded is what the pipeline got."""

import io
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
from PIL import Image
from tiny_painters import FAMILIES, stable_diffusion, stable_diffusion_xl

from vhbench.adapters import painter_profiles, text_to_image
from vhbench.adapters.text_to_image import DiffusersSource
from vhbench.schema import ObjectSpec, Scene, SceneSpec, VhbenchError, VhbenchWarning

SPEC = SceneSpec("case", (ObjectSpec("dog"),), prompt="a dog", negative_prompt="blurry", width=64, height=64)
EXPECTED = {  # family → steps, guidance parameter, guidance, negative prompt, text length
    "FLUX.1-dev": (50, "guidance_scale", 3.5, None, 128),
    "FLUX.1-schnell": (4, "", None, None, 128),
    "SD-Turbo": (1, "guidance_scale", 0.0, None, None),
    "SD 1.5": (50, "guidance_scale", 7.5, "blurry", None),
    "SDXL": (50, "guidance_scale", 5.0, "blurry", None),
    "SDXL-Turbo": (1, "guidance_scale", 0.0, None, None),
    "SD 3.5-Turbo": (4, "guidance_scale", 0.0, None, 128),
    "SD 3": (28, "guidance_scale", 7.0, "blurry", 128),
    "SD 3.5 medium": (40, "guidance_scale", 4.5, "blurry", 128),
    "SD 3.5": (28, "guidance_scale", 3.5, "blurry", 128),
    "Qwen-Image": (50, "true_cfg_scale", 4.0, " ", None),
    "Sana": (20, "guidance_scale", 4.5, "blurry", 128),
    "PixArt": (20, "guidance_scale", 4.5, "blurry", None),
}


def test_every_family_of_the_table_is_tried() -> None:
    assert {profile.family for profile in painter_profiles.PROFILES} == FAMILIES.keys() == EXPECTED.keys()


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_recorded_is_what_the_pipeline_got(
    family: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import diffusers

    pipe = FAMILIES[family]()
    pipe.set_progress_bar_config(disable=True)
    real, calls = type(pipe).__call__, list[dict[str, Any]]()

    @wraps(real)
    def spy(self: Any, prompts: list[str], **options: Any) -> Any:
        calls.append(options)
        steps = min(options["num_inference_steps"], 1)
        return real(self, prompts, **{**options, "num_inference_steps": steps})

    monkeypatch.setattr(type(pipe), "__call__", spy)
    monkeypatch.setattr(text_to_image, "_load", lambda *options: (pipe, "float32"))
    diffusers.utils.logging.enable_propagation()
    with caplog.at_level(logging.WARNING):
        scene = next(DiffusersSource(family).make([SPEC], seed=1))
    assert isinstance(scene, Scene)
    assert not [text for text in caplog.messages if "guidance" in text or "negative" in text]
    [call] = calls
    steps, scale, guidance, negative, length = EXPECTED[family]
    told = {name: scene.provenance[name] for name in ("family", "steps", "guidance", "negative_prompt")}
    assert told == {"family": family, "steps": steps, "guidance": guidance, "negative_prompt": negative or ""}
    assert call["num_inference_steps"] == steps
    assert {name: call[name] for name in ("guidance_scale", "true_cfg_scale") if name in call} == (
        {scale: guidance} if scale else {}
    )
    assert call.get("negative_prompt") == ([negative] if negative else None)
    assert call.get("max_sequence_length") == scene.provenance["max_sequence_length"] == length
    assert (scene.width, scene.height) == Image.open(io.BytesIO(scene.image)).size  # type: ignore[arg-type]


def test_the_size_is_that_of_the_authors_unless_given() -> None:
    assert (
        painter_profiles.settings(FAMILIES["SD 1.5"](), None, None).size == 8 * 2
    )  # sample size × autoencoder's factor
    assert painter_profiles.settings(FAMILIES["Qwen-Image"](), None, None).size == 1328


def test_guidance_that_has_no_effect_is_named_and_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_to_image, "_load", lambda *options: (FAMILIES["FLUX.1-schnell"](), "float32"))
    with pytest.warns(VhbenchWarning, match=r"--guidance 7: diffusers:x \(FLUX.1-schnell\) has no guidance; left out"):
        assert DiffusersSource("x", guidance=7).settings.guidance is None
    off = painter_profiles.settings(FAMILIES["SD 1.5"](), None, 0.0)
    assert "negative_prompt" not in off.options(["blurry"])


@pytest.mark.parametrize(
    ("make", "name", "family"),
    [
        (stable_diffusion, "me/zero-snr", "SD 1.5"),
        (stable_diffusion_xl, "me/SDXL-Lightning", "SDXL"),
        (stable_diffusion, "/models/SD-Turbo", "SD-Turbo"),
    ],
)
def test_a_trailing_scheduler_alone_makes_no_turbo(make: Callable[..., Any], name: str, family: str) -> None:
    assert painter_profiles.settings(make(name, trailing=True), None, None).family == family


def test_a_pipeline_of_several_stages_is_refused_in_one_line() -> None:
    class WuerstchenCombinedPipeline:
        def __call__(self, prompt: str, guidance_scale: float = 4.0) -> None: ...

    expected = r"WuerstchenCombinedPipeline: expected a pipeline with one denoiser \(transformer or unet\), got none"
    with pytest.raises(VhbenchError, match=expected):
        painter_profiles.settings(WuerstchenCombinedPipeline(), None, None)
