"""The house has floors: a module imports from its own room and from floors below, and nothing goes in circles."""

import ast
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parent.parent

FLOORS: tuple[tuple[str, ...], ...] = (
    ("schema",),
    (
        "statistics.intervals",
        "seeding",
        "files",
        "columns",
        "options",
        "progress",
        "terminal",
        "masks",
        "tsv",
    ),
    ("json_rows", "protocols", "images", "language", "colours", "benchmarks", "charts", "provenance"),
    ("store",),
    ("records", "contact_sheet", "splits"),
    ("statistics", "generators.scenes", "audit"),
    ("generators.ode", "generators.mioh", "generators.vhexpansion", "adapters"),
    ("runs.column_aliases", "runs.checks"),
    ("runs.formats", "runs.samples", "runs.run_files"),
    ("runs.questions",),
    ("runs",),
    ("builds",),
    ("tasks",),
    ("analysis", "card", "split_diff"),
    ("release", "compare.scoring", "training"),
    ("compare",),
    ("leaderboard",),
    ("cli",),
)
"""From the ground up; a room is a package or a module below ``vhbench``."""

FLOOR_0 = {f"vhbench.{room}" for floor in FLOORS[:5] for room in floor} | {"vhbench.statistics"}
LIGHT = {"numpy", "scipy"} | set(sys.stdlib_module_names)
HEAVY = {"torch", "transformers", "diffusers", "lmms_eval", "torchvision", "accelerate"}
APART = {"audit": "generators"}
"""Room → what it must share nothing with: the audit answers questions with other eyes than the generators."""


@cache
def modules() -> dict[str, Path]:
    """Return module name → file for everything that ships."""
    files = [path for top in ("generators", "adapters", "tasks") for path in (ROOT / top).rglob("*.py")]
    links = {ROOT / "vhbench" / top for top in ("generators", "adapters", "tasks")}
    own = [path for path in (ROOT / "vhbench").rglob("*.py") if not links & set(path.parents)]
    return {_name(path, "vhbench."): path for path in files} | {_name(path, ""): path for path in own}


def _name(path: Path, prefix: str) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return prefix + ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(name: str) -> frozenset[str]:
    """Return what a module imports, at any depth; of packages of ours the modules that are meant."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(modules()[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= whole & modules().keys() or {node.module}
    return frozenset(found)


def ours(name: str) -> set[str]:
    """Return the modules of vhbench that a module imports."""
    return (set(imports(name)) & modules().keys()) - {name, "vhbench"}


def room(name: str) -> tuple[int, str]:
    """Return the floor and the room of a module."""
    inner = name.removeprefix("vhbench.")
    rooms = [(number, found) for number, rooms in enumerate(FLOORS) for found in rooms]
    found = [(number, own) for number, own in rooms if inner == own or inner.startswith(f"{own}.")]
    assert found, f"{name} is in no room: name its room in FLOORS"
    return max(found, key=lambda one: len(one[1]))


NAMED = sorted(name for name in modules() if name not in ("vhbench", "vhbench.generators"))


@pytest.mark.parametrize("name", NAMED)
def test_a_module_imports_from_its_own_room_or_from_a_floor_below(name: str) -> None:
    floor, own = room(name)
    for imported in ours(name):
        below, other = room(imported)
        assert other == own or below < floor, f"{name} (floor {floor}) imports {imported} (floor {below})"


def test_imports_go_in_no_circle() -> None:
    graph = nx.DiGraph((name, imported) for name in modules() for imported in ours(name))
    # A package imports its modules for its face; a module that imports its package's face would be a circle.
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1] == []


def test_what_must_be_apart_is() -> None:
    for own, other in APART.items():
        graph = nx.DiGraph((name, imported) for name in modules() for imported in ours(name))
        for name in (n for n in NAMED if room(n)[1] == own):
            reached = nx.descendants(graph, name) if name in graph else set()
            assert not [n for n in reached if n.startswith(f"vhbench.{other}")], f"{name} shares code with {other}"


@pytest.mark.parametrize("name", [name for name in NAMED if name.startswith("vhbench.tasks.metrics")])
def test_metrics_are_light(name: str) -> None:
    for imported in imports(name):
        floor_0 = any(imported == own or imported.startswith(f"{own}.") for own in FLOOR_0)
        light = imported.split(".")[0] in LIGHT or imported.startswith("vhbench.tasks.metrics")
        assert light or floor_0, f"{name} imports {imported}"


@pytest.mark.parametrize("name", NAMED)
def test_heavy_imports_are_in_adapters(name: str) -> None:
    if not name.startswith("vhbench.adapters") and name != "vhbench.generators.vhexpansion.attack":
        assert not {imported.split(".")[0] for imported in imports(name)} & HEAVY


def test_scenes_have_one_face() -> None:
    inside = {name for name in modules() if name.startswith("vhbench.generators.scenes.")}
    for name in NAMED:
        if not name.startswith("vhbench.generators.scenes"):
            assert not ours(name) & inside, f"{name} reaches into generators.scenes; it imports what its face offers"


def test_no_two_classes_have_one_name() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules().values()]
    classes = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, count in classes.items() if count > 1] == []


def test_importing_the_package_is_light() -> None:
    code = "import sys, vhbench; print(sorted({'torch', 'lmms_eval', 'transformers', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
