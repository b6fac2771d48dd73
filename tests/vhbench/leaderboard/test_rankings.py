"""Every pair of a board has the difference that ``vhbench compare`` gives for these two."""

import numpy as np
import pytest

from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.statistics import intervals, multiple_testing
from vhbench.statistics.all_pairs import differences


@pytest.mark.parametrize("name", ["ode-2.0.0", "mioh-2.0.0"])  # the second's clusters are tied by shared images
def test_differences_are_those_of_two_runs(editions: dict[str, QuestionIndex], name: str) -> None:
    clusters, random = editions[name].main.clusters, np.random.default_rng(1)
    share = random.uniform(0.4, 0.6, (8, 1))
    table = (random.random((8, len(clusters.numbers))) < share).astype(float)
    table[3] = table[2]
    table[5] = table[4]
    table[5, :3] = 1 - table[5, :3]  # few clusters differ
    found = differences(table, clusters)
    for one in range(8):
        for other in range(8):
            alone = intervals.difference(table[one], table[other], clusters=clusters)
            assert alone is not None
            assert found.value[one, other] == pytest.approx((table[one] - table[other]).mean(), abs=1e-12)
            assert found.interval(one, other) == pytest.approx(alone.ends, abs=1e-12)
            if found.p[one, other] < 1:
                assert found.p[one, other] == pytest.approx(
                    multiple_testing.paired_t_p_value(table[one] - table[other], clusters)
                )
