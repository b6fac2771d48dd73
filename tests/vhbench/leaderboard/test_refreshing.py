"""Boards stay alive: faulty entries are left out, and a new scorer's scores are taken over with a public table."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from board_entries import enter, said_by
from typer.testing import CliRunner, Result

import vhbench
from vhbench.cli import app
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.entries import slug
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.refreshing import CHANGES

NAME = "vhexpansion-2.0.0"


@pytest.fixture
def two(board: Board, editions: dict[str, QuestionIndex]) -> Board:
    """A board with two entries."""
    for name in ("Drift-VL 12B", "Ember-VL 8B"):
        enter(board, editions[NAME], name, lambda row, name=name: said_by(name, row))  # type: ignore[misc]
    return board


def run(board: Board, sources: dict[str, Path], command: str, *words: str) -> Result:
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    workers = ["--workers", "1"]
    return CliRunner().invoke(app, ["leaderboard", command, "--board", str(board.folder), *named, *workers, *words])


def edit(board: Board, model: str, old: str, new: str) -> None:
    path = board.folder / "entries" / model / NAME / "entry.yaml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def committed(board: Board, *paths: str) -> Callable[..., None]:
    """Return git in the folder of a board, whose branch main has these paths."""

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(board.folder), "-c", "user.name=n", "-c", "user.email=e", *words], check=True)

    git("init", "-q", "-b", "main")
    git("add", *paths)
    git("commit", "-qm", "board")
    return git


def rename(board: Board, model: str, name: str) -> str:
    """Copy the entries of a model to another name, and return its folder."""
    folder = board.folder / "entries" / slug(name)
    shutil.copytree(board.folder / "entries" / model, folder)
    path = folder / NAME / "entry.yaml"
    path.write_text(re.sub("(?m)^name: .*", f"name: {name}", path.read_text()))
    return folder.name


def rejected(output: str) -> list[str]:
    """Return MODEL/EDITION of the rejected entries that a check prints."""
    return re.findall(r"(?m)^rejected: '?([^:']*)", output)


def test_a_faulty_entry_is_left_out_and_listed(two: Board, sources: dict[str, Path], tmp_path: Path) -> None:
    edit(two, "ember-vl-8b", "symmetric_accuracy: ", "symmetric_accuracy: 1")
    done = run(two, sources, "build", "--out", str(tmp_path / "site"))
    assert done.exit_code == 0, done.output
    assert "rejected: ember-vl-8b/vhexpansion-2.0.0: claims symmetric_accuracy" in done.output
    assert "Ember-VL 8B" not in (tmp_path / "site/index.html").read_text()
    assert "ember-vl-8b/vhexpansion-2.0.0: claims symmetric_accuracy" in (tmp_path / "site/about.html").read_text()
    assert run(two, sources, "build", "--out", str(tmp_path / "site"), "--strict").exit_code == 1
    assert str(two.folder) not in (tmp_path / "site/about.html").read_text()
    edit(two, "drift-vl-12b", "name: Drift-VL 12B", "name: Oracle")
    done = run(two, sources, "build", "--out", str(tmp_path / "site"))
    assert done.exit_code == 1
    assert "every entry is rejected; the first: drift-vl-12b/vhexpansion-2.0.0: entry.yaml: 'Oracle' is" in str(
        done.exception
    )


def test_claims_of_an_older_scorer_are_renewed(two: Board, sources: dict[str, Path], tmp_path: Path) -> None:
    edit(two, "ember-vl-8b", "symmetric_accuracy: ", "symmetric_accuracy: 1")
    edit(two, "ember-vl-8b", f"scorer: {vhbench.__version__}", "scorer: 0.0.9")
    done = run(two, sources, "check")
    assert done.exit_code == 0, done.output
    assert "note: ember-vl-8b/vhexpansion-2.0.0: claims symmetric_accuracy" in done.output
    assert "changed scores: 1 (2 entries)" in run(two, sources, "refresh").output
    head, row = (two.folder / CHANGES).read_text().splitlines()
    assert head.split(",")[-2:] == ["from", "to"]
    assert row.startswith("ember-vl-8b,vhexpansion-2.0.0,pairs,symmetric_accuracy,1")
    assert row.endswith(f",0.0.9,{vhbench.__version__}")
    assert "note" not in run(two, sources, "check").output
    assert "changed scores: 0" in run(two, sources, "refresh").output
    run(two, sources, "build", "--out", str(tmp_path / "site"))
    assert "0.0.9 to" in (tmp_path / "site/about.html").read_text()


def test_new_claims_of_an_older_scorer_are_refused(two: Board, sources: dict[str, Path]) -> None:
    git = committed(two, "board.yaml", "entries/drift-vl-12b")
    edit(two, "ember-vl-8b", f"scorer: {vhbench.__version__}", "scorer: 0.0.9")
    assert run(two, sources, "check", "--against", "main").exit_code == 0
    edit(two, "ember-vl-8b", "symmetric_accuracy: ", "symmetric_accuracy: 1")
    done = run(two, sources, "check", "--against", "main")
    assert done.exit_code == 1
    assert "rejected: ember-vl-8b/vhexpansion-2.0.0: claims symmetric_accuracy" in done.output
    git("add", "entries")
    git("commit", "-qm", "merged")
    assert run(two, sources, "check", "--against", "main").exit_code == 0


def test_a_faulty_entry_refuses_no_other(two: Board, sources: dict[str, Path]) -> None:
    other = two.folder / "entries/ember-vl-8b-x" / NAME
    shutil.copytree(two.folder / "entries/ember-vl-8b" / NAME, other)
    text = (other / "entry.yaml").read_text()
    verdict = two.folder / "reproduced/ember-vl-8b-x" / f"{NAME}.yaml"
    (other / "entry.yaml").write_text(text.replace("Ember-VL 8B", "Ember-VL 8B x"))
    assert run(two, sources, "check").exit_code == 0
    verdict.parent.mkdir(parents=True)
    verdict.write_text("format: another")
    lines = [line for line in run(two, sources, "check").output.splitlines() if line.startswith("rejected: ")]
    assert [line.partition(": ")[2].partition(": ")[0] for line in lines] == [f"ember-vl-8b-x/{NAME}"]
    (other / "entry.yaml").write_text(text.replace("symmetric_accuracy: ", "symmetric_accuracy: 1"))
    lines = [line for line in run(two, sources, "check").output.splitlines() if line.startswith("rejected: ")]
    assert {line.partition(": ")[2].partition(": ")[0] for line in lines} == {f"ember-vl-8b-x/{NAME}"}


def test_of_two_names_that_look_alike_the_one_in_the_base_stays(two: Board, sources: dict[str, Path]) -> None:
    other = rename(two, "drift-vl-12b", "Drift-VL l2B")
    assert other == "drift-vl-l2b"
    done = run(two, sources, "check")
    assert rejected(done.output) == [f"{other}/{NAME}"]
    assert "its name looks like that of another model, 'Drift-VL 12B'" in done.output
    committed(two, "board.yaml", f"entries/{other}", "entries/ember-vl-8b")
    done = run(two, sources, "check", "--against", "main")
    assert rejected(done.output) == [f"drift-vl-12b/{NAME}"]
    assert "its name looks like that of another model, 'Drift-VL l2B'" in done.output


def test_an_entry_that_describes_its_model_otherwise_than_the_base_is_the_rejected_one(
    two: Board, sources: dict[str, Path], editions: dict[str, QuestionIndex]
) -> None:
    edit(two, "ember-vl-8b", "name: Ember", "submitter: me\nname: Ember")
    committed(two, "board.yaml", "entries")
    enter(two, editions["mioh-2.0.0"], "Ember-VL 8B", lambda row: said_by("Ember-VL 8B", row), submitter="me")
    path = two.folder / "entries/ember-vl-8b/mioh-2.0.0/entry.yaml"
    path.write_text(path.read_text().replace("name: Ember", "organisation: Other\nname: Ember"))
    done = run(two, sources, "check", "--against", "main", "--submitter", "me")
    assert rejected(done.output) == ["ember-vl-8b/mioh-2.0.0"]
    assert "its organisation is 'Other', in ember-vl-8b/vhexpansion-2.0.0 ''" in done.output


def test_old_faults_are_listed_and_reject_no_request(two: Board, sources: dict[str, Path]) -> None:
    edit(two, "ember-vl-8b", "symmetric_accuracy: ", "symmetric_accuracy: 1")
    (two.folder / "entries/old/stray").mkdir(parents=True)
    (two.folder / "entries/old/stray/x").write_text("x")
    committed(two, "board.yaml", "entries/ember-vl-8b", "entries/old")
    old = [f"ember-vl-8b/{NAME}: claims symmetric_accuracy", "'old/stray': expected an edition"]
    assert rejected(run(two, sources, "check").output) == ["old/stray", f"ember-vl-8b/{NAME}"]
    done = run(two, sources, "check", "--against", "main")
    assert done.exit_code == 0, done.output
    assert all(f"note: not an error of this request: {line}" in done.output for line in old)
    (two.folder / "entries/drift-vl-12b/\udcff").mkdir()  # bytes that are no UTF-8
    (two.folder / "entries/drift-vl-12b/\udcff/x").write_text("x")
    done = run(two, sources, "check", "--against", "main")
    assert (done.exit_code, rejected(done.output)) == (1, ["drift-vl-12b/\\udcff"])
    shutil.rmtree(two.folder / "entries/drift-vl-12b/\udcff")
    edit(two, "drift-vl-12b", "symmetric_accuracy: ", "symmetric_accuracy: 1")
    done = run(two, sources, "check", "--against", "main")
    assert (done.exit_code, rejected(done.output)) == (1, [f"drift-vl-12b/{NAME}"])
