"""A citable name leads to the release that it identifies, wherever its tag points since, or to an error."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hub_standin import HubStandin
from PIL import Image

from vhbench import splits
from vhbench.adapters.hub_names import ReleaseName, check_access
from vhbench.adapters.hub_release import push
from vhbench.images import to_png
from vhbench.schema import Question, Row, VhbenchError
from vhbench.splits import manifests

REPO = "org/ode"
PIXEL = to_png(Image.new("RGB", (2, 2)))
QUESTION = Question("q", images=(PIXEL,), question="Is it red?", answer="no", kind="yes_no", benchmark="ode")
DIGEST = "0" * 64


@pytest.fixture
def online(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    with hub.in_process(tmp_path / "cache"):
        yield hub


def pushed(folder: Path, version: str) -> tuple[ReleaseName, str]:
    """Release a split, and return its name and commit."""
    splits.write_split(folder, [Row("a", QUESTION)], benchmark="ode", version=version, seed=0, config={})
    (folder / "README.md").write_text("---\nlicense: cc0-1.0\n---\n# Card\n")
    return ReleaseName.of(splits.read_manifest(folder), REPO), push(folder, REPO).sha


def test_a_name_is_read_as_it_is_printed() -> None:
    for revision in ("v1.0.0", "a" * 40):
        text = f"hf://org/ode@{revision}#sha256:{DIGEST}"
        assert ReleaseName.parse(text) == ReleaseName("org/ode", revision, DIGEST)
        assert str(ReleaseName.parse(text)) == text


@pytest.mark.parametrize("text", ["", f"hf://org/ode@main#sha256:{DIGEST}", f"hf://org/ode@v1.0.0#sha256:{DIGEST}0"])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        ReleaseName.parse(text)
    assert str(raised.value) == (
        f"release {text!r}: expected hf://ORG/NAME@v1.0.0#sha256:DIGEST (64 lower-case hexadecimal digits), as "
        "`vhbench push` and the dataset card print it"
    )


def test_a_long_name_is_cut_and_a_bad_repository_is_refused() -> None:
    with pytest.raises(VhbenchError, match=rf"^release '{'x' * 200}': expected"):
        ReleaseName.parse("x" * 300)
    with pytest.raises(VhbenchError, match=r"expected ORG/NAME of letters, digits and _ \. -, got 'ode'"):
        ReleaseName.parse(f"hf://ode@v1.0.0#sha256:{DIGEST}")


def test_the_repository_of_a_folder_in_the_cache() -> None:
    commit = "0123456789" * 4
    assert ReleaseName.origin(Path("/hub/datasets--org--a--b/snapshots") / commit) == ("org/a--b", commit)
    for other in ("/hub/models--org--ode/snapshots/" + commit, "/hub/datasets--org--ode/snapshots/main", "ode", ""):
        assert ReleaseName.origin(Path(other)) == ("", "")


def test_a_name_leads_to_its_release_and_offline_to_its_copy(online: HubStandin, tmp_path: Path) -> None:
    name, sha = pushed(tmp_path / "ode", "1.0.0")
    assert (name.repo_id, name.revision) == (REPO, "v1.0.0")
    assert name.sha256 == manifests.manifest_digest(splits.read_manifest(tmp_path / "ode"))
    assert name.manifest() == splits.read_manifest(tmp_path / "ode")
    folder = name.folder()
    assert (folder.name, splits.verify(folder)) == (sha, [])
    assert ReleaseName.origin(folder) == (REPO, sha)
    assert replace(name, revision=sha).folder() == folder
    online.requests.clear()
    assert (name.folder(), name.manifest().version) == (folder, "1.0.0")
    assert online.requests == []  # all of it is in the cache


def test_a_name_of_another_release_is_refused(online: HubStandin, tmp_path: Path) -> None:
    first, sha = pushed(tmp_path / "ode", "1.0.0")
    second, _ = pushed(tmp_path / "new", "1.1.0")
    mixed = replace(first, revision="v1.1.0")
    with pytest.raises(VhbenchError) as raised:
        mixed.manifest()
    assert str(raised.value) == (
        f"{mixed}: expected a manifest with this SHA-256, got {second.sha256}; the tag was moved, or the name is of "
        "another release"
    )
    data = online.load(REPO)
    assert data is not None
    online.save(REPO, {**data, "tags": {**data["tags"], "v3.0.0": sha}})
    moved = replace(first, revision="v3.0.0")
    with pytest.raises(VhbenchError) as raised:
        moved.folder()
    assert str(raised.value) == f"{moved}: expected version 3.0.0 of its tag, got 1.0.0"
    unknown = replace(first, revision="v4.0.0")
    with pytest.raises(VhbenchError) as raised:
        unknown.manifest()
    assert str(raised.value) == f"{unknown}: there is no such commit, or it was deleted"


def test_whether_a_version_could_be_pushed_is_known_before_it_is_built(
    online: HubStandin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_access(REPO, "1.0.0", online=True)  # a new repository
    pushed(tmp_path / "ode", "1.0.0")
    online.requests.clear()
    check_access(REPO, "1.1.0", online=True)
    assert any("preupload/main" in line for line in online.requests)
    online.requests.clear()
    check_access(REPO, "1.1.0", online=False)
    check_access(REPO, "0.9.0", online=True)  # to a branch of its own
    assert sum("preupload" in line for line in online.requests) == 0
    online.refuse(REPO, "protected")
    with pytest.raises(VhbenchError, match=r"^branch main of org/ode: the token has no write access"):
        check_access(REPO, "1.1.0", online=True)
    check_access(REPO, "1.1.0", online=False)
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(VhbenchError, match=r"^push to org/ode: the Hub does not accept the token$"):
        check_access(REPO, "1.1.0", online=True)
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(VhbenchError, match=r"^no token for the Hub"):
        check_access(REPO, "1.1.0", online=True)
    check_access(REPO, "1.1.0", online=False)
    with pytest.raises(VhbenchError, match="expected ORG/NAME"):
        check_access("ode", "1.1.0", online=False)


def test_a_hub_that_cannot_be_reached_is_no_error(online: HubStandin) -> None:
    online.fail("cut", at=1)
    check_access(REPO, "1.0.0", online=True)
