"""Which code and which drawings a build depends on."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import vhbench
from vhbench.files import canonical

_CODE = (".py", ".svg", ".tsv", ".json", ".yaml")
_LATER = (
    "tasks", "analysis", "audit", "card", "cli", "compare", "leaderboard", "training", "release.py", "split_diff.py"
)  # fmt: skip
"""What stands above the builds: it reads or serves what they made, and cannot change it."""

_WRITES = "vhbench.builds.sharding"
"""What makes a split of any build's rows."""


@cache
def code_digest(kind: type | None = None) -> str:
    """Return a hash, in hex, over the code and the drawings that what is built depends on.

    It is the same for a checkout, with symbolic links or without, and for an installed wheel of it.

    Args:
        kind: the build's class: only what its module imports counts, directly or not. None for all builds together.
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
    """Return the files that :func:`code_digest` covers, by their names in the package, such as "schema.py"."""
    found: dict[PurePosixPath, Path] = {}
    for top in ("", "adapters", "generators"):  # the latter two may lie elsewhere
        root = next(folder for parent in vhbench.__path__ if (folder := Path(parent, top)).is_dir())
        files = (path for path in root.rglob("*") if path.suffix in _CODE)
        found |= {PurePosixPath(top, path.relative_to(root).as_posix()): path for path in files}
    return {str(name): path for name, path in found.items() if name.parts[0] not in _LATER}


def _lies_in(name: str, rooms: set[PurePosixPath]) -> bool:
    """Tell whether a table or drawing lies in a room, or in a folder of its own below one (``scenes/art``)."""
    folder = PurePosixPath(name).parent
    return folder in rooms or (folder.parent in rooms and folder.parent != PurePosixPath("."))


def _needed(module: str, files: dict[str, Path], *more: str) -> set[str]:
    """Return the names of a module's file, and more modules', and of all that they import, also inside functions."""
    found: set[str] = set()
    waiting = [module, *more]
    while waiting:
        parts = waiting.pop().split(".")[1:]
        names = ["/".join([*parts[:i], "__init__.py"]) for i in range(len(parts) + 1)]
        for name in (*("/".join(parts[:i]) + ".py" for i in range(1, len(parts) + 1)), *names):
            if name in files and name not in found:
                found.add(name)
                waiting.extend(_imports(files[name]))
    return found


def _imports(path: Path) -> Iterator[str]:
    """Yield what a file imports of vhbench; of "from vhbench.a import b" both, as b may be a module."""
    if b"vhbench" not in (content := path.read_bytes()):
        return
    for node in _statements(ast.parse(content)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("vhbench."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "vhbench":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements below a node: an import is one, and expressions, of which there are most, hold none."""
    for inner in ("body", "orelse", "handlers", "cases", "finalbody"):
        found = getattr(node, inner, ())
        for one in found if isinstance(found, list) else ():  # a lambda's body is no list
            yield one
            yield from _statements(one)
