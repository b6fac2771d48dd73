"""Hash of the code and drawings that a build depends on."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import vhbench
from vhbench.files import canonical

_CODE = (".py", ".svg", ".tsv", ".json", ".yaml")
# packages above the builds: they read or serve splits and cannot change their content; the audit ends builds
_LATER = (
    "tasks", "analysis", "card", "cli", "compare", "leaderboard", "training", "release.py", "split_diff.py"
)  # fmt: skip

_IMPORT = re.compile(r"^ *(?:from (vhbench[\w.]*) import (\([^)]*\)|.*)|import (vhbench\.[\w.]*))", re.M)

_WRITES = "vhbench.builds.sharding"  # module that turns any build's rows into a split


@cache
def code_digest(kind: type | None = None) -> str:
    """Return a hex hash over the code and drawings that determine a build's output.

    The hash is identical for a checkout, with or without symbolic links, and for a wheel installed from it.

    Of a build class (``kind``), only modules that its module imports, directly or indirectly, count; else all.
    """
    files = code_files()
    if kind is not None and kind.__module__.startswith("vhbench."):
        needed = _needed(kind.__module__, files, _WRITES)
        rooms = {name.parent for name in map(PurePosixPath, needed)}
        files = {n: p for n, p in files.items() if n in needed or (p.suffix != ".py" and _lies_in(n, rooms))}
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        digest.update(canonical([name, hashlib.sha256(path.read_bytes()).hexdigest()]))
    return digest.hexdigest()


def code_files() -> dict[str, Path]:
    """Return the files that :func:`code_digest` covers, by path, such as "schema.py"."""
    files_by_path: dict[PurePosixPath, Path] = {}
    for top in ("", "adapters", "generators"):  # the latter two may be in other places
        root = next(folder for parent in vhbench.__path__ if (folder := Path(parent, top)).is_dir())
        files = (path for path in root.rglob("*") if path.suffix in _CODE)
        files_by_path |= {PurePosixPath(top, path.relative_to(root).as_posix()): path for path in files}
    return {str(name): path for name, path in files_by_path.items() if name.parts[0] not in _LATER}


def _lies_in(name: str, rooms: set[PurePosixPath]) -> bool:
    """Return whether a data file is in a package or in its own data folder (``scenes/art``)."""
    folder = PurePosixPath(name).parent
    return folder in rooms or (folder.parent in rooms and folder.parent != PurePosixPath("."))


def _needed(module: str, files: dict[str, Path], *more: str) -> set[str]:
    """Return the files of modules and of all their imports, including those in functions."""
    needed: set[str] = set()
    waiting = [module, *more]
    while waiting:
        parts = waiting.pop().split(".")[1:]
        names = ["/".join([*parts[:i], "__init__.py"]) for i in range(len(parts) + 1)]
        for name in (*("/".join(parts[:i]) + ".py" for i in range(1, len(parts) + 1)), *names):
            if name in files and name not in needed:
                needed.add(name)
                waiting.extend(_imports(files[name]))
    return needed


def _imports(path: Path) -> Iterator[str]:
    """Yield a file's vhbench imports; of "from vhbench.a import b" both, as b may be a module."""
    for package, names, module in _IMPORT.findall(path.read_text(encoding="utf-8")):
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", names)) if package else (module,)
