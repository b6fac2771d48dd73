"""Boards by task: a column and a page for each task, filled by the runs that people make of them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from board_entries import said_by
from logged_run import write_run
from typer.testing import CliRunner, Result

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.chair import ChairBuild
from vhbench.builds.starter import starter
from vhbench.cli import app
from vhbench.leaderboard.boards import read_board
from vhbench.leaderboard.entries import slug, stored
from vhbench.leaderboard.question_index import QuestionIndex, cached_question_index, find_sources
from vhbench.schema import VhbenchError

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
    assert board.names == "ode_fictional-2.0.0, mioh_selective-2.0.0"

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


def test_a_board_of_a_task_takes_its_part_of_a_run_of_the_whole_benchmark(
    sources: dict[str, Path], editions: dict[str, QuestionIndex], tmp_path: Path
) -> None:
    named = ["--splits", sources["mioh-2.0.0"]]
    run("init", tmp_path / "board", *named, "--tasks", "mioh_selective")
    board, asked = read_board(tmp_path / "board"), editions["mioh-2.0.0"]
    file = tmp_path / "said.jsonl"
    rows = [{"id": row["id"], "response": answer(row)} for row in asked.rows]
    file.write_text("\n".join(map(json.dumps, rows)))
    run(
        "add", write_run(tmp_path / "run", asked.source, "mioh", answer), "--board", board.folder, "--name", "A", *named
    )
    run("add", file, "--board", board.folder, "--name", "B", *named)
    one, other = (stored(board, name, board.editions[0]).read() for name in ("a", "b"))
    assert (one.answers, one.scores) == (other.answers, other.scores)
    assert (
        "ok       a/mioh_selective-2.0.0 (provenance complete)" in run("check", "--board", board.folder, *named).output
    )
    file.write_text("\n".join(map(json.dumps, [*rows, {"id": "unknown", "response": "A"}])))
    done = CliRunner().invoke(
        app, ["leaderboard", "add", str(file), "--board", str(board.folder), "--name", "C", *map(str, named)]
    )
    assert "1 responses belong to none of its questions (the first: 'unknown')" in done.output


def test_a_run_of_the_whole_benchmark_is_for_each_task_of_a_board(
    sources: dict[str, Path], editions: dict[str, QuestionIndex], tmp_path: Path
) -> None:
    named = ["--splits", sources["mioh-2.0.0"]]
    run("init", tmp_path / "board", *named, "--tasks", "mioh_existence,mioh_counting,mioh_selective")
    board, asked = read_board(tmp_path / "board"), editions["mioh-2.0.0"]
    run(
        "add", write_run(tmp_path / "run", asked.source, "mioh", answer), "--board", board.folder, "--name", "A", *named
    )
    for edition in board.editions:
        rows = [row for row in asked.rows if edition.task.removeprefix("mioh_") in (row["task"], row["mode"])]
        file = tmp_path / f"{edition.task}.json"
        file.write_text(json.dumps({row["id"]: answer(row) for row in rows}))
        run("add", file, "--board", board.folder, "--name", "B", "--edition", edition.name, *named)
        one, other = (stored(board, name, edition).read() for name in ("a", "b"))
        assert (one.answers, one.scores) == (other.answers, other.scores)
    assert len(board.editions) == 3


def answer(row: Any) -> str:
    return said_by(NAME, row)


def test_every_task_of_the_starters_has_a_page(sources: dict[str, Path], tmp_path: Path) -> None:
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    run("init", tmp_path / "one", *named, "--tasks", "ode_standard_caption,mioh,vhexpansion_ode")
    assert read_board(tmp_path / "one").names == "ode_standard_caption-2.0.0, mioh-2.0.0, vhexpansion_ode-2.0.0"


@pytest.mark.parametrize("task", ["pope", "mioh_nothing", "../x"])
def test_an_unknown_task_is_refused(sources: dict[str, Path], tmp_path: Path, task: str) -> None:
    words = ["leaderboard", "init", str(tmp_path / "board"), "--splits", str(sources["mioh-2.0.0"]), "--tasks", task]
    done = CliRunner().invoke(app, words)
    assert "--tasks: expected tasks of the splits' benchmarks" in str(done.exception)


def test_each_token_limit_has_an_edition_of_its_own(tmp_path: Path) -> None:
    """CHAIR depends on the length of captions, so that 64 and 512 tokens have no common score."""
    sharding.run(ChairBuild(source=f"ode:{starter('ode')}", sample=4), tmp_path / "out", progress=False)
    split = tmp_path / "out" / "chair"
    run("init", tmp_path / "board", "--splits", split)
    board = read_board(tmp_path / "board")
    version = splits.read_manifest(split).version
    assert board.names == f"chair_64-{version}, chair_512-{version}"
    words = {}
    for edition, said in zip(board.editions, ("A dog and a zebra.", "A cat."), strict=True):
        tokens = f"{edition.task.removeprefix('chair_')}_tokens"
        made = write_run(
            tmp_path / edition.task, split, edition.task, lambda row, said=said: said, config="chair_captions",
            asked=lambda row, tokens=tokens: row["question_type"] == tokens,
        )  # fmt: skip
        run("add", made, "--board", board.folder, "--name", NAME, "--splits", split)
        assert {row["question_type"] for row in cached_question_index(edition, split).rows} == {tokens}
        words[edition.task] = stored(board, slug(NAME), edition).read().scores["caption"]["words"]
    assert words == {"chair_64": 5, "chair_512": 2}
    file = board.folder / "board.yaml"
    file.write_text(file.read_text().replace("  task: chair_64\n", ""))
    with pytest.raises(VhbenchError, match=r"chair-.*: expected an edition for each of chair_64, chair_512"):
        read_board(board.folder)
