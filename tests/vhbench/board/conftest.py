"""A board of the starter splits, with entries of models that are right more and less often."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from vhbench.adapters.calibration_forms import FORMS, caption
from vhbench.board import boards
from vhbench.board.asked_edition import AskedEdition
from vhbench.board.boards import Board
from vhbench.board.entries import About
from vhbench.board.submitting import Offered, submit
from vhbench.board.validating import asked_once
from vhbench.builds.starter import starter
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


def enter(board: Board, asked: AskedEdition, name: str, say: Callable[[Mapping[str, Any]], str], **about: Any) -> None:
    """Add an entry without a run."""
    offered = Offered(asked)
    for row in asked.rows:
        offered.add(row["id"], say(row))
    found = submit(board, offered, About(name=name, **about))
    assert found.entry is not None
    assert found.reasons == ()
    found.place.write(found.entry, found.answers)


@pytest.fixture(scope="session")
def sources(_caches: None) -> dict[str, Path]:
    """The starter splits by the names of their editions."""
    folders = [starter(name) for name in ("ode", "mioh", "vhexpansion")]
    return {boards.of_split(folder).name: folder for folder in folders}


@pytest.fixture(scope="session")
def editions(sources: dict[str, Path]) -> dict[str, AskedEdition]:
    """Their questions."""
    return {name: asked_once(boards.of_split(folder), folder) for name, folder in sources.items()}


@pytest.fixture(scope="session")
def twelve(editions: dict[str, AskedEdition], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with twelve models; do not write into it."""
    folder = tmp_path_factory.mktemp("twelve") / "board"
    board = Board(folder=folder, title="A board", editions=tuple(asked.edition for asked in editions.values()))
    boards.write_board(board)
    for name in MODELS:
        for asked in editions.values():
            enter(board, asked, name, lambda row, name=name: said_by(name, row), organisation="Lab")  # type: ignore[misc]
    return folder


@pytest.fixture
def board(editions: dict[str, AskedEdition], tmp_path: Path) -> Board:
    """An empty board."""
    made = Board(
        folder=tmp_path / "board",
        title="A board",
        editions=tuple(asked.edition for asked in editions.values()),
        rules=boards.Rules(generation={"temperature": 0}),
    )
    boards.write_board(made)
    return made


@pytest.fixture
def copied(twelve: Path, tmp_path: Path) -> Path:
    """A copy of the board with twelve models."""
    return Path(shutil.copytree(twelve, tmp_path / "copied"))
