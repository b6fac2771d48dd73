"""The smallest difference that is detected, worked out by hand, and how many more clusters another one needs."""

from math import sqrt

import numpy as np
import pytest

from vhbench.statistics.power import Precision

# Four images of one question each; the differences sum to 0.5, and each image has a quarter of the questions.
CHANGE = np.array([0.25, 0.25, 0.0, 0.0])
FOUR = Precision.of(CHANGE, np.ones(4), np.arange(4), 1.5)


def test_the_standard_error_is_that_of_the_sums_around_their_share() -> None:
    assert FOUR.kish == 4 * 0.25**2
    # deviations ±0.125 from the share 0.125: squares sum to 1/16, divided by 1 - 1/4
    assert pytest.approx(sqrt(1 / 16 / 0.75)) == FOUR.error
    doubled = Precision.of(CHANGE, np.ones(4), np.arange(4), 1.5, inflation=4.0)
    assert doubled.error == pytest.approx(2 * FOUR.error)


def test_questions_of_an_image_count_together() -> None:
    two = Precision.of(CHANGE, np.ones(4), np.array([0, 0, 1, 1]), 1.5)
    assert two.kish == 0.5
    assert two.error == pytest.approx(sqrt(2 * 0.25**2 / 0.5))


def test_a_difference_is_detected_from_the_critical_value_on_with_room_for_its_error() -> None:
    # s · (z + c · √((1 - h) / (1 - c² h))) with h = 1/4, c = 1.5: 1 - 2.25 / 4 = 0.4375
    assert FOUR.detectable == pytest.approx(FOUR.error * (0.8416212335729143 + 1.5 * sqrt(0.75 / 0.4375)))


@pytest.mark.parametrize("critical", [2.0, 3.0])
def test_too_few_clusters_detect_nothing(critical: float) -> None:
    assert Precision(0.1, 0.25, critical).detectable is None


def test_without_variance_nothing_can_be_said() -> None:
    assert Precision.of(np.full(4, 0.1), np.ones(4), np.arange(4), 1.5).detectable is None


@pytest.mark.parametrize("times", [0.5, 1.0, 3.0, 20.0])
def test_so_many_times_as_many_clusters_detect_the_difference(times: float) -> None:
    """Copies of the same clusters divide the variance and the largest share alike."""
    one = Precision(0.05, 0.02, 2.5)
    more = Precision(one.error / sqrt(times), one.kish / times, one.critical)
    assert more.detectable is not None
    assert one.growth(more.detectable) == pytest.approx(times, rel=1e-6)
