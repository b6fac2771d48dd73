"""Clusters of some rows, and what dependence between clusters adds: golden values by hand."""

import numpy as np
import pytest

from vhbench.schema import VhbenchError
from vhbench.statistics.clustering import Clustering, cluster_sums, numbered, tied_weight

TIES = np.array([[0, 1], [3, 2]])  # row 0 depends on row 3, row 1 on row 2
TIED = Clustering(np.array([0, 0, 1, 2]), "tied", TIES)
FREE = Clustering(np.array([0, 0, 1, 2]), "free")


def test_some_rows_keep_the_ties_among_themselves_alone() -> None:
    some = TIED.at(np.array([1, 2, 3]))
    assert some.numbers.tolist() == [0, 1, 2]
    assert some.note == "tied"
    assert some.ties is not None
    assert some.ties.tolist() == [[0], [1]]  # rows 1 and 2, which are now the first and the second
    masked = TIED.at(np.array([True, False, False, True]))
    assert masked.numbers.tolist() == [0, 2]
    assert masked.ties is not None
    assert masked.ties.tolist() == [[0], [1]]


def test_rows_without_ties_stay_without() -> None:
    some = FREE.at(np.array([3, 0]))
    assert (some.numbers.tolist(), some.note, some.ties) == ([2, 0], "free", None)


def test_ties_add_twice_their_covariance_and_shrink_the_number_of_free_pairs() -> None:
    pull = np.array([0.2, 0.1, 0.1, 0.3])
    # 2 · (0.2 · 0.3 + 0.1 · 0.1) = 0.14; 4 of 16 ordered pairs are tied
    assert TIED.variance(0.1, pull) == pytest.approx((0.1 + 0.14) / (1 - 4 / 16))
    assert FREE.variance(0.1, pull) == 0.1
    opposite = pull * [1, 1, -1, -1]
    assert TIED.variance(0.1, opposite) == pytest.approx(0.1 / 0.75)  # a negative covariance counts as none


def test_tied_rows_weigh_as_one() -> None:
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    assert tied_weight(weights, TIED) == pytest.approx(2 * (0.4 * 0.1 + 0.3 * 0.2))
    assert tied_weight(weights, FREE) == tied_weight(weights, None) == tied_weight(weights, list("abcd")) == 0


def test_names_are_numbered_in_order_and_empty_clusters_have_no_sum() -> None:
    numbers, size, note = numbered(["b", "a", "b"], 3)
    assert numbers is not None
    assert (numbers.tolist(), size, note) == ([0, 1, 0], 2, "")
    assert numbered(None, 3) == (None, 3, "")
    [sums] = cluster_sums([[1, 2, 3]], np.array([4, 1, 4]))
    assert sums.tolist() == [2, 4]
    assert [column.tolist() for column in cluster_sums([[1, 2, 3]], None)] == [[1, 2, 3]]


def test_each_value_needs_its_cluster() -> None:
    with pytest.raises(VhbenchError, match="2 clusters for 3 values"):
        numbered(["a", "b"], 3)
