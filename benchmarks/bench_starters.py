"""Seconds to build the starter splits with as many processes as there are processors, from an empty cache folder.

As whoever calls for them first has to wait: each is built by a process of its own. Limit that the project set itself:
15 s for all three on two processors.
"""

import os
import tempfile
import time

from measuring import Figure

from vhbench.builds.starter import starter

SECONDS = 15.0
NAMES = ("ode", "mioh", "vhexpansion")


def figures() -> list[Figure]:
    """Return what each takes, and all of them."""
    taken = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VHBENCH_CACHE"] = folder
        for name in NAMES:
            start = time.perf_counter()
            starter(name)
            taken[name] = time.perf_counter() - start
    each = [Figure(work=f"starter split of {name}", ours=seconds) for name, seconds in taken.items()]
    return [*each, Figure(work="all starter splits", ours=sum(taken.values()), bound=SECONDS)]


if __name__ == "__main__":
    for one in figures():
        print(f"{one.work:34} {one.ours:6.1f} {one.unit}   {one.goal}")
