"""MIOH: perception or integration? And what does each pressure cost against the easy twin?"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, get_args

from vhbench import records as naming
from vhbench.analysis.mioh_figure import heat_map
from vhbench.analysis.run import lost, own_records
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES, Task
from vhbench.language import inflection
from vhbench.records import split_repetition
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals, paired
from vhbench.statistics.clusters import Shared, clusters_of
from vhbench.statistics.multiple_testing import TOO_FEW
from vhbench.tasks.metrics.image_numbers import curve
from vhbench.tasks.metrics.withholding import reason_of, withhold

TASKS: Final = get_args(Task)
COMPREHENSIVE, SELECTIVE, COMPARATIVE = "comprehensive", "selective", "comparative"
draw = heat_map
INTEGRATION, PERCEPTION = "integration", "perception"
TROUBLES: Final = {INTEGRATION: "keeping the images apart", PERCEPTION: "not seeing the objects"}
"""What may be claimed → what it is called; the first that is certain is the main one."""
_FEW: Final = 8  # facts, below which a verdict is only hinted at
_CLOSE: Final = 0.1  # to what guessing gives: such a share is said to show nothing


def analyse(records: Sequence[Record]) -> dict[str, Any]:
    """Return the whole analysis of answers as JSON; those to questions of other benchmarks are left out.

    Returns:
        ``unparsed``, ``failed``, ``refused``: shares of the answers; ``grid``: type → pressure → n, accuracy, interval;
        ``by_number_of_images``: task → number → n, accuracy, interval; ``failures`` and ``drops`` per task; ``summary``
        in words. Shares are from 0 to 1, with 95 % intervals and a ``note`` where one is wide for a reason; what was
        not asked is None. What is ``certain`` was tested together with all other claims of its kind
        (:mod:`vhbench.statistics.multiple_testing`). Where too many requests failed, ``withheld`` says so, and
        nothing else is told.

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
        return found | {
            "grid": {},
            "by_number_of_images": {},
            "failures": {},
            "drops": {},
            "summary": found["withheld"],
        }
    asked = [task for task in TASKS if any(r.task == task for r in own)]
    failures = diagnoses({task: [r for r in own if r.task == task] for task in asked})
    drops = pressed_drops(own)
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
        stated = _stated(hits, intervals.mean(hits, clusters=clusters_of(members)))
        table[kind][pressure] = withhold(stated, ("mean", "interval", "note"), reason_of(members))
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

    def records(self) -> Iterator[Record]:
        """Yield all that was asked."""
        for answered in self.modes.values():
            yield from answered


def fact_of(record: Record) -> str:
    """Return what tied questions of one repetition share.

    >>> fact_of(Record("x", pair_id="2#e1-12")), fact_of(Record("y", pair_id="2#e5~e1-12"))
    ('2#e1-12', '2#e1-12')
    """
    return split_repetition(record.pair_id)[0] + naming.fact_of(record)


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


def diagnoses(tasks: Mapping[str, Sequence[Record]]) -> dict[str, dict[str, Any]]:
    """Return the diagnosis of each task, and which trouble is certain, all tasks and both troubles tested together.

    *Integration* is claimed where less is known in selective mode than in comprehensive mode; what is known is the
    share of right answers above guessing, divided by the most that it can be, so that whoever errs alike in all modes,
    or guesses, has no trouble. *Perception* is claimed where all modes fail more often together than guessing would.
    """
    placed = {task: [s for s in image_sets(answers) if SELECTIVE in s.modes] for task, answers in tasks.items()}
    claims: dict[tuple[str, str], paired.PairedOutcomes] = defaultdict(paired.PairedOutcomes)
    for task, sets in placed.items():
        for s in sets:
            known = [(1 + s.rate(mode, _known)) / 2 for mode in (COMPREHENSIVE, SELECTIVE)]  # from 0 to 1
            claims[task, INTEGRATION].add(known[0], known[1], *s.records())
            claims[task, PERCEPTION].add(_none_right(s, _hit), _none_right(s, _guess), *s.records())
    told = paired.joint_test(claims)
    nothing = paired.joint_test({"": paired.PairedOutcomes()})[""]
    return {
        task: diagnose(tasks[task]) | {"trouble": {name: told.get((task, name), nothing) for name in TROUBLES}}
        for task in tasks
    }


def diagnose(records: Iterable[Record]) -> dict[str, Any]:
    """Tell failures of perception from failures of integration, in the answers of one task.

    Looked at are image sets (:func:`image_sets`) about which one fact was asked in several modes: comprehensive ("is
    there a dog in any of the images?"), selective ("which image shows a dog?") and, where it was, comparative ("which
    of image 1 and image 2 shows a dog?").

    *Perception*: all modes fail, the object is not seen at all: each answer of every mode in which the fact was asked
    of these images, two or three, is wrong. *Integration*: the comprehensive answer is right and the selective one
    wrong: it is seen, but not in which image. *Comparison*: the comprehensive answer is right and the comparative one
    wrong. Where a mode asked about the same images more than once, its share of right answers stands for it, as if
    one of them had been drawn.

    ``right`` is the share of right answers, in all modes and pressures. ``by_chance`` is what blind guessing among the
    options would give: a share near it shows nothing.
    """
    answered = list(records)
    sets = list(image_sets(answered))
    placed = [s for s in sets if SELECTIVE in s.modes]
    compared = [s for s in sets if COMPARATIVE in s.modes]
    hits, guessed = [_hit(r) for r in answered], [_guess(r) for r in answered]
    right = _stated(hits, intervals.mean(hits, clusters=clusters_of(answered)))
    return {
        "right": right | {"by_chance": sum(guessed) / len(guessed) if guessed else None},
        "n": len(placed),
        "facts": len({split_repetition(s.fact)[1] for s in placed}),
        "perception": _shares(placed, _none_right),
        "integration": _shares(placed, lambda s, score: _first_only(s, SELECTIVE, score)),
        "comparison": _shares(compared, lambda s, score: _first_only(s, COMPARATIVE, score)),
    }


def _none_right(images: ImageSet, score: Callable[[Record], float]) -> float:
    return prod(1 - images.rate(mode, score) for mode in images.modes)


def _first_only(images: ImageSet, other: str, score: Callable[[Record], float]) -> float:
    return images.rate(COMPREHENSIVE, score) * (1 - images.rate(other, score))


def _shares(
    sets: Sequence[ImageSet], failure: Callable[[ImageSet, Callable[[Record], float]], float]
) -> dict[str, Any]:
    guessed = [failure(s, _guess) for s in sets]
    failed, shared = [failure(s, _hit) for s in sets], Shared()
    for s in sets:
        shared.add(*s.records())
    share = _stated(failed, intervals.mean(failed, clusters=shared.among()))
    return share | {"by_chance": sum(guessed) / len(guessed) if guessed else None}


def _hit(record: Record) -> float:
    return float(record.prediction != "" and record.prediction == record.answer)


def _known(record: Record) -> float:
    """Return by how much an answer is above guessing, of the most that it can be: 1 if right, below 0 if wrong."""
    guess = _guess(record)
    return (_hit(record) - guess) / (1 - guess)


def _guess(record: Record) -> float:
    return 1 / (len(record.choices) or 2)


# -- what pressure costs ---------------------------------------------------------------------------------------------


def pressed_drops(records: Iterable[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return, for each task and pressure, the mean of (easy right − pressed right) over twins, with its interval.

    Twins that show the same images are controls (nothing in them could be pressed) and are left out; so are those with
    as many images as an easy question or fewer, which are no pressure: see ``by_number_of_images``.

    ``certain`` tells whether something changed at all; all pressures of all tasks are tested together
    (:func:`vhbench.statistics.paired.joint_test`), so that it may be false where the cell's interval leaves 0 out.
    """
    answered = list(records)
    easy = {r.pair_id: r for r in answered if r.pressure == "easy"}
    pairs: dict[tuple[str, str], paired.PairedOutcomes] = defaultdict(paired.PairedOutcomes)
    for r in answered:
        twin = easy.get(r.pair_id)
        presses = r.pressure in PRESSURES and PRESSURES[r.pressure].presses
        if presses and twin is not None and sorted(r.scene_ids) != sorted(twin.scene_ids):
            pairs[r.task, r.pressure].add(_hit(twin), _hit(r), twin, r)
    order = [(task, pressure) for task in TASKS for pressure in PRESSURES if (task, pressure) in pairs]
    told = paired.joint_test({cell: pairs[cell] for cell in order})
    drops: dict[str, dict[str, dict[str, Any]]] = {task: {} for task in TASKS if any(r.task == task for r in answered)}
    for (task, pressure), drop in told.items():
        drops[task][pressure] = drop
    return drops


# -- in words --------------------------------------------------------------------------------------------------------


def summary(failures: Mapping[str, Mapping[str, Any]], drops: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Say where the model fails, in a paragraph per task."""
    return "\n".join(" ".join((*_failure(task, failures[task]), *_costs(task, drops[task]))) for task in failures)


def _failure(task: str, found: Mapping[str, Any]) -> Iterator[str]:
    name, sets = task.capitalize(), _number(found["n"], "image set")
    perception, integration, comparison = (found[kind] for kind in ("perception", "integration", "comparison"))
    if not found["n"]:
        right = found["right"]
        yield (
            f"{name}: {_share(right)} of {_number(right['n'], 'response')} are correct (chance: "
            f"{100 * right['by_chance']:.0f} %); perception and integration cannot be separated, since no images were "
            "used in two modes (`vhbench build mioh --tied N` builds such sets, and the task mioh evaluates all)."
        )
    elif not perception["mean"] and not integration["mean"]:
        yield f"{name}: no failure of perception or integration in {sets}."
    else:
        yield (
            f"{name}: of {sets}, {_share(perception)} fail in every mode (perception) and {_share(integration)} only "
            f"when the image must be named (integration); {_main_trouble(found)}."
        )
    if comparison["mean"]:
        sets, guessed = _number(comparison["n"], "image set"), " (at chance level)" if _near_chance(comparison) else ""
        yield f"Of {sets}, {_share(comparison)} fail only when two images must be compared{guessed}."


def _main_trouble(found: Mapping[str, Any]) -> str:
    claims = found["trouble"]
    if _near_chance(found["perception"]) and _near_chance(found["integration"]):
        return "both are at chance level"
    if all(claim["p"] is None for claim in claims.values()):
        most = max(claim["differ"] for claim in claims.values())
        return f"dominant failure mode n/a ({most} discordant clusters, need {TOO_FEW + 1})"
    certain = [name for name in TROUBLES if claims[name]["certain"] and claims[name]["mean"] > 0]
    if not certain:
        return "neither is a significant failure mode of its own"
    trouble = TROUBLES[certain[0]]
    if found["facts"] < _FEW:
        return f"the dominant failure mode seems to be {trouble}, but the questions cover only {found['facts']} facts"
    return f"the dominant failure mode is {trouble}"


def _near_chance(share: Mapping[str, Any]) -> bool:
    return bool(abs(share["mean"] - share["by_chance"]) <= _CLOSE)


def _costs(task: str, costs: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    worse = sorted((-cost["mean"], p) for p, cost in costs.items() if cost["certain"] and cost["mean"] > 0)
    won = [PRESSURES[p].words for p, cost in costs.items() if cost["certain"] and cost["mean"] < 0]
    if worse:
        said = "; ".join(f"{_points(costs[p])} with {PRESSURES[p].words}" for _, p in worse)
        yield f"Accuracy drops significantly against the easy twins: {said}."
    elif costs:
        yield f"No pressure changes {task} accuracy significantly."
    if few := [f"{PRESSURES[p].words} ({cost['differ']})" for p, cost in costs.items() if cost["p"] is None]:
        yield f"Not testable (discordant clusters, need {TOO_FEW + 1}): {', '.join(few)}."
    if won:
        yield f"Accuracy rises significantly with {' and '.join(won)}."


def _share(share: Mapping[str, Any]) -> str:
    ends = share["interval"]
    between = f" [{100 * ends[0]:.0f}, {100 * ends[1]:.0f}]" if ends else ""
    return f"{100 * share['mean']:.0f} %{between}"


def _points(cost: Mapping[str, Any]) -> str:
    low, high = cost["interval"]
    return f"{100 * cost['mean']:.0f} points [{100 * low:.0f}, {100 * high:.0f}] (n = {cost['n']})"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else inflection.plural(noun)}"


def _stated(values: Sequence[float], interval: intervals.Interval | None) -> dict[str, Any]:
    """Return a mean as the analysis has it."""
    return {
        "n": len(values),
        "mean": sum(values) / len(values) if values else None,
        "interval": None if interval is None else list(interval.ends),
        "note": "" if interval is None else interval.note,
    }
