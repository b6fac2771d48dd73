"""Change product code by one line at a time and see whether the tests notice.

    .venv/bin/python tests/by_hand/mutants.py --seed 1 --count 20 --only generators/scenes --workers 1

Each mutant is tested in a copy of the tree with the mirrored folder: the test file that mirrors its module first, then
the others.
"""

import argparse
import ast
import difflib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import islice
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("vhbench", "tasks", "generators", "adapters", "push_dataset.py")
OTHER_COMPARISON = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


class Mutant(NamedTuple):
    """A module, where its text is changed, and the text that stands there then."""

    path: str
    start: int
    end: int
    text: bytes

    @property
    def before(self) -> bytes:
        return (ROOT / self.path).read_bytes()

    @property
    def after(self) -> bytes:
        return self.before[: self.start] + self.text + self.before[self.end :]

    def parses(self) -> bool:
        try:
            ast.parse(self.after)
        except SyntaxError:
            return False
        return True

    def diff(self) -> str:
        lines = [text.decode().splitlines() for text in (self.before, self.after)]
        return "\n".join(difflib.unified_diff(*lines, self.path, self.path, lineterm="", n=1))


def _other_sign(node: ast.BinOp | ast.AugAssign) -> ast.AST:
    copy = deepcopy(node)
    copy.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    return copy


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Parts of a node, each with what replaces it."""
    if isinstance(node, ast.Compare):
        compared = deepcopy(node)
        compared.ops[0] = OTHER_COMPARISON[type(node.ops[0])]()
        yield node, compared
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield node.test, ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.comprehension):
        yield from ((test, ast.UnaryOp(ast.Not(), test)) for test in node.ifs)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        yield node, _other_sign(node)
    elif isinstance(node, ast.BoolOp):
        yield node, ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield node, ast.Constant(node.value + 1)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield node, ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Call) and node.args:
        yield node, ast.Call(node.func, node.args[:-1], node.keywords)


def _ignored(tree: ast.AST) -> set[ast.AST]:
    """Annotations and f-strings, whose parts are not drawn."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        roots = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        roots += [node] if isinstance(node, ast.JoinedStr) else []
        found.update(part for root in roots if isinstance(root, ast.AST) for part in ast.walk(root))
    return found


def mutants(path: str) -> Iterator[Mutant]:
    """All mutants of a module, and a few that do not parse."""
    source = (ROOT / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    ignored = _ignored(tree)
    for node in ast.walk(tree):
        if node in ignored:
            continue
        for part, changed in _changes(node):
            place: Any = part
            text = ast.unparse(ast.fix_missing_locations(changed))
            text = text if isinstance(part, ast.stmt) else f"({text})"
            start, end = starts[place.lineno - 1], starts[place.end_lineno - 1]
            yield Mutant(path, start + place.col_offset, end + place.end_col_offset, text.encode())


def draw(seed: int, count: int, only: str = "") -> list[Mutant]:
    """A sample of the mutants of all product code, or of a folder or file of it."""
    listed = subprocess.check_output(["git", "ls-files", *PRODUCT], cwd=ROOT, text=True).split()
    paths = [path for path in listed if path.endswith(".py") and path.startswith(only)]
    every = [mutant for path in paths for mutant in mutants(path)]
    random.Random(seed).shuffle(every)
    return list(islice((mutant for mutant in every if mutant.parses()), count))


def mirrored(path: str) -> tuple[str, ...]:
    """The tests of a module: those of the nearest mirrored folder, beginning with the mirrored file."""
    module = ROOT / "tests" / path
    folder, file = module.parent, module.with_name(f"test_{module.name}")
    while not any(folder.glob("**/test_*.py")):
        folder = folder.parent
    found = sorted(
        folder.glob("test_*.py") if file.exists() else folder.glob("**/test_*.py"), key=lambda one: (one != file, one)
    )
    return tuple(str(one.relative_to(ROOT)) for one in found)


def passes(tests: Sequence[str], tree: Path, limit: float) -> bool:
    """Whether tests pass in a copy of the tree within a time limit in seconds; pytest's own errors count as failing."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {"VHBENCH_REFERENCE": str(ROOT.parent / "shared" / "reference")} | os.environ
    environment |= {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            return process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", default="", help="a folder or file of product code")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300, help="seconds for each mutant")
    options = parser.parse_args()
    drawn = draw(options.seed, options.count, options.only)
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for number in range(options.workers):
            tree = Path(folder, str(number))
            shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__"))
            trees.put(tree)

        def survives(mutant: Mutant) -> bool:
            tree = trees.get()
            try:
                (tree / mutant.path).write_bytes(mutant.after)
                return passes(mirrored(mutant.path), tree, options.limit)
            finally:
                (tree / mutant.path).write_bytes(mutant.before)
                trees.put(tree)

        tree = trees.get()
        folders = {tuple(sorted(mirrored(mutant.path))) for mutant in drawn}
        failing = {tests for tests in folders if not passes(tests, tree, 1800)}
        trees.put(tree)
        drawn = [mutant for mutant in drawn if tuple(sorted(mirrored(mutant.path))) not in failing]
        with ThreadPoolExecutor(options.workers) as pool:
            survived = 0
            for mutant, alive in zip(drawn, pool.map(survives, drawn), strict=True):
                survived += alive
                print(f"{'survived' if alive else 'killed'}  {mutant.path}", flush=True)
                if alive:
                    print(mutant.diff(), flush=True)
    for tests in sorted(failing):
        print(f"left out, since its tests fail without any change: {Path(tests[0]).parent}")
    print(f"{len(drawn) - survived} of {len(drawn)} killed")


if __name__ == "__main__":
    main()
