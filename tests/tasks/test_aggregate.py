"""What lmms-eval calls for a task's numbers: one score for all that share it, and never one run's for another's."""

from collections.abc import Mapping
from typing import Any

import pytest

from vhbench.schema import VhbenchError
from vhbench.tasks import aggregate


def payloads(said: str) -> list[Mapping[str, Any]]:
    """One pair, both of whose halves are answered with the same word, as lmms-eval hands it over."""
    shared = {"benchmark": "vhexpansion", "kind": "yes_no", "pair_id": "q", "prediction": said}
    halves = [("q", False, "yes"), ("q/negated", True, "no")]
    return [{"id": name, "negated": negated, "answer": answer, **shared} for name, negated, answer in halves]


def test_each_number_follows_from_the_answers_that_it_is_given() -> None:
    numbers = {entry["metric"]: entry["aggregation"] for entry in aggregate.metric_list("vhexpansion_ode")}
    for said, rate, wrong in (("yes", 1.0, 1), ("no", 0.0, 0)):
        assert numbers["symmetric_accuracy"](payloads(said)) == 0
        assert numbers["chance"](payloads(said)) == 100 * rate * (1 - rate)
        assert numbers["new_cases"](payloads(said)[::-1]) == wrong, "other answers, other numbers"


def test_the_yaml_files_find_the_metrics_of_each_task_by_its_name() -> None:
    of_captions = [entry["metric"] for entry in aggregate.ode_random_caption]
    assert of_captions == ["chair_i", "chair_s", "cover", "cog", "not_judged", "words", "failed", "refused", "cut_off"]
    assert [entry["metric"] for entry in aggregate.vhexpansion_mine][:1] == ["accuracy"]
    with pytest.raises(AttributeError):
        _ = aggregate.somebody_elses
    with pytest.raises(VhbenchError, match="expected a task, got a group"):
        aggregate.metric_list("ode")


def test_the_settings_that_lmms_eval_records_hold_no_address_in_memory() -> None:
    assert "0x" not in str(aggregate.mioh_hp)
