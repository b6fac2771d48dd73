"""Families of claims by hand, against the plain tests that they come from."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_reference import ranks_of
from scipy import stats

from vhbench.statistics import multiple_testing
from vhbench.statistics.clustering import Clustering

CHANGES = st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=12)
"""What each cluster sums up to in three claims."""


Claim = tuple[list[int], Iterable[int]]
"""The changes of a claim, and the cluster of each."""


def verdicts(*claims: Claim) -> list[multiple_testing.Verdict]:
    """Return the verdicts on a family of claims."""
    sums = [np.bincount(list(clusters), weights=change, minlength=120) for change, clusters in claims]
    return [found.family for found in multiple_testing.sign_flip_test(np.column_stack(sums))]


def alone(change: list[int], clusters: list[int] | None = None) -> multiple_testing.Verdict:
    """Return the verdict on a single claim."""
    [found] = verdicts((change, clusters or range(len(change))))
    return found


def ranks(scores: Any, clusters: Any = None) -> list[tuple[int, int]]:
    """Return the ranks of models from their scores on each question."""
    table = np.asarray(scores, dtype=float)
    return ranks_of(lambda one, other: table[:, one] - table[:, other], table.shape[1], clusters)


@pytest.mark.parametrize(("worse", "better"), [(6, 0), (7, 1), (9, 3), (5, 5)])
def test_one_pair_a_cluster_is_mcnemars_exact_test(worse: int, better: int) -> None:
    found = alone([1] * worse + [-1] * better + [0] * 20)
    exact = stats.binomtest(worse, worse + better, 0.5).pvalue
    assert (found.p, found.discordant_clusters) == (pytest.approx(exact), worse + better)


def test_many_clusters_are_drawn_and_agree_with_the_exact_test() -> None:
    found = alone([1] * 30 + [-1] * 14)
    assert found.p == pytest.approx(stats.binomtest(30, 44, 0.5).pvalue, abs=0.005)


def test_questions_about_one_image_flip_together() -> None:
    # Twenty cases turned wrong, of seven images: the smallest p of seven signs.
    found = alone([1] * 20, [case % 7 for case in range(20)])
    assert (found.p, found.discordant_clusters) == (2 / 2**7, 7)


def test_nothing_differs() -> None:
    assert alone([0, 0, 0]) == (None, 0, "n/a (0 discordant clusters, need 6)")
    assert multiple_testing.sign_flips(np.zeros((4, 2))).adjusted == [1.0, 1.0]


def test_two_claims_by_hand() -> None:
    # Three clusters (1, 0), (1, 1), (0, 2). Seen: 2 / √2 = 1.41 and 3 / √5 = 1.34. Of eight signs the first claim is
    # reached by its own extremes ±(+, +, ·), four of them, and by no more: the second never exceeds 1.34. Then the
    # second alone: |±1 ±2| = 3 in half of the signs, but never less than what the first has.
    assert multiple_testing.sign_flips(np.array([[1.0, 0], [1, 1], [0, 2]])).adjusted == [4 / 8, 4 / 8]


def test_five_that_differ_make_no_claim() -> None:
    told = verdicts(([1] * 5, range(5)), ([1] * 9, range(9)))
    assert (told[0].p, told[0].significant, told[0].note) == (None, False, "n/a (5 discordant clusters, need 6)")
    assert told[1].significant


def test_a_family_asks_for_more_than_a_claim_alone() -> None:
    one: Claim = ([1] * 6, range(6))
    others: list[Claim] = [([1, -1] * 5, range(10 * n, 10 * n + 10)) for n in range(1, 12)]
    alone, *_ = verdicts(one)
    among, *_ = verdicts(one, *others)
    assert alone.significant
    assert alone.p is not None
    assert among.p is not None
    assert alone.p < among.p


def test_claims_that_are_alike_cost_nothing() -> None:
    one: Claim = ([1] * 6, range(6))
    assert verdicts(*[one] * 20) == verdicts(one) * 20


@given(CHANGES, st.randoms())
def test_neither_the_order_of_clusters_nor_that_of_claims_matters(drawn: list[list[int]], random: Any) -> None:
    change = np.array(drawn, dtype=float)
    clusters, claims = random.sample(range(len(change)), len(change)), random.sample(range(3), 3)
    found = multiple_testing.sign_flips(change).adjusted
    assert multiple_testing.sign_flips(change[clusters]).adjusted == found
    assert multiple_testing.sign_flips(change[:, claims]).adjusted == pytest.approx([found[claim] for claim in claims])


@given(CHANGES)
def test_which_run_comes_first_does_not_matter(drawn: list[list[int]]) -> None:
    change = np.array(drawn, dtype=float)
    assert multiple_testing.sign_flips(-change).adjusted == pytest.approx(multiple_testing.sign_flips(change).adjusted)


@given(CHANGES)
def test_a_claim_is_never_easier_in_a_family(drawn: list[list[int]]) -> None:
    change = np.array(drawn, dtype=float)
    for place, p in enumerate(multiple_testing.sign_flips(change).adjusted):
        assert p >= multiple_testing.sign_flips(change[:, [place]]).adjusted[0] - 1e-12


def test_many_clusters_in_another_order_have_the_same_p() -> None:
    change = np.random.default_rng(0).integers(-1, 2, (60, 4)).astype(float)
    order = np.random.default_rng(1).permutation(60)
    assert multiple_testing.sign_flips(change).adjusted == multiple_testing.sign_flips(change[order]).adjusted
    assert multiple_testing.sign_flips(change).adjusted != multiple_testing.sign_flips(change, seed=1).adjusted


def test_holm_by_hand() -> None:
    assert multiple_testing.holm([0.04, 0.01, 0.6]) == pytest.approx([0.08, 0.03, 0.6])
    assert multiple_testing.holm([]) == []


def test_ranks_by_hand() -> None:
    # Two models that always differ, and one that is as good as the better one: 1-2, 3, 1-2.
    scores = [[1, 0, 1]] * 12 + [[1, 0, 0], [0, 0, 1]]
    assert ranks(scores) == [(1, 2), (3, 3), (1, 2)]
    assert ranks([[1, 1]] * 10) == [(1, 2), (1, 2)]


def test_who_is_better_in_every_cluster_alike_is_ahead() -> None:
    # No spread to divide by; flipping the signs of eight images agrees with all of them in 2 of 2 ** 8 cases.
    assert ranks([[1, 0]] * 8) == [(1, 1), (2, 2)]
    assert ranks([[1, 0]] * 5) == [(1, 2), (1, 2)]  # 2 of 2 ** 5: p = 0.0625


def test_what_images_tie_leaves_ranks_open() -> None:
    random = np.random.default_rng(0)
    better = (random.random(60) < 0.8).astype(float)
    other = (random.random(60) < 0.5).astype(float)
    scores = np.column_stack([better, other])
    apart = np.arange(60)
    change = better - other
    alike = np.argwhere(np.tril(change[:, None] == change, k=-1)).T
    assert ranks(scores, Clustering(apart)) == [(1, 1), (2, 2)]
    assert ranks(scores, Clustering(apart, ties=alike)) == [(1, 2), (1, 2)]


def test_questions_about_one_image_rank_nobody() -> None:
    assert ranks([[1, 0]] * 30, ["image"] * 30) == [(1, 2), (1, 2)]


@given(CHANGES, st.permutations(range(3)))
def test_ranks_go_with_their_models(drawn: list[list[int]], order: list[int]) -> None:
    scores = np.array(drawn)
    assert ranks(scores[:, order]) == [ranks(scores)[model] for model in order]
