"""The picture of a comparison: every headline's difference from the first run, with its interval."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vhbench.analysis.run import drawing
from vhbench.matched.differences import MatchedRuns
from vhbench.matched.lines import verdict_of
from vhbench.matched.measuring import IN_WORDS

_HIGH = 16


def draw(found: MatchedRuns, file: Path) -> None:
    """Draw the differences as points with their 95 % intervals; full ones are claimed, hollow ones are open."""
    altair = drawing()
    rows = list(_points(found))
    if not rows:
        return
    runs = list(found.names[1:])
    panels = []
    for benchmark in dict.fromkeys(row["benchmark"] for row in rows):
        own = [row for row in rows if row["benchmark"] == benchmark]
        order = list(dict.fromkeys(row["score"] for row in own))
        across = altair.Y("score:N", sort=order, title=None, axis=altair.Axis(labelLimit=360, grid=True))
        offset = altair.YOffset("run:N", sort=runs)
        colour = altair.Color("run:N", sort=runs, title="run", scale=altair.Scale(scheme="tableau10"))
        base = altair.Chart(altair.Data(values=own)).encode(y=across, yOffset=offset, color=colour)
        title = f"less {found.names[0]}, in points, with 95 % intervals"
        zero = altair.Chart(altair.Data(values=[{"zero": 0}])).mark_rule(color="#888").encode(x="zero:Q")
        layers = [
            zero,
            base.mark_rule(strokeWidth=1.5).encode(x=altair.X("low:Q", title=title), x2="high:Q"),
            base.mark_point(size=45, filled=True).encode(x="value:Q").transform_filter("datum.certain"),
            base.mark_point(size=45, fill="white").encode(x="value:Q").transform_filter("!datum.certain"),
        ]
        height = _HIGH * len(order) * max(1, len(runs))
        panels.append(altair.layer(*layers).properties(width=420, height=height, title=benchmark or "other tasks"))
    told = "full: the difference is certain among all claims; hollow: it is open"
    chart: Any = altair.vconcat(*panels).properties(title=altair.TitleParams(told, fontSize=12, anchor="start"))
    chart.save(str(file), scale_factor=2)


def _points(found: MatchedRuns) -> Iterator[dict[str, Any]]:
    for group in found.groups:
        for score in group.headlines:
            for one in score.differences:
                if score.name == IN_WORDS:
                    continue  # another unit
                low, high = one.interval or (one.value, one.value)
                yield {
                    "benchmark": group.group.benchmark,
                    "score": f"{group.group.title}: {score.name}",
                    "run": found.names[one.run],
                    "value": one.value,
                    "low": low,
                    "high": high,
                    "certain": one.certain,
                    "verdict": verdict_of(score, one),
                }
