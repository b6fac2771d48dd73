"""Processes that a test kills: who they are, and when they are gone."""

import contextlib
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(child) for child in found.stdout.split()]


def wait_until_gone(pids: Iterable[int], seconds: float = 30) -> None:
    """Wait for processes to end; one that ended and that nobody has asked about still has a folder, and no command."""
    deadline = time.monotonic() + seconds
    for pid in pids:
        while _command(pid):
            assert time.monotonic() < deadline, "workers outlive the process that started them"
            time.sleep(0.02)


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
