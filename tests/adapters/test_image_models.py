"""Text-to-image pipelines and zero-shot detectors: the real classes, tiny and randomly initialised."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from vhbench.adapters import detectors, text_to_image
from vhbench.adapters.detectors import ZeroShotDetector
from vhbench.adapters.text_to_image import DiffusersSource
from vhbench.builds.ode import OdeBuild
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.schema import ObjectSpec, Rejection, Row, Scene, SceneSpec, VhbenchError, VhbenchWarning

SPECS = [
    SceneSpec(
        f"case-{i}", (ObjectSpec("dog"),), prompt="a dog and a cat", negative_prompt="blurry", width=64, height=64
    )
    for i in range(3)
]
WORDS = ["dog", "fire hydrant", "cat"]


@pytest.fixture(scope="session")
def stable_diffusion(image_models: dict[str, Path]) -> DiffusersSource:
    return DiffusersSource(str(image_models["stable_diffusion"]), steps=2, batch=2)


def picture(size: tuple[int, int] = (96, 64)) -> bytes:
    file = io.BytesIO()
    Image.effect_noise(size, 60).convert("RGB").save(file, "PNG")
    return file.getvalue()


def test_images_have_their_own_seeds_whatever_the_batch(stable_diffusion: DiffusersSource) -> None:
    made = list(stable_diffusion.make(SPECS, seed=5))
    assert all(isinstance(scene, Scene) for scene in made)
    alone = list(stable_diffusion.make(SPECS[2:], seed=5))
    assert alone[0].provenance == made[2].provenance  # type: ignore[union-attr]
    assert _distance(alone[0], made[2]) <= 2  # batched kernels round differently
    assert len({scene.provenance["seed"] for scene in made}) == 3  # type: ignore[union-attr]
    other = list(stable_diffusion.make(SPECS[:1], seed=6))
    assert _distance(other[0], made[0]) > 2


def test_provenance_tells_how_an_image_was_made(stable_diffusion: DiffusersSource) -> None:
    scene = next(stable_diffusion.make(SPECS, seed=5))
    assert isinstance(scene, Scene)
    assert (scene.width, scene.height) == Image.open(io.BytesIO(scene.image)).size == (64, 64)  # type: ignore[arg-type]
    told = dict(scene.provenance)
    assert told.pop("seed") >= 0
    assert told == {
        "source": "diffusers:stable_diffusion",
        "pipeline": "StableDiffusionPipeline",
        "prompt": "a dog and a cat",
        "negative_prompt": "blurry",
        "family": "SD 1.5",
        "steps": 2,
        "guidance": 7.5,
        "max_sequence_length": None,
        "dtype": "float32",
    }
    assert scene.known == frozenset()


def test_negative_prompts_change_the_image(stable_diffusion: DiffusersSource) -> None:
    with_one, without = SPECS[0], SceneSpec(**{**_fields(SPECS[0]), "negative_prompt": "abc def ghi jkl mno"})
    made = [next(stable_diffusion.make([spec], seed=5)) for spec in (with_one, without)]
    assert made[0].image != made[1].image  # type: ignore[union-attr]


def test_out_of_memory_halves_the_batch_and_then_gives_advice(
    stable_diffusion: DiffusersSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    real, sizes = stable_diffusion._pipe, []

    def pipe(prompts: list[str], **options: Any) -> Any:
        sizes.append(len(prompts))
        if len(prompts) > room:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return real(prompts, **options)

    monkeypatch.setattr(stable_diffusion, "_pipe", pipe)
    monkeypatch.setattr(stable_diffusion, "_batch", 2)
    room = 1
    with pytest.warns(VhbenchWarning, match="out of GPU memory, batches of 1 from here"):
        assert len(list(stable_diffusion.make(SPECS, seed=1))) == 3
    assert sizes == [2, 1, 1, 1]
    room = 0
    with pytest.raises(VhbenchError, match="one image does not fit into GPU memory: try --offload model"):
        list(stable_diffusion.make(SPECS, seed=1))


def test_blanked_images_are_rejected(stable_diffusion: DiffusersSource, monkeypatch: pytest.MonkeyPatch) -> None:
    real = stable_diffusion._pipe

    def pipe(prompts: list[str], **options: Any) -> Any:
        made = real(prompts, **options)
        made.nsfw_content_detected = [True] * len(prompts)
        return made

    monkeypatch.setattr(stable_diffusion, "_pipe", pipe)
    rejection = next(stable_diffusion.make(SPECS, seed=1))
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "blanked by the safety checker"


@pytest.mark.parametrize("name", ["owlv2", "grounding_dino"])
def test_detectors_find_asked_words_inside_the_image(
    image_models: dict[str, Path], name: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(detectors, "LEAST_SCORE", 0.001)
    detector = ZeroShotDetector(str(image_models[name]))
    found = detector.detect([picture(), picture()], [WORDS, WORDS])
    assert len(found) == 2
    assert any(found)
    for detection in (d for each in found for d in each):
        x, y, width, height = detection.box
        assert detection.category in WORDS
        assert 0.001 < detection.score <= 1
        assert x >= 0 <= y
        assert x + width <= 96.01
        assert y + height <= 64.01
    assert [d.score for d in found[0]] == sorted((d.score for d in found[0]), reverse=True)


def test_a_detector_moves_what_it_looks_at_to_its_device(image_models: dict[str, Path], monkeypatch: Any) -> None:
    detector, seen = ZeroShotDetector(str(image_models["owlv2"])), set()

    def forward(**inputs: Any) -> None:
        seen.update(value.device.type for value in inputs.values())
        raise KeyboardInterrupt

    monkeypatch.setattr(detector, "_device", "meta")
    monkeypatch.setattr(detector, "_model", forward)
    with pytest.raises(KeyboardInterrupt):
        detector.detect([picture()], [WORDS])
    assert seen == {"meta"}


def test_many_words_are_asked_in_portions(image_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detectors, "LEAST_SCORE", 0.0)
    detector, asked = ZeroShotDetector(str(image_models["grounding_dino"])), []
    forward = detector._forward

    def spy(looks: list[tuple[bytes, list[str]]]) -> Any:
        asked.append([len(words) for _, words in looks])
        return forward(looks)

    monkeypatch.setattr(detector, "_forward", spy)
    words = [chr(97 + i) * 3 for i in range(25)]
    found = detector.detect([picture(), picture()], [words, words[:3]])
    assert asked == [[20, 5, 3]], "one batch"
    assert [{d.category for d in each} for each in found] == [set(words), set(words[:3])]


def test_a_phrase_scores_as_its_best_token() -> None:
    """Grounding DINO's own labels would join "dog" and "cat" here, since both tokens pass the threshold."""
    import torch

    detector = object.__new__(ZeroShotDetector)
    tokenizer = type("Tokenizer", (), {"convert_tokens_to_ids": staticmethod(lambda token: 4)})
    detector._processor = type("Processor", (), {"tokenizer": tokenizer})
    probabilities = torch.tensor([[[0.0, 0.9, 0.0, 0.2, 0.7, 0.0, 0.0]]])
    outputs = type(
        "O", (), {"logits": torch.logit(probabilities), "pred_boxes": torch.tensor([[[0.5, 0.5, 1.0, 0.5]]])}
    )
    tokens = torch.tensor([[101, 10, 4, 11, 12, 4, 102]])  # [CLS] dog . fire hydrant . [SEP]
    found = detector._grounded(outputs, tokens, [["dog", "fire hydrant"]], [(64, 96)])
    assert [(d.category, round(d.score, 3), d.box) for d in found[0]] == [
        ("dog", 0.9, (0.0, 16.0, 96.0, 32.0)),
        ("fire hydrant", 0.7, (0.0, 16.0, 96.0, 32.0)),
    ]


def test_bad_options_and_models_are_named(tmp_path: Path) -> None:
    for options, message in (
        ({"dtype": "int8"}, "--dtype: expected one of auto, float32, float16, bfloat16"),
        ({"offload": "disk"}, "--offload: expected one of none, model, sequential"),
        ({"batch": 0}, "batch 0, steps None: must both be at least 1"),
    ):
        with pytest.raises(VhbenchError, match=message):
            DiffusersSource("x", **options)  # type: ignore[arg-type]
    with pytest.raises(VhbenchError, match="cannot load the text-to-image model"):
        DiffusersSource(str(tmp_path))
    with pytest.raises(VhbenchError, match="cannot load the zero-shot detector"):
        ZeroShotDetector(str(tmp_path))


def build_of(image_models: dict[str, Path], pipeline: str, detector: str, **options: Any) -> OdeBuild:
    return OdeBuild(
        pairs=1,
        images=f"diffusers:{image_models[pipeline]}",
        detector=str(image_models[detector]),
        criteria=("fictional",),
        size=64,
        retries=1,
        reserve=2,
        steps=1,
        **options,
    )


def test_a_whole_build_with_stable_diffusion_and_a_detector(image_models: dict[str, Path]) -> None:
    """Random weights find random things: with thresholds of nearly 0 cases are kept, and their truth is used."""
    build = build_of(
        image_models,
        "stable_diffusion",
        "grounding_dino",
        keep=0.0001,
        absent=0.0001,
        thresholds=DetectionThresholds(environment=0, environment_share=0),
    )
    items = [item for shard in range(build.shards) for item in build.make(shard)]
    scenes = {item.id: item for item in items if isinstance(item, Scene)}
    rows = [item for item in items if isinstance(item, Row)]
    assert {row.config for row in rows} >= {"ode_fictional_caption"}
    for row in rows:
        scene = scenes[row.question.scene_ids[0]]
        assert set(row.question.objects) == scene.categories()
        assert scene.provenance["scores"]
    config = build.config
    assert str(config["images"]) == "diffusers:stable_diffusion"
    assert "/" not in config["detector"]


def test_what_no_detector_confirms_is_rejected_with_scores(image_models: dict[str, Path]) -> None:
    build = build_of(image_models, "flux", "owlv2", keep=1.0, absent=1.0)
    items = [item for shard in range(build.shards) for item in build.make(shard)]
    assert {type(item) for item in items} == {Rejection}
    told = [item for item in items if item.reason == "target not detected"]  # type: ignore[union-attr]
    assert {item.detail["attempt"] for item in told} == {0, 1}  # type: ignore[union-attr]
    assert all(item.detail["scores"] for item in told)  # type: ignore[union-attr]
    assert items[-1].reason == "no pair left"  # type: ignore[union-attr]


def _distance(first: Any, second: Any) -> int:
    import numpy as np

    a, b = (np.asarray(Image.open(io.BytesIO(scene.image)), dtype=int) for scene in (first, second))
    return int(np.abs(a - b).max())


def _fields(spec: SceneSpec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in SceneSpec.__dataclass_fields__}


def test_png_and_seeds_are_pure() -> None:
    assert text_to_image._seed(1, SPECS[0]) == text_to_image._seed(1, SPECS[0]) != text_to_image._seed(2, SPECS[0])
