"""``vhbench push``: what others put into a repository, and what is pinned already, is left or asked for."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hub_standin import HubStandin
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters.hub import snapshot
from vhbench.adapters.hub_release import ReleaseTarget
from vhbench.builds import sharding
from vhbench.cli import app
from vhbench.schema import VhbenchError
from vhbench.splits import manifests

REPO = "org/ode"
MINE = "---\nlicense: mit\ntags:\n- mine\nconfigs:\n- config_name: mine\n  data_files: x.txt\n---\n# My own dataset\n"


@pytest.fixture
def online(hub: HubStandin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubStandin]:
    monkeypatch.delenv("VHBENCH_RELEASE", raising=False)
    with hub.in_process(tmp_path / "cache"):
        yield hub


def build(folder: Path, version: str = "1.0.0", seed: int = 0) -> Path:
    sharding.run(ToyBuild(shards=1, rows=2, version=version, seed=seed), folder, progress=False)
    return folder / "ode"


def push(split: Path, version: str, *options: object) -> tuple[int, str]:
    """Push in this process; return (exit code, output)."""
    arguments = ["push", split, "--repo-id", REPO, "--version", version, *options]
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if isinstance(result.exception, VhbenchError):
        return 2, str(result.exception)
    return result.exit_code, result.output


def put(hub: HubStandin, **files: str) -> None:
    """Commit files as a person does."""
    content = {name: base64.b64encode(text.encode()).decode() for name, text in files.items()}
    lines: list[dict[str, Any]] = [{"key": "header", "value": {"summary": "x"}}]
    lines += [{"key": "file", "value": {"path": name, "content": text}} for name, text in content.items()]
    assert hub.commit(REPO, lines)[0] == 200


def test_files_of_others_are_replaced_only_when_that_is_wanted(online: HubStandin, tmp_path: Path) -> None:
    split = build(tmp_path)
    in_the_way = ("CHANGELOG.md", "eval.yaml", "croissant.json", "scenes.parquet", "a/test-00000-of-00001.parquet")
    online.create(REPO, private=False)
    put(online, **{"README.md": MINE, "LICENSE": "MIT"}, **dict.fromkeys(in_the_way, "mine"))
    before = online.files(REPO)

    code, output = push(split, "1.0.0", "--dry-run")
    told = [*in_the_way, "README.md (metadata: configs)"]
    for name in told:
        assert f"  ! {name} was not written by vhbench, and would be replaced\n" in output
    assert (code, output.count("  ! "), "! LICENSE" in output) == (0, len(told), False)
    code, output = push(split, "1.0.0")  # nobody says yes
    assert code != 0
    assert all(f"  ! {name}\n" in output for name in told), output
    assert (online.files(REPO), online.resolve(REPO, "v1.0.0")) == (before, None)

    code, output = push(split, "1.0.0", "--yes")
    assert code == 0, output
    found = splits.read_manifest(snapshot(REPO, str(online.resolve(REPO, "v1.0.0"))))
    assert found.content_hash == splits.read_manifest(split).content_hash
    assert online.files(REPO)["LICENSE"] == b"MIT"


def test_a_person_s_licence_and_words_stay_through_all_versions(online: HubStandin, tmp_path: Path) -> None:
    online.create(REPO, private=False)
    put(online, **{"README.md": MINE.replace("configs:\n- config_name: mine\n  data_files: x.txt\n", "")})
    for seed, version in enumerate(("1.0.0", "2.0.0")):
        split = build(tmp_path / version, version, seed)
        code, output = push(split, version)
        assert (code, "  ! " in output) == (0, False), output  # nothing of theirs is in the way
        _, front, body = online.files(REPO)["README.md"].decode().split("---\n", 2)
        found = yaml.safe_load(front)
        assert (found["license"], found["tags"][:2]) == ("mit", ["mine", "benchmark"])
        assert len(found["tags"]) == len(set(found["tags"]))
        assert {config["config_name"] for config in found["configs"]} == {"all", *splits.read_manifest(split).rows}
        assert body.count("# My own dataset") == 1


def test_beside_a_manifest_of_ours_a_file_that_it_does_not_list_is_somebody_s() -> None:
    files = dict.fromkeys(("manifest.json", "README.md", "a/1.parquet", "a/2.parquet"), "digest")
    ours = ReleaseTarget(files=files, ours=frozenset(("manifest.json", "a/1.parquet")))
    assert ours.of_others(["README.md", "a/1.parquet", "a/2.parquet", "a/3.parquet"]) == ("a/2.parquet",)
    assert ReleaseTarget(files=files).of_others(["README.md", "eval.yaml"]) == ("README.md",)


def test_data_of_others_beside_ours_are_told_before_anything_is_sent(online: HubStandin, tmp_path: Path) -> None:
    """Else they would be released, and then every task would refuse them."""
    split = build(tmp_path)
    strays = ("a/.huggingface.yaml", "a/deep/notes.md", "a/notes.md", "data/train.parquet", "rows.parquet")
    online.create(REPO, private=False)
    put(online, **dict.fromkeys((*strays, "docs/deep/table.parquet", "LICENSE", "a/.DS_Store"), "theirs"))
    before = online.load(REPO)
    code, output = push(split, "1.0.0", "--yes")
    assert (code, "(5 files, such as 'a/.huggingface.yaml')" in output) == (2, True), output
    assert online.load(REPO) == before
    manifest = splits.read_manifest(split)
    assert all(manifests.is_stray(name, manifest) for name in strays)
