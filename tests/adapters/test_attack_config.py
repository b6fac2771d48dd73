"""Settings of an attack, by hand."""

from dataclasses import replace
from typing import Any

import pytest

from vhbench.adapters.attack_config import LEVEL, AttackConfig
from vhbench.schema import VhbenchError

PAPERS = AttackConfig()
COMPAT = AttackConfig(compat=True)


def test_the_first_change_is_one_level_apart_and_five_to_similar() -> None:
    assert [PAPERS.nudge(way) for way in ("apart", "similar")] == pytest.approx([LEVEL, 5 * LEVEL])
    assert [COMPAT.nudge(way) for way in ("apart", "similar")] == pytest.approx([0, 5 * LEVEL])
    small = AttackConfig(epsilon=2 * LEVEL)
    assert small.nudge("similar") == 2 * LEVEL
    assert AttackConfig(start=0.0).nudge("similar") == 0
    assert AttackConfig(start=0.01, compat=True).nudge("apart") == 0.01
    assert AttackConfig(method="random_noise", start=0.0).nudge("apart") == 8 * LEVEL


def test_updates_and_their_sizes() -> None:
    assert [PAPERS.steps(way) for way in ("apart", "similar")] == [500, 100]
    assert [COMPAT.steps(way) for way in ("apart", "similar")] == [499, 99]
    assert AttackConfig(method="random_noise").steps("apart") == 0
    assert PAPERS.rate(7, "apart") == 0.5 * LEVEL
    assert AttackConfig(method="pgd").rate(0, "apart") == 0.5 * LEVEL
    assert AttackConfig(method="pgd", compat=True).rate(0, "apart") == 1
    assert COMPAT.rate(0, "apart") == 0.5 * LEVEL
    assert AttackConfig(method="pgd", compat=True, step_size=0.25).rate(3, "apart") == 0.25
    cosine = AttackConfig(schedule="cosine", step_size=0.1001, steps_apart=500, steps_similar=100)
    assert [cosine.rate(step, "similar") for step in (0, 50, 100)] == pytest.approx([0.1001, 0.0501, 0.0001])
    assert cosine.rate(250, "apart") == pytest.approx(0.0501)
    assert replace(cosine, compat=True).rate(250, "similar") == pytest.approx(0.0501)  # over the others' steps


def test_the_objective_rises_or_falls() -> None:
    signs = {
        loss: [AttackConfig(loss=loss).sign(way) for way in ("apart", "similar")]  # type: ignore[arg-type]
        for loss in ("embedding", "answer", "target")
    }
    assert signs == {"embedding": [-1, 1], "answer": [1, -1], "target": [-1, -1]}


@pytest.mark.parametrize(
    "options",
    [{"epsilon": LEVEL}, {"epsilon": 1.0}, {"start": 8 * LEVEL}, {"start": 0.0}, {"restarts": 1}, {"steps_apart": 1}],
)
def test_bounds_are_allowed(options: dict[str, Any]) -> None:
    AttackConfig(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.9 * LEVEL}, "attack epsilon: expected 1/255"),
        ({"epsilon": 1.01}, "attack epsilon: expected 1/255"),
        ({"start": 9 * LEVEL}, "--start 9: expected 0 to --epsilon, 8 grey levels"),
        ({"start": -LEVEL}, "--start -1: expected 0 to --epsilon, 8 grey levels"),
        ({"step_size": 0.0}, "attack step_size: expected more than 0"),
        ({"restarts": 0}, "attack restarts: expected 1 or more, got 0"),
        ({"steps_similar": 0}, "attack steps_similar: expected 1 or more, got 0"),
        ({"loss": "x"}, "attack loss: expected one of embedding, answer, target, got 'x'"),
    ],
)
def test_what_is_out_of_bounds_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(VhbenchError) as told:
        AttackConfig(**options)
    assert str(told.value).startswith(message)
