"""Calls in child processes with time and memory limits, for untrusted submissions."""

import gc
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import repeat
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from vhbench.schema import VhbenchError

SECONDS = 600  # maximum processor time of a call
_PATIENCE = 10  # limit of a call's wall-clock time, as a multiple of its processor time: the machine may be busy

# memory limit of a call in bytes, beyond that of the process with its modules loaded; pyarrow reserves half of it
MEMORY = 2 << 30


class _Child:
    """A process that makes calls in sequence; after a failure, the next call starts a new process."""

    def __init__(self) -> None:
        self._process: Any = None

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], seconds: float, memory: int) -> Any:
        """Return a function's value, or a :class:`Failure`."""
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, other = context.Pipe()
            self._process = context.Process(target=_serve, args=(other, memory), daemon=True)
            self._process.start()
            other.close()
        late = Failure(f"takes more than {seconds:.3g} seconds")
        try:
            self._pipe.send((function, args, seconds))
            value = self._pipe.recv() if self._pipe.poll(_PATIENCE * (seconds + _GRACE)) else late
            goes_on = isinstance(value, _Late) or not isinstance(value, Failure)
        except (EOFError, OSError):
            self._process.join(5)
            code, goes_on = self._process.exitcode, False
            value = late if code == -_SIGXCPU else Failure(f"ended the process that checked it (exit code {code})")
        if not goes_on:
            self.end()
        if isinstance(value, _Late):
            return late
        if isinstance(value, VhbenchError):
            raise value
        return value

    def end(self) -> None:
        """Stop the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


_SIGXCPU = getattr(signal, "SIGXCPU", 0)  # signal of the processor time limit; 0 on Windows

# seconds after which a call that is late and does not stop ends its process, which takes seconds to start again
_GRACE = 2


class _Late(BaseException):
    """Raised in a call that takes too long."""


class Failure(str):
    """Reason why a call has no value, in one line."""


_idle: list[_Child] = []  # idle child processes, one of which stays: starting it takes seconds


def each(
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    *,
    workers: int = 1,
    seconds: Sequence[float] | Callable[..., float] | None = None,
    memory: int = MEMORY,
) -> Iterator[Any]:
    """Yield the return value of a function for each tuple of arguments, in order, or a :class:`Failure`.

    The function, of a module, is sent to ``workers`` child processes by name. Each call has :data:`SECONDS` of
    processor time by default, or as many as a function of its arguments returns, which is called before in the same
    process, where it may load what calls share. ``memory`` is the limit per call in bytes, beyond the initial memory of
    its process, where the system supports it. A VhbenchError that a call raises is raised here.
    """

    def call(args: tuple[Any, ...], limit: float) -> Any:
        try:
            child = _idle.pop()
        except IndexError:
            child = _Child()
        try:
            budget = child.call(seconds, args, limit, memory) if callable(seconds) else limit
            return budget if isinstance(budget, Failure) else child.call(function, args, budget, memory)
        finally:
            _idle.append(child)

    with ThreadPoolExecutor(workers) as threads:
        yield from threads.map(call, tasks, repeat(SECONDS) if seconds is None or callable(seconds) else seconds)
    while len(_idle) > 1:
        _idle.pop().end()


def _serve(pipe: Connection, memory: int) -> None:
    """Make calls until the pipe is closed, or one fails."""
    while True:
        try:
            function, args, seconds = pipe.recv()  # loads the function's modules
        except EOFError:
            return
        gc.freeze()  # collections skip what earlier calls keep
        try:
            try:
                _limit(memory, seconds)
                value = function(*args)
            finally:
                _limit(memory, 0)
        except _Late:
            value = _Late()  # without the frames of the call and what they hold
        except MemoryError:
            value = Failure(f"takes more than {memory >> 20:,} MiB of memory")
        except VhbenchError as error:
            value = error
        except Exception as error:  # parsers of untrusted files may raise anything
            value = Failure(" ".join(f"{type(error).__name__}: {error}".split())[:200])
        pipe.send(value)


def _limit(memory: int, seconds: float) -> None:
    """Limit the memory and the processor time of this process to the current ones plus a margin; 0 for any time."""
    with suppress(ImportError, OSError, ValueError):  # not supported, as on Windows
        import resource

        current = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (current + memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        end, most = ceil(time.process_time() + seconds + _GRACE), resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (end if seconds else most, most))
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _stop(*_: object) -> None:
    raise _Late
