"""``vhbench yank``: what was withdrawn is refused with its reason, wherever it is met."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from forking import Ended, ForkServer
from hub_standin import HubStandin
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters import hub as reading
from vhbench.adapters.hub_names import ReleaseName
from vhbench.adapters.hub_release import push
from vhbench.builds import sharding
from vhbench.cli import app
from vhbench.schema import VhbenchError

REPO = "org/ode"
REASON = "12 answers [were](x) <b>wrong</b>"


@pytest.fixture
def released(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    """A Hub with 1.0.0."""
    with hub.in_process(tmp_path / "cache"):
        publish(tmp_path, "1.0.0")
        yield hub


def publish(folder: Path, version: str, **files: str) -> None:
    sharding.run(ToyBuild(rows=2, shards=1, version=version), folder / version, progress=False)
    split = folder / version / "ode"
    for name, text in {"README.md": "---\nlicense: cc0-1.0\n---\n\n# A card\n", **files}.items():
        (split / name).write_text(text)
    push(split, REPO)


def named(folder: Path, version: str = "1.0.0") -> str:
    """Return the citable name of a version."""
    return str(ReleaseName.of(splits.read_manifest(folder / version / "ode"), REPO))


def yank(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["yank", *map(str, arguments)])
    return result.exit_code, str(result.exception) if isinstance(result.exception, VhbenchError) else result.output


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    modules = ("vhbench.tasks.datasets", "pandas", "yaml")  # pyarrow imports pandas; none reads the environment
    with ForkServer(tmp_path_factory.mktemp("server"), *modules) as started:
        yield started


@pytest.fixture
def resolve(server: ForkServer, released: HubStandin, tmp_path: Path) -> Callable[..., Ended]:
    """Look for the data as a task does, in a process of its own."""

    def run(before: str = "", **more: str) -> Ended:
        code = f"{before}\nfrom vhbench.tasks import datasets; datasets.or_exit(datasets.resolve, 'ode')"
        own = {name: value for name, value in os.environ.items() if not name.startswith("VHBENCH_")}
        own |= {**released.environment(tmp_path / "cache"), "VHBENCH_RELEASE": named(tmp_path), **more}
        return server.run(code, environment=own)

    return run


def test_a_hub_that_never_answers_is_not_waited_for(
    released: HubStandin, resolve: Callable[..., Ended], tmp_path: Path
) -> None:
    assert resolve().returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as silent:
        away = {"HF_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}"}
        away["before"] = "from vhbench.adapters import hub; hub._PATIENCE = 1"  # in place of five seconds
        assert resolve(**away).returncode == 0
        assert yank("1.0.0", "--repo-id", REPO, "--reason", REASON)[0] == 0
        assert resolve().returncode == 2
        done = resolve(**away)
        assert (done.returncode, "ode 1.0.0 was withdrawn" in done.stderr) == (2, True), "as the cache knows"


def test_a_withdrawn_version_is_marked_everywhere_and_refused(
    released: HubStandin, resolve: Callable[..., Ended], tmp_path: Path
) -> None:
    assert resolve().returncode == 0
    revision = released.resolve(REPO, "v1.0.0")
    code, output = yank("1.0.0", "--repo-id", REPO, "--reason", REASON)
    assert code == 0, output
    files = released.files(REPO)
    content = splits.read_manifest(tmp_path / "1.0.0" / "ode").content_hash
    what = {"reason": REASON, "revision": revision, "content_hash": content}
    assert orjson.loads(files["yanked.json"]) == {"1.0.0": what}
    assert orjson.loads(files["manifest.json"])["extra"]["yanked"] == REASON
    notice = r"> **Withdrawn: version 1.0.0.** 12 answers \[were\](x) &lt;b&gt;wrong&lt;/b&gt;"
    assert notice in files["README.md"].decode()
    assert files["README.md"].decode().startswith("---\nlicense")
    assert released.resolve(REPO, "v1.0.0") != released.resolve(REPO, "main"), "what is released stays as it is"

    done = resolve()
    assert done.returncode == 2
    assert f"ode 1.0.0 was withdrawn: {REASON}. Pin another version" in done.stderr
    assert "Traceback" not in done.stderr
    done = resolve(VHBENCH_ALLOW_YANKED="1")
    assert (done.returncode, "was withdrawn" in done.stderr) == (0, True)


def test_a_newer_version_is_hinted_at(released: HubStandin, resolve: Callable[..., Ended], tmp_path: Path) -> None:
    publish(tmp_path, "1.1.0")
    newest = resolve(VHBENCH_RELEASE=named(tmp_path, "1.1.0"))
    assert (newest.returncode, "vhbench: ode 1.0.0" in newest.stderr) == (0, False)
    done = resolve()
    assert (done.returncode, "ode 1.0.0 is evaluated; v1.1.0 is available" in done.stderr) == (0, True)
    assert yank("1.0.0", "--repo-id", REPO, "--reason", REASON)[0] == 0
    assert f"was withdrawn: {REASON}; v1.1.0 is available" in resolve().stderr
    assert "yanked" not in orjson.loads(released.files(REPO)["manifest.json"])["extra"], "that is 1.1.0's"


def test_without_the_hub_what_was_fetched_is_evaluated(
    released: HubStandin, resolve: Callable[..., Ended], tmp_path: Path
) -> None:
    assert resolve().returncode == 0
    done = resolve(HF_HUB_OFFLINE="1")
    assert done.returncode == 0, done.stderr


def test_a_second_push_keeps_the_marks(released: HubStandin, tmp_path: Path) -> None:
    assert yank("1.0.0", "--repo-id", REPO, "--reason", REASON)[0] == 0
    publish(tmp_path, "1.1.0", **{"yanked.json": "{}"})  # as in a folder that was downloaded before
    assert orjson.loads(released.files(REPO)["yanked.json"])["1.0.0"]["reason"] == REASON
    assert yank("1.0.0", "--repo-id", REPO, "--reason", "Worse.")[0] == 0
    card = released.files(REPO)["README.md"].decode()
    assert (card.count("Withdrawn"), "Worse." in card) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("9.9.9", "--repo-id", REPO, "--reason", "x"), r"has no version 9.9.9; it has v1.0.0"),
        (("1.0.0", "--repo-id", "org/none", "--reason", "x"), r"has no version 1.0.0; it has none"),
        (("1.0.0", "--repo-id", REPO, "--reason", " \n"), r"expected --reason with the reason"),
        (("latest", "--repo-id", REPO, "--reason", "x"), r"version: expected MAJOR.MINOR.PATCH"),
    ],
)
def test_bad_input_is_one_line(released: HubStandin, arguments: tuple[str, ...], said: str) -> None:
    before = released.load(REPO)
    code, output = yank(*arguments)
    assert code != 0
    assert said in output
    assert released.load(REPO) == before


def test_a_moved_tag_is_told(released: HubStandin, resolve: Callable[..., Ended], tmp_path: Path) -> None:
    data = released.load(REPO)
    assert data is not None
    assert resolve().returncode == 0
    first = data["tags"]["v1.0.0"]
    assert reading.standing(REPO, "1.0.0", first, tag="v1.0.0") == reading.ReleaseStatus()
    assert yank("1.0.0", "--repo-id", REPO, "--reason", "x")[0] == 0
    data = released.load(REPO) or {}
    released.save(REPO, {**data, "tags": {"v1.0.0": data["branches"]["main"]}})
    assert reading.standing(REPO, "1.0.0", first, tag="v1.0.0").moved
    done = resolve(VHBENCH_ALLOW_YANKED="1")
    assert (done.returncode, "was moved or deleted; the release is the one that was named" in done.stderr) == (0, True)
    fresh = resolve(HF_HUB_CACHE=str(tmp_path / "fresh"))
    assert (fresh.returncode, "the tag was moved" in fresh.stderr) == (2, True), "without the first copy: no other data"


def test_a_release_named_by_its_commit_and_a_deleted_tag_are_refused_too(
    released: HubStandin, resolve: Callable[..., Ended], tmp_path: Path
) -> None:
    by_commit = named(tmp_path).replace("@v1.0.0#", f"@{released.resolve(REPO, 'v1.0.0')}#")
    for name in (by_commit, named(tmp_path)):
        assert resolve(VHBENCH_RELEASE=name).returncode == 0
    assert yank("1.0.0", "--repo-id", REPO, "--reason", REASON)[0] == 0

    def found(name: str, **more: str) -> tuple[int, bool]:
        done = resolve(VHBENCH_RELEASE=name, **more)
        return done.returncode, f"ode 1.0.0 was withdrawn: {REASON}" in done.stderr

    assert found(by_commit) == (2, True)
    data = released.load(REPO) or {}
    released.save(REPO, {**data, "tags": {}})
    assert found(named(tmp_path)) == (2, True)
    assert found(by_commit, HF_HUB_OFFLINE="1") == (2, True), "the Hub said so the last time"
    assert found(by_commit, VHBENCH_ALLOW_YANKED="1")[0] == 0


@pytest.mark.parametrize("text", ['{"1.0.0": "bad"}', '{"0.0.9": {"reason": "bad", "revision": "SHA"}}'])
def test_a_version_is_known_by_its_number_or_its_commit(released: HubStandin, tmp_path: Path, text: str) -> None:
    revision = str(released.resolve(REPO, "v1.0.0"))
    content = splits.read_manifest(tmp_path / "1.0.0" / "ode").content_hash
    known = reading.Yank.read(text.replace("SHA", revision))
    assert [yank.means("1.0.0", revision, content) for yank in known] == [True]
    assert reading.Yank.read(reading.Yank.text(known)) == known
    assert not known[0].means("1.0.1", "0" * 40, "")


@pytest.mark.parametrize("text", ["", "[]", "7", "nope", '{"1.0.0": [null]}', '{"1.0.0": {"reason": null}}'])
def test_what_is_no_yanked_json_withdraws_nothing_and_ends_nothing(text: str) -> None:
    assert all(isinstance(yank.reason, str) for yank in reading.Yank.read(text))


def test_a_repository_that_lets_one_in_only_when_asked_is_not_taken_for_none(
    released: HubStandin, tmp_path: Path
) -> None:
    released.refuse(REPO, "gated")
    code, said = yank("1.0.0", "--repo-id", REPO, "--reason", "x")
    assert (code, "access is restricted" in said) == (1, True), said
    with pytest.raises(VhbenchError, match="access is restricted"):
        push(tmp_path / "1.0.0" / "ode", REPO, private=True)
