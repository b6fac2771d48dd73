"""The annotators of ``vhbench review`` are a baseline of the board."""

import json
from pathlib import Path

import pytest
from board_entries import enter
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.people import add_people, people
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rankings import rank_entries
from vhbench.schema import VhbenchError


def reported(asked: QuestionIndex, folder: Path) -> Path:
    """Return the report on two annotators, of whom one errs in 2 of 10 questions."""
    for number in (0, 1):
        said = {row["id"]: row["answer"] for row in asked.rows[:10]}
        wrong = {row["id"]: "unclear" for row in asked.rows[: 2 * number]}
        who = ("Ann", "Bob")[number]
        saved = {"hash": asked.edition.content_hash, "annotator": who, "part": 1, "judgments": said | wrong}
        (folder / f"{number}.json").write_text(json.dumps(saved))
    named = [word for number in (0, 1) for word in ("--judgments", str(folder / f"{number}.json"))]
    done = CliRunner().invoke(app, ["review", str(asked.source), *named, "--out", str(folder / "verdict.json")])
    assert done.exit_code == 0, (done.output, done.exception)
    return folder / "verdict.json"


def test_people_are_a_baseline(
    board: Board, editions: dict[str, QuestionIndex], sources: dict[str, Path], tmp_path: Path
) -> None:
    asked = editions["mioh-2.0.0"]
    words = ["leaderboard", "add", reported(asked, tmp_path), "--board", board.folder, "--human", "--name", "Students"]
    named = [word for folder in sources.values() for word in ("--splits", folder)]
    done = CliRunner().invoke(app, [*map(str, words), *map(str, named)])
    assert done.exit_code == 0, (done.output, done.exception)
    assert done.output.split() == ["added", f"{board.folder}/human/students/mioh-2.0.0.json"]
    [found] = people(board, asked)
    assert (found.name, found.kind, found.value) == ("Students", "2 people, 20 answers", 90.0)
    assert "Ann" not in (board.folder / "human/students/mioh-2.0.0.json").read_text()  # annotators stay unnamed
    enter(board, asked, "Aster", lambda row: "A")
    with pytest.raises(VhbenchError, match="'Aster' is a model of the board"):
        add_people(board, tmp_path / "verdict.json", "Aster")
    standings = rank_entries(board, sources, workers=1)
    assert standings.of("mioh-2.0.0").levels[-1] == found
    assert found not in standings.of("ode-2.0.0").levels


def test_a_report_on_another_split_is_refused(board: Board, editions: dict[str, QuestionIndex], tmp_path: Path) -> None:
    report = reported(editions["mioh-2.0.0"], tmp_path)
    report.write_text(json.dumps({**json.loads(report.read_text()), "hash": "f" * 64}))
    with pytest.raises(VhbenchError, match="expected a report of `vhbench review` about ode"):
        add_people(board, report, "Students")


@pytest.mark.parametrize(
    "counts", [{"judged": 30, "as_the_split": 300}, {"judged": 9, "as_the_split": -1}, {"judged": 9}]
)
def test_impossible_counts_are_refused(
    board: Board, editions: dict[str, QuestionIndex], tmp_path: Path, counts: dict[str, int]
) -> None:
    report, content_hash = tmp_path / "verdict.json", editions["mioh-2.0.0"].edition.content_hash
    report.write_text(json.dumps({"hash": content_hash, "by_annotator": {"Ann": counts}}))
    with pytest.raises(VhbenchError, match="expected 0 <= as_the_split <= judged for each annotator"):
        add_people(board, report, "Students")
