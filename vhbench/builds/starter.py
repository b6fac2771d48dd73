"""The starter splits: small, built from drawn scenes, the same on every machine."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from vhbench.builds import sharding
from vhbench.files import cache_folder
from vhbench.protocols import Build
from vhbench.schema import VhbenchError

SEED = 4


def starter(benchmark: str) -> Path:
    """Return the starter split of a benchmark, building it first if this version has not built it yet.

    Several processes may ask at once; one builds, the others wait. The folder is named after the code that
    determines the content, so that a changed generator never serves an old split.

    Raises:
        VhbenchError: if there is no such benchmark.
    """
    if benchmark not in STARTERS:
        raise VhbenchError(f"no benchmark '{benchmark}'; must be one of {', '.join(STARTERS)}")
    root = cache_folder() / "starter" / sharding.code_digest()[:16]
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(str(root / f"{benchmark}.lock")):
        if not (root / benchmark / "manifest.json").is_file():
            print(f"vhbench: building the starter split of {benchmark} (once) …", file=sys.stderr)
            _build_elsewhere(benchmark, root)
    return root / benchmark


def build(benchmark: str, root: Path) -> None:
    """Build the starter split of a benchmark into a folder."""
    sharding.run(STARTERS[benchmark](root), root, workers=os.cpu_count() or 1, progress=sys.stderr.isatty())


def _build_elsewhere(benchmark: str, root: Path) -> None:
    """Build in a process of its own: workers import their parent's main module, and lmms-eval's is heavy."""
    command = [sys.executable, "-m", "vhbench.builds.starter", benchmark, str(root)]
    done = subprocess.run(command, stdout=sys.stderr, check=False)
    if done.returncode:
        raise VhbenchError(f"the starter split of {benchmark} could not be built in {root}; see the lines above")


def _ode(root: Path) -> Build:
    from vhbench.builds.ode import OdeBuild

    return OdeBuild(pairs=10, seed=SEED)


def _mioh(root: Path) -> Build:
    from vhbench.builds.mioh import MiohBuild

    return MiohBuild(read=("scenes:450",), cells=5, size=384, scratch=str(root), seed=SEED)


def _vhexpansion(root: Path) -> Build:
    from vhbench.builds.vhexpansion import VHExpansionBuild

    return VHExpansionBuild(source=f"ode:{starter('ode')}", limit=60, seed=SEED)


STARTERS: dict[str, Callable[[Path], Build]] = {"ode": _ode, "mioh": _mioh, "vhexpansion": _vhexpansion}


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]))
