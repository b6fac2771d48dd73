"""Starter splits: small, synthetic, identical on every machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from vhbench import benchmarks
from vhbench.builds import sharding
from vhbench.files import cache_folder
from vhbench.schema import VhbenchError

SEED = 4


def starter(benchmark: str) -> Path:
    """Return a benchmark's starter split; build it first if this version has not yet.

    Several processes may call this at once; one builds, the others wait. The folder is named after the code that
    determines the content, so a changed generator never returns an outdated split. Raises VhbenchError if the benchmark
    is unknown.
    """
    benchmarks.benchmark(benchmark)
    root = cache_folder() / "starter" / sharding.code_digest()[:16]
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(str(root / f"{benchmark}.lock")):
        if not (root / benchmark / "manifest.json").is_file():
            print(f"vhbench: building the {benchmark} starter split (once) …", file=sys.stderr)
            _build_elsewhere(benchmark, root)
    return root / benchmark


def build(benchmark: str, root: Path) -> None:
    """Build a benchmark's starter split into a folder, in a separate process."""
    record = benchmarks.benchmark(benchmark)
    options = {  # with placeholders ("ode:{ode}") replaced by starter splits
        name: re.sub(r"\{(\w+)\}", lambda word: str(starter(word[1])), value) if isinstance(value, str) else value
        for name, value in record.starter.items()
    }
    split_build = benchmarks.load(record.build)(**options, scratch=str(root), seed=SEED)
    # A worker takes seconds to start and to paint its own backdrops, half of what a smaller split takes in all.
    workers = os.cpu_count() or 1 if benchmark == "mioh" else 1
    # One progress bar, that of the longest build, where the demo builds all at once.
    sharding.run(split_build, root, workers=workers, progress=benchmark == "mioh" and sys.stderr.isatty())


def _build_elsewhere(benchmark: str, root: Path) -> None:
    """Build in a separate process: workers would import lmms-eval's slow main module."""
    command = [sys.executable, "-m", "vhbench.builds.starter", benchmark, str(root)]
    try:
        output: int | None = sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):  # notebooks and captured output have none
        output = subprocess.DEVNULL
    done = subprocess.run(command, stdout=output, check=False)
    if done.returncode:
        raise VhbenchError(f"the starter split of {benchmark} could not be built in {root}; see the lines above")


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]))
