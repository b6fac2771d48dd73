"""The scores of one entry, made again from what the model said: the numbers that ``vhbench score`` prints.

Everything that does not depend on the answers is shared by all entries of an edition
(:class:`~vhbench.leaderboard.question_index.AskedEdition`), so that a hundred models take a minute and not an hour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vhbench.compare import scored_runs
from vhbench.compare.scoring import Group
from vhbench.leaderboard.question_index import AskedEdition, AskedFamily, Places
from vhbench.records import answered, said
from vhbench.schema import Record
from vhbench.statistics import intervals
from vhbench.statistics.intervals import Clustering, Interval, WeightedRatio
from vhbench.tasks import per_sample_scores
from vhbench.tasks.metrics import ode_captions, withholding
from vhbench.tasks.metrics.scores import Score, measured
from vhbench.tasks.metrics.symmetric_accuracy import blind_level
from vhbench.tasks.per_sample_scores import Contributions

TOLD = ("failed", "refused", "unread", "cut_off")
"""What became of answers that say nothing, as shares in percent."""

_SHORT = 120
"""Characters of an answer up to which many models give the same, which is read once."""

_MOST_KEPT = 150_000
"""Answers of an edition that are kept, as they were read."""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What an entry comes to.

    Attributes:
        scores: family → metric → its score, in percent.
        parts: family → the scores of its parts in its headline.
        apart: family → what each question adds to the headline; None where there is no score.
        told: share of the answers that failed, were refused, could not be read, were cut off; in percent.
        withheld: family → why there is no score.
        right: of each question, whether the first answer is right; of a caption, whether it invents nothing.
        read: of each question what the first answer was read as; of a caption what it invents.
        yes: of each question, the share of answers that say yes.
    """

    scores: Mapping[str, Mapping[str, Score]]
    parts: Mapping[str, Sequence[Score]]
    apart: Mapping[str, Contributions | None]
    told: Mapping[str, float]
    withheld: Mapping[str, str]
    right: npt.NDArray[np.bool_]
    read: Sequence[str]
    yes: npt.NDArray[np.float32]


def recompute(asked: AskedEdition, responses: Sequence[str], repeats: int = 1) -> Recomputed:
    """Score the answers of one model to an edition.

    Args:
        asked: its questions.
        responses: an answer to each in their order; of several repetitions, all first answers come first.
        repeats: how often each question was asked.
    """
    count = len(asked.rows)
    rounds = [responses[start : start + count] for start in range(0, repeats * count, count)]
    records = [[_answered(asked, place, text) for place, text in enumerate(one)] for one in rounds]
    counts = [[_counted(asked, record) for record in one] for one in records]
    hits = list(map(_right, records[0], counts[0]))
    scores, parts, apart, withheld = {}, {}, {}, {}
    for name, family in asked.families.items():
        own = family.places.tolist()
        members = [_repeated(one[place], number) for number, one in enumerate(records) for place in own]
        found = [one[place] for one in counts for place in own]
        why = withholding.reason_of(members)
        scorer = _FamilyScorer(asked, family, members, [one or {} for one in found], why)
        scores[name], parts[name], apart[name] = scorer.scores(), scorer.parts(), scorer.taken(family.headline)
        if why:
            withheld[name] = why
    every = [record for one in records for record in one]
    first = zip(records[0], counts[0], strict=True)
    return Recomputed(
        scores,
        parts,
        apart,
        _told(every),
        withheld,
        np.array(hits, dtype=bool),
        [_read_as(record, found) for record, found in first],
        np.asarray(
            np.mean([[record.prediction == "yes" for record in one] for one in records], axis=0), dtype=np.float32
        ),
    )


def _answered(asked: AskedEdition, place: int, text: str) -> Record:
    """Read an answer; what many models say to a question in the same words is read once."""
    if len(text) > _SHORT:
        return answered(asked.rows[place], text)
    if (found := asked.read_before.get((place, text))) is None:
        if len(asked.read_before) >= _MOST_KEPT:
            asked.read_before.clear()
        found = asked.read_before[place, text] = answered(asked.rows[place], text)
    return found


def _counted(asked: AskedEdition, record: Record) -> Mapping[str, int] | None:
    return ode_captions.count(record, asked.matcher) if record.kind == "caption" and asked.matcher else None


def _right(record: Record, counts: Mapping[str, int] | None) -> bool:
    if counts is not None:
        return bool(counts["captions"]) and not counts["hallucinating"]
    return said(record) == record.answer


def _read_as(record: Record, counts: Mapping[str, int] | None) -> str:
    if record.failure or counts is None:
        return said(record) or "unread"
    if not counts["captions"]:
        return "no caption"
    invented = counts["hallucinated"]
    return f"{invented} invented" if invented else "nothing invented"


def _repeated(record: Record, number: int) -> Record:
    """Return an answer of a repetition under an id of its own, as lmms-eval's repetitions have."""
    if not number:
        return record
    mark = f"{number + 1}#"
    return replace(record, id=mark + record.id, pair_id=record.pair_id and mark + record.pair_id)


def _told(records: Sequence[Record]) -> dict[str, float]:
    sums = dict.fromkeys(TOLD, 0)
    for record in records:
        if record.failure:
            sums[record.failure] += 1
        elif record.kind != "caption" and not record.prediction:
            sums["unread"] += 1
        sums["cut_off"] += record.cut_off
    return {name: 100 * value / max(len(records), 1) for name, value in sums.items()}


class _FamilyScorer:
    """The scores of a family."""

    def __init__(
        self,
        edition: AskedEdition,
        asked: AskedFamily,
        records: Sequence[Record],
        counts: Sequence[Mapping[str, int]],
        withheld: str | None,
    ) -> None:
        self.asked, self.records, self.counts, self.withheld = asked, records, counts, withheld
        self.source, self.group = edition.source, Group("", edition.edition.benchmark, asked.family.name)
        self.size = len(asked.places)
        self.owner = np.tile(np.arange(self.size), len(records) // self.size)
        self._taken: dict[str, Contributions | None] = {}

    @property
    def metrics(self) -> list[str]:
        """The metrics of the family that can be taken apart."""
        known = {*per_sample_scores.APART, *per_sample_scores.OF_CAPTIONS}
        return [metric.name for metric in self.asked.family.metrics if metric.name in known]

    def taken(self, name: str) -> Contributions | None:
        """Return what each question adds to a score; None where there is none."""
        if self.withheld:
            return None
        if name not in self._taken:
            found = per_sample_scores.of(name, self.records, self.counts)
            several = len(self.owner) > self.size
            self._taken[name] = found.by_question(self.owner, self.size) if found and several else found
        return self._taken[name]

    def scores(self) -> dict[str, Score]:
        """Return all scores of the family."""
        if len(self.owner) > self.size:  # answers to one question are not one answer: as reports have them
            whole = scored_runs.measure(self.records, self.group, self.source, cells=False)
            found = dict(whole.scores)
        else:
            found = {name: _score(name, self.taken(name), self.asked) for name in self.metrics}
        if "symmetric_accuracy" in found:
            found["blind_level"] = Score(None) if self.withheld else Score(100 * self._blind())
        return found

    def parts(self) -> list[Score]:
        """Return the headline of each part."""
        whole = self.taken(self.asked.headline)
        found = []
        for part in self.asked.parts:
            own = None if whole is None else whole.within(part.places)
            found.append(_share(self.asked.headline, own, part.clusters))
        return found

    def _blind(self) -> float:
        halves: dict[tuple[str, str], dict[bool, Record]] = {}
        for record in self.records:
            halves.setdefault((record.pair_id, record.perturbation), {})[record.negated] = record
        pairs = [both for both in halves.values() if len(both) == 2]
        if not pairs:
            return 0.0
        gold = sum(both[False].answer == "yes" for both in pairs) / len(pairs)
        return blind_level([(both[False].prediction, both[True].prediction) for both in pairs], gold)


def _score(name: str, taken: Contributions | None, asked: AskedFamily) -> Score:
    """Return a score and its interval, as the report has them."""
    if taken is None:
        return Score(None)
    if name == "words":
        given = np.flatnonzero(taken.bottom)
        value = float(taken.top[given].sum() / taken.bottom[given].sum())
        return measured(value, intervals.lengths(taken.top[given], clusters=asked.among(given)))
    if taken.strata is not None:
        return measured(float(taken.parts.sum()), _of_strata(taken, asked), scale=100)
    return _share(name, taken, asked.clusters)


def _of_strata(taken: Contributions, asked: AskedFamily) -> Interval | None:
    assert taken.strata is not None
    counted = np.flatnonzero(taken.strata >= 0)
    strata = taken.strata[counted]
    own = [np.flatnonzero(strata == number) for number in range(len(taken.weights))]
    cells = [
        WeightedRatio(taken.top[counted][places], None, places, weight)
        for places, weight in zip(own, taken.weights, strict=True)
    ]
    return intervals.mean_of_ratios(cells, clusters=asked.among(counted))


def _share(name: str, taken: Contributions | None, clusters: Clustering) -> Score:
    if taken is None:
        return Score(None)
    if (outcomes := taken.outcomes) is not None:
        about: Places = np.flatnonzero(taken.about)
        found = intervals.mean(outcomes[about], clusters=clusters.at(about))
    else:
        most = float(taken.bottom.sum() - taken.top.sum() / 2) if name == "f1" else None  # TP + FP + FN
        found = intervals.ratio(taken.top, taken.bottom, most=most, clusters=clusters)
    return measured(float(taken.parts.sum()), found, scale=100)
