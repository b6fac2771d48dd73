"""lmms-eval on a release: pushed to a Hub, pinned by commit, fetched by the task, or an error and never other data."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forking import Ended, ForkServer
from hub_standin import HubStandin
from PIL import Image

from vhbench import card, splits
from vhbench.adapters.hub_names import ReleaseName
from vhbench.adapters.hub_release import push
from vhbench.schema import Question, Row

REPO = "org/vhbench-ode"
CONFIG = {"vocabulary": {"dog": ["puppy"], "cat": []}}


def rows(answer: str) -> list[Row]:
    """A caption, an existence and an attribute question about a red image."""
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(buffer, "PNG")
    asked = {
        "caption": ("Please describe this image.", ""),
        "existence": ("Is there a dog in the image?", answer),
        "attribute": ("Is the dog in the image red?", answer),
    }
    return [
        Row(
            f"ode_fictional_{level}",
            Question(
                f"q-{level}", images=(buffer.getvalue(),), question=text, answer=right,
                kind="yes_no" if right else "caption", benchmark="ode", task=level,
                criterion="fictional", question_type=level, pair_id=level, objects=("dog",),
                candidates=("cat",), scene_ids=("s",),
            ),
        )
        for level, (text, right) in asked.items()
    ]  # fmt: skip


def release(hub: HubStandin, folder: Path, version: str, answer: str) -> tuple[str, str]:
    """Push a split; return its citable name and its commit."""
    manifest = splits.write_split(folder, rows(answer), benchmark="ode", version=version, seed=0, config=CONFIG)
    card.write_card(folder, repo_id=REPO)
    with hub.in_process(folder.parent / "push-cache", xet=True):
        done = push(folder, REPO)
    return str(ReleaseName.of(manifest, REPO)), done.sha


def environment(hub: HubStandin, folder: Path, name: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("VHBENCH_")}
    return {**own, **hub.environment(folder / "cache", xet=True), "VHBENCH_RELEASE": name}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[dict[str, str]], Ended]]:
    """Look for the data as a task does, in a process of its own."""
    code = "from vhbench.tasks import datasets; print(datasets.or_exit(datasets.resolve, 'ode').path)"
    with ForkServer(tmp_path_factory.mktemp("server"), "vhbench.tasks.datasets") as server:
        yield lambda variables: server.run(code, environment=variables)


@pytest.mark.slow
def test_lmms_eval_runs_on_the_pinned_commit(hub: HubStandin, tmp_path: Path) -> None:
    old, commit = release(hub, tmp_path / "1/ode", "1.0.0", "yes")
    release(hub, tmp_path / "2/ode", "2.0.0", "no")
    # The commands of the card, copied; with a model that is here.
    shell, python = re.findall(r"```(?:bash|python)\n(.*?)```", hub.files(REPO, "v1.0.0")["README.md"].decode(), re.S)[
        :2
    ]
    command = re.sub(
        r"--model qwen2_5_vl --model_args \S+ --tasks ode", "--model vhbench_yes --tasks ode_fictional", shell
    )
    variables = environment(hub, tmp_path, "")
    variables["PATH"] = f"{Path(sys.executable).parent}:{variables['PATH']}"
    shown = python + "\nassert sorted(rows['answer']) == ['', 'yes', 'yes'], rows['answer']"
    shown += f"\nassert len(load_dataset('{REPO}')['test']) == 3"
    subprocess.run([sys.executable, "-c", shown], env=variables, check=True)
    evaluate = ["bash", "-ec", command.partition("\n")[2]]
    done = subprocess.run(evaluate, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"vhbench: ode 1.0.0 from the Hub ({old})" in done.stderr
    found = list((tmp_path / "results").rglob("*_results.json"))
    assert found, done.stdout + done.stderr
    results = json.loads(found[0].read_text())["results"]
    told = json.loads(found[0].read_text())["vhbench"]["ode_fictional_existence"]
    assert told["data"] == {"kind": "hub", "release": old, "revision": commit}
    assert (told["version"], told["content_hash"]) == ("1.0.0", splits.read_manifest(tmp_path / "1/ode").content_hash)
    # "yes" is right in every row of 1.0.0 and in none of 2.0.0, which is newer.
    assert results["ode_fictional_existence"]["accuracy,none"] == 100
    assert results["ode_fictional_attribute"]["accuracy,none"] == 100
    assert "malformed" not in done.stderr


@pytest.mark.slow
def test_a_release_is_that_release_or_an_error(
    hub: HubStandin, resolve: Callable[[dict[str, str]], Ended], tmp_path: Path
) -> None:
    old, commit = release(hub, tmp_path / "1/ode", "1.0.0", "yes")
    new, _ = release(hub, tmp_path / "2/ode", "2.0.0", "no")
    online = environment(hub, tmp_path, old)
    done = resolve(online)
    assert commit in done.stdout, done.stderr
    offline = {**online, "HF_HUB_OFFLINE": "1"}
    assert resolve(offline).stdout == done.stdout

    cases = {
        "not in the local cache, and the Hub cannot be reached": old.replace("v1.0.0", "f" * 40),
        "not in the local cache": new,
        "expected hf://ORG/NAME@v1.0.0#sha256:DIGEST": old.replace("v1.0.0", "main"),
        "expected a manifest with this SHA-256": old.partition("#")[0] + "#" + new.partition("#")[2],
        "expected one release of ode": f"{old},{old}",
    }
    for said, name in cases.items():
        done = resolve({**offline, "VHBENCH_RELEASE": name})
        assert (done.returncode, done.stdout) == (2, ""), said
        assert re.search(re.escape(said), done.stderr), done.stderr
        assert "Traceback" not in done.stderr


def test_a_stale_cache_is_an_error(hub: HubStandin, resolve: Callable[[dict[str, str]], Ended], tmp_path: Path) -> None:
    old, _ = release(hub, tmp_path / "1/ode", "1.0.0", "yes")
    release(hub, tmp_path / "2/ode", "2.0.0", "no")
    online = environment(hub, tmp_path, old)
    folder = Path(resolve(online).stdout.strip())
    # Somebody copied another version's files over the cached ones.
    for name in splits.read_manifest(tmp_path / "2/ode").files:
        (folder / name).unlink()
        (folder / name).write_bytes((tmp_path / "2/ode" / name).read_bytes())
    done = resolve({**online, "HF_HUB_OFFLINE": "1"})
    assert (done.returncode, done.stdout) == (2, "")
    assert "of the manifest with content hash" in done.stderr
