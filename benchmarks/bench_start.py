"""What the plugin adds to the start of lmms-eval: ``lmms-eval --tasks list`` with it, and the same command without.

``python benchmarks/bench_start.py 3`` makes fewer turns. The two commands take turns, as the machine is faster now and
slower then; without the plugin, the entry points of its group are not found. Told is the least processor time of each:
what else the machine does only ever adds to it, by seconds, and the plugin's share is tenths.
"""

import os
import sys
from collections.abc import Sequence

from measuring import Figure

ALLOWED = 0.2
"""Seconds more than without."""

_RUN = "import sys; from lmms_eval.cli.dispatch import main; sys.argv = ['lmms-eval', '--tasks', 'list']; main()"
_WITHOUT = """
import importlib.metadata as metadata
def others(**chosen):
    every = (point for package in metadata.distributions() for point in package.entry_points)
    return metadata.EntryPoints(one for one in every if not one.value.startswith("vhbench.")).select(**chosen)
metadata.entry_points = others
"""
COMMANDS = {"with": _RUN, "without": _WITHOUT + _RUN}


def seconds(code: str) -> float:
    """Run a program, and return its processor time."""
    away = [(os.POSIX_SPAWN_OPEN, place, os.devnull, os.O_WRONLY, 0) for place in (1, 2)]
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", code], os.environ, file_actions=away)
    _, status, used = os.wait4(child, 0)
    assert status == 0, f"exit status {status}"
    return used.ru_utime + used.ru_stime


def turns(count: int) -> dict[str, Sequence[float]]:
    """Return the seconds of each command, of so many turns, each in another order."""
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(count):
        for name in sorted(COMMANDS, reverse=bool(turn % 2)):
            found[name].append(seconds(COMMANDS[name]))
    return found


def figures(count: int = 7) -> list[Figure]:
    """Return the start with the plugin beside the start without."""
    found = turns(count)
    return [
        Figure(
            work="lmms-eval --tasks list",
            ours=min(found["with"]),
            baseline="without the plugin",
            theirs=min(found["without"]),
            beyond=ALLOWED,
        )
    ]


def main() -> None:
    """Print the least times."""
    (found,) = figures(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    assert found.theirs is not None
    print(f"{found.work}: {found.ours:.2f} s, {found.baseline} {found.theirs:.2f} s (ratio {found.ratio:.3f})")
    print(f"the plugin takes {found.ours - found.theirs:.2f} s (goal: {found.goal}; load {os.getloadavg()[0]:.1f})")
    sys.exit(not found.held)


if __name__ == "__main__":
    main()
