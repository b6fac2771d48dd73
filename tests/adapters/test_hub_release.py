"""What a push would do, what it asks before, folders such as a leaderboard's, and edits of small files."""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hub_standin import HubStandin
from PIL import Image

from vhbench import splits
from vhbench.adapters import hub, hub_release
from vhbench.adapters.hub_release import Release, ReleaseTarget, place, push, push_folder
from vhbench.images import to_png
from vhbench.schema import Question, Row, VhbenchError

REPO = "org/ode"
CARD = "---\nlicense: cc0-1.0\n---\n# Card\n"
PIXEL = to_png(Image.new("RGB", (2, 2)))
QUESTION = Question("q", images=(PIXEL,), question="Is it red?", answer="no", kind="yes_no", benchmark="ode")
SHARD = "a/test-00000-of-00001.parquet"
LISTED = {SHARD, "b/test-00000-of-00001.parquet", "digests.parquet", "manifest.json", "rejections.jsonl"}


def split(folder: Path, version: str = "1.0.0", configs: str = "ab", **changes: Any) -> Path:
    """Write a split with a question in each config, and its card."""
    rows = [Row(config, replace(QUESTION, id=f"q{config}", **changes)) for config in configs]
    splits.write_split(folder, rows, benchmark="ode", version=version, seed=0, config={})
    (folder / "README.md").write_text(CARD)
    return folder


@pytest.fixture
def online(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    with hub.in_process(tmp_path / "cache"):
        yield hub


def add(hub: HubStandin, repo: str = REPO, **files: bytes) -> None:
    """Commit files as a person would, on the Hub's page."""
    lines = [{"path": name, "content": base64.b64encode(data).decode()} for name, data in files.items()]
    hub.commit(repo, [{"key": "header", "value": {"summary": "x"}}, *({"key": "file", "value": v} for v in lines)])


def test_a_dry_run_compares_only_with_a_login(
    online: HubStandin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = split(tmp_path / "ode")
    files = ("README.md", *sorted(LISTED))
    assert push(folder, REPO, dry_run=True) == Release(REPO, "", "v1.0.0", files)
    assert online.load(REPO) is None
    done = push(folder, REPO)
    assert (done.uploaded, done.deleted, done.replaced, done.is_backport) == (files, (), (), False)
    newer = split(tmp_path / "new", "1.1.0", configs="a")
    online.requests.clear()
    planned = push(newer, REPO, dry_run=True)
    assert (planned.sha, planned.tag, planned.is_new) == (done.sha, "v1.1.0", True)
    assert planned.deleted == ("b/test-00000-of-00001.parquet",)
    assert set(planned.uploaded) == {SHARD, "digests.parquet", "manifest.json"}  # the card is the same
    assert not [line for line in online.requests if line.startswith(("PUT", "POST"))]
    again = push(folder, REPO, dry_run=True)
    assert (again.sha, again.is_new, again.uploaded) == (done.sha, False, ())
    monkeypatch.delenv("HF_TOKEN")
    assert push(newer, REPO, dry_run=True).uploaded == ("README.md", SHARD, *sorted(LISTED)[2:])
    with pytest.raises(VhbenchError) as raised:
        push(newer, REPO)
    assert str(raised.value) == "no token for the Hub: set HF_TOKEN, or log in with `hf auth login`"


def test_files_of_others_are_replaced_only_with_leave(online: HubStandin, tmp_path: Path) -> None:
    folder = split(tmp_path / "ode")
    online.create(REPO, private=False)
    add(online, **{"README.md": b"# Mine", "paper.pdf": b"%PDF"})
    asked: list[str] = []
    with pytest.raises(VhbenchError) as raised:
        push(folder, REPO, overwrite=lambda names: bool(asked.extend(names)))
    assert str(raised.value) == f"{REPO}: not released, because files of others would be replaced"
    assert asked == ["README.md"]
    assert online.resolve(REPO, "v1.0.0") is None
    assert push(folder, REPO).replaced == ("README.md",)
    assert online.files(REPO)["paper.pdf"] == b"%PDF"
    other = split(tmp_path / "new", "1.1.0")
    (other / "README.md").write_text(f"{CARD}New\n")
    assert push(other, REPO).replaced == ()  # the card is ours by now


def test_data_that_no_version_put_there_is_refused(online: HubStandin, tmp_path: Path) -> None:
    online.create(REPO, private=False)
    add(online, **{"a/test-00000-of-00002.parquet": b"x", "c/test-00000-of-00001.parquet": b"x"})
    with pytest.raises(VhbenchError) as raised:
        push(split(tmp_path / "ode"), REPO, dry_run=True)
    assert str(raised.value) == (
        "org/ode has data that no version of the benchmark put there (2 files, such as "
        "'a/test-00000-of-00002.parquet'), and tasks refuse rows that no hash covers: delete them first, or name "
        "another repository"
    )


def test_a_target_that_is_known_is_not_looked_up_again(online: HubStandin, tmp_path: Path) -> None:
    first, second = split(tmp_path / "ode"), split(tmp_path / "new", "1.1.0")
    assert place(REPO, splits.read_manifest(first)) == ReleaseTarget()
    assert push(first, REPO, put=ReleaseTarget()).is_new  # it was no repository, and is one by now
    add(online, **{"paper.pdf": b"%PDF"})
    target = place(REPO, splits.read_manifest(second))
    assert (target.branch, target.head, target.tagged) == ("main", online.resolve(REPO, "main"), "")
    assert target.ours == LISTED
    assert target.of_others(["README.md", "paper.pdf", SHARD, "new.txt"]) == ("paper.pdf",)
    assert target.files[SHARD] == hashlib.sha256((first / SHARD).read_bytes()).hexdigest()
    online.requests.clear()
    push(second, REPO, put=target, dry_run=True)
    assert not [line for line in online.requests if "/tree/" in line or "/refs" in line]
    assert place(REPO, splits.read_manifest(first)).tagged == online.resolve(REPO, "v1.0.0")


def test_another_tag_of_the_same_name_is_noticed(
    online: HubStandin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "commit_of", lambda *_: "f" * 40)
    with pytest.raises(VhbenchError) as raised:
        push(split(tmp_path / "ode"), REPO)
    assert str(raised.value) == f"{REPO}: another push made the tag v1.0.0; run the command again"


BOARD = {"README.md": CARD, "entries/a/entry.yaml": "a: 1", "board.json": "{}", "key.pem": "secret"}
OWNED = ("entries", "board.json")


def board(folder: Path, **texts: str) -> Path:
    for name, text in (texts or BOARD).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("kind", ["dataset", "space"])
def test_a_folder_is_one_commit_of_the_files_that_are_ours(online: HubStandin, tmp_path: Path, kind: Any) -> None:
    folder = board(tmp_path / "board")
    (folder / "entries/link.yaml").symlink_to(folder / "key.pem")
    how: dict[str, Any] = {"message": "Refresh", "owned": OWNED}
    ours = ("README.md", "board.json", "entries/a/entry.yaml")
    assert push_folder(folder, REPO, kind, dry_run=True, **how) == Release(REPO, "", "", ours)
    assert online.load(REPO) is None
    done = push_folder(folder, REPO, kind, **how)
    assert done == Release(REPO, str(online.resolve(REPO, "main")), "", ours)
    assert online.load(REPO)["commits"][done.sha]["title"] == "Refresh"  # type: ignore[index]
    assert set(online.files(REPO)) == {*ours, ".gitattributes"}
    again = push_folder(folder, REPO, kind, **how)
    assert (again.sha, again.uploaded, again.deleted) == ("", (), ())

    add(online, **{"entries/b/entry.yaml": b"b", "paper.pdf": b"%PDF"})
    (folder / "README.md").write_text(f"{CARD}New\n")
    planned = push_folder(folder, REPO, kind, dry_run=True, **how)
    assert (planned.uploaded, planned.deleted) == (("README.md",), ("entries/b/entry.yaml",))
    (folder / "README.md").write_text(BOARD["README.md"])
    done = push_folder(folder, REPO, kind, **how)
    assert (done.uploaded, done.deleted) == ((), ("entries/b/entry.yaml",))
    assert set(online.files(REPO)) == {*ours, ".gitattributes", "paper.pdf"}


def test_a_folder_needs_a_file_of_ours_and_a_login(
    online: HubStandin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = board(tmp_path / "board", **{"key.pem": "secret"})
    with pytest.raises(VhbenchError) as raised:
        push_folder(folder, REPO, "dataset", message="", owned=OWNED)
    assert str(raised.value) == f"{folder}: expected at least one file to upload"
    board(folder)
    monkeypatch.delenv("HF_TOKEN")
    planned = push_folder(folder, REPO, "dataset", message="", owned=OWNED, dry_run=True)
    assert planned.uploaded == ("README.md", "board.json", "entries/a/entry.yaml")
    with pytest.raises(VhbenchError, match=r"^no token for the Hub"):
        push_folder(folder, REPO, "dataset", message="", owned=OWNED)
    with pytest.raises(VhbenchError, match="expected ORG/NAME"):
        push_folder(folder, "board", "dataset", message="", owned=OWNED)


def test_small_files_are_replaced_on_the_head_that_was_read(online: HubStandin) -> None:
    online.create(REPO, private=False)
    head = str(online.resolve(REPO, "main"))
    done = hub_release.edit(REPO, head, {"yanked.json": "{}", "README.md": f"{CARD}é"}, "Withdraw v1.0.0")
    assert done == online.resolve(REPO, "main") != head
    assert online.load(REPO)["commits"][done]["title"] == "Withdraw v1.0.0"  # type: ignore[index]
    assert online.files(REPO)["README.md"] == f"{CARD}é".encode()
    with pytest.raises(VhbenchError, match=f"^{REPO}: another push interfered"):
        hub_release.edit(REPO, head, {"README.md": CARD}, "Late")


def test_a_file_is_compared_by_either_digest_of_the_hub(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\n")
    file = hub_release._local_file("x/a.txt", tmp_path / "a.txt")
    blob = "78981922613b2afb6025042ff6bd878ac1994e85"  # `git hash-object a.txt`
    digest = hashlib.sha256(b"a\n").hexdigest()
    assert (file.name, file.size, file.sha256, file.blob) == ("x/a.txt", 2, digest, blob)
    assert [file.equals(digest), file.equals(blob), file.equals(None), file.equals("")] == [True, True, False, False]
    assert hub_release._changed({"b": file, "a": file, "c": file}, {"c": blob, "a": "0"}) == ("a", "b")
