"""A small part of the coverage table: intervals of every score hold the truth as often as they say."""

import interval_coverage
import pytest
from interval_coverage import Design

SAMPLES = 200


@pytest.mark.parametrize("score", interval_coverage.SCORES)
@pytest.mark.parametrize(("clusters", "rate", "icc"), [(16, 0.9, 0.6), (300, 0.7, 0.2)])
def test_coverage(score: str, clusters: int, rate: float, icc: float) -> None:
    enough = max(clusters, interval_coverage.LEAST_CLUSTERS.get(score, 0))  # below, there is no interval
    enough = min(enough, 100) if score == interval_coverage.POOL else enough
    found = interval_coverage.covered(Design(score, enough, rate, icc), SAMPLES)
    assert interval_coverage.faults(found) == "", found
