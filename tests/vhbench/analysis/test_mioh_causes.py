"""Planted failures in simulated responses to a split of the paper's size are named, and nothing else is."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest

from vhbench.analysis.mioh_causes import causes, design_effect
from vhbench.benchmarks import pressure_family
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES, QuestionType
from vhbench.generators.mioh.sizes import sizes
from vhbench.schema import Record

Asked = tuple[str, str, int, tuple[str, ...], tuple[str, ...]]
Plant = Callable[[QuestionType, str], str]
"""Question type and family of pressures → "wrong", "guess", "half" (half of the responses are incorrect), or ""."""

ALL = tuple(QUESTION_TYPES)
POSITION, ATTRIBUTE = (tuple(name for name in ALL if name[0] == letter) for letter in "PA")
SELECTIVE = tuple(name for name, kind in QUESTION_TYPES.items() if kind.mode == "selective")
PLANTED: dict[str, tuple[Plant, tuple[str, ...], str]] = {
    "one cell": (lambda kind, family: "wrong" * (kind.id == "A5" and family == "hn"), ("A5",), "HN"),
    "one cell by guessing": (lambda kind, family: "guess" * (kind.id == "P2" and family == "ni"), ("P2",), "NI"),
    "one type": (lambda kind, _: "wrong" * (kind.id == "C3"), ("C3",), ""),
    "one mode": (lambda kind, _: "guess" * (kind.mode == "selective"), SELECTIVE, ""),
    "one pressure": (lambda _, family: "half" * (family == "hp"), ALL, "HP"),
    "two pressures": (lambda _, family: "half" * (family in ("hp", "hn")), ALL, "HP and HN"),
    "two cells": (lambda kind, family: "wrong" * (kind.id == "A5" and family in ("ni", "hp")), ("A5",), "NI and HP"),
    "side-blind": (lambda kind, _: "guess" * (kind.task == "position"), POSITION, ""),
    "unbound": (lambda kind, _: "guess" * (kind.task == "attribute"), ATTRIBUTE, ""),
}


@lru_cache(maxsize=1)
def asked() -> list[Asked]:
    """Return (type, pressure, number, images, choices) of a split of the paper's size from 2,000 images."""
    random = np.random.default_rng(0)
    found: list[Asked] = []
    for name, cells in sizes("paper").items():
        options = {"E6": 4, "A6": 4, "C5": 4}.get(name, 2 if name[1] in "12" and name[0] != "C" else 5)
        for pressure, number in cells.items():
            images = PRESSURES[pressure].images or 4
            for i in range(number):
                shown = tuple(f"s{scene}" for scene in random.integers(0, 2000, images))
                found.append((name, pressure, i, shown, () if options == 2 else ("?",) * options))
    return found


def answers(plant: Plant, seed: int, skill: float = 0.85, spread: float = 0.5) -> list[Record]:
    """Return responses of a model with another skill in each type, and a planted failure."""
    random = np.random.default_rng(seed)
    odds = np.log(skill / (1 - skill)) + spread * random.standard_normal(len(ALL))
    skills = dict(zip(ALL, 1 / (1 + np.exp(-odds)), strict=True))
    found = []
    for name, pressure, i, shown, choices in asked():
        kind, guess = QUESTION_TYPES[name], 1 / (len(choices) or 2)
        known = guess + (1 - guess) * skills[name]
        share = {"wrong": 0, "guess": guess, "half": known / 2, "": known}[plant(kind, pressure_family(pressure))]
        found.append(
            Record(
                f"{name}-{i}-{pressure}", benchmark="mioh", answer="A",
                prediction="A" if random.random() < share else "B",
                task=kind.task, mode=kind.mode, pressure=pressure, question_type=name,
                pair_id=f"{name.lower()}-{i}", choices=choices, scene_ids=shown,
            )
        )  # fmt: skip
    return found


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", range(3))
def test_the_smallest_set_is_named_and_no_other(name: str, seed: int) -> None:
    plant, types, under = PLANTED[name]
    assert [(cause.types, cause.under) for cause in causes(answers(plant, seed))] == [(types, under)]


@pytest.mark.parametrize("seed", range(6))
def test_types_of_unequal_difficulty_are_no_failure(seed: int) -> None:
    assert causes(answers(lambda *_: "", seed)) == []


def test_what_is_printed() -> None:
    [cell] = causes(answers(PLANTED["one cell"][0], 0))
    assert str(cell).startswith("A5 under HN: 0 of 34 correct; expected ")
    [sides] = causes(answers(PLANTED["side-blind"][0], 0))
    assert str(sides).startswith("does not distinguish left from right (P1–P7), independent of pressure: ")
    [owners] = causes(answers(PLANTED["unbound"][0], 0))
    assert str(owners).startswith("does not bind attributes to objects (A1–A7), independent of pressure: ")


def test_a_run_under_one_pressure_says_nothing_about_others() -> None:
    under_hn = [r for r in answers(PLANTED["side-blind"][0], 0) if r.pressure == "hn"]
    [sides] = causes(under_hn)
    assert str(sides).startswith("does not distinguish left from right (P1–P7), under HN: ")


def test_a_model_that_is_always_wrong_about_positions_is_not_called_side_blind() -> None:
    [cause] = causes(answers(lambda kind, _: "wrong" * (kind.task == "position"), 1))
    assert (cause.types, cause.meaning) == (POSITION, "")


def test_a_random_model_fails_nowhere_in_particular() -> None:
    assert causes(answers(lambda *_: "guess", 2)) == []


def test_a_model_that_is_always_wrong_fails_nowhere_in_particular() -> None:
    assert causes(answers(lambda *_: "wrong", 2)) == []


def test_responses_that_depend_on_an_image_count_for_less() -> None:
    apart = [Record(f"{i}", question_type="E1", answer="yes", prediction="yes" * (i % 2)) for i in range(80)]
    together = [
        Record(r.id, question_type="E1", answer="yes", prediction=r.prediction, scene_ids=(f"s{i % 2}{i // 8}",))
        for i, r in enumerate(apart)
    ]
    assert design_effect(apart) == 1
    assert design_effect(together) == pytest.approx(4)
