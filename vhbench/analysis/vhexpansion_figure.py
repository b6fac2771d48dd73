"""Figure of VHExpansion: symmetric accuracy with its permutation baseline, accuracy drops, attack success."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vhbench import charts
from vhbench.charts import Dot

Kinds = Mapping[str, Mapping[str, Any]]
_LOST: Final = "Clean minus perturbed symmetric accuracy over the same cases, in points; dashed: no difference"


def draw(analysis: Mapping[str, Any], file: Path) -> None:
    """Draw the result of :func:`vhbench.analysis.vhexpansion_drops.analyse` as a PNG, source by source."""
    alt = charts.drawing()
    parts = [chart for source, kinds in analysis["sources"].items() for chart in _charts(source, kinds)]
    parts += [_curves(source, curves, analysis["sources"][source]) for source, curves in analysis["severities"].items()]
    title = charts.heading(f"VHExpansion: {analysis['questions']:,} questions", analysis.get("notes", ()))
    charts.save(alt.vconcat(*parts, spacing=30).properties(title=title), file)


def _charts(source: str, kinds: Kinds) -> Iterator[Any]:
    if right := list(_dots(kinds, "symmetric_accuracy", "interval", "pairs", "pairs")):
        about = "Pairs of question and negation with both answers correct, in %. Bar: permutation baseline"
        yield charts.dots(right, f"{source}: symmetric accuracy", about)
    if lost := list(_dots(kinds, "drop", "drop_interval", "shared_cases", "cases")):
        yield charts.dots(
            lost, f"{source}: accuracy drop by perturbation", _LOST, across=charts.symmetric(lost), neutral=0
        )
    if turned := list(_dots(kinds, "success_rate", "success_interval", "right_before", "correct answers")):
        about = "Correct answers to original questions that the attack flipped, in %"
        yield charts.dots(turned, f"{source}: attack success rate", about)


def _curves(source: str, curves: Mapping[str, Mapping[str, float | None]], kinds: Kinds) -> Any:
    """Draw symmetric accuracy against ImageNet-C's severity, one chart per perturbation; 0 is the clean image."""
    alt, clean = charts.drawing(), kinds.get("clean", {})
    parts = []
    for name, curve in curves.items():
        scores = {"0": clean} | {level: kinds[f"{name}_{level}"] for level in curve}
        points = [
            {"severity": level, "value": score["symmetric_accuracy"], "low": low, "high": high}
            for level, score in scores.items()
            if score.get("symmetric_accuracy") is not None
            for low, high in [score["interval"] or (None, None)]
        ]
        base = alt.Chart(alt.Data(values=points)).encode(
            x=alt.X("severity:O", title="severity", axis=alt.Axis(labelAngle=0))
        )
        across = alt.Y("value:Q", title=None, scale=alt.Scale(domain=(0, 100)))
        line = base.mark_line(color=charts.BLUE, point=alt.OverlayMarkDef(color=charts.BLUE, size=75)).encode(y=across)
        whiskers = base.transform_filter("isValid(datum.low)").mark_rule(color=charts.BLUE, strokeWidth=2.5)
        both = alt.layer(whiskers.encode(y=alt.Y("low:Q"), y2="high:Q"), line)
        parts.append(both.properties(width=170, height=150, title=alt.Title(name, fontSize=13)))
    about = "Symmetric accuracy in % by ImageNet-C severity, 0: clean images. Bars: 95 % CI"
    return alt.hconcat(*parts, title=alt.Title(f"{source}: severity curves", subtitle=[about]))


def _dots(kinds: Kinds, name: str, interval: str, size: str, of: str) -> Iterator[Dot]:
    """Yield one line per perturbation that has a score, clean images first."""
    for kind in sorted(kinds, key=lambda kind: (bool(kind != "clean"), kind)):
        score = kinds[kind]
        if score.get(name) is not None:
            guess = score["permutation_baseline"] if name == "symmetric_accuracy" else None
            yield Dot.of(kind, score[name], score[interval], f"{score[size]} {of}", guess=guess)
