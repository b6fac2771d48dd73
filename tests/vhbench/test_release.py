"""``vhbench push`` from end to end, against a Hub of the test's own."""

import base64
import hashlib
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import golden_options
import pytest
import yaml
from hub_standin import TOKEN, HubStandin
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import release, splits
from vhbench.adapters import hub_release
from vhbench.adapters.hub import snapshot
from vhbench.adapters.hub_names import ReleaseName
from vhbench.builds import hidden_seed, sharding
from vhbench.card.dataset_card import BEGIN, END
from vhbench.cli import app
from vhbench.schema import Manifest, VhbenchError
from vhbench.splits import answer_keys

ROOT = Path(__file__).resolve().parent.parent.parent
REPO = "org/ode"
Command = Callable[..., tuple[int, str]]


@pytest.fixture(autouse=True)
def _no_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VHBENCH_RELEASE", raising=False)


@pytest.fixture
def online(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    with hub.in_process(tmp_path / "cache"):
        yield hub


@pytest.fixture
def command() -> Command:
    """The command: Command, run in this process; returns (exit code, output)."""

    def run(*arguments: object) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["push", *map(str, arguments)])
        if isinstance(result.exception, VhbenchError):
            return 2, str(result.exception)
        return result.exit_code, result.output

    return run


def build(folder: Path, **options: object) -> Path:
    small: dict[str, Any] = {"shards": 2, "rows": 2, **options}  # a card takes seconds for 30 questions
    sharding.run(ToyBuild(**small), folder, progress=False)
    return folder / "ode"


@pytest.mark.slow
def test_release_pin_and_release_again(online: HubStandin, command: Command, tmp_path: Path) -> None:
    old, new = build(tmp_path / "1"), build(tmp_path / "2", seed=1, version="2.0.0")

    code, output = command(old, "--repo-id", REPO, "--version", "1.0.0")
    assert code == 0, output
    first = online.resolve(REPO, "v1.0.0")
    assert f"commit {first}" in output
    name = f"hf://{REPO}@v1.0.0#sha256:{hashlib.sha256((old / 'manifest.json').read_bytes()).hexdigest()}"
    assert output.endswith(f"\nVHBENCH_RELEASE={name}\n")
    assert f'VHBENCH_RELEASE="{name}" lmms-eval' in online.files(REPO)["README.md"].decode()

    code, output = command(new, "--repo-id", REPO, "--version", "2.0.0", "--notes", "Other scenes.")
    assert code == 0, output
    changelog = online.files(REPO)["CHANGELOG.md"].decode()
    assert changelog == "### 2.0.0\n\nOther scenes.\n\n### 1.0.0\n\nFirst release.\n"
    assert "Other scenes." in online.files(REPO)["README.md"].decode()
    assert splits.verify(snapshot(REPO, str(first))) == []

    commits = len(online.load(REPO)["commits"])  # type: ignore[index]
    for directory, version in ((new, "2.0.0"), (old, "1.0.0")):
        code, output = command(directory, "--repo-id", REPO, "--version", version)
        assert code == 0, output
        assert f"nothing new: {REPO} has v{version} with this content already" in output
    assert len(online.load(REPO)["commits"]) == commits  # type: ignore[index]


def test_a_dry_run_sends_nothing(online: HubStandin, command: Command, tmp_path: Path) -> None:
    directory = build(tmp_path)
    code, output = command(directory, "--repo-id", REPO, "--version", "1.0.0", "--dry-run")
    assert code == 0, output
    assert f"dry run, nothing uploaded: {REPO} would get 11 files and the tag v1.0.0\n" in output
    assert "  + a/test-00000-of-00001.parquet" in output
    assert online.load(REPO) is None


def test_the_hub_is_asked_once_where_a_version_goes(
    online: HubStandin, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def place(repo_id: str, manifest: Manifest) -> hub_release.ReleaseTarget:
        asked.append(manifest.version)
        return found(repo_id, manifest)

    found = hub_release.place
    for module in (hub_release, release):
        monkeypatch.setattr(module, "place", place)
    versions = ("1.0.0", "2.0.0")
    for seed, version in enumerate(versions):
        split = build(tmp_path / version, seed=seed, version=version, shards=1, rows=2)
        for options in (["--dry-run"], []):
            code, output = command(split, "--repo-id", REPO, "--version", version, *options)
            assert code == 0, output
    # Once by each, but by the first push: there is no repository before, and what is committed on is asked after.
    assert asked == ["1.0.0", *("1.0.0", "1.0.0"), "2.0.0", "2.0.0"]


def test_a_hidden_edition_is_released_without_its_answers(
    online: HubStandin, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden_seed, "_COST", 1 << 4)  # a key is derived a dozen times
    mine, file = tmp_path / "mine.yaml", tmp_path / "secret"
    mine.write_text("ode: 1")
    hidden_seed.write_secret(file)
    key = hidden_seed.read_secret(file)
    toy = ToyBuild(seed=hidden_seed.seed_of(key, "ode", "1.0.0"), shards=2)
    sharding.run(toy, tmp_path, commitment=hidden_seed.commitment_of(key, "ode", "1.0.0"), progress=False)
    release_it = (tmp_path / "ode", "--repo-id", REPO, "--version", "1.0.0")

    code, output = command(*release_it)
    assert (code, "push it without them (--hidden)" in output) == (2, True)
    for options in (["--hidden"], ["--secret", file], ["--key", tmp_path / "k"]):
        code, output = command(*release_it, *options)
        assert (code, "expected both --hidden and --secret FILE" in output) == (2, True)
    hidden = ("--hidden", "--secret", file)
    for place in (tmp_path / "hidden" / "ode" / "key.jsonl", tmp_path / "ode" / "key.jsonl"):
        code, output = command(*release_it, *hidden, "--key", place)
        assert (code, "and would be published; choose another path" in output) == (2, True), output
    code, output = command(*release_it, *hidden, "--dry-run")
    assert (code, "scenes.parquet" in output) == (0, False), output
    assert online.load(REPO) is None
    assert not (tmp_path / "hidden").exists()

    code, output = command(*release_it, *hidden)
    assert code == 0, output
    files = online.files(REPO)
    assert "scenes.parquet" not in files
    assert not [name for name in files if "key" in name]
    assert "its maintainers keep the answers" in files["README.md"].decode()
    public = snapshot(REPO, str(online.resolve(REPO, "v1.0.0")))
    questions = list(splits.read_questions(public))
    assert {q.answer for q in questions} == {""}
    assert len(questions) == 10
    assert splits.verify(public) == []
    assert f"VHBENCH_RELEASE={ReleaseName.of(splits.read_manifest(public), REPO)}" in output
    answers = {row["id"]: row["answer"] for _, row in answer_keys.read_key(tmp_path / "ode-1.0.0.key.jsonl")}
    assert {q.id: "yes" for q in questions} == answers
    assert stat.S_IMODE((tmp_path / "ode-1.0.0.key.jsonl").stat().st_mode) == 0o600
    code, output = command(*release_it, *hidden)
    assert (code, "nothing new" in output) == (0, True)
    code, output = command(*release_it, *hidden, "--key", tmp_path)
    assert (code, f"cannot write the key {tmp_path}" in output) == (2, True)

    for name, told in ((file, "is the file of the secret"), (mine, "already exists, and is no key")):
        before = name.read_bytes()
        code, output = command(*release_it, *hidden, "--key", name)
        assert (code, told in output, name.read_bytes()) == (2, True, before), output
    code, output = command(*release_it, *hidden, "--key", file, "--yes")
    assert (code, "is the file of the secret" in output) == (2, True)
    other = tmp_path / "other.key.jsonl"
    answer_keys.write_key(other, answer_keys.KeyHead("ode", "1.0.0", "f" * 64, {}), [])
    code, output = command(*release_it, *hidden, "--key", other)
    assert (code, "is the key of ode 1.0.0 ffffffffffff…" in output) == (2, True), output
    code, output = command(*release_it, *hidden, "--key", other, "--yes")
    assert (code, answer_keys.read_head(other).content_hash == "f" * 64) == (0, False), output


def test_a_faulty_split_is_not_released(online: HubStandin, command: Command, tmp_path: Path) -> None:
    directory = build(tmp_path)
    (directory / "stray.pkl").write_bytes(b"x")
    code, output = command(directory, "--repo-id", REPO, "--version", "1.0.0")
    assert code == 1
    assert "stray.pkl: is not listed in the manifest" in output
    assert online.requests == []


def test_a_file_that_a_killed_push_left_half_written_does_not_stop_the_next_one(
    online: HubStandin, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = build(tmp_path)
    (directory / ".README.md.0a1b2c3d.tmp").write_bytes(b"half")
    code, output = command(directory, "--repo-id", REPO, "--version", "1.0.0")
    assert code == 0, output
    assert not list(directory.glob(".*"))


def test_another_version_than_the_split_has_is_refused(online: HubStandin, command: Command, tmp_path: Path) -> None:
    code, output = command(build(tmp_path), "--repo-id", REPO, "--version", "1.2.0")
    assert code == 2
    assert "has version 1.0.0, not 1.2.0" in output


@pytest.mark.slow
def test_the_script_runs_by_itself(hub: HubStandin, tmp_path: Path) -> None:
    directory = build(tmp_path)
    environment = {**os.environ, **hub.environment(tmp_path / "cache")}
    command = [sys.executable, ROOT / "push_dataset.py", directory, "--repo-id", REPO, "--version", "1.0.0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "released org/ode v1.0.0" in done.stdout
    assert TOKEN not in done.stdout + done.stderr
    del environment["HF_TOKEN"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip().endswith("no token for the Hub: set HF_TOKEN, or log in with `hf auth login`")
    assert "Traceback" not in done.stderr


def test_a_dry_run_needs_no_login(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    code, output = command(build(tmp_path), "--repo-id", REPO, "--version", "1.0.0", "--dry-run")
    assert code == 0, output
    assert f"dry run, nothing uploaded: {REPO} would get 11 files and the tag v1.0.0\n" in output
    assert "not logged in" in output


def test_a_change_that_the_version_hides_is_not_released(online: HubStandin, command: Command, tmp_path: Path) -> None:
    versions = ((0, "1.0.0"), (0, "1.0.1"), (1, "1.1.0"), (1, "2.0.0"))
    old, same, other, raised = (
        build(tmp_path / version, seed=seed, version=version, shards=1, rows=2) for seed, version in versions
    )

    def publish(directory: Path, *options: str) -> tuple[int, str]:
        version = splits.read_manifest(directory).version
        return command(directory, "--repo-id", REPO, "--version", version, *options)

    assert publish(old)[0] == 0
    assert publish(same)[0] == 0
    for options in ([], ["--dry-run"]):
        code, said = publish(other, *options)
        assert code == 2
        assert said == (
            "scores on 1.0.1 and 1.1.0 are NOT comparable although MAJOR is the same: increase MAJOR of the newer "
            "(2 questions added, 2 questions removed, against v1.0.1 of org/ode): build it again with "
            "--version 2.0.0, or override with --comparable-anyway"
        )
    assert online.resolve(REPO, "v1.1.0") is None
    assert not (other / "README.md").exists()

    rows = f"/resolve/{online.resolve(REPO, 'v1.0.1')}/a/test-00000-of-00001.parquet"
    assert any(rows in line for line in online.requests)
    shutil.rmtree(tmp_path / "cache")
    online.requests.clear()
    assert publish(raised)[0] == 0
    assert not any(rows in line for line in online.requests)  # they are fetched only where MAJOR is the same

    code, said = publish(other, "--comparable-anyway")
    assert code == 0, said
    code, said = publish(other)  # released is released: it is not judged again
    assert (code, "nothing new" in said) == (0, True)


def test_what_a_person_wrote_into_the_card_is_kept(online: HubStandin, command: Command, tmp_path: Path) -> None:
    old, new = (build(tmp_path / v, version=v, seed=n, shards=1, rows=2) for n, v in enumerate(("1.0.0", "2.0.0")))
    assert command(old, "--repo-id", REPO, "--version", "1.0.0")[0] == 0
    card = online.files(REPO)["README.md"].decode()
    _, front, body = card.split("---\n", 2)
    own = f"---\nextra_gated_prompt: Be kind.\n{front}---\n\nErratum: q7 is odd.\n\n{body}\n## Thanks\n\nTo all.\n"
    lines = [{"key": "header", "value": {"summary": "x"}}]
    lines += [{"key": "file", "value": {"path": "README.md", "content": base64.b64encode(own.encode()).decode()}}]
    online.commit(REPO, lines)

    assert command(new, "--repo-id", REPO, "--version", "2.0.0", "--yes")[0] == 0
    found = online.files(REPO)["README.md"].decode()
    assert yaml.safe_load(found.split("---\n")[1])["extra_gated_prompt"] == "Be kind."
    assert found.index("Erratum: q7 is odd.") < found.index(BEGIN) < found.index(END) < found.index("## Thanks")
    assert (found.count(BEGIN), found.count("Erratum"), found.count("## Thanks")) == (1, 1, 1)
    assert splits.read_manifest(new).content_hash in found
    assert splits.read_manifest(old).content_hash not in found


def test_files_are_deleted_only_when_that_is_wanted(
    online: HubStandin, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = build(tmp_path / "1", shards=2, rows=2)
    how: dict[str, Any] = {"benchmark": "ode", "version": "2.0.0", "seed": 0, "config": {}}
    one_config = (replace(row, config="a") for row in splits.read_rows(build(tmp_path / "x", version="2.0.0")))
    splits.write_split(tmp_path / "2/ode", one_config, **how)
    assert command(old, "--repo-id", REPO, "--version", "1.0.0")[0] == 0
    code, output = command(tmp_path / "2/ode", "--repo-id", REPO, "--version", "2.0.0")  # nobody says yes
    assert code != 0
    assert "  - b/test-00000-of-00001.parquet" in output
    assert online.resolve(REPO, "v2.0.0") is None
    code, output = command(tmp_path / "2/ode", "--repo-id", REPO, "--version", "2.0.0", "--yes")
    assert code == 0, output
    assert "b/test-00000-of-00001.parquet" not in online.files(REPO)


def test_a_lower_version_leaves_changelog_and_main_alone(
    online: HubStandin, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = ("1.0.0", "2.0.0", "1.1.0")
    old, new, lower = (build(tmp_path / v, version=v, seed=n, shards=1, rows=2) for n, v in enumerate(versions))
    for directory, version in ((old, "1.0.0"), (new, "2.0.0")):
        assert command(directory, "--repo-id", REPO, "--version", version)[0] == 0
    before = online.files(REPO)
    options = ("--repo-id", REPO, "--version", "1.1.0", "--comparable-anyway")
    code, output = command(lower, *options, "--dry-run")
    assert (code, "on a separate branch, backport-v1.1.0" in output) == (0, True)
    code, output = command(lower, *options)
    assert code == 0, output
    assert "main is unchanged, this version is on the branch backport-v1.1.0" in output
    assert online.files(REPO) == before
    changelog = online.files(REPO, "v1.1.0")["CHANGELOG.md"].decode()
    assert changelog == "### 1.1.0\n\nA new version.\n\n### 1.0.0\n\nFirst release.\n"


def test_a_dry_run_writes_nothing(online: HubStandin, command: Command, tmp_path: Path) -> None:
    old, new = (build(tmp_path / version, version=version, shards=1, rows=2) for version in ("1.0.0", "1.0.1"))
    assert command(old, "--repo-id", REPO, "--version", "1.0.0", "--notes", "N1")[0] == 0
    (new / "CHANGELOG.md").write_text("mine")
    before = {path: path.read_bytes() for path in new.rglob("*") if path.is_file()}
    code, output = command(new, "--repo-id", REPO, "--version", "1.0.1", "--dry-run")
    assert code == 0, output
    assert "  + CHANGELOG.md" in output
    assert "  + README.md" in output
    assert {path: path.read_bytes() for path in new.rglob("*") if path.is_file()} == before


def test_the_script_is_the_command() -> None:
    script = [sys.executable, ROOT / "push_dataset.py", "--help"]
    said = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert said == CliRunner().invoke(app, ["push", "--help"], prog_name="vhbench").output


def test_every_option_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the golden file where an option is to change."""
    assert golden_options.options("vhbench") == golden_options.golden("vhbench")
