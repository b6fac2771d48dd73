"""Programs in processes of their own that need not import everything anew: they fork from one that has."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

_SERVER = """
import json, os, signal, sys
for name in sys.argv[1:]:
    __import__(name)
for line in sys.stdin:
    task = json.loads(line)
    if (child := os.fork()) == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
signal.alarm(task["seconds"])
os.environ.clear()
os.environ.update(task["environment"])
for number, name in ((1, "out"), (2, "err")):
    os.dup2(os.open(task[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
sys.argv = ["-c", *task["words"]]
exec(task["code"])
"""


class Ended(NamedTuple):
    """What became of a program, as of :func:`subprocess.run`."""

    returncode: int
    stdout: str
    stderr: str


class ForkServer:
    """Runs ``python -c CODE WORDS…`` by forking from a process that has imported modules.

    Modules that read the environment when they are imported find the server's.
    """

    def __init__(self, folder: Path, *modules: str, environment: Mapping[str, str] | None = None) -> None:
        self.folder, command = folder, [sys.executable, "-c", _SERVER, *modules]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def run(
        self, code: str, words: Sequence[object] = (), environment: Mapping[str, str] | None = None, seconds: int = 120
    ) -> Ended:
        """Run a program to its end; after so many seconds it is killed."""
        out, err = self.folder / "fork.out", self.folder / "fork.err"
        task = {"code": code, "words": [*map(str, words)], "out": str(out), "err": str(err), "seconds": seconds}
        task["environment"] = dict(os.environ if environment is None else environment)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        return Ended(int(self._process.stdout.readline()), out.read_text(), err.read_text())
