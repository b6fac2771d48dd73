"""MIOH: perception and integration failures, and the accuracy change under each pressure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, get_args

from vhbench import records as naming
from vhbench.analysis import mioh_causes
from vhbench.analysis.mioh_figure import heat_map
from vhbench.analysis.run import lost, own_records
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES, Task
from vhbench.records import split_repetition
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals, paired, wording
from vhbench.statistics.clustering import Clustering
from vhbench.statistics.clusters import Shared, clusters_of
from vhbench.tasks.metrics.image_numbers import curve
from vhbench.tasks.metrics.withholding import reason_of

TASKS: Final = get_args(Task)
COMPREHENSIVE, SELECTIVE, COMPARATIVE = "comprehensive", "selective", "comparative"
draw = heat_map
INTEGRATION, PERCEPTION = "integration", "perception"
FAILURE_MODES: Final = {INTEGRATION: "objects recognized, images confused", PERCEPTION: "objects not recognized"}
"""Tested failure modes and their meaning; the first significant one is dominant."""
_FEW: Final = 8  # facts; the summary mentions it if there are fewer
_CLOSE: Final = 0.1  # maximum distance of a share from chance at which it is uninformative


def analyse(records: Sequence[Record]) -> dict[str, Any]:
    """Return the analysis of MIOH's records as JSON.

    Returns:
        ``unparsed``, ``failed``, ``refused``: shares of the responses; ``grid``: type → pressure → n, accuracy,
        interval, chance; ``by_number_of_images``: task → number → n, accuracy, interval; ``failures`` and ``drops`` per
        task; ``twin_drops`` per type; ``causes``: the smallest sets of cells that explain the failures
        (:mod:`vhbench.analysis.mioh_causes`); ``summary``. Shares are from 0 to 1, with 95 % CI and a ``note`` on why
        one is wide; None where there is no question. ``significant`` is tested jointly
        (:mod:`vhbench.statistics.multiple_testing`). ``withheld`` is the
        reason if too many requests failed; the rest is then empty.

    Raises:
        VhbenchError: if no record is from MIOH, or one has an unknown question type.
    """
    own = own_records(records, __name__)
    for r in own:
        if r.question_type not in QUESTION_TYPES:
            known = ", ".join(QUESTION_TYPES)
            raise VhbenchError(f"response {r.id!r}: expected a question_type of {known}; got {r.question_type!r}")
    counts = {"questions": len(own), **lost(own)}
    if counts["withheld"]:
        empty: dict[str, Any] = {key: {} for key in ("grid", "by_number_of_images", "failures", "drops", "twin_drops")}
        return counts | empty | {"causes": [], "summary": counts["withheld"]}
    tasks = [task for task in TASKS if any(r.task == task for r in own)]
    failures = diagnoses({task: [r for r in own if r.task == task] for task in tasks})
    drops = pressed_drops(own)
    return {
        **counts,
        "grid": grid(own),
        "by_number_of_images": {task: curve([r for r in own if r.task == task]) for task in tasks},
        "failures": failures,
        "drops": drops,
        "twin_drops": twin_drops(own),
        "causes": mioh_causes.as_json(mioh_causes.causes(own)),
        "summary": summary(failures, drops),
    }


def grid(records: Iterable[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the accuracy of each question type under each pressure, as in the report of the run."""
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        cells[record.question_type, record.pressure].append(record)
    table: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for (kind, pressure), members in sorted(cells.items()):
        stated, reason = _stated(list(map(_hit, members)), clusters_of(members)), reason_of(members)
        none = dict.fromkeys(("mean", "interval", "note")) if reason else {}
        chance = sum(map(_guess, members)) / len(members)
        table[kind][pressure] = stated | none | {"withheld": reason, "chance": chance}
    return dict(table)


# -- perception or integration ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImageSet:
    """Answered questions, by mode, about one fact ("a red dog", how many dogs) in one set of images."""

    fact: str
    modes: Mapping[str, Sequence[Record]]

    def rate(self, mode: str, score: Callable[[Record], float]) -> float:
        """Return the mean over the mode's questions; the same question may occur with the images in another order."""
        return sum(map(score, self.modes[mode])) / len(self.modes[mode])

    def records(self) -> Iterator[Record]:
        """Yield all answered questions."""
        for answered in self.modes.values():
            yield from answered


def fact_of(record: Record) -> str:
    """Return the key that tied questions of one repetition share.

    >>> fact_of(Record("x", pair_id="2#e1-12")), fact_of(Record("y", pair_id="2#e5~e1-12"))
    ('2#e1-12', '2#e1-12')
    """
    return split_repetition(record.pair_id)[0] + naming.fact_of(record)


def image_sets(records: Iterable[Record]) -> Iterator[ImageSet]:
    """Yield the image sets that have a comprehensive question and one in another mode.

    Questions belong together if they are about the same fact in the same images. A comparative question names two
    images; it belongs to each set that holds both. Unparsed responses show nothing of what was recognized: in no set.
    """
    sets: dict[tuple[str, frozenset[str]], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    compared: dict[str, list[Record]] = defaultdict(list)
    for r in (r for r in records if r.prediction):
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
    """Return the diagnosis of each task, with a joint test of both failure modes over all tasks.

    *Integration* tests whether chance-corrected accuracy (accuracy above chance, relative to its maximum) is lower in
    selective than in comprehensive mode. Equal error rates in all modes, and guessing, give no difference.
    *Perception* tests whether all modes fail together more often than under guessing.
    """
    placed = {task: [s for s in image_sets(answers) if SELECTIVE in s.modes] for task, answers in tasks.items()}
    claims: dict[tuple[str, str], paired.PairedOutcomes] = defaultdict(paired.PairedOutcomes)
    for task, sets in placed.items():
        for s in sets:
            known = [(1 + s.rate(mode, _known)) / 2 for mode in (COMPREHENSIVE, SELECTIVE)]  # from 0 to 1
            claims[task, INTEGRATION].add(known[0], known[1], *s.records())
            claims[task, PERCEPTION].add(_none_right(s, _hit), _none_right(s, _guess), *s.records())
    verdicts = paired.joint_test(claims)
    nothing = paired.joint_test({"": paired.PairedOutcomes()})[""]
    return {
        task: diagnose(tasks[task])
        | {"failure_mode": {name: verdicts.get((task, name), nothing) for name in FAILURE_MODES}}
        for task in tasks
    }


def diagnose(records: Iterable[Record]) -> dict[str, Any]:
    """Return the shares of perception, integration and comparison failures in one task.

    The unit is an image set (:func:`image_sets`) with questions about one fact in several modes: comprehensive ("Is
    there a dog in any of the images?"), selective ("Which image shows a dog?") and sometimes comparative ("Which of
    image 1 and image 2 shows a dog?").

    *Perception*: the responses in all modes, two or three, are incorrect. *Integration*: the comprehensive response is
    correct, the selective one is not. *Comparison*: the comprehensive response is correct, the comparative one is not.
    If a mode has several questions about the same images, its accuracy is used.

    ``right`` is the accuracy over all modes and pressures. ``chance`` is the value under guessing among the options; a
    share near it is uninformative.
    """
    answered = list(records)
    sets = list(image_sets(answered))
    placed = [s for s in sets if SELECTIVE in s.modes]
    compared = [s for s in sets if COMPARATIVE in s.modes]
    guessed, right = [_guess(r) for r in answered], _stated(list(map(_hit, answered)), clusters_of(answered))
    return {
        "right": right | {"chance": sum(guessed) / len(guessed) if guessed else None},
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
    guessed, shared = [failure(s, _guess) for s in sets], Shared()
    for s in sets:
        shared.add(*s.records())
    return _stated([failure(s, _hit) for s in sets], shared.among()) | {
        "chance": sum(guessed) / len(guessed) if guessed else None
    }


def _hit(record: Record) -> float:
    return float(record.prediction != "" and record.prediction == record.answer)


def _known(record: Record) -> float:
    """Return chance-corrected correctness: 1 if correct, below 0 if not."""
    guess = _guess(record)
    return (_hit(record) - guess) / (1 - guess)


def _guess(record: Record) -> float:
    return 1 / (len(record.choices) or 2)


# -- accuracy change under pressure ----------------------------------------------------------------------------------


def pressed_drops(records: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return, per task and pressure, the mean of (easy correct − pressed correct) over twins, with its interval.

    Twins with the same images are controls and excluded, as are those without more images than an easy question: see
    ``by_number_of_images``. All cells are tested jointly (:func:`vhbench.statistics.paired.joint_test`), so a cell
    whose interval excludes 0 may not be significant.
    """
    pairs = _twins(records, "task")
    order = [(task, pressure) for task in TASKS for pressure in PRESSURES if (task, pressure) in pairs]
    return {task: {} for task in TASKS if any(r.task == task for r in records)} | _tested(pairs, order)


def twin_drops(records: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the same per question type and pressure, tested jointly over these cells."""
    pairs = _twins(records, "question_type")
    return _tested(pairs, sorted(pairs))


def _tested(
    pairs: Mapping[tuple[str, str], paired.PairedOutcomes], order: Iterable[tuple[str, str]]
) -> dict[str, dict[str, dict[str, Any]]]:
    drops: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for (group, pressure), drop in paired.joint_test({cell: pairs[cell] for cell in order}).items():
        drops[group][pressure] = drop
    return dict(drops)


def _twins(records: Sequence[Record], column: str) -> dict[tuple[str, str], paired.PairedOutcomes]:
    """Return the outcomes of easy and pressed twins, by the value of a column and the pressure."""
    easy = {r.pair_id: r for r in records if r.pressure == "easy"}
    pairs: dict[tuple[str, str], paired.PairedOutcomes] = defaultdict(paired.PairedOutcomes)
    for r in records:
        twin = easy.get(r.pair_id)
        presses = r.pressure in PRESSURES and PRESSURES[r.pressure].presses
        if presses and twin is not None and sorted(r.scene_ids) != sorted(twin.scene_ids):
            pairs[getattr(r, column), r.pressure].add(_hit(twin), _hit(r), twin, r)
    return pairs


# -- in words --------------------------------------------------------------------------------------------------------


def report(analysis: Mapping[str, Any]) -> Iterator[str]:
    """Yield the printed lines: accuracy changes, failure modes, failing cells, summary."""
    failures, drops = analysis["failures"], analysis["drops"]
    if any(drops.values()):
        yield "Accuracy change under pressure, in points (easy twin → pressed question; negative: accuracy drops)"
        yield from wording.aligned([("task", "pressure", "change", "95 % CI", "n", "verdict"), *_drop_rows(drops)])
        yield ""
    if rows := [row for task, one in failures.items() for row in _failure_rows(task, one)]:
        yield "Failure modes, in % of image sets (comparison: in % of sets with a comparison question)"
        yield from wording.aligned([("task", "mode", "share", "95 % CI", "n", "chance", "verdict"), *rows])
        yield ""
    if analysis["causes"]:
        yield "Smallest sets of question types and pressures that explain the failures"
        yield from (f"  {cause['text']}" for cause in analysis["causes"])
        yield ""
    yield f"Summary: {analysis['summary']}"
    yield (
        "Tests: sign-flip max-t over all task × pressure cells, and over all failure modes, family-wise α = 0.05. "
        "CIs are per cell, clustered by fact."
    )


def summary(failures: Mapping[str, Mapping[str, Any]], drops: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Return the findings as one paragraph, the largest accuracy drop first."""
    cells = [(task, p, drop) for task, row in drops.items() for p, drop in row.items()]
    changes = sorted((c for c in cells if c[2]["significant"]), key=lambda cell: -cell[2]["mean"])
    sentences = []
    for task, pressure, drop in changes:
        verb, under = "drops" if drop["mean"] > 0 else "rises", PRESSURES[pressure].head
        size, ends = wording.number(100 * abs(drop["mean"])), wording.confidence(drop["interval"], 100)
        sentences.append(f"MIOH {task}: accuracy {verb} {size} points under {under}, {ends}, n = {drop['n']}.")
    if cells and not changes:
        sentences.append("no significant accuracy change under any pressure.")
    if few := sum(drop["p"] is None for *_, drop in cells):
        sentences.append(
            f"{few} of {len(cells)} task × pressure cells are not testable; build more questions per cell "
            "(vhbench build mioh --cells N)."
        )
    modes = [f"{task}: {mode}" for task, one in failures.items() if (mode := _dominant(one))]
    if modes:
        sentences.append(f"Dominant failure mode: {'; '.join(modes)}.")
    elif any(one["n"] for one in failures.values()):
        sentences.append("No dominant failure mode.")
    if apart := [task for task, one in failures.items() if not one["n"]]:
        sentences.append(
            f"Perception and integration cannot be separated for {', '.join(apart)}: no images were used in two modes "
            "(vhbench build mioh --tied N builds such sets, and the task mioh evaluates all)."
        )
    return " ".join(sentences) if changes else f"MIOH: {' '.join(sentences)}"


def _drop_rows(drops: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[Sequence[str]]:
    for task, row in drops.items():
        for pressure, drop in row.items():
            change = "n/a" if drop["mean"] is None else wording.signed(-100 * drop["mean"])
            ends = wording.interval(drop["interval"] and drop["interval"][::-1], -100)
            yield task, PRESSURES[pressure].head, change, ends, str(drop["n"]), wording.verdict(drop)


def _failure_rows(task: str, one: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for mode in (PERCEPTION, INTEGRATION, "comparison"):
        share = one[mode]
        if share["n"]:
            verdict = wording.verdict(one["failure_mode"][mode]) if mode in FAILURE_MODES else "not tested"
            ends, chance = wording.interval(share["interval"], 100), wording.number(100 * share["chance"])
            yield task, mode, wording.number(100 * share["mean"]), ends, str(share["n"]), chance, verdict


def _dominant(one: Mapping[str, Any]) -> str:
    """Return the significant failure mode, integration first; "" if there is none, or both shares are near chance."""
    if not one["n"] or (_near_chance(one[PERCEPTION]) and _near_chance(one[INTEGRATION])):
        return ""
    claims = one["failure_mode"]
    for name, meaning in FAILURE_MODES.items():
        if claims[name]["significant"] and claims[name]["mean"] > 0:
            few = f", in only {one['facts']} facts" if one["facts"] < _FEW else ""
            return f"{name} ({meaning}{few})"
    return ""


def _near_chance(share: Mapping[str, Any]) -> bool:
    return bool(abs(share["mean"] - share["chance"]) <= _CLOSE)


def _stated(values: Sequence[float], clusters: Clustering) -> dict[str, Any]:
    """Return a mean with its interval, as JSON."""
    interval = intervals.mean(values, clusters=clusters)
    return {
        "n": len(values),
        "mean": sum(values) / len(values) if values else None,
        "interval": None if interval is None else list(interval.ends),
        "note": "" if interval is None else interval.note,
    }
