"""Boards by task: a column and a page for each task, filled by the runs that people make of them."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from board_entries import said_by
from logged_run import write_run
from typer.testing import CliRunner, Result

from vhbench.cli import app
from vhbench.leaderboard.boards import read_board
from vhbench.leaderboard.question_index import QuestionIndex, cached_question_index, find_sources

NAME = "Drift-VL 12B"


def run(*words: object) -> Result:
    done = CliRunner().invoke(app, ["leaderboard", *map(str, words)])
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def test_a_board_of_two_tasks_takes_a_run_of_just_them(
    sources: dict[str, Path], editions: dict[str, QuestionIndex], tmp_path: Path
) -> None:
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    run("init", tmp_path / "board", *named, "--tasks", "ode_fictional,mioh_selective")
    board = read_board(tmp_path / "board")
    assert board.named == "ode_fictional-2.0.0, mioh_selective-2.0.0"

    def selective(row: Any) -> bool:
        return bool(row["mode"] == "selective")

    parts = [write_run(tmp_path / "run/mioh", sources["mioh-2.0.0"], "mioh_selective", answer, asked=selective)]
    for task in ("caption", "existence", "attribute"):
        name = f"ode_fictional_{task}"
        parts.append(write_run(tmp_path / "run" / name, sources["ode-2.0.0"], name, answer, config=name))
    for part in parts:
        for file in part.iterdir():
            if "samples" in file.name:
                file.rename(tmp_path / "run" / file.name)
    done = run("add", tmp_path / "run", "--board", board.folder, "--name", NAME, *named)
    assert "added" in done.output
    assert (
        "drift-vl-12b/mioh_selective-2.0.0 (provenance complete)"
        in run("check", "--board", board.folder, *named).output
    )
    run("build", "--board", board.folder, "--out", tmp_path / "site", *named)
    overview = (tmp_path / "site/index.html").read_text()
    assert "ODE fictional" in overview
    assert "MIOH selective" in overview
    assert '<small class="mark ">provenance complete</small>' in overview
    assert (tmp_path / "site/ode_fictional-2.0.0.html").is_file()
    assert "task" in gzip.decompress((tmp_path / "site/downloads/scores.csv.gz").read_bytes()).decode().splitlines()[0]
    asked = cached_question_index(board.editions[1], sources["mioh-2.0.0"])
    assert len(asked.rows) == sum(selective(row) for row in editions["mioh-2.0.0"].rows)
    assert find_sources(board, list(sources.values())).keys() == {"ode_fictional-2.0.0", "mioh_selective-2.0.0"}


def answer(row: Any) -> str:
    return said_by(NAME, row)


def test_every_task_of_the_starters_has_a_page(sources: dict[str, Path], tmp_path: Path) -> None:
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    run("init", tmp_path / "one", *named, "--tasks", "ode_standard_caption,mioh,vhexpansion_ode")
    assert read_board(tmp_path / "one").named == "ode_standard_caption-2.0.0, mioh-2.0.0, vhexpansion_ode-2.0.0"


@pytest.mark.parametrize("task", ["pope", "mioh_nothing", "../x"])
def test_an_unknown_task_is_refused(sources: dict[str, Path], tmp_path: Path, task: str) -> None:
    words = ["leaderboard", "init", str(tmp_path / "board"), "--splits", str(sources["mioh-2.0.0"]), "--tasks", task]
    done = CliRunner().invoke(app, words)
    assert "--tasks: expected tasks of the splits' benchmarks" in str(done.exception)
