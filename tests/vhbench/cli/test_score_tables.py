"""Printed tables of scores, line by line."""

from typing import Any

import pytest

from vhbench.cli import score_tables
from vhbench.cli.score_tables import table


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_a_table_has_intervals_notes_and_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    values = {"accuracy": 0.5, "f1": None, "a\nb": 1.0}
    table(values, {"accuracy": (0.25, 0.75), "f1": None}, "a\ntitle")
    title, *rows = printed(capsys)[1:]
    assert "\n" not in title
    assert rows[:2] == ["  accuracy     0.5000   95 % [0.2500, 0.7500]", "  f1        undefined"]
    assert rows[2].endswith("     1.0000")
    notes, bounds = {"accuracy": "few clusters", "f1": "x"}, {"accuracy": (0.125, 1.0)}
    table({"accuracy": 0.5, "f1": None}, {"accuracy": (0, 1)}, "t", notes=notes, bounds=bounds, withheld="failed")
    assert printed(capsys)[1:] == [
        "t",
        "  accuracy     0.5000   95 % [0.0000, 1.0000] (few clusters); 0.1250 to 1.0000 depending on the missing"
        " predictions",
        "  f1         withheld",
    ]
    table({"accuracy": 50.0}, {"accuracy": (0.251, 0.749)}, "t", percent=True)
    assert printed(capsys)[1:] == ["t (percent)", "  accuracy       50.0   95 % [25.1, 74.9]"]
    table({}, {}, "nothing")
    assert printed(capsys) == ["", "nothing"]


def part(**more: Any) -> dict[str, Any]:
    empty = {"interval_notes": {}, "bounds": {}, "intervals": {}, "withheld": None, "warnings": [], "by": {}}
    return {**empty, "interval": (0, 1), "interval_note": None, **more}


def test_scores_come_with_counters_and_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    result = part(accuracy=0.5, other=1, counters={"failed": 2, "refused": 0}, withheld="2 failed", warnings=["slow"])
    score_tables.scores(result, ["accuracy", "f1"], "t")
    told = capsys.readouterr()
    assert told.out.splitlines()[1:] == ["t", "  accuracy     0.5000", "failed 2, refused 0"]
    assert told.err.splitlines() == ["warning: 2 failed (--allow-failed reports it)", "warning: slow"]
    score_tables.scores({"intervals": {}, "interval_notes": {}, "accuracy": None}, ["accuracy"], "t")
    told = capsys.readouterr()
    assert (told.out.splitlines()[2:], told.err) == (["  accuracy  undefined"], "")


def test_multiple_choice_tells_questions_rotations_groups_and_letters(capsys: pytest.CaptureFixture[str]) -> None:
    one_group = {"(none)": part(accuracy=0.5)}
    result = part(
        accuracy=0.5, aggregate_interval=(0.1, 0.2), aggregate_interval_note=None, n=4,
        predictions=["r1#a", "r2#a", "r1#b", "r2#b"], letters={"predictions": {"A": 0.625, "": 0.375}},
        by={"task": {"": part(accuracy=0.5)}, "pressure": one_group, "mode": one_group,
            "question_type": {"E1": part(accuracy=0.25), "": part(accuracy=0.75, interval_note="wide")}},
    )  # fmt: skip
    score_tables.multiple_choice(result, "t: ")
    assert printed(capsys) == [
        "",
        "t: 2 questions, 4 responses, 2 rotations of the options",
        "  accuracy     0.5000   95 % [0.0000, 1.0000]",
        "",
        "accuracy by question_type",
        "  E1         0.2500   95 % [0.0000, 1.0000]",
        "  (none)     0.7500   95 % [0.0000, 1.0000] (wide)",
        "predicted letters: A 62.5 %,  37.5 %",
    ]
    score_tables.multiple_choice(result | {"predictions": ["a", "b"], "n": 2}, "")
    assert printed(capsys)[1] == "2 questions"


def test_pairs_tell_how_many_and_the_subsets(capsys: pytest.CaptureFixture[str]) -> None:
    subset = part(symmetric_accuracy=0.25, pairs=3)
    result = part(
        symmetric_accuracy=0.5, pairs=7, mix={}, incomplete_pairs=1, new_successful=4,
        by={"perturbation": {"jpeg": subset}},
    )  # fmt: skip
    score_tables.pairs(result, "t: ")
    assert [line for line in printed(capsys) if line] == [
        "t: 7 pairs, 1 incomplete, 4 new successful cases",
        "  symmetric_accuracy     0.5000",
        "perturbation = jpeg: 3 pairs",
        "  symmetric_accuracy     0.2500",
    ]
    published = {"relabelled": 2, "symmetric_accuracy": 0.75}
    score_tables.pairs(result | {"new_successful": None, "by": {}, "published_labels": published}, "")
    assert [line for line in printed(capsys) if line] == [
        "7 pairs, 1 incomplete, withheld new successful cases",
        "  symmetric_accuracy     0.5000",
        "with the published labels (2 corrected)",
        "  symmetric_accuracy     0.7500",
    ]
