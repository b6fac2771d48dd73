"""What a pull request may change: only the submitter's own folder, under the rules of the branch that it is for."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from vhbench.leaderboard.boards import read_board
from vhbench.leaderboard.entries import entries
from vhbench.leaderboard.pull_requests import read_request
from vhbench.schema import VhbenchError

RULES = {"format": "vhbench-board-1", "title": "A board"}
RULES["editions"] = [{"benchmark": "ode", "version": "2.0.0", "content_hash": "0" * 64}]  # type: ignore[assignment]
ODE = "ode-2.0.0"


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e", *words], check=True)


def entry(root: Path, model: str, submitter: str = "", edition: str = ODE) -> None:
    folder = root / "entries" / model / edition
    folder.mkdir(parents=True, exist_ok=True)
    told = {"name": model, **({"submitter": submitter} if submitter else {})}
    (folder / "entry.yaml").write_text(yaml.safe_dump(told))
    (folder / "answers.parquet").write_bytes(b"x" + model.encode() + submitter.encode())


@pytest.fixture(params=["", "boards/one"])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A board in git, at the top or below, on the branch of a pull request."""
    root = tmp_path / "repository" / request.param
    root.mkdir(parents=True)
    (root / "board.yaml").write_text(yaml.safe_dump(RULES))
    for model, submitter in (("mine", "me"), ("theirs", "they"), ("ours", "")):
        entry(root, model, submitter)
    git(tmp_path / "repository", "init", "-q", "-b", "main")
    git(tmp_path / "repository", "add", "-A")
    git(tmp_path / "repository", "commit", "-qm", "board")
    git(tmp_path / "repository", "checkout", "-q", "-b", "request")
    return root


def remove(path: Path) -> None:
    path.unlink()


CASES: list[tuple[Callable[[Path], object], list[str], str]] = [
    (lambda root: entry(root, "new", "me"), [f"added    new/{ODE}"], ""),
    (lambda root: (root / f"entries/mine/{ODE}/answers.parquet").write_bytes(b"y"), [f"changed  mine/{ODE}"], ""),
    (lambda root: [remove(path) for path in (root / f"entries/mine/{ODE}").iterdir()], [f"deleted  mine/{ODE}"], ""),
    (lambda root: (root / f"entries/theirs/{ODE}/answers.parquet").write_bytes(b"y"), [f"changed  theirs/{ODE}"],
     "theirs: belongs to 'they'; got changes by 'me'"),
    (lambda root: [remove(path) for path in (root / f"entries/ours/{ODE}").iterdir()], [f"deleted  ours/{ODE}"],
     "ours: belongs to the maintainers"),
    (lambda root: entry(root, "theirs", "me"), [f"changed  theirs/{ODE}"], "theirs: belongs to 'they'"),
    (lambda root: entry(root, "new", "they"), [f"added    new/{ODE}"], "expected submitter 'me', got 'they'"),
    (lambda root: [entry(root, "new", "me"), entry(root, "newer", "me")],
     [f"added    new/{ODE}", f"added    newer/{ODE}"], "changes the entries of 2 models"),
    (lambda root: (root / "board.yaml").write_text("format: x"), [], "'board.yaml': is outside"),
    (lambda root: _file(root / f"reproduced/new/{ODE}.yaml"), [], "is outside of the submitter's own folder"),
    (lambda root: _file(root / ".github/workflows/leaderboard.yml"), [], "is outside of the submitter's own folder"),
    (lambda root: _file(root / "entries/x"), [], "'entries/x': is outside"),
    (lambda root: _file(root / "changes.csv"), [], "'changes.csv': is outside"),
]  # fmt: skip


def _file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")


@pytest.mark.parametrize(("change", "lines", "fault"), CASES)
@pytest.mark.parametrize("committed", [True, False])
def test_a_request_is_listed_and_kept_to_its_own_folder(
    root: Path, change: Callable[[Path], object], lines: list[str], fault: str, committed: bool
) -> None:
    change(root)
    if committed:
        git(root, "add", "-A")
        git(root, "commit", "-qm", "request")
    request = read_request(root, "main")
    assert [f"{kind:8} {title}" for title, kind in request.entries.items()] == lines
    faults = list(request.faults("me"))
    assert len(faults) == (fault != "")
    assert fault in "\n".join(faults)
    # The rules are those of the base, whatever the request says.
    assert read_board(root, request.rules).title == "A board"


def test_without_an_account_only_new_models_are_taken(root: Path) -> None:
    entry(root, "new")
    assert list(read_request(root, "main").faults()) == []
    (root / f"entries/mine/{ODE}/answers.parquet").write_bytes(b"y")
    assert "got changes by 'an unknown account'" in "\n".join(read_request(root, "main").faults())


def test_accounts_are_the_same_in_any_case(root: Path) -> None:
    entry(root, "mine", "Me")
    assert list(read_request(root, "main").faults("ME")) == []


def test_a_model_belongs_to_the_first_account_that_its_entries_name(root: Path) -> None:
    for edition, submitter in (("mioh-1.0.0", ""), ("ode-2.1.0", "they"), ("vhexpansion-1.0.0", "")):
        entry(root, "mine", submitter, edition)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more entries")
    assert read_request(root, "HEAD").owners == {"mine": "me", "theirs": "they", "ours": ""}


def test_an_entry_that_cannot_be_read_is_left_to_the_check_of_entries(root: Path) -> None:
    entry(root, "new", "me")
    (root / f"entries/new/{ODE}/entry.yaml").write_text("submitter: me\nsubmitter: me\n")
    request = read_request(root, "main")
    assert (list(request.faults("me")), request.submitters) == ([], {})


def test_a_name_that_is_not_utf_8_is_that_of_the_folder(root: Path) -> None:
    """Or ``check`` takes its error for one of the base."""
    folder = Path(os.fsdecode(os.fsencode(root / "entries") + b"/evil\xff"))
    _file(folder / "x" / "f")
    request = read_request(root, "main")
    assert list(request.entries) == [f"{folder.name}/x"]
    _, [(stray, _)] = entries(read_board(root, request.rules))
    assert stray == folder.name


@pytest.mark.parametrize("base", ["nowhere", "--output=/tmp/x", ""])
def test_another_revision_is_an_error(root: Path, base: str) -> None:
    with pytest.raises(VhbenchError, match=f"expected a revision .* {base}"):
        read_request(root, base)
