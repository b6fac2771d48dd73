"""Answers and labels are joined by their order, or by their ids."""

import pytest

from vhbench.schema import VhbenchError
from vhbench.tasks.metrics.yes_no import score


def test_mappings_are_joined_by_id_whatever_their_order() -> None:
    answers = {"a": "Yes", "b": "No", "c": "No"}
    found = score(answers, {"c": "yes", "a": "yes", "b": "no"}, positive="yes")
    assert {name: count for name, count in found["counters"].items() if count} == {"TP": 1, "TN": 1, "FN": 1}
    assert found["predictions"] == ["yes", "no", "no"]


def test_ids_that_only_one_side_has_are_named() -> None:
    with pytest.raises(VhbenchError, match=r"the same ids in answers and labels; 'b' \(2 in all\)"):
        score({"a": "Yes", "b": "No"}, {"a": "yes", "c": "no"}, positive="yes")


def test_lists_are_joined_by_order_and_must_be_of_one_length() -> None:
    assert score(["Yes", "No"], ["no", "no"], positive="no")["counters"]["FN"] == 1
    with pytest.raises(VhbenchError):
        score(["Yes", "No"], ["no"], positive="no")


@pytest.mark.parametrize(("parser", "unit"), [("amber", 100), ("ode", 100), ("pope", 1), ("lmms_eval", 1)])
def test_a_compatible_rate_and_its_interval_have_one_unit(parser: str, unit: int) -> None:
    answers, labels = ["Yes", "No", "Yes", "No"], ["yes", "no", "no", "no"]
    ours = score(answers, labels, positive="no")
    found = score(answers, labels, positive="no", parser=parser, compat=True)
    for name in ("accuracy", "precision", "recall", "f1"):
        assert found["intervals"][name] == pytest.approx([unit * end for end in ours["intervals"][name]]), name
        assert found["intervals"][name][0] <= found[name] <= found["intervals"][name][1] + 1e-9, name
    for name in ("yes_rate", "answered_accuracy", "penalized_accuracy", "unparsed", "failed", "cut_off"):
        assert found[name] == pytest.approx(
            unit * (ours[name] if name != "yes_rate" or parser != "lmms_eval" else 0.25)
        )
    said, truth = ["Yes", "???", "No", "No"], ["yes", "no", "no", "yes"]
    bounds = score(said, truth, positive="no", parser=parser, compat=True)["bounds"]
    assert bounds.get("accuracy", (unit / 2, unit * 3 / 4)) == pytest.approx((unit / 2, unit * 3 / 4))
