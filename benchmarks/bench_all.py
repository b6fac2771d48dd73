"""One table of all benchmarks with goals: measured value, baseline in the same run, ratio, goal, held or not.

``python benchmarks/bench_all.py`` runs ``figures()`` of every ``bench_*.py`` beside it, each in a process of its own;
``commands metrics`` only those. ``--runs 3`` prints the median and the range of three runs. ``--write`` puts the lines
into RESULTS.md. A goal missed in any run ends it with exit code 1.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from measuring import Figure, apart

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
HEAD = "| work | value | baseline | its value | ratio | goal | held |\n|---|---:|---|---:|---:|---|---|\n"


def names() -> list[str]:
    """Return the benchmarks beside this one by name: "splits" of ``bench_splits.py``."""
    return sorted(file.stem[6:] for file in HERE.glob("bench_*.py") if file.stem != "bench_all")


def run(name: str) -> list[Figure]:
    """Run one benchmark, and return its figures."""
    found: list[Figure] = importlib.import_module(f"bench_{name}").figures()
    return found


def line(runs: Sequence[Figure]) -> str:
    """Return the line of the table of one figure, measured in each run."""
    one, held = runs[0], sum(figure.held for figure in runs)
    theirs = "" if one.theirs is None else _range([figure.theirs or 0.0 for figure in runs], one.unit)
    ratio = "" if one.ratio is None else _range([figure.ratio or 0.0 for figure in runs], "×")
    verdict = "" if not one.goal else "yes" if held == len(runs) else f"**no** ({held} of {len(runs)} runs)"
    cells = (one.work.strip(), _range([f.ours for f in runs], one.unit), one.baseline, theirs, ratio, one.goal, verdict)
    return f"| {' | '.join(cells)} |"


def _range(values: Sequence[float], unit: str) -> str:
    among = f" ({min(values):.3g} – {max(values):.3g})" if len(values) > 1 else ""
    return f"{median(values):.3g} {unit}{among}"


def written(text: str, name: str, lines: Sequence[str]) -> str:
    """Return RESULTS.md with these lines as the table of a benchmark, between its two comments; the rest stays."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    if begin not in text:
        text = f"{text.rstrip()}\n\n## bench_{name}.py\n{begin}{end}"
    before, _, rest = text.partition(begin)
    body = HEAD + "".join(f"{one}\n" for one in lines)
    return f"{before}{begin}{body}{end}{rest.partition(end)[2]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *names()], help=", ".join(names()))
    parser.add_argument("--runs", type=int, default=1, help="how often each is run (1)")
    parser.add_argument("--write", action="store_true", help="put the lines into RESULTS.md")
    options = parser.parse_args()
    held = True
    for name in options.names or names():
        print(f"## {name} (load average {os.getloadavg()[0]:.1f})\n{HEAD}", end="", flush=True)
        figures = list(zip(*(apart(run, name)[0] for _ in range(options.runs)), strict=True))
        lines = [line(runs) for runs in figures]
        held &= all(figure.held for runs in figures for figure in runs)
        print("\n".join(lines), flush=True)
        if options.write:
            RESULTS.write_text(written(RESULTS.read_text("utf-8"), name, lines), "utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
