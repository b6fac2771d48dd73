"""Start-up: what the plugin adds to lmms-eval, large splits, the starter splits, and ``vhbench demo``.

Each start of lmms-eval is the least processor time of several turns. A large split has images of 39 kB; its start is
the time by the clock from ``resolve`` to the first image of the loaded and selected rows, after the imports. The demo
runs in a home of its own, by the clock.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from bench_scenes import draw
from measuring import COMMAND, Figure, apart, report, run
from PIL import Image

from vhbench import splits
from vhbench.builds.starter import starter
from vhbench.schema import Question, Row

LIST = "import sys; from lmms_eval.cli.dispatch import main; sys.argv = ['lmms-eval', '--tasks', 'list']; main()"
WITHOUT_PLUGIN = """
import importlib.metadata as metadata
def others(**chosen):
    every = (point for package in metadata.distributions() for point in package.entry_points)
    return metadata.EntryPoints(one for one in every if not one.value.startswith("vhbench.")).select(**chosen)
metadata.entry_points = others
"""
BENCHMARKS = ("ode", "mioh", "vhexpansion")
SIZES = (2_000, 8_000, 24_000, 100_000)
LOAD = """
import json, resource, sys, time
from datasets import load_dataset
from vhbench.tasks import datasets
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
datasets.resolve("ode")
rows = datasets.select(load_dataset("parquet", **datasets.ode_fictional)["test"], criterion="fictional")
rows[0]["images"][0]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.perf_counter() - start, (peak - before) / 1e3]))
"""


def plugin(turns: int = 7) -> Figure:
    """Compare the start of lmms-eval with the plugin and without it."""
    pairs = [(run(LIST).processor, run(WITHOUT_PLUGIN + LIST).processor) for _ in range(turns)]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    return Figure(work="lmms-eval --tasks list", ours=ours, baseline="without the plugin", theirs=theirs, times=0.95)


def _large_split(folder: str, count: int) -> None:
    """Write a split of so many questions, each about an image of its own."""
    buffer, noise = io.BytesIO(), np.random.default_rng(0).bytes(38_000)
    Image.new("RGB", (64, 64), "red").save(buffer, "JPEG")
    about = {"answer": "yes", "kind": "yes_no", "benchmark": "ode", "criterion": "fictional"}
    rows = (
        Row("ode_fictional", Question(f"q{n}", images=(image,), question=f"Is there a dog in picture {n}?", **about))
        for n in range(count)
        for image in [buffer.getvalue() + n.to_bytes(8) + noise]
    )
    splits.write_split(Path(folder, "ode"), rows, benchmark="ode", version="1.0.0", seed=0, config={})


def sizes() -> Iterator[Figure]:
    """Compare starts with large splits: cold, without our caches and those of ``datasets``, and warm."""
    for count in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            apart(_large_split, folder, count)
            caches = {"VHBENCH_DATA": folder, "VHBENCH_CACHE": f"{folder}/v", "HF_DATASETS_CACHE": f"{folder}/d"}
            for start, bound in (("cold", None), ("warm", 2.0)):
                command = [sys.executable, "-c", LOAD]
                done = subprocess.run(command, env=os.environ | caches, capture_output=True, check=True, text=True)
                seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
                yield Figure(work=f"{start} start, {count:,} images", ours=seconds, bound=bound)
            yield Figure(work="  its memory above the imports", ours=megabytes, unit="MB", bound=300.0)


def _build_starters() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VHBENCH_CACHE"] = folder
        took = {}
        for name in BENCHMARKS:
            start = time.perf_counter()
            splits.read_manifest(starter(name))
            took[name] = time.perf_counter() - start
        return took


def _build_at_once() -> None:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        os.environ["VHBENCH_CACHE"] = folder
        assert [*pool.map(starter, BENCHMARKS)]


def starters() -> list[Figure]:
    """Compare building the starter splits with drawing 450 scenes alone, in one process."""
    took, _ = apart(_build_starters)
    _, together = apart(_build_at_once)
    _, drawing = apart(draw, 450)
    each = [Figure(work=f"starter split of {name}", ours=seconds) for name, seconds in took.items()]
    baseline = {"baseline": "drawing 450 scenes, one process", "theirs": drawing.seconds}
    every = Figure(work="all starter splits", ours=sum(took.values()), bound=15.0, **baseline)
    return [*each, every, Figure(work="  at once, as in the demo", ours=together.seconds, bound=20.0, **baseline)]


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
    return [plugin(), *sizes(), *starters(), *demo()]


if __name__ == "__main__":
    report(figures())
