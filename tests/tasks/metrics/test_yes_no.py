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
    said, truth = ["Yes", "???", "No", "No"], ["yes", "no", "no", "yes"]
    bounds = score_lists(said, truth, positive="no", parser=parser, compat=True)["bounds"]
    assert bounds.get("accuracy", (unit / 2, unit * 3 / 4)) == pytest.approx((unit / 2, unit * 3 / 4))
