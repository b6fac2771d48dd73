"""Packages stand on floors: each imports from floors below alone, and neither files nor packages form circles.

The floors, and what is counted as a package, are in ``tests/support/package_map.py``.
"""

import ast
import subprocess
import sys
from collections import Counter

import networkx as nx
import package_map
import pytest
from package_map import CONTRIBUTING, FLOORS, PENDING, floor, imports, modules, names_used_across, ours, package, tree

LIGHT = {"numpy", "scipy"} | set(sys.stdlib_module_names)
HEAVY = {"torch", "transformers", "diffusers", "lmms_eval", "torchvision", "accelerate"}
INEXACT = {f"np.{name}" for name in "exp expm1 log log1p log2 log10 sin cos tan tanh power".split()}
APART = {"audit": "generators"}
"""Package → what it must share nothing with: the audit answers questions with other eyes than the generators."""

BESIDE = {(f"generators.{name}", "generators.scenes") for name in ("ode", "mioh", "vhexpansion")}
"""Imports within a floor."""

MOST_NAMES = 599
"""Names that product code of another package uses: at most so many."""

MOST_LINES, LONGEST_FUNCTION = 450, 60

NAMED = sorted(name for name in modules() if name not in ("vhbench", "vhbench.generators"))


def test_each_package_has_a_floor() -> None:
    assert {package(name) for name in NAMED} == {room for rooms in FLOORS for room in rooms}


def test_a_package_imports_from_floors_below() -> None:
    edges = package_map.graph().edges
    assert {(one, other) for one, other in edges if floor(other) >= floor(one)} - BESIDE <= PENDING


def test_imports_go_in_no_circle() -> None:
    files = nx.DiGraph((name, imported) for name in modules() for imported in ours(name))
    # A package imports its modules for its face; a module that imports its package's face would be a circle.
    assert [sorted(circle) for circle in nx.strongly_connected_components(files) if len(circle) > 1] == []
    packages = package_map.graph()
    packages.remove_edges_from(PENDING)
    assert [sorted(circle) for circle in nx.strongly_connected_components(packages) if len(circle) > 1] == []


def test_few_names_are_used_across_packages() -> None:
    count = len(names_used_across())
    print(count, "names are used across packages")
    assert count <= MOST_NAMES, "python tests/support/package_map.py lists them"


def test_no_file_and_no_function_is_long() -> None:
    files = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules().items()}
    assert {name for name, lines in files.items() if lines > MOST_LINES} == set()
    functions = {
        f"{name}.{node.name}": node.end_lineno - node.lineno + 1
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    }
    assert {name for name, lines in functions.items() if lines > LONGEST_FUNCTION} == set()


def test_the_diagram_is_current() -> None:
    text = CONTRIBUTING.read_text(encoding="utf-8")
    assert package_map.with_diagram(text) == text, "run `python tests/support/package_map.py --write`"


def test_what_must_be_apart_is() -> None:
    graph = nx.DiGraph((name, imported) for name in modules() for imported in ours(name))
    for own, other in APART.items():
        for name in (n for n in NAMED if package(n) == own):
            reached = nx.descendants(graph, name) if name in graph else set()
            assert not [n for n in reached if n.startswith(f"vhbench.{other}")], f"{name} shares code with {other}"


def test_metrics_are_light() -> None:
    for name in (n for n in NAMED if package(n) == "tasks.metrics"):
        for imported in imports(name) - modules().keys():
            assert imported.split(".")[0] in LIGHT, f"{name} imports {imported}"


def test_heavy_imports_are_in_adapters() -> None:
    for name in NAMED:
        if not name.startswith("vhbench.adapters"):
            assert not {imported.split(".")[0] for imported in imports(name)} & HEAVY, name


def test_scenes_have_one_face() -> None:
    inside = {name for name in modules() if name.startswith("vhbench.generators.scenes.")}
    for name in NAMED:
        if not name.startswith("vhbench.generators.scenes"):
            assert not ours(name) & inside, f"{name} reaches into generators.scenes; it imports what its face offers"


def test_no_hash_depends_on_the_processor() -> None:
    """The last digit of these functions of NumPy does; of ``math`` it does not, or is rounded away."""
    for name in NAMED:
        if name.startswith(("vhbench.generators", "vhbench.builds")):
            used = {ast.unparse(node) for node in ast.walk(tree(name)) if isinstance(node, ast.Attribute)}
            assert not used & INEXACT, name


def test_no_two_classes_have_one_name() -> None:
    classes = Counter(node.name for name in modules() for node in tree(name).body if isinstance(node, ast.ClassDef))
    assert [name for name, count in classes.items() if count > 1] == []


@pytest.mark.parametrize("module", ["vhbench", "vhbench.cli"])
def test_importing_is_light(module: str) -> None:
    heavy = "{'torch', 'lmms_eval', 'transformers', 'datasets', 'numpy'}"
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
