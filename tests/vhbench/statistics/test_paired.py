"""Paired differences with a joint test over all cells, worked out by hand."""

import numpy as np
import pytest

from vhbench.schema import Record
from vhbench.statistics import intervals
from vhbench.statistics.clustering import Clustering
from vhbench.statistics.paired import PairedOutcomes, difference, joint_sign_flips, joint_test


def pairs(outcomes: list[tuple[float, float]], name: str = "q") -> PairedOutcomes:
    """Pairs of independent questions."""
    found = PairedOutcomes()
    for number, (first, second) in enumerate(outcomes):
        found.add(first, second, Record(f"{name}{number}", scene_ids=(f"{name}{number}",)))
    return found


def test_a_difference_is_first_minus_second() -> None:
    found = difference(pairs([(1, 0), (1, 1), (0, 1), (1, 0)]))
    expected = intervals.difference([1, 1, 0, 1], [0, 1, 1, 0])
    assert expected is not None
    assert found == {"n": 4, "mean": 0.25, "interval": list(expected.ends), "note": expected.note}
    assert difference(PairedOutcomes()) == {"n": 0, "mean": None, "interval": None, "note": ""}


def test_pairs_of_one_image_are_one_cluster() -> None:
    shared = PairedOutcomes()
    for number in range(8):
        shared.add(1, 0, Record(f"q{number}", scene_ids=("same",)))
    assert difference(shared)["interval"] is None
    assert joint_test({"cell": shared})["cell"]["note"] == "n/a (1 discordant cluster, need 6)"


def test_eight_of_eight_have_the_p_value_of_a_sign_test() -> None:
    found = joint_test({"drop": pairs([(1, 0)] * 8), "rise": pairs([(0, 1)] * 3, "r"), "none": PairedOutcomes()})
    assert (found["drop"]["p"], found["drop"]["significant"]) == (2 * 0.5**8, True)
    assert (found["rise"]["p"], found["rise"]["significant"]) == (None, False)
    assert [found[cell]["discordant_clusters"] for cell in ("drop", "rise", "none")] == [8, 3, 0]
    assert found["rise"]["mean"] == -1


def test_two_cells_are_tested_together() -> None:
    alone = joint_test({"one": pairs([(1, 0)] * 7 + [(0, 1)])})["one"]["p"]
    both = joint_test({"one": pairs([(1, 0)] * 7 + [(0, 1)]), "two": pairs([(1, 0)] * 7 + [(0, 1)], "x")})
    assert alone == pytest.approx(2 * 9 / 2**8)  # as extreme: at most one of eight signs against
    assert both["one"]["p"] > alone
    assert both["one"]["p"] == both["two"]["p"]


def test_ties_that_agree_inflate_the_variance() -> None:
    """12 gains and 2 losses deviate by 2/7 and 12/7 from the mean 5/7: squares sum to 12 · 4/49 + 2 · 144/49 = 48/7."""
    change, places = np.array([1.0] * 12 + [-1.0] * 2), np.arange(14)
    agreeing = np.array([range(0, 12, 2), range(1, 12, 2)])  # add 2 · 6 · 4/49, a seventh of that sum
    opposite = np.array([[0, 1], [12, 13]])  # deviations that disagree count as none
    for ties, inflation in ((None, 1.0), (agreeing, 8 / 7), (opposite, 1.0)):
        [found] = joint_sign_flips([(places, change)], Clustering(places, "", ties))
        assert found.inflation == pytest.approx(inflation)
        assert found.alone == pytest.approx((1 + 14 + 91) * 2 / 2**14)  # at most two of 14 signs against
    same = joint_sign_flips([(places, np.zeros(14))], Clustering(places, "", agreeing))
    assert same[0].inflation == 1.0


def test_nothing_to_test_is_no_claim() -> None:
    assert joint_sign_flips([], Clustering(np.arange(3))) == []
