"""Forest plot of a comparison: differences of headline metrics from the reference run, with intervals."""

from collections.abc import Iterator
from pathlib import Path

from vhbench.charts import Dot, dots, drawing, heading, save, symmetric
from vhbench.compare.differences import ComparedGroup, RunComparison
from vhbench.compare.tables import verdict_of
from vhbench.statistics.wording import interval, signed
from vhbench.tasks.metrics.registry import metrics_of


def draw(runs: RunComparison, file: Path) -> bool:
    """Draw one chart per benchmark; return whether there is any difference to draw."""
    charts = []
    for benchmark in dict.fromkeys(group.group.benchmark for group in runs.groups):
        groups = [group for group in runs.groups if group.group.benchmark == benchmark]
        rows = list(_dots(runs, groups))
        if not rows:
            continue
        about = (
            f"Δ vs. {runs.names[0]} in points, with 95 % CI",
            "followed by the verdict (family-wise error rate 5 % over all headlines)",
        )
        charts.append(dots(rows, benchmark or "other tasks", about, across=symmetric(rows), neutral=0))
    if charts:
        title = heading(f"Compared with {runs.names[0]}", runs.notes)
        save(drawing().vconcat(*charts).properties(title=title), file)
    return bool(charts)


def _dots(runs: RunComparison, groups: list[ComparedGroup]) -> Iterator[Dot]:
    several = len(runs.names) > 2
    for group in groups:
        scales = {metric.name: metric.scale for metric in metrics_of(group.group.family)}
        for score in group.headlines:
            if scales.get(score.name) != "share":
                continue  # another unit, such as tokens
            for one in score.differences:
                low, high = one.interval or (None, None)
                ends = f" {interval(one.interval)}" if one.interval else ""
                text = f"{signed(one.value)}{ends}  {verdict_of(score, one)}"
                run = f": {runs.names[one.run]}" if several else ""
                yield Dot(f"{group.group.title}: {score.name}{run}", one.value, low, high, text)
