"""Exact intervals of shares: Clopper and Pearson's where answers are independent, and covering where they are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from vhbench.seeding import rng
from vhbench.statistics import intervals


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_of_independent_answers_it_is_clopper_and_pearsons(values: list[bool]) -> None:
    found = intervals.mean(values)
    expected = binomtest(sum(values), len(values)).proportion_ci()
    assert found is not None
    assert found.ends == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_several_questions_on_an_image_count_as_one_if_they_agree() -> None:
    once, thrice = [1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0], np.repeat(range(12), 3)
    apart, together = intervals.mean(once), intervals.mean(np.repeat(once, 3), clusters=thrice)
    assert apart is not None
    assert together is not None
    assert together.low <= apart.low < apart.high <= together.high
    loose = intervals.mean(np.repeat(once, 3))
    assert loose is not None
    assert loose.high - loose.low < together.high - together.low


def test_a_single_image_with_different_outcomes_has_none() -> None:
    assert intervals.mean([1, 0], clusters=["a", "a"]) is None
    assert intervals.mean([]) is None


@pytest.mark.parametrize(("share", "correlation"), [(0.3, 0.3), (0.9, 0.3), (0.1, 0.5)])
def test_it_covers_the_share_in_95_of_100_samples(share: float, correlation: float) -> None:
    generator, covered = rng(0, "exact", share), 0
    shape = (1 - correlation) / correlation
    for _ in range(300):
        rates = generator.beta(share * shape, (1 - share) * shape, size=20)
        clusters = np.repeat(range(20), generator.integers(1, 4, size=20))
        found = intervals.mean(generator.random(len(clusters)) < rates[clusters], clusters=clusters)
        assert found is not None
        covered += found.low <= share <= found.high
    assert covered >= 0.93 * 300
