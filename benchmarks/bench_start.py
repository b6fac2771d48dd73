"""Start-up: what the plugin adds to lmms-eval, the starter splits, and ``vhbench demo``.

Each start is the least processor time of several turns. The demo runs in a home of its own, by the clock.
"""

import os
import tempfile
import time
from pathlib import Path

from bench_scenes import draw
from measuring import COMMAND, Figure, apart, report, run

from vhbench import splits
from vhbench.builds.starter import starter

LIST = "import sys; from lmms_eval.cli.dispatch import main; sys.argv = ['lmms-eval', '--tasks', 'list']; main()"
WITHOUT_PLUGIN = """
import importlib.metadata as metadata
def others(**chosen):
    every = (point for package in metadata.distributions() for point in package.entry_points)
    return metadata.EntryPoints(one for one in every if not one.value.startswith("vhbench.")).select(**chosen)
metadata.entry_points = others
"""
BENCHMARKS = ("ode", "mioh", "vhexpansion")


def plugin(turns: int = 7) -> Figure:
    """Compare the start of lmms-eval with the plugin and without it."""
    pairs = [(run(LIST).processor, run(WITHOUT_PLUGIN + LIST).processor) for _ in range(turns)]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    return Figure(work="lmms-eval --tasks list", ours=ours, baseline="without the plugin", theirs=theirs, times=0.95)


def _build_starters() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VHBENCH_CACHE"] = folder
        took = {}
        for name in BENCHMARKS:
            start = time.perf_counter()
            splits.read_manifest(starter(name))
            took[name] = time.perf_counter() - start
        return took


def starters() -> list[Figure]:
    """Compare building the starter splits with drawing 450 scenes alone, in one process."""
    took, _ = apart(_build_starters)
    _, drawing = apart(draw, 450)
    each = [Figure(work=f"starter split of {name}", ours=seconds) for name, seconds in took.items()]
    baseline = {"baseline": "drawing 450 scenes, one process", "theirs": drawing.seconds}
    return [*each, Figure(work="all starter splits", ours=sum(took.values()), bound=15.0, **baseline)]


def demo() -> list[Figure]:
    """Compare the demo, from an empty cache and once more, with the start of lmms-eval."""
    start = {"baseline": "lmms-eval --tasks list", "theirs": run(LIST).seconds, "bound": 60.0}
    os.environ.pop("VHBENCH_CACHE", None)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, XDG_CACHE_HOME=str(Path(folder, "cache")), OMP_NUM_THREADS="1")
        code = f"import os; os.chdir({folder!r}); {COMMAND}"
        return [
            Figure(work=f"vhbench demo, {cache}", ours=run(code, "demo").seconds, **start)
            for cache in ("empty cache folder", "starter splits cached")
        ]


def figures() -> list[Figure]:
    return [plugin(), *starters(), *demo()]


if __name__ == "__main__":
    report(figures())
