"""A correct answer is worth 1, a guess 0, and a response that gives several answers no more than a wrong one."""

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.rewards import compute_score, prediction, reward, trl_form, trl_reward

DOG = "Is there a dog in the image?"
ANIMALS = ("dog", "cat", "None of the above", "I don't know")
"""Three possible answers: "I don't know" is never correct."""


@pytest.mark.parametrize(
    ("response", "strict", "lenient"),
    [
        ("Yes", 1, 1),
        ("**yes**.", 1, 1),
        ("<think>No? It barks.</think> Yes", 1, 1),
        ("It barks. <answer>Yes.</answer>", 1, 1),
        ("Yes, there is a dog.", -1, 1),
        ("I see a dog.", -1, 1),  # as the question asks for one
        ("I see a cat.", -1, -1),
        ("<answer>The answer is yes.</answer>", -1, 1),
        ("<answer>no</answer> <answer>yes</answer>", -1, -1),
        ("yes and no", -1, -1),
        ("<think>yes", -1, -1),
        ("A", -1, -1),
        ("", -1, -1),
        (r"\boxed{no} \boxed{yes}", -1, -1),
        ("look " * 10_000 + "<answer>yes</answer>", -1, -1),
    ],
)
def test_yes_no(response: str, strict: float, lenient: float) -> None:
    assert reward("yes_no", response, "yes", (), DOG) == strict
    assert reward("yes_no", response, "yes", (), DOG, strict=False) == lenient


@pytest.mark.parametrize(
    ("response", "strict", "lenient"),
    [
        ("B", 1, 1),
        ("(b).", 1, 1),
        ("<answer>B</answer>", 1, 1),
        ("cat", -1 / 2, 1),
        ("A", -1 / 2, -1 / 2),
        ("E", -1 / 2, -1 / 2),
        ("A, B, C, D", -1 / 2, -1 / 2),
        ("Answer: A. Answer: B.", -1 / 2, -1 / 2),
    ],
)
def test_letters(response: str, strict: float, lenient: float) -> None:
    assert reward("multiple_choice", response, "B", ANIMALS) == strict
    assert reward("multiple_choice", response, "B", ANIMALS, strict=False) == lenient


@given(number=st.integers(2, 10), right=st.integers(0, 9))
def test_a_guess_is_worth_nothing(number: int, right: int) -> None:
    letters = string.ascii_uppercase[:number]
    answer, choices = letters[right % number], tuple(f"thing {i}" for i in range(number))
    assert sum(reward("multiple_choice", letter, answer, choices) for letter in letters) == pytest.approx(0)
    unsure = (*choices, "I don't know")
    assert sum(reward("multiple_choice", letter, answer, unsure) for letter in letters) == pytest.approx(0)


@pytest.mark.parametrize(
    ("response", "worth"),
    [
        ("I don't know.", 0.0),
        ("<answer>I cannot tell.</answer>", 0.0),
        ("I don't know, but it is a cat.", -1 / 2),
        ("A or B, I don't know", -1 / 2),
        ("I don't know, either dog or cat.", -1 / 2),
        ("I'm not sure; it could be a cat.", -1 / 2),
        ("", -1 / 2),
        ("<think>I don't know", -1 / 2),
        ("B", 1.0),
    ],
)
def test_abstaining_is_worth_what_it_is_set_to(response: str, worth: float) -> None:
    """Also where an option has the words: it is chosen by its letter."""
    assert reward("multiple_choice", response, "B", ANIMALS, abstain=0.0) == pytest.approx(worth)
    assert reward("multiple_choice", response, "B", ANIMALS) == (1.0 if response == "B" else -1 / 2)


def test_wrong_is_worth_what_it_is_set_to() -> None:
    assert reward("multiple_choice", "A", "B", ANIMALS, wrong=0.0) == 0


def test_each_trainer_pays_the_same() -> None:
    """TRL passes columns and messages or text, verl the row's ``extra_info``; ``None`` stands for the default."""
    asked: dict[str, Any] = {"kind": "yes_no", "answer": "yes", "choices": [], "question": DOG}
    animals = {"kind": "multiple_choice", "answer": "B", "choices": [*ANIMALS], "question": "Which?"}
    rows: list[dict[str, Any]] = [
        asked | {"strict": True, "wrong": None, "abstain": None},
        asked | {"strict": False, "wrong": 0.0, "abstain": 0.5},
        animals | {"strict": None, "wrong": None, "abstain": 0.0},
    ]
    for said, worth in (
        ("Yes", [1, 1, -1 / 2]),
        ("Yes, a dog.", [-1, 1, -1 / 2]),
        ("I don't know.", [-1, 0.5, 0]),
        ("B", [-1, 0, 1]),
    ):
        columns = {name: [row[name] for row in rows] for name in rows[0]} | {"id": ["1", "2", "3"]}
        assert trl_reward([said] * 3, **columns) == pytest.approx(worth)
        messages = [[{"role": "assistant", "content": [{"type": "text", "text": said}]}]] * 3
        assert trl_reward(messages, **columns) == pytest.approx(worth)
        assert [compute_score("vhbench", said, row["answer"], row) for row in rows] == pytest.approx(worth)
    for silent in ([], [{"role": "assistant", "content": None}], [{"role": "assistant"}]):  # a tool call
        assert trl_reward([silent], ["yes_no"], ["yes"], [[]], [DOG]) == [-1]
    assert compute_score("vhbench", "No", "yes", rows[0], wrong=-0.5) == -0.5


def test_the_form_alone_can_be_paid() -> None:
    columns = {"kind": ["yes_no"] * 3, "choices": [[]] * 3, "question": [DOG] * 3}
    assert trl_form(["no", "No, I see none.", "<answer>yes</answer>"], **columns) == [1, 0, 1]
    assert prediction("yes_no", "no") == "no"
