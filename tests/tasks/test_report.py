"""The grid of a run: numbers worked out by hand, per pairing, with intervals."""

from pathlib import Path
from typing import Any

import pytest

from vhbench.benchmarks import task
from vhbench.schema import Record
from vhbench.tasks import datasets, report
from vhbench.tasks.metrics.registry import YES_NO

VOCABULARY: dict[str, tuple[str, ...]] = {"dog": ("puppy",), "cat": (), "boat": (), "sea": ()}
EXISTENCE = task("ode_random_existence")
EE, EV = "entity-entity", "entity-environment"


def _caption(id: str, pairing: str, response: str, objects: tuple[str, ...]) -> Record:
    return Record(
        id,
        kind="caption",
        benchmark="ode",
        criterion="random",
        task="caption",
        pairing=pairing,
        scene_ids=(id,),
        response=response,
        objects=objects,
        candidates=("boat",),
    )


def _answer(id: str, pairing: str, answer: str, prediction: str) -> Record:
    return Record(
        id,
        kind="yes_no",
        benchmark="ode",
        criterion="random",
        task="existence",
        question_type="existence",
        pairing=pairing,
        scene_ids=(id,),
        answer=answer,
        prediction=prediction,
    )


def _cells(grid: dict[str, Any], grouping: str, field: str) -> dict[str, Any]:
    return {cell[field]: cell for cell in grid["cells"][grouping]}


def test_captions_are_told_apart_by_pairing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        _caption("a", EE, "A dog and a cat.", ("dog", "cat")),  # 2 of 2 there
        _caption("b", EE, "A puppy on a boat.", ("dog", "cat")),  # 1 of 2 there, and the boat was likely
        _caption("c", EV, "A boat at sea.", ("boat", "sea")),
    ]
    monkeypatch.setattr(datasets, "vocabulary", lambda benchmark: VOCABULARY)
    grid = report.grid(found, task("ode_random_caption"))
    by_pairing = _cells(grid, "pairing", "pairing")
    assert (grid["overall"]["n"], by_pairing[EE]["n"], by_pairing[EV]["n"]) == (3, 2, 1)
    assert by_pairing[EE]["chair_i"] == 25
    assert by_pairing[EE]["chair_s"] == 50
    assert by_pairing[EE]["cover"] == 75
    assert by_pairing[EE]["cog"] == 25
    assert by_pairing[EV]["chair_i"] == 0
    assert grid["overall"]["chair_i"] == pytest.approx(100 / 6)
    low, high = by_pairing[EE]["intervals"]["chair_s"]
    assert 0 <= low < 50 < high <= 100
    assert {"criterion", "pairing", "criterion x pairing"} == grid["cells"].keys()


def test_yes_no_cells_have_precision_recall_and_f1_of_no() -> None:
    found = [
        _answer("a", EE, "no", "no"),
        _answer("b", EE, "no", "yes"),
        _answer("c", EE, "yes", "no"),
        _answer("d", EE, "yes", "yes"),
        _answer("e", EV, "no", "no"),
        _answer("f", EV, "yes", "yes"),
    ]
    by_pairing = _cells(report.grid(found, EXISTENCE), "pairing", "pairing")
    assert [by_pairing[EE][rate] for rate in ("accuracy", "precision", "recall", "f1")] == [50, 50, 50, 50]
    assert [by_pairing[EV][rate] for rate in ("accuracy", "precision", "recall", "f1")] == [100, 100, 100, 100]
    assert by_pairing[EE]["positive"] == "no"
    shares = {metric.name for metric in YES_NO if metric.in_cells and metric.scale == "share"}
    lost = {"unparsed", "abstained", "failed", "refused", "cut_off"}
    assert {"accuracy", "precision", "recall", "f1", "yes_rate", *lost} <= shares
    assert set(by_pairing[EE]["intervals"]) == shares
    low, high = by_pairing[EE]["intervals"]["f1"]
    assert 0 <= low <= 50 <= high <= 100
    assert by_pairing[EE]["warnings"] == []


def test_a_precision_that_measures_nothing_is_warned_of() -> None:
    grid = report.grid([_answer("a", EE, "no", "no"), _answer("b", EE, "no", "yes")], EXISTENCE)
    assert grid["overall"]["precision"] == 100
    assert "degenerate" in grid["overall"]["warnings"][0]


def test_a_model_that_never_says_no_has_no_precision() -> None:
    overall = report.grid([_answer("a", EE, "no", "yes"), _answer("b", EE, "yes", "yes")], EXISTENCE)["overall"]
    assert (overall["precision"], overall["intervals"]["precision"], overall["recall"]) == (None, None, 0)


def test_a_report_is_named_after_its_results_and_task(monkeypatch: pytest.MonkeyPatch) -> None:
    results = Path("results/org__x/20260101_120000_results.json")
    assert report.written_with(results, "ode") == results.with_name("20260101_120000_ode_report.json")
    written: list[Any] = []
    monkeypatch.setattr("vhbench.adapters.lmms_eval.write_beside_results", lambda *given: written.append(given))
    report.write({"n": 3}, "ode", "args")
    assert written == [("args", "ode_report", {"task": "ode", "n": 3})]
