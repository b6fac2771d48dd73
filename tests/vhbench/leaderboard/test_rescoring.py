"""A board's scores are those of ``vhbench score`` and of lmms-eval's table, to the last digit."""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from vhbench.compare.scored_runs import measure
from vhbench.compare.scoring import Group
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rescoring import recompute
from vhbench.records import answered


def say(row: Mapping[str, Any], dice: random.Random) -> str:
    if row["kind"] == "caption":
        return f"The image shows {', '.join(row['objects'][:4])}{dice.choice(['', ' and a dog'])}."
    if dice.random() < 0.03:
        return "I cannot see any image."
    return dice.choice(["yes", "no", "Yes.", "who knows"]) if row["kind"] == "yes_no" else dice.choice("ABCD")


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("name", ["ode-2.0.0", "mioh-2.0.0", "vhexpansion-2.0.0"])
def test_scores_are_those_of_the_reports(editions: dict[str, QuestionIndex], name: str, repeats: int) -> None:
    asked, dice = editions[name], random.Random(3)
    texts = [say(row, dice) for _ in range(repeats) for row in asked.rows]
    found = recompute(asked, list(map(PackedAnswer, texts)), repeats)
    for family, own in asked.families.items():
        records = []
        for number in range(repeats):
            for place in own.places:
                record = answered(asked.rows[place], texts[number * len(asked.rows) + place])
                mark = f"{number + 1}#" if number else ""
                pair = record.pair_id and mark + record.pair_id
                records.append(replace(record, id=mark + record.id, pair_id=pair))
        report = measure(records, Group("", asked.edition.benchmark, family), asked.source)
        for metric, score in report.scores.items():
            if metric not in found.scores[family]:
                assert (metric, score.value) == ("tokens", None), "entries have no token counts"
                continue
            mine = found.scores[family][metric]
            assert mine.value == pytest.approx(score.value, abs=1e-9)
            assert mine.interval == (None if score.interval is None else pytest.approx(score.interval, abs=1e-9))
        for part, score in zip(own.parts, found.parts[family], strict=True):
            key = tuple(zip(part.columns, part.values, strict=True))
            if key in report.cells and own.headline == "accuracy" and repeats == 1:
                assert score.value == pytest.approx(report.cells[key].value, abs=1e-9)
                assert score.interval == pytest.approx(report.cells[key].interval, abs=1e-9)


def test_what_was_not_read_is_told(editions: dict[str, QuestionIndex]) -> None:
    asked = editions["vhexpansion-2.0.0"]
    texts = ["who knows", "I cannot see any image.", *["yes"] * (len(asked.rows) - 2)]
    found = recompute(asked, list(map(PackedAnswer, texts)))
    assert found.predictions[:3] == ["unread", "refused", "yes"]
    assert found.failures["unread"] == found.failures["refused"] == pytest.approx(100 / len(asked.rows))
    assert found.scores["pairs"]["symmetric_accuracy"].value == 0


def test_scores_are_withheld_where_requests_failed(editions: dict[str, QuestionIndex]) -> None:
    asked = editions["vhexpansion-2.0.0"]
    found = recompute(asked, [PackedAnswer("")] * len(asked.rows))
    assert "requests failed (100.0 %)" in found.withheld["pairs"]
    assert found.scores["pairs"]["symmetric_accuracy"].value is None
    assert all(score.value is None for score in found.parts["pairs"])


def test_a_response_without_text_that_reached_the_token_limit_has_not_failed(
    editions: dict[str, QuestionIndex],
) -> None:
    asked = editions["vhexpansion-2.0.0"]
    answers = [PackedAnswer("yes", 3)] * len(asked.rows)
    answers[:20] = [PackedAnswer("", 4096, cut_off=True)] * 20
    found = recompute(asked, answers)
    assert (found.failures["failed"], found.failures["unread"]) == (0, 0)
    assert found.failures["cut_off"] == pytest.approx(2000 / len(asked.rows))
    assert not found.withheld
