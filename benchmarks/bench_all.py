"""One table of all benchmarks that have a goal: what was measured, a baseline in the same run, the goal, held or not.

``python benchmarks/bench_all.py`` runs every ``bench_*.py`` beside it that has a function ``figures() ->
list[Figure]``, each in a process of its own; ``score metrics`` only those. ``--runs 3`` does so three times and tells
the median, the least and the most. ``--write`` puts the table into RESULTS.md, in place of the lines of the benchmarks
that were run. A goal that is not held in every run ends it with exit code 1.
"""

import argparse
import importlib
import multiprocessing
import os
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

from measuring import Figure

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
BEGIN, END = "<!-- bench_all: begin -->\n", "<!-- bench_all: end -->\n"
HEAD = ("benchmark", "work", "ours", "baseline", "theirs", "ratio", "goal", "held", "load")


def names() -> list[str]:
    """Return the benchmarks that have figures, by name: "score" of ``bench_score.py``."""
    files = sorted(HERE.glob("bench_*.py"))
    return [
        file.stem.removeprefix("bench_") for file in files if re.search(r"(?m)^def figures\(", file.read_text("utf-8"))
    ]


def run(name: str) -> tuple[list[Figure], float]:
    """Run one benchmark; return its figures and the load average at its beginning."""
    load = os.getloadavg()[0]
    return importlib.import_module(f"bench_{name}").figures(), load


def line(name: str, runs: Sequence[Figure], load: float) -> str:
    """Return a figure's line of the table.

    Args:
        name: the benchmark.
        runs: the same figure of each run.
        load: the load average.
    """
    one = runs[0]
    theirs = "" if one.theirs is None else _told([figure.theirs or 0.0 for figure in runs], one.unit)
    ratio = "" if one.ratio is None else _told([figure.ratio or 0.0 for figure in runs], "×")
    held = sum(figure.held for figure in runs)
    verdict = "" if not one.goal else "yes" if held == len(runs) else f"**no** ({held} of {len(runs)} runs)"
    cells = (name, one.work, _told([f.ours for f in runs], one.unit), one.baseline, theirs, ratio, one.goal, verdict)
    return f"| {' | '.join((*cells, f'{load:.1f}'))} |"


def _told(values: Sequence[float], unit: str) -> str:
    """Write the median of some values, and where they lie."""
    among = f" ({min(values):.3g} – {max(values):.3g})" if len(values) > 1 else ""
    return f"{median(values):.3g} {unit}{among}"


def table(lines: Sequence[str]) -> str:
    """Return the table in Markdown."""
    return "\n".join((f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}", *lines)) + "\n"


def written(text: str, lines: Sequence[str]) -> str:
    """Return RESULTS.md with these lines in place of those of the same benchmarks; lines of others stay."""
    before, found, rest = text.partition(BEGIN)
    if not found:
        before, rest = f"{text.rstrip()}\n\n## All goals\n", END
    old, _, after = rest.partition(END)
    ours = {one.split(" | ")[0] for one in lines}
    kept = [one for one in old.splitlines()[2:] if one.startswith("|") and one.split(" | ")[0] not in ours]
    return f"{before}{BEGIN}{table(sorted((*kept, *lines), key=lambda one: one.split(' | ')[0]))}{END}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"any of {', '.join(names())}; all where none is given"
    )
    parser.add_argument("--runs", type=int, default=1, help="how often each is run (1)")
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    options = parser.parse_args()
    if unknown := set(options.names) - set(names()):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    lines, held = list[str](), True
    print(table(()), end="", flush=True)
    for name in options.names or names():
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
            runs = list(pool.map(run, [name] * options.runs))
        for figures in zip(*(found for found, _ in runs), strict=True):
            lines.append(line(name, figures, max(load for _, load in runs)))
            held = held and all(figure.held for figure in figures)
            print(lines[-1], flush=True)
    if options.write:
        RESULTS.write_text(written(RESULTS.read_text("utf-8"), lines), "utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
