"""Builds on many machines: two nodes of Ray, and the script for Slurm with plain shells in place of its nodes."""

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_build import NodeBuild, ToyBuild

from vhbench import splits
from vhbench.builds import sharding

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "docs" / "slurm_array.sh"
BUILD = ("ode", "--pairs", "1", "--size", "64", "--criteria", "random,fictional", "--levels", "existence")


_PORTS = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")


def node() -> dict[str, int]:
    """Return what a small node needs; a raylet that has to find its agents' ports waits 15 s for them, then breaks."""
    free = [socket.create_server(("127.0.0.1", 0)) for _ in _PORTS]
    ports = [place.getsockname()[1] for place in free]
    for place in free:
        place.close()
    return {"num_cpus": 1, "object_store_memory": 80 << 20, **dict(zip(_PORTS, ports, strict=True))}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a Ray cluster of two nodes, each with one processor."""
    pytest.importorskip("ray", reason="needs Ray: pip install 'vhbench[ray]'")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")]))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    made = Cluster()
    try:
        try:
            made.add_node(**node(), include_dashboard=False)
            made.add_node(**node())
        except Exception as error:  # after 30 s, on a machine that is too busy
            pytest.skip(f"Ray's test cluster did not start: {error}")
        yield made.address
    finally:
        made.shutdown()


@pytest.mark.slow
def test_two_nodes_of_ray_share_a_build(tmp_path: Path, cluster: str) -> None:
    build = NodeBuild(seed=5, delay=0.1, nodes=tmp_path)
    shared = sharding.run(build, tmp_path / "ray", ray=cluster, progress=False)
    alone = sharding.run(ToyBuild(seed=5), tmp_path / "alone", progress=False)
    assert shared is not None
    assert alone is not None
    assert shared.content_hash == alone.content_hash
    assert len(set((tmp_path / "nodes").read_text().split())) == 2


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs bash")
def test_the_script_for_slurm(tmp_path: Path) -> None:
    run = f"exec {shlex.quote(sys.executable)} -c 'from vhbench.cli import main; main()' \"$@\"\n"
    (tmp_path / "vhbench").write_text(f"#!/bin/sh\n{run}")
    (tmp_path / "vhbench").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    words = ["/bin/bash", str(SCRIPT), *BUILD, "--out", str(tmp_path / "out")]
    jobs = [
        subprocess.Popen(words, env={**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": str(job), "JOBS": "2"})
        for job in range(2)
    ]
    assert [job.wait() for job in jobs] == [0, 0]
    assert splits.verify(tmp_path / "out" / "ode") == []
    assert {name.rpartition("_")[0] for name in splits.read_manifest(tmp_path / "out" / "ode").rows} == {
        "ode_random",
        "ode_fictional",
    }


def test_the_script_says_what_starts_it() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "SLURM_ARRAY_TASK_ID"}
    ended = subprocess.run(
        ["/bin/bash", str(SCRIPT), *BUILD], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "start this with sbatch" in ended.stderr
