"""What the tests of the tasks share."""

from collections.abc import Callable
from typing import Any

Evaluate = Callable[..., dict[str, Any]]


def scores(results: dict[str, Any], task: str) -> dict[str, float]:
    """Return metric → value of one task."""
    values = results["results"][task]
    return {key.split(",")[0]: value for key, value in values.items() if "," in key and "_stderr" not in key}
