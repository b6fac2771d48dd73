"""The house has floors: a module imports only from floors below its own."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_FLOOR_0 = "schema protocols seeding files columns splits results progress images contact_sheet".split()
FLOOR_0 = {f"vhbench.{name}" for name in _FLOOR_0}
HEAVY = {"torch", "transformers", "diffusers", "lmms_eval", "torchvision", "accelerate"}


def floor(module: str) -> int:
    """Return the floor of a vhbench module."""
    if module == "vhbench" or any(module == m or module.startswith(m + ".") for m in FLOOR_0):
        return 0
    part = module.split(".")[1]
    return {"generators": 1, "adapters": 1, "builds": 2, "tasks": 3}.get(part, 4)


def modules() -> dict[str, Path]:
    """Return module name → file for everything that ships."""
    files = [p for d in ("generators", "adapters", "tasks") for p in (ROOT / d).rglob("*.py")]
    named = {f"vhbench.{'.'.join(p.relative_to(ROOT).with_suffix('').parts)}": p for p in files}
    own = [p for p in (ROOT / "vhbench").rglob("*.py") if not {"tasks", "generators", "adapters"} & set(p.parts[-3:-1])]
    return named | {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in own}


def imports(path: Path) -> set[str]:
    """Return what a file imports from, at any depth."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


MODULES = modules()


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_only_from_floors_below(name: str) -> None:
    own = name.removesuffix(".__init__")
    ours = {
        m for m in imports(MODULES[name]) if m.startswith("vhbench.") and (m in MODULES or f"{m}.__init__" in MODULES)
    }
    for imported in ours:
        assert floor(imported) <= floor(own), f"{own} (floor {floor(own)}) imports {imported} (floor {floor(imported)})"
    kinds = {"vhbench.generators", "vhbench.adapters"}
    for kind in kinds:
        if own.startswith(kind):
            other = (kinds - {kind}).pop()
            assert not [m for m in ours if m.startswith(other)], f"{own} imports from {other}: they meet in builds"


@pytest.mark.parametrize("name", sorted(m for m in MODULES if m.startswith("vhbench.tasks.metrics")))
def test_metrics_are_light(name: str) -> None:
    allowed = set(sys.stdlib_module_names) | {"numpy"}
    for imported in imports(MODULES[name]):
        top = imported.split(".")[0]
        light = top in allowed or imported.startswith("vhbench.tasks.metrics")
        floor_0 = imported == "vhbench" or any(imported == m or imported.startswith(m + ".") for m in FLOOR_0)
        assert light or floor_0 or imported == "vhbench.tasks", f"{name} imports {imported}"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_heavy_imports_are_in_adapters(name: str) -> None:
    if name.startswith("vhbench.adapters") or name == "vhbench.generators.vhexpansion.attack":
        return
    assert not {m.split(".")[0] for m in imports(MODULES[name])} & HEAVY
