"""Scenes have one face: what is outside imports from ``vhbench.generators.scenes``, and never from a module inside."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
INSIDE = re.compile(r"vhbench\.generators\.scenes\.|from vhbench\.generators\.scenes import (?:\(\s*)?([^)\n]*)")


def test_nothing_outside_imports_a_module_of_scenes() -> None:
    own = ROOT / "generators" / "scenes"
    modules = {path.stem for path in own.rglob("*")}
    for folder in ("adapters", "benchmarks", "generators", "tasks", "vhbench"):
        files = [path for path in (ROOT / folder).rglob("*.py") if own not in path.resolve().parents]
        for path in files:
            for found in INSIDE.finditer(path.read_text(encoding="utf-8")):
                names = {name.strip() for name in (found[1] or "").split(",")} - {""}
                assert names, f"{path.relative_to(ROOT)}: {found[0]}"
                assert not names & modules, f"{path.relative_to(ROOT)}: {found[0]}"
