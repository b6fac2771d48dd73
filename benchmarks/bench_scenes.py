"""Scenes a second, with truth, at 512×512: cold (paintings are made) and warm, on one process and on two.

The baseline of the ratios is the prototype's 3.4 scenes a second. One process is measured in processor time, so that
what else the machine does hardly matters; two by the clock too. Memory is the peak of the process, after the
first and after the last quarter of the scenes; the caches of paintings and sprites are bounded. The cache folder is an
empty one; what is cold in a new process finds the paintings there that another has made.
"""

import multiprocessing
import os
import resource
import sys
import tempfile
import time

from measuring import Figure

from vhbench.generators.scenes import SceneSource, random_spec
from vhbench.schema import Scene, SceneSpec

BASELINE, RATE, TIMES = 3.4, 30.0, 8.8


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def draw(specs: list[SceneSpec]) -> int:
    return sum(isinstance(made, Scene) for made in SceneSource().make(specs, seed=1))


def timed(specs: list[SceneSpec]) -> tuple[int, float]:
    started = time.process_time()
    return draw(specs), time.process_time() - started


def figures() -> list[Figure]:
    """Return the figures that have a goal, each measured in a process of its own."""
    specs, found = [random_spec(1, "bench", i) for i in range(400)], []
    goals = {"bound": RATE, "baseline": "prototype, measured once", "theirs": BASELINE, "times": TIMES}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VHBENCH_CACHE"] = folder
        for what in ("empty cache folder", "paintings in the cache folder"):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                made, seconds = pool.apply(timed, [specs])
            found.append(Figure(work=f"400 scenes, new process, {what}", ours=made / seconds, unit="scenes/s", **goals))
    return found


def report(name: str, made: int, seconds: float) -> None:
    rate = made / seconds
    print(f"{name:<34} {rate:6.1f} scenes/s   {rate / BASELINE:5.1f} x the prototype")


def main(count: int = 400) -> None:
    specs = [random_spec(1, "bench", i) for i in range(count)]
    quarter = count // 4
    started = time.process_time()
    first = draw(specs[:quarter])
    early, cold = megabytes(), time.process_time() - started
    rest = draw(specs[quarter:])
    whole = time.process_time() - started
    report("one process, first quarter (cold)", first, cold)
    report("one process, the other quarters", rest, whole - cold)
    report("one process, all", first + rest, whole)
    started = time.process_time()
    report("one process, once more (warm)", draw(specs[:quarter]), time.process_time() - started)
    print(f"peak memory: {early:.0f} MB after a quarter, {megabytes():.0f} MB at the end")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        started = time.perf_counter()
        halves = pool.map(timed, [specs[0::2], specs[1::2]], chunksize=1)
        clock = time.perf_counter() - started
    made = sum(number for number, _ in halves)
    report("two processes, all (cold), clock", made, clock)
    report("two processes, processor time", made, max(seconds for _, seconds in halves))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        os.environ["VHBENCH_CACHE"] = cache
        main(*map(int, sys.argv[1:2]))
