"""The numbers of lmms-eval's table and of the reports: functions from a task's records to a :class:`Score`.

Which task has which of them stands in :mod:`vhbench.benchmarks`. A new metric is a file in :mod:`vhbench.tasks.metrics`
with a function like those below, and a line there that names it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import is_
from typing import Any

import numpy as np

from vhbench.benchmarks import Metric, benchmark, load
from vhbench.records import is_cut_off, said, split_repetition
from vhbench.schema import Record
from vhbench.statistics import intervals
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.intervals import Clustering
from vhbench.tasks import datasets
from vhbench.tasks.metrics import multiple_choice, ode_captions, withholding, yes_no
from vhbench.tasks.metrics import symmetric_accuracy as pairs
from vhbench.tasks.metrics.scores import Score, in_percent, measured

Records = Sequence[Record]


def score_of(metric: Metric, records: Records, withheld: str | None = None) -> Score:
    """Return a metric of some records, or nothing where too many requests failed for a score.

    Args:
        metric: what is asked.
        records: of the task, or of a cell of it.
        withheld: why all scores of the task are withheld, if they are.
    """
    if not metric.always and (withheld or withholding.reason_of(records)):
        return Score(None)
    score: Score = load(metric.function)(records)
    return score


def accuracy(records: Records) -> Score:
    """Share of right answers; one that cannot be read is wrong, and so is what is no answer."""
    return _share([said(record) == record.answer for record in records], records)


def unparsed(records: Records) -> Score:
    """Share of answers that no parser could read."""
    return _share([said(record) == "" for record in records], records)


def failed(records: Records) -> Score:
    """Share of requests that brought no answer."""
    return _share([record.failure == "failed" for record in records], records)


def refused(records: Records) -> Score:
    """Share of answers that refuse, or see no image."""
    return _share([record.failure == "refused" for record in records], records)


def cut_off(records: Records) -> Score:
    """Share of answers that visibly stop midway."""
    return _share([is_cut_off(record) for record in records], records)


def words(records: Records) -> Score:
    """Mean number of words of a caption, without thoughts; of those that were given."""
    given = [record for record in records if not record.failure]
    mean, interval = ode_captions.mean_words([ode_captions.words_of(r) for r in given], clusters_of(given))
    return Score(None) if mean is None else measured(mean, interval)


def yes_rate(records: Records) -> Score:
    """Share of yes among the predictions, whatever the gold answers."""
    return _share([record.prediction == "yes" for record in records], records)


def precision(records: Records) -> Score:
    """Of the answers with the positive class, the share that is right."""
    found = _scored(_yes_no, records)
    notes = {"positive": benchmark(records[0].benchmark).positive, "warnings": found["warnings"]}
    return as_score(found, "precision", notes)


def recall(records: Records) -> Score:
    """Of the questions whose answer is the positive class, the share that is answered so."""
    return as_score(_scored(_yes_no, records), "recall")


def f1(records: Records) -> Score:
    """The harmonic mean of precision and recall."""
    return as_score(_scored(_yes_no, records), "f1")


def chair_i(records: Records) -> Score:
    """Share of mentions that are hallucinated."""
    found = _captions(records)
    return as_score(found, "chair_i", {"counters": found["counters"]})


def chair_s(records: Records) -> Score:
    """Share of captions with a hallucination (AMBER's Hal)."""
    return as_score(_captions(records), "chair_s")


def cover(records: Records) -> Score:
    """Share of what is there that is mentioned."""
    return as_score(_captions(records), "cover")


def cog(records: Records) -> Score:
    """Share of the mentioned concepts that are the likely hallucinations."""
    return as_score(_captions(records), "cog")


def aggregate(records: Records) -> Score:
    """MIOH's overall score: the unweighted mean over the pressures, then over the tasks."""
    found = _scored(multiple_choice.score, records)
    ends, note = found["aggregate_interval"], found["aggregate_interval_note"]
    return as_score(found | {"intervals": {"aggregate": ends}, "interval_notes": {"aggregate": note}}, "aggregate")


def chance(records: Records) -> Score:
    """What guessing evenly among the options gives."""
    found = multiple_choice.chance(records)
    return Score(None if found is None else 100 * found)


def original_accuracy(records: Records) -> Score:
    """Share of right answers to the questions as first asked, not negated: it moves with their share of yes."""
    asked = [record for record in records if not record.negated]
    return _share([record.prediction == record.answer for record in asked], asked)


def symmetric_accuracy(records: Records) -> Score:
    """Share of pairs, a question and its negated twin, with both right."""
    return as_score(_scored(pairs.score, records), "symmetric_accuracy")


def symmetric_chance(records: Records) -> Score:
    """What a guesser gets who says yes and no to originals, and to twins, as often (VHExpansion, Theorem 2)."""
    return as_score(_scored(pairs.score, records), "chance")


def blind_level(records: Records) -> Score:
    """What the same pairs of answers get where they are dealt to other cases: without looking."""
    return as_score(_scored(pairs.score, records), "blind_level")


def new_cases(records: Records) -> Score:
    """How many new test cases (negated or perturbed) are answered wrongly: a count, the mean of repetitions.

    A failed request and a refusal are wrong, but no such case: nothing was hallucinated.
    """
    first = {split_repetition(record.id)[1] for record in records}
    return Score(_scored(pairs.score, records)["new_successful"] * len(first) / len(records))


def _share(hits: Sequence[bool], records: Records) -> Score:
    if not hits:
        return Score(None)
    interval = intervals.mean([float(hit) for hit in hits], clusters=_LAST.clusters(records))
    return measured(sum(hits) / len(hits), interval, scale=100)


def as_score(found: Mapping[str, Any], name: str, notes: Mapping[str, Any] | None = None) -> Score:
    """Return a rate of a metric's result, and its interval, in percent."""
    value = found[name]
    ends = in_percent(found.get("intervals", {}).get(name))
    wide = found.get("interval_notes", {}).get(name, "")
    return Score(None if value is None else 100 * value, ends, notes or {}, wide)


def _yes_no(records: Records) -> dict[str, Any]:
    return yes_no.score_records(records, positive=benchmark(records[0].benchmark).positive)


def _captions(records: Records) -> dict[str, Any]:
    words = datasets.vocabulary(records[0].benchmark)
    return _captions_kept(tuple(records), tuple((name, tuple(forms)) for name, forms in words.items()))


@lru_cache(maxsize=2)
def _captions_kept(records: tuple[Record, ...], vocabulary: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, Any]:
    return ode_captions.score(records, vocabulary=dict(vocabulary))


def _scored(score: Callable[[Records], dict[str, Any]], records: Records) -> dict[str, Any]:
    """Score records once: each number of one score is asked for in a call of its own, with the same records."""
    return _kept(score, tuple(records))


class _Last:
    """The clusters of the records that were last asked about: most metrics of a cell ask with the same ones."""

    def __init__(self) -> None:
        self._records: Records = ()
        self._found = Clustering(np.zeros(0, dtype=np.int64))

    def clusters(self, records: Records) -> Clustering:
        """Return the clusters of some records; they are known again by being the same objects."""
        if len(records) != len(self._records) or not all(map(is_, records, self._records)):
            self._records, self._found = tuple(records), clusters_of(records)
        return self._found


_LAST = _Last()


@lru_cache(maxsize=2)
def _kept(score: Callable[[Records], dict[str, Any]], records: tuple[Record, ...]) -> dict[str, Any]:
    return score([as_said(record) for record in records])


def as_said(record: Record) -> Record:
    """Return a record whose response is its prediction, unless it is a caption: what was read is not read again."""
    return record if record.kind == "caption" else replace(record, response=record.prediction)
