"""Scores as sums: values, bounds and differences of small runs, worked out by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vhbench.statistics import intervals
from vhbench.statistics.clustering import Clustering
from vhbench.statistics.sums import Score, Sums, difference


def sums(top: list[float], bottom: list[float] | None = None, **more: Any) -> Sums:
    """A score of independent answers, one per question."""
    count = np.arange(len(top))
    below = np.ones(len(top)) if bottom is None else np.array(bottom, dtype=float)
    more.setdefault("clusters", Clustering(count))
    return Sums(np.array(top, dtype=float), below, below, count, questions=len(top), **more)


def test_a_share_is_printed_in_percent_with_its_interval() -> None:
    one = sums([1, 1, 1, 0])
    low, high, note = intervals.mean([1, 1, 1, 0]) or (0, 0, "")
    assert one.value == 0.75
    assert one.score == Score(75.0, (100 * low, 100 * high), note, None)


def test_lengths_and_counts_are_printed_as_they_are() -> None:
    assert sums([3, 5], scale="length").score == Score(4.0, None, "", None)
    assert sums([1, 0, 0, 1], [1, 1, 0, 0], scale="count").value == 4 * 1.0
    assert sums([1, 0], scale="constant").score == Score(50.0, None, "", None)


def test_missing_predictions_give_bounds() -> None:
    one = sums([1, 0, 0, 1], best=np.array([1.0, 1, 0, 1]))
    assert one.bounds == (0.5, 0.75)
    assert one.score.bounds == (50.0, 75.0)
    assert replace(one, best=one.top.copy()).bounds is None


def test_a_mean_over_strata_weighs_their_scores() -> None:
    one = sums([1, 0, 1, 1, 0], strata=np.array([0, 0, 1, 1, -1]), weights=(0.25, 0.75))
    assert one.value == 0.25 * 0.5 + 0.75 * 1.0
    assert one.about.tolist() == [True, True, True, True, False]
    assert one.parts.tolist() == [0.125, 0, 0.375, 0.375, 0]
    assert one.pulls.sum() == pytest.approx(one.value)
    # 0.25 · (1 - 0.5) / 2 and an equal share of the value among the four that it is about
    assert one.pulls.tolist() == pytest.approx([0.0625 + 0.21875, -0.0625 + 0.21875, 0.21875, 0.21875, 0])
    assert one.outcomes is None
    assert one.within(np.array([0, 1])) is None


def test_what_a_score_is_about() -> None:
    fixed = sums([1, 0, 0], [1, 1, 0])
    assert fixed.about.tolist() == [True, True, False]
    assert fixed.outcomes is not None
    assert fixed.outcomes.tolist() == [1, 0, 0]
    loose = replace(fixed, fixed=False)
    assert loose.about.all()
    assert loose.outcomes is None
    assert sums([1, 0], [1, 2]).outcomes is None  # not the mean of the two


def test_repetitions_of_a_question_are_added_up() -> None:
    one = sums([1, 0, 1, 1], best=np.array([1.0, 1, 1, 1])).by_question(np.array([0, 0, 2, 2]), 3)
    assert (one.top.tolist(), one.bottom.tolist(), one.trials.tolist()) == ([1, 0, 2], [2, 0, 2], [2, 0, 2])
    assert (one.rows.tolist(), one.clusters) == ([0, 1, 2], None)
    assert one.at_best.top.tolist() == [2, 0, 2]
    some = one.within(np.array([0, 1]))
    assert some is not None
    assert (some.value, some.at_best.value) == (0.5, 1.0)
    assert one.within(np.array([1])) is None
    strata = sums([1, 0], strata=np.array([1, 0]), weights=(0.5, 0.5)).by_question(np.array([2, 0]), 3)
    assert strata.strata is not None
    assert strata.strata.tolist() == [0, -1, 1]


def test_changes_sum_to_the_difference() -> None:
    before, after = sums([1, 0, 0, 1]), sums([1, 1, 1, 1])
    assert after.change_from(before).tolist() == [0, 0.25, 0.25, 0]
    # precision 1 of 2 → 2 of 3: an unchanged answer contributes nothing
    one, two = sums([1, 0, 0], [1, 1, 0], fixed=False), sums([1, 0, 1], [1, 1, 1], fixed=False)
    change = two.change_from(one)
    assert change.sum() == pytest.approx(2 / 3 - 1 / 2)
    assert change.tolist() == pytest.approx([0, 0, (1 - (1 / 2 + 2 / 3) / 2) / 2.5])


def test_a_difference_of_two_runs_has_the_interval_of_paired_outcomes() -> None:
    clusters, right, wrong = Clustering(np.arange(12)), sums([1] * 12), sums([0] * 6 + [1] * 6)
    expected = intervals.difference([1] * 12, [0] * 6 + [1] * 6)
    assert difference(wrong, right, clusters) == expected
    loose = difference(replace(wrong, fixed=False), replace(right, fixed=False), clusters)
    assert loose is not None
    assert loose.low < 0.5 < loose.high
    lengths = difference(
        sums([4.0, 6, 8], scale="length"), sums([5.0, 8, 11], scale="length"), Clustering(np.arange(3))
    )
    assert lengths is not None
    assert (lengths.low + lengths.high) / 2 == pytest.approx(2.0)
