"""ODE's picture: the scores from standard to fictional, and what is imagined beside what."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, log2
from pathlib import Path
from typing import Any, Final

from vhbench import charts
from vhbench.charts import Dot, Tile, shade

SHOWN: Final = 12
"""Most facts, imagined things and pairs in the picture."""

FEWEST: Final = 3
"""Images beside a fact, below which a pair is not shown: one of few pictures is no pattern."""

_CURVES: Final = {
    "caption": {"chair_i": "Captions: CHAIR, low is good", "cover": "Captions: Cover, high is good"},
    "existence": {"f1": "Existence: F1, high is good"},
    "attribute": {"accuracy": "Attributes: accuracy, high is good"},
    "relation": {"accuracy": "Relations: accuracy, high is good"},
}
_ABOUT: Final = {
    "chair_i": "Of the things that a caption mentions, in %: those that are not there",
    "cover": "Of the things that are there, in %: those that a caption mentions",
    "f1": 'F1 of "no" in %: is what is not there noticed?',
    "accuracy": "Right answers in %",
}
_REACH: Final = 2.0  # doublings from 1 that have the full colour: four times as often, or a quarter
Lift = Mapping[str, Any]


def draw(found: Mapping[str, Any], file: Path) -> None:
    """Draw what :func:`vhbench.analysis.ode_hallucinations.analyse` returned as a PNG."""
    alt = charts.drawing()
    parts = [charts.dots(dots, title, _ABOUT[name]) for title, name, dots in curves(found["curve"])]
    pairs = clearest(found["lift"])
    if more := [pair for pair in pairs if pair[2]["lift"] > 1][:SHOWN]:
        dots = [_dot(fact, word, lift) for fact, word, lift in more]
        about = (
            "How many times as often in images that show it as at its base rate; dashed: no difference.",
            f"The clearest pairs shown in at least {FEWEST} images; * significant (family-wise over all pairs)",
        )
        parts.append(
            charts.dots(
                dots, "Hallucinations by co-occurring object", about, across=_across(dots), neutral=1, doubling=True
            )
        )
    if pairs:
        parts += _matrix(found["lift"], pairs)
    said = f"ODE: {found['questions']:,} questions, from what models have seen most to what they cannot have seen"
    drawn = alt.vconcat(*parts, spacing=26).resolve_scale(color="independent", x="independent", y="independent")
    charts.save(drawn.properties(title=charts.heading(said, found.get("notes", ()))), file)


def curves(found: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, list[Dot]]]:
    """Yield title, score and a line for each criterion; a score has a chart of its own, so that none hides another."""
    for task, names in _CURVES.items():
        for name, title in names.items():
            scores = {criterion: tasks.get(task, {}).get(name) for criterion, tasks in found.items()}
            dots = [_point(c, s, task) for c, s in scores.items() if s and s["value"] is not None]
            if dots:
                yield title, name, dots


def clearest(lifts: Mapping[str, Mapping[str, Lift]]) -> list[tuple[str, str, Lift]]:
    """Return fact, imagined and lift of the pairs seen in enough images, those that keep farthest from 1 first."""
    pairs = [(fact, word, lift) for fact, row in lifts.items() for word, lift in row.items()]
    pairs = [pair for pair in pairs if pair[2]["interval"] and pair[2]["images"] >= FEWEST]
    return sorted(pairs, key=lambda pair: (-_distance(pair[2]), pair[:2]))


def _distance(lift: Lift) -> float:
    """Return how far an interval keeps from 1, in doublings; below 0 how far it reaches beyond it."""
    low, high = (log2(end) if end else -inf for end in lift["interval"])
    return low if lift["lift"] > 1 else -high


def _point(criterion: str, score: Mapping[str, Any], task: str) -> Dot:
    low, high = (100 * end for end in score["interval"]) if score["interval"] else (None, None)
    between = "" if low is None else f" [{low:.0f}, {high:.0f}]"
    of = "captions" if task == "caption" else "questions"
    return Dot(criterion, 100 * score["value"], low, high, f"{100 * score['value']:.0f} %{between}, {score['n']} {of}")


def _dot(fact: str, word: str, lift: Lift) -> Dot:
    low, high = lift["interval"]
    sure = "*" if lift["certain"] else ""
    said = f"{lift['lift']:.1f}{sure} [{low:.1f}, {high:.1f}], {lift['imagined']} of {lift['of']} times"
    return Dot(f"{word} given {fact}", lift["lift"], low, high, said)


def _across(dots: Sequence[Dot]) -> tuple[float, float]:
    """Return an axis of doublings that holds all dots, and whiskers up to 16 times."""
    most = max(max(dot.value, min(dot.high or 0, 16)) for dot in dots)
    end = 2.0
    while end < most:
        end *= 2
    return 0.5, end


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
    return [
        heat,
        charts.key({f"{2.0**at:g} ×": -at / _REACH for at in (-2, -1, 0, 1, 2)}, widths, "What the colours say"),
    ]


def matrix(lifts: Mapping[str, Mapping[str, Lift]], pairs: Sequence[tuple[str, str, Lift]]) -> list[Tile]:
    """Return the cells of the facts and imagined things of the clearest pairs, at most :data:`SHOWN` of each."""
    facts = list(dict.fromkeys(fact for fact, _, _ in pairs))[:SHOWN]
    words = list(dict.fromkeys(word for _, word, _ in pairs))[:SHOWN]
    return [_cell(fact, word, lifts[fact].get(word)) for fact in facts for word in words]


def _cell(fact: str, word: str, lift: Lift | None) -> Tile:
    if lift is None:
        return Tile(fact, word, None)
    place = max(-_REACH, min(_REACH, _doublings(lift["lift"])))
    low, high = map(_doublings, lift["interval"] or (1.0, 1.0))
    # What lies beyond the colours counts: from 5 to 80 times as often is no more certain than from 1 to 16.
    width = max(0.0, min(1.0, (high - low) / (2 * _REACH))) if lift["interval"] else None
    # More than in general is a failure, and orange.
    return Tile(fact, word, lift["lift"], f"{lift['lift']:.1f} ({lift['imagined']})", *shade(-place / _REACH, width))


def _doublings(value: float) -> float:
    """Return how often 1 is doubled; of 0 what has the full colour."""
    return log2(value) if value else -_REACH
