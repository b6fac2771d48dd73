"""The recipes of docs/adding.md work as they are written: each is followed on one copy of the project."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"(New file|Append to|(?:Insert before|Add to)\s+`(?P<name>\w+)`\s+in)"
    r"\s+\[`(?P<path>[\w./]+)`\]\([^)]*\)[^`]*?:\n\n"
    r"```\w+\n(?P<code>.*?)```",
    re.DOTALL,
)

USE = """
import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.benchmarks import BENCHMARKS, tasks
from vhbench.builds import vhexpansion_sources
from vhbench.builds.mioh import MiohBuild
from vhbench.builds.ode import OdeBuild
from vhbench.cli import app
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.vhexpansion.perturbations import perturbation
from vhbench.schema import Row
from vhbench.tasks import yaml_files

out = Path(tempfile.mkdtemp())


def vhbench(*words):
    done = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def rows(build):
    return [item.question for shard in range(build.shards) for item in build.make(shard) if isinstance(item, Row)]


import json

from vhbench.columns import RECORD
from vhbench.records import answered
from vhbench.tasks import aggregate, report

vhbench("build", "ode", "--pairs", 2, "--size", 64, "--out", out)
ode = out / "ode"
asked = [row.question for row in splits.read_rows(ode)]
closed = [question for question in asked if question.kind == "yes_no"]
# One response of the first run is unparsed: else its predictions are those of a baseline, which a board refuses.
for name, says in (("one", lambda n: "No." if n else "…"), ("other", lambda n: ("Yes.", "No.")[n % 2])):
    lines = [json.dumps({"id": question.id, "response": says(number)}) for number, question in enumerate(asked)]
    (out / f"{name}.jsonl").write_text("\\n".join(lines))
one, other = out / "one.jsonl", out / "other.jsonl"
assert "missed" in [metric["metric"] for metric in aggregate.ode_random_existence]
records = [answered({name: getattr(question, name) for name in RECORD}, "No.") for question in closed]
grid = report.grid(records, tasks("ode")["ode_random_existence"])
assert grid["overall"]["missed"] == 100.0 and grid["overall"]["intervals"]["missed"][1] == 100.0
assert all(cell["missed"] == 100.0 for cell in grid["cells"]["question_type"])
# "No." is no caption: the scores of all captions together are withheld.
assert '"missed": 1.0' in vhbench("score", one, "--questions", ode, "--json", "--allow-failed")
assert "missed" in vhbench("score", one, "--questions", ode, "--allow-failed")
assert "missed" in vhbench("compare", one, other, "--questions", ode)
vhbench("leaderboard", "init", out / "board", "--splits", ode)
for run in (one, other):
    told = ("--name", run.stem, "--date", "2026-01-01")
    vhbench("leaderboard", "add", run, "--board", out / "board", "--splits", ode, *told)
vhbench("leaderboard", "build", "--board", out / "board", "--out", out / "site", "--splits", ode)
vhbench("leaderboard", "export", "--board", out / "board", "--out", out / "site" / "exports", "--splits", ode)
files = [path for path in (out / "site").rglob("*") if path.suffix in (".html", ".gz", ".md", ".yaml", ".json")]
texts = {path: (gzip.open if path.suffix == ".gz" else open)(path, "rt").read().lower() for path in files}
having = {Path(path.name.removesuffix(".gz")).suffix for path, text in texts.items() if "missed" in text}
assert having >= {".csv", ".md", ".yaml", ".json"}, having
assert any("invented objects" in text for path, text in texts.items() if path.suffix == ".html")

assert "ode_rare_existence" in tasks("ode")
assert {question.criterion for question in rows(OdeBuild(pairs=1, size=64, criteria=("rare",)))} == {"rare"}

asked = rows(MiohBuild(source=("scenes:60",), types=("E8",), cells="1", size=64))
assert {question.question_type for question in asked} == {"E8"}
assert all(question.question.startswith("In which image is ") for question in asked)
assert PRESSURES["ni6"].group == "ni"

changed = perturbation("posterize", 3)(np.full((8, 8, 3), 255, np.uint8), np.random.default_rng(0))
assert set(changed.ravel().tolist()) == {224}
assert {"vhexpansion_ode_posterize", "vhexpansion_quiz_posterize"} <= set(tasks("vhexpansion"))

Image.new("RGB", (8, 8)).save(out / "a.png")
(out / "quiz.csv").write_text("id,image,question,answer\\nq1,a.png,Is it a dog?,no\\n")
[question] = vhexpansion_sources.FORMS["quiz"](out / "quiz.csv", None)
assert (question.id, question.answer) == ("q1", "no")

(out / "said.psv").write_text("id|answer|response\\nq1|no|No.\\nq2|yes|No.\\n")
assert "accuracy" in vhbench("score", "yes-no", "--positive", "no", "--responses", out / "said.psv")
assert ", bars" in " ".join(vhbench("score", "--help").replace("│", " ").split())

vhbench("build", "shades", "--number", 4, "--out", out)
assert splits.read_manifest(out / "shades").rows == {"shades_grey": 8}
vhbench("verify", out / "shades")
assert set(yaml_files.texts(BENCHMARKS["shades"])) >= {"shades.yaml", "shades_grey.yaml"}
vhbench("tasks", "--write")
assert "shades_grey" in vhbench("tasks", "--names")
"""


def follow(step: re.Match[str], top: Path) -> None:
    """Do in a copy what a step of a recipe says."""
    path, code, name = top / step["path"], step["code"], step["name"]
    if not name:
        with path.open("w" if step[1] == "New file" else "a", encoding="utf-8") as file:
            file.write(code)
        return
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    [node] = (one for one in ast.parse(text).body if name in assigned(one))
    if step[1].startswith("Insert"):
        place, put = node.lineno - 1, f"{code}\n\n"
    else:  # the last line of a value is its closing bracket
        place, put = (node.end_lineno or 0) - 1, f"{code.rstrip().removesuffix(',')},\n"
    path.write_text("".join([*lines[:place], put, *lines[place:]]), encoding="utf-8")


def assigned(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


@pytest.mark.parametrize("section", ["A metric", "A leaderboard column", "A benchmark", "An ODE criterion",
                                     "A MIOH question type", "A pressure", "A perturbation", "A source of annotations",
                                     "A response format"])  # fmt: skip
def test_a_recipe_has_steps(section: str) -> None:
    assert STEP.search(PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0])


def test_the_recipes_work_together(tmp_path: Path) -> None:
    for name in ("vhbench", "tasks", "generators", "adapters"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for step in STEP.finditer(PAGE):
        follow(step, tmp_path)
    done = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
