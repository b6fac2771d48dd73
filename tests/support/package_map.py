"""The packages of vhbench, what they import, and which of their names others use; read from the sources.

``python tests/support/package_map.py`` prints the names that other packages use; ``--write`` draws the diagram of
CONTRIBUTING.md anew.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parents[2]
REAL = ("generators", "adapters", "tasks")
"""Folders at the top that ship as packages of vhbench, where links to them lie."""

FLOORS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("language", "splits"),
    ("records", "rewards"),
    ("statistics", "audit", "generators.scenes"),
    ("tasks.metrics", "generators.ode", "generators.mioh", "generators.vhexpansion", "adapters"),
    ("builds",),
    ("tasks",),
    ("runs", "card", "split_diff"),
    ("compare", "analysis", "release"),
    ("training", "leaderboard"),
    ("cli",),
)
"""From the ground up: packages import from lower floors only. "core" stands for the modules of vhbench itself."""

APART = ("records", "release", "rewards", "split_diff")
"""Modules of vhbench itself that are packages of their own here."""

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
PENDING = {("builds", "runs")}
"""Imports from a floor above, or the same, that are to go; the diagram leaves them out."""

BEGIN, END = "<!-- packages: begin -->\n", "<!-- packages: end -->\n"


@cache
def modules() -> dict[str, Path]:
    """Return module name → file for everything that ships."""
    files = [path for top in REAL for path in (ROOT / top).rglob("*.py")]
    links = {ROOT / "vhbench" / top for top in REAL}
    own = [path for path in (ROOT / "vhbench").rglob("*.py") if not links & set(path.parents)]
    return {_name(path, "vhbench."): path for path in files} | {_name(path, ""): path for path in own}


def _name(path: Path, prefix: str) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return prefix + ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(name: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


@cache
def imports(name: str) -> frozenset[str]:
    """Return what a module imports, at any depth; of packages of ours the modules that are meant."""
    found: set[str] = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= whole & modules().keys() or {node.module}
    return frozenset(found)


@cache
def ours(name: str) -> frozenset[str]:
    """Return the modules of vhbench that a module imports."""
    return frozenset(imports(name) & modules().keys()) - {name, "vhbench"}


def package(name: str) -> str:
    """Return the package of a module, as :data:`FLOORS` names it."""
    parts = name.removeprefix("vhbench").lstrip(".").split(".")
    if parts[0] == "generators":
        return ".".join(parts[:2])
    if parts[:2] == ["tasks", "metrics"]:
        return "tasks.metrics"
    alone = f"vhbench.{parts[0]}" not in modules() or modules()[f"vhbench.{parts[0]}"].name != "__init__.py"
    return "core" if alone and parts[0] not in APART else parts[0]


def graph() -> "nx.DiGraph[str]":
    """Return the packages, with an edge from each to every other one that it imports."""
    edges = {(package(name), package(imported)) for name in modules() for imported in ours(name)}
    found: nx.DiGraph[str] = nx.DiGraph(
        (one, other) for one, other in edges if one != other and "generators" not in (one, other)
    )
    return found


def floor(own: str) -> int:
    """Return the floor of a package."""
    return next(number for number, rooms in enumerate(FLOORS, start=1) if own in rooms)


@cache
def public(name: str) -> frozenset[str]:
    """Return the names that a module defines at its level, without those that begin with an underscore."""
    found = set[str]()
    for node in tree(name).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return frozenset(one for one in found if not one.startswith("_"))


@cache
def origin(module: str, name: str) -> tuple[str, str]:
    """Return where a name is defined that a module, perhaps the face of a package, imports."""
    if name not in public(module):
        for node in tree(module).body:
            if isinstance(node, ast.ImportFrom) and node.module in modules():
                for alias in node.names:
                    if (alias.asname or alias.name) == name and f"{node.module}.{alias.name}" not in modules():
                        return origin(str(node.module), alias.name)
    return module, name


def used(name: str) -> Iterator[tuple[str, str]]:
    """Yield (module, name) for what a module takes from others: imported names, and attributes of imported modules."""
    known = dict[str, str]()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.ImportFrom) and node.module in modules():
            for alias in node.names:
                if (whole := f"{node.module}.{alias.name}") in modules():
                    known[alias.asname or alias.name] = whole
                else:
                    yield origin(str(node.module), alias.name)
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            yield origin(known[node.value.id], node.attr)


@cache
def names_used_across() -> dict[str, tuple[str, ...]]:
    """Return each public name that product code of another package uses → those packages."""
    found: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        for own, name in used(module):
            if package(own) != package(module) and name in public(own):
                found[f"{own}.{name}"].add(package(module))
    return {name: tuple(sorted(users)) for name, users in sorted(found.items())}


def diagram() -> str:
    """Return the packages by floors, with an arrow to each package that is not reached through another one."""
    packages = graph()
    packages.remove_edges_from(PENDING)
    reduced = nx.transitive_reduction(packages)
    lines = ["```mermaid", "graph TD"]
    for number, rooms in reversed(list(enumerate(FLOORS, start=1))):
        lines.append(f"  subgraph floor{number}[{number}]; {'; '.join(rooms)}; end")
    arrows = sorted((-floor(one), one, " & ".join(sorted(below))) for one, below in reduced.adjacency() if below)
    return "\n".join([*lines, *(f"  {one} --> {below}" for _, one, below in arrows), "```"]) + "\n"


def with_diagram(text: str) -> str:
    """Return CONTRIBUTING.md with the diagram as it is now."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{diagram()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--write" in sys.argv:
        CONTRIBUTING.write_text(with_diagram(CONTRIBUTING.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        for used_name, users in names_used_across().items():
            print(f"{used_name}: {', '.join(users)}")
        print(len(names_used_across()), "names are used across packages")
