"""Comparison of runs on different questions of the same kinds: two editions, photos against paintings.

Questions are stratified by criterion, question type, pressure and perturbation. A stratum that every run has gets the
same weight in every run, 1 / Σ (1 / n) for its numbers n of questions (Cochran 1954); the others are left out. So a
difference is not one of composition. Its interval and p-value are those of t over clusters of both runs (linearised).

The headline metric of each family of questions is tested first, all of them with Holm's correction. All other metrics
and the subsets are tested with Holm's correction where the headline metric differs. So the probability of any false
claim is at most 5 %.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from vhbench.compare.comparability import differing_settings
from vhbench.compare.differences import ComparedGroup, ComparedScore, Difference, RunComparison
from vhbench.compare.scored_runs import Cell, MeasuredGroup, Places, ScoredRun
from vhbench.compare.scoring import Group, whole
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals, multiple_testing
from vhbench.statistics.clustering import Floats
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.power import Precision
from vhbench.statistics.sums import Score, Sums
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import headline_of

# columns that define a stratum, and one by one the subsets
STRATA = ("criterion", "question_type", "pressure", "perturbation")
Stratum = tuple[str, ...]

_NORMAL = 1.959964  # critical value of a single claim


def match(runs: Sequence[ScoredRun]) -> RunComparison:
    """Compare runs on different questions with the first; raise VhbenchError if they share no kind of question."""
    if len(runs) < 2:
        raise VhbenchError(f"expected two or more runs, got {len(runs)}")
    runs = [replace(run, groups={g: one for g, one in run.groups.items() if not g.variants}) for run in runs]
    kinds = [dict.fromkeys(map(whole, run.groups)) for run in runs]
    pools = [_Pool.of(kind, runs) for kind in kinds[0] if all(kind in other for other in kinds[1:])]
    compared = [pool.compared() for pool in pools if pool.weights and pool.metrics]
    if not any(pool.weights for pool in pools):
        raise VhbenchError(f"the runs have no {', '.join(STRATA[:-1])} or {STRATA[-1]} in common")
    notes = [f"{run.name}: {note}" for run in runs for note in run.notes]
    notes += differing_settings(runs, [group.task for group in runs[0].groups if group.task], same_split=False)
    notes += chain.from_iterable(pool.notes([run.name for run in runs]) for pool in pools)
    provenance = [run.provenance for run in runs]
    return RunComparison([run.name for run in runs], _tested(compared), notes, provenance)


@dataclass(frozen=True)
class _Pool:
    """All questions of one family in a benchmark, of each run."""

    group: Group
    metrics: Sequence[Metric]  # of all runs, the headline first
    measured: Sequence[Sequence[MeasuredGroup]]  # groups of each run
    about: Sequence[Sequence[Record]]  # questions of each run
    strata: Sequence[Sequence[Stratum]]  # of each question of each run

    @classmethod
    def of(cls, kind: Group, runs: Sequence[ScoredRun]) -> "_Pool":
        """Put the groups of a family together."""
        own = [{g: one for g, one in run.groups.items() if whole(g) == kind} for run in runs]
        # Where all questions of a benchmark are a group too, its tasks would count them a second time.
        own = [{g: one for g, one in groups.items() if g.benchmark and not g.task} or groups for groups in own]
        about = [[row for one in groups.values() for row in one.questions.about] for groups in own]
        strata = [
            [(("" if g.benchmark else g.task), *(getattr(row, column) for column in STRATA))
             for g, one in groups.items() for row in one.questions.about]
            for groups in own
        ]  # fmt: skip
        every = [one for groups in own for one in groups.values()]
        known = [m for m in every[0].metrics if m.stratum is None and all(m.name in one.apart for one in every)]
        head = headline_of(kind.family)
        metrics = [head, *(metric for metric in known if metric is not head)] if head in known else []
        return cls(kind, metrics, [list(groups.values()) for groups in own], about, strata)

    @cached_property
    def weights(self) -> dict[Stratum, float]:
        """Weight of each stratum of which all runs have two or more clusters; they sum to 1."""
        counts = [Counter(strata) for strata in self.strata]
        images = [
            Counter(stratum for stratum, _ in set(zip(strata, clusters_of(about).numbers.tolist(), strict=True)))
            for strata, about in zip(self.strata, self.about, strict=True)
        ]
        shared = [stratum for stratum in counts[0] if all(count[stratum] > 1 for count in images)]
        sizes = {stratum: 1 / sum(1 / count[stratum] for count in counts) for stratum in sorted(shared)}
        return {stratum: weight / sum(sizes.values()) for stratum, weight in sizes.items()}

    def notes(self, names: Sequence[str]) -> Iterator[str]:
        """Yield what is withheld or left out, and that runs share questions."""
        for run, groups, strata in zip(names, self.measured, self.strata, strict=True):
            yield from (f"{self.group.title}, {run}: {one.withheld}" for one in groups if one.withheld)
            if lost := sum(stratum not in self.weights for stratum in strata):
                reason = "some run has fewer than two images with their criterion, type, pressure and perturbation"
                yield f"{self.group.title}, {run}: {lost:,} of {len(strata):,} questions are left out: {reason}"
        ids = [{row.id for row in about} for about in self.about]
        if shared := len(set.intersection(*ids)):
            yield f"{self.group.title}: all runs share {shared:,} questions; omit --unpaired to pair them by question"

    def compared(self) -> ComparedGroup:
        """Return the comparison, without adjusted p-values."""
        cells = dict[Cell, ComparedScore]()
        for number, column in enumerate(STRATA, start=1):
            values = sorted({stratum[number] for stratum in self.weights})
            for value in values if len(values) > 1 else ():
                inside = {stratum: w for stratum, w in self.weights.items() if stratum[number] == value}
                cells[((column, value),)] = self._score(self.metrics[0], inside)
        headlines = [self._score(metric, self.weights) for metric in self.metrics]
        rows = list(chain.from_iterable(self.about))
        return ComparedGroup(self.group, len(rows), len(np.unique(clusters_of(rows).numbers)), headlines, cells)

    def _score(self, metric: Metric, weights: Mapping[Stratum, float]) -> ComparedScore:
        sides = self._sides(metric.name, weights)
        scores = [side.sums.score._replace(bounds=None) for side in sides] or [Score(None)] * len(self.about)
        deltas = [_difference(run, sides[0], other) for run, other in enumerate(sides[1:], start=1)]
        number = sum(int(side.sums.about.sum()) for side in sides)
        return ComparedScore(metric.name, number, scores, metric.higher_is_better, deltas)

    def _sides(self, name: str, weights: Mapping[Stratum, float]) -> "list[_Side]":
        """Return each run's score over the strata in which all runs have it; empty without any."""
        columns = ("top", "bottom", "trials", "best")
        whole, codes, below = list[dict[str, Floats]](), list[Places](), np.ones(len(weights), dtype=bool)
        number = {stratum: place for place, stratum in enumerate(weights)}
        for groups, strata in zip(self.measured, self.strata, strict=True):
            parts = [one.apart[name] for one in groups]
            parts = [replace(part, best=part.top) if part.best is None else part for part in parts]
            whole.append({column: np.concatenate([getattr(part, column) for part in parts]) for column in columns})
            codes.append(np.array([number.get(stratum, -1) for stratum in strata]))
            below &= np.bincount(codes[-1] + 1, whole[-1]["bottom"], len(weights) + 1)[1:] > 0
        left = np.array(list(weights.values()))[below]
        places = np.append(np.where(below, np.cumsum(below) - 1, -1), -1)  # the last for no stratum
        plain, shares = self.measured[0][0].apart[name], tuple((left / left.sum()).tolist())
        sides = list[_Side]()
        for sums, own, about in zip(whole, codes, self.about, strict=True):
            inside = np.flatnonzero(places[own] >= 0)
            rows = [about[place] for place in inside.tolist()]
            laid: dict[str, Any] = {column: values[inside] for column, values in sums.items()}
            indices: dict[str, Any] = {
                "rows": np.arange(len(rows)),
                "strata": places[own][inside],
                "clusters": clusters_of(rows),
            }
            sides.append(_Side(replace(plain, **laid, **indices, weights=shares), rows))
        return sides if len(left) else []


class _Side(NamedTuple):
    """Score of one run over the compared strata, and its questions."""

    sums: Sums
    about: Sequence[Record]


def _difference(run: int, reference: _Side, candidate: _Side) -> Difference:
    first, other, clusters = reference.sums, candidate.sums, clusters_of([*reference.about, *candidate.about])
    value, scale = other.value - first.value, first.factor
    change = _change(first, other)
    adverse = _change(first.at_best, other) if value > 0 else _change(first, other.at_best)
    interval = intervals.of_change(change, np.ones(len(change)), clusters=clusters, shares=first.scale == "share")
    p, worst = (multiple_testing.paired_t_p_value(each, clusters) for each in (change, adverse))
    worst = max(p, worst) if adverse.mean() * value > 0 or not value else 1.0
    first_half, second_half = clusters.numbers[: len(first.top)], clusters.numbers[len(first.top) :]
    fewest = min(len(np.unique(first_half)), len(np.unique(second_half)))
    least = Precision.of(change / len(change), np.ones(len(change)), clusters, _NORMAL).detectable
    ends = None if interval is None else (scale * interval.low, scale * interval.high)
    few = fewest <= multiple_testing.TOO_FEW
    note = f"{fewest} clusters are too few to test" if few else interval.note if interval else ""
    return Difference(run, scale * value, ends, note, p, None if few else worst, fewest, least and scale * least)


def _change(first: Sums, other: Sums) -> Floats:
    """Return each question's contribution to an unpaired difference, times their number."""
    off = [sign * _deviations(one) for sign, one in ((-1, first), (1, other))]
    each = np.concatenate(off)
    return np.asarray(len(each) * each + (other.value - first.value), dtype=np.float64)


def _deviations(side: Sums) -> Floats:
    """Return the linearised pulls; in a stratum of g clusters their variance is enlarged by g / (g - 1)."""
    pulls = side.pulls - side.about * (side.value / side.about.sum())
    assert side.clusters is not None
    assert side.strata is not None
    for stratum in np.unique(side.strata):
        own = side.strata == stratum
        size = len(np.unique(side.clusters.numbers[own]))
        pulls[own] *= sqrt(size / max(1, size - 1))
    return np.asarray(pulls, dtype=np.float64)


def _tested(groups: Sequence[ComparedGroup]) -> list[ComparedGroup]:
    """Adjust the p-values: headline metrics first, then the other scores where these differ."""
    heads = _holm([group.headlines[0] for group in groups])
    others = _holm([score for group in groups for score in (*group.headlines[1:], *group.cells.values())])
    adjusted_groups = list[ComparedGroup]()
    for group, first in zip(groups, heads, strict=True):
        gate, metrics = dict(_tests([first])), len(group.headlines) - 1
        rest = [
            _adjusted(score, iter([max(p, gate.get(run, 1.0)) for run, p in _tests([score])]))
            for score in islice(others, metrics + len(group.cells))
        ]
        cells = dict(zip(group.cells, rest[metrics:], strict=True))
        adjusted_groups.append(replace(group, headlines=[first, *rest[:metrics]], cells=cells))
    return adjusted_groups


def _tests(scores: Sequence[ComparedScore]) -> list[tuple[int, float]]:
    """Return run and p-value of each tested difference."""
    return [(one.run, one.p_family) for score in scores for one in score.differences if one.p_family is not None]


def _holm(scores: Sequence[ComparedScore]) -> Iterator[ComparedScore]:
    """Yield the scores with the p-values of all their differences adjusted together."""
    p_values = iter(multiple_testing.holm([p for _, p in _tests(scores)]))
    return (_adjusted(score, p_values) for score in scores)


def _adjusted(score: ComparedScore, p: Iterator[float]) -> ComparedScore:
    differences = [one if one.p_family is None else replace(one, p_family=next(p)) for one in score.differences]
    return replace(score, differences=differences)
