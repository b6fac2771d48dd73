"""Seconds of ``make demo`` without its installation: from an empty cache folder, and once more with the splits there.

By the clock, in a folder and a home of its own, with the Makefile's number of threads. Limit that the project set
itself: 60 s on two processors; most of it is lmms-eval, which imports and asks.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import Figure

SECONDS = 60.0
_RUN = "import sys; from vhbench.cli import main; sys.argv = ['vhbench', 'demo']; main()"


def seconds(folder: Path) -> float:
    """Run the demo in a folder, and return what it takes by the clock."""
    environment = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    environment.pop("VHBENCH_CACHE", None)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", _RUN], cwd=folder, env=environment, capture_output=True, check=True)
    return time.perf_counter() - start


def figures() -> list[Figure]:
    """Return what it takes at first, and what once more."""
    with tempfile.TemporaryDirectory(prefix="bench-demo-") as folder:
        first, again = seconds(Path(folder)), seconds(Path(folder))
    return [
        Figure(work="vhbench demo, empty cache folder", ours=first, bound=SECONDS),
        Figure(work="vhbench demo, starter splits there", ours=again, bound=SECONDS),
    ]


if __name__ == "__main__":
    for one in figures():
        print(f"{one.work:36} {one.ours:6.1f} {one.unit}   {one.goal}")
