"""What the tests of the tasks share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Evaluate = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Done:
    """What became of a run of lmms-eval's command: its exit code, and what it printed."""

    code: int
    out: str
    err: str


CommandLine = Callable[..., Done]


def scores(results: dict[str, Any], task: str) -> dict[str, float]:
    """Return metric → value of one task."""
    values = results["results"][task]
    return {key.split(",")[0]: value for key, value in values.items() if "," in key and "_stderr" not in key}
