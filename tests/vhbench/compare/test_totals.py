"""The tasks of a run together: each benchmark has a total, and different token limits never have one."""

import json
from pathlib import Path
from typing import Any

from vhbench.compare.scoring import Group, score_all, totals
from vhbench.runs import Responses


def log(folder: Path, task: str, *records: dict[str, Any]) -> None:
    lines = [json.dumps({"doc_id": place, "accuracy": record}) for place, record in enumerate(records)]
    (folder / f"20260101_samples_{task}.jsonl").write_text("\n".join(lines) + "\n")


def test_pressures_have_the_aggregate_of_mioh_with_each_question_once(tmp_path: Path) -> None:
    def said(name: str, pressure: str, prediction: str) -> dict[str, Any]:
        return {
            "id": name, "benchmark": "mioh", "kind": "multiple_choice", "choices": ["cat", "dog"], "answer": "A",
            "response": prediction, "prediction": prediction, "task": "existence", "pressure": pressure,
            "mode": "selective", "question_type": "E1", "scene_ids": [name],
        }  # fmt: skip

    easy, hard = [said("a", "easy", "A"), said("b", "easy", "A")], [said("c", "hn", "B")]
    log(tmp_path, "mioh_easy", *easy)
    log(tmp_path, "mioh_hn", *hard)
    log(tmp_path, "mioh_selective", *easy, *hard)
    scored = {group.task: result for group, result in score_all(Responses(tmp_path)).items()}
    assert list(scored) == ["", "mioh_easy", "mioh_hn", "mioh_selective"]
    assert (scored[""]["n"], scored[""]["accuracy"], scored[""]["aggregate"]) == (3, 2 / 3, 0.5)


def test_no_total_is_over_several_token_limits_or_variants() -> None:
    pressures = [Group(f"mioh_{name}", "mioh", "multiple_choice") for name in ("easy", "hn")]
    others = [
        Group("chair_64", "chair", "caption"), Group("chair_512", "chair", "caption"), Group("pope", "", "yes_no"),
        Group("mioh_rotations_2", "mioh", "multiple_choice", "r"),
    ]  # fmt: skip
    assert totals([*pressures, *others]) == {Group("", "mioh", "multiple_choice"): pressures}
    assert totals([Group("", "ode", "caption"), Group("ode_fictional_caption", "ode", "caption")]) == {}
