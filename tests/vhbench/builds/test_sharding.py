"""However many processes build a split, and whatever happens to them, the content is the same."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import children, wait_until_gone
from toy_build import ToyBuild

from vhbench import splits
from vhbench.builds import sharding
from vhbench.schema import VhbenchError


def toy(**options: object) -> object:
    return ToyBuild(**options)


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


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


def test_given_up_builds_are_swept(tmp_path: Path) -> None:
    sharding.run(toy(), tmp_path, shard=(0, 2), progress=False)
    assert len(hidden(tmp_path)) == 1
    sharding.run(toy(seed=1), tmp_path, progress=False)
    assert hidden(tmp_path) == []


SUPPORT = Path(__file__).parents[2] / "support"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SUPPORT)}


def start(out: Path) -> "subprocess.Popen[str]":
    code = (
        "from pathlib import Path; from toy_build import ToyBuild; from vhbench.builds import sharding\n"
        "from vhbench.schema import VhbenchError\n"
        "if __name__ == '__main__':\n"
        "    try: sharding.run(ToyBuild(shards=12, delay=0.05), Path(__import__('sys').argv[1]), workers=3)\n"
        "    except VhbenchError as error: raise SystemExit(str(error))\n"
    )
    script = out / "main.py"
    script.write_text(code)
    process = subprocess.Popen([sys.executable, script, out], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    deadline = time.monotonic() + 60
    while len(list(out.glob(".ode.*.parts/*/manifest.json"))) < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


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
def test_ray_gives_the_same_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    by_ray = sharding.run(toy(), tmp_path / "ray", ray="local", progress=False)
    alone = sharding.run(toy(), tmp_path / "alone", progress=False)
    assert by_ray == alone


@pytest.mark.parametrize("text", ["", "3", "3/3", "-1/3", "1/0", "a/b"])
def test_a_wrong_shard_is_named(text: str) -> None:
    with pytest.raises(VhbenchError, match="must be i/N with 0 ≤ i < N"):
        sharding.parse_shard(text)
