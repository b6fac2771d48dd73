"""MIOH's heat map: accuracy by question type and pressure, and what each pressure costs each task."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vhbench.analysis.run import drawing
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.tasks.unread import KINDS

_HEADS: Final = {name: pressure.head for name, pressure in PRESSURES.items()}
Cells = Mapping[str, Mapping[str, Mapping[str, Any]]]
_EMPTY, _WIDTH, _HEIGHT = "#ececec", 62, 26


def heat_map(found: Mapping[str, Any], path: Path) -> None:
    """Draw what :func:`vhbench.analysis.mioh_failures.analyse` returned as a PNG."""
    altair = drawing()
    red_to_blue = altair.Scale(scheme="redyellowblue", domain=[0, 100])
    accuracy = _panel(
        altair,
        _accuracies(found["grid"]),
        red_to_blue,
        "Accuracy in % (number of questions); grey: not asked",
        dark="datum.value < 12 || datum.value > 88",
    )
    blue_to_red = altair.Scale(scheme="redblue", domain=[-100, 100], reverse=True)
    unread = sum(found[kind] for kind in KINDS)
    drops = _panel(
        altair,
        _drops(found["drops"]),
        blue_to_red,
        "Points lost against the easy twin (number of pairs); *: for certain",
        dark="abs(datum.value) > 65",
    )
    altair.vconcat(accuracy, drops, spacing=24).resolve_scale(color="independent").configure_view(
        stroke=None
    ).configure_title(anchor="start", fontSize=14, offset=12).properties(
        title=f"MIOH: {found['questions']:,} questions, {100 * unread:.1f} % without a readable answer"
    ).save(str(path), scale_factor=2)


def _accuracies(grid: Cells) -> list[dict[str, Any]]:
    """Return a row for each cell of the tasks and modes that were asked."""
    asked = [QUESTION_TYPES[name] for name in grid]
    tasks, modes = {kind.task for kind in asked}, {kind.mode for kind in asked}
    shown = {name: kind for name, kind in QUESTION_TYPES.items() if kind.task in tasks and kind.mode in modes}
    rows = {f"{kind.task}, {kind.mode}  {name}": grid.get(name, {}) for name, kind in shown.items()}
    return _rows(rows, lambda cell: f"{100 * cell['mean']:.0f} ({cell['n']})")


def _drops(drops: Cells) -> list[dict[str, Any]]:
    def said(cost: Mapping[str, Any]) -> str:
        points = f"{round(100 * cost['mean']):+d}".replace("+0", "0").replace("-", "\N{MINUS SIGN}")
        return f"{points}{'*' if cost['certain'] else ''} ({cost['n']})"

    return _rows(drops, said)


def _rows(cells: Cells, said: Callable[[Mapping[str, Any]], str]) -> list[dict[str, Any]]:
    """Return a row for each cell; those that were not asked, or are withheld, have no value."""
    found = [(row, head, columns.get(name)) for row, columns in cells.items() for name, head in _HEADS.items()]
    told = [(row, head, None if cell is None or cell["mean"] is None else cell) for row, head, cell in found]
    return [
        {"row": row, "column": head, "value": 100 * cell["mean"] if cell else None, "text": said(cell) if cell else ""}
        for row, head, cell in told
    ]


def _panel(altair: Any, rows: Sequence[Mapping[str, Any]], scale: Any, title: str, *, dark: str) -> Any:
    """Colour the cells by value; grey, without a number, are those that were not asked."""
    order = list(dict.fromkeys(row["row"] for row in rows))
    x = altair.X("column:N", sort=list(_HEADS.values()), title=None, axis=altair.Axis(labelAngle=0, orient="top"))
    y = altair.Y("row:N", sort=order, title=None, axis=altair.Axis(labelLimit=300))
    base = altair.Chart(altair.Data(values=rows), title=title).encode(x=x, y=y)
    asked = base.transform_filter("isValid(datum.value)")
    empty = base.transform_filter("!isValid(datum.value)").mark_rect(color=_EMPTY, stroke="white")
    boxes = asked.mark_rect(stroke="white").encode(color=altair.Color("value:Q", scale=scale, legend=None))
    ink = altair.condition(dark, altair.value("white"), altair.value("black"))
    text = asked.mark_text(fontSize=11).encode(text="text:N", color=ink)
    return (empty + boxes + text).properties(width=_WIDTH * len(_HEADS), height=_HEIGHT * max(1, len(order)))
