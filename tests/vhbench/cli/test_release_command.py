"""``vhbench release``: a recipe becomes one commit and one tag, wherever the release is interrupted."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from forking import ForkServer
from hub_standin import HubStandin
from huggingface_hub import HfApi
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters import hub, loaded_models
from vhbench.adapters.hub_names import ReleaseName, check_access
from vhbench.builds import recipes, sharding
from vhbench.cli import app, build_command, leaderboard, review
from vhbench.cli import release as command
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.leaderboard.boards import read_board
from vhbench.schema import Manifest, VhbenchError
from vhbench.split_diff import compare

REPO = "org/ode"
EDITIONS = Path(__file__).resolve().parents[3] / "editions"


@pytest.fixture
def online(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    with hub.in_process(tmp_path / "hub-cache"):
        yield hub


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if isinstance(result.exception, VhbenchError):
        return 2, str(result.exception)
    return result.exit_code, result.output


def write(file: Path, **options: Any) -> Path:
    """Write the recipe of a small drawn split, or of other options."""
    drawn = {"pairs": 1, "size": 64, "criteria": ["fictional"], "levels": ["caption", "existence"]}
    told = {"benchmark": "ode", "version": "1.0.0", "seed": 3, "options": drawn | options}
    file.write_text(yaml.safe_dump(told))
    recipes.EditionRecipe.read(file).pinned().write(file)
    return file


def accept(file: Path, split: Path) -> None:
    content = splits.read_manifest(split).content_hash
    review = recipes.Review(accepted=True, by="three annotators", content_hash=content)
    replace(recipes.EditionRecipe.read(file), review=review).write(file)


def manifest(config: dict[str, Any]) -> Manifest:
    """Return the manifest of a split of ODE without rows."""
    return Manifest(
        benchmark="ode", version="1.0.0", seed=0, config=config, content_hash="5" * 64, rows={}, files={}, sources={},
        rejections={},
    )  # fmt: skip


def interrupted_after(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step: Callable[[Any], Iterator[str]] = getattr(command._Steps, name)

    def killed(self: Any) -> Iterator[str]:
        yield from step(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(command._Steps, name, killed)


@pytest.mark.slow
def test_a_release_of_generated_images_that_is_killed_at_every_step(
    online: HubStandin, tmp_path: Path, image_models: dict[str, Path]
) -> None:
    for loaded in (loaded_models.image_source, loaded_models.detector):
        loaded.cache_clear()
    file = write(
        tmp_path / "tiny.yaml", images=f"diffusers:{image_models['stable_diffusion']}",
        detector=str(image_models["owlv2"]), keep=0.0, absent=0.0, retries=0, reserve=2, steps=1, device="cpu",
        allow_missing=True,
    )  # fmt: skip
    release = ("release", file, "--repo-id", REPO, "--out", tmp_path / "out")
    for name in command.STEPS:
        with pytest.MonkeyPatch.context() as patch:
            interrupted_after(name, patch)
            code, output = run(*release)
        assert code != 0, output
        if name == "verdict":  # missing: the step ends the command before it can be killed
            assert code == command.AWAITS_VERDICT
            assert "review: {accepted: true, by: NAMES, content_hash:" in output
            accept(file, tmp_path / "out" / "ode")
    code, output = run(*release)
    assert (code, "nothing new" in output) == (0, True), output
    data = online.load(REPO)
    assert data is not None
    assert [commit["title"] for commit in data["commits"].values()] == ["initial commit", "Release v1.0.0"]
    assert data["tags"] == {"v1.0.0": data["branches"]["main"]}
    released = ReleaseName.of(splits.read_manifest(tmp_path / "out" / "ode"), REPO)
    code, output = run("build", "--recipe", file, "--out", tmp_path / "again")
    assert code == 0, output
    assert compare(released.folder(), tmp_path / "again" / "ode").same
    assert splits.read_manifest(released.folder()) == splits.read_manifest(tmp_path / "again" / "ode")
    # Commands take the name in place of a folder.
    assert run("verify", released, "--recipe", file, "--quiet") == (0, "")
    assert run("diff", released, tmp_path / "again" / "ode")[0] == 0
    assert run("leaderboard", "init", tmp_path / "board", "--splits", released)[0] == 0
    assert f"revision: {data['branches']['main']}" in (tmp_path / "board" / "board.yaml").read_text()


def test_several_releases_are_separated_by_commas_where_several_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (f"hf://{REPO}@v1.{minor}.0#sha256:{'0' * 64}" for minor in (0, 1))
    monkeypatch.setattr(ReleaseName, "folder", lambda name: Path(name.revision))
    given = build_command._given(leaderboard._InitOptions, "splits", [f"{one}, {other},", "a folder, of mine"])
    assert given == ("v1.0.0", "v1.1.0", "a folder, of mine")
    code, output = run("verify", f"{one},{other}")
    assert (code, "expected one release, got 2 separated by commas" in output) == (2, True), output


def test_a_board_cites_the_release_of_its_edition(tmp_path: Path) -> None:
    commit = tmp_path / "datasets--org--ode" / "snapshots" / ("0" * 40)
    assert run("build", "--recipe", write(tmp_path / "small.yaml"), "--out", tmp_path)[0] == 0
    shutil.copytree(tmp_path / "ode", commit)
    assert run("leaderboard", "init", tmp_path / "board", "--splits", commit)[0] == 0
    file = tmp_path / "board" / "board.yaml"
    name = str(ReleaseName.of(splits.read_manifest(commit), REPO))
    assert [edition.release for edition in read_board(tmp_path / "board").editions] == [name]
    file.write_text(re.sub(r"(?m)^ +release: .*\n(?: {4,}hf.*\n)?", "", file.read_text()))  # as older boards are
    assert name not in file.read_text()
    assert [edition.release for edition in read_board(tmp_path / "board").editions] == [""]


KILLED = """
import os, pkgutil, signal, sys
owner, _, name = sys.argv.pop(1).rpartition(".")
owner, calls = pkgutil.resolve_name(owner), int(sys.argv.pop(1))
real = getattr(owner, name)
def dies(*arguments, **options):
    global calls
    result, calls = real(*arguments, **options), calls - 1
    if not calls:
        os.kill(os.getpid(), signal.SIGKILL)
    return result
setattr(owner, name, dies)
from vhbench.cli import app
app()
"""
"""Program that SIGKILL ends right after the n-th call of a function: FUNCTION N COMMAND…"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_sigkill_in_every_step_leaves_one_commit_and_one_tag(online: HubStandin, tmp_path: Path) -> None:
    file, out = write(tmp_path / "small.yaml"), tmp_path / "out"
    environment = {**os.environ, **online.environment(tmp_path / "hub-cache")}
    release = ("release", file, "--repo-id", REPO, "--out", out)
    imported = ["vhbench.cli", "vhbench.cli.release", "vhbench.cli.review", "huggingface_hub.hf_api"]
    imported += ["vhbench.builds.ode", "pandas"]
    with ForkServer(tmp_path, *imported, environment=environment) as server:
        for function, calls in (
            ("vhbench.builds.sharding.run", 1),  # pilot
            ("vhbench.builds.sharding.build_shard", 2),  # build: the pilot's shard is the first
            ("vhbench.builds.sharding._write", 1),  # build: merged, before its folder of parts is removed
            ("vhbench.release.verify_release", 1),
            ("vhbench.cli.review.write_pages", 1),  # review: before the pages get their name
            ("huggingface_hub.HfApi.preupload_lfs_files", 1),
            ("huggingface_hub.HfApi.create_commit", 1),  # push: commit without a tag
            ("huggingface_hub.HfApi.create_tag", 1),
        ):
            if function == "huggingface_hub.HfApi.preupload_lfs_files":
                code, output = run(*release)
                assert code == command.AWAITS_VERDICT
                assert all(Path(page).is_file() for page in re.findall(r"review: (\S+\.html): \d+ questions", output))
                assert "review.html: " in output
                accept(file, out / "ode")
            done = server.run(KILLED, [function, calls, *release], environment)
            assert done.returncode == -signal.SIGKILL, (function, done)
    code, output = run(*release)
    assert (code, "nothing new" in output) == (0, True), output
    data = online.load(REPO)
    assert data is not None
    assert [commit["title"] for commit in data["commits"].values()] == ["initial commit", "Release v1.0.0"]
    assert data["tags"] == {"v1.0.0": data["branches"]["main"]}
    assert [path.name for path in out.glob(".*")] == [".ode.lock"]
    assert run("build", "--recipe", file, "--out", tmp_path / "again")[0] == 0
    manifest = splits.read_manifest(tmp_path / "again" / "ode")
    name = ReleaseName.of(manifest, REPO)
    assert recipes.EditionRecipe.read(file).content_hash == manifest.content_hash
    assert splits.read_manifest(name.folder()) == manifest
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for response, path in zip(("yes", "no"), files, strict=True):
        path.write_text(json.dumps({question.id: response for question in splits.read_questions(name.folder())}))
    code, output = run("compare", *files, "--questions", name, "--json")
    assert code == 0, output
    assert [found["values"] for found in json.loads(output)["groups"][0]["headlines"][:1]] == [[50, 50]]


def test_a_dry_run_estimates_and_changes_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "small.yaml")
    before = sorted(tmp_path.rglob("*"))
    code, output = run(
        "release", file, "--repo-id", REPO, "--out", tmp_path / "out", "--dry-run", "--gpu-hour-price", 1000
    )
    assert code == 0, output
    assert re.search(r"2 shards take about \d+\.\d seconds with 1 worker, and 0\.000 GB, cost \d+\.\d\d\n", output)
    assert [line.split()[1] for line in output.splitlines()] == [f"{name}:" for name in command.STEPS]
    assert sorted(tmp_path.rglob("*")) == before


def test_the_estimate_counts_start_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "small.yaml", criteria=["standard", "random", "fictional"])
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def build(*_: object, shard: tuple[int, int], **__: object) -> None:
        now[0] += 2 if shard[0] else 11  # 9 of them start-up

    monkeypatch.setattr(sharding, "run", build)
    code, output = run("release", file, "--repo-id", REPO, "--out", tmp_path / "out", "--dry-run", "--workers", 2)
    assert code == 0, output
    assert "6 shards take about 15.0 seconds with 2 workers" in output


def test_what_a_killed_pilot_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("dead", "alive"):
        (tmp_path / f"vhbench-pilot-{name}").mkdir()
    holds = "import sys; from filelock import FileLock; lock = FileLock(sys.argv[1]); lock.acquire(); print(); input()"
    pilot = [sys.executable, "-c", holds, str(tmp_path / "vhbench-pilot-alive" / ".lock")]
    with subprocess.Popen(pilot, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()  # it holds the lock now
        with command._elsewhere() as out:
            found = {folder.name for folder in tmp_path.iterdir()}
        assert found == {"vhbench-pilot-alive", out.parent.name}
        assert {folder.name for folder in tmp_path.iterdir()} == {"vhbench-pilot-alive"}
        other.communicate("\n")


def test_name_token_and_branch_are_checked_before_anything_is_built(
    online: HubStandin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = write(tmp_path / "small.yaml"), tmp_path / "out"
    for dry in ((), ("--dry-run",)):
        code, output = run("release", file, "--repo-id", "no name", "--out", out, *dry)
        assert (code, output) == (2, "repository: expected ORG/NAME of letters, digits and _ . -, got 'no name'")
    HfApi().create_repo(REPO, repo_type="dataset")
    online.refuse(REPO, "protected")
    code, output = run("release", file, "--repo-id", REPO, "--out", out)
    assert (code, output.partition(":")[0]) == (2, f"branch main of {REPO}")
    monkeypatch.delenv("HF_TOKEN")
    code, output = run("release", file, "--repo-id", REPO, "--out", out)
    assert (code, output) == (2, "no token for the Hub: set HF_TOKEN, or log in with `hf auth login`")
    assert not out.exists()


def test_an_unreachable_hub_does_not_stop_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    monkeypatch.setattr(HfApi, "whoami", lambda self: (_ for _ in ()).throw(ConnectionError("no network")))
    check_access(REPO, "1.0.0", online=True)


def test_two_releases_at_once_write_the_review_pages_once(
    online: HubStandin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = write(tmp_path / "small.yaml"), tmp_path / "out"
    assert run("build", "--recipe", file, "--out", out)[0] == 0
    real, calls = review.write_pages, []

    def slow(options: review.ReviewOptions) -> list[str]:
        calls.append(options)
        lines = real(options)
        time.sleep(0.5)
        return lines

    monkeypatch.setattr(review, "write_pages", slow)
    how = command.ReleaseOptions(recipe=file, repo_id=REPO, out=out)
    with ThreadPoolExecutor(2) as pool:
        steps = [command._Steps(how, recipes.EditionRecipe.read(file)) for _ in range(2)]
        done = list(pool.map(lambda one: list(one.review()), steps))
    assert len(calls) == 1
    assert sorted(map(len, done)) == [1, 2]


def test_a_rejected_split_and_a_verdict_on_another_one_are_not_released(online: HubStandin, tmp_path: Path) -> None:
    file, out = write(tmp_path / "small.yaml"), tmp_path / "out"
    for verdict, expected in (
        (recipes.Review(accepted=False, by="eve"), (2, "the reviewers rejected this split (eve)")),
        (recipes.Review(accepted=True, content_hash="0" * 64), (command.AWAITS_VERDICT, "verdict: missing")),
    ):
        replace(recipes.EditionRecipe.read(file), review=verdict).write(file)
        code, output = run("release", file, "--repo-id", REPO, "--out", out)
        assert (code, expected[1] in output) == (expected[0], True), output
        assert recipes.EditionRecipe.read(file).content_hash == ""


def test_options_of_models_are_compared_without_inputs_and_models() -> None:
    pins = {"flux": recipes.ModelPin(name="org/flux", revision="1" * 40)}
    options = {
        "graph": ["amber:/nowhere/AMBER"], "images": "diffusers:org/flux", "revision": "{flux}", "detector": "org/dino",
        "steps": 30, "believe": 0.7, "keep": 0.5,
    }  # fmt: skip
    recipe = recipes.EditionRecipe(benchmark="ode", version="1.0.0", options=options, models=pins)
    models = {"model": f"org/flux@{'1' * 40}", "steps": 30, "guidance": None, "dtype": "auto", "libraries": {}}
    beliefs = asdict(VerifierThresholds(keep=0.7))
    looking = {"detector": f"org/dino@{'3' * 40}", "verifier": "", "beliefs": beliefs}
    config = {"graph": ["amber:AMBER"], "detector": "org/dino", "options": {**models, **looking}}
    built = manifest(config)

    def faults(**changed: object) -> list[str]:
        odd = {**built.config, "options": {**built.config["options"], **changed}}
        return recipe.differences(replace(built, extra={"recipe": {"digest": recipe.digest}}, config=odd))

    assert faults() == []
    assert faults(steps=4) == ["expected the option steps 30 of the recipe, got 4"]
    assert "'org/flux@111" in faults(model=f"org/flux@{'2' * 40}")[0]
    assert faults(beliefs=beliefs | {"keep": 0.6})[0].startswith("expected the option beliefs {'absent': ")


def test_options_that_need_missing_inputs_are_told_unless_the_content_is_pinned() -> None:
    options = {"source": "pope:/nowhere/pope.json"}
    recipe = recipes.EditionRecipe(benchmark="vhexpansion", version="1.0.0", options=options)
    built = replace(manifest({}), benchmark="vhexpansion", extra={"recipe": {"digest": recipe.digest}})
    (fault,) = recipe.differences(built)
    assert fault.startswith("the options cannot be compared with the recipe's: --source pope:/nowhere/pope.json: no su")
    assert replace(recipe, content_hash=built.content_hash).differences(built) == []


def test_an_unpinned_recipe_is_refused(tmp_path: Path) -> None:
    code, output = run("release", EDITIONS / "ode.yaml", "--repo-id", REPO, "--out", tmp_path)
    assert code == 2
    assert "not pinned: the commit of black-forest-labs/FLUX.1-dev, the commit of IDEA-Research" in output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("models", "options", "unpinned"),
    [
        ({}, {"detector": "org/dino"}, ["the commit of org/dino (options: detector)"]),
        ({}, {"images": "diffusers:org/flux"}, ["the commit of org/flux (options: images)"]),
        (
            {"flux": ("org/flux", "main")},
            {"images": "diffusers:org/flux", "revision": "{flux}"},
            ["the commit of org/flux"],
        ),
        (
            {"flux": ("org/flux", "1" * 40)},
            {"images": "diffusers:org/flux"},
            ["the commit of org/flux (options: images)"],
        ),
        ({"flux": ("org/flux", "1" * 40)}, {"images": "diffusers:org/flux", "revision": "{flux}"}, []),
        ({}, {"model": ["org/vlm@main", f"org/other@{'2' * 40}"]}, ["the commit of org/vlm (options: model)"]),
        ({}, {"images": "scenes", "detector": "/models/dino"}, []),
        ({}, {"images": "coco/val2017"}, []),  # a folder of photos
        ({}, {"detector": "bert-base", "rewriter": "rule"}, ["the commit of bert-base (options: detector)"]),
        ({}, {"images": "diffusers:gpt2model"}, ["the commit of gpt2model (options: images)"]),
        (
            {"flux": ("org/model", "1" * 40)},
            {"images": "diffusers:org/model", "detector": "org/model@{flux}"},
            ["the commit of org/model (options: images)"],
        ),
        (
            {"flux": ("org/model", "1" * 40)},
            {"detector": "org/other@{flux}"},
            ["the commit of org/other (options: detector)"],
        ),
        ({}, {"verifier": f"vqa:org/vilt@{'1' * 40}", "rewriter": "openai:gpt@http://localhost"}, []),
    ],
)
def test_a_model_is_pinned_by_a_commit_that_its_option_takes(
    models: dict[str, tuple[str, str]], options: dict[str, object], unpinned: list[str]
) -> None:
    pins = {key: recipes.ModelPin(name=name, revision=revision) for key, (name, revision) in models.items()}
    benchmark = "vhexpansion" if "model" in options else "ode"
    recipe = recipes.EditionRecipe(benchmark=benchmark, version="1.0.0", options=options, models=pins, sources={})
    assert recipe.unpinned == unpinned


def test_a_branch_is_pinned_and_what_cannot_be_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "small.yaml", detector="org/dino")
    flux = recipes.ModelPin(name="org/flux", revision="v2")
    replace(recipes.EditionRecipe.read(file), models={"flux": flux}).write(file)
    asked: list[tuple[str, ...]] = []

    def commit_of(*names: str, kind: str) -> str:
        asked.append((*names, kind))
        return "3" * 40

    monkeypatch.setattr(hub, "commit_of", commit_of)
    code, output = run("build", "--recipe", file, "--pin")
    assert (code, asked) == (0, [("org/flux", "v2", "model")])
    assert "not pinned: the commit of org/dino (options: detector): name it under models as KEY" in output
    assert recipes.EditionRecipe.read(file).models["flux"].revision == "3" * 40


def test_a_name_that_yaml_reads_as_truth_is_told(tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text("benchmark: ode\nversion: 1.0.0\noptions: {yes: false}\n")
    with pytest.raises(VhbenchError) as fault:
        recipes.EditionRecipe.read(file)
    assert str(fault.value) == f"{file}: options: expected names; YAML reads one as True: quote it, as in 'yes': true"


def test_a_recipe_and_a_benchmark_are_not_named_together(tmp_path: Path) -> None:
    file = write(tmp_path / "small.yaml")
    code, output = run("build", "--recipe", file, "mioh", "--out", tmp_path / "out")
    assert (code, "expected no command, got mioh" in " ".join(output.split())) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("file", sorted(EDITIONS.glob("*.yaml")), ids=lambda file: file.stem)
def test_official_recipes_are_read(file: Path) -> None:
    recipe = recipes.EditionRecipe.read(file)
    assert file.stem.partition("_")[0] == recipe.benchmark
    assert bool(recipe.unpinned) == (not file.stem.endswith("_drawn"))
    if not recipe.unpinned:
        assert recipe.build().shards > 0


def test_a_split_is_the_version_of_its_recipe_or_not(tmp_path: Path) -> None:
    file = write(tmp_path / "small.yaml")
    assert run("build", "--recipe", file, "--out", tmp_path)[0] == 0
    assert run("verify", tmp_path / "ode", "--recipe", file, "--quiet") == (0, "")
    recipe = recipes.EditionRecipe.read(file)
    for odd in (
        replace(recipe, seed=4),
        replace(recipe, version="2.0.0"),
        replace(recipe, content_hash="0" * 64),
        replace(recipe, sources={"starter.json": "0" * 64}),
    ):
        assert odd.differences(splits.read_manifest(tmp_path / "ode"))
    manifest = splits.read_manifest(tmp_path / "ode")  # another build that claims to be of the recipe
    assert recipe.differences(replace(manifest, config={**manifest.config, "pairs": 7})) == [
        f"expected the option pairs {recipe.options['pairs']} of the recipe, got 7"
    ]
    assert recipe.differences(replace(manifest, config={**manifest.config, "criteria": ["random"]})) == [
        "expected the option criteria ['fictional'] of the recipe, got ['random']"
    ]
    for accepted, code in ((True, 1), (False, 0), (None, 0)):
        review = recipes.Review(accepted=accepted, content_hash="0" * 64)
        replace(recipe, review=review).write(tmp_path / "reviewed.yaml")
        found, output = run("verify", tmp_path / "ode", "--recipe", tmp_path / "reviewed.yaml")
        assert (found, "expected the reviewed content hash '0000" in output) == (code, bool(code))
        assert ("has no content hash" in output) == (not accepted)
    assert recipe.differences(replace(manifest, seed=99)) == ["expected the seed 3 of the recipe, got 99"]
    with pytest.raises(VhbenchError, match="the recipe's options: pairs is 'x': expected `int`, got `str`"):
        replace(recipe, options={**recipe.options, "pairs": "x"}).build()
    changed = recipes.EditionRecipe.read(file)
    replace(changed, sources={"starter.json": "0" * 64}).write(file)
    code, output = run("build", "--recipe", file, "--out", tmp_path / "other")
    assert (code, "the inputs differ from the recipe's: starter.json" in output) == (2, True)
    file.write_text("benchmark: ode\nversion: 1.0.0\nextra: 1\n")
    assert run("build", "--recipe", file)[0] == 2
    assert run("build")[0] == 2
