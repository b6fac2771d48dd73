"""Figure of MIOH: failure modes, accuracy by question type and pressure, accuracy drops."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vhbench import charts
from vhbench.analysis.run import percent
from vhbench.charts import Dot, Tile, shade
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.tasks.unparsed import KINDS

_HEADS: Final = {name: pressure.head for name, pressure in PRESSURES.items()}
_FAILURES: Final = {"perception": "image sets", "integration": "image sets", "comparison": "pairs of images"}
Cells = Mapping[str, Mapping[str, Mapping[str, Any]]]
Place = Callable[[Mapping[str, Any]], float]  # position of a cell on the colour scale from -1, orange, to 1, blue


def heat_map(analysis: Mapping[str, Any], path: Path) -> None:
    """Draw the result of :func:`vhbench.analysis.mioh_failures.analyse` as a PNG."""
    alt = charts.drawing()
    unread = sum(analysis[kind] for kind in KINDS)
    heading = f"MIOH: {analysis['questions']:,} questions, {100 * unread:.1f} % without a prediction"
    columns = list(_HEADS.values())
    accuracy = charts.heat_map(
        _accuracies(analysis["grid"]),
        "Accuracy by question type and pressure",
        "Accuracy in % (questions). White: chance; blue: above, orange: below. Paler cells have wider intervals.",
        columns=columns,
    )
    key = charts.key(
        {"0 %": -1, "half of chance": -0.5, "chance": 0, "halfway": 0.5, "100 %": 1},
        {f"interval of ±{reach} points": 2 * reach / 100 for reach in (5, 20, 40)},
        "Colour scale",
    )
    drops = charts.heat_map(
        _drops(analysis["drops"] | _by_type(analysis["twin_drops"])),
        "Paired difference from the easy twin",
        "Drop in points (pairs); * significant, by task or by type. Orange: drop, blue: gain; paler as above.",
        columns=columns,
    )
    parts = [accuracy, key, drops]
    if diagnosed := list(_diagnosed(analysis["failures"])):
        about = (
            "perception: incorrect in all modes. integration: object recognized, wrong image.",
            "comparison: object recognized, wrong image of two. In % of image sets; bar: chance.",
        )
        parts.insert(0, charts.dots(diagnosed, "Failure modes", about))
    figure = alt.vconcat(*parts, spacing=30).resolve_scale(color="independent", x="independent", y="independent")
    charts.save(figure.properties(title=charts.heading(heading, analysis.get("notes", ()))), path)


def _diagnosed(failures: Mapping[str, Mapping[str, Any]]) -> Iterator[Dot]:
    """Yield one line per task and failure mode that has image sets."""
    for task, diagnosis in failures.items():
        for kind, of in _FAILURES.items():
            share = diagnosis[kind]
            if share["mean"] is not None:
                value, guess, count = 100 * share["mean"], 100 * share["chance"], f"{share['n']} {of}"
                ends = percent(share["interval"])
                yield Dot.of(f"{task}: {kind}", value, ends, count, unit=" %", guess=guess)


def _accuracies(grid: Cells) -> list[Tile]:
    """Return one cell per question type and pressure, for the tasks and modes of the run."""
    return list(_cells(_by_type(grid), lambda cell: f"{100 * cell['mean']:.0f} ({cell['n']})", _from_chance))


def _by_type(cells: Cells) -> Cells:
    """Return rows for all question types in the tasks and modes of the run."""
    kinds = [QUESTION_TYPES[name] for name in cells]
    tasks, modes = {kind.task for kind in kinds}, {kind.mode for kind in kinds}
    types = {name: kind for name, kind in QUESTION_TYPES.items() if kind.task in tasks and kind.mode in modes}
    return {f"{kind.task}, {kind.mode}  {name}": cells.get(name, {}) for name, kind in types.items()}


def _from_chance(cell: Mapping[str, Any]) -> float:
    """Return the accuracy as a share of the way from chance to 100 %, or, below 0, from chance to 0 %."""
    above, chance = cell["mean"] - cell["chance"], cell["chance"]
    return float(above / (1 - chance) if above > 0 else above / chance)


def _drops(drops: Cells) -> list[Tile]:
    def text_of(cost: Mapping[str, Any]) -> str:
        points = f"{round(100 * cost['mean']):+d}".replace("+0", "0").replace("-", "\N{MINUS SIGN}")
        return f"{points}{'*' if cost['significant'] else ''} ({cost['n']})"

    return list(_cells(drops, text_of, lambda cost: -2 * cost["mean"]))  # 50 points have the full colour


def _cells(rows: Cells, text_of: Callable[[Mapping[str, Any]], str], place: Place) -> Iterator[Tile]:
    """Yield one cell per row and pressure, without a value where there are no questions or it is withheld."""
    for row, columns in rows.items():
        for pressure, head in _HEADS.items():
            cell = columns.get(pressure)
            if cell is None or cell["mean"] is None:
                yield Tile(row, head, None)
                continue
            width = cell["interval"][1] - cell["interval"][0] if cell["interval"] else None
            yield Tile(row, head, 100 * cell["mean"], text_of(cell), *shade(place(cell), width))
