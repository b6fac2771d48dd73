"""Scenes a second, with truth, at 512×512: cold (paintings are made) and warm, on one process and on two.

The baseline of the ratios is the prototype: its own twenty scenes, in the same run, where its folder and the binding of
resvg that it imports are named; without, the 3.4 scenes a second that were measured once::

    uv pip install --target DIR --no-deps resvg-py
    VHBENCH_PROTOTYPE=../shared/prototype/scenes VHBENCH_RESVG_PY=DIR python benchmarks/bench_scenes.py

One process is measured in processor time, so that what else the machine does hardly matters; two by the clock too.
Memory is the peak of the process, after the first and after the last quarter of the scenes; the caches of paintings and
sprites are bounded.
"""

import multiprocessing
import os
import resource
import subprocess
import sys
import time

from measuring import Figure

from vhbench.generators.scenes import SceneSource, random_spec
from vhbench.schema import Scene, SceneSpec

MEASURED_ONCE, RATE, TIMES = 3.4, 30.0, 8.8

_PROTOTYPE = """
import sys, time
sys.path += ["."]
from compose import render
from samples import SC
render({**SC[0][1], "seed": 99})  # what is made once for all
begin = time.process_time()
for number, (_, scene) in enumerate(SC):
    render({**scene, "seed": 100 + number})
print(len(SC) / (time.process_time() - begin))
"""


def prototype() -> tuple[str, float]:
    """Return what the baseline is, and its scenes a second."""
    folder = os.environ.get("VHBENCH_PROTOTYPE")
    if not folder:
        return "prototype, measured once", MEASURED_ONCE
    environment = {**os.environ, "PYTHONPATH": os.environ.get("VHBENCH_RESVG_PY", ""), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", _PROTOTYPE]
    told = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return "prototype, its own twenty scenes", float(told)


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def draw(specs: list[SceneSpec]) -> int:
    return sum(isinstance(made, Scene) for made in SceneSource().make(specs, seed=1))


def timed(specs: list[SceneSpec]) -> tuple[int, float]:
    started = time.process_time()
    return draw(specs), time.process_time() - started


def figures() -> list[Figure]:
    """Return the figures that have a goal, each measured in a process of its own."""
    specs = [random_spec(1, "bench", i) for i in range(400)]
    baseline, theirs = prototype()
    goals = {"bound": RATE, "baseline": baseline, "theirs": theirs, "times": TIMES}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        made, seconds = pool.apply(timed, [specs])
    return [Figure(work="400 scenes, new process", ours=made / seconds, unit="scenes/s", **goals)]


def report(name: str, made: int, seconds: float, baseline: float) -> None:
    rate = made / seconds
    print(f"{name:<34} {rate:6.1f} scenes/s   {rate / baseline:5.1f} x the prototype")


def main(count: int = 400) -> None:
    specs = [random_spec(1, "bench", i) for i in range(count)]
    quarter, (told, theirs) = count // 4, prototype()
    print(f"{told:<34} {theirs:6.1f} scenes/s")
    started = time.process_time()
    first = draw(specs[:quarter])
    early, cold = megabytes(), time.process_time() - started
    rest = draw(specs[quarter:])
    whole = time.process_time() - started
    report("one process, first quarter (cold)", first, cold, theirs)
    report("one process, the other quarters", rest, whole - cold, theirs)
    report("one process, all", first + rest, whole, theirs)
    started = time.process_time()
    report("one process, once more (warm)", draw(specs[:quarter]), time.process_time() - started, theirs)
    print(f"peak memory: {early:.0f} MB after a quarter, {megabytes():.0f} MB at the end")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        started = time.perf_counter()
        halves = pool.map(timed, [specs[0::2], specs[1::2]], chunksize=1)
        clock = time.perf_counter() - started
    made = sum(number for number, _ in halves)
    report("two processes, all (cold), clock", made, clock, theirs)
    report("two processes, processor time", made, max(seconds for _, seconds in halves), theirs)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
