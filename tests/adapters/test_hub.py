"""Releases are there as a whole or not at all; a pinned commit is that commit or an error."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hub_standin import HubStandin
from toy_build import ToyBuild

from vhbench import splits
from vhbench.adapters import hub_release
from vhbench.adapters.hub import snapshot
from vhbench.adapters.hub_release import Release, place, push
from vhbench.builds import sharding
from vhbench.schema import Row, VhbenchError

REPO = "org/ode"
OLD = ToyBuild(rows=4, shards=2)
NEW = ToyBuild(rows=4, shards=3, version="1.1.0")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three split directories: 1.0.0, 1.1.0, and other content under the name 1.0.0."""
    folder = tmp_path_factory.mktemp("built")
    for name, build in {"1.0.0": OLD, "1.1.0": NEW, "other": ToyBuild(seed=1)}.items():
        sharding.run(build, folder / name, progress=False)
        (folder / name / "ode/README.md").write_text(f"---\nlicense: cc0-1.0\n---\n# {name}\n")
    return {path.name: path / "ode" for path in folder.iterdir()}


@pytest.fixture
def online(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    with hub.in_process(tmp_path / "cache"):
        yield hub


def release(directory: Path, **options: Any) -> Release:
    return push(directory, REPO, **options)


def content(directory: Path) -> dict[str, bytes]:
    return {p.relative_to(directory).as_posix(): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def released(hub: HubStandin, revision: str = "main") -> dict[str, bytes]:
    return {name: data for name, data in hub.files(REPO, revision).items() if name != ".gitattributes"}


def test_two_versions_and_the_first_stays(online: HubStandin, built: dict[str, Path], tmp_path: Path) -> None:
    first, second = release(built["1.0.0"]), release(built["1.1.0"])
    assert (first.tag, second.tag) == ("v1.0.0", "v1.1.0")
    assert "a/test-00000-of-00001.parquet" in second.uploaded

    old, new = snapshot(REPO, first.sha), snapshot(REPO, second.sha)
    assert {k: v for k, v in content(old).items() if k != ".gitattributes"} == content(built["1.0.0"])
    assert {k: v for k, v in content(new).items() if k != ".gitattributes"} == content(built["1.1.0"])
    assert splits.verify(old) == splits.verify(new) == []
    commits = online.load(REPO)["commits"]  # type: ignore[index]
    assert [commit["title"] for commit in commits.values()] == ["initial commit", "Release v1.0.0", "Release v1.1.0"]


def test_pushing_the_same_again_changes_nothing(online: HubStandin, built: dict[str, Path]) -> None:
    first = release(built["1.0.0"])
    before = online.load(REPO)
    assert release(built["1.0.0"]) == Release(REPO, first.sha, "v1.0.0", is_new=False)
    release(built["1.1.0"])
    assert release(built["1.0.0"]).sha == first.sha
    assert len(online.load(REPO)["commits"]) == len(before["commits"]) + 1  # type: ignore[index]


def test_a_released_version_stays_as_it_is(online: HubStandin, built: dict[str, Path]) -> None:
    release(built["1.0.0"])
    before = online.load(REPO)
    with pytest.raises(VhbenchError, match=r"has the tag v1\.0\.0 with other content .* higher --version"):
        release(built["other"])
    assert online.load(REPO) == before


def test_a_dry_run_touches_nothing(online: HubStandin, built: dict[str, Path]) -> None:
    plan = release(built["1.0.0"], dry_run=True)
    assert plan.sha == ""
    assert "manifest.json" in plan.uploaded
    assert online.load(REPO) is None


def add(hub: HubStandin, repo: str = REPO, **files: bytes) -> None:
    """Commit files as a person would, on the Hub's page."""
    lines = [{"path": name, "content": base64.b64encode(data).decode()} for name, data in files.items()]
    hub.commit(repo, [{"key": "header", "value": {"summary": "x"}}, *({"key": "file", "value": v} for v in lines)])


def test_only_what_our_manifest_listed_is_deleted(online: HubStandin, built: dict[str, Path], tmp_path: Path) -> None:
    release(built["1.0.0"])
    own = {"LICENSE": b"CC0", "paper.pdf": b"%PDF", "docs/erratum.md": b"sorry"}
    add(online, **own)
    small = splits.write_split(  # one config less
        tmp_path / "ode",
        (row for row in splits.read_rows(built["1.1.0"]) if row.config == "a"),
        benchmark="ode", version="1.1.0", seed=0, config={},
    )  # fmt: skip
    asked: list[str] = []
    with pytest.raises(VhbenchError, match=r"not released, because \d+ files would be deleted"):
        release(tmp_path / "ode", approve=lambda names: bool(asked.extend(names)))
    assert "b/test-00000-of-00001.parquet" in asked
    assert not set(asked) & {*own, *small.files}
    assert "v1.1.0" not in online.load(REPO)["tags"]  # type: ignore[index]
    done = release(tmp_path / "ode", approve=lambda names: True)
    assert list(done.deleted) == asked
    assert {name: released(online)[name] for name in own} == own
    assert splits.read_manifest(snapshot(REPO, done.sha)).content_hash == small.content_hash
    assert release(tmp_path / "ode").is_new is False


def test_another_benchmark_s_repository_is_refused(online: HubStandin, built: dict[str, Path], tmp_path: Path) -> None:
    release(built["1.0.0"])
    before = online.load(REPO)
    rows = [
        Row(row.config, replace(row.question, benchmark="mioh", benchmark_version=""))
        for row in splits.read_rows(built["1.0.0"])
    ]
    splits.write_split(tmp_path / "mioh", rows, benchmark="mioh", version="2.0.0", seed=0, config={})
    with pytest.raises(VhbenchError, match="holds the benchmark 'ode', not 'mioh': name another repository"):
        release(tmp_path / "mioh")
    online.create("org/theirs", private=False)
    add(online, "org/theirs", **{"manifest.json": b'{"format": "webpack"}'})
    with pytest.raises(VhbenchError, match=r"has a manifest\.json that is not vhbench's"):
        push(built["1.0.0"], "org/theirs")
    assert online.load(REPO) == before


def test_what_shall_be_private_never_goes_where_all_can_see_it(online: HubStandin, built: dict[str, Path]) -> None:
    online.create(REPO, private=False)
    before = online.load(REPO)
    online.requests.clear()
    with pytest.raises(VhbenchError, match="already exists and is public, so --private has no effect"):
        release(built["1.0.0"], private=True)
    assert online.load(REPO) == before
    assert not [request for request in online.requests if request.startswith(("PUT", "POST"))]
    assert push(built["1.0.0"], "org/new", private=True).is_new
    assert online.load("org/new")["private"] is True  # type: ignore[index]
    assert push(built["1.1.0"], "org/new").is_new, "a private one stays one"


def test_the_answers_of_a_hidden_edition_are_not_released(
    online: HubStandin, built: dict[str, Path], tmp_path: Path
) -> None:
    rows = list(splits.read_rows(built["1.0.0"]))
    how: dict[str, Any] = {"benchmark": "ode", "version": "1.0.0", "seed": -1, "config": {}}
    splits.write_split(tmp_path / "ode", rows, **how, extra={"commitment": "0" * 64})
    for private in (False, True):
        with pytest.raises(VhbenchError, match=r"is a hidden test set .* push it without them \(--hidden\)"):
            release(tmp_path / "ode", private=private)
    splits.write_split(tmp_path / "made" / "ode", rows, **how, extra={"hidden_source": "0" * 64})
    with pytest.raises(VhbenchError, match="was built from a hidden test set"):
        release(tmp_path / "made" / "ode")
    assert online.load(REPO) is None
    assert release(tmp_path / "ode", reveal=True).is_new


def test_a_lower_version_leaves_the_newest_alone(online: HubStandin, built: dict[str, Path], tmp_path: Path) -> None:
    build = ToyBuild(rows=4, shards=2, version="2.0.0", seed=3)
    sharding.run(build, tmp_path, progress=False)
    release(built["1.0.0"])
    newest = release(tmp_path / "ode")
    before = released(online)
    back = release(built["1.1.0"])
    assert (back.branch, back.tag) == ("backport-v1.1.0", "v1.1.0")
    assert online.resolve(REPO, "main") == newest.sha
    assert released(online) == before
    assert released(online, "v1.1.0") == content(built["1.1.0"])
    commits = online.load(REPO)["commits"]  # type: ignore[index]
    assert commits[back.sha]["parent"] == online.resolve(REPO, "v1.0.0"), "it stands on the version below it"
    assert release(built["1.1.0"]).is_new is False


@pytest.mark.parametrize("mode", ["cut", "lost", "500"])
def test_a_lower_version_cut_at_any_request_is_there_as_a_whole_or_not_at_all(
    online: HubStandin, built: dict[str, Path], tmp_path: Path, mode: str
) -> None:
    sharding.run(ToyBuild(rows=4, shards=2, version="2.0.0", seed=3), tmp_path, progress=False)
    release(built["1.0.0"])
    newest = release(tmp_path / "ode").sha
    old = online.load(REPO)
    online.heal()
    release(built["1.1.0"])
    requests = len(online.requests)
    for at in range(1, requests + 1):
        online.save(REPO, old)  # type: ignore[arg-type]
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)  # as many requests as the first time
        online.fail(mode, at=at)
        with suppress(VhbenchError):
            release(built["1.1.0"])
        assert online.resolve(REPO, "main") == newest
        tags = online.load(REPO)["tags"]  # type: ignore[index]
        assert "v1.1.0" not in tags or released(online, "v1.1.0") == content(built["1.1.0"])
        online.heal()
        release(built["1.1.0"])
        assert released(online, "v1.1.0") == content(built["1.1.0"])
        assert online.resolve(REPO, "main") == newest


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        ("gated", "access is restricted"),
        ("429", "rate limit of the Hub; run the command again in 7 seconds"),
        ("gone", "there is no such commit, or it was deleted"),
        ("private", "repository not found, or no access to it"),
    ],
)
def test_what_the_hub_refuses_to_a_reader_is_one_line(
    online: HubStandin, built: dict[str, Path], monkeypatch: pytest.MonkeyPatch, refusal: str, said: str
) -> None:
    sha = release(built["1.0.0"]).sha
    online.refuse(REPO, refusal)
    if refusal == "private":
        monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(VhbenchError, match=said) as caught:
        snapshot(REPO, sha)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mode", ["cut", "lost", "500"])
def test_a_push_cut_at_any_request_publishes_all_or_nothing(
    online: HubStandin, built: dict[str, Path], tmp_path: Path, mode: str
) -> None:
    release(built["1.0.0"])
    old = online.load(REPO)
    online.heal()
    release(built["1.1.0"])
    requests = list(online.requests)
    assert any("commit" in request for request in requests)
    assert sum(request.startswith("PUT") for request in requests) >= 2
    complete = content(built["1.1.0"])

    for at in range(1, len(requests) + 1):
        online.save(REPO, old)  # type: ignore[arg-type]
        for blob in (online.folder / "blobs").iterdir():
            if blob.read_bytes() in complete.values() and blob.read_bytes() not in content(built["1.0.0"]).values():
                blob.unlink()
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)  # as many requests as the first time
        online.fail(mode, at=at)
        try:
            release(built["1.1.0"])
            stopped = False
        except VhbenchError:
            stopped = True
        assert stopped or mode == "lost", f"request {at} ({requests[at - 1]}) failed and nobody noticed"
        assert released(online) in (content(built["1.0.0"]), complete), f"half a release after request {at}"
        tags = online.load(REPO)["tags"]  # type: ignore[index]
        assert "v1.1.0" not in tags or released(online, "v1.1.0") == complete
        assert released(online, "v1.0.0") == content(built["1.0.0"])

        online.heal()
        again = release(built["1.1.0"])
        assert released(online, "v1.1.0") == released(online) == complete
        assert online.resolve(REPO, "v1.1.0") == again.sha
        new = [c for sha, c in online.load(REPO)["commits"].items() if sha not in old["commits"]]  # type: ignore[index]
        assert len(new) == 1, f"{len(new)} commits after request {at} and a rerun"


@pytest.mark.parametrize("mode", ["429", "500", "502", "503", "cut", "lost"])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_push_survives_faults_that_pass(online: HubStandin, built: dict[str, Path], mode: str, share: float) -> None:
    """Thirty faults: two requests in a row fail, somewhere in the push; a rerun, if one is needed, completes it."""
    release(built["1.1.0"])
    requests = len(online.requests)
    online.reset(REPO)
    online.fail(mode, at=max(1, round(share * requests)), times=2)
    with suppress(VhbenchError):
        release(built["1.0.0"])
    online.heal()
    assert release(built["1.0.0"]).tag == "v1.0.0"
    data = online.load(REPO)
    assert data is not None
    assert [commit["title"] for commit in data["commits"].values()] == ["initial commit", "Release v1.0.0"]
    assert data["tags"] == {"v1.0.0": data["branches"]["main"]}
    files = {name: content for name, content in released(online).items() if name != ".gitattributes"}
    assert files == content(built["1.0.0"])


def test_upload_and_commit_need_no_rerun(online: HubStandin, built: dict[str, Path]) -> None:
    release(built["1.1.0"])
    sent = [i for i, line in enumerate(online.requests, 1) if re.search(r"preupload|batch|/lfs/|/commit/|/tag/", line)]
    assert len(sent) > 5
    for at in sent:
        online.reset(REPO)
        online.fail("lost" if at % 2 else "503", at=at, times=2)
        assert release(built["1.1.0"]).is_new, online.requests
        online.heal()


def test_a_protected_branch_is_named_before_anything_is_sent(online: HubStandin, built: dict[str, Path]) -> None:
    release(built["1.0.0"])
    put = place(REPO, splits.read_manifest(built["1.1.0"]))
    online.refuse(REPO, "protected")
    before = online.load(REPO)
    online.requests.clear()
    with pytest.raises(VhbenchError, match=r"branch main of org/ode: the token has no write access, .* is protected"):
        release(built["1.1.0"], put=put)
    assert online.load(REPO) == before
    assert not [line for line in online.requests if "repos/create" in line or "/lfs/" in line]


@pytest.fixture
def by_xet(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    """A Hub to which the client uploads as it does by default where hf-xet is installed."""
    pytest.importorskip("hf_xet")
    with hub.in_process(tmp_path / "cache", xet=True):
        yield hub


def test_files_go_and_come_through_xet(by_xet: HubStandin, built: dict[str, Path], tmp_path: Path) -> None:
    first, second = release(built["1.0.0"]), release(built["1.1.0"])
    sent = list(by_xet.requests)
    assert any("/v1/xorbs/" in line for line in sent)
    assert not any("/lfs/" in line for line in sent)
    by_xet.requests.clear()
    for name, done in (("1.0.0", first), ("1.1.0", second)):
        folder = snapshot(REPO, done.sha)
        assert {k: v for k, v in content(folder).items() if k != ".gitattributes"} == content(built[name])
    shards = [name for name in content(folder) if name.endswith(".parquet")]
    assert sum("/v1/reconstructions/" in line for line in by_xet.requests) >= len(shards)
    assert not [line for line in by_xet.requests if line.startswith("GET /datasets/") and "parquet" in line]
    assert release(built["1.1.0"]).is_new is False


@pytest.mark.parametrize("place", ["xet-write-token", "/v1/xorb-grants/", "/v1/xorbs/", "/v2/shards", "/v1/shards"])
def test_an_upload_through_xet_survives_faults_that_pass(
    by_xet: HubStandin, built: dict[str, Path], tmp_path: Path, place: str
) -> None:
    release(built["1.1.0"])
    at = next(number for number, line in enumerate(by_xet.requests, 1) if place in line)
    for seed, mode in enumerate(("429", "500", "503", "cut", "lost"), 1):
        by_xet.reset(REPO)
        folder = tmp_path / mode  # content of its own: xet sends nothing twice
        sharding.run(ToyBuild(rows=4, shards=3, seed=10 * seed), folder, progress=False)
        by_xet.fail(mode, at=at, times=2)
        assert release(folder / "ode").is_new
        by_xet.heal()
        data = by_xet.load(REPO)
        assert data is not None
        assert [commit["title"] for commit in data["commits"].values()] == ["initial commit", "Release v1.0.0"]
        assert data["tags"] == {"v1.0.0": data["branches"]["main"]}
        assert released(by_xet, "v1.0.0") == content(folder / "ode")


@pytest.mark.parametrize("mode", ["500", "cut"])
def test_without_the_storage_of_xet_nothing_is_published(
    by_xet: HubStandin, built: dict[str, Path], monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("HF_XET_CLIENT_RETRY_MAX_ATTEMPTS", "1")
    failure = by_xet.failure
    monkeypatch.setattr(by_xet, "failure", lambda line: failure(line) or (mode if "/v1/xorbs/" in line else ""))
    with pytest.raises(VhbenchError, match=r"push to org/ode: .*; run the command again to resume") as caught:
        release(built["1.0.0"])
    assert "\n" not in str(caught.value)
    assert by_xet.resolve(REPO, "v1.0.0") is None
    assert set(by_xet.files(REPO)) == {".gitattributes"}
    monkeypatch.setattr(by_xet, "failure", failure)
    assert release(built["1.0.0"]).is_new, "a rerun completes it"


def test_somebody_else_pushes_meanwhile(
    online: HubStandin, built: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    release(built["1.0.0"])
    commit = hub_release._commit

    def overtaken(*args: object, **options: object) -> str:
        stray = {"key": "file", "value": {"path": "stray.txt", "content": "eA=="}}
        online.commit(REPO, [{"key": "header", "value": {"summary": "stray"}}, stray])
        return commit(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(hub_release, "_commit", overtaken)
    with pytest.raises(VhbenchError, match="another push interfered"):
        release(built["1.1.0"])
    assert "stray.txt" in released(online)
    assert online.resolve(REPO, "v1.1.0") is None


@pytest.mark.parametrize("revision", ["v1.0.0", "main", "0123abc", "", "../../etc"])
def test_a_name_that_can_move_is_refused(revision: str) -> None:
    with pytest.raises(VhbenchError, match="expected a commit of 40 hexadecimal digits"):
        snapshot(REPO, revision)


@pytest.mark.parametrize("repo", ["ode", "a/b/c", "../x/y", "org/..", "https://x/y"])
def test_a_wrong_repository_is_refused(repo: str) -> None:
    with pytest.raises(VhbenchError, match="expected ORG/NAME"):
        snapshot(repo, "0" * 40)


def test_a_commit_that_does_not_exist_is_never_other_data(online: HubStandin, built: dict[str, Path]) -> None:
    sha = release(built["1.0.0"]).sha
    snapshot(REPO, sha)
    with pytest.raises(VhbenchError, match=r"there is no such commit|not in the local cache"):
        snapshot(REPO, "f" * 40)
    with pytest.raises(VhbenchError, match="not in the local cache, and the Hub cannot be reached"):
        snapshot(REPO, "f" * 40, offline=True)
    with pytest.raises(VhbenchError, match=r"repository not found|not in the local cache"):
        snapshot("org/none", sha)
    assert splits.verify(snapshot(REPO, sha, offline=True)) == []


def test_an_incomplete_cache_is_an_error(online: HubStandin, built: dict[str, Path]) -> None:
    sha = release(built["1.0.0"]).sha
    folder = snapshot(REPO, sha)
    (folder / "a/test-00000-of-00001.parquet").unlink()
    with pytest.raises(VhbenchError, match=r"lacks a/test-00000-of-00001\.parquet|not in the local cache"):
        snapshot(REPO, sha, offline=True)
    assert splits.verify(snapshot(REPO, sha)) == []


def test_a_stray_shard_in_the_cache_is_an_error(online: HubStandin, built: dict[str, Path]) -> None:
    sha = release(built["1.0.0"]).sha
    stray = snapshot(REPO, sha) / "a/test-00001-of-00009.parquet"
    stray.write_bytes(b"x")
    with pytest.raises(VhbenchError, match=r"test-00001-of-00009\.parquet: is not listed in the manifest"):
        snapshot(REPO, sha)


@pytest.mark.parametrize("name", ["payload.pkl", "ode.py", "a/test-extra.parquet"])
def test_a_file_that_no_split_has_is_never_pushed(
    online: HubStandin, built: dict[str, Path], tmp_path: Path, name: str
) -> None:
    split = shutil.copytree(built["1.0.0"], tmp_path / "evil")
    (split / name).write_bytes(b"x")
    manifest = json.loads((split / "manifest.json").read_text())
    manifest["files"][name] = hashlib.sha256(b"x").hexdigest()
    (split / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(VhbenchError, match=f"manifest.json: lists {name}; a split has"):
        release(split)
    assert online.load(REPO) is None


def test_a_cached_release_can_be_reached_by_a_link(online: HubStandin, built: dict[str, Path], tmp_path: Path) -> None:
    folder = snapshot(REPO, release(built["1.0.0"]).sha)
    link = tmp_path / "data/ode"
    link.parent.mkdir()
    link.symlink_to(folder)
    assert splits.verify(link) == []
    assert len(list(splits.read_rows(link))) == sum(splits.read_manifest(folder).rows.values())
    # A link inside still leads nowhere but to the cache's own blobs.
    shard = folder / "a/test-00000-of-00001.parquet"
    outside = shard.resolve().rename(tmp_path / "outside.parquet")
    shard.unlink()
    shard.symlink_to(outside)
    assert "is a link that leads out of the split directory" in splits.verify(link)[0]


def test_the_token_is_needed_and_never_shown(
    online: HubStandin, built: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrongwrongwrong")
    with pytest.raises(VhbenchError, match="the Hub does not accept the token") as caught:
        release(built["1.0.0"])
    assert "wrongwrong" not in str(caught.value)
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(VhbenchError, match="no token for the Hub: set HF_TOKEN"):
        release(built["1.0.0"])


def test_two_processes_can_fetch_at_once(online: HubStandin, built: dict[str, Path], tmp_path: Path) -> None:
    sha = release(built["1.0.0"]).sha
    code = "import sys; from vhbench.adapters.hub import snapshot; print(snapshot(*sys.argv[1:]))"
    environment = {**os.environ, **online.environment(tmp_path / "fresh")}
    command = [sys.executable, "-c", code, REPO, sha]
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    folders = {process.communicate(timeout=60)[0].strip() for process in processes}
    assert len(folders) == 1
    assert splits.verify(Path(folders.pop())) == []
    assert json.loads((tmp_path / "hub/org--ode.json").read_text())["tags"] == {"v1.0.0": sha}
