"""Selection of a benchmark's responses for its analysis, and the shares without a prediction."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from vhbench.benchmarks import BENCHMARKS
from vhbench.schema import Record, VhbenchError
from vhbench.tasks import unparsed
from vhbench.tasks.metrics.withholding import reason_of


def own_records(records: Sequence[Record], analysis: str) -> list[Record]:
    """Return the responses to the benchmarks of an analysis (name of its module); raise if there are none."""
    names = [name for name, entry in BENCHMARKS.items() if entry.analysis == analysis]
    own = [record for record in records if record.benchmark in names]
    if not own:
        titles = " or ".join(BENCHMARKS[name].title.partition(":")[0] for name in names)
        raise VhbenchError(f"expected responses to questions of {titles}; got {len(records)} of other benchmarks")
    return own


def percent(ends: Sequence[float] | None) -> list[float] | None:
    """Return the ends of an interval in percent; None without one."""
    return None if ends is None else [100 * end for end in ends]


def lost(records: Sequence[Record]) -> dict[str, Any]:
    """Return the shares of unparsed, failed and refused responses, and the reason to withhold scores, or None."""
    kinds = Counter(map(unparsed.kind_of, records))
    return {kind: kinds[kind] / len(records) for kind in unparsed.KINDS} | {"withheld": reason_of(records)}
