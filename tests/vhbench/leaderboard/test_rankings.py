"""Every pair of a board has the difference that ``vhbench compare`` gives for these two."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from vhbench.leaderboard import rankings
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


def compared(monkeypatch: pytest.MonkeyPatch, ranked: set[int]) -> Any:
    """Compare three models, of which the first leads both others for certain, with stand-ins for all else."""
    sums = {number: SimpleNamespace(outcomes=[0.0], about=np.array([True])) for number in (4, 7, 9)}
    for one in sums.values():
        one.at_best = one
    sums[8] = None  # type: ignore[assignment] # without responses of this family
    value = np.array([[0, 3, 3], [-3, 0, 1], [-3, -1, 0.0]])
    certain = np.abs(value) > 2
    pair = SimpleNamespace(value=value)
    monkeypatch.setattr(rankings, "_outcomes", lambda one: np.array(one.outcomes))
    monkeypatch.setattr(rankings, "differences", lambda *_: pair)
    monkeypatch.setattr(rankings, "claimed", lambda pairs, ranked: (certain[None] & np.outer(ranked, ranked), None))
    family = SimpleNamespace(name="yes_no")
    main = SimpleNamespace(family=family, clusters=SimpleNamespace(at=lambda places: None), parts=[])
    entries = {number: SimpleNamespace(apart={"yes_no": one}) for number, one in sums.items()}
    return rankings._compared(SimpleNamespace(main=main), entries, ranked)  # type: ignore[arg-type]


def test_a_rank_is_bounded_by_who_is_certainly_better_and_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks, members, _, _ = compared(monkeypatch, {4, 7, 9})
    assert (ranks, list(members)) == ({4: (1, 1), 7: (2, 3), 9: (2, 3)}, [4, 7, 9])
    assert compared(monkeypatch, {7, 9})[0] == {7: (1, 2), 9: (1, 2)}
    assert compared(monkeypatch, {4, 9})[0] == {4: (1, 1), 9: (2, 2)}
    assert compared(monkeypatch, {9})[0] == {9: (1, 1)}
    assert compared(monkeypatch, set())[0] == {}
