"""Seconds to export 4,000 rows to fine-tune on, from editions that were built for it: ``vhbench export sft``.

Both halves of ODE (pictures of 512 pixels, all levels of questions) and of MIOH (up to ten pictures a row) are built
first, which is not counted. The whole command is: reading and holding both editions apart, answers and reasons, writing
Parquet. ``python benchmarks/bench_export.py FOLDER`` keeps the editions, and takes those that are there.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from measuring import Figure, measure

from vhbench.builds import sharding
from vhbench.builds.mioh import MiohBuild
from vhbench.builds.ode import OdeBuild
from vhbench.builds.split_build import SplitBuild

SECONDS = 30.0
ROWS = 4000
QUESTIONS = {"ode": 2300, "mioh": 2050}
"""So many questions, each with a short and a reasoned answer where it is no caption, make the rows."""


def editions(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Build what is not there yet; return benchmark → the half to train on, the half to score."""
    found = {}
    for name in QUESTIONS:
        halves = [folder / part / name for part in ("train", "test")]
        for number, half in enumerate(halves, start=1):
            if not (half / "manifest.json").is_file():
                build = _half(name, f"{number}/2", number, whole=number == 1, scratch=str(half.parent))
                build.check()
                sharding.run(build, half.parent, workers=os.cpu_count() or 1, progress=False)
        found[name] = (halves[0], halves[1])
    return found


def _half(name: str, part: str, seed: int, *, whole: bool, scratch: str) -> SplitBuild:
    """Return a half: large where it is trained on."""
    if name == "ode":
        return OdeBuild(part=part, seed=seed, pairs=40 if whole else 4)
    number, cells = ("450", "25") if whole else ("150", "2")
    return MiohBuild(source=(f"scenes:{number}",), cells=cells, part=part, seed=seed, scratch=scratch)


def figures(folder: Path | None = None) -> list[Figure]:
    """Return what the export of each edition takes."""
    found = []
    with tempfile.TemporaryDirectory(prefix="bench-export-") as name:
        for benchmark, (train, test) in editions(folder or Path(name)).items():
            out = Path(name) / "rows" / benchmark
            words = ("--split", train, "--test", test, "--number", QUESTIONS[benchmark], "--out", out)
            used = measure(f"export sft, {benchmark}", "export", "sft", *words)
            counts = json.loads((out / "provenance.json").read_text())["counts"]
            assert counts["rows"] >= ROWS, counts["rows"]
            size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
            work = f"{benchmark}: {counts['rows']:,} rows about {counts['images']:,} images, {size:,.0f} MB"
            found.append(Figure(work=work, ours=used.seconds, bound=SECONDS))
    return found


if __name__ == "__main__":
    for one in figures(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
        print(f"{one.work:60} {one.ours:6.1f} {one.unit}   {one.goal}")
