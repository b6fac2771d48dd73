"""Figure of VHExpansion: symmetric accuracy with its permutation baseline, accuracy drops, attack success."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vhbench import charts
from vhbench.charts import Dot

Kinds = Mapping[str, Mapping[str, Any]]
_LOST: Final = "Clean minus perturbed symmetric accuracy over the same cases, in points; dashed: no difference"


def draw(found: Mapping[str, Any], file: Path) -> None:
    """Draw the result of :func:`vhbench.analysis.vhexpansion_drops.analyse` as a PNG, source by source."""
    alt = charts.drawing()
    parts = [chart for source, kinds in found["sources"].items() for chart in _charts(source, kinds)]
    said = f"VHExpansion: {found['questions']:,} questions"
    charts.save(alt.vconcat(*parts, spacing=30).properties(title=charts.heading(said, found.get("notes", ()))), file)


def _charts(source: str, kinds: Kinds) -> Iterator[Any]:
    if right := list(_dots(kinds, "symmetric_accuracy", "interval", "pairs", "pairs")):
        about = "Pairs of question and negation with both answers correct, in %. Bar: permutation baseline"
        yield charts.dots(right, f"{source}: symmetric accuracy", about)
    if lost := list(_dots(kinds, "drop", "drop_interval", "shared_cases", "cases")):
        yield charts.dots(lost, f"{source}: accuracy drop by perturbation", _LOST, across=_reach(lost), neutral=0)
    if turned := list(_dots(kinds, "success_rate", "success_interval", "right_before", "correct answers")):
        about = "Correct answers to original questions that the attack flipped, in %"
        yield charts.dots(turned, f"{source}: attack success rate", about)


def _dots(kinds: Kinds, name: str, interval: str, size: str, of: str) -> Iterator[Dot]:
    """Yield one line per perturbation that has a score, clean images first."""
    for kind in sorted(kinds, key=lambda kind: (bool(kind != "clean"), kind)):
        score = kinds[kind]
        if score.get(name) is not None:
            low, high = score[interval] or (None, None)
            between = "" if low is None else f" [{low:.0f}, {high:.0f}]"
            text = f"{score[name]:.0f}{between}, {score[size]} {of}".replace("-", "\N{MINUS SIGN}")
            yield Dot(
                kind,
                score[name],
                low,
                high,
                text,
                score["permutation_baseline"] if name == "symmetric_accuracy" else None,
            )


def _reach(lost: list[Dot]) -> tuple[float, float]:
    """Return a symmetric axis range, rounded up to tens."""
    most = max(abs(end) for dot in lost for end in (dot.value, dot.low, dot.high) if end is not None)
    reach = min(100.0, 10.0 * max(1, -(-most // 10)))
    return -reach, reach
