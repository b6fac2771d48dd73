"""CHAIR, Cover, Hal and Cog, next to other benchmarks and ODE's criteria in the same run (ODE's Tables 1, 4, 5)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from vhbench import charts
from vhbench.analysis.ode_hallucinations import asked_vocabulary
from vhbench.analysis.run import lost, own_records
from vhbench.benchmarks import BENCHMARKS, VALUE_ORDER, load
from vhbench.charts import Dot
from vhbench.schema import Record
from vhbench.statistics import wording
from vhbench.tasks.metrics.measuring import measure

_SHOWN: Final = {
    "caption": {"chair_i": "CHAIR ↓", "cover": "Cover ↑", "chair_s": "Hal ↓", "cog": "Cog ↓", "words": "words"},
    "yes_no": {"accuracy": "accuracy ↑", "precision": "precision ↑", "recall": "recall ↑", "f1": "F1 ↑"},
}
"""Kind of question → score → title of its column."""

_TITLES: Final = {name: title for titles in _SHOWN.values() for name, title in titles.items()}
_SCORE: Final = "AMBER score ↑"
_DRAWN: Final = ("chair_i", "cover", "f1")
_RATES: Final = ("chair_i", "chair_s", "cover")


def analyse(records: Sequence[Record], *, split: Path | None = None) -> dict[str, Any]:
    """Return the scores of a run's captions and yes/no questions as JSON.

    Args:
        records: answered questions of AMBER, CHAIR and ODE; others are ignored.
        split: the evaluated split of AMBER or CHAIR; None for the one that the tasks use.

    Returns:
        ``rows``: AMBER, CHAIR at each token limit, ODE's criteria → ``scores`` in percent by name, with ``intervals``,
        ``n`` by kind, and ``amber_score``, (100 - CHAIR + F1) / 2, if both are there; ``lengths``: the same names →
        scores by length of the caption; ``questions``, ``unparsed``, ``failed``, ``refused``; ``summary``;
        ``withheld``: why there are no scores, or None.
    """
    own = own_records(records, __name__)
    counts = {"questions": len(own), **lost(own)}
    if counts["withheld"]:
        return counts | {"rows": {}, "lengths": {}, "summary": counts["withheld"]}
    compared = [record for record in records if record.benchmark == "ode"]
    if compared and lost(compared)["withheld"]:
        compared = []
    groups = {name: list(group) for name, group in groupby(sorted([*own, *compared], key=_place), key=_name)}
    rows = {name: _row(group, split) for name, group in groups.items()}
    extra = {name: BENCHMARKS[group[0].benchmark].families["caption"].extra for name, group in groups.items()}
    lengths = {name: load(more["by_length"])(groups[name]) for name, more in extra.items() if "by_length" in more}
    return {**counts, "rows": rows, "lengths": lengths, "summary": _summary(rows)}


def _name(record: Record) -> str:
    """Return a record's row: its benchmark, and the first breakdown of its captions."""
    entry = BENCHMARKS[record.benchmark]
    cells = entry.families["caption"].cells
    value = getattr(record, cells[0][0]) if cells else ""
    return f"{entry.title.partition(':')[0]} {value.replace('_', ' ')}".strip()


def _place(record: Record) -> tuple[int, int, str]:
    order = VALUE_ORDER["criterion"]
    criterion = order.index(record.criterion) if record.criterion in order else len(order)
    number = record.question_type.partition("_")[0] if record.benchmark == "chair" else ""
    return -[*BENCHMARKS].index(record.benchmark), int(number) if number.isdecimal() else criterion, record.id


def _row(records: Sequence[Record], split: Path | None) -> dict[str, Any]:
    row: dict[str, Any] = {"n": {}, "scores": {}, "intervals": {}}
    entry = BENCHMARKS[records[0].benchmark]
    for kind, titles in _SHOWN.items():
        if of_kind := [record for record in records if record.kind == kind]:
            words = asked_vocabulary(of_kind, split if entry.name != "ode" else None) if kind == "caption" else {}
            claimed = load(entry.claims)(words) if kind == "caption" else None
            scores = measure(of_kind, entry.families[kind].name, positive=entry.positive, claimed=claimed).scores
            row["n"][kind] = len(of_kind)
            row["scores"] |= {name: scores[name].value for name in titles}
            row["intervals"] |= {name: scores[name].interval for name in titles}
    chair, f1 = row["scores"].get("chair_i"), row["scores"].get("f1")
    return row | {"amber_score": None if chair is None or f1 is None else (100 - chair + f1) / 2}


def _summary(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return how fictional scenes, the last row, compare with AMBER's photos.

    >>> scores = {"CHAIR 64 tokens": 46.3, "AMBER": 41.4, "ODE standard": 24.0, "ODE fictional": 27.8}
    >>> _summary({name: {"scores": {"chair_i": value}} for name, value in scores.items()})
    'CHAIR 41.4 % on AMBER, 27.8 % on ODE fictional (−13.6 points)'
    >>> _summary({name: {"scores": {"chair_i": scores[name]}} for name in ("CHAIR 64 tokens", "AMBER")})
    'AMBER: CHAIR 41.4 %'
    """
    scores = {name: row["scores"].get("chair_i") for name, row in rows.items()}
    known = {name: value for name, value in scores.items() if value is not None}
    if not known:
        return "no caption names an object"
    photos = BENCHMARKS["amber"].title.partition(":")[0]
    first = next((item for item in known.items() if item[0].startswith(photos)), next(iter(known.items())))
    last = [*known.items()][-1]
    if first == last:
        return f"{first[0]}: CHAIR {first[1]:.1f} %"
    change = wording.signed(last[1] - first[1])
    return f"CHAIR {first[1]:.1f} % on {first[0]}, {last[1]:.1f} % on {last[0]} ({change} points)"


def report(analysis: Mapping[str, Any]) -> Iterator[str]:
    """Yield the printed lines of an analysis."""
    columns = [name for name in _TITLES if any(name in row["scores"] for row in analysis["rows"].values())]
    table = [["", *(_TITLES[name] for name in columns), _SCORE]]
    for name, row in analysis["rows"].items():
        values = [*(row["scores"].get(score) for score in columns), row["amber_score"]]
        table.append([name, *map(_value_text, values)])
    yield from wording.aligned(table)
    for name, points in analysis["lengths"].items():
        yield ""
        yield f"{name}: scores of captions cut after their first tokens"
        rows = [
            [str(point["tokens"]), *(_value_text(point[name]) for name in _RATES), f"{100 * point['longer']:.0f} %"]
            for point in points
        ]
        yield from wording.aligned([["tokens", "CHAIR_i ↓", "CHAIR_s ↓", "recall ↑", "longer captions"], *rows])
    yield ""
    yield analysis["summary"]


def _value_text(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def draw(analysis: Mapping[str, Any], file: Path) -> None:
    """Draw the result of :func:`analyse` as a PNG: a line per row, and the curves of lengths."""
    alt, parts = charts.drawing(), []
    for name in _DRAWN:
        rows = {row: one for row, one in analysis["rows"].items() if one["scores"].get(name) is not None}
        if dots := [_dot(row, one["scores"][name], one["intervals"][name]) for row, one in rows.items()]:
            parts.append(charts.dots(dots, _TITLES[name], "In %, with 95 % intervals"))
    for name, points in analysis["lengths"].items():
        valid = [point for point in points if point["chair_i"] is not None]
        if dots := [_dot(f"{p['tokens']} tokens", p["chair_i"], p["intervals"]["chair_i"]) for p in valid]:
            parts.append(charts.dots(dots, f"{name}: CHAIR_i ↓ of the first tokens", "In %, with 95 % intervals"))
    heading = charts.heading(f"{analysis['questions']:,} questions", analysis.get("notes", ()))
    charts.save(alt.vconcat(*parts, spacing=26).properties(title=heading), file)


def _dot(name: str, value: float, interval: Sequence[float] | None) -> Dot:
    low, high = interval or (None, None)
    return Dot(name, value, low, high, f"{value:.1f} {wording.interval(interval) if interval else ''}".strip())
