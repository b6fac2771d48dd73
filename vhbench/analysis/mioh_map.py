"""MIOH's heat map: accuracy by question type and pressure, and what each pressure costs each task."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.schema import VhbenchError

_HEADS: Final = {name: pressure.head for name, pressure in PRESSURES.items()}
_EMPTY, _WIDTH, _HEIGHT = "#ececec", 62, 26


def heat_map(found: Mapping[str, Any], path: Path) -> None:
    """Draw an analysis as a PNG.

    Args:
        found: what :func:`vhbench.analysis.mioh_failures.analyse` returned.
        path: of the PNG.

    Raises:
        VhbenchError: without the libraries that draw.
    """
    try:
        import altair
    except ImportError as error:
        raise VhbenchError(f"the heat map needs vhbench[generate]: {error}") from error
    red_to_blue = altair.Scale(scheme="redyellowblue", domain=[0, 100])
    accuracy = _panel(
        altair,
        list(_accuracies(found["grid"])),
        red_to_blue,
        "Accuracy in % (number of questions); grey: not asked",
        dark="datum.value < 12 || datum.value > 88",
    )
    blue_to_red = altair.Scale(scheme="redblue", domain=[-100, 100], reverse=True)
    drops = _panel(
        altair,
        list(_drops(found["drops"])),
        blue_to_red,
        "Points lost against the easy twin (number of pairs); *: for certain",
        dark="abs(datum.value) > 65",
    )
    altair.vconcat(accuracy, drops, spacing=24).resolve_scale(color="independent").configure_view(
        stroke=None
    ).configure_title(anchor="start", fontSize=14, offset=12).properties(
        title=f"MIOH: {found['questions']:,} questions, {100 * found['unparsed']:.1f} % without a readable answer"
    ).save(str(path), scale_factor=2)


def _accuracies(grid: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each cell; those that were not asked have no value."""
    asked = [QUESTION_TYPES[name] for name in grid]
    tasks, modes = {kind.task for kind in asked}, {kind.mode for kind in asked}
    for name, kind in QUESTION_TYPES.items():
        if kind.task in tasks and kind.mode in modes:
            for pressure, head in _HEADS.items():
                cell = grid.get(name, {}).get(pressure)
                value = None if cell is None else 100 * cell["mean"]
                row = f"{kind.task}, {kind.mode}  {name}"
                yield {
                    "row": row,
                    "column": head,
                    "value": value,
                    "text": "" if cell is None else f"{value:.0f} ({cell['n']})",
                }


def _drops(drops: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    for task, costs in drops.items():
        for pressure, head in _HEADS.items():
            if (cost := costs.get(pressure)) is None:
                yield {"row": task, "column": head, "value": None, "text": ""}
                continue
            points = f"{round(100 * cost['mean']):+d}".replace("+0", "0").replace("-", "\N{MINUS SIGN}")
            text = f"{points}{'*' if cost['certain'] else ''} ({cost['n']})"
            yield {"row": task, "column": head, "value": 100 * cost["mean"], "text": text}


def _panel(altair: Any, rows: Sequence[Mapping[str, Any]], scale: Any, title: str, *, dark: str) -> Any:
    """Colour the cells by value; grey, without a number, are those that were not asked."""
    order = list(dict.fromkeys(row["row"] for row in rows))
    x = altair.X("column:N", sort=list(_HEADS.values()), title=None, axis=altair.Axis(labelAngle=0, orient="top"))
    y = altair.Y("row:N", sort=order, title=None, axis=altair.Axis(labelLimit=300))
    base = altair.Chart(altair.Data(values=list(rows)), title=title).encode(x=x, y=y)
    asked = base.transform_filter("isValid(datum.value)")
    empty = base.transform_filter("!isValid(datum.value)").mark_rect(color=_EMPTY, stroke="white")
    boxes = asked.mark_rect(stroke="white").encode(color=altair.Color("value:Q", scale=scale, legend=None))
    ink = altair.condition(dark, altair.value("white"), altair.value("black"))
    text = asked.mark_text(fontSize=11).encode(text="text:N", color=ink)
    return (empty + boxes + text).properties(width=_WIDTH * len(_HEADS), height=_HEIGHT * max(1, len(order)))
