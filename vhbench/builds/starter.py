"""The starter splits: small, built from drawn scenes, the same on every machine."""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs
from filelock import FileLock

from vhbench.protocols import Build
from vhbench.schema import VhbenchError

SEED = 20260


def cache_folder() -> Path:
    """Return the folder for what can be built again: ``VHBENCH_CACHE``, or the user's cache."""
    return Path(os.environ.get("VHBENCH_CACHE") or platformdirs.user_cache_dir("vhbench")).expanduser()


def starter(benchmark: str) -> Path:
    """Return the starter split of a benchmark, building it first if this version has not built it yet.

    Several processes may ask at once; one builds, the others wait. The folder is named after the code that
    determines the content, so that a changed generator never serves an old split.

    Raises:
        VhbenchError: if there is no such benchmark.
    """
    if benchmark not in STARTERS:
        raise VhbenchError(f"no benchmark '{benchmark}'; must be one of {', '.join(STARTERS)}")
    root = cache_folder() / "starter" / _fingerprint()
    root.mkdir(parents=True, exist_ok=True)
    folder = root / benchmark
    with FileLock(str(root / f"{benchmark}.lock")):
        if not (folder / "manifest.json").is_file():
            from vhbench.builds import sharding

            print(f"vhbench: building the starter split of {benchmark} (once) …", file=sys.stderr)
            sharding.run(STARTERS[benchmark](root), root, workers=os.cpu_count() or 1, progress=False)
    return folder


def _fingerprint() -> str:
    """Hash every file that determines the starter splits' content."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for folder in ("generators", "builds"):
        for file in sorted((package / folder).rglob("*")):
            if file.suffix in {".py", ".svg", ".tsv", ".json"}:
                digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    for name in ("schema.py", "seeding.py", "splits.py"):
        digest.update((package / name).read_bytes())
    return digest.hexdigest()[:16]


def _ode(root: Path) -> Build:
    raise NotImplementedError


STARTERS: dict[str, Callable[[Path], Build]] = {"ode": _ode}
