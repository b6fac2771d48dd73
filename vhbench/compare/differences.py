"""Paired comparison of runs on the same questions: differences, intervals, joint tests, ranks.

Differences are those of the reported scores. Intervals are paired by question and clustered by image and fact. All
headline metrics of a benchmark's tasks are tested as one family, over all pairs of runs, and all its subsets as
another, by flipping the signs of whole clusters (:mod:`vhbench.statistics.multiple_testing`). Ranks follow from the
verdicts of these tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from vhbench.compare.comparability import caveats, check_same, differing_settings, left_out
from vhbench.compare.scored_runs import Cell, MeasuredGroup, Places, ScoredRun
from vhbench.compare.scoring import Group
from vhbench.provenance import Provenance
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals, multiple_testing, paired
from vhbench.statistics.all_pairs import compare, rank_ranges
from vhbench.statistics.clustering import Clustering, Floats
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.power import Precision
from vhbench.statistics.sums import Score, Sums, difference
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import headline_of


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of a run from the reference run in one score."""

    run: int  # index of the run
    value: float  # this run's score minus the reference's, in points; for words per caption, in words
    interval: tuple[float, float] | None  # 95 % CI over clusters, in the same unit
    note: str  # why the interval is wide, or the difference not testable; that missing predictions decide it
    p: float | None  # p-value of this difference alone, by sign flips of whole clusters
    # p-value adjusted over the family; None where there are too few discordant clusters. With missing predictions the
    # larger of two: as they are, and right in the run with the lower score
    p_family: float | None
    discordant_clusters: int  # number of clusters in which the runs differ
    # smallest difference that these questions would detect with 80 % power; None where it is unknown
    detectable: float | None = None

    @property
    def significant(self) -> bool:
        """Whether the adjusted p-value is at most 5 % and the interval excludes 0, as on a leaderboard."""
        low, high = self.interval or (0, 0)
        return self.p_family is not None and self.p_family <= multiple_testing.ALPHA and not low <= 0 <= high


@dataclass(frozen=True, slots=True)
class ComparedScore:
    """One score of all runs."""

    name: str
    n: int  # number of questions, or of pairs, that it covers
    scores: Sequence[Score]  # score of each run, as in its report, with the reason for a wide interval
    higher_is_better: bool | None  # direction of the metric; None without one, which gives no ranks
    differences: Sequence[Difference]  # differences of the other runs with a score from the reference run
    ranks: Sequence[tuple[int, int] | None] = ()  # rank range of each run; None without a score


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """Comparison of a group of questions, such as a task."""

    group: Group
    questions: int
    clusters: int  # number of clusters of dependent questions
    headlines: Sequence[ComparedScore]
    cells: Mapping[Cell, ComparedScore]  # its subsets, in its first metric


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Result of a comparison."""

    names: Sequence[str]  # names of the runs; the first is the reference
    groups: Sequence[ComparedGroup]  # compared groups of questions
    notes: Sequence[str]  # warnings, one line each
    provenance: Sequence[Mapping[str, Provenance]] = ()  # per run, task → provenance of its responses, if known


def match(runs: Sequence[ScoredRun], *, seed: int = 0) -> RunComparison:
    """Compare two or more runs on the same questions; the first is the reference.

    Raises VhbenchError if they share no group of questions, questions of the same id differ, or a response is missing.
    """
    if len(runs) < 2:
        raise VhbenchError(f"expected two or more runs, got {len(runs)}")
    names = [run.name for run in runs]
    common = [group for group in runs[0].groups if all(group in run.groups for run in runs)]
    if not common:
        offers = "; ".join(f"{run.name}: {', '.join(group.title for group in run.groups)}" for run in runs)
        raise VhbenchError(f"the runs have no task in common ({offers})")
    notes = [f"{run.name}: {note}" for run in runs for note in run.notes]
    notes += [*left_out(runs, common), *differing_settings(runs, [group.task for group in common if group.task])]
    measured = {group: [run.groups[group] for run in runs] for group in common}
    for group, by_run in measured.items():
        check_same(group, by_run, names)
        notes += caveats(group, by_run, names)
    groups: list[ComparedGroup] = []
    whole = {group for group in common if group.benchmark and not group.task}
    groups += [pool for group in common if group in whole for pool in _pooled(group, measured[group])]
    for benchmark in dict.fromkeys(group.benchmark for group in common):
        own = {group: by_run for group, by_run in measured.items() if group.benchmark == benchmark}
        apart = {group: by_run for group, by_run in own.items() if group not in whole}
        groups += map(_Family(apart or own, seed).compared, apart or own)
    tasks = {group.task for group in common}
    origin = [{task: source for task, source in run.provenance.items() if task in tasks} for run in runs]
    return RunComparison(names, groups, notes, origin)


def _pooled(group: Group, by_run: Sequence[MeasuredGroup]) -> Iterator[ComparedGroup]:
    """Yield the comparison of all questions of a benchmark in its headline metric, as on a leaderboard (t, Holm)."""
    metric, about = headline_of(group.family), by_run[0].questions.about
    sums, clusters = {run: one.apart.get(metric.name) for run, one in enumerate(by_run)}, clusters_of(about)
    members, overall, _, adjusted, ranks = compare(sums, clusters, sums, higher_is_better=metric.higher_is_better)
    if 0 not in members or len(members) < 2:
        return
    (pairs,), (p,) = overall, adjusted
    deltas = list[Difference]()
    for at, run in enumerate(members[1:], start=1):
        tested, ends = not np.isnan(pairs.p[at, 0]), pairs.interval(at, 0)
        deltas.append(
            Difference(
                run,
                100 * float(pairs.value[at, 0]),
                None if ends is None else (100 * ends[0], 100 * ends[1]),
                _UNREAD if pairs.p[at, 0] <= multiple_testing.ALPHA < pairs.claim[at, 0] else "",
                float(pairs.p[at, 0]) if tested else None,
                float(p[at, 0]) if tested else None,
                int(pairs.discordant_clusters[at, 0]),
            )
        )
    scores = [one.scores[metric.name]._replace(note="") for one in by_run]
    count, ranges = _covered(by_run, metric, np.arange(len(about))), [ranks.get(run) for run in sums]
    compared = ComparedScore(metric.name, count, scores, metric.higher_is_better, deltas, ranges)
    yield ComparedGroup(group, len(about), int(clusters.numbers.max()) + 1, [compared], {})


@dataclass(frozen=True, slots=True)
class _RunPair:
    """One claim: outcomes of two runs on the questions of a headline metric or subset."""

    run: int
    other: Sums  # of this run
    first: Sums  # of the run that it is compared with
    places: Places  # of the questions in the group
    value: float  # printed difference of the scores

    def interval(self, clusters: Clustering, about: Sequence[Record] = ()) -> intervals.Interval | None:
        """Return the interval of the difference; scores over some of the questions (``about``) have own clusters."""
        inside = self.first.about
        if about and self.first.strata is not None:
            clusters = clusters_of(record for record, own in zip(about, inside.tolist(), strict=True) if own)
        else:
            clusters = clusters.at(np.flatnonzero(inside))
        return difference(self.first, self.other, clusters)

    @property
    def change(self) -> Floats:
        """Change of the score by each question."""
        return self.other.change_from(self.first)

    @property
    def adverse(self) -> "_RunPair":
        """The same with the missing predictions of the run with the lower score right; itself without any."""
        if self.value > 0:
            best = self.first.at_best
            return self if best is self.first else replace(self, first=best)
        best = self.other.at_best
        return self if best is self.other else replace(self, other=best)


Key = tuple[Group, str | Cell, int, int]  # group of questions, one of its scores, numbers of the two runs

_UNREAD = "not significant if the missing predictions of the run with the lower score were right"


class _Family:
    """Groups of one benchmark, tested as one family."""

    def __init__(self, measured: Mapping[Group, Sequence[MeasuredGroup]], seed: int) -> None:
        self.measured, self.seed = measured, seed
        about = [record for by_run in measured.values() for record in by_run[0].questions.about]
        self.clusters = clusters_of(about)
        starts = np.cumsum([0, *(len(by_run[0].questions.about) for by_run in measured.values())])
        self.starts = dict(zip(measured, starts[:-1].tolist(), strict=True))
        headlines: dict[Key, _RunPair] = {}
        cells: dict[Key, _RunPair] = {}
        for group, by_run in measured.items():
            first, *_ = metrics = by_run[0].metrics
            every = np.arange(len(by_run[0].questions.about))
            for metric in metrics:
                name = metric.name
                for base in range(len(by_run)):  # of all pairs of runs, so that ranks follow
                    pairs = _pairs(by_run, metric, name, every, base)
                    headlines |= {(group, name, base, pair.run): pair for pair in pairs}
            for cell in by_run[0].cells:
                places = by_run[0].questions.cells[cell]
                cells |= {(group, cell, 0, pair.run): pair for pair in _pairs(by_run, first, cell, places)}
        self.claims, self.verdicts = headlines | cells, self._verdicts(headlines) | self._verdicts(cells)

    def _verdicts(self, claims: Mapping[Key, _RunPair]) -> dict[Key, multiple_testing.SignFlipResult]:
        """Test all claims of a family jointly, and again where missing predictions might reverse them."""
        verdicts = self._tested(claims)
        adverse = {key: pair.adverse for key, pair in claims.items()}
        if all(adverse[key] is pair for key, pair in claims.items()):
            return verdicts
        for key, other in self._tested(adverse).items():
            was, p = verdicts[key].family, other.alone if other.family.p is None else other.family.p
            p = p if adverse[key].change.sum() * claims[key].value > 0 else 1.0
            if adverse[key] is not claims[key] and was.p is not None and p > was.p:
                family = was._replace(p=p)
                lost = _UNREAD if was.significant and not family.significant else ""
                verdicts[key] = verdicts[key]._replace(family=family._replace(note=was.note or lost))
        return verdicts

    def _tested(self, claims: Mapping[Key, _RunPair]) -> dict[Key, multiple_testing.SignFlipResult]:
        """Test claims jointly."""
        parts = [(self.starts[key[0]] + pair.places, pair.change) for key, pair in claims.items()]
        return dict(zip(claims, paired.joint_sign_flips(parts, self.clusters, seed=self.seed), strict=True))

    def compared(self, group: Group) -> ComparedGroup:
        """Return the comparison of a group."""
        by_run = self.measured[group]
        about, first = by_run[0].questions.about, by_run[0].metrics[0]
        clusters = clusters_of(about)

        def compared(metric: Metric, key: str | Cell, places: Places, own: Clustering) -> ComparedScore:
            scores, better = [_score(one, key) for one in by_run], metric.higher_is_better
            count = _covered(by_run, metric, places)
            differences = {
                (base, run): self._difference(claim, about if key == metric.name else (), own)
                for base, run in combinations(range(len(by_run)), 2)
                if (claim := (group, key, base, run)) in self.claims
                and (self.verdicts[claim].family.significant or not base)
            }
            printed = [difference for (base, _), difference in differences.items() if base == 0]
            if better is None or key != metric.name:
                return ComparedScore(metric.name, count, scores, better, printed)
            above = np.zeros((len(by_run), len(by_run)), dtype=bool)
            for (base, run), each in differences.items():
                above[(run, base) if (each.value > 0) == better else (base, run)] = each.significant
            ranks = rank_ranges(above, [run for run, one in enumerate(by_run) if metric.name in one.apart])
            ranges = [ranks.get(run) for run in range(len(by_run))]
            return ComparedScore(metric.name, count, scores, better, printed, ranges)

        metrics = [m for m in by_run[0].metrics if m.listed or any(m.name in one.apart for one in by_run)]
        every = np.arange(len(about))
        headlines = [compared(metric, metric.name, every, clusters) for metric in metrics]
        for name in ("p95", "per_correct") if any(one.tokens for one in by_run) else ():
            counts = [Score(one.tokens[name] if one.tokens else None) for one in by_run]
            headlines.append(ComparedScore(f"tokens_{name}", len(about), counts, None, ()))
        cells = dict[Cell, ComparedScore]()
        for cell in by_run[0].cells:
            places = by_run[0].questions.cells[cell]
            cells[cell] = compared(first, cell, places, clusters_of([about[place] for place in places]))
        return ComparedGroup(group, len(about), len(np.unique(clusters.numbers)), headlines, cells)

    def _difference(self, key: Key, about: Sequence[Record], own: Clustering) -> Difference:
        pair, verdict = self.claims[key], self.verdicts[key]
        scale, family, interval = pair.first.factor, verdict.family, pair.interval(own, about)
        ends = None if interval is None else (scale * interval.low, scale * interval.high)
        note = "; ".join(filter(None, (family.note, interval.note if interval else "")))
        numbers = self.clusters.numbers[self.starts[key[0]] + pair.places]
        precision = Precision.of(pair.change, pair.first.about, numbers, verdict.critical, verdict.inflation)
        seen = precision.detectable
        p, least = (verdict.alone, family.p), None if seen is None else scale * seen
        return Difference(pair.run, pair.value, ends, note, *p, family.discordant_clusters, least)


def _covered(by_run: Sequence[MeasuredGroup], metric: Metric, places: Places) -> int:
    """Return how many of some questions the scores of a metric cover; all of them if no run has one."""
    sums = next((one.apart[metric.name] for one in by_run if metric.name in one.apart), None)
    return len(places) if sums is None else int(sums.about[places].sum())


def _score(measured: MeasuredGroup, key: str | Cell) -> Score:
    return measured.scores[key] if isinstance(key, str) else measured.cells[key]


def _pairs(
    by_run: Sequence[MeasuredGroup], metric: Metric, key: str | Cell, places: Places, base: int = 0
) -> Iterator[_RunPair]:
    """Yield the claims of a score: each later run that has it against the run ``base``, by default the reference."""
    whole = isinstance(key, str)
    values = [_score(one, key).value for one in by_run]
    apart = [None if value is None else one.apart.get(metric.name) for value, one in zip(values, by_run, strict=True)]
    first, *others = [one if one is None or whole else one.within(places) for one in apart[base:]]
    for run, other in enumerate(others, start=base + 1):
        value, before = values[run], values[base]
        if first is not None and other is not None and value is not None and before is not None:
            yield _RunPair(run, other, first, places, value - before)
