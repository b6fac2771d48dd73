"""Differences and verdicts of all pairs of models at once."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rank_reference import ranks_of

from vhbench.statistics import all_pairs, intervals
from vhbench.statistics.all_pairs import _tied, claimed, differences, drop
from vhbench.statistics.clustering import Clustering, cluster_sums


def test_one_image_says_nothing_of_others() -> None:
    found = differences(np.array([[1.0, 1.0], [0.0, 1.0]]), Clustering(np.zeros(2, dtype=np.int64)))
    assert found.interval(0, 1) is None
    assert found.value[0, 1] == 0.5


def test_parts_are_claimed_together_and_the_whole_alone() -> None:
    better = np.array([[1.0] * 14, [0.0] * 6 + [1.0] * 8])
    alone = Clustering(np.arange(14))
    one = differences(better, alone)
    assert 0.003 < one.p[0, 1] < 0.05
    assert claimed([one], [True, True])[0][0, 0, 1]
    assert not claimed([one] * 30, [True, True])[0][1:, 0, 1].any()
    assert claimed([one] * 30, [True, True])[0][0, 0, 1]


def test_a_difference_is_certain_where_the_ranks_say_so() -> None:
    """Both follow from the same tests, corrected for all pairs of models."""
    random = np.random.default_rng(3)
    for models in (3, 9):
        table = (random.random((models, 60)) < np.linspace(0.4, 0.8, models)[:, None]).astype(float)
        certain = claimed([differences(table, Clustering(np.arange(60)))], [True] * models)[0][0]
        above = np.array([[one > other for other in table.mean(axis=1)] for one in table.mean(axis=1)])
        worse, better = (certain & above).sum(axis=1), (certain & above).sum(axis=0)
        expected = [(1 + int(up), models - int(down)) for up, down in zip(better, worse, strict=True)]
        assert expected == ranks_of(lambda one, other, table=table: table[one] - table[other], models, np.arange(60))
        assert certain.any()


def test_references_move_no_verdict_between_models() -> None:
    table = np.array([[1.0] * 40, [0.0] * 7 + [1.0] * 33, *([[0.5] * 40] * 20)])
    pair = differences(table, Clustering(np.arange(40)))
    assert claimed([pair], [True, True, *[False] * 20])[0][0, 0, 1]
    assert not claimed([pair], [True] * 22)[0][0, 0, 1]


def test_a_claim_survives_the_missing_predictions_of_the_lower_score() -> None:
    table = np.array([[1.0] * 40, [0.0] * 20 + [1.0] * 20])
    for missing, holds in ((0, True), (5, True), (18, False)):  # as many of the wrong predictions are missing
        best = table.copy()
        best[1, :missing] = 1
        pair = differences(table, Clustering(np.arange(40)), best)
        assert pair.p[0, 1] < 0.001
        assert claimed([pair], [True, True])[0][0, 0, 1] == holds


def test_a_drop_is_the_difference_of_two_means_with_the_variance_of_both() -> None:
    public, fresh = np.array([1.0] * 18 + [0.0] * 2), np.array([1.0] * 10 + [0.0] * 10)
    change = drop(public, fresh)
    assert change.mean() == pytest.approx(0.4)
    found = intervals.of_change(change, np.ones(40), clusters=Clustering(np.arange(40)), shares=True)
    assert found is not None
    error = np.sqrt(0.9 * 0.1 / 19 + 0.5 * 0.5 / 19)  # of two independent means
    assert (found.high - found.low) / 2 == pytest.approx(2.03 * error, rel=0.03)


def test_a_drop_pairs_what_both_editions_have() -> None:
    same = np.array([1.0, 0.0] * 10)
    change = drop(same, same)
    both = Clustering(np.concatenate([np.arange(20), np.arange(20)]))
    sums, _ = cluster_sums([change, np.ones(40)], both)
    assert np.allclose(sums, 0)


def test_tied_questions_add_twice_the_product_of_their_differences() -> None:
    """Models that differ by 1 in both of two tied questions: 2 · 1 · 1."""
    clusters = Clustering(np.array([0, 1]), ties=np.array([[0], [1]]))
    off = np.array([[1.0, 2.0], [0.0, 1.0]])
    assert _tied(off, clusters).tolist() == [[0, 2], [2, 0]]


def ranks(monkeypatch: pytest.MonkeyPatch, ranked: set[int], *, higher_is_better: bool = True) -> Any:
    """Compare three models, of which the first is certainly above both others, with stand-ins for all else."""
    sums: dict[int, Any] = {model: SimpleNamespace(outcomes=[0.0], about=np.array([True])) for model in (4, 7, 9)}
    for scored in sums.values():
        scored.at_best = scored
    sums[8] = None  # without responses
    value = np.array([[0, 3, 3], [-3, 0, 1], [-3, -1, 0.0]])
    certain = np.abs(value) > 2
    monkeypatch.setattr(all_pairs, "differences", lambda *_: SimpleNamespace(value=value))
    monkeypatch.setattr(all_pairs, "claimed", lambda pairs, ranked: (certain[None] & np.outer(ranked, ranked), None))
    clusters: Any = SimpleNamespace(at=lambda places: None)
    members, *_, found = all_pairs.compare(sums, clusters, ranked, higher_is_better=higher_is_better)
    assert members == [4, 7, 9]
    return found


def test_a_rank_is_bounded_by_who_is_certainly_better_and_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ranks(monkeypatch, {4, 7, 9}) == {4: (1, 1), 7: (2, 3), 9: (2, 3)}
    assert ranks(monkeypatch, {4, 7, 9}, higher_is_better=False) == {4: (3, 3), 7: (1, 2), 9: (1, 2)}
    assert ranks(monkeypatch, {7, 9}) == {7: (1, 2), 9: (1, 2)}
    assert ranks(monkeypatch, {4, 9}) == {4: (1, 1), 9: (2, 2)}
    assert ranks(monkeypatch, {9}) == {9: (1, 1)}
    assert ranks(monkeypatch, set()) == {}
