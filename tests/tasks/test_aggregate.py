"""Aggregations that share a score compute it once, and never take one run's for another's."""

from collections.abc import Mapping
from typing import Any

import pytest

from vhbench.tasks import aggregate
from vhbench.tasks.metrics import symmetric_accuracy


def payloads(said: str) -> list[Mapping[str, Any]]:
    """One pair, both of whose halves are answered with the same word, as lmms-eval hands it over."""
    halves = [("q", False, "yes"), ("q/negated", True, "no")]
    return [
        {"id": name, "kind": "yes_no", "pair_id": "q", "negated": negated, "answer": answer, "prediction": said}
        for name, negated, answer in halves
    ]


def test_a_score_is_computed_once_for_all_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    original = symmetric_accuracy.score

    def counted(answers: list[dict[str, Any]]) -> dict[str, Any]:
        calls.append(len(answers))
        return original(answers)

    monkeypatch.setattr(symmetric_accuracy, "score", counted)
    for said, rate, wrong in (("yes", 1.0, 1), ("no", 0.0, 0)):
        assert aggregate.symmetric(payloads(said)) == 0
        assert aggregate.symmetric_chance(payloads(said)) == 100 * rate * (1 - rate)
        assert aggregate.new_cases(payloads(said)[::-1]) == wrong, "other answers, other numbers"
    assert calls == [2, 2]
