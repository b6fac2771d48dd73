"""However many processes build a split, and whatever happens to them, the content is the same."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from processes import children, wait_until_gone
from toy_build import GpuBuild, ToyBuild

from vhbench import splits
from vhbench.builds import sharding
from vhbench.schema import VhbenchError


def toy(**options: object) -> object:
    return ToyBuild(**options)


def hidden(folder: Path) -> list[str]:
    """Return what a build has left but for the lock, which stays."""
    return [path.name for path in folder.iterdir() if path.name.startswith(".") and path.name != ".ode.lock"]


def test_workers_do_not_change_the_content(tmp_path: Path) -> None:
    alone = sharding.run(toy(), tmp_path / "1", progress=False)
    together = sharding.run(toy(), tmp_path / "2", workers=2, progress=False)
    assert alone is not None
    assert together is not None
    assert alone.content_hash == together.content_hash
    assert alone.rows == {"a": 18, "b": 12}
    assert alone.rejections == {"too small": 6}
    assert alone.extra["scenes"] == 30
    assert splits.verify(tmp_path / "2/ode") == []
    assert hidden(tmp_path / "2") == []
    other = sharding.run(toy(seed=1), tmp_path / "3", progress=False)
    assert other is not None
    assert other.content_hash != alone.content_hash


def test_jobs_build_their_share_and_the_last_one_merges(tmp_path: Path) -> None:
    log = tmp_path / "log"
    jobs = [sharding.run(toy(log=log), tmp_path, shard=(i, 3), progress=False) for i in (2, 0, 1)]
    assert jobs[:2] == [None, None]
    assert jobs[2] is not None
    assert jobs[2].content_hash == sharding.run(toy(), tmp_path / "whole", progress=False).content_hash  # type: ignore[union-attr]
    assert log.read_text().split() == ["2", "5", "0", "3", "1", "4"]
    assert sharding.run(toy(log=log), tmp_path, shard=(1, 3), progress=False) == jobs[2]
    assert len(log.read_text().split()) == 6  # the late job found everything done
    assert hidden(tmp_path) == []


def test_shards_of_a_build_that_was_killed_after_merging_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sharding._write

    def killed(*arguments: Any) -> None:
        real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(sharding, "_write", killed)
    with pytest.raises(KeyboardInterrupt):
        sharding.run(toy(), tmp_path, progress=False)
    monkeypatch.undo()
    assert len(hidden(tmp_path)) == 1
    assert sharding.run(toy(), tmp_path, progress=False) == splits.read_manifest(tmp_path / "ode")
    assert hidden(tmp_path) == []


def test_a_damaged_split_is_built_anew(tmp_path: Path) -> None:
    sharding.run(toy(), tmp_path, progress=False)
    shard = next((tmp_path / "ode").rglob("test-*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-9])
    sharding.run(toy(), tmp_path, progress=False)
    assert splits.verify(tmp_path / "ode") == []


def test_a_bad_shard_stops_the_build_and_keeps_the_others(tmp_path: Path) -> None:
    for workers in (1, 2):
        with pytest.raises(VhbenchError, match="annotation 7: unknown category 'x'"):
            sharding.run(toy(wrong=True), tmp_path, workers=workers, progress=False)
    assert not (tmp_path / "ode").exists()


def test_a_damaged_shard_is_built_anew_by_whoever_merges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    sharding.run(toy(log=log), tmp_path, shard=(0, 2), progress=False)
    file = next(tmp_path.glob(".ode.*.parts/000004/a/*.parquet"))
    file.write_bytes(file.read_bytes()[:100])
    merged = sharding.run(toy(log=log), tmp_path, shard=(1, 2), progress=False)
    assert merged == sharding.run(toy(), tmp_path / "whole", progress=False)
    assert log.read_text().split() == ["0", "2", "4", "1", "3", "5", "4"]
    assert f"shard 4 is damaged and built again: {file}: has SHA-256 " in capsys.readouterr().err


def test_shards_wait_for_their_next_job_whatever_else_is_built(tmp_path: Path) -> None:
    sharding.run(toy(), tmp_path, shard=(0, 2), progress=False)
    other = sharding.run(toy(seed=1), tmp_path, progress=False)
    assert other is not None
    merged = sharding.run(toy(), tmp_path, shard=(1, 2), progress=False)
    assert merged is not None, "the first half was swept away"
    assert merged.content_hash != other.content_hash
    assert splits.read_manifest(tmp_path / "ode") == merged
    assert hidden(tmp_path) == []


def test_given_up_builds_are_swept_after_a_week(tmp_path: Path) -> None:
    sharding.run(toy(), tmp_path, shard=(0, 2), progress=False)
    sharding.run(toy(seed=1), tmp_path, progress=False)
    (parts,) = hidden(tmp_path)
    for days, left in ((6, [parts]), (8, [])):
        then = time.time() - days * 24 * 3600
        os.utime(tmp_path / parts, (then, then))
        sharding.run(toy(seed=1 + days), tmp_path, progress=False)
        assert hidden(tmp_path) == left


def test_a_users_own_files_are_never_replaced(tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = sharding.run(toy(log=log), tmp_path, progress=False)
    notes = tmp_path / "ode/notes.txt"
    notes.write_text("mine")
    assert sharding.run(toy(log=log), tmp_path, progress=False) == first
    with pytest.raises(VhbenchError, match=r"ode/notes\.txt: does not belong to the split to be replaced; move"):
        sharding.run(toy(seed=1, log=log), tmp_path, progress=False)
    assert notes.read_text() == "mine"
    assert splits.read_manifest(tmp_path / "ode") == first
    assert len(log.read_text().split()) == 6, "a shard was built although the split could not be written"


def test_a_split_that_was_set_aside_is_put_back(tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = sharding.run(toy(log=log), tmp_path, progress=False)
    (tmp_path / "ode").rename(tmp_path / ".ode.old")  # killed between the two renames
    assert sharding.run(toy(log=log), tmp_path, progress=False) == first
    assert len(log.read_text().split()) == 6
    (tmp_path / "ode").rename(tmp_path / ".ode.old")
    with pytest.raises(VhbenchError, match="unknown category"):
        sharding.run(toy(seed=1, wrong=True), tmp_path, progress=False)
    assert splits.read_manifest(tmp_path / "ode") == first


SUPPORT = Path(__file__).parents[2] / "support"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SUPPORT)}


def built(out: Path) -> list[Path]:
    """Return the manifests of the shards that wait to be merged."""
    return list(out.glob(".ode.*.parts/*/manifest.json"))


def start(out: Path, workers: int = 3) -> "subprocess.Popen[str]":
    code = (
        "from pathlib import Path; from toy_build import ToyBuild; from vhbench.builds import sharding\n"
        "from vhbench.schema import VhbenchError\n"
        "if __name__ == '__main__':\n"
        f"    try: sharding.run(ToyBuild(shards=12, delay=0.05), Path(__import__('sys').argv[1]), workers={workers})\n"
        "    except VhbenchError as error: raise SystemExit(str(error))\n"
    )
    script = out / "main.py"
    script.write_text(code)
    process = subprocess.Popen([sys.executable, script, out], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    deadline = time.monotonic() + 60
    while len(built(out)) < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


def both_at_once(out: Path, seeds: tuple[int, int]) -> list[tuple[str, str]]:
    """Build with two seeds into one folder in two processes that start together; return what they print."""
    code = (
        "import sys, time; from pathlib import Path\n"
        "from toy_build import ToyBuild; from vhbench.builds import sharding\n"
        "out = Path(sys.argv[1])\n"
        "while not (out / 'go').exists(): time.sleep(0.001)\n"
        "for round in range(4):\n"
        "    build = ToyBuild(shards=8, seed=int(sys.argv[2]) + 10 * round)\n"
        "    print(sharding.run(build, out, progress=False).content_hash)\n"
    )
    command = [sys.executable, "-c", code, str(out)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    processes = [subprocess.Popen([*command, str(seed)], **pipes) for seed in seeds]  # type: ignore[call-overload]
    (out / "go").touch()
    return [process.communicate(timeout=120) for process in processes]


def test_two_builds_at_once_leave_one_whole_split(tmp_path: Path) -> None:
    told = both_at_once(tmp_path, (0, 1))
    assert [errors for _, errors in told] == ["", ""]
    assert [len(set(hashes.split())) for hashes, _ in told] == [4, 4]
    assert splits.verify(tmp_path / "ode") == []
    last = splits.read_manifest(tmp_path / "ode").content_hash
    assert last in [hashes.split()[-1] for hashes, _ in told]
    assert hidden(tmp_path) == []


def test_a_split_is_not_replaced_while_somebody_holds_it(tmp_path: Path) -> None:
    first = sharding.run(toy(), tmp_path, progress=False)
    process = start(tmp_path, workers=1)
    with (tmp_path / ".ode.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        while process.poll() is None and len(built(tmp_path)) < 12:
            time.sleep(0.01)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)
        assert splits.read_manifest(tmp_path / "ode") == first
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert splits.read_manifest(tmp_path / "ode") != first


def test_a_kill_in_the_middle_of_a_file_leaves_nothing_that_stops_a_rerun(tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = sharding.run(toy(log=log), tmp_path, progress=False)
    code = (
        "import os, sys; from pathlib import Path; from vhbench.files import write_atomic\n"
        "os.fsync = lambda _: os.kill(os.getpid(), 9)\n"
        "write_atomic(Path(sys.argv[1]), b'half')\n"
    )
    for name in ("ode/README.md", "ode.rejections.jsonl"):
        killed = subprocess.run([sys.executable, "-c", code, tmp_path / name], env=ENVIRONMENT, check=False)
        assert killed.returncode == -signal.SIGKILL
        assert not (tmp_path / name).exists()
    assert len([*tmp_path.rglob("*.tmp")]) == 2
    assert sharding.run(toy(log=log), tmp_path, progress=False) == first
    assert len(log.read_text().split()) == 6, "a finished split was built again"
    assert [*tmp_path.rglob("*.tmp")] == []
    assert splits.verify(tmp_path / "ode") == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up with ps")
@pytest.mark.parametrize("victims", ["workers", "everybody"])
def test_kill_9_and_a_rerun_give_the_same_content(tmp_path: Path, victims: str) -> None:
    process = start(tmp_path)
    workers = children(process.pid)
    for pid in [process.pid] if victims == "everybody" else workers:
        os.kill(pid, signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    if victims == "workers":
        assert process.returncode == 1
        assert "a worker process was killed" in errors
    wait_until_gone(workers)
    assert not (tmp_path / "ode").exists()
    orphan = next(tmp_path.glob(".ode.*.parts")) / ".000011.new"
    orphan.mkdir(exist_ok=True)
    (orphan / "half.parquet").write_bytes(b"half")

    log = tmp_path / "log"
    again = sharding.run(toy(shards=12, log=log), tmp_path, workers=2, progress=False)
    assert again is not None
    assert len(log.read_text().split()) < 12, "finished shards were built again"
    assert again.content_hash == sharding.run(toy(shards=12), tmp_path / "new", progress=False).content_hash  # type: ignore[union-attr]
    assert splits.verify(tmp_path / "ode") == []
    assert hidden(tmp_path) == []


@pytest.mark.slow
def test_ray_gives_the_same_content_and_a_lost_worker_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build ends the Ray that it has started, and leaves one alone that runs already: here, the first build's."""
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ends = []
    shutdown = ray.shutdown
    monkeypatch.setattr(ray, "shutdown", lambda: ends.append("first build"))
    try:
        by_ray = sharding.run(toy(), tmp_path / "ray", ray="local", progress=False)
        assert ends == ["first build"]
        alone = sharding.run(toy(), tmp_path / "alone", progress=False)
        assert by_ray == alone
        with pytest.raises(VhbenchError, match=r"Ray lost a worker \(WorkerCrashedError\).*run the same command again"):
            sharding.run(toy(crash=True, shards=3), tmp_path, ray="local", progress=False)
        assert ends == ["first build"]
    finally:
        shutdown()


@pytest.mark.parametrize("text", ["", "3", "3/3", "-1/3", "1/0", "a/b"])
def test_a_wrong_shard_is_named(text: str) -> None:
    with pytest.raises(VhbenchError, match="expected i/N with 0 ≤ i < N"):
        sharding.parse_shard(text)


@pytest.mark.parametrize(("devices", "used"), [("0,1,2", {"0", "1", "2"}), ("GPU-7", {"GPU-7"})])
def test_workers_share_out_the_visible_gpus(
    devices: str, used: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vhbench.adapters.loading import visible_devices

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", devices)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SUPPORT), *sys.path]))
    visible_devices.cache_clear()
    notes = tmp_path / "notes"
    notes.mkdir()
    build = GpuBuild(notes=notes, shards=3, rows=1)
    assert sharding.run(build, tmp_path, workers=3, progress=False) is not None
    visible_devices.cache_clear()
    assert {path.read_text() for path in notes.iterdir()} == used
