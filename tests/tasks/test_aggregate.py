"""What lmms-eval calls for a task's numbers: one score for all that share it, and never one run's for another's."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from vhbench.provenance import KEY, DataSource, Provenance
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


def reporting(name: str) -> aggregate.Aggregation:
    """Return the aggregation that also writes the report of a task."""
    [own] = [entry["aggregation"] for entry in aggregate.metric_list(name) if entry["aggregation"].reports]
    return own


def test_the_first_metric_writes_the_report_and_prints_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written: list[Any] = []
    monkeypatch.setattr(aggregate.report, "write", lambda *given: written.append(given))
    about = {"data": DataSource(kind="starter"), "vhbench": "0.1", "lmms_eval": "0.7", "benchmark": "vhexpansion"}
    record = Provenance(task="vhexpansion_ode", version="1.0.0", content_hash="", asked=2, of=8, **about).to_json()
    items: Any = [
        {**item, KEY: record, "repeats": [{"prediction": "no"}], "score": 1, "accuracy": 100} for item in payloads("no")
    ]
    assert reporting("vhexpansion_ode")(items, "args") == 50
    [(grid, name, args)] = written
    assert (name, args, grid["repetitions"]) == ("vhexpansion_ode", "args", 2)
    assert (grid["partial"], grid[KEY]) == ("2 of 8 questions were evaluated", record | {"answered": 2})
    assert capsys.readouterr().err == "vhbench: vhexpansion_ode: partial: 2 of 8 questions were evaluated\n"
    assert [item["accuracy"] for item in items] == [100, 100]
    whole: Any = payloads("no")
    reporting("vhexpansion_ode")(whole)
    assert (written[1][0]["partial"], written[1][0][KEY], written[1][0]["repetitions"]) == (None, None, 1)
    assert capsys.readouterr().err == ""


def test_samples_of_withheld_scores_have_no_score_of_their_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(aggregate.report, "write", lambda *given: None)
    items: Any = [{**item, "failure": "failed", "score": 0, "accuracy": 0} for item in payloads("")]
    assert reporting("vhexpansion_ode")(items) is None
    assert all({"score", "accuracy"}.isdisjoint(item) for item in items)
    assert "vhbench: vhexpansion_ode: " in capsys.readouterr().err


def test_scores_with_the_labels_before_repair_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = SimpleNamespace(rejections={"label_withdrawn": 1234})
    monkeypatch.setattr(aggregate.datasets, "resolve", lambda name: SimpleNamespace(manifest=manifest))
    labels = {"accuracy": 0.5126, "original_accuracy": None, "symmetric_accuracy": 0.25, "relabelled": 2345}
    assert aggregate._published({"benchmark": "vhexpansion", "pairs": {"published_labels": labels}}) == (
        "2,345 labels corrected, 1,234 withdrawn; with the published labels: accuracy 51.3 %, symmetric_accuracy 25.0 %"
    )
    assert aggregate._published({"benchmark": "vhexpansion", "pairs": {}}) == aggregate._published({}) == ""


def test_records_are_sorted_by_id_and_once() -> None:
    items = [*payloads("no")[::-1], *payloads("no")]
    assert [record.id for record in aggregate.records(items)] == ["q", "q/negated"]
