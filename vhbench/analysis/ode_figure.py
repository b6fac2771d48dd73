"""Figure of ODE: scores from standard to fictional, and hallucinations by co-occurring object."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, inf, log2
from pathlib import Path
from typing import Any, Final

from vhbench import charts
from vhbench.analysis.run import percent
from vhbench.charts import Dot, Tile, shade

SHOWN: Final = 12  # maximum number of shown objects, hallucinated objects and pairs
FEWEST: Final = 3  # minimum number of images of a pair

_CURVES: Final = {
    "caption": {"chair_i": "Captions: CHAIR (lower is better)", "cover": "Captions: Cover (higher is better)"},
    "existence": {"f1": "Existence: F1 (higher is better)"},
    "attribute": {"accuracy": "Attributes: accuracy (higher is better)"},
    "relation": {"accuracy": "Relations: accuracy (higher is better)"},
}
_ABOUT: Final = {
    "chair_i": "Share of mentioned objects that are absent, in %",
    "cover": "Share of present objects that are mentioned, in %",
    "f1": 'F1 of the answer "no" (recognition of absent objects), in %',
    "accuracy": "Share of correct predictions, in %",
}
_REACH: Final = 2.0  # doublings from 1 that have the full colour: four times as often, or a quarter
Lift = Mapping[str, Any]


def draw(analysis: Mapping[str, Any], file: Path) -> None:
    """Draw the result of :func:`vhbench.analysis.ode_hallucinations.analyse` as a PNG."""
    alt = charts.drawing()
    parts = [charts.dots(dots, title, _ABOUT[name]) for title, name, dots in curves(analysis["curve"])]
    lifts = labelled(analysis["lift"], analysis.get("together", {}))
    pairs = clearest(lifts)
    if more := [pair for pair in pairs if pair[2]["lift"] > 1][:SHOWN]:
        dots = [_dot(fact, word, lift) for fact, word, lift in more]
        most = max(max(dot.value, min(dot.high or 0, 16)) for dot in dots)  # whiskers reach up to 16
        across = 0.5, 2.0 ** max(1, ceil(log2(most)))
        about = (
            "How many times as often in images that show it as at its base rate; dashed: no difference.",
            f"The clearest pairs shown in at least {FEWEST} images, with simultaneous intervals; grey: not significant",
        )
        title = "Hallucinations by co-occurring object"
        parts.append(charts.dots(dots, title, about, across=across, neutral=1, doubling=True))
    if pairs:
        parts += _matrix(lifts, pairs)
    heading = f"ODE: {analysis['questions']:,} questions, from the most common to fictional concept pairs"
    figure = alt.vconcat(*parts, spacing=26).resolve_scale(color="independent", x="independent", y="independent")
    charts.save(figure.properties(title=charts.heading(heading, analysis.get("notes", ()))), file)


def curves(by_criterion: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, list[Dot]]]:
    """Yield title, score and one line per criterion, for one chart per score."""
    for task, names in _CURVES.items():
        for name, title in names.items():
            scores = {criterion: tasks.get(task, {}).get(name) for criterion, tasks in by_criterion.items()}
            unit = "captions" if task == "caption" else "questions"
            dots = [
                Dot.of(criterion, 100 * s["value"], percent(s["interval"]), f"{s['n']} {unit}", unit=" %")
                for criterion, s in scores.items()
                if s and s["value"] is not None
            ]
            if dots:
                yield title, name, dots


def labelled(lifts: Mapping[str, Mapping[str, Lift]], together: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the lifts without repetitions: objects that are always shown together have one row.

    >>> labelled({"kitchen": {}, "oven": {}, "sea": {}}, {"kitchen": ["oven", "sink"]})
    {'kitchen (oven, sink)': {}, 'sea': {}}
    """
    repeated = {fact for facts in together.values() for fact in facts}
    names = {
        place: f"{place} ({', '.join(facts[:2])}{', …' if facts[2:] else ''})" for place, facts in together.items()
    }
    return {names.get(fact, fact): row for fact, row in lifts.items() if fact not in repeated}


def clearest(lifts: Mapping[str, Mapping[str, Lift]]) -> list[tuple[str, str, Lift]]:
    """Return shown object, hallucination and lift of pairs with enough images, the interval farthest from 1 first."""
    pairs = [(fact, word, lift) for fact, row in lifts.items() for word, lift in row.items()]
    pairs = [pair for pair in pairs if pair[2]["simultaneous"] and pair[2]["images"] >= FEWEST]
    return sorted(pairs, key=lambda pair: (-_distance(pair[2]), pair[:2]))


def _distance(lift: Lift) -> float:
    """Return the distance of an interval from 1, in doublings; negative if it contains 1."""
    low, high = (log2(end) if end else -inf for end in lift["simultaneous"])
    return low if lift["lift"] > 1 else -high


def _dot(fact: str, word: str, lift: Lift) -> Dot:
    low, high = lift["simultaneous"]
    capped = ", capped" if lift["capped"] else ""
    text = f"{lift['lift']:.1f} [{low:.1f}, {high:.1f}{capped}], {lift['hallucinated']} of {lift['of']} times"
    return Dot(f"{word} given {fact}", lift["lift"], low, high, text, pale=not lift["significant"])


def _matrix(lifts: Mapping[str, Mapping[str, Lift]], pairs: Sequence[tuple[str, str, Lift]]) -> list[Any]:
    cells = matrix(lifts, pairs)
    heat = charts.heat_map(
        cells,
        "Hallucinations by co-occurring object",
        ["Columns: hallucinated object; rows: object shown. How many times as often as at its base rate",
         "(how often in all). The wider its interval, the paler a cell; dash: never."],
        columns=list(dict.fromkeys(cell.column for cell in cells)),
        slanted=True,
    )  # fmt: skip
    widths = {"narrow interval": 0.1, "middling": 0.5, "wide": 0.8}
    return [heat, charts.key({f"{2.0**at:g} ×": -at / _REACH for at in (-2, -1, 0, 1, 2)}, widths, "Colour scale")]


def matrix(lifts: Mapping[str, Mapping[str, Lift]], pairs: Sequence[tuple[str, str, Lift]]) -> list[Tile]:
    """Return the cells of the clearest pairs, with at most :data:`SHOWN` rows and columns."""
    facts = list(dict.fromkeys(fact for fact, _, _ in pairs))[:SHOWN]
    words = list(dict.fromkeys(word for _, word, _ in pairs))[:SHOWN]
    return [_cell(fact, word, lifts[fact].get(word)) for fact in facts for word in words]


def _cell(fact: str, word: str, lift: Lift | None) -> Tile:
    if lift is None:
        return Tile(fact, word, None)
    place = max(-_REACH, min(_REACH, _doublings(lift["lift"])))
    low, high = map(_doublings, lift["simultaneous"] or (1.0, 1.0))
    # The width counts beyond the colour range too: an interval from 5 to 80 is as uncertain as one from 1 to 16.
    width = max(0.0, min(1.0, (high - low) / (2 * _REACH))) if lift["simultaneous"] else None
    # A lift above 1 is a failure, and orange.
    return Tile(
        fact, word, lift["lift"], f"{lift['lift']:.1f} ({lift['hallucinated']})", *shade(-place / _REACH, width)
    )


def _doublings(value: float) -> float:
    """Return the binary logarithm, limited for 0."""
    return log2(value) if value else -_REACH
