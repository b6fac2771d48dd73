"""Scores that a run claims, and which of them differ from those of its samples."""

import json
from pathlib import Path

import pytest

from vhbench.runs import run_claims
from vhbench.runs.run_claims import claims_of, conflicting_claims


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for task in ("ode", "mioh", "other"):
        (tmp_path / f"20261127_samples_{task}.jsonl").write_text("{}\n")
    results = {
        "ode": {"accuracy,none": 57.5, "accuracy_stderr,none": 1, "alias": "ode", "right,none": True, "n": 3},
        "other": {"alias": "other"},
    }
    (tmp_path / "20261127_results.json").write_text(json.dumps({"results": results}))
    (tmp_path / "20261127_mioh_report.json").write_text(json.dumps({"overall": {"accuracy": 12, "note": "x"}}))
    monkeypatch.setattr(run_claims, "is_run", lambda place: place == tmp_path)
    return tmp_path


def test_claims_are_the_numbers_of_the_results_and_of_the_report(run: Path) -> None:
    assert claims_of(run) == {"ode": {"accuracy": 57.5, "n": 3.0}, "mioh": {"report accuracy": 12.0}}
    assert claims_of(run / "20261127_results.json") == {}
    (run / "20261127_results.json").write_text('{"results": 3}')
    assert claims_of(run) == {"mioh": {"report accuracy": 12.0}}


def test_claims_may_differ_by_less_than_is_shown() -> None:
    def differing(claimed: float, score: float | None = 48.75) -> list[str]:
        return list(conflicting_claims("ode", {"accuracy": claimed, "f1": 1}, {"accuracy": score, "recall": 3}))

    assert differing(48.7549) == differing(48.7451) == differing(0, None) == []
    assert differing(48.7551) == ["ode: its results claim accuracy 48.755; recomputed: 48.750"]
    assert differing(48.7449) == ["ode: its results claim accuracy 48.745; recomputed: 48.750"]
    assert list(conflicting_claims("ode", {"report f1": 1, "f1": 2}, {"f1": 2})) == [
        "ode: its report claims f1 1.000; recomputed: 2.000"
    ]
