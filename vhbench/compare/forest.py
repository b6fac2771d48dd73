"""The picture of a comparison: every headline's difference from the first run, with its interval."""

from collections.abc import Iterator
from math import ceil
from pathlib import Path

from vhbench.charts import Dot, dots, drawing, heading, save
from vhbench.compare.differences import ComparedGroup, RunComparison
from vhbench.compare.tables import ends_in_words, signed, verdict_of
from vhbench.tasks.metrics.registry import metrics_of

_STEP = 10
"""Points of percent to which the axis is rounded."""


def draw(found: RunComparison, file: Path) -> bool:
    """Draw the differences, a chart for each benchmark; return whether there are any."""
    charts = []
    for benchmark in dict.fromkeys(group.group.benchmark for group in found.groups):
        groups = [group for group in found.groups if group.group.benchmark == benchmark]
        rows = list(_dots(found, groups))
        if not rows:
            continue
        reach = max(abs(end) for row in rows for end in (row.value, row.low, row.high) if end is not None)
        most = _STEP * ceil(max(reach, 1) / _STEP)
        about = (
            f"less {found.names[0]}, in points of percent, with 95 % intervals",
            "followed by the verdict (family-wise error rate 5 % over all headlines)",
        )
        charts.append(dots(rows, benchmark or "other tasks", about, across=(-most, most), neutral=0))
    if charts:
        title = heading(f"Compared with {found.names[0]}", found.notes)
        save(drawing().vconcat(*charts).properties(title=title), file)
    return bool(charts)


def _dots(found: RunComparison, groups: list[ComparedGroup]) -> Iterator[Dot]:
    several = len(found.names) > 2
    for group in groups:
        scales = {metric.name: metric.scale for metric in metrics_of(group.group.family)}
        for score in group.headlines:
            if scales[score.name] != "share":
                continue  # another unit
            for one in score.differences:
                low, high = one.interval or (None, None)
                text = f"{signed(one.value)}{ends_in_words(one.interval, signed)}  {verdict_of(score, one)}"
                run = f": {found.names[one.run]}" if several else ""
                yield Dot(f"{group.group.title}: {score.name}{run}", one.value, low, high, text)
