"""Attack success: the share of correct answers that an attack makes incorrect."""

from collections.abc import Hashable, Sequence
from typing import Any


def turned(right_before: bool, right_after: bool | None) -> str:
    """Return the outcome of a case; an attack succeeds if a correct answer becomes incorrect.

    >>> turned(True, False), turned(False, False), turned(True, None)
    ('turned_wrong', 'kept_wrong', 'unread_right')
    """
    last, kept = (right_before, "unread") if right_after is None else (right_after, "kept")
    return f"{kept if right_before == last else 'turned'}_{'right' if last else 'wrong'}"


def success(cases: Sequence[tuple[bool, bool | None]], clusters: Sequence[Hashable]) -> dict[str, Any]:
    """Return the attack success rate in percent, with its exact interval clustered by image.

    Responses to changed images that are neither yes nor no (None) are counted apart, as ``unread_after``;
    ``success_bounds`` are the rates with none and with all of them as successes.

    Args:
        cases: whether each question is answered correctly on the clean and on the changed image; or each pair
            consistently.
        clusters: image of each case; cases of one image form a cluster.

    >>> found = success([(True, False), (True, True), (False, False), (True, None)], ["a", "b", "c", "d"])
    >>> found["success_rate"], found["unread_after"], [round(end, 1) for end in found["success_bounds"]]
    (50.0, 1, [33.3, 66.7])
    """
    from vhbench.statistics import intervals  # imported here because no generated row depends on it

    before = [(after, image) for (first, after), image in zip(cases, clusters, strict=True) if first]
    values = [float(not after) for after, _ in before if after is not None]
    interval = intervals.mean(values, clusters=[image for after, image in before if after is not None])
    wrong, unread = int(sum(values)), len(before) - len(values)
    return {
        "right_before": len(values),
        "turned_wrong": wrong,
        "success_rate": 100 * wrong / len(values) if values else None,
        "success_interval": None if interval is None else [100 * end for end in interval.ends],
        "success_note": "" if interval is None else interval.note,
        "unread_after": unread,
        "success_bounds": [100 * count / len(before) for count in (wrong, wrong + unread)] if before else None,
    }
