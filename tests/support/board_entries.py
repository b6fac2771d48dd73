"""Entries of made-up models, which are right more and less often and write in several ways."""

from collections.abc import Callable, Mapping
from typing import Any

from vhbench.adapters.calibration_forms import FORMS, caption
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.entries import ModelInfo
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.submitting import RunAnswers, submit
from vhbench.seeding import rng

MODELS = {
    "Oracle that slips": (0.97, "plain"),
    "Aster-VL 72B": (0.93, "sentence"),
    "Basalt-VL 34B": (0.9, "markdown"),
    "Cobalt-VL 27B": (0.85, "json"),
    "Drift-VL 12B": (0.8, "plain"),
    "Ember-VL 8B": (0.75, "boxed"),
    "Fjord-VL 7B": (0.65, "thought"),
    "Garnet-VL 4B": (0.5, "plain"),
    "Heron-VL 3B": (0.35, "plain"),
    "Iris-VL 2B": (0.2, "plain"),
    "Juniper-VL 1B": (0.1, "plain"),
    "Kelp-VL 450M": (0.0, "plain"),
}
"""Name → how often it is right for certain, and how it writes."""


def said_by(name: str, row: Mapping[str, Any]) -> str:
    """Return what a model of the board says to a question."""
    share, form = MODELS[name]
    random = rng(1, name, row["id"])
    if row["kind"] == "caption":
        there = [word for word in row["objects"] if random.random() < share]
        return caption(there + [word for word in row["candidates"] if random.random() < (1 - share) / 2])
    allowed = "ABCDEFGHIJ"[: len(row["choices"])] if row["kind"] == "multiple_choice" else ("yes", "no")
    sure = random.random() < share
    return FORMS[form](row, row["answer"] if sure else str(allowed[int(random.integers(len(allowed)))]))


def enter(
    board: Board,
    asked: QuestionIndex,
    name: str,
    say: Callable[[Mapping[str, Any]], str],
    *,
    tokens: Callable[[Mapping[str, Any]], int] = lambda row: 0,
    again: Callable[[Mapping[str, Any]], str] | None = None,
    **about: Any,
) -> None:
    """Add an entry without a run, perhaps with a second repetition; responses of 4,096 tokens are truncated."""
    offered = RunAnswers(asked)
    for row in asked.rows:
        offered.add(row["id"], PackedAnswer(say(row), tokens(row), tokens(row) >= 4096))
        if again is not None:
            offered.add(f"2#{row['id']}", PackedAnswer(again(row)))
    found = submit(board, offered, ModelInfo(name=name, **about))
    assert found.reasons == (), found.reasons
    assert found.entry is not None
    found.place.write(found.entry, found.answers)
