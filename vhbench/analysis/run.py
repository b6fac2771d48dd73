"""What the analyses share: which answers of a run are theirs, and the library that draws."""

from collections.abc import Sequence
from typing import Any

from vhbench.benchmarks import BENCHMARKS
from vhbench.schema import Record, VhbenchError


def own_records(records: Sequence[Record], analysis: str) -> list[Record]:
    """Return the answers to questions of the benchmarks that an analysis, a module, belongs to.

    Raises:
        VhbenchError: if there is none.
    """
    names = [name for name, entry in BENCHMARKS.items() if entry.analysis == analysis]
    own = [record for record in records if record.benchmark in names]
    if not own:
        titles = " or ".join(BENCHMARKS[name].title.partition(":")[0] for name in names)
        raise VhbenchError(f"none of {len(records)} answers is to a question of {titles}")
    return own


def drawing() -> Any:
    """Return the library that draws pictures.

    Raises:
        VhbenchError: if it is not installed.
    """
    try:
        import altair
    except ImportError as error:
        raise VhbenchError(f"the picture needs vhbench[generate]: {error}") from error
    return altair
