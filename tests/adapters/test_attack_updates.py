"""Updates of an attack on grey images of one value, worked out by hand: epsilon is 0.1 around 0.5."""

import pytest
import torch
from torch import Tensor

from vhbench.adapters.attack_config import AttackConfig
from vhbench.adapters.attack_updates import Apgd, Fixed, evened, per_image, project

STEPS = AttackConfig(method="apgd", steps_apart=11, epsilon=0.1)


def grey(*values: float) -> Tensor:
    return torch.tensor(values)[:, None, None, None].expand(-1, 3, 2, 2).clone()


def shown(images: Tensor) -> list[float]:
    assert (images.amax((1, 2, 3)) == images.amin((1, 2, 3))).all()
    return [round(float(image[0, 0, 0]), 4) for image in images]


def apgd(images: int = 1) -> Apgd:
    start = grey(*[0.5] * images)
    return Apgd(start, start, "apart", STEPS)


def told(update: Apgd, values: list[list[float]], ups: float = 1.0) -> list[list[float]]:
    """Return what images become whose values are given step by step; the best is where they start."""
    images = len(values[0])
    x, best, seen = grey(*[0.5] * images), grey(*[0.5] * images), []
    score = torch.full((images,), float("-inf"))
    for step, value in enumerate(map(torch.tensor, values)):
        score = torch.maximum(score, value)
        x = update(step, x, grey(*[ups] * images), value, best, score)
        seen.append(shown(x))
    return seen


def test_checkpoints_come_closer_as_in_the_paper() -> None:
    """Shares 0.22, 0.41, 0.57, 0.70, 0.80, 0.87, 0.93 and 0.99 of the steps, rounded up."""
    assert apgd().checkpoints == [0, 3, 5, 7, 8, 9, 10, 11, 11]
    assert apgd().size.tolist() == pytest.approx([0.2])


def test_a_step_goes_to_the_edge_and_keeps_a_quarter_of_the_last_move() -> None:
    update = apgd()
    assert shown(update(0, grey(0.5), grey(1.0), torch.tensor([1.0]), grey(0.5), torch.tensor([1.0]))) == [0.6]
    again = update(1, grey(0.6), grey(-1.0), torch.tensor([2.0]), grey(0.6), torch.tensor([2.0]))
    assert shown(again) == [0.475]  # 0.6 - 0.75 · 0.2 + 0.25 · 0.1
    update.size = torch.tensor([0.04])
    again = update(2, grey(0.475), grey(1.0), torch.tensor([2.0]), grey(0.6), torch.tensor([2.0]))
    assert shown(again) == [0.4737]  # 0.475 + 0.75 · 0.04 - 0.25 · 0.125


def test_the_step_halves_where_less_than_three_quarters_of_the_steps_rise() -> None:
    update = apgd(3)
    told(update, [[1, 1, 1], [2, 2, 2], [2, 3, 3], [2, 3, 4]])
    assert update.size.tolist() == pytest.approx([0.1, 0.2, 0.2])  # two, three and four rises before the third step
    assert update.halved.tolist() == [True, False, False]
    assert update.rises.tolist() == [0, 0, 0]
    assert update.marked.tolist() == [2, 3, 4]
    assert apgd().halved.tolist() == [True]  # so that the first checkpoint does not ask for a better image


def test_the_step_halves_where_nothing_got_better_since_it_was_kept() -> None:
    update = apgd(3)
    start = [[1, 1, 1], [2, 2, 2], [3, 3, 2], [3, 3, 2]]
    told(update, [*start, [-3, 3.5, -3], [-2, 4, -2]])  # -3 and -2: one rise after a fall
    assert update.size.tolist() == pytest.approx([0.1, 0.2, 0.05])
    update = apgd(2)
    told(update, [[1, 1], [2, 2], [3, 2], [0, 0], [1, 1], [2, 2]])  # two rises of two, but below the best
    assert update.size.tolist() == pytest.approx([0.1, 0.1])
    assert update.halved.tolist() == [True, False]


def test_a_halved_step_starts_from_the_best_image_and_its_gradient() -> None:
    update = apgd()
    best = grey(0.42)
    for step, value in enumerate([5.0, 4.0, 3.0]):
        gradient = grey(-1.0 if step == 0 else 1.0)
        update(step, grey(0.6), gradient, torch.tensor([value]), best, torch.tensor([5.0]))
    after = update(3, grey(0.6), grey(1.0), torch.tensor([2.0]), best, torch.tensor([5.0]))
    assert shown(after) == [0.405]  # 0.42 - 0.75 · 0.02, as 0.4 is the edge; the last move is forgotten
    assert shown(update.previous) == [0.42]


def test_fixed_steps_follow_the_gradient_or_its_sign() -> None:
    start, gradient = grey(0.5, 0.5), grey(0.3, -0.1)
    options = {"steps_apart": 3, "epsilon": 0.1, "schedule": "constant", "step_size": 0.05}
    for method, compat, moved in (
        ("ifgsm", False, [0.55, 0.45]),
        ("ifgsm", True, [0.55, 0.45]),
        ("pgd", False, [0.55, 0.45]),  # scaled to a mean magnitude of 1
        ("pgd", True, [0.515, 0.495]),
    ):
        update = Fixed(start, start, "apart", AttackConfig(method=method, compat=compat, **options))  # type: ignore[arg-type]
        assert shown(update(0, start, gradient)) == pytest.approx(moved), (method, compat)
    update = Fixed(start, start, "apart", AttackConfig(method="ifgsm", **{**options, "step_size": 0.5}))  # type: ignore[arg-type]
    assert shown(update(0, start, gradient)) == [0.6, 0.4]


def test_images_stay_near_the_original_and_in_range() -> None:
    assert shown(project(grey(0.9, 0.1, 0.52), grey(0.5, 0.5, 0.5), epsilon=0.1)) == [0.6, 0.4, 0.52]
    assert shown(project(grey(1.2, -0.2), grey(0.95, 0.05), epsilon=0.1)) == [1.0, 0.0]


def test_gradients_are_evened_image_by_image() -> None:
    gradient = torch.tensor([[1.0, -3.0], [0.0, 0.0]])[:, None, None, :]
    assert evened(gradient)[:, 0, 0].tolist() == [[0.5, -1.5], [0, 0]]
    assert per_image(torch.tensor([1.0, 2.0])).shape == (2, 1, 1, 1)
