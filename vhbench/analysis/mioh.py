"""MIOH: where a model fails. Perception or integration, and what each pressure costs against the easy twin."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals

TASKS: Final = ("existence", "attribute", "counting", "position")
PRESSURES: Final = ("easy", "ni2", "ni4", "ni8", "ni10", "hp", "hn", "hp+hn")
_NAMES: Final = {"hp": "hard positives", "hn": "hard negatives", "hp+hn": "both together"}


def analyse(records: Sequence[Record]) -> dict[str, Any]:
    """Return the whole analysis as JSON.

    Args:
        records: answered questions; those of other benchmarks are left out.

    Returns:
        ``grid``: type → pressure → n, accuracy, interval; ``failures`` and ``drops`` per task; ``summary`` in words.

    Raises:
        VhbenchError: if no record is MIOH's.
    """
    own = [r for r in records if r.benchmark == "mioh"]
    if not own:
        raise VhbenchError(f"none of {len(records)} answers is to a question of MIOH")
    failures = {task: diagnose([r for r in own if r.task == task]) for task in TASKS}
    drops = {task: pressed_drops([r for r in own if r.task == task]) for task in TASKS}
    return {
        "questions": len(own),
        "unparsed": sum(not r.prediction for r in own) / len(own),
        "grid": grid(own),
        "failures": failures,
        "drops": drops,
        "summary": summary(failures, drops),
    }


def right(record: Record) -> bool:
    """Tell whether an answer is right."""
    return record.prediction != "" and record.prediction == record.answer


def grid(records: Iterable[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the accuracy of each question type under each pressure."""
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        cells[record.question_type, record.pressure].append(record)
    table: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for (kind, pressure), members in sorted(cells.items()):
        table[kind][pressure] = _mean([float(right(r)) for r in members], [r.scene_ids for r in members])
    return dict(table)


def diagnose(records: Iterable[Record]) -> dict[str, Any]:
    """Tell failures of perception from failures of integration.

    Looked at are pairs of questions about the same objects in the same images, one comprehensive ("is there a dog in
    any of the images?") and one selective ("which image shows a dog?"). *Perception*: both are wrong, the object is
    not seen. *Integration*: the comprehensive one is right and the selective one is wrong: it is seen, but not where.
    """
    groups: dict[tuple[object, ...], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for r in records:
        groups[tuple(sorted(r.scene_ids)), r.objects, r.pressure.startswith("ni")][r.mode].append(r)
    tied = [g for g in groups.values() if g["comprehensive"] and g["selective"]]
    perception, integration = [], []
    for group in tied:
        seen = all(right(r) for r in group["comprehensive"])
        placed = all(right(r) for r in group["selective"])
        perception.append(float(not any(right(r) for members in group.values() for r in members)))
        integration.append(float(seen and not placed))
    return {"n": len(tied), "perception": _mean(perception), "integration": _mean(integration)}


def pressed_drops(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """Return, for each pressure, the mean of (easy right − pressed right) over twins, with its interval.

    Twins that show the same images are controls (nothing in them could be pressed) and are left out; for ``ni4`` they
    are all there is: it is the easy question in another order.
    """
    easy = {r.pair_id: r for r in records if r.pressure == "easy"}
    pairs: dict[str, list[tuple[Record, Record]]] = defaultdict(list)
    for r in records:
        twin = easy.get(r.pair_id)
        if r.pressure == "easy" or twin is None:
            continue
        if r.pressure == "ni4" or sorted(r.scene_ids) != sorted(twin.scene_ids):
            pairs[r.pressure].append((twin, r))
    return {
        pressure: _drop([float(right(e)) - float(right(p)) for e, p in twins], [e.id for e, _ in twins])
        for pressure in PRESSURES
        if (twins := pairs.get(pressure))
    }


def summary(failures: Mapping[str, Mapping[str, Any]], drops: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Say in a paragraph where the model fails."""
    sentences = []
    for task in TASKS:
        found, costs = failures[task], drops[task]
        if found["n"]:
            seen, placed = found["perception"]["mean"], found["integration"]["mean"]
            if max(seen, placed) > 0:
                main = "not seeing the objects" if seen >= placed else "keeping the images apart"
                sentences.append(
                    f"{task.capitalize()}: of {found['n']} image sets asked about in both modes, {seen:.0%} fail in "
                    f"every mode (perception) and {placed:.0%} only when the image must be named (integration); the "
                    f"main trouble is {main}."
                )
            else:
                sentences.append(
                    f"{task.capitalize()}: no failure in {found['n']} image sets asked about in both modes."
                )
        sure = [(cost["mean"], p) for p, cost in costs.items() if cost["interval"] and cost["interval"][0] > 0]
        if sure:
            cost, pressure = max(sure)
            sentences.append(
                f"What costs {task} most is {_said(pressure)}: {cost:.0%} of the easy twins' accuracy points."
            )
    return " ".join(sentences) or "No image set was asked about in two modes and no twin lost anything for certain."


def _said(pressure: str) -> str:
    return _NAMES.get(pressure, f"{pressure[2:]} images instead of the easy number")


def _mean(values: Sequence[float], clusters: Sequence[object] | None = None) -> dict[str, Any]:
    if not values:
        return {"n": 0, "mean": None, "interval": None}
    keys = None if clusters is None else [str(c) for c in clusters]
    interval = intervals.mean(values, clusters=keys) if len(values) > 1 else None
    return {"n": len(values), "mean": sum(values) / len(values), "interval": list(interval) if interval else None}


def _drop(changes: Sequence[float], clusters: Sequence[str]) -> dict[str, Any]:
    interval = intervals.difference(changes, clusters=clusters)
    return {"n": len(changes), "mean": sum(changes) / len(changes), "interval": list(interval) if interval else None}


def heat_map(table: Mapping[str, Mapping[str, Mapping[str, Any]]], path: Path) -> None:
    """Draw accuracy by question type and pressure as a PNG.

    Raises:
        VhbenchError: without the libraries that draw.
    """
    try:
        import altair
    except ImportError as error:
        raise VhbenchError(f"the heat map needs vhbench[generate]: {error}") from error
    rows = [
        {"type": kind, "pressure": pressure, "accuracy": 100 * cell["mean"], "n": cell["n"]}
        for kind, cells in table.items()
        for pressure, cell in cells.items()
    ]
    x = altair.X("pressure:N", sort=list(PRESSURES), title=None, axis=altair.Axis(labelAngle=0, orient="top"))
    y = altair.Y("type:N", title=None)
    base = altair.Chart(altair.Data(values=rows), title="MIOH: accuracy in %").encode(x=x, y=y)
    scale = altair.Scale(scheme="redyellowgreen", domain=[0, 100])
    boxes = base.mark_rect().encode(color=altair.Color("accuracy:Q", scale=scale, legend=None))
    text = base.mark_text(fontSize=11).encode(text=altair.Text("accuracy:Q", format=".0f"))
    (boxes + text).properties(width=56 * len(PRESSURES), height=20 * max(1, len(table))).save(str(path), scale_factor=2)
