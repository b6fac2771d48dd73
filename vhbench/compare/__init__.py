"""Comparison of runs (``vhbench compare``), on the same questions or not, and its planning (``vhbench plan``)."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vhbench.compare.differences import RunComparison


def match(runs: Iterable[tuple[str, Path, Path | None]], *, unpaired: bool = False, seed: int = 0) -> "RunComparison":
    """Read and compare two or more runs; the first is the reference.

    Each has a name, a path, and the evaluated split if the responses do not name it. ``unpaired``: they are on
    different questions of the same kinds. ``seed`` is that of the sign flips of a paired comparison.
    """
    from vhbench.compare import differences, scored_runs
    from vhbench.compare import unpaired as other_questions

    measured_runs = [scored_runs.read_run(*run) for run in runs]
    return other_questions.match(measured_runs) if unpaired else differences.match(measured_runs, seed=seed)
