"""Peak memory and time of a command, each in a process of its own."""

import os
import sys
import time

_RUN = "import sys; from vhbench.cli import main; sys.argv[0] = 'vhbench'; main()"


def measure(name: str, *words: object, quiet: bool = False) -> float:
    """Run ``vhbench`` with these words, print and return the GB of its peak; ``quiet`` leaves out what it says."""
    start = time.perf_counter()
    command = [sys.executable, "-c", _RUN, *map(str, words)]
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)] if quiet else []
    child = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    seconds, peak = time.perf_counter() - start, used.ru_maxrss / 1e6
    print(
        f"  {name:<34} {peak:5.2f} GB  {seconds:5.0f} s  processor {used.ru_utime + used.ru_stime:5.0f} s", flush=True
    )
    assert status == 0, f"{name} failed"
    return peak
