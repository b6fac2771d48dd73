"""What a child process is asked to do: its functions are sent by name, so that they lie in a module of their own."""

import os
import time

from vhbench.schema import VhbenchError


def do(what: str, number: int) -> int:
    """Return the process's id, or go wrong in one way."""
    if what == "exit":
        os._exit(number)
    if what == "allocate":
        return len(bytearray(number))
    if what == "raise":
        raise ZeroDivisionError("two\nlines")
    if what == "refuse":
        raise VhbenchError("no split")
    begin = time.process_time()
    while what == "spend" and time.process_time() - begin < number:
        pass
    return os.getpid()


def budget(what: str, number: float) -> float:
    """Return the seconds of a call: it takes longer itself, and is called in the same process."""
    begin = time.process_time()
    while time.process_time() - begin < 0.4:
        pass
    os.environ["ASKED"] = what
    return number


def spend(what: str, number: float) -> str:
    """Take the whole budget and more."""
    begin = time.process_time()
    while time.process_time() - begin < (30 if what == "long" else 0):
        pass
    return os.environ["ASKED"]
