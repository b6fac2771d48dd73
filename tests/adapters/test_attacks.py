"""The attack, on a toy model whose gradient is known by hand and on tiny models of five families."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from vhbench.adapters.attack_config import AttackConfig, Direction
from vhbench.adapters.attack_updates import evened, project
from vhbench.adapters.attacks import (
    AttackCase,
    AttackResult,
    _matched_noise,
    attack,
    objective_of,
    similarity,
    start,
    to_levels,
)
from vhbench.adapters.vlms import TransformersVLM, load_vlm
from vhbench.schema import Rejection, VhbenchError
from vhbench.seeding import rng

FAMILIES = ("llava", "llava_next", "llava_onevision", "instructblip", "qwen2_vl")
QUICK = AttackConfig(steps_apart=6, steps_similar=6, batch_size=4, draws=0)


@dataclass
class Toy:
    """Two tokens: the channel means of the left and of the right half. Counts how often it is asked."""

    name: str = "toy"
    fingerprint: str = "toy-1"
    device: str = "cpu"
    reference_axis: Literal["tokens", "features"] = "tokens"
    calls: list[tuple[bool, int]] = field(default_factory=list)

    def features(self, pixels: torch.Tensor) -> torch.Tensor:
        self.calls.append((pixels.requires_grad, len(pixels)))
        x = pixels / 255 if pixels.dtype == torch.uint8 else pixels
        left, right = x.chunk(2, dim=3)
        return torch.stack([left.mean(dim=(2, 3)), right.mean(dim=(2, 3))], dim=1)


def photo(seed: int, size: tuple[int, int] = (32, 40)) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(seed).integers(0, 256, (*size, 3), dtype=np.uint8)


def cases(n: int, direction: Direction, **kwargs: Any) -> list[AttackCase]:
    return [AttackCase(id=f"{direction}{i}", image=photo(i, **kwargs), direction=direction) for i in range(n)]


def good(results: list[AttackResult | Rejection]) -> list[AttackResult]:
    assert all(isinstance(result, AttackResult) for result in results), results
    return [result for result in results if isinstance(result, AttackResult)]


def decode(png: bytes) -> np.ndarray[Any, np.dtype[np.int16]]:
    return np.asarray(Image.open(io.BytesIO(png))).astype(np.int16)


@pytest.fixture(scope="session")
def vlm(tiny_vlm: Callable[[str], Path]) -> Callable[[str], TransformersVLM]:
    loaded: dict[str, TransformersVLM] = {}
    return lambda family: loaded.setdefault(family, load_vlm(str(tiny_vlm(family)), device="cpu"))


@pytest.mark.parametrize("method", ["ifgsm", "pgd"])
@pytest.mark.parametrize("family", FAMILIES)
def test_right_cases_lose_similarity_with_every_step_in_the_mean(
    family: str, method: Literal["ifgsm", "pgd"], vlm: Callable[[str], TransformersVLM]
) -> None:
    todo = cases(4, "apart")
    results = good(attack(todo, model=vlm(family), config=replace(QUICK, method=method)))
    curve = np.mean([[*result.trace, result.after] for result in results], axis=0)
    assert (np.diff(curve) < 0).all(), curve
    for case, result in zip(todo, results, strict=True):
        assert np.abs(decode(result.png) - case.image).max() == result.linf <= 8
    assert np.mean([result.saved for result in results]) < np.mean([result.before for result in results])


@pytest.mark.parametrize(("method", "step_size"), [("ifgsm", 0.05 / 255), ("pgd", 0.05 / 255)])
@pytest.mark.parametrize("family", FAMILIES)
def test_failing_cases_gain_similarity_with_every_step_in_the_mean(
    family: str, method: Literal["ifgsm", "pgd"], step_size: float, vlm: Callable[[str], TransformersVLM]
) -> None:
    # They start close to the maximum: so small a model needs small steps, larger ones jump over it.
    config = replace(QUICK, method=method, step_size=step_size)
    todo = cases(4, "similar")
    results = good(attack(todo, model=vlm(family), config=config))
    curve = np.mean([[*result.trace, result.after] for result in results], axis=0)
    assert (np.diff(curve) > 0).all(), curve
    for case, result in zip(todo, results, strict=True):
        assert np.abs(decode(result.png) - case.image).max() == result.linf <= 8


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_that_overshoot_do_not_count(family: str, vlm: Callable[[str], TransformersVLM]) -> None:
    config = replace(QUICK, method="pgd", step_size=4.0)
    for result in good(attack(cases(4, "similar"), model=vlm(family), config=config)):
        assert result.after >= max(result.trace) - 1e-6


@pytest.mark.parametrize("family", FAMILIES)
def test_equal_seeds_give_equal_bytes_and_another_seed_others(
    family: str, vlm: Callable[[str], TransformersVLM]
) -> None:
    config = replace(QUICK, steps_apart=2)
    first, again, other = (
        [result.png for result in good(attack(cases(2, "apart"), model=vlm(family), config=config, seed=seed))]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_saved_similarity_is_that_of_the_png_as_a_model_reads_it(vlm: Callable[[str], TransformersVLM]) -> None:
    model, (case,) = vlm("llava"), cases(1, "apart")
    (result,) = good(attack([case], model=model, config=QUICK))
    pictures = [torch.from_numpy(image.astype(np.uint8)).permute(2, 0, 1) for image in (decode(result.png), case.image)]
    attacked, original = model.features(torch.stack(pictures))
    assert result.saved == pytest.approx(torch.cosine_similarity(attacked, original, dim=1).mean().item(), abs=1e-6)


def test_ifgsm_moves_every_value_along_the_sign_of_its_gradient() -> None:
    # One colour per half, left (1, 0, 0), right (0, 1, 0). Turning a mean away from its axis means more of the other
    # channels: there the cosine falls fastest; along its own axis it does not change at the original.
    image = np.zeros((8, 8, 3), dtype=np.uint8)
    image[:, :4, 0] = image[:, 4:, 1] = 255
    config = AttackConfig(steps_apart=8, step_size=1 / 255)
    (result,) = good(attack([AttackCase("a", image, "apart")], model=Toy(), config=config))
    change = decode(result.png) - image
    assert (change[:, :4, 1:] >= 7).all()
    assert (change[:, 4:, [0, 2]] >= 7).all()
    assert result.after < result.before < 1


@given(
    image=hnp.arrays(np.uint8, (8, 9, 3)),
    noise=hnp.arrays(np.float32, (3, 8, 9), elements=st.floats(-1, 1, width=32)),
    epsilon=st.floats(1 / 255, 0.2),
)
@settings(max_examples=50)
def test_epsilon_holds_in_whole_grey_levels(
    image: np.ndarray[Any, np.dtype[np.uint8]], noise: np.ndarray[Any, np.dtype[np.float32]], epsilon: float
) -> None:
    clean = torch.from_numpy(image).permute(2, 0, 1)[None] / 255
    x = project(clean + torch.from_numpy(noise), clean, epsilon=epsilon)
    assert 0 <= x.min() <= x.max() <= 1
    (levels,) = to_levels(x, [image], epsilon=epsilon, compat=False)
    assert np.abs(levels.astype(int) - image).max() <= epsilon * 255 + 1e-6


def test_compat_truncates_as_the_released_code_does() -> None:
    image = np.full((8, 8, 3), 100, dtype=np.uint8)
    x = torch.full((1, 3, 8, 8), 100 / 255 - 8 / 255 + 1e-7 - 0.2 / 255)
    assert to_levels(x, [image], epsilon=8 / 255, compat=False)[0][0, 0, 0] == 92
    assert to_levels(x, [image], epsilon=8 / 255, compat=True)[0][0, 0, 0] == 91


def test_start_is_five_levels_away_for_failing_cases_and_a_nudge_for_right_ones() -> None:
    image = np.full((8, 8, 3), 100, dtype=np.uint8)
    for direction, compat, levels in (
        ("similar", False, {95, 105}),
        ("similar", True, {95, 105}),
        ("apart", False, {99, 101}),
        ("apart", True, {100}),
    ):
        x = start(image, direction, generator=np.random.default_rng(0), config=AttackConfig(compat=compat))
        assert set((x * 255).round().int().unique().tolist()) == levels


def test_similarity_is_taken_over_features_and_over_tokens_under_compat() -> None:
    features = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]])
    reference = torch.tensor([[[1.0, 1.0], [0.0, 1.0]]])
    # Features: tokens (1,0)·(1,1) = 1/√2 and (0,2)·(0,1) = 1. Tokens: channels (1,0)·(1,0) = 1 and (0,2)·(1,1) = 1/√2.
    assert similarity(features, reference, model=Toy(), config=AttackConfig()).item() == pytest.approx(
        (1 + 0.5**0.5) / 2
    )
    reference[0, 0, 1] = 0
    features[0, 1, 0] = 2
    # Features: 1 and (2,2)·(0,1) = 1/√2. Tokens: (1,2)·(1,0) = 1/√5 and (0,2)·(0,1) = 1.
    over_tokens = similarity(features, reference, model=Toy(), config=AttackConfig(compat=True)).item()
    assert over_tokens == pytest.approx((1 + 0.2**0.5) / 2)
    any_resolution = Toy(reference_axis="features")
    over_features = similarity(features, reference, model=any_resolution, config=AttackConfig(compat=True)).item()
    assert over_features == pytest.approx((1 + 0.5**0.5) / 2)


def test_cosine_schedule_goes_from_the_step_size_to_a_ten_thousandth() -> None:
    config = AttackConfig(schedule="cosine")
    assert config.rate(0, "apart") == pytest.approx(0.5 / 255)
    assert config.rate(250, "apart") == pytest.approx((0.5 / 255 + 1e-4) / 2)
    assert config.rate(500, "apart") == pytest.approx(1e-4)
    assert config.rate(50, "similar") == pytest.approx((0.5 / 255 + 1e-4) / 2)
    # The released code stops a failing case at step 100 of a schedule of 500.
    assert replace(config, compat=True).rate(100, "similar") == pytest.approx(config.rate(100, "apart"))
    assert (config.steps("apart"), config.steps("similar")) == (500, 100)
    assert replace(config, compat=True).steps("apart") == 499


def test_the_original_is_embedded_once_and_cases_of_one_image_are_attacked_once() -> None:
    model, (case,) = Toy(), cases(1, "apart")
    twins = [case, replace(case, id="twin"), replace(case, id="other", direction="similar")]
    results = good(attack(twins, model=model, config=QUICK))
    assert [result.id for result in results] == ["apart0", "twin", "other"]
    assert results[0].png == results[1].png != results[2].png
    with_gradient = [n for differentiable, n in model.calls if differentiable]
    without = [n for differentiable, n in model.calls if not differentiable]
    assert with_gradient == [1] * (2 * 6)
    assert without == [1] * (2 * 3), "per direction: the original, the end, the PNG"


def test_images_of_several_sizes_come_back_in_order() -> None:
    todo = [case for size in ((16, 16), (16, 24)) for case in cases(3, "apart", size=size)]
    todo = [replace(case, id=str(i)) for i, case in enumerate(todo)][::-1]
    results = good(attack(todo, model=Toy(), config=replace(QUICK, batch_size=2)))
    assert [result.id for result in results] == ["5", "4", "3", "2", "1", "0"]
    assert [decode(r.png).shape for r in results] == [c.image.shape for c in todo]


def test_an_attack_resumes_where_it_was_interrupted(tmp_path: Path) -> None:
    todo = cases(4, "apart")
    config = replace(QUICK, batch_size=2)
    whole = attack(todo, model=Toy(), config=config)

    class Interrupted(Toy):
        def features(self, pixels: torch.Tensor) -> torch.Tensor:
            if len(self.calls) > 10:
                raise KeyboardInterrupt
            return super().features(pixels)

    with pytest.raises(KeyboardInterrupt):
        attack(todo, model=Interrupted(), config=config, cache=tmp_path)
    second = Toy()
    assert attack(todo, model=second, config=config, cache=tmp_path) == whole
    assert len(second.calls) == 9, "the first batch was there already"
    third = Toy()
    assert attack(todo, model=third, config=config, cache=tmp_path) == whole
    assert third.calls == []
    for changed in (
        {"seed": 1},
        {"config": replace(config, epsilon=4 / 255)},
        {"model": replace(third, fingerprint="2")},
    ):
        fresh = Toy() if "model" not in changed else changed["model"]
        attack(todo, **{"model": fresh, "config": config, "cache": tmp_path, **changed})
        assert fresh.calls, f"{changed} is not what was kept"


def test_a_damaged_file_in_the_cache_is_made_again(tmp_path: Path) -> None:
    (before,) = good(attack(cases(1, "apart"), model=Toy(), config=QUICK, cache=tmp_path))
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    file.write_bytes(file.read_bytes()[:-20])
    (after,) = good(attack(cases(1, "apart"), model=Toy(), config=QUICK, cache=tmp_path))
    assert after == before


def test_nan_gradients_reject_their_image_and_no_other() -> None:
    class Broken(Toy):
        def features(self, pixels: torch.Tensor) -> torch.Tensor:
            # The gradient of a root at 0 is not finite.
            images = super().features(pixels).split(1)
            return torch.cat([(image * 0).sqrt() if image.mean() < 0.4 else image for image in images])

    dark = AttackCase("dark", np.full((32, 40, 3), 90, dtype=np.uint8), "apart")
    (fine,) = cases(1, "apart")
    rejected, kept = attack([dark, fine], model=Broken(), config=QUICK)
    assert isinstance(rejected, Rejection)
    assert (rejected.item, rejected.reason) == ("dark", "nan_gradient")
    assert isinstance(kept, AttackResult)
    assert kept.after < kept.before


def test_images_that_no_model_can_read_are_rejected_with_a_reason(vlm: Callable[[str], TransformersVLM]) -> None:
    (strip,) = attack([AttackCase("strip", photo(0, (8, 2000)), "similar")], model=vlm("qwen2_vl"), config=QUICK)
    assert isinstance(strip, Rejection)
    assert (strip.item, strip.reason) == ("strip", "unprocessable_image")
    assert "aspect ratio" in strip.detail["error"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "cw"}, "attack method: expected one of ifgsm, pgd, apgd, random_noise"),
        ({"schedule": "linear"}, "schedule: expected one of "),
        ({"epsilon": 8}, "epsilon: expected 1/255"),
        ({"steps_similar": 0}, "steps_similar: expected 1 or more, got 0"),
        ({"step_size": 0.0}, "step_size: expected more than 0, got 0.0"),
        ({"start": 9 / 255}, "--start 9: expected 0 to --epsilon, 8 grey levels"),
        ({"axis": "channels"}, "axis: expected one of auto, tokens, features"),
    ],
)
def test_options_that_make_no_sense_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(VhbenchError, match=message):
        AttackConfig(**options)


def test_images_that_are_not_rgb_are_named() -> None:
    grey = AttackCase("q7", np.zeros((16, 16), dtype=np.uint8), "apart")
    with pytest.raises(VhbenchError, match=r"case q7: expected RGB uint8 .*, got uint8 of shape \(16, 16\)"):
        attack([grey], model=Toy(), config=QUICK)
    with pytest.raises(VhbenchError, match="case q8: expected direction apart or similar, got 'away'"):
        attack([AttackCase("q8", photo(0), "away")], model=Toy(), config=QUICK)  # type: ignore[arg-type]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("family", FAMILIES)
def test_mixed_precision_on_a_gpu_reaches_what_float32_reaches(family: str, tiny_vlm: Callable[[str], Path]) -> None:
    model = load_vlm(str(tiny_vlm(family)), device="cuda")
    assert model.model.dtype == torch.bfloat16
    config = replace(QUICK, steps_apart=20)
    results = good(attack(cases(4, "apart"), model=model, config=config))
    exact = good(attack(cases(4, "apart"), model=load_vlm(str(tiny_vlm(family)), device="cpu"), config=config))
    for result, full in zip(results, exact, strict=True):
        assert result.linf <= 8
        assert 1 - result.saved > 0.7 * (1 - full.saved)


def test_pgd_steps_as_far_as_ifgsm_in_the_mean_whatever_the_size_of_the_image() -> None:
    gradient = torch.tensor([[3e-9, -1e-9], [0.0, 0.0]]).reshape(1, 1, 2, 2).repeat(2, 3, 1, 1)
    gradient[1] *= 1e6
    for scaled in evened(gradient):
        assert scaled.abs().mean().item() == pytest.approx(1)
        assert (scaled[0] / 4).flatten().tolist() == pytest.approx([0.75, -0.25, 0, 0])
    assert evened(torch.zeros(1, 3, 2, 2)).abs().max() == 0, "no gradient is no step, and not a division by zero"
    assert evened(torch.full((1, 3, 2, 2), float("nan"))).isnan().all(), "and a broken one stays broken"


@pytest.mark.parametrize("method", ["pgd", "ifgsm"])
def test_both_methods_move_a_large_image(method: Literal["ifgsm", "pgd"]) -> None:
    (case,) = cases(1, "apart", size=(427, 640))
    config = AttackConfig(method=method, steps_apart=6, step_size=1 / 255, draws=0)
    (result,) = good(attack([case], model=Toy(), config=config))
    assert result.saved < result.before
    assert result.linf > 1


def test_the_released_codes_raw_gradient_moves_no_large_image() -> None:
    (case,) = cases(1, "apart", size=(427, 640))
    (raw,) = good(attack([case], model=Toy(), config=AttackConfig(method="pgd", steps_apart=6, compat=True)))
    assert raw.linf <= 1
    assert not raw.achieved


def test_random_noise_has_the_same_epsilon_and_asks_for_no_gradient() -> None:
    model, (case,) = Toy(), cases(1, "similar")
    config = AttackConfig(method="random_noise", epsilon=6 / 255)
    (result,) = good(attack([case], model=model, config=config))
    change = np.abs(decode(result.png) - case.image)
    inside = (case.image >= 6) & (case.image <= 249)
    assert set(change[inside]) == {6}
    assert result.linf == 6
    assert len(result.trace) == 0
    assert not any(differentiable for differentiable, _ in model.calls)


def test_apgd_reaches_pgds_objective_in_half_the_steps_on_four_of_five(vlm: Callable[[str], TransformersVLM]) -> None:
    pgd = AttackConfig(method="pgd", steps_apart=20, draws=0, batch_size=4)
    reached = {}
    for family in FAMILIES:
        first, second = (
            np.mean([result.saved for result in good(attack(cases(4, "apart"), model=vlm(family), config=config))])
            for config in (pgd, replace(pgd, method="apgd", steps_apart=10))
        )
        reached[family] = bool(second <= first)
    assert sum(reached.values()) >= 4, reached


def test_matched_noise_achieves_nothing_and_an_attack_does() -> None:
    noise, todo = AttackConfig(method="random_noise"), cases(200, "apart")
    results = good(attack(todo, model=Toy(), config=noise))
    assert np.mean([result.achieved for result in results]) <= 0.05
    (result,) = good(attack(cases(1, "apart"), model=Toy(), config=AttackConfig(steps_apart=20)))
    assert result.achieved
    assert result.p == 1 / 50
    assert result.noise is not None
    assert result.saved < result.noise


@pytest.mark.parametrize("level", [4, 251])
def test_noise_as_strong_as_the_attack_has_other_signs_where_both_fit(level: int) -> None:
    """Both 4 − 4 and 251 + 4 are levels of an image: about half of the brighter values turn darker."""
    image = np.full((32, 40, 3), level, np.uint8)
    noise = _matched_noise(image, image + np.uint8(4), rng(0, "noise")).astype(int) - level
    assert set(noise.flat) == {-4, 4}
    assert abs(noise.mean()) < 0.5


def test_noise_on_white_paper_achieves_nothing() -> None:
    """Half of its changes there are clipped, as those of the matched noise are."""
    pages = [np.where(photo(i, (32, 40)) < 190, 255, photo(i, (32, 40))).astype(np.uint8) for i in range(100)]
    todo = [AttackCase(id=str(i), image=page, direction="apart") for i, page in enumerate(pages)]
    results = good(attack(todo, model=Toy(), config=AttackConfig(method="random_noise")))
    assert np.mean([result.achieved for result in results]) <= 0.05


def test_random_noise_is_one_draw_whatever_the_restarts() -> None:
    config = AttackConfig(method="random_noise", draws=0)
    (one,), (five,) = (good(attack(cases(1, "apart"), model=Toy(), config=replace(config, restarts=n))) for n in (1, 5))
    assert one == five


def test_restarts_never_do_worse_and_several_models_are_attacked_at_once() -> None:
    config = AttackConfig(method="apgd", steps_apart=8, start=8 / 255, draws=0)
    (one,), (three,) = (
        good(attack(cases(1, "apart"), model=Toy(), config=replace(config, restarts=n))) for n in (1, 3)
    )
    assert three.after <= one.after
    first, second = Toy(), Toy(name="second")
    (both,) = good(attack(cases(1, "apart"), model=[first, second], config=config))
    assert both.png == one.png, "equal models have the gradient of one"
    assert first.calls == second.calls


@pytest.fixture(scope="module")
def trained(tiny_vlm: Callable[[str], Path]) -> TransformersVLM:
    """A tiny LLaVA that has learned to say whether the left half is brighter."""
    torch.manual_seed(0)
    vlm = load_vlm(str(tiny_vlm("llava")), device="cpu")
    vlm.model.requires_grad_(True)
    optimizer = torch.optim.Adam(vlm.model.parameters(), lr=1e-3)
    said = [vlm.processor.tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in ("no", "yes")]
    for step in range(120):
        images, answers = zip(*(lit(f"{step} {i}") for i in range(16)), strict=True)
        pixels = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2) / 255
        logits = vlm.model(**vlm._inputs(pixels, "is there a dog ?")).logits[:, -1]
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor([said[a == "yes"] for a in answers]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    vlm.model.requires_grad_(False)
    return vlm


def lit(name: str) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], str]:
    """A noisy image whose left half is brighter or darker by eight levels, and the answer."""
    generator = rng(0, "lit", name)
    bright = bool(generator.integers(2))
    image = generator.normal(128, 16, (28, 28, 3))
    image[:, :14] += 4 if bright else -4
    image[:, 14:] -= 4 if bright else -4
    return image.clip(0, 255).astype(np.uint8), "yes" if bright else "no"


@pytest.mark.parametrize("loss", ["answer", "target"])
def test_a_loss_on_the_answer_flips_what_noise_leaves(
    loss: Literal["answer", "target"], trained: TransformersVLM
) -> None:
    made = [lit(f"test {i}") for i in range(20)]

    def answered(images: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        pixels = torch.from_numpy(np.stack(images).astype(np.uint8)).permute(0, 3, 1, 2)
        questions = ["is there a dog ?"] * len(images)
        yes, no = (trained.answer_loss(pixels, questions, [word] * len(images)) for word in ("yes", "no"))
        return np.where((yes < no).numpy(), "yes", "no")

    before = answered([image for image, _ in made])
    assert np.mean(before == [answer for _, answer in made]) >= 0.95
    flipped = {}
    for method in ("apgd", "random_noise"):
        config = AttackConfig(method=method, loss=loss, steps_apart=10, draws=0, batch_size=20)  # type: ignore[arg-type]
        said = {"yes": "no", "no": "yes"} if loss == "target" else {"yes": "yes", "no": "no"}
        todo = [AttackCase(str(i), x, "apart", "is there a dog ?", said[a]) for i, (x, a) in enumerate(made)]
        results = good(attack(todo, model=trained, config=config))
        flipped[method] = np.mean(answered([decode(result.png) for result in results]) != before)
    assert flipped["apgd"] >= 0.8
    assert flipped["random_noise"] <= 0.05


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("loss", ["embedding", "answer"])
def test_the_png_has_the_reported_objective(
    family: str, loss: Literal["embedding", "answer"], vlm: Callable[[str], TransformersVLM]
) -> None:
    model, case = vlm(family), replace(cases(1, "apart")[0], question="is there a dog ?", response="yes")
    config = AttackConfig(method="apgd", loss=loss, steps_apart=4, draws=0)
    (result,) = good(attack([case], model=model, config=config))
    opened = torch.from_numpy(decode(result.png).astype(np.uint8)).permute(2, 0, 1)[None]
    value = objective_of([case], [model], config)(opened)
    assert value.item() == pytest.approx(result.saved, abs=1e-6)
    assert result.linf <= 8
    better = result.after < result.before if loss == "embedding" else result.after > result.before
    assert better


def test_an_attack_starts_where_it_is_told() -> None:
    image = np.full((8, 8, 3), 100, dtype=np.uint8)
    generator = np.random.default_rng(0)
    moved = start(image, "similar", generator=generator, config=AttackConfig(start=3 / 255))
    assert set((moved * 255).round().int().unique().tolist()) == {97, 103}
    still = start(image, "similar", generator=generator, config=AttackConfig(start=0))
    assert set((still * 255).round().int().unique().tolist()) == {100}
    small = start(image, "similar", generator=generator, config=AttackConfig(epsilon=2 / 255))
    assert set((small * 255).round().int().unique().tolist()) == {98, 102}, "never outside epsilon"


def test_the_axis_can_be_chosen() -> None:
    features, reference = torch.tensor([[[1.0, 2.0], [0.0, 2.0]]]), torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    values = {
        axis: similarity(features, reference, model=Toy(), config=AttackConfig(axis=axis)).item()
        for axis in ("auto", "features", "tokens")
    }
    # Features: (1,2)·(1,0) = 1/√5 and 1. Tokens: channel (1,0)·(1,0) = 1 and (2,2)·(0,1) = 1/√2.
    assert values["auto"] == values["features"] == pytest.approx((1 + 0.2**0.5) / 2)
    assert values["tokens"] == pytest.approx((1 + 0.5**0.5) / 2)
