"""Attack success: the share of correct answers that an attack makes incorrect."""

from collections.abc import Hashable, Sequence
from typing import Any


def turned(right_before: bool, right_after: bool) -> str:
    """Return the outcome of a case; an attack succeeds if a correct answer becomes incorrect.

    >>> turned(True, False), turned(False, False)
    ('turned_wrong', 'kept_wrong')
    """
    return f"{'kept' if right_before == right_after else 'turned'}_{'right' if right_after else 'wrong'}"


def success(cases: Sequence[tuple[bool, bool]], clusters: Sequence[Hashable]) -> dict[str, Any]:
    """Return the attack success rate in percent, with its exact interval clustered by image.

    Args:
        cases: whether each question is answered correctly on the clean and on the changed image; or each pair
            consistently.
        clusters: image of each case; cases of one image form a cluster.

    >>> success([(True, False), (True, True), (False, False)], ["a", "b", "c"])["success_rate"]
    50.0
    """
    from vhbench.statistics import intervals  # imported here because no generated row depends on it

    lost = [(not after, image) for (before, after), image in zip(cases, clusters, strict=True) if before]
    values, images = [float(wrong) for wrong, _ in lost], [image for _, image in lost]
    interval = intervals.mean(values, clusters=images)
    return {
        "right_before": len(values),
        "turned_wrong": int(sum(values)),
        "success_rate": 100 * sum(values) / len(values) if values else None,
        "success_interval": None if interval is None else [100 * end for end in interval.ends],
        "success_note": "" if interval is None else interval.note,
    }
