"""The starter splits: small, built from drawn scenes, the same on every machine."""

import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from vhbench import benchmarks
from vhbench.builds import sharding
from vhbench.files import cache_folder
from vhbench.schema import VhbenchError

SEED = 4


def starter(benchmark: str) -> Path:
    """Return the starter split of a benchmark, building it first if this version has not built it yet.

    Several processes may ask at once; one builds, the others wait. The folder is named after the code that
    determines the content, so that a changed generator never serves an old split.

    Raises:
        VhbenchError: if there is no such benchmark.
    """
    benchmarks.benchmark(benchmark)
    root = cache_folder() / "starter" / sharding.code_digest()[:16]
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(str(root / f"{benchmark}.lock")):
        if not (root / benchmark / "manifest.json").is_file():
            print(f"vhbench: building the starter split of {benchmark} (once) …", file=sys.stderr)
            _build_elsewhere(benchmark, root)
    return root / benchmark


def build(benchmark: str, root: Path) -> None:
    """Build the starter split of a benchmark into a folder, in a process of its own."""
    record = benchmarks.benchmark(benchmark)
    start = _prepare_workers(record.build.partition(":")[0])
    options = {name: _filled(value) for name, value in record.starter.items()}
    made = benchmarks.load(record.build)(**options, scratch=str(root), seed=SEED)
    sharding.run(made, root, workers=os.cpu_count() or 1, progress=sys.stderr.isatty(), start=start)


def _prepare_workers(module: str) -> Literal["spawn", "forkserver"]:
    """Have the process that workers are forked from import a module while this one does.

    Returns:
        How workers start: "spawn" where there is no such process, as in a temporary folder whose path is too long for
        its socket.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return "spawn"
    from multiprocessing import forkserver

    forkserver.set_forkserver_preload([module, "vhbench.builds.sharding"])
    try:
        forkserver.ensure_running()
    except OSError:
        return "spawn"
    return "forkserver"


def _filled(value: Any) -> Any:
    """Return an option with the folders of the starter splits in place of their names: "ode:{ode}"."""
    return re.sub(r"\{(\w+)\}", lambda name: str(starter(name[1])), value) if isinstance(value, str) else value


def _build_elsewhere(benchmark: str, root: Path) -> None:
    """Build in a process of its own: workers import their parent's main module, and lmms-eval's is heavy."""
    command = [sys.executable, "-m", "vhbench.builds.starter", benchmark, str(root)]
    try:
        said: int | None = sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):  # a notebook's, or one that is being captured, has none
        said = subprocess.DEVNULL
    done = subprocess.run(command, stdout=said, check=False)
    if done.returncode:
        raise VhbenchError(f"the starter split of {benchmark} could not be built in {root}; see the lines above")


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]))
