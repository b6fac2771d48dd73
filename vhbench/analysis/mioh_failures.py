"""MIOH: perception or integration? And what does each pressure cost against the easy twin?"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, get_args

from vhbench import english
from vhbench.analysis.mioh_map import heat_map
from vhbench.analysis.run import lost, own_records
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES, Task
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals
from vhbench.tasks.metrics.image_numbers import curve
from vhbench.tasks.metrics.records import resampling_unit, split_repetition
from vhbench.tasks.metrics.withholding import reason_of, withhold

TASKS: Final = get_args(Task)
COMPREHENSIVE, SELECTIVE, COMPARATIVE = "comprehensive", "selective", "comparative"
draw = heat_map
_FEW: Final = 8  # facts, below which a verdict is only hinted at
_CLOSE: Final = 0.1  # to what guessing gives: such a share is said to show nothing


def analyse(records: Sequence[Record]) -> dict[str, Any]:
    """Return the whole analysis of answers as JSON; those to questions of other benchmarks are left out.

    Returns:
        ``unparsed``, ``failed``, ``refused``: shares of the answers; ``grid``: type → pressure → n, accuracy, interval;
        ``by_number_of_images``: task → number → n, accuracy, interval; ``failures`` and ``drops`` per task; ``summary`` in words. Shares are from 0 to 1, with 95 % intervals; what was
        not asked is None. Where too many requests failed, ``withheld`` says so, and nothing else is told.

    Raises:
        VhbenchError: if no record is MIOH's, or one of MIOH's is of no known question type.
    """
    own = own_records(records, __name__)
    for r in own:
        if r.question_type not in QUESTION_TYPES:
            known = ", ".join(QUESTION_TYPES)
            raise VhbenchError(f"answer {r.id!r}: unknown question_type {r.question_type!r}: must be one of {known}")
    found = {"questions": len(own), **lost(own)}
    if found["withheld"]:
        return found | {"grid": {}, "by_number_of_images": {}, "failures": {}, "drops": {}, "summary": found["withheld"]}
    asked = [task for task in TASKS if any(r.task == task for r in own)]
    failures = {task: diagnose([r for r in own if r.task == task]) for task in asked}
    drops = {task: pressed_drops([r for r in own if r.task == task]) for task in asked}
    return {
        **found,
        "grid": grid(own),
        "by_number_of_images": {task: curve([r for r in own if r.task == task]) for task in asked},
        "failures": failures,
        "drops": drops,
        "summary": summary(failures, drops),
    }


def grid(records: Iterable[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the accuracy of each question type under each pressure, as the report of the run does."""
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        cells[record.question_type, record.pressure].append(record)
    table: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for (kind, pressure), members in sorted(cells.items()):
        hits = [_hit(r) for r in members]
        stated = _stated(hits, intervals.mean(hits, clusters=list(map(resampling_unit, members))))
        table[kind][pressure] = withhold(stated, ("mean", "interval"), reason_of(members))
    return dict(table)


# -- perception or integration ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImageSet:
    """What was asked of one fact ("a red dog", how many dogs) in one set of images: mode → answered questions."""

    fact: str
    modes: Mapping[str, Sequence[Record]]

    def rate(self, mode: str, score: Callable[[Record], float]) -> float:
        """Return the mean over the mode's questions: there may be several, as the same one in another order."""
        return sum(map(score, self.modes[mode])) / len(self.modes[mode])


def fact_of(record: Record) -> str:
    """Return what tied questions share: their ``pair_id`` ends with that of the question that they are tied to.

    >>> fact_of(Record("x", pair_id="e1-12")), fact_of(Record("y", pair_id="e5-e1-12"))
    ('e1-12', 'e1-12')
    """
    repetition, pair = split_repetition(record.pair_id)
    return repetition + "-".join(pair.split("-")[-2:])


def image_sets(records: Iterable[Record]) -> Iterator[ImageSet]:
    """Yield the image sets about which a comprehensive question was asked, and another one.

    Questions belong together if they are about the same fact in the same images. A comparative question names two
    images; it belongs to each set that holds both.
    """
    sets: dict[tuple[str, frozenset[str]], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    compared: dict[str, list[Record]] = defaultdict(list)
    for r in records:
        if r.mode == COMPARATIVE:
            compared[fact_of(r)].append(r)
        else:
            sets[fact_of(r), frozenset(r.scene_ids)][r.mode].append(r)
    for (fact, scenes), modes in sets.items():
        two = [r for r in compared.get(fact, ()) if scenes.issuperset(r.scene_ids)]
        modes |= {COMPARATIVE: two} if two else {}
        if COMPREHENSIVE in modes and len(modes) > 1:
            yield ImageSet(fact, modes)


def diagnose(records: Iterable[Record]) -> dict[str, Any]:
    """Tell failures of perception from failures of integration.

    Looked at are image sets (:func:`image_sets`) about which one fact was asked in several modes: comprehensive ("is
    there a dog in any of the images?"), selective ("which image shows a dog?") and, where it was, comparative ("which
    of image 1 and image 2 shows a dog?").

    *Perception*: all modes fail, the object is not seen at all: each answer of every mode in which the fact was asked
    of these images, two or three, is wrong. *Integration*: the comprehensive answer is right and the selective one
    wrong: it is seen, but not in which image. *Comparison*: the comprehensive answer is right and the comparative one
    wrong. Where a mode asked about the same images more than once, its share of right answers stands for it, as if
    one of them had been drawn.

    ``by_chance`` is what blind guessing among the options would give: a share near it shows nothing.
    """
    sets = list(image_sets(records))
    placed = [s for s in sets if SELECTIVE in s.modes]
    compared = [s for s in sets if COMPARATIVE in s.modes]
    return {
        "n": len(placed),
        "facts": len(set(_kinds([s.fact for s in placed]))),
        "perception": _shares(placed, _none_right),
        "integration": _shares(placed, lambda s, score: _first_only(s, SELECTIVE, score)),
        "comparison": _shares(compared, lambda s, score: _first_only(s, COMPARATIVE, score)),
        "perception_minus_integration": _difference(
            [_none_right(s, _hit) - _first_only(s, SELECTIVE, _hit) for s in placed], [s.fact for s in placed]
        ),
    }


def _none_right(images: ImageSet, score: Callable[[Record], float]) -> float:
    return prod(1 - images.rate(mode, score) for mode in images.modes)


def _first_only(images: ImageSet, other: str, score: Callable[[Record], float]) -> float:
    return images.rate(COMPREHENSIVE, score) * (1 - images.rate(other, score))


def _shares(
    sets: Sequence[ImageSet], failure: Callable[[ImageSet, Callable[[Record], float]], float]
) -> dict[str, Any]:
    guessed = [failure(s, _guess) for s in sets]
    share = _mean([failure(s, _hit) for s in sets], [s.fact for s in sets])
    return share | {"by_chance": sum(guessed) / len(guessed) if guessed else None}


def _hit(record: Record) -> float:
    return float(record.prediction != "" and record.prediction == record.answer)


def _guess(record: Record) -> float:
    return 1 / (len(record.choices) or 2)


# -- what pressure costs ---------------------------------------------------------------------------------------------


def pressed_drops(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """Return, for each pressure, the mean of (easy right − pressed right) over twins, with its interval.

    Twins that show the same images are controls (nothing in them could be pressed) and are left out; so are those with
    as many images as an easy question or fewer, which are no pressure: see ``by_number_of_images``.

    ``certain`` tells whether something changed at all; the level, 95 %, is that of all pressures of the task together
    (Bonferroni), so that it may be false while a single interval leaves 0 out.
    """
    easy = {r.pair_id: r for r in records if r.pressure == "easy"}
    pairs: dict[str, list[tuple[Record, Record]]] = defaultdict(list)
    for r in records:
        twin = easy.get(r.pair_id)
        presses = r.pressure in PRESSURES and PRESSURES[r.pressure].presses
        if presses and twin is not None and sorted(r.scene_ids) != sorted(twin.scene_ids):
            pairs[r.pressure].append((twin, r))
    drops: dict[str, dict[str, Any]] = {}
    for pressure in (p for p in PRESSURES if p in pairs):
        changes = [_hit(e) - _hit(p) for e, p in pairs[pressure]]
        facts = [fact_of(e) for e, _ in pairs[pressure]]
        strict = _difference(changes, facts, level=1 - 0.05 / len(pairs))["interval"]
        certain = strict is not None and not strict[0] <= 0 <= strict[1]
        drops[pressure] = _difference(changes, facts) | {"certain": certain}
    return drops


# -- in words --------------------------------------------------------------------------------------------------------


def summary(failures: Mapping[str, Mapping[str, Any]], drops: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Say where the model fails, in a paragraph per task."""
    return "\n".join(" ".join((*_failure(task, failures[task]), *_costs(task, drops[task]))) for task in failures)


def _failure(task: str, found: Mapping[str, Any]) -> Iterator[str]:
    name, sets = task.capitalize(), _number(found["n"], "image set")
    perception, integration, comparison = (found[kind] for kind in ("perception", "integration", "comparison"))
    if not found["n"]:
        yield f"{name}: no images were asked about in two modes, so perception and integration cannot be told apart."
    elif not perception["mean"] and not integration["mean"]:
        yield f"{name}: no failure of perception or integration in {sets}."
    else:
        yield (
            f"{name}: of {sets}, {_share(perception)} fail in every mode (perception) and {_share(integration)} only "
            f"when the image must be named (integration); {_main_trouble(found)}."
        )
    if comparison["mean"]:
        sets, guessed = _number(comparison["n"], "image set"), " (so does guessing)" if _near_chance(comparison) else ""
        yield f"Of {sets}, {_share(comparison)} fail only when two images must be compared{guessed}."


def _main_trouble(found: Mapping[str, Any]) -> str:
    sure = found["perception_minus_integration"]["interval"]
    if _near_chance(found["perception"]) and _near_chance(found["integration"]):
        return "that is what guessing gives"
    if sure is None or sure[0] <= 0 <= sure[1]:
        return "neither is certainly more frequent than the other"
    trouble = "not seeing the objects" if sure[0] > 0 else "keeping the images apart"
    if found["facts"] < _FEW:
        return f"the main trouble seems to be {trouble}, but only {found['facts']} things were asked about"
    return f"the main trouble is {trouble}"


def _near_chance(share: Mapping[str, Any]) -> bool:
    return bool(abs(share["mean"] - share["by_chance"]) <= _CLOSE)


def _costs(task: str, costs: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    worse = sorted((-cost["mean"], p) for p, cost in costs.items() if cost["certain"] and cost["mean"] > 0)
    won = [PRESSURES[p].words for p, cost in costs.items() if cost["certain"] and cost["mean"] < 0]
    if worse:
        said = "; ".join(f"{_points(costs[p])} with {PRESSURES[p].words}" for _, p in worse)
        yield f"Against their easy twins, {task} questions lose {said}."
    elif costs:
        yield f"No pressure costs {task} anything for certain."
    if won:
        yield f"It is easier with {' and '.join(won)}."


def _share(share: Mapping[str, Any]) -> str:
    low, high = share["interval"] or (share["mean"], share["mean"])
    return f"{100 * share['mean']:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def _points(cost: Mapping[str, Any]) -> str:
    low, high = cost["interval"]
    return f"{100 * cost['mean']:.0f} points [{100 * low:.0f}, {100 * high:.0f}] (n = {cost['n']})"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else english.plural(noun)}"


# -- means and intervals ---------------------------------------------------------------------------------------------


def _mean(values: Sequence[float], clusters: Sequence[str]) -> dict[str, Any]:
    """Return a share and its interval; where all is alike, it reaches as far as that of a difference would."""
    kinds = _kinds(clusters)
    interval = intervals.mean(values, clusters=kinds) if len(set(kinds)) > 1 else None
    if interval and interval[0] == interval[1]:
        low, high = intervals.difference(values, clusters=kinds) or interval
        interval = max(0.0, low), min(1.0, high)
    return _stated(values, interval)


def _difference(values: Sequence[float], clusters: Sequence[str], level: float = 0.95) -> dict[str, Any]:
    return _stated(values, intervals.difference(values, clusters=_kinds(clusters), level=level) if values else None)


def _stated(values: Sequence[float], interval: intervals.Interval | None) -> dict[str, Any]:
    mean = sum(values) / len(values) if values else None
    return {"n": len(values), "mean": mean, "interval": list(interval) if interval else None}


def _kinds(clusters: Sequence[str]) -> list[str]:
    """Return the facts that are resampled; repetitions of a question belong to one."""
    return [split_repetition(cluster)[1] for cluster in clusters]
