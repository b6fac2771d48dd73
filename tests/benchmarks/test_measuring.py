"""A figure holds its goals, and says by how much it is better than its baseline."""

import pytest
from measuring import Figure


@pytest.mark.parametrize(
    ("figure", "held", "ratio", "goal"),
    [
        (Figure(work="w", ours=2.0, bound=3), True, None, "≤ 3 s"),
        (Figure(work="w", ours=2.0, unit="scenes/s", bound=3), False, None, "≥ 3 scenes/s"),
        (Figure(work="w", ours=2.0, baseline="b", theirs=8.0, times=4), True, 4.0, "≥ 4 ×"),
        (Figure(work="w", ours=2.0, unit="scenes/s", baseline="b", theirs=1.0, times=4), False, 2.0, "≥ 4 ×"),
        (Figure(work="w", ours=2.0, baseline="b", theirs=8.0, times=4, bound=1), False, 4.0, "≤ 1 s, ≥ 4 ×"),
        (Figure(work="w", ours=2.0), True, None, ""),
    ],
)
def test_a_figure_holds_its_goals(figure: Figure, held: bool, ratio: float | None, goal: str) -> None:
    assert (figure.held, figure.ratio, figure.goal) == (held, ratio, goal)
