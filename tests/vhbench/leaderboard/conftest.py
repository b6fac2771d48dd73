"""A board of the starter splits, with entries of models that are right more and less often."""

import shutil
from pathlib import Path

import pytest
from board_entries import MODELS, enter, said_by
from filelock import FileLock

from vhbench.builds.starter import starter
from vhbench.leaderboard import boards
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.validating import cached_question_index


@pytest.fixture(scope="session")
def sources(_caches: None) -> dict[str, Path]:
    """The starter splits by the names of their editions."""
    folders = [starter(name) for name in ("ode", "mioh", "vhexpansion")]
    return {boards.of_split(folder).name: folder for folder in folders}


@pytest.fixture(scope="session")
def editions(sources: dict[str, Path]) -> dict[str, QuestionIndex]:
    """Their questions."""
    return {name: cached_question_index(boards.of_split(folder), folder) for name, folder in sources.items()}


@pytest.fixture(scope="session")
def twelve(editions: dict[str, QuestionIndex], shared_folder: Path) -> Path:
    """A board with twelve models, made by whichever worker asks first; do not write into it."""
    root = shared_folder / "twelve"
    root.mkdir(exist_ok=True)
    with FileLock(str(root / "lock")):
        if not (root / "board").is_dir():
            board = Board(
                folder=root / "new", title="A board", editions=tuple(asked.edition for asked in editions.values())
            )
            boards.write_board(board)
            for name in MODELS:
                for asked in editions.values():
                    enter(board, asked, name, lambda row, name=name: said_by(name, row), organisation="Lab")  # type: ignore[misc]
            board.folder.rename(root / "board")
    return root / "board"


@pytest.fixture
def board(editions: dict[str, QuestionIndex], tmp_path: Path) -> Board:
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
