"""Attack outcomes: effect on the images and flipped predictions."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any


def turned(right_before: bool, right_after: bool) -> str:
    """Return the outcome of a case; an attack succeeds if a correct answer becomes incorrect.

    >>> turned(True, False), turned(False, False)
    ('turned_wrong', 'kept_wrong')
    """
    if right_before:
        return "kept_right" if right_after else "turned_wrong"
    return "turned_right" if right_after else "kept_wrong"


def tally(reports: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Count outcomes per attack method.

    Args:
        reports: provenance of the attacked scenes, see :mod:`vhbench.builds.vhexpansion_attack`.

    Returns:
        method → ``cases``, ``achieved_nothing``, the mean objective of the attacks (``saved``) and of matched noise
        (``noise``) and, if the model was evaluated, the count of each outcome of
        :func:`turned`.
    """
    found: dict[str, dict[str, Any]] = {}
    for report in reports:
        counts = found.setdefault(report["attack"], {"cases": 0, "achieved_nothing": 0, "saved": 0.0, "noise": 0.0})
        counts["cases"] += 1
        counts["achieved_nothing"] += not report["achieved"]
        for name in ("saved", "noise"):
            counts[name] += report[name]
        if "outcome" in report:
            for outcome in ("turned_wrong", "kept_right", "turned_right", "kept_wrong"):
                counts[outcome] = counts.get(outcome, 0) + (report["outcome"] == outcome)
    for counts in found.values():
        counts |= {name: round(counts[name] / counts["cases"], 6) for name in ("saved", "noise")}
    return {method: found[method] for method in sorted(found)}


def success(cases: Sequence[tuple[bool, bool]], clusters: Sequence[Hashable]) -> dict[str, Any]:
    """Return the attack success rate: flips among correct answers in percent, with interval.

    Args:
        cases: whether each question is answered correctly on the clean and on the changed image.
        clusters: image of each question; questions on one image form a cluster.

    >>> success([(True, False), (True, True), (False, False)], ["a", "b", "c"])["success_rate"]
    50.0
    """
    from vhbench.statistics import intervals  # imported here because no generated row depends on it

    lost = [(float(not after), image) for (before, after), image in zip(cases, clusters, strict=True) if before]
    values = [value for value, _ in lost]
    interval = intervals.mean(values, clusters=[image for _, image in lost])
    return {
        "right_before": len(values),
        "turned_wrong": int(sum(values)),
        "success_rate": 100 * sum(values) / len(values) if values else None,
        "success_interval": None if interval is None else [100 * end for end in interval.ends],
        "success_note": "" if interval is None else interval.note,
    }


def with_rates(counts: Mapping[str, Any], reports: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add a method's attack success rate in percent, with its interval, to its counts.

    Args:
        counts: counts from :func:`tally`.
        reports: reports of this method's cases; cases of one ``image`` form a cluster.

    >>> told = with_rates({"turned_wrong": 1}, [{"outcome": "turned_wrong", "image": "a"}])
    >>> told["success_rate"], told["interval"], told["interval_note"]
    (100.0, [2.5, 100.0], 'exact binomial CI (all outcomes identical)')
    """
    if "turned_wrong" not in counts:
        return dict(counts)
    asked = [report for report in reports if "outcome" in report]
    right = [(r["outcome"] in ("turned_wrong", "kept_right"), r["outcome"].endswith("right")) for r in asked]
    told = success(right, [report["image"] for report in asked])
    pairs = [(r["consistent"], r["image"]) for r in asked if "consistent" in r]
    twins = success([pair for pair, _ in pairs], [image for _, image in pairs])
    rate, ends = told["success_rate"], told["success_interval"]
    return {
        **counts,
        "success_rate": None if rate is None else round(rate, 2),
        "interval": None if ends is None else [round(end, 2) for end in ends],
        "interval_note": told["success_note"],
        "inconsistent": {
            "consistent_before": twins["right_before"],
            "inconsistent_after": twins["turned_wrong"],
            "rate": twins["success_rate"],
            "interval": twins["success_interval"],
        },
    }
