"""Rates that are computed like another benchmark's."""

import pytest
from yes_no_answers import score_lists


@pytest.mark.parametrize(("parser", "unit"), [("amber", 100), ("ode", 100), ("pope", 1), ("lmms_eval", 1)])
def test_a_compatible_rate_and_its_interval_have_one_unit(parser: str, unit: int) -> None:
    answers, labels = ["Yes", "No", "Yes", "No"], ["yes", "no", "no", "no"]
    ours = score_lists(answers, labels, positive="no")
    found = score_lists(answers, labels, positive="no", parser=parser, compat=True)
    for name in ("accuracy", "precision", "recall", "f1"):
        assert found["intervals"][name] == pytest.approx([unit * end for end in ours["intervals"][name]]), name
        assert found["intervals"][name][0] <= found[name] <= found["intervals"][name][1] + 1e-9, name
    unread = score_lists(["Yes", "???"], ["yes", "no"], positive="no", parser=parser, compat=True)
    assert all(
        unit * low == pytest.approx(end)
        for low, end in zip((0.5, 1.0), unread["bounds"].get("accuracy", ()), strict=False)
    )
