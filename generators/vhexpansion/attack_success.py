"""What attacks have achieved: images that moved, and answers that turned."""

from collections.abc import Iterable, Mapping
from typing import Any

INTERVAL = "exact binomial (Clopper-Pearson) over cases"
"""How the interval is found. ``vhbench analyse`` resamples images, which is wider where an image has many cases."""


def turned(right_before: bool, right_after: bool) -> str:
    """Return what became of a case: an attack succeeds where a right answer turned wrong.

    >>> turned(True, False), turned(False, False)
    ('turned_wrong', 'kept_wrong')
    """
    if right_before:
        return "kept_right" if right_after else "turned_wrong"
    return "turned_right" if right_after else "kept_wrong"


def tally(reports: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Count the reports on attacked images, method by method.

    Args:
        reports: provenance of the scenes of attacked images, see :mod:`vhbench.builds.vhexpansion_attack`.

    Returns:
        method → ``cases``, ``achieved_nothing``; and where the model was asked, the number of each outcome, see
        :func:`turned`.
    """
    found: dict[str, dict[str, Any]] = {}
    for report in reports:
        counts = found.setdefault(report["attack"], {"cases": 0, "achieved_nothing": 0})
        counts["cases"] += 1
        counts["achieved_nothing"] += not report["achieved"]
        if "outcome" in report:
            for outcome in ("turned_wrong", "kept_right", "turned_right", "kept_wrong"):
                counts[outcome] = counts.get(outcome, 0) + (report["outcome"] == outcome)
    return {method: found[method] for method in sorted(found)}


def with_rates(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Add to the counts of a method its success rate, in percent of the cases answered right before, with its interval.

    The interval is the exact one (Clopper and Pearson 1934) of a share of cases; cases of one image count each, so that
    it is too narrow where an image has many. It is named, see :data:`INTERVAL`.

    >>> with_rates({"turned_wrong": 3, "kept_right": 1})["success_rate"]
    75.0
    >>> with_rates({"turned_wrong": 3, "kept_right": 1})["interval_method"]
    'exact binomial (Clopper-Pearson) over cases'
    """
    if "turned_wrong" not in counts:
        return dict(counts)
    from scipy.stats import binomtest

    right = counts["turned_wrong"] + counts["kept_right"]
    if not right:
        return {**counts, "success_rate": None, "interval": None}
    ends = binomtest(counts["turned_wrong"], right).proportion_ci(0.95, method="exact")
    rate = 100 * counts["turned_wrong"] / right
    return {
        **counts,
        "success_rate": round(rate, 2),
        "interval": [round(100 * end, 2) for end in (ends.low, ends.high)],
        "interval_method": INTERVAL,
    }
