"""Hash of the code and drawings that builds depend on."""

import hashlib
from functools import cache
from pathlib import Path, PurePosixPath

import vhbench
from vhbench.files import canonical

_CODE = (".py", ".svg", ".tsv", ".json", ".yaml")
_LATER = (
    "tasks", "analysis", "card", "cli", "compare", "leaderboard", "training", "release.py", "split_diff.py"
)  # fmt: skip
"""Packages above the builds: they read or serve splits and cannot change their content; the audit ends builds."""


@cache
def code_digest() -> str:
    """Return a hex hash over the code and drawings that determine the output of builds.

    The hash is identical for a checkout, with or without symbolic links, and for a wheel installed from it.
    """
    digest = hashlib.sha256()
    for name, path in sorted(code_files().items()):
        digest.update(canonical([name, hashlib.sha256(path.read_bytes()).hexdigest()]))
    return digest.hexdigest()


def code_files() -> dict[str, Path]:
    """Return the files that :func:`code_digest` covers, by path, such as "schema.py"."""
    found: dict[PurePosixPath, Path] = {}
    for top in ("", "adapters", "generators"):  # the latter two may be in other places
        root = next(folder for parent in vhbench.__path__ if (folder := Path(parent, top)).is_dir())
        files = (path for path in root.rglob("*") if path.suffix in _CODE)
        found |= {PurePosixPath(top, path.relative_to(root).as_posix()): path for path in files}
    return {str(name): path for name, path in found.items() if name.parts[0] not in _LATER}
