"""Time of the four common perturbations against imagecorruptions, in one run, on 640×480 photos.

Baseline: ``imagecorruptions`` (bethgelab, Apache-2.0), the package that the paper's parameters come from, called
with the same parameters. It requires opencv-python, which cannot live beside the opencv-python-headless of this
project; so it is installed apart, without its dependencies::

    uv pip install --target DIR --no-deps imagecorruptions scikit-image numba llvmlite lazy-loader "setuptools<80"
    VHBENCH_IMAGECORRUPTIONS=DIR python benchmarks/bench_perturbations.py

Times are CPU time of one thread, the best of several rounds that take turns; those of one process and of two by the
clock.
"""

import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from types import ModuleType

import cv2
import numpy as np
from measuring import Figure
from PIL import Image

from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS, perturbation
from vhbench.seeding import rng

ROUNDS = 9
GOAL = {"gaussian_noise": 3.0, "brightness": 3.0, "defocus_blur": 5.0, "jpeg_compression": 1.5}
SEVERITY = {"gaussian_noise": 1, "brightness": 5, "defocus_blur": 2, "jpeg_compression": 1}
"""Those of imagecorruptions' severities that are nearest to the paper's parameters; both are measured at them."""

TWICE, BATCH, SHARES = 1.8, 200, 8
HINT = __doc__.split("::")[1].split("Times")[0].strip("\n") if __doc__ else ""


def photo() -> np.ndarray:
    """Return a 640×480 picture with edges, gradients and texture, from a fixed seed."""
    y, x = np.mgrid[:480, :640]
    waves = np.stack([np.sin(x / 37) + np.cos(y / 23), np.sin((x + y) / 51), np.cos(x / 13) * np.sin(y / 19)], axis=-1)
    blocks = ((x // 80 + y // 60) % 2)[..., None] * np.array([40, -30, 20])
    texture = rng(0, "bench").normal(0, 6, waves.shape)
    pixels: np.ndarray = (120 + 45 * waves + blocks + texture).clip(0, 255).astype(np.uint8)
    return pixels


def baseline() -> ModuleType | None:
    """Return imagecorruptions' functions, or None where it is not installed."""
    if folder := os.environ.get("VHBENCH_IMAGECORRUPTIONS"):
        sys.path.append(folder)  # last: nothing of this project's environment is replaced
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import imagecorruptions.corruptions as found  # type: ignore[import-not-found]  # pyright: ignore
    except ImportError as error:
        print(f"imagecorruptions cannot be imported ({error}): times without a baseline. To install it:\n{HINT}\n")
        return None
    return found  # type: ignore[no-any-return]


def reference(package: ModuleType, name: str, image: np.ndarray) -> Callable[[], object]:
    """Return imagecorruptions' own function."""
    picture, function = Image.fromarray(image), getattr(package, name)
    return lambda: np.asarray(function(picture, severity=SEVERITY[name])).clip(0, 255).astype(np.uint8)


def best(*functions: Callable[[], object]) -> list[float]:
    """Return each function's best CPU time in milliseconds; the functions take turns."""
    times = [float("inf")] * len(functions)
    for _ in range(ROUNDS):
        for index, function in enumerate(functions):
            start = time.process_time()
            function()
            times[index] = min(times[index], time.process_time() - start)
    return [1000 * seconds for seconds in times]


def change_all(number: int) -> None:
    """Change so many photos, each in all four ways."""
    cv2.setNumThreads(1)
    image, source = photo(), rng(0)
    for _, function in product(range(number), PERTURBATIONS.values()):
        function(image, source)


def photos_a_second(processes: int) -> float:
    """Return how many photos are changed in all four ways, by the clock, once the processes have begun."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(change_all, [1] * processes, chunksize=1)
        start = time.perf_counter()
        pool.map(change_all, [BATCH // SHARES] * SHARES, chunksize=1)  # each makes a photo: as many in any number
        return BATCH / (time.perf_counter() - start)


def figures() -> list[Figure]:
    """Return the figures that have a goal."""
    cv2.setNumThreads(1)
    image, package, source = photo(), baseline(), rng(0)
    found = []
    for name in PERTURBATIONS:
        ours = partial(perturbation(name, SEVERITY[name]), image, source)
        theirs = reference(package, name, image) if package is not None else None
        times = best(ours, theirs) if theirs else [*best(ours), None]
        told = {"baseline": "imagecorruptions", "theirs": times[1], "times": GOAL[name]} if theirs else {}
        found.append(Figure(work=f"{name}, 640×480, severity {SEVERITY[name]}", ours=times[0], unit="ms", **told))
    two, one = photos_a_second(2), photos_a_second(1)
    work = "all four, two processes"
    return [*found, Figure(work=work, ours=two, unit="photos/s", baseline="one process", theirs=one, times=TWICE)]


def main() -> int:
    found = figures()
    for one in found:
        ratio = f"   {one.baseline} {one.theirs:8.2f} {one.unit}   {one.ratio:6.1f}×" if one.ratio else ""
        print(f"{one.work:42} {one.ours:8.2f} {one.unit}{ratio}{'' if one.held else f'   not {one.goal}'}")
    image, source = photo(), rng(0)
    for name in PERTURBATIONS:
        times = [best(partial(perturbation(name, s), image, source))[0] for s in range(1, 6)]
        print(f"{name:17} severities 1–5: {' '.join(f'{t:.1f}' for t in times)} ms")
    return 0 if all(one.held for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
