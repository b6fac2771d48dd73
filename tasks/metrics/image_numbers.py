"""Accuracy by number of images: MIOH's curve, from the easy question to the largest superset of its images."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from vhbench.records import outcome_of
from vhbench.schema import Record
from vhbench.statistics import intervals
from vhbench.statistics.clusters import clusters_of
from vhbench.tasks.metrics import withholding

CURVE = ("easy", "ni2", "ni4", "ni8", "ni10")  # pressures that only change the number of images


def curve(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """Return number of images → ``n``, ``accuracy`` and its 95 % ``interval`` (shares from 0 to 1), fewest first.

    Hard positives and hard negatives are excluded.

    >>> records = [Record(str(n), answer="A", prediction="A", pressure="easy", scene_ids=("s",) * n) for n in (4, 2, 4)]
    >>> {number: (point["n"], point["accuracy"]) for number, point in curve(records).items()}
    {'2': (1, 1.0), '4': (2, 1.0)}
    """
    groups: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        if record.pressure in CURVE:
            groups[len(record.scene_ids)].append(record)
    return {str(number): _point(groups[number]) for number in sorted(groups)}


def _point(records: Sequence[Record]) -> dict[str, Any]:
    hits, reason = [float(outcome_of(record) == record.answer) for record in records], withholding.reason_of(records)
    ends = intervals.mean(hits, clusters=clusters_of(records))
    interval = list(ends) if ends and not reason else None
    accuracy = None if reason else sum(hits) / len(hits)
    return {"n": len(hits), "accuracy": accuracy, "interval": interval, "withheld": reason}
