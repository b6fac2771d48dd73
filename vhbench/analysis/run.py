"""What the analyses share: which answers of a run are theirs, and what was lost of them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from vhbench.benchmarks import BENCHMARKS
from vhbench.schema import Record, VhbenchError
from vhbench.tasks import unparsed
from vhbench.tasks.metrics.withholding import reason_of


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


def lost(records: Sequence[Record]) -> dict[str, Any]:
    """Return the shares of answers that were not read, by kind, and why nothing can be told of the rest, or None."""
    kinds = Counter(map(unparsed.kind_of, records))
    return {kind: kinds[kind] / len(records) for kind in unparsed.KINDS} | {"withheld": reason_of(records)}
